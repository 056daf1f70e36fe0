//! The functions at module level. They are handed to users as they are, for a call costs more than most texts.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyString;
use ullage_core::ScriptRule;

use crate::estimator::Estimator;
use crate::rule::ScriptCounts;
use crate::text::{View, expect_str};

/// Estimate how many tokens a text costs.
///
/// Without a model by the script rule: ASCII 4 characters a token, Chinese, Japanese and Korean 1, everything else 2,
/// rounded up; the empty text is 0. With a model by the profile of its tokenizer, which is far closer.
///
/// Args:
///     text: any str; lone surrogates are characters like others.
///     model: a model's name, as its provider or a host writes it.
///
/// Returns:
///     The estimate in tokens.
///
/// Raises:
///     TypeError: when text or model is not a str.
///     UnknownModel: when no profile is known for the model.
///
/// >>> from ullage import estimate
/// >>> estimate("The room left in a vessel."), estimate("容器里剩下的空间")
/// (7, 8)
/// >>> estimate("The room left in a vessel.", "gpt-4o"), estimate("容器里剩下的空间", model="gpt-4o")
/// (6, 8)
#[pyfunction]
#[pyo3(signature = (text, /, model=None))]
pub(crate) fn estimate(text: &Bound<'_, PyAny>, model: Option<&Bound<'_, PyAny>>) -> PyResult<u64> {
    let text = View::of(expect_str(text, "text")?)?;
    match model {
        None => Ok(ScriptRule::default().estimate(text.text())),
        Some(model) => Ok(for_model(model)?.get().tokens(text.text())),
    }
}

/// The estimator of a model. Python finds it, and keeps those it has found.
fn for_model<'py>(model: &Bound<'py, PyAny>) -> PyResult<Bound<'py, Estimator>> {
    static FIND: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let model: &Bound<'_, PyString> = expect_str(model, "model")?;
    let find = FIND.import(model.py(), "ullage.estimator", "estimator_for")?;
    Ok(find.call1((model,))?.cast_into()?)
}

/// Count the characters of a text by the three classes of the script rule.
///
/// Args:
///     text: any str.
///
/// Returns:
///     ScriptCounts(ascii, cjk, other), in characters (code points); the three add up to len(text).
///
/// Raises:
///     TypeError: when text is not a str.
///
/// >>> from ullage import scripts
/// >>> scripts("tea, чай, 茶")
/// ScriptCounts(ascii=7, cjk=1, other=3)
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn scripts(text: &Bound<'_, PyAny>) -> PyResult<ScriptCounts> {
    Ok(ullage_core::scripts(View::of(expect_str(text, "text")?)?.text()).into())
}

/// Whether a text is estimated at no more than `limit` tokens. The script rule stops reading as soon as it knows.
///
/// Args:
///     text: any str.
///     limit: tokens; a negative limit fits nothing.
///     model: a model's name; without one, the script rule decides.
///
/// Returns:
///     The same as estimate(text, model) <= limit.
///
/// Raises:
///     TypeError: when text or model is not a str or limit is not an int.
///     UnknownModel: when no profile is known for the model.
///
/// >>> from ullage import fits
/// >>> fits("a" * 4000, 1000), fits("a" * 4001, 1000)
/// (True, False)
#[pyfunction]
#[pyo3(signature = (text, /, limit, model=None))]
pub(crate) fn fits(text: &Bound<'_, PyAny>, limit: Limit, model: Option<&Bound<'_, PyAny>>) -> PyResult<bool> {
    let text = View::of(expect_str(text, "text")?)?;
    let Some(model) = model else {
        return Ok(limit.0.is_some_and(|limit| ScriptRule::default().fits(text.text(), limit)));
    };
    let estimator = for_model(model)?;
    Ok(limit.0.is_some_and(|limit| estimator.get().is_at_most(text.text(), limit)))
}

/// The most tokens that any byte-level tokenizer can make of a text: its length in UTF-8.
///
/// A byte-level BPE starts from single bytes and only ever merges, so it never gives more tokens than bytes. A lone
/// surrogate counts as the three bytes of its replacement character.
///
/// Args:
///     text: any str.
///
/// Returns:
///     The bound in tokens, which is a number of bytes.
///
/// Raises:
///     TypeError: when text is not a str.
///
/// >>> from ullage import byte_bound
/// >>> byte_bound("tea"), byte_bound("чай"), byte_bound("茶")
/// (3, 6, 3)
#[pyfunction]
#[pyo3(signature = (text, /))]
pub(crate) fn byte_bound(text: &Bound<'_, PyAny>) -> PyResult<u64> {
    Ok(ullage_core::byte_bound(View::of(expect_str(text, "text")?)?.text()))
}

/// A number of tokens given as any int: `None` below zero, the largest number where it is beyond 64 bits.
#[derive(Clone, Copy)]
pub(crate) struct Limit(pub(crate) Option<u64>);

impl<'py> FromPyObject<'_, 'py> for Limit {
    type Error = PyErr;

    fn extract(value: Borrowed<'_, 'py, PyAny>) -> PyResult<Self> {
        let int = value.cast::<pyo3::types::PyInt>().map_err(|_| {
            let name = value.get_type().name().map_or_else(|_| "object".into(), |name| name.to_string());
            pyo3::exceptions::PyTypeError::new_err(format!("limit must be an int of tokens, not {name}"))
        })?;
        if int.lt(0)? { Ok(Self(None)) } else { Ok(Self(Some(int.extract::<u64>().unwrap_or(u64::MAX)))) }
    }
}
