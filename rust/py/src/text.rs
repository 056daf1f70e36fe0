//! From a Python `str` to a [`Text`]: CPython's own storage without a copy, or UTF-8 where it cannot be read.

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::PyString;
use ullage_core::Text;

/// The text of a `str` (or of a subclass of it). `what` begins the sentence of the `TypeError` for anything else.
pub(crate) fn expect_str<'a, 'py>(value: &'a Bound<'py, PyAny>, what: &str) -> PyResult<&'a Bound<'py, PyString>> {
    value.cast::<PyString>().map_err(|_| not_text(value, what))
}

#[cold]
fn not_text(value: &Bound<'_, PyAny>, what: &str) -> PyErr {
    let name = value.get_type().fully_qualified_name().map_or_else(|_| "object".into(), |name| name.to_string());
    let hint = match name.as_str() {
        "bytes" | "bytearray" => "; decode it first",
        _ => "",
    };
    PyTypeError::new_err(format!("{what} must be str, not {name}{hint}"))
}

#[cfg(not(any(Py_LIMITED_API, PyPy, GraalPy, feature = "portable-text")))]
mod storage {
    use super::{Bound, PyResult, PyString, PyStringMethods, Text};
    use pyo3::ffi;
    use pyo3::types::string::PyStringData;

    /// A view of a string's own storage, valid as long as the string is held.
    pub(crate) struct View<'a>(Text<'a>);

    impl<'a> View<'a> {
        /// Fails only where CPython cannot make a legacy string canonical (out of memory).
        pub(crate) fn of(string: &'a Bound<'_, PyString>) -> PyResult<Self> {
            // SAFETY: the storage of a str never changes once it is canonical, which `data` sees to, and `string` holds
            // a reference for as long as the view lives. `data` decodes the header with PyO3's own layout of the
            // interpreter that this extension is built for (wheels are per version; `tests/test_estimate.py` holds
            // every storage width against plain Python).
            let data = unsafe { string.data() }?;
            Ok(Self(match data {
                // SAFETY: `string` is a str object, and `data` has made it canonical.
                PyStringData::Ucs1(bytes) if unsafe { ffi::PyUnicode_IS_ASCII(string.as_ptr()) } != 0 => {
                    Text::Ascii(bytes)
                }
                PyStringData::Ucs1(bytes) => Text::Latin1(bytes),
                PyStringData::Ucs2(units) => Text::Ucs2(units),
                PyStringData::Ucs4(units) => Text::Ucs4(units),
            }))
        }

        pub(crate) fn text(&self) -> Text<'_> {
            self.0
        }
    }
}

#[cfg(any(Py_LIMITED_API, PyPy, GraalPy, feature = "portable-text"))]
mod storage {
    use super::{Bound, PyResult, PyString, PyStringMethods, Text};
    use pyo3::prelude::*;
    use pyo3::types::PyBytes;

    /// The UTF-8 form that the interpreter caches, or a copy as code points where lone surrogates rule UTF-8 out.
    pub(crate) enum View<'a> {
        Utf8(&'a str),
        CodePoints(Vec<u32>),
    }

    impl<'a> View<'a> {
        /// Fails only when memory runs out.
        pub(crate) fn of(string: &'a Bound<'_, PyString>) -> PyResult<Self> {
            if let Ok(utf8) = string.to_str() {
                return Ok(Self::Utf8(utf8));
            }
            let bytes = string.call_method1("encode", ("utf-32-le", "surrogatepass"))?;
            let (units, _) = bytes.cast::<PyBytes>()?.as_bytes().as_chunks::<4>();
            Ok(Self::CodePoints(units.iter().map(|unit| u32::from_le_bytes(*unit)).collect()))
        }

        pub(crate) fn text(&self) -> Text<'_> {
            match self {
                Self::Utf8(utf8) => Text::Utf8(utf8),
                Self::CodePoints(units) => Text::Ucs4(units),
            }
        }
    }
}

pub(crate) use storage::View;
