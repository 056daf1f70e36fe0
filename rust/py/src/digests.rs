//! `digests`: a value by what is sent, and by what it says whatever its form.

use pyo3::prelude::*;

use crate::walk::Walk;

/// Two digests of a value, of 128 bits each: equal for equal values, and else different but for chance.
///
/// Not to be stored: they may differ on another machine.
///
/// Args:
///     value: made of dicts, lists, tuples, str, numbers, bytes, None and instances of classes with fields.
///
/// Returns:
///     (as sent, canonical). The first tells apart all that `first_difference` does. The second leaves out white space in
///     texts, the order of the keys of dicts, and cache markers: the keys `cache_control`, `cachePoint` and `cache_point`
///     where they hold settings, and items that are nothing but a marker. It tells apart all else: 1 and 1.0, say.
///
/// Raises:
///     TypeError: when a value is none of these; its path is named.
///     InvalidHistory: when values nest deeper than 256, or one holds itself.
///
/// >>> from ullage._core import digests
/// >>> sent, canonical = digests({"a": "x y", "b": 1})
/// >>> again, same = digests({"b": 1, "a": "xy", "cache_control": {"type": "ephemeral"}})
/// >>> sent == again, canonical == same
/// (False, True)
#[pyfunction]
#[pyo3(signature = (value, /))]
pub(crate) fn digests(value: &Bound<'_, PyAny>) -> PyResult<(u128, u128)> {
    let walk = Walk::of(value, "")?;
    Ok((walk.digest, walk.canonical(value.py())?))
}
