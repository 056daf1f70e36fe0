//! One number for each text of an iterable, scanned without the GIL and, for large batches, on several threads.

use std::num::NonZero;
use std::sync::Mutex;
use std::thread;

use numpy::PyArray1;
use pyo3::exceptions::{PyOverflowError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::PyString;
use ullage_core::Text;

use crate::text::{View, expect_str};

/// Below this many bytes of storage a batch keeps the GIL: letting go and taking it back costs more than the scan
/// (hashlib draws its line at 2,048 bytes, for the same reason).
const DETACH_BYTES: usize = 2 * 1024;
/// From this many bytes of storage the scan takes longer than starting threads does, by far.
const THREADS_BYTES: usize = 16 * 1024 * 1024;
/// Into how many pieces each thread's part is cut, so that one with long texts does not keep the others waiting.
const SHARES: usize = 16;

/// Applies `tokens` to each text. `threads` of `None` means one, or all of the machine's where the batch is large.
/// `reads_ascii` says whether ASCII text is scanned too, or answered from its length.
pub(crate) fn map<'py>(
    texts: &Bound<'py, PyAny>,
    threads: Option<usize>,
    reads_ascii: bool,
    tokens: impl Fn(Text<'_>) -> u64 + Sync,
) -> PyResult<Bound<'py, PyArray1<u32>>> {
    if texts.is_instance_of::<PyString>() {
        return Err(PyTypeError::new_err("texts must be an iterable of str, not one str; put it in a list"));
    }
    let strings = texts
        .try_iter()?
        .enumerate()
        .map(|(index, item)| {
            let item = item?;
            expect_str(&item, &format!("texts[{index}]"))?;
            Ok(item.cast_into::<PyString>()?)
        })
        .collect::<PyResult<Vec<_>>>()?;
    let views = strings.iter().map(View::of).collect::<PyResult<Vec<_>>>()?;
    let bytes: usize = views.iter().map(|view| scanned_bytes(view.text(), reads_ascii)).sum();
    let threads = threads.unwrap_or_else(|| {
        if bytes < THREADS_BYTES { 1 } else { thread::available_parallelism().map_or(1, NonZero::get) }
    });
    let mut counts = vec![0_u64; views.len()];
    if bytes < DETACH_BYTES {
        scan(&views, &mut counts, &tokens);
    } else {
        texts.py().detach(|| scan_on(threads, &views, &mut counts, &tokens));
    }
    let counts = counts
        .into_iter()
        .enumerate()
        .map(|(index, tokens)| {
            u32::try_from(tokens).map_err(|_| {
                PyOverflowError::new_err(format!("texts[{index}] is estimated at {tokens} tokens, beyond 32 bits"))
            })
        })
        .collect::<PyResult<Vec<u32>>>()?;
    Ok(PyArray1::from_vec(texts.py(), counts))
}

fn scanned_bytes(text: Text<'_>, reads_ascii: bool) -> usize {
    match text {
        Text::Ascii(_) if !reads_ascii => 0,
        Text::Ascii(bytes) | Text::Latin1(bytes) => bytes.len(),
        Text::Ucs2(units) => size_of_val(units),
        Text::Ucs4(units) => size_of_val(units),
        Text::Utf8(utf8) => utf8.len(),
    }
}

fn scan(views: &[View<'_>], counts: &mut [u64], tokens: &impl Fn(Text<'_>) -> u64) {
    for (view, count) in views.iter().zip(counts) {
        *count = tokens(view.text());
    }
}

fn scan_on(threads: usize, views: &[View<'_>], counts: &mut [u64], tokens: &(impl Fn(Text<'_>) -> u64 + Sync)) {
    let threads = threads.min(views.len());
    if threads <= 1 {
        return scan(views, counts, tokens);
    }
    let chunk = (views.len() / (threads * SHARES)).max(1);
    let work = Mutex::new(views.chunks(chunk).zip(counts.chunks_mut(chunk)));
    let take = || work.lock().ok().and_then(|mut work| work.next());
    let work_off = || {
        while let Some((views, counts)) = take() {
            scan(views, counts, tokens);
        }
    };
    thread::scope(|scope| {
        // This thread works too, and alone where the system refuses to start others.
        let started = (1..threads).map_while(|_| thread::Builder::new().spawn_scoped(scope, work_off).ok());
        started.for_each(drop);
        work_off();
    });
}
