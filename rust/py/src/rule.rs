//! `ScriptCounts` and `ScriptRule` as Python values.

use pyo3::exceptions::{PyOverflowError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyTuple};
use ullage_core::Rate;

/// Characters (code points) of a text by the classes of the script rule.
///
/// Counts add up: ScriptCounts(1, 0, 0) + ScriptCounts(0, 2, 0) == ScriptCounts(1, 2, 0).
///
/// Attributes:
///     ascii: U+0000 to U+007F.
///     cjk: Chinese, Japanese and Korean.
///     other: everything else.
#[pyclass(frozen, eq, hash, get_all, module = "ullage", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScriptCounts {
    ascii: u64,
    cjk: u64,
    other: u64,
}

impl From<ullage_core::ScriptCounts> for ScriptCounts {
    fn from(counts: ullage_core::ScriptCounts) -> Self {
        Self { ascii: counts.ascii, cjk: counts.cjk, other: counts.other }
    }
}

#[pymethods]
impl ScriptCounts {
    #[classattr]
    #[pyo3(name = "__match_args__")]
    const MATCH_ARGS: (&'static str, &'static str, &'static str) = ("ascii", "cjk", "other");

    #[new]
    #[pyo3(signature = (ascii=0, cjk=0, other=0))]
    fn new(ascii: u64, cjk: u64, other: u64) -> Self {
        Self { ascii, cjk, other }
    }

    fn __add__(&self, more: &Self) -> PyResult<Self> {
        let add = |a: u64, b: u64| {
            a.checked_add(b).ok_or_else(|| PyValueError::new_err("the sum of two ScriptCounts does not fit 64 bits"))
        };
        Ok(Self {
            ascii: add(self.ascii, more.ascii)?,
            cjk: add(self.cjk, more.cjk)?,
            other: add(self.other, more.other)?,
        })
    }

    fn __repr__(&self) -> String {
        format!("ScriptCounts(ascii={}, cjk={}, other={})", self.ascii, self.cjk, self.other)
    }

    fn __getnewargs__(&self) -> (u64, u64, u64) {
        (self.ascii, self.cjk, self.other)
    }
}

/// The script rule with rates of your own: how many characters of each class make a token.
///
/// tokens = ceil(ascii / ascii_rate + cjk / cjk_rate + other / other_rate), computed exactly.
///
/// Args:
///     ascii: characters a token for U+0000 to U+007F.
///     cjk: characters a token for Chinese, Japanese and Korean.
///     other: characters a token for everything else.
///
/// Each is a number from 0.001 to 100 and is taken to the nearest thousandth.
///
/// Raises:
///     TypeError: when a rate is not a number.
///     ValueError: when a rate is out of range.
///
/// >>> from ullage import Estimator, ScriptRule
/// >>> Estimator(ScriptRule(ascii=3.5)).estimate("seven characters, twice over")
/// 8
#[pyclass(frozen, eq, hash, module = "ullage", from_py_object)]
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) struct ScriptRule {
    pub(crate) inner: ullage_core::ScriptRule,
    thousandths: [u32; 3],
}

impl Default for ScriptRule {
    fn default() -> Self {
        Self { inner: ullage_core::ScriptRule::default(), thousandths: [4000, 1000, 2000] }
    }
}

#[pymethods]
impl ScriptRule {
    #[new]
    #[pyo3(signature = (*, ascii=None, cjk=None, other=None))]
    fn new(
        ascii: Option<&Bound<'_, PyAny>>,
        cjk: Option<&Bound<'_, PyAny>>,
        other: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let mut thousandths = Self::default().thousandths;
        for (slot, (name, value)) in thousandths.iter_mut().zip([("ascii", ascii), ("cjk", cjk), ("other", other)]) {
            if let Some(value) = value {
                *slot = to_thousandths(name, value)?;
            }
        }
        let [ascii, cjk, other] = thousandths.map(|numerator| Rate { numerator, denominator: 1000 });
        let inner = ullage_core::ScriptRule::new(ascii, cjk, other)
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(Self { inner, thousandths })
    }

    /// Characters a token for U+0000 to U+007F.
    #[getter]
    fn ascii(&self) -> f64 {
        f64::from(self.thousandths[0]) / 1000.0
    }

    /// Characters a token for Chinese, Japanese and Korean.
    #[getter]
    fn cjk(&self) -> f64 {
        f64::from(self.thousandths[1]) / 1000.0
    }

    /// Characters a token for everything else.
    #[getter]
    fn other(&self) -> f64 {
        f64::from(self.thousandths[2]) / 1000.0
    }

    pub(crate) fn __repr__(&self) -> String {
        format!("ScriptRule(ascii={}, cjk={}, other={})", self.ascii(), self.cjk(), self.other())
    }

    fn __getnewargs_ex__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyTuple>, Bound<'py, pyo3::types::PyDict>)> {
        let rates = pyo3::types::PyDict::new(py);
        rates.set_item("ascii", self.ascii())?;
        rates.set_item("cjk", self.cjk())?;
        rates.set_item("other", self.other())?;
        Ok((PyTuple::empty(py), rates))
    }
}

fn to_thousandths(name: &str, value: &Bound<'_, PyAny>) -> PyResult<u32> {
    let py = value.py();
    let rate = match value.extract::<f64>() {
        Ok(rate) if !value.is_instance_of::<PyBool>() => rate,
        Err(error) if error.is_instance_of::<PyOverflowError>(py) => f64::INFINITY,
        Err(error) if !error.is_instance_of::<PyTypeError>(py) => return Err(error),
        _ => {
            let kind = value.get_type().name()?;
            return Err(PyTypeError::new_err(format!("{name} must be a number of characters a token, not {kind}")));
        }
    };
    if !(0.001..=100.0).contains(&rate) {
        return Err(PyValueError::new_err(format!("{name} must be from 0.001 to 100 characters a token, not {rate}")));
    }
    Ok((rate * 1000.0).round() as u32)
}
