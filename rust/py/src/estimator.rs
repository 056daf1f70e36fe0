//! `Estimator`: a rule or a profile that has been chosen, with a correction, applied to one text or to many.

use std::sync::Arc;

use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use ullage_core::Text;

use crate::batch;
use crate::functions::Limit;
use crate::profile::Profile;
use crate::rule::ScriptRule;
use crate::text::{View, expect_str};

/// What is applied to each text: the part of `ullage.Estimator` that touches text.
///
/// Args:
///     rule: a ScriptRule or a Profile; without one, the script rule with its default rates.
///     factor: what every estimate is multiplied by, from 1/16 to 16, to the nearest 2**-16.
#[pyclass(frozen, subclass, module = "ullage._core", from_py_object)]
#[derive(Clone)]
pub(crate) struct Estimator {
    rule: Rule,
    factor: Factor,
}

#[derive(Clone)]
enum Rule {
    Script(ScriptRule),
    Profile(Arc<ullage_core::Profile>),
}

/// Fixed point with 16 fractional bits, so that a correction gives the same number on every platform.
#[derive(Clone, Copy, PartialEq)]
struct Factor(u32);

impl Factor {
    const FRACTION: u32 = 16;
    const ONE: Self = Self(1 << Self::FRACTION);
    const RANGE: std::ops::RangeInclusive<f64> = 0.0625..=16.0;

    fn new(factor: f64) -> PyResult<Self> {
        if Self::RANGE.contains(&factor) {
            Ok(Self((factor * f64::from(Self::ONE.0)).round() as u32))
        } else {
            Err(PyValueError::new_err(format!("factor must be from 1/16 to 16, not {factor}")))
        }
    }

    /// To the nearest token, and at least one where there was one.
    fn of(self, tokens: u64) -> u64 {
        if self == Self::ONE {
            return tokens;
        }
        let half = 1 << (Self::FRACTION - 1);
        let corrected = (u128::from(tokens) * u128::from(self.0) + half) >> Self::FRACTION;
        u64::try_from(corrected).unwrap_or(u64::MAX).max(tokens.min(1))
    }
}

impl Estimator {
    /// The estimate of one text, for the other half of this crate.
    pub(crate) fn tokens(&self, text: Text<'_>) -> u64 {
        self.factor.of(match &self.rule {
            Rule::Script(rule) => rule.inner.estimate(text),
            Rule::Profile(profile) => profile.tokens(text),
        })
    }

    pub(crate) fn is_at_most(&self, text: Text<'_>, limit: u64) -> bool {
        match &self.rule {
            Rule::Script(rule) if self.factor == Factor::ONE => rule.inner.fits(text, limit),
            _ => self.tokens(text) <= limit,
        }
    }
}

#[pymethods]
impl Estimator {
    #[new]
    #[pyo3(signature = (rule=None, factor=1.0))]
    fn new(rule: Option<&Bound<'_, PyAny>>, factor: f64) -> PyResult<Self> {
        let rule = match rule {
            None => Rule::Script(ScriptRule::default()),
            Some(rule) => match (rule.extract::<ScriptRule>(), rule.extract::<Profile>()) {
                (Ok(rule), _) => Rule::Script(rule),
                (_, Ok(profile)) => Rule::Profile(profile.0),
                _ => {
                    let kind = rule.get_type().name()?;
                    return Err(PyTypeError::new_err(format!("rule must be a ScriptRule, not {kind}")));
                }
            },
        };
        Ok(Self { rule, factor: Factor::new(factor)? })
    }

    /// The script rule that this estimator applies, or None where it applies a profile.
    #[getter]
    fn rule(&self) -> Option<ScriptRule> {
        match self.rule {
            Rule::Script(rule) => Some(rule),
            Rule::Profile(_) => None,
        }
    }

    /// What every estimate is multiplied by: 1.0 without a calibration.
    #[getter]
    fn factor(&self) -> f64 {
        f64::from(self.factor.0) / f64::from(Factor::ONE.0)
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
        Ok(self.tokens(View::of(expect_str(text, "text")?)?.text()))
    }

    /// Whether a text is estimated at no more than `limit` tokens. The script rule stops reading as soon as it knows.
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
        Ok(limit.0.is_some_and(|limit| self.is_at_most(text.text(), limit)))
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
        let reads_ascii = matches!(self.rule, Rule::Profile(_));
        batch::map(texts, threads, reads_ascii, |text| self.tokens(text))
    }
}
