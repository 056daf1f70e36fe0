//! `first_difference`: two values walked side by side, up to the first place where other bytes would be sent.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};

use crate::fault::Fault;
use crate::fields::{Entries, Entry, Object, Says, entries};
use crate::text::View;
use crate::value::{MAX_DEPTH, Value, hex};

/// How many values two requests may have; shared containers could otherwise unfold without end.
const MAX_VALUES: usize = 1 << 26;

/// Where two values differ first, in the order in which they are sent.
///
/// Dicts are compared in their order and values by their type, so that the values are the same exactly where the first of
/// their `digests` is: 1, 1.0 and True are three values, a list is not a tuple, and a NaN is itself. An object is its type
/// and its fields. What is the same object on both sides is not looked at.
///
/// Args:
///     previous, next: any values of dicts, lists, tuples, str, numbers, bytes, None and instances of classes with fields.
///
/// Returns:
///     None when they are the same. Else (path, offset): the keys and indices that lead to the first difference, and when
///     both have a str there, the index of the first character that differs. Where a list or dict has more members, the
///     path ends with the first of those; where only the order of a dict's keys differs, it ends with the dict.
///
/// Raises:
///     TypeError: when a value is none of these; its path is named.
///     InvalidHistory: when values nest deeper than 256, or one holds itself.
///
/// >>> from ullage._core import first_difference
/// >>> first_difference({"model": "m", "messages": ["It is noon."]}, {"model": "m", "messages": ["It is ten."]})
/// (('messages', 0), 6)
/// >>> first_difference({"a": 1, "b": 2}, {"b": 2, "a": 1})
/// ((), None)
#[pyfunction]
#[pyo3(signature = (previous, next, /))]
pub(crate) fn first_difference<'py>(
    previous: &Bound<'py, PyAny>,
    next: &Bound<'py, PyAny>,
) -> PyResult<Option<(Bound<'py, PyTuple>, Option<usize>)>> {
    match (Comparison { values: 0 }).values(previous, next, 0) {
        Ok(()) => Ok(None),
        Err(stop) => match *stop.0 {
            Why::Different { mut path, offset } => {
                path.reverse();
                Ok(Some((PyTuple::new(previous.py(), path)?, offset)))
            }
            Why::Fault(fault) => Err(fault.into_error(previous.py(), "")),
        },
    }
}

/// Whether two values are the same.
pub(crate) fn is_same(a: &Bound<'_, PyAny>, b: &Bound<'_, PyAny>) -> PyResult<bool> {
    (Comparison { values: 0 }).is_same(a, b, 0).map_err(|stop| match *stop.0 {
        Why::Fault(fault) => fault.into_error(a.py(), ""),
        Why::Different { .. } => unreachable!("a difference is an answer"),
    })
}

/// Why the walk ends before both values do. It is in a box so that going on is cheap.
struct Stop<'py>(Box<Why<'py>>);

enum Why<'py> {
    /// The way to the first difference in reverse, and where two texts part.
    Different {
        path: Vec<Bound<'py, PyAny>>,
        offset: Option<usize>,
    },
    Fault(Fault),
}

impl<'py> Stop<'py> {
    #[cold]
    fn different(offset: Option<usize>) -> Self {
        Self(Box::new(Why::Different { path: Vec::new(), offset }))
    }

    #[cold]
    fn inside(self, key: &Bound<'py, PyAny>) -> Self {
        Self(Box::new(match *self.0 {
            Why::Different { mut path, offset } => {
                path.push(key.clone());
                Why::Different { path, offset }
            }
            Why::Fault(fault) => Why::Fault(fault.inside(key)),
        }))
    }

    #[cold]
    fn at(self, py: Python<'py>, index: usize) -> Self {
        Self(Box::new(match *self.0 {
            Why::Different { mut path, offset } => {
                let Ok(index) = index.into_pyobject(py);
                path.push(index.into_any());
                Why::Different { path, offset }
            }
            Why::Fault(fault) => Why::Fault(fault.at(format!("[{index}]"))),
        }))
    }
}

impl From<Fault> for Stop<'_> {
    #[cold]
    fn from(fault: Fault) -> Self {
        Self(Box::new(Why::Fault(fault)))
    }
}

impl From<PyErr> for Stop<'_> {
    #[cold]
    fn from(error: PyErr) -> Self {
        Fault::from(error).into()
    }
}

/// Same so far, or why not.
type Same<'py> = Result<(), Stop<'py>>;

struct Comparison {
    values: usize,
}

impl Comparison {
    fn values<'py>(&mut self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, depth: usize) -> Same<'py> {
        if a.is(b) {
            return Ok(());
        }
        self.values += 1;
        if self.values > MAX_VALUES {
            return Err(Fault::rule(format!("two requests are compared up to {MAX_VALUES} values")).into());
        }
        // Nearly all values are texts.
        if let (Ok(a), Ok(b)) = (a.cast::<PyString>(), b.cast::<PyString>()) {
            return texts(a, b);
        }
        match (Value::of(a), Value::of(b)) {
            (Value::None, Value::None) => Ok(()),
            (Value::Bool(a), Value::Bool(b)) => same(a == b),
            (Value::Int(a), Value::Int(b)) => same(match (a.extract::<i64>(), b.extract::<i64>()) {
                (Ok(a), Ok(b)) => a == b,
                (Err(_), Err(_)) => hex(a)?.to_str()? == hex(b)?.to_str()?,
                _ => false,
            }),
            (Value::Float(a), Value::Float(b)) => same(a.value().to_bits() == b.value().to_bits()),
            (Value::Bytes(a), Value::Bytes(b)) => same(a.as_bytes() == b.as_bytes()),
            (Value::Dict(a), Value::Dict(b)) => self.dicts(a, b, deeper(depth)?),
            (Value::List(a), Value::List(b)) => self.items(a.py(), a.iter(), b.iter(), deeper(depth)?),
            (Value::Tuple(a), Value::Tuple(b)) => self.items(a.py(), a.iter(), b.iter(), deeper(depth)?),
            (Value::Object, Value::Object) => self.objects(a, b, deeper(depth)?),
            _ => same(false),
        }
    }

    fn dicts<'py>(&mut self, a: &Bound<'py, PyDict>, b: &Bound<'py, PyDict>, depth: usize) -> Same<'py> {
        if a.is_exact_instance_of::<PyDict>() && b.is_exact_instance_of::<PyDict>() {
            return self.entries(Entries::of(a), Entries::of(b), depth);
        }
        self.entries(entries(a)?.into_iter(), entries(b)?.into_iter(), depth)
    }

    fn entries<'py>(
        &mut self,
        a: impl Iterator<Item = Entry<'py>> + Clone,
        b: impl Iterator<Item = Entry<'py>> + Clone,
        depth: usize,
    ) -> Same<'py> {
        let (mut left, mut right) = (a.clone(), b.clone());
        loop {
            match (left.next(), right.next()) {
                (None, None) => return Ok(()),
                (Some((key, value)), Some((other_key, other))) if self.is_same(&key, &other_key, depth)? => {
                    self.values(&value, &other, depth).map_err(|stop| stop.inside(&key))?;
                }
                (gone, new) => {
                    // A key that only one side has; or else the same keys in another order.
                    let (mut keys, mut others) = (a.map(|(key, _)| key), b.map(|(key, _)| key));
                    if let Some((key, _)) = gone
                        && !self.is_among(&key, &mut others, depth)?
                    {
                        return same(false).map_err(|stop| stop.inside(&key));
                    }
                    if let Some((key, _)) = new
                        && !self.is_among(&key, &mut keys, depth)?
                    {
                        return same(false).map_err(|stop| stop.inside(&key));
                    }
                    return same(false);
                }
            }
        }
    }

    fn is_among<'py>(
        &mut self,
        key: &Bound<'py, PyAny>,
        keys: &mut impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> Result<bool, Stop<'py>> {
        for other in keys {
            if self.is_same(key, &other, depth)? {
                return Ok(true);
            }
        }
        Ok(false)
    }

    fn is_same<'py>(&mut self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, depth: usize) -> Result<bool, Stop<'py>> {
        match self.values(a, b, depth) {
            Ok(()) => Ok(true),
            Err(stop) if matches!(*stop.0, Why::Different { .. }) => Ok(false),
            Err(fault) => Err(fault),
        }
    }

    fn items<'py>(
        &mut self,
        py: Python<'py>,
        mut a: impl Iterator<Item = Bound<'py, PyAny>>,
        mut b: impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> Same<'py> {
        let mut index = 0;
        loop {
            match (a.next(), b.next()) {
                (None, None) => return Ok(()),
                (Some(a), Some(b)) => self.values(&a, &b, depth).map_err(|stop| stop.at(py, index))?,
                _ => return same(false).map_err(|stop| stop.at(py, index)),
            }
            index += 1;
        }
    }

    fn objects<'py>(&mut self, a: &Bound<'py, PyAny>, b: &Bound<'py, PyAny>, depth: usize) -> Same<'py> {
        let (a, b) = (Object::of(a)?, Object::of(b)?);
        if a.name.to_str()? != b.name.to_str()? {
            return same(false);
        }
        match (a.says, b.says) {
            (Says::Repr(a), Says::Repr(b)) => same(a.to_str()? == b.to_str()?),
            (Says::Fields(a, extra_a), Says::Fields(b, extra_b)) => {
                self.dicts(&a, &b, depth)?;
                match (extra_a, extra_b) {
                    (None, None) => Ok(()),
                    (Some(a), Some(b)) => self.values(&a, &b, depth),
                    _ => same(false),
                }
            }
            _ => same(false),
        }
    }
}

fn same<'py>(same: bool) -> Same<'py> {
    if same { Ok(()) } else { Err(Stop::different(None)) }
}

fn texts<'py>(a: &Bound<'py, PyString>, b: &Bound<'py, PyString>) -> Same<'py> {
    match View::of(a)?.text().first_difference(View::of(b)?.text()) {
        None => Ok(()),
        offset => Err(Stop::different(offset)),
    }
}

fn deeper<'py>(depth: usize) -> Result<usize, Stop<'py>> {
    if depth == MAX_DEPTH {
        return Err(Fault::rule(format!("values nest at most {MAX_DEPTH} deep, without cycles")).into());
    }
    Ok(depth + 1)
}
