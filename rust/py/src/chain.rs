//! `Chain`: the requests of a session, what is known of each message, and how a next request goes on from them.
//!
//! Reading a message runs Python code (the caller's reader, and perhaps the message's own), so the lock is never held
//! meanwhile: each request is followed without it, checked against what others did, and put in place in one go.

use std::collections::{HashMap, HashSet};
use std::fmt::{Display, Formatter};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::{PyIndexError, PyRuntimeError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyList, PyString, PyTuple};
use ullage_core::{Block, Line, Place, ROOT, Requests, link};

use crate::walk::Walk;

/// How many units behind the first change are given back as they were.
const SHOWN: usize = 256;

/// The requests of a session as one tree, and the latest of them by its blocks.
///
/// A request is a list of units (all that stands before the messages, then each message), and a unit is one or more
/// blocks. What was sent before is known again by the identity of its leaves, by a digest where that fails, and by the
/// identities of its blocks where only cache markers moved.
#[pyclass(frozen, module = "ullage._core")]
pub(crate) struct Chain {
    state: Mutex<State>,
}

struct State {
    /// A unit is the index of what was read of it.
    tree: Requests<usize>,
    reads: Vec<Read>,
    by_digest: HashMap<u128, usize>,
    line: Line,
    /// The markers of the latest request: block, and life in seconds.
    markers: Vec<(usize, u64)>,
    /// Counts the requests, so that one prepared beside another is noticed.
    version: u64,
}

/// What is known of a unit.
struct Read {
    walk: Arc<Walk>,
    blocks: Box<[Block]>,
    /// By the place of the block in the unit.
    markers: Box<[(usize, u64)]>,
    /// Where it was seen last.
    home: Place,
}

/// How the request goes on from earlier ones: kind; units, blocks and tokens kept; all tokens; when what is kept was last
/// sent; tokens of the request that it is compared with, and the units of that behind those that are kept.
type Followed<'py> = (Bound<'py, PyString>, usize, usize, u64, u64, Option<f64>, u64, Option<Bound<'py, PyList>>);

#[pymethods]
impl Chain {
    #[new]
    fn new() -> Self {
        Self { state: Mutex::new(State::new()) }
    }

    /// Take in a whole request. Every unit is checked; only those that are new are read.
    ///
    /// Args:
    ///     head: all that stands before the messages, as one value: the first unit.
    ///     messages: the other units.
    ///     read: called with the index of a unit; gives a list of its blocks, each as (what identifies it, tokens, life of
    ///         its cache marker in seconds or None).
    ///     at: when it is sent, in seconds.
    ///
    /// Returns:
    ///     (kind, units kept, blocks kept, tokens kept, all tokens, when what is kept was last sent, tokens of the request
    ///     that it is compared with, the units of that from the first that is not kept, at most 256). The kind is "same"
    ///     where all was sent before, "append" where an earlier request is kept whole and goes on in another way, and else
    ///     "edit"; only then are there units.
    ///
    /// Raises:
    ///     TypeError, InvalidHistory: as `digests`; nothing is taken in.
    ///     RuntimeError: when something else changed the chain meanwhile.
    #[pyo3(signature = (head, messages, read, at, /))]
    fn follow<'py>(
        &self,
        head: &Bound<'py, PyAny>,
        messages: &Bound<'py, PyAny>,
        read: &Bound<'py, PyAny>,
        at: f64,
    ) -> PyResult<Followed<'py>> {
        // A list of our own: the caller's may change while units are read.
        let mut units = vec![head.clone()];
        if let Ok(list) = messages.cast::<PyList>() {
            units.extend(list.iter());
        } else {
            for message in messages.try_iter()? {
                units.push(message?);
            }
        }
        Plan::new(self, read, &units, false).followed(at)
    }

    /// Take in the request before this one with more units at its end; what was there is trusted.
    ///
    /// Args:
    ///     messages: what is new.
    ///     read: as in `follow`; indices go on from the units that are there.
    ///     at: when it is sent, in seconds.
    ///
    /// Returns:
    ///     As `follow`.
    #[pyo3(signature = (messages, read, at, /))]
    fn append<'py>(
        &self,
        messages: &Bound<'py, PyTuple>,
        read: &Bound<'py, PyAny>,
        at: f64,
    ) -> PyResult<Followed<'py>> {
        let units: Vec<_> = messages.iter().collect();
        Plan::new(self, read, &units, true).followed(at)
    }

    /// What stands for all blocks of the latest request up to this one.
    #[pyo3(signature = (block, /))]
    fn key(&self, py: Python<'_>, block: usize) -> PyResult<u128> {
        let state = self.lock(py);
        state.line.keys.get(block).copied().ok_or_else(|| state.no_block(block))
    }

    /// Tokens of all blocks of the latest request up to this one.
    #[pyo3(signature = (block, /))]
    fn tokens(&self, py: Python<'_>, block: usize) -> PyResult<u64> {
        let state = self.lock(py);
        state.line.sums.get(block).copied().ok_or_else(|| state.no_block(block))
    }

    /// The cache markers of the latest request, as (block, life in seconds); at most the last 32.
    #[getter]
    fn markers(&self, py: Python<'_>) -> Vec<(usize, u64)> {
        let state = self.lock(py);
        state.markers[state.markers.len().saturating_sub(32)..].to_vec()
    }

    /// How many units the latest request has.
    #[getter]
    fn units(&self, py: Python<'_>) -> usize {
        self.lock(py).line.places.len()
    }

    /// How many blocks the first so many units of the latest request have.
    #[pyo3(signature = (units, /))]
    fn blocks(&self, py: Python<'_>, units: usize) -> usize {
        let state = self.lock(py);
        state.line.blocks(units.min(state.line.places.len()))
    }

    /// How many blocks the latest request has.
    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).line.keys.len()
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Objects that are not visited are taken to be in use, so a lock that is held only puts the collection off.
        let Ok(state) = self.state.try_lock() else { return Ok(()) };
        state.reads.iter().flat_map(|read| read.walk.owning_leaves()).try_for_each(|leaf| visit.call(leaf))
    }

    fn __clear__(&self) {
        // Nothing refers to this object any more, so nobody holds the lock. What was there goes after it is given back.
        let state = self.state.try_lock().map(|mut state| std::mem::replace(&mut *state, State::new()));
        drop(state);
    }
}

impl Chain {
    /// No Python code may run while the guard lives: it could ask for the lock again.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn new() -> Self {
        Self {
            tree: Requests::new(usize::MAX),
            reads: Vec::new(),
            by_digest: HashMap::new(),
            line: Line::default(),
            markers: Vec::new(),
            version: 0,
        }
    }

    #[cold]
    fn no_block(&self, block: usize) -> PyErr {
        PyIndexError::new_err(format!("there is no block {block} in a request of {}", self.line.keys.len()))
    }

    fn read(&self, place: Place) -> &Read {
        &self.reads[self.tree.unit(place)]
    }

    /// The index of what was read of a unit.
    fn keep(&mut self, source: Source, gone: &mut Vec<Arc<Walk>>) -> usize {
        match source {
            Source::Known(read) => read,
            Source::Fresh(fresh) => {
                let index = self.reads.len();
                self.by_digest.insert(fresh.walk.digest, index);
                self.reads.push(fresh);
                index
            }
            Source::Again(read, walk) => {
                gone.push(std::mem::replace(&mut self.reads[read].walk, Arc::new(walk)));
                read
            }
        }
    }

    /// Lets go of old requests when there are many; gives back what was read of them.
    fn thin(&mut self) -> Vec<Read> {
        if !self.tree.is_full() {
            return Vec::new();
        }
        let reads = &self.reads;
        let (tree, now) = self.tree.thinned(|unit| &reads[unit].blocks);
        self.tree = tree;
        for place in &mut self.line.places {
            // The latest request is always kept.
            *place = now[*place].unwrap_or(ROOT);
        }
        let mut homes = vec![None; self.reads.len()];
        for place in 1..self.tree.len() {
            homes[self.tree.unit(place)].get_or_insert(place);
        }
        let mut gone = Vec::new();
        let mut kept = Vec::new();
        let mut moved = vec![usize::MAX; homes.len()];
        self.by_digest.clear();
        for (index, mut read) in std::mem::take(&mut self.reads).into_iter().enumerate() {
            if let Some(home) = homes[index] {
                read.home = home;
                moved[index] = kept.len();
                self.by_digest.insert(read.walk.digest, kept.len());
                kept.push(read);
            } else {
                gone.push(read);
            }
        }
        self.reads = kept;
        for place in 1..self.tree.len() {
            self.tree.replace(place, moved[self.tree.unit(place)]);
        }
        gone
    }
}

/// Where what is known of a unit comes from.
enum Source {
    /// It was read before, and is the very same.
    Known(usize),
    /// It was read before, and is equal; the walk knows the objects of now.
    Again(usize, Walk),
    Fresh(Read),
}

/// A unit's place, written out only for an error.
struct Path(usize);

impl Display for Path {
    fn fmt(&self, out: &mut Formatter<'_>) -> std::fmt::Result {
        match self.0.checked_sub(1) {
            Some(message) => write!(out, "messages[{message}]"),
            None => out.write_str("request"),
        }
    }
}

/// A request on its way through the tree.
struct Plan<'a, 'py> {
    chain: &'a Chain,
    py: Python<'py>,
    read: &'a Bound<'py, PyAny>,
    units: &'a [Bound<'py, PyAny>],
    version: u64,
    /// Where the given units start, and how many are there before them.
    start: Place,
    before: usize,
    /// The places of the units that are known, one after the other.
    known: Vec<Place>,
    /// What is known of some of these from now on, by their index in `known`.
    changed: Vec<(usize, Source)>,
    /// The units after them.
    new: Vec<Source>,
}

impl<'a, 'py> Plan<'a, 'py> {
    fn new(chain: &'a Chain, read: &'a Bound<'py, PyAny>, units: &'a [Bound<'py, PyAny>], goes_on: bool) -> Self {
        let py = read.py();
        let state = chain.lock(py);
        let (start, before) = match state.line.places.last() {
            Some(last) if goes_on => (*last, state.line.places.len()),
            _ => (ROOT, 0),
        };
        let version = state.version;
        drop(state);
        Self { chain, py, read, units, version, start, before, known: Vec::new(), changed: Vec::new(), new: Vec::new() }
    }

    fn state(&self) -> PyResult<MutexGuard<'a, State>> {
        let state = self.chain.lock(self.py);
        if state.version == self.version {
            return Ok(state);
        }
        drop(state);
        Err(PyRuntimeError::new_err(
            "the session was changed while a request was followed; let one thread at a time change it",
        ))
    }

    fn tip(&self) -> Place {
        self.known.last().copied().unwrap_or(self.start)
    }

    fn followed(mut self, at: f64) -> PyResult<Followed<'py>> {
        self.walk_through()?;
        let (kind, blocks, used, tokens, shown) = self.compared()?;
        let shown = shown.map(|walks| self.rebuilt(walks)).transpose()?;
        let kept = self.before + self.known.len();
        let py = self.py;
        let (tokens_kept, total) = self.put_in_place(at, blocks)?;
        Ok((PyString::intern(py, kind), kept, blocks, tokens_kept, total, used, tokens, shown))
    }

    /// Goes from place to place as long as there are places for the units, and beside the latest way after that.
    fn walk_through(&mut self) -> PyResult<()> {
        let mut expected = self.state()?.tree.latest(self.start);
        while self.known.len() + self.new.len() < self.units.len() {
            expected = self.same_as_expected(expected)?;
            let index = self.known.len() + self.new.len();
            let Some(unit) = self.units.get(index) else { break };
            let walk = Walk::of(unit, self.path(index))?;
            let found = {
                let state = self.state()?;
                let found = state.by_digest.get(&walk.digest).copied();
                found.map(|read| (read, state.reads[read].walk.clone(), state.reads[read].home))
            };
            let source = match found {
                Some((read, old, home)) if old.is_equal(&walk, self.py)? => {
                    expected = if self.new.is_empty() { expected } else { Some(home) };
                    Source::Again(read, walk)
                }
                _ => Source::Fresh(self.fresh(index, walk)?),
            };
            let state = self.state()?;
            expected = self.take(&state, source, expected);
        }
        Ok(())
    }

    /// Takes all units that are the very ones that are expected, under one lock.
    fn same_as_expected(&mut self, mut expected: Option<Place>) -> PyResult<Option<Place>> {
        let state = self.state()?;
        while let Some(place) = expected
            && let Some(unit) = self.units.get(self.known.len() + self.new.len())
            && state.read(place).walk.is_unchanged(unit)
        {
            expected = self.take(&state, Source::Known(state.tree.unit(place)), expected);
        }
        Ok(expected)
    }

    /// Takes the next unit, and says which place is expected after it.
    fn take(&mut self, state: &State, source: Source, expected: Option<Place>) -> Option<Place> {
        if self.new.is_empty() {
            let read = source.known();
            let place = match expected {
                Some(place) if read == Some(state.tree.unit(place)) => Some(place),
                _ => state.tree.child(self.tip(), source.blocks(state)),
            };
            if let Some(place) = place {
                if !matches!(source, Source::Known(read) if read == state.tree.unit(place)) {
                    self.changed.push((self.known.len(), source));
                }
                self.known.push(place);
                return state.tree.latest(place);
            }
        }
        self.new.push(source);
        expected.and_then(|place| state.tree.latest(place))
    }

    /// Has a unit read.
    fn fresh(&self, index: usize, walk: Walk) -> PyResult<Read> {
        let (mut blocks, mut markers) = (Vec::new(), Vec::new());
        for block in self.read.call1((self.before + index,))?.cast::<PyList>()?.iter() {
            let (identity, tokens, marker): (Bound<'_, PyAny>, u64, Option<u64>) = block.extract()?;
            markers.extend(marker.map(|seconds| (blocks.len(), seconds)));
            blocks.push(Block { digest: Walk::of(&identity, self.path(index))?.digest, tokens });
        }
        Ok(Read { walk: Arc::new(walk), blocks: blocks.into(), markers: markers.into(), home: ROOT })
    }

    fn path(&self, index: usize) -> Path {
        Path(self.before + index)
    }

    /// How the request is related to earlier ones, before it is one of them: kind, blocks kept, when they were last sent,
    /// tokens of the request that it is compared with, and of that the units behind those that are kept.
    #[allow(clippy::type_complexity, reason = "it is taken apart at once")]
    fn compared(&self) -> PyResult<(&'static str, usize, Option<f64>, u64, Option<Vec<(usize, Arc<Walk>)>>)> {
        let state = self.state()?;
        let tree = &state.tree;
        let tip = self.tip();
        let mut place = tip;
        let kept = tree.blocks(tip);
        let mut inside = 0;
        if let Some(next) = self.new.first() {
            let blocks = next.blocks(&state);
            inside = tree.known(tip, blocks);
            // The unit may be an earlier one that has grown by a block.
            place = tree.child(tip, &blocks[..inside]).filter(|_| inside > 0).unwrap_or(tip);
        }
        let latest = |from: Option<f64>, place: Place| match (from, tree.ended(place)) {
            (Some(a), Some(b)) => Some(a.max(b)),
            (a, b) => a.or(b),
        };
        let used = tree.onward(place).fold(tree.ended(place), latest);
        let tokens = tree.tokens(tree.onward(place).last().unwrap_or(place));
        let first = tree.latest(ROOT).is_none();
        let whole = tree.ended(place).is_some() && tree.blocks(place) == kept + inside;
        let goes_on = first || (whole && !self.is_edited(&state, place));
        let kind = match (self.new.is_empty(), goes_on) {
            (true, _) => "same",
            (false, true) => "append",
            (false, false) => "edit",
        };
        let shown = (kind == "edit").then(|| {
            let units = tree.onward(tip).take(SHOWN).map(|place| (tree.unit(place), state.read(place).walk.clone()));
            units.collect()
        });
        Ok((kind, kept + inside, used, tokens, shown))
    }

    /// Whether the new units are those of a longer request with a change, and not another way on from a shorter one: some
    /// that stood behind this place come again, and what ended here was not sent again since.
    fn is_edited(&self, state: &State, place: Place) -> bool {
        let key = |blocks: &[Block]| blocks.iter().fold(0, |key, block| link(key, block.digest));
        let tree = &state.tree;
        if !tree.is_outgrown(place) {
            return false;
        }
        let before: HashSet<_> = tree.onward(place).take(SHOWN).map(|place| key(&state.read(place).blocks)).collect();
        self.new.iter().any(|source| before.contains(&key(source.blocks(state))))
    }

    /// The units as they were: the given object itself where it is the same.
    fn rebuilt(&self, walks: Vec<(usize, Arc<Walk>)>) -> PyResult<Bound<'py, PyList>> {
        let list = PyList::empty(self.py);
        for (index, (read, walk)) in walks.into_iter().enumerate() {
            match self.new.get(index) {
                Some(source) if source.known() == Some(read) => list.append(&self.units[self.known.len() + index])?,
                _ => list.append(walk.value(self.py)?)?,
            }
        }
        Ok(list)
    }

    /// Gives tokens of the blocks that are kept, and all tokens.
    fn put_in_place(self, at: f64, kept: usize) -> PyResult<(u64, u64)> {
        let mut guard = self.state()?;
        let state = &mut *guard;
        let mut gone = Vec::new();
        let mut same = self.known.len();
        for (index, source) in self.changed {
            let read = state.keep(source, &mut gone);
            if read != state.tree.unit(self.known[index]) {
                state.tree.replace(self.known[index], read);
                state.reads[read].home = self.known[index];
                same = same.min(index);
            }
        }
        let mut way = self.known;
        let line = &state.line.places[self.before.min(state.line.places.len())..];
        let common = line.iter().zip(&way).take_while(|(old, new)| old == new).count();
        let mut tip = way.last().copied().unwrap_or(self.start);
        for source in self.new {
            let read = state.keep(source, &mut gone);
            tip = state.tree.add(tip, read, &state.reads[read].blocks);
            state.reads[read].home = tip;
            way.push(tip);
        }
        // Up to there the latest request went the same way.
        let from = common.checked_sub(1).map_or(self.start, |last| way[last]);
        state.tree.sent(from, &way[common..], at);
        state.line.cut(self.before + common);
        for place in &way[common..] {
            state.line.push(*place, &state.reads[state.tree.unit(*place)].blocks);
        }
        let same = same.min(common);
        let from = state.line.blocks(self.before + same);
        state.markers.truncate(state.markers.partition_point(|(block, _)| *block < from));
        for (index, place) in way.iter().enumerate().skip(same) {
            let first = state.line.blocks(self.before + index);
            let read = &state.reads[state.tree.unit(*place)];
            state.markers.extend(read.markers.iter().map(|(block, seconds)| (first + block, *seconds)));
        }
        let sums = &state.line.sums;
        let tokens = |blocks: usize| blocks.checked_sub(1).map_or(0, |last| sums[last]);
        let both = (tokens(kept), tokens(sums.len()));
        state.version += 1;
        let old = state.thin();
        drop(guard);
        // Dropping references may run code, so it waits until the lock is free.
        drop((gone, old));
        Ok(both)
    }
}

impl Source {
    fn known(&self) -> Option<usize> {
        match self {
            Self::Known(read) | Self::Again(read, _) => Some(*read),
            Self::Fresh(_) => None,
        }
    }

    fn blocks<'a>(&'a self, state: &'a State) -> &'a [Block] {
        match self {
            Self::Known(read) | Self::Again(read, _) => &state.reads[*read].blocks,
            Self::Fresh(read) => &read.blocks,
        }
    }
}
