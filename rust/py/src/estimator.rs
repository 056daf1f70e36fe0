//! `Estimator`: a rule that has been chosen, applied to one text or to many.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use ullage_core::Text;

use crate::batch;
use crate::functions::Limit;
use crate::rule::ScriptRule;
use crate::text::{View, expect_str};

/// Estimates tokens by one rule. Frozen, hashable, picklable, and safe to share among threads.
///
/// Args:
///     rule: a ScriptRule; without one, the default rates.
///
/// >>> from ullage import Estimator
/// >>> Estimator().estimate_batch(["tea", "чай", "茶"]).tolist()
/// [1, 2, 1]
#[pyclass(frozen, eq, hash, module = "ullage", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct Estimator {
    rule: ScriptRule,
}

impl Estimator {
    /// The estimate of one text, for the other half of this crate.
    pub(crate) fn tokens(&self, text: Text<'_>) -> u64 {
        self.rule.inner.estimate(text)
    }
}

#[pymethods]
impl Estimator {
    #[new]
    #[pyo3(signature = (rule=None))]
    fn new(rule: Option<ScriptRule>) -> Self {
        Self { rule: rule.unwrap_or_default() }
    }

    /// The rule that this estimator applies.
    #[getter]
    fn rule(&self) -> ScriptRule {
        self.rule
    }

    /// Estimate how many tokens a text costs.
    ///
    /// Args:
    ///     text: any str.
    ///
    /// Returns:
    ///     The estimate in tokens.
    ///
    /// Raises:
    ///     TypeError: when text is not a str.
    #[pyo3(signature = (text, /))]
    fn estimate(&self, text: &Bound<'_, PyAny>) -> PyResult<u64> {
        Ok(self.rule.inner.estimate(View::of(expect_str(text, "text")?)?.text()))
    }

    /// Whether a text is estimated at no more than `limit` tokens. Stops reading as soon as the answer is known.
    ///
    /// Args:
    ///     text: any str.
    ///     limit: tokens; a negative limit fits nothing.
    ///
    /// Raises:
    ///     TypeError: when text is not a str or limit is not an int.
    #[pyo3(signature = (text, /, limit))]
    fn fits(&self, text: &Bound<'_, PyAny>, limit: Limit) -> PyResult<bool> {
        let text = View::of(expect_str(text, "text")?)?;
        Ok(limit.0.is_some_and(|limit| self.rule.inner.fits(text.text(), limit)))
    }

    /// Estimate many texts at once.
    ///
    /// Args:
    ///     texts: any iterable of str; it is read once.
    ///     threads: how many threads may scan; by default one, and all of the machine's for a batch of over 16 MiB.
    ///
    /// Returns:
    ///     numpy.ndarray of uint32, shape (number of texts,): the estimates in tokens, in the order of the texts.
    ///
    /// Raises:
    ///     TypeError: when texts is one str or not iterable, or an item is not a str (its index is named).
    ///     ValueError: when threads is below 1.
    ///     OverflowError: when an estimate does not fit 32 bits (its index is named).
    #[pyo3(signature = (texts, /, *, threads=None))]
    fn estimate_batch<'py>(
        &self,
        texts: &Bound<'py, PyAny>,
        threads: Option<isize>,
    ) -> PyResult<Bound<'py, numpy::PyArray1<u32>>> {
        let threads = match threads {
            None => None,
            Some(threads) => Some(
                usize::try_from(threads)
                    .ok()
                    .filter(|threads| *threads > 0)
                    .ok_or_else(|| PyValueError::new_err(format!("threads must be at least 1, not {threads}")))?,
            ),
        };
        let rule = self.rule.inner;
        batch::map(texts, threads, move |text| rule.estimate(text))
    }

    fn __repr__(&self) -> String {
        if self.rule == ScriptRule::default() {
            "Estimator()".into()
        } else {
            format!("Estimator({})", self.rule.__repr__())
        }
    }

    fn __getnewargs__(&self) -> (ScriptRule,) {
        (self.rule,)
    }
}
