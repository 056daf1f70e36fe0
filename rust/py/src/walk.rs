//! One pass over a message: its digest, and the steps by which the same message is known again without reading it.
//!
//! Identity means equality here: the steps hold a reference to every leaf (a text, a number, ...), and leaves never
//! change, so a message whose containers have the same shape and whose leaves are the very same objects has not changed.

use std::fmt::Display;
use std::slice::Iter;

use pyo3::ffi;
use pyo3::prelude::*;
use pyo3::sync::critical_section::with_critical_section;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use ullage_core::Digester;

use crate::difference::is_same;
use crate::fault::Fault;
use crate::fields::{Object, Says, entries};
use crate::text::View;
use crate::tree::{Tree, written_object};
use crate::value::{MAX_DEPTH, Value};

/// How many values one message may have; shared containers could otherwise unfold without end.
const MAX_VALUES: usize = 1 << 24;

/// What the walk met, in order: containers with their lengths, and keys and leaves by identity.
pub(crate) enum Step {
    Dict(usize),
    List(usize),
    Tuple(usize),
    /// The name of a type; its fields follow as so many values.
    Object(Py<PyString>, usize),
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
    /// Reads a message. `path` is its place, for errors.
    pub(crate) fn of(message: &Bound<'_, PyAny>, path: impl Display) -> PyResult<Self> {
        let mut walker =
            Walker { digest: Digester::new(), steps: Vec::with_capacity(8), values: 0, opaque: false, owning: false };
        walker.value(message, 0).map_err(|fault| fault.into_error(message.py(), path))?;
        Ok(Self {
            digest: walker.digest.finish(),
            steps: walker.steps.into(),
            opaque: walker.opaque,
            owning: walker.owning,
        })
    }

    /// The digest of all but cache markers, white space and the order of keys.
    pub(crate) fn canonical(&self, py: Python<'_>) -> PyResult<u128> {
        Tree::of(&self.steps).canonical(py).map_err(|fault| fault.into_error(py, ""))
    }

    /// The message as it was, of containers made anew; an object has become a dict of its fields.
    pub(crate) fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Tree::of(&self.steps).value(py)
    }

    /// Whether two messages of one digest are the same.
    pub(crate) fn is_equal(&self, other: &Self, py: Python<'_>) -> PyResult<bool> {
        if self.steps.len() != other.steps.len() {
            return Ok(false);
        }
        for steps in self.steps.iter().zip(&other.steps) {
            let same = match steps {
                (Step::Dict(a), Step::Dict(b)) | (Step::List(a), Step::List(b)) | (Step::Tuple(a), Step::Tuple(b)) => {
                    a == b
                }
                (Step::Object(a, values), Step::Object(b, others)) => {
                    values == others && is_same(a.bind(py), b.bind(py))?
                }
                (Step::Leaf(a), Step::Leaf(b)) => is_same(a.bind(py), b.bind(py))?,
                _ => false,
            };
            if !same {
                return Ok(false);
            }
        }
        Ok(true)
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
        // An object answers by code of its own, so it is not asked.
        Some(Step::Object(..)) | None => false,
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
        let kind = Value::of(value);
        if kind.digest_leaf(&mut self.digest)? {
            self.leaf(value, kind.is_exact_leaf());
            return Ok(());
        }
        if depth == MAX_DEPTH {
            return Err(Fault::rule(format!("values nest at most {MAX_DEPTH} deep, without cycles")));
        }
        match kind {
            Value::Dict(dict) => self.dict(dict, depth),
            Value::List(list) => {
                let items: Vec<_> = list.iter().collect();
                self.digest.sequence(b'l', items.len());
                self.steps.push(Step::List(items.len()));
                self.items(&items, depth)
            }
            Value::Tuple(tuple) => {
                let items: Vec<_> = tuple.iter().collect();
                self.digest.sequence(b't', items.len());
                self.steps.push(Step::Tuple(items.len()));
                self.items(&items, depth)
            }
            _ => self.object(value, depth),
        }
    }

    fn leaf(&mut self, value: &Bound<'_, PyAny>, exact: bool) {
        self.owning |= !exact;
        self.steps.push(Step::Leaf(value.clone().unbind()));
    }

    fn dict(&mut self, dict: &Bound<'_, PyDict>, depth: usize) -> Result<(), Fault> {
        self.opaque |= !dict.is_exact_instance_of::<PyDict>();
        let entries = entries(dict)?;
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

    fn object(&mut self, value: &Bound<'_, PyAny>, depth: usize) -> Result<(), Fault> {
        let object = Object::of(value)?;
        match object.says {
            Says::Repr(written) => {
                written_object(&object.name, &written, &mut self.digest)?;
                self.leaf(value, false);
            }
            Says::Fields(fields, extra) => {
                self.opaque = true;
                self.digest.object(2 + usize::from(extra.is_some()));
                self.digest.text(View::of(&object.name)?.text());
                self.steps.push(Step::Object(object.name.unbind(), 1 + usize::from(extra.is_some())));
                self.dict(&fields, depth)?;
                if let Some(extra) = extra {
                    self.value(&extra, depth + 1)?;
                }
            }
        }
        Ok(())
    }
}
