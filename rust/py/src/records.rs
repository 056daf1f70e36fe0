//! `Records`: the store behind `ullage.History`. It remembers messages; what a message means is told by the caller.
//!
//! Reading a message runs Python code (the caller's reader, and perhaps the message's own), so the lock is never held
//! meanwhile: each change is prepared without it, checked against what others did, and put in place in one go.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use numpy::PyArray1;
use pyo3::exceptions::{PyIndexError, PyOverflowError, PyRuntimeError, PyValueError};
use pyo3::gc::{PyTraverseError, PyVisit};
use pyo3::prelude::*;
use pyo3::sync::MutexExt;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};
use ullage_core::{Kind, Matcher, Part, Record};

use crate::estimator::Estimator;
use crate::text::{View, expect_str};
use crate::walk::Walk;

/// Records of messages: role, estimated tokens, kinds of parts, call ids and a digest, with what tells a change.
///
/// Args:
///     estimator: estimates each text.
///     read: called with a message and its path; gives a `ullage.formats.record.Record`.
#[pyclass(frozen, module = "ullage._core")]
pub(crate) struct Records {
    estimator: Estimator,
    read: Py<PyAny>,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    entries: Vec<Entry>,
    /// The sum of all entries' tokens.
    tokens: u64,
    /// Counts the changes, so that one prepared beside another is noticed.
    version: u64,
}

struct Entry {
    record: Record<Py<PyString>>,
    walk: Walk,
}

/// Role, tokens, kinds, call ids, digest.
type Row<'py> = (Py<PyString>, u32, Bound<'py, PyTuple>, Bound<'py, PyTuple>, Bound<'py, PyBytes>);

#[pymethods]
impl Records {
    #[new]
    fn new(estimator: Estimator, read: Py<PyAny>) -> Self {
        Self { estimator, read, state: Mutex::default() }
    }

    /// Add one message. On an error nothing is added.
    #[pyo3(signature = (message, /))]
    fn append(&self, message: &Bound<'_, PyAny>) -> PyResult<()> {
        let py = message.py();
        let index = self.lock(py).entries.len();
        let entry = self.entry(message, index)?;
        self.lock(py).push(entry);
        Ok(())
    }

    /// Add messages. On an error none is added.
    #[pyo3(signature = (messages, /))]
    fn extend(&self, messages: &Bound<'_, PyList>) -> PyResult<()> {
        let py = messages.py();
        let start = self.lock(py).entries.len();
        let entries = messages
            .iter()
            .enumerate()
            .map(|(index, message)| self.entry(&message, start + index))
            .collect::<PyResult<Vec<_>>>()?;
        let mut state = self.lock(py);
        for entry in entries {
            state.push(entry);
        }
        Ok(())
    }

    /// Make the records those of a list of messages, and read only the messages that are new or changed.
    ///
    /// Returns:
    ///     (first changed index or None, messages read, messages kept, messages removed)
    ///
    /// Raises:
    ///     RuntimeError: when something else changed the records meanwhile.
    #[pyo3(signature = (messages, /))]
    fn update(&self, messages: &Bound<'_, PyList>) -> PyResult<(Option<usize>, usize, usize, usize)> {
        let py = messages.py();
        // A list of our own: the caller's may change while messages are read.
        let messages: Vec<_> = messages.iter().collect();
        let mut plan = Plan::new(self, py, &messages);
        plan.match_ends()?;
        plan.match_middle()?;
        plan.put_in_place()
    }

    /// The sum of the messages' tokens.
    #[getter]
    fn total(&self, py: Python<'_>) -> u64 {
        self.lock(py).tokens
    }

    /// Tokens of each message as a new numpy.ndarray of uint32, shape (number of messages,).
    fn tokens<'py>(&self, py: Python<'py>) -> Bound<'py, PyArray1<u32>> {
        let tokens = self.lock(py).entries.iter().map(|entry| entry.record.tokens).collect();
        PyArray1::from_vec(py, tokens)
    }

    /// Tokens by role and kind of part, and tokens of framing; together they are the total.
    fn breakdown<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyDict>, u64)> {
        type Costs = [Option<u64>; Kind::ALL.len()];
        let (rows, framing) = {
            let state = self.lock(py);
            let framing = state.entries.iter().map(|entry| u64::from(entry.record.frame)).sum();
            let rows: Vec<(Py<PyString>, Costs)> = state
                .entries
                .iter()
                .map(|Entry { record, .. }| {
                    let mut costs = Costs::default();
                    for part in &record.parts {
                        *costs[part.kind as usize].get_or_insert(0) += u64::from(part.tokens);
                    }
                    (record.role.clone_ref(py), costs)
                })
                .collect();
            (rows, framing)
        };
        let by_role = PyDict::new(py);
        let mut totals: Vec<(Py<PyString>, Costs)> = Vec::new();
        for (role, costs) in rows {
            let slot = if let Some(slot) = by_role.get_item(&role)? {
                slot.extract()?
            } else {
                by_role.set_item(&role, totals.len())?;
                totals.push((role, Costs::default()));
                totals.len() - 1
            };
            for (total, cost) in totals[slot].1.iter_mut().zip(costs) {
                *total = total.map_or(cost, |total| Some(total + cost.unwrap_or(0)));
            }
        }
        for (role, costs) in totals {
            let by_kind = PyDict::new(py);
            for (kind, cost) in Kind::ALL.into_iter().zip(costs) {
                if let Some(cost) = cost {
                    by_kind.set_item(kind.name(), cost)?;
                }
            }
            by_role.set_item(role, by_kind)?;
        }
        Ok((by_role, framing))
    }

    fn __len__(&self, py: Python<'_>) -> usize {
        self.lock(py).entries.len()
    }

    /// (role, tokens, kinds, call ids, digest of 16 bytes) of one message; negative indices count from the end.
    fn __getitem__<'py>(&self, py: Python<'py>, index: isize) -> PyResult<Row<'py>> {
        let (record, digest) = {
            let state = self.lock(py);
            let length = state.entries.len();
            let place = usize::try_from(index).ok().or_else(|| length.checked_sub(index.unsigned_abs()));
            let entry = place.and_then(|place| state.entries.get(place)).ok_or_else(|| {
                PyIndexError::new_err(format!("there is no message {index} in a history of {length}"))
            })?;
            (entry.clone_record(py), entry.walk.digest)
        };
        let kinds = PyTuple::new(py, record.parts.iter().map(|part| part.kind.name()))?;
        let call_ids: Vec<_> = record.parts.into_iter().filter_map(|part| part.call_id).collect();
        let digest = PyBytes::new(py, &digest.to_be_bytes());
        Ok((record.role, record.tokens, kinds, PyTuple::new(py, call_ids)?, digest))
    }

    fn __traverse__(&self, visit: PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.read)?;
        // Objects that are not visited are taken to be in use, so a lock that is held only puts the collection off.
        let Ok(state) = self.state.try_lock() else { return Ok(()) };
        state.entries.iter().flat_map(Entry::owned).try_for_each(|leaf| visit.call(leaf))
    }

    fn __clear__(&self) {
        // Nothing refers to this object any more, so nobody holds the lock. The entries go after it is given back.
        let state = self.state.try_lock().map(|mut state| std::mem::take(&mut *state));
        drop(state);
    }
}

impl Records {
    /// No Python code may run while the guard lives: it could ask for the lock again.
    fn lock(&self, py: Python<'_>) -> MutexGuard<'_, State> {
        self.state.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
    }

    /// Reads a message. The walk comes first: should the message change in between, the next update finds it changed.
    fn entry(&self, message: &Bound<'_, PyAny>, index: usize) -> PyResult<Entry> {
        let walk = Walk::of(message, format_args!("messages[{index}]"))?;
        Ok(Entry { record: self.record(message, index)?, walk })
    }

    fn record(&self, message: &Bound<'_, PyAny>, index: usize) -> PyResult<Record<Py<PyString>>> {
        let path = format!("messages[{index}]");
        let record = self.read.bind(message.py()).call1((message, &path))?;
        let (role, parts, frame): (Bound<'_, PyString>, Bound<'_, PyTuple>, u32) = record.extract()?;
        let parts = parts.iter().map(|part| self.part(&part, &path)).collect::<PyResult<_>>()?;
        Record::new(role.unbind(), frame, parts)
            .ok_or_else(|| PyOverflowError::new_err(format!("{path} is estimated at more tokens than 32 bits hold")))
    }

    fn part(&self, part: &Bound<'_, PyAny>, path: &str) -> PyResult<Part<Py<PyString>>> {
        let part = part.cast::<PyTuple>()?;
        let kind = part.get_borrowed_item(0)?;
        let kind = Kind::from_name(kind.cast::<PyString>()?.to_str()?)
            .ok_or_else(|| PyValueError::new_err(format!("{path} has a part of unknown kind {}", *kind)))?;
        let fixed: u64 = part.get_borrowed_item(2)?.extract()?;
        let mut tokens = fixed;
        for text in part.get_borrowed_item(1)?.cast::<PyTuple>()?.iter_borrowed() {
            tokens = tokens.saturating_add(self.estimator.tokens(View::of(expect_str(&text, path)?)?.text()));
        }
        let tokens = u32::try_from(tokens)
            .map_err(|_| PyOverflowError::new_err(format!("{path} is estimated at more tokens than 32 bits hold")))?;
        let call_id = part.get_borrowed_item(3)?;
        let call_id = if call_id.is_none() { None } else { Some(call_id.cast::<PyString>()?.to_owned().unbind()) };
        Ok(Part { kind, tokens, call_id })
    }
}

impl State {
    fn push(&mut self, entry: Entry) {
        self.tokens += entry.tokens();
        self.entries.push(entry);
        self.version += 1;
    }
}

impl Entry {
    fn tokens(&self) -> u64 {
        u64::from(self.record.tokens)
    }

    /// The references that may be part of a cycle.
    fn owned(&self) -> impl Iterator<Item = &Py<PyAny>> {
        let Record { role, parts, .. } = &self.record;
        let names = std::iter::once(role).chain(parts.iter().filter_map(|part| part.call_id.as_ref()));
        self.walk.owning_leaves().chain(names.filter(|_| self.walk.owning).map(Py::as_any))
    }

    fn clone_record(&self, py: Python<'_>) -> Record<Py<PyString>> {
        let parts = self.record.parts.iter().map(|part| Part {
            kind: part.kind,
            tokens: part.tokens,
            call_id: part.call_id.as_ref().map(|id| id.clone_ref(py)),
        });
        let Record { frame, tokens, .. } = self.record;
        Record { role: self.record.role.clone_ref(py), frame, parts: parts.collect(), tokens }
    }
}

/// An update being prepared: how much of the list is as it was at both ends, and where the middle comes from.
struct Plan<'a, 'py> {
    records: &'a Records,
    py: Python<'py>,
    messages: &'a [Bound<'py, PyAny>],
    version: u64,
    old_length: usize,
    prefix: usize,
    suffix: usize,
    /// Messages that had to be walked: by their new index.
    walks: BTreeMap<usize, Walk>,
    /// For each message of the middle the old index of an equal one, or the record that was read.
    middle: Vec<Source>,
}

enum Source {
    Kept(usize),
    Read(Record<Py<PyString>>),
}

impl<'a, 'py> Plan<'a, 'py> {
    fn new(records: &'a Records, py: Python<'py>, messages: &'a [Bound<'py, PyAny>]) -> Self {
        let state = records.lock(py);
        let (version, old_length) = (state.version, state.entries.len());
        drop(state);
        Self {
            records,
            py,
            messages,
            version,
            old_length,
            prefix: 0,
            suffix: 0,
            walks: BTreeMap::new(),
            middle: Vec::new(),
        }
    }

    fn state(&self) -> PyResult<MutexGuard<'a, State>> {
        let state = self.records.lock(self.py);
        if state.version == self.version {
            return Ok(state);
        }
        drop(state);
        Err(PyRuntimeError::new_err(
            "the history was changed while it was being updated; let one thread at a time change it",
        ))
    }

    /// Matches from the front, then from the back: by identity, and by digest where that fails (a copy, say).
    fn match_ends(&mut self) -> PyResult<()> {
        let shorter = self.old_length.min(self.messages.len());
        while self.prefix < shorter {
            let unchanged = self.state()?.entries[self.prefix..]
                .iter()
                .zip(&self.messages[self.prefix..])
                .take_while(|(entry, message)| entry.walk.is_unchanged(message))
                .count();
            self.prefix += unchanged;
            if self.prefix == shorter || !self.is_equal(self.prefix, self.prefix)? {
                break;
            }
            self.prefix += 1;
        }
        let rest = shorter - self.prefix;
        while self.suffix < rest {
            let unchanged = self.state()?.entries[..self.old_length - self.suffix]
                .iter()
                .rev()
                .zip(self.messages[..self.messages.len() - self.suffix].iter().rev())
                .take(rest - self.suffix)
                .take_while(|(entry, message)| entry.walk.is_unchanged(message))
                .count();
            self.suffix += unchanged;
            let from_end = self.suffix + 1;
            if self.suffix == rest || !self.is_equal(self.old_length - from_end, self.messages.len() - from_end)? {
                break;
            }
            self.suffix += 1;
        }
        Ok(())
    }

    fn is_equal(&mut self, old: usize, new: usize) -> PyResult<bool> {
        let digest = self.walk(new)?;
        Ok(self.state()?.entries[old].walk.digest == digest)
    }

    fn walk(&mut self, new: usize) -> PyResult<u128> {
        if let Some(walk) = self.walks.get(&new) {
            return Ok(walk.digest);
        }
        let walk = Walk::of(&self.messages[new], format_args!("messages[{new}]"))?;
        let digest = walk.digest;
        self.walks.insert(new, walk);
        Ok(digest)
    }

    /// Goes on by identity where a message follows the one before as it used to; finds others by their digests; reads
    /// the rest.
    fn match_middle(&mut self) -> PyResult<()> {
        let new_end = self.messages.len() - self.suffix;
        let old: Vec<_> = self.state()?.entries[self.prefix..self.old_length - self.suffix]
            .iter()
            .map(|entry| entry.walk.digest)
            .collect();
        let mut matcher = Matcher::new(&old);
        let mut expected = self.prefix;
        while self.prefix + self.middle.len() < new_end {
            let new = self.prefix + self.middle.len();
            let unchanged = self.state()?.entries[expected..self.old_length - self.suffix]
                .iter()
                .zip(&self.messages[new..new_end])
                .zip(expected - self.prefix..)
                .take_while(|((entry, message), old)| entry.walk.is_unchanged(message) && matcher.take_at(*old))
                .count();
            self.middle.extend((expected..expected + unchanged).map(Source::Kept));
            expected += unchanged;
            let new = new + unchanged;
            if new == new_end {
                break;
            }
            if let Some(found) = matcher.take(self.walk(new)?) {
                self.middle.push(Source::Kept(self.prefix + found));
                expected = self.prefix + found + 1;
            } else {
                let record = self.records.record(&self.messages[new], new)?;
                self.middle.push(Source::Read(record));
            }
        }
        Ok(())
    }

    fn put_in_place(mut self) -> PyResult<(Option<usize>, usize, usize, usize)> {
        let new_length = self.messages.len();
        let read = self.middle.iter().filter(|source| matches!(source, Source::Read(_))).count();
        let kept = new_length - read;
        let removed = self.old_length - kept;
        // The prefix ends at the first message that is not equal to the one that was there.
        let first_changed = (self.prefix < new_length.max(self.old_length)).then_some(self.prefix);
        if first_changed.is_some() || !self.walks.is_empty() {
            let mut state = self.state()?;
            let gone = state.replace(self.prefix, self.suffix, self.middle, &mut self.walks);
            drop(state);
            // Dropping references may run code, so it waits until the lock is free.
            drop(gone);
        }
        Ok((first_changed, read, kept, removed))
    }
}

impl State {
    /// Puts the middle in place, and the walks of copies over those of their originals, so that the next update knows
    /// the copies by identity. Gives back what is no longer needed; other walks that are not stay in `walks`.
    fn replace(
        &mut self,
        prefix: usize,
        suffix: usize,
        middle: Vec<Source>,
        walks: &mut BTreeMap<usize, Walk>,
    ) -> Vec<Option<Entry>> {
        let tail = self.entries.split_off(self.entries.len() - suffix);
        let mut old: Vec<_> = self.entries.drain(prefix..).map(Some).collect();
        self.tokens -= old.iter().flatten().map(Entry::tokens).sum::<u64>();
        for source in middle {
            let index = self.entries.len();
            match source {
                Source::Kept(from) => self.entries.extend(old[from - prefix].take()),
                Source::Read(record) => {
                    self.entries.extend(walks.remove(&index).map(|walk| Entry { record, walk }));
                }
            }
        }
        self.tokens += self.entries[prefix..].iter().map(Entry::tokens).sum::<u64>();
        self.entries.extend(tail);
        for (index, walk) in walks {
            std::mem::swap(&mut self.entries[*index].walk, walk);
        }
        self.version += 1;
        old
    }
}
