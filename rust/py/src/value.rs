//! What kind of value something is: the order of the questions is the same for all that read values.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple};
use ullage_core::Digester;

use crate::text::View;

/// How deep values may nest. Providers refuse far less, and a cycle ends here.
pub(crate) const MAX_DEPTH: usize = 256;

/// A value by its builtin kind; an instance of a subclass is what it is derived from.
pub(crate) enum Value<'a, 'py> {
    Text(&'a Bound<'py, PyString>),
    None,
    Bool(bool),
    Int(&'a Bound<'py, PyInt>),
    Float(&'a Bound<'py, PyFloat>),
    Bytes(&'a Bound<'py, PyBytes>),
    Dict(&'a Bound<'py, PyDict>),
    List(&'a Bound<'py, PyList>),
    Tuple(&'a Bound<'py, PyTuple>),
    /// An instance of some class; [`crate::fields::Object`] reads it.
    Object,
}

impl<'a, 'py> Value<'a, 'py> {
    /// What has a flag in its type is asked for first, for a float takes a search among the bases of the type.
    #[inline]
    pub(crate) fn of(value: &'a Bound<'py, PyAny>) -> Self {
        if let Ok(text) = value.cast::<PyString>() {
            Self::Text(text)
        } else if let Ok(dict) = value.cast::<PyDict>() {
            Self::Dict(dict)
        } else if let Ok(list) = value.cast::<PyList>() {
            Self::List(list)
        } else if value.is_none() {
            Self::None
        } else if let Ok(boolean) = value.cast::<PyBool>() {
            Self::Bool(boolean.is_true())
        } else if let Ok(int) = value.cast::<PyInt>() {
            Self::Int(int)
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            Self::Tuple(tuple)
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            Self::Bytes(bytes)
        } else if let Ok(float) = value.cast::<PyFloat>() {
            Self::Float(float)
        } else {
            Self::Object
        }
    }

    /// Whether this is a leaf, and no instance of a subclass.
    pub(crate) fn is_exact_leaf(&self) -> bool {
        match self {
            Self::None | Self::Bool(_) => true,
            Self::Text(text) => text.is_exact_instance_of::<PyString>(),
            Self::Int(int) => int.is_exact_instance_of::<PyInt>(),
            Self::Float(float) => float.is_exact_instance_of::<PyFloat>(),
            Self::Bytes(bytes) => bytes.is_exact_instance_of::<PyBytes>(),
            Self::Dict(_) | Self::List(_) | Self::Tuple(_) | Self::Object => false,
        }
    }

    /// Gives a leaf to a digester; false for what is no leaf.
    pub(crate) fn digest_leaf(&self, digester: &mut Digester) -> PyResult<bool> {
        match self {
            Self::Text(text) => digester.text(View::of(text)?.text()),
            Self::None => digester.none(),
            Self::Bool(value) => digester.bool(*value),
            Self::Int(int) => match int.extract::<i64>() {
                Ok(small) => digester.int(small),
                Err(_) => digester.big_int(hex(int)?.to_str()?.as_bytes()),
            },
            Self::Float(float) => digester.float(float.value()),
            Self::Bytes(bytes) => digester.bytes(bytes.as_bytes()),
            Self::Dict(_) | Self::List(_) | Self::Tuple(_) | Self::Object => return Ok(false),
        }
        Ok(true)
    }
}

/// An int in base 16, which takes time in proportion to its length where base 10 takes its square.
pub(crate) fn hex<'py>(int: &Bound<'py, PyInt>) -> PyResult<Bound<'py, PyString>> {
    // SAFETY: `int` is a live int; a new reference to a str comes back, or null with an exception set.
    let hex = unsafe { Bound::from_owned_ptr_or_err(int.py(), ffi::PyNumber_ToBase(int.as_ptr(), 16)) }?;
    Ok(hex.cast_into()?)
}
