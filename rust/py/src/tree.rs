//! A value as a walk has recorded it, and its digests by what does not matter: cache markers, or form as well.

use std::slice::Iter;

use pyo3::prelude::*;
use pyo3::types::PyString;
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
pub(crate) enum Layer {
    /// All that is sent but the cache markers.
    Content,
    /// The content without white space, with the keys of dicts in one order.
    Canonical,
}

/// A recorded value.
pub(crate) enum Tree<'a> {
    Dict(Vec<(Tree<'a>, Tree<'a>)>),
    Sequence(u8, Vec<Tree<'a>>),
    Object(&'a Py<PyString>, Vec<Tree<'a>>),
    Leaf(&'a Py<PyAny>),
}

/// Whether a text may belong to a cache marker.
pub(crate) fn may_mark(text: &Bound<'_, PyString>) -> bool {
    let length = text.len().unwrap_or(0);
    matches!(length, 10..=13 | 23) && text.to_str().is_ok_and(|text| MARKERS.contains(&text) || text == MARKER_KIND)
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

    /// The digest of what counts in a layer.
    pub(crate) fn digest(&self, py: Python<'_>, layer: Layer) -> Result<u128, Fault> {
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
                        kept.iter().map(|(key, _)| key.digest(py, Layer::Content)).collect::<Result<Vec<_>, _>>()?;
                    let mut order: Vec<_> = digests.into_iter().zip(kept).collect();
                    order.sort_by_key(|(digest, _)| *digest);
                    kept = order.into_iter().map(|(_, entry)| entry).collect();
                }
                digester.mapping(kept.len());
                for (key, value) in kept {
                    key.write(py, Layer::Content, digester)?;
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
