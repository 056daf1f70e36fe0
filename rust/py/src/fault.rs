//! Why a value cannot be read, and where in it: raised only when the way back out is known.

use std::fmt::Display;

use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

/// How much of a path an error shows.
const MAX_PATH: usize = 8;

/// Why a value cannot be read, with the way to it in reverse.
pub(crate) struct Fault {
    kind: Kind,
    path: Vec<String>,
}

enum Kind {
    Raised(PyErr),
    Unsupported(String),
    Rule(String),
}

impl Fault {
    #[cold]
    pub(crate) fn rule(rule: String) -> Self {
        Self { kind: Kind::Rule(rule), path: Vec::new() }
    }

    #[cold]
    pub(crate) fn unsupported(kind: &Bound<'_, PyType>) -> Self {
        let name = kind.fully_qualified_name().map_or_else(|_| "an object".into(), |name| name.to_string());
        Self { kind: Kind::Unsupported(name), path: Vec::new() }
    }

    #[cold]
    pub(crate) fn inside(self, key: &Bound<'_, PyAny>) -> Self {
        let segment = match key.cast::<PyString>() {
            Ok(name) => format!(".{name}"),
            Err(_) => format!("[{}]", key.repr().map_or_else(|_| "?".into(), |repr| repr.to_string())),
        };
        self.at(segment)
    }

    #[cold]
    pub(crate) fn at(mut self, segment: String) -> Self {
        self.path.push(segment);
        self
    }

    /// The error to raise. `root` is what the path starts from: `messages[3]`, say; where it is empty, a key is.
    #[cold]
    pub(crate) fn into_error(self, py: Python<'_>, root: impl Display) -> PyErr {
        let inner: String = self.path.iter().rev().take(MAX_PATH).map(String::as_str).collect();
        let dots = if self.path.len() > MAX_PATH { "..." } else { "" };
        let path = format!("{root}{inner}{dots}");
        let path = match path.trim_start_matches('.') {
            "" => "the value",
            path => path,
        };
        match self.kind {
            Kind::Raised(error) => error,
            Kind::Unsupported(name) => PyTypeError::new_err(format!(
                "{path} must be made of dict, list, tuple, str, numbers, bytes, None, or instances of classes with fields, \
                 not {name}"
            )),
            Kind::Rule(rule) => py
                .import("ullage.errors")
                .and_then(|errors| errors.getattr("InvalidHistory")?.call1((path, rule)))
                .map_or_else(|error| error, PyErr::from_value),
        }
    }
}

impl From<PyErr> for Fault {
    #[cold]
    fn from(error: PyErr) -> Self {
        Self { kind: Kind::Raised(error), path: Vec::new() }
    }
}
