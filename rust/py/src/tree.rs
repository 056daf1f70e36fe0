//! A value as a walk has recorded it: made again, and its digest by what it says whatever its form.

use std::slice::Iter;

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use ullage_core::Digester;

use crate::fault::Fault;
use crate::fields::{Object, Says};
use crate::text::View;
use crate::value::Value;
use crate::walk::Step;

/// Keys under which cache markers are set.
const MARKERS: [&str; 5] = ["cache_control", "prompt_cache_breakpoint", "cachePoint", "cache_point", "cacheControl"];
/// What pydantic-ai's marker says of itself.
const MARKER_KIND: &str = "cache-point";

/// What counts in a digest.
#[derive(Clone, Copy, PartialEq)]
enum Layer {
    /// All: that is for keys.
    Sent,
    Canonical,
}

/// A recorded value.
pub(crate) enum Tree<'a> {
    Dict(Vec<(Tree<'a>, Tree<'a>)>),
    Sequence(u8, Vec<Tree<'a>>),
    Object(&'a Py<PyString>, Vec<Tree<'a>>),
    Leaf(&'a Py<PyAny>),
}

impl<'a> Tree<'a> {
    /// The value whose steps these are.
    pub(crate) fn of(steps: &'a [Step]) -> Self {
        Self::read(&mut steps.iter())
    }

    fn read(steps: &mut Iter<'a, Step>) -> Self {
        match steps.next().expect("a walk has a step for every value") {
            Step::Dict(length) => Self::Dict((0..*length).map(|_| (Self::read(steps), Self::read(steps))).collect()),
            Step::List(length) => Self::Sequence(b'l', Self::many(steps, *length)),
            Step::Tuple(length) => Self::Sequence(b't', Self::many(steps, *length)),
            Step::Object(name, values) => Self::Object(name, Self::many(steps, *values)),
            Step::Leaf(leaf) => Self::Leaf(leaf),
        }
    }

    fn many(steps: &mut Iter<'a, Step>, count: usize) -> Vec<Self> {
        (0..count).map(|_| Self::read(steps)).collect()
    }

    /// The value of containers made anew; an object becomes a dict of its fields.
    pub(crate) fn value<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Dict(_) => {
                let dict = PyDict::new(py);
                self.fill(&dict)?;
                Ok(dict.into_any())
            }
            Self::Sequence(tag, items) => {
                let items = items.iter().map(|item| item.value(py)).collect::<PyResult<Vec<_>>>()?;
                if *tag == b't' {
                    Ok(PyTuple::new(py, items)?.into_any())
                } else {
                    Ok(PyList::new(py, items)?.into_any())
                }
            }
            Self::Object(_, values) => {
                let dict = PyDict::new(py);
                values.iter().try_for_each(|fields| fields.fill(&dict))?;
                Ok(dict.into_any())
            }
            Self::Leaf(leaf) => Ok(leaf.bind(py).clone()),
        }
    }

    fn fill(&self, dict: &Bound<'_, PyDict>) -> PyResult<()> {
        if let Self::Dict(entries) = self {
            for (key, value) in entries {
                dict.set_item(key.value(dict.py())?, value.value(dict.py())?)?;
            }
        }
        Ok(())
    }

    /// The digest of all but cache markers, white space and the order of keys.
    pub(crate) fn canonical(&self, py: Python<'_>) -> Result<u128, Fault> {
        self.digest(py, Layer::Canonical)
    }

    fn digest(&self, py: Python<'_>, layer: Layer) -> Result<u128, Fault> {
        let mut digester = Digester::new();
        self.write(py, layer, &mut digester)?;
        Ok(digester.finish())
    }

    fn write(&self, py: Python<'_>, layer: Layer, digester: &mut Digester) -> Result<(), Fault> {
        match self {
            Self::Dict(entries) => {
                let mut kept: Vec<_> = entries.iter().filter(|(key, value)| !sets_marker(py, key, value)).collect();
                if layer == Layer::Canonical {
                    let digests =
                        kept.iter().map(|(key, _)| key.digest(py, Layer::Sent)).collect::<Result<Vec<_>, _>>()?;
                    let mut order: Vec<_> = digests.into_iter().zip(kept).collect();
                    order.sort_by_key(|(digest, _)| *digest);
                    kept = order.into_iter().map(|(_, entry)| entry).collect();
                }
                digester.mapping(kept.len());
                for (key, value) in kept {
                    key.write(py, Layer::Sent, digester)?;
                    value.write(py, layer, digester)?;
                }
            }
            Self::Sequence(tag, items) => {
                let kept: Vec<_> = items.iter().filter(|item| !item.is_marker(py)).collect();
                digester.sequence(*tag, kept.len());
                for item in kept {
                    item.write(py, layer, digester)?;
                }
            }
            Self::Object(name, values) => {
                digester.object(1 + values.len());
                digester.text(View::of(name.bind(py))?.text());
                for value in values {
                    value.write(py, layer, digester)?;
                }
            }
            Self::Leaf(leaf) => leaf_of(leaf.bind(py), layer, digester)?,
        }
        Ok(())
    }

    /// Whether an item of a list is a marker by itself.
    fn is_marker(&self, py: Python<'_>) -> bool {
        match self {
            Self::Dict(entries) => {
                !entries.is_empty() && entries.iter().all(|(key, value)| sets_marker(py, key, value))
                    || entries.iter().any(|(key, value)| key.is_text(py, "kind") && value.is_text(py, MARKER_KIND))
            }
            Self::Object(_, values) => values.first().is_some_and(|fields| fields.is_marker(py)),
            Self::Sequence(..) | Self::Leaf(_) => false,
        }
    }

    fn is_text(&self, py: Python<'_>, text: &str) -> bool {
        self.as_text(py)
            .is_some_and(|own| own.len().ok() == Some(text.len()) && own.to_str().is_ok_and(|own| own == text))
    }

    fn as_text<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyString>> {
        match self {
            Self::Leaf(leaf) => leaf.bind(py).cast().ok(),
            _ => None,
        }
    }
}

/// Whether an entry sets a cache marker: its value is settings, or nothing, and never a text.
fn sets_marker(py: Python<'_>, key: &Tree<'_>, value: &Tree<'_>) -> bool {
    MARKERS.iter().any(|marker| key.is_text(py, marker))
        && match value {
            Tree::Dict(_) | Tree::Object(..) => true,
            Tree::Leaf(leaf) => leaf.bind(py).is_none(),
            Tree::Sequence(..) => false,
        }
}

fn leaf_of(leaf: &Bound<'_, PyAny>, layer: Layer, digester: &mut Digester) -> Result<(), Fault> {
    match Value::of(leaf) {
        Value::Text(text) if layer == Layer::Canonical => digester.unspaced(View::of(text)?.text()),
        kind if kind.digest_leaf(digester)? => {}
        _ => {
            let object = Object::of(leaf)?;
            if let Says::Repr(written) = object.says {
                written_object(&object.name, &written, digester)?;
            }
        }
    }
    Ok(())
}

/// An object that never changes, by its type and what `repr` says.
pub(crate) fn written_object(
    name: &Bound<'_, PyString>,
    written: &Bound<'_, PyString>,
    digester: &mut Digester,
) -> PyResult<()> {
    digester.sequence(b'r', 2);
    digester.text(View::of(name)?.text());
    digester.text(View::of(written)?.text());
    Ok(())
}
