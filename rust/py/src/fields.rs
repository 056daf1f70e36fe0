//! What a value says that is not a plain builtin: an instance of a Python class, or a dict that has code of its own.

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyString, PyTuple, PyType};

use crate::fault::Fault;

/// A key and its value.
pub(crate) type Entry<'py> = (Bound<'py, PyAny>, Bound<'py, PyAny>);

/// An instance of a class, by the name of its type.
pub(crate) struct Object<'py> {
    pub(crate) name: Bound<'py, PyString>,
    pub(crate) says: Says<'py>,
}

pub(crate) enum Says<'py> {
    /// All that there is, in writing.
    Repr(Bound<'py, PyString>),
    /// Its fields; pydantic keeps unknown fields beside them.
    Fields(Bound<'py, PyDict>, Option<Bound<'py, PyAny>>),
}

/// Values that never change, and that `repr` says in full.
const SAID_BY_REPR: [&str; 7] = [
    "datetime.date",
    "datetime.datetime",
    "datetime.time",
    "datetime.timedelta",
    "datetime.timezone",
    "decimal.Decimal",
    "uuid.UUID",
];

impl<'py> Object<'py> {
    /// Fails for what has no fields: functions, modules, other builtins.
    pub(crate) fn of(value: &Bound<'py, PyAny>) -> Result<Self, Fault> {
        let kind = value.get_type();
        let name = kind.fully_qualified_name()?;
        if SAID_BY_REPR.contains(&name.to_str()?) {
            return Ok(Self { name, says: Says::Repr(value.repr()?) });
        }
        let fields = if is_python_class(&kind) { fields(value)? } else { None };
        let Some(fields) = fields else {
            return Err(Fault::unsupported(&kind));
        };
        let extra = if kind.hasattr("__pydantic_extra__")? { value.getattr_opt("__pydantic_extra__")? } else { None };
        Ok(Self { name, says: Says::Fields(fields, extra) })
    }
}

/// All entries of a dict, for a value further down may run code that changes it.
///
/// A subclass is asked as `json` asks it, since it may keep an order or values of its own.
pub(crate) fn entries<'py>(dict: &Bound<'py, PyDict>) -> PyResult<Vec<Entry<'py>>> {
    if dict.is_exact_instance_of::<PyDict>() {
        return Ok(Entries::of(dict).collect());
    }
    dict.call_method0("items")?.try_iter()?.map(|entry| entry?.extract()).collect()
}

/// The entries of an exact dict, each held by references of its own: what is done with one may run code that changes the
/// dict. It runs none itself.
#[derive(Clone)]
pub(crate) struct Entries<'a, 'py> {
    dict: &'a Bound<'py, PyDict>,
    position: ffi::Py_ssize_t,
}

impl<'a, 'py> Entries<'a, 'py> {
    pub(crate) fn of(dict: &'a Bound<'py, PyDict>) -> Self {
        Self { dict, position: 0 }
    }
}

impl<'py> Iterator for Entries<'_, 'py> {
    type Item = Entry<'py>;

    #[inline]
    fn next(&mut self) -> Option<Entry<'py>> {
        with_critical_section(self.dict, || {
            let (mut key, mut value) = (std::ptr::null_mut(), std::ptr::null_mut());
            // SAFETY: `dict` is a dict that lives through the call. `PyDict_Next` checks the position against the dict as
            // it is now, so one that was changed meanwhile gives other entries or an end, never a dangling pointer. The
            // references are borrowed from the dict, which nothing changes before they are held: no code runs with the
            // GIL, and the critical section keeps other threads out without it.
            unsafe {
                if ffi::PyDict_Next(self.dict.as_ptr(), &raw mut self.position, &raw mut key, &raw mut value) == 0 {
                    return None;
                }
                let py = self.dict.py();
                Some((Bound::from_borrowed_ptr(py, key), Bound::from_borrowed_ptr(py, value)))
            }
        })
    }
}

/// What an instance has in its `__dict__`, or in its slots where its class has no `__dict__`.
fn fields<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyDict>>> {
    if let Some(fields) = value.getattr_opt("__dict__")? {
        return Ok(fields.cast_into_exact::<PyDict>().ok());
    }
    // Python's own, whatever the class made of it: (None, the slots by name) where there are slots.
    let state = value.py().get_type::<PyAny>().call_method1("__getstate__", (value,))?;
    let Ok(state) = state.cast_into::<PyTuple>() else { return Ok(None) };
    Ok(state.get_item(1)?.cast_into_exact::<PyDict>().ok())
}

/// Functions, modules and the like have a `__dict__` too, and it says nothing of what they are.
fn is_python_class(kind: &Bound<'_, PyType>) -> bool {
    // SAFETY: `kind` is a live type object.
    unsafe { ffi::PyType_HasFeature(kind.as_type_ptr(), ffi::Py_TPFLAGS_HEAPTYPE) != 0 }
}
