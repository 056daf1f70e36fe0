//! Volatile values of a text, as plain tuples.

use pyo3::prelude::*;

use crate::text::{View, expect_str};

/// Find the values in a text that are likely to differ the next time it is made.
///
/// Args:
///     text: any str.
///     alone: give only those for which the words around them speak ("today is", "session id:", "tokens left"), for a
///         text of which no other version is at hand. By default whatever has the form, for a change that is known.
///
/// Returns:
///     (start, stop, kind) of each in code points, in order, none overlapping another; the kinds are "clock", "date",
///     "identifier", "counter" and "random".
///
/// Raises:
///     TypeError: when text is not a str.
///
/// >>> from ullage._core import volatile
/// >>> volatile("Opens at 9:30. It is now 17:11.")
/// [(9, 13, 'clock'), (25, 30, 'clock')]
/// >>> volatile("Opens at 9:30. It is now 17:11.", alone=True)
/// [(25, 30, 'clock')]
#[pyfunction]
#[pyo3(signature = (text, /, *, alone=false))]
pub(crate) fn volatile(text: &Bound<'_, PyAny>, alone: bool) -> PyResult<Vec<(usize, usize, &'static str)>> {
    let view = View::of(expect_str(text, "text")?)?;
    let found = ullage_core::volatile(view.text(), alone);
    Ok(found.into_iter().map(|value| (value.start, value.stop, value.kind.name())).collect())
}
