//! One pass over a message: its digest, and the steps by which the same message is known again without reading it.
//!
//! Identity means equality here: the steps hold a reference to every leaf (a text, a number, ...), and leaves never
//! change, so a message whose containers have the same shape and whose leaves are the very same objects has not changed.

use std::slice::Iter;

use pyo3::exceptions::PyTypeError;
use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString, PyTuple, PyType};
use ullage_core::Digester;

use crate::text::View;

/// How deep a message may nest. Providers refuse far less, and a cycle ends here.
const MAX_DEPTH: usize = 256;
/// How many values one message may have; shared containers could otherwise unfold without end.
const MAX_VALUES: usize = 1 << 24;
/// How much of a path an error shows.
const MAX_PATH: usize = 8;

/// What the walk met, in order: containers with their lengths, and keys and leaves by identity.
enum Step {
    Dict(usize),
    List(usize),
    Tuple(usize),
    Leaf(Py<PyAny>),
}

/// A message as it was when it was read.
pub(crate) struct Walk {
    pub(crate) digest: u128,
    steps: Box<[Step]>,
    /// Objects and dict subclasses answer by code of their own; they are known again by their digest alone.
    opaque: bool,
    /// Whether a leaf may own other objects (an instance of a subclass of `str`, say) and so be part of a cycle.
    pub(crate) owning: bool,
}

impl Walk {
    /// Reads a message. `index` is its place, for errors.
    pub(crate) fn of(message: &Bound<'_, PyAny>, index: usize) -> PyResult<Self> {
        let mut walker =
            Walker { digest: Digester::new(), steps: Vec::with_capacity(8), values: 0, opaque: false, owning: false };
        walker.value(message, 0).map_err(|fault| fault.into_error(message.py(), index))?;
        Ok(Self {
            digest: walker.digest.finish(),
            steps: walker.steps.into(),
            opaque: walker.opaque,
            owning: walker.owning,
        })
    }

    /// Whether this is certainly the message as it was read. Runs no Python code and looks at no leaf.
    pub(crate) fn is_unchanged(&self, message: &Bound<'_, PyAny>) -> bool {
        let mut steps = self.steps.iter();
        // SAFETY: `message` is a reference that lives through the call, on a thread attached to the interpreter.
        !self.opaque && unsafe { same(message.py(), message.as_ptr(), &mut steps) } && steps.len() == 0
    }

    /// The leaves that the collector of cycles must know of.
    pub(crate) fn owning_leaves(&self) -> impl Iterator<Item = &Py<PyAny>> {
        let steps = if self.owning { &self.steps[..] } else { &[] };
        steps.iter().filter_map(|step| if let Step::Leaf(leaf) = step { Some(leaf) } else { None })
    }
}

/// Compares a value with the steps from here on, and consumes those that belong to it.
///
/// # Safety
/// The thread is attached to the interpreter, and `value` is an object that stays alive through the call.
unsafe fn same(py: Python<'_>, value: *mut ffi::PyObject, steps: &mut Iter<'_, Step>) -> bool {
    // SAFETY (all blocks): `value` is alive. A container is held by a reference of our own while its members are looked
    // at. With the GIL nothing else runs, for no Python code is called and no reference is given up that is not held
    // elsewhere too; without it, the critical section keeps the members alive between being fetched and being held.
    // Entering a member's section may let go of this one, so nothing fetched before is used after: `PyDict_Next` and
    // the list's iterator check their position against the container as it is then, and a container changed meanwhile
    // gives a mismatch or a mixture of both states, never a dangling pointer.
    match steps.next() {
        Some(Step::Leaf(leaf)) => leaf.as_ptr() == value,
        Some(Step::Dict(length)) => {
            // SAFETY: see above.
            let dict = unsafe { Bound::from_borrowed_ptr(py, value) };
            dict.is_exact_instance_of::<PyDict>()
                && with_critical_section(&dict, || {
                    let (mut position, mut key, mut member) = (0, std::ptr::null_mut(), std::ptr::null_mut());
                    // SAFETY: see above; `dict` is a dict.
                    if unsafe { ffi::PyDict_Size(value) }.cast_unsigned() != *length {
                        return false;
                    }
                    // SAFETY: see above.
                    while unsafe { ffi::PyDict_Next(value, &raw mut position, &raw mut key, &raw mut member) } != 0 {
                        let same_key = matches!(steps.next(), Some(Step::Leaf(known)) if known.as_ptr() == key);
                        // SAFETY: the dict holds `member` until it is held by the callee.
                        if !same_key || !unsafe { same(py, member, steps) } {
                            return false;
                        }
                    }
                    true
                })
        }
        Some(Step::List(length)) => {
            // SAFETY: see above.
            let list = unsafe { Bound::from_borrowed_ptr(py, value) };
            let Ok(list) = list.cast::<PyList>() else { return false };
            // `iter` gives references of its own and stops where the list ends now.
            list.len() == *length
                && list.iter().all(|item| {
                    // SAFETY: `item` is a reference.
                    unsafe { same(py, item.as_ptr(), steps) }
                })
        }
        Some(Step::Tuple(length)) => {
            // SAFETY: see above.
            let tuple = unsafe { Bound::from_borrowed_ptr(py, value) };
            let Ok(tuple) = tuple.cast::<PyTuple>() else { return false };
            tuple.len() == *length
                && tuple.iter_borrowed().all(|item| {
                    // SAFETY: a tuple holds its items for good, and `tuple` holds the tuple.
                    unsafe { same(py, item.as_ptr(), steps) }
                })
        }
        None => false,
    }
}

struct Walker {
    digest: Digester,
    steps: Vec<Step>,
    values: usize,
    opaque: bool,
    owning: bool,
}

impl Walker {
    fn value(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Result<(), Fault> {
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(Fault::rule(format!("a message has at most {MAX_VALUES} values")));
        }
        if let Ok(text) = value.cast::<PyString>() {
            self.digest.text(View::of(text)?.text());
            self.leaf(value, text.is_exact_instance_of::<PyString>());
        } else if value.is_none() {
            self.digest.none();
            self.leaf(value, true);
        } else if let Ok(boolean) = value.cast::<PyBool>() {
            self.digest.bool(boolean.is_true());
            self.leaf(value, true);
        } else if let Ok(int) = value.cast::<PyInt>() {
            self.int(int)?;
            self.leaf(value, int.is_exact_instance_of::<PyInt>());
        } else if let Ok(float) = value.cast::<PyFloat>() {
            self.digest.float(float.value());
            self.leaf(value, float.is_exact_instance_of::<PyFloat>());
        } else if let Ok(bytes) = value.cast::<PyBytes>() {
            self.digest.bytes(bytes.as_bytes());
            self.leaf(value, bytes.is_exact_instance_of::<PyBytes>());
        } else if depth == MAX_DEPTH {
            return Err(Fault::rule(format!("values nest at most {MAX_DEPTH} deep, without cycles")));
        } else if let Ok(dict) = value.cast::<PyDict>() {
            self.dict(dict, depth)?;
        } else if let Ok(list) = value.cast::<PyList>() {
            let items: Vec<_> = list.iter().collect();
            self.digest.sequence(b'l', items.len());
            self.steps.push(Step::List(items.len()));
            self.items(&items, depth)?;
        } else if let Ok(tuple) = value.cast::<PyTuple>() {
            let items: Vec<_> = tuple.iter().collect();
            self.digest.sequence(b't', items.len());
            self.steps.push(Step::Tuple(items.len()));
            self.items(&items, depth)?;
        } else {
            self.object(value, depth)?;
        }
        Ok(())
    }

    fn leaf(&mut self, value: &Bound<'_, PyAny>, exact: bool) {
        self.owning |= !exact;
        self.steps.push(Step::Leaf(value.clone().unbind()));
    }

    fn int(&mut self, int: &Bound<'_, PyInt>) -> PyResult<()> {
        if let Ok(small) = int.extract::<i64>() {
            self.digest.int(small);
            return Ok(());
        }
        // SAFETY: `int` is a live int; a new reference to a str comes back, or null with an exception set.
        let hex = unsafe { Bound::from_owned_ptr_or_err(int.py(), ffi::PyNumber_ToBase(int.as_ptr(), 16)) }?;
        self.digest.big_int(hex.cast::<PyString>()?.to_str()?.as_bytes());
        Ok(())
    }

    /// Takes all entries before it looks at one, for a value further down may run code that changes the dict.
    fn dict(&mut self, dict: &Bound<'_, PyDict>, depth: usize) -> Result<(), Fault> {
        let entries: Vec<(Bound<'_, PyAny>, Bound<'_, PyAny>)> = if dict.is_exact_instance_of::<PyDict>() {
            dict.items().iter().map(|entry| entry.extract()).collect::<PyResult<_>>()?
        } else {
            // As `json` does: a subclass may keep an order or values of its own.
            self.opaque = true;
            let items = dict.call_method0("items")?;
            items.try_iter()?.map(|entry| entry?.extract()).collect::<PyResult<_>>()?
        };
        self.digest.mapping(entries.len());
        self.steps.push(Step::Dict(entries.len()));
        for (key, value) in &entries {
            self.value(key, depth + 1).map_err(|fault| fault.inside(key))?;
            self.value(value, depth + 1).map_err(|fault| fault.inside(key))?;
        }
        Ok(())
    }

    fn items(&mut self, items: &[Bound<'_, PyAny>], depth: usize) -> Result<(), Fault> {
        for (index, item) in items.iter().enumerate() {
            self.value(item, depth + 1).map_err(|fault| fault.at(format!("[{index}]")))?;
        }
        Ok(())
    }

    /// An instance of a Python class is the name of its type and its fields; pydantic keeps unknown fields beside them.
    fn object(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Result<(), Fault> {
        let kind = value.get_type();
        let name = kind.fully_qualified_name()?;
        if SAID_BY_REPR.contains(&name.to_str()?) {
            self.digest.sequence(b'r', 2);
            self.digest.text(View::of(&name)?.text());
            self.digest.text(View::of(&value.repr()?)?.text());
            self.leaf(value, false);
            return Ok(());
        }
        let fields = if is_python_class(&kind) { fields(value)? } else { None };
        let Some(fields) = fields else {
            return Err(Fault::unsupported(&kind));
        };
        self.opaque = true;
        let extra = if kind.hasattr("__pydantic_extra__")? { value.getattr_opt("__pydantic_extra__")? } else { None };
        self.digest.object(2 + usize::from(extra.is_some()));
        self.digest.text(View::of(&name)?.text());
        self.dict(&fields, depth)?;
        if let Some(extra) = extra {
            self.value(&extra, depth + 1)?;
        }
        Ok(())
    }
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

/// Why a message cannot be read, with the way to the value in reverse.
struct Fault {
    kind: FaultKind,
    path: Vec<String>,
}

enum FaultKind {
    Raised(PyErr),
    Unsupported(String),
    Rule(String),
}

impl Fault {
    #[cold]
    fn rule(rule: String) -> Self {
        Self { kind: FaultKind::Rule(rule), path: Vec::new() }
    }

    #[cold]
    fn unsupported(kind: &Bound<'_, PyType>) -> Self {
        let name = kind.fully_qualified_name().map_or_else(|_| "an object".into(), |name| name.to_string());
        Self { kind: FaultKind::Unsupported(name), path: Vec::new() }
    }

    #[cold]
    fn inside(self, key: &Bound<'_, PyAny>) -> Self {
        let segment = match key.cast::<PyString>() {
            Ok(name) => format!(".{name}"),
            Err(_) => format!("[{}]", key.repr().map_or_else(|_| "?".into(), |repr| repr.to_string())),
        };
        self.at(segment)
    }

    #[cold]
    fn at(mut self, segment: String) -> Self {
        self.path.push(segment);
        self
    }

    #[cold]
    fn into_error(self, py: Python<'_>, index: usize) -> PyErr {
        let inner: String = self.path.iter().rev().take(MAX_PATH).map(String::as_str).collect();
        let dots = if self.path.len() > MAX_PATH { "..." } else { "" };
        let path = format!("messages[{index}]{inner}{dots}");
        match self.kind {
            FaultKind::Raised(error) => error,
            FaultKind::Unsupported(name) => PyTypeError::new_err(format!(
                "{path} must be made of dict, list, tuple, str, numbers, bytes, None, or instances of classes with fields, \
                 not {name}"
            )),
            FaultKind::Rule(rule) => py
                .import("ullage.errors")
                .and_then(|errors| errors.getattr("InvalidHistory")?.call1((path, rule)))
                .map_or_else(|error| error, PyErr::from_value),
        }
    }
}

impl From<PyErr> for Fault {
    #[cold]
    fn from(error: PyErr) -> Self {
        Self { kind: FaultKind::Raised(error), path: Vec::new() }
    }
}
