//! Counters, which are numbers beside words of use, and random values, which stand under their names.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Volatile, VolatileKind, pattern};

static WORD: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:tokens?|steps?|turns?|iterations?|rounds?|attempts?|retr(?:y|ies)|messages?|requests?|calls?|count(?:er)?|
        remaining|used|left|spent|elapsed|uptime|consumed|progress|budget|cost|usage|sequence|seq|
        pasos?|turnos?|restantes?|usados?|mensajes?|quedan)\b",
    )
});

static NAME: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:nonce|salt|cch|seed|rand(?:om)?(?:[_-]?(?:id|value))?|csrf(?:[_-]?token)?|cache[_-]?bust(?:er)?|sig(?:nature)?|
        etag|checksum|digest|hash|fingerprint|token|build[_-]?id)["']?\s{0,3}[:=]\s{0,3}["']?"#,
    )
});

/// How far a number may be from its word.
const AFTER: usize = 24;
const BEFORE: usize = 20;
const SHORTEST: usize = 4;

/// Adds the counters and the random values.
pub(super) fn find(bytes: &[u8], found: &mut Vec<Volatile>) {
    for word in WORD.find_iter(bytes) {
        let before = number_before(bytes, word.start());
        // Of "12 of 20 tokens used", both; the first is the one that grows.
        let first = before.and_then(|(start, _)| number_before(bytes, start));
        let numbers = [first, before, number_after(bytes, word.end())];
        let counter = |(start, stop)| Volatile { start, stop, kind: VolatileKind::Counter };
        found.extend(numbers.into_iter().flatten().map(counter));
    }
    for name in NAME.find_iter(bytes) {
        let start = name.end();
        let length = bytes[start..].iter().take_while(|byte| belongs(**byte)).take(128).count();
        let value = &bytes[start..start + length];
        if length >= SHORTEST && value.iter().any(u8::is_ascii_digit) {
            found.push(Volatile { start, stop: start + length, kind: VolatileKind::Random });
        }
    }
}

fn belongs(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-')
}

/// The number that begins in the few bytes after a word, on its line.
fn number_after(bytes: &[u8], from: usize) -> Option<(usize, usize)> {
    let near = &bytes[from..bytes.len().min(from + AFTER)];
    let start = from + near.iter().position(|byte| byte.is_ascii_digit() || *byte == b'\n')?;
    if bytes[start] == b'\n' { None } else { number(bytes, start) }
}

/// The number that ends in the few bytes before a word, on its line.
fn number_before(bytes: &[u8], until: usize) -> Option<(usize, usize)> {
    let near = &bytes[until.saturating_sub(BEFORE)..until];
    let distance = near.iter().rev().position(|byte| byte.is_ascii_digit() || *byte == b'\n')?;
    let last = until - 1 - distance;
    if bytes[last] == b'\n' {
        return None;
    }
    // A number of more than a few digits counts nothing, so what is looked at stays bounded.
    let length =
        bytes[last.saturating_sub(LONGEST_NUMBER)..=last].iter().rev().take_while(|byte| in_number(**byte)).count();
    let digits = bytes[last + 1 - length..=last].iter().position(u8::is_ascii_digit)?;
    number(bytes, last + 1 - length + digits)
}

const LONGEST_NUMBER: usize = 20;

fn in_number(byte: u8) -> bool {
    byte.is_ascii_digit() || matches!(byte, b',' | b'.' | b'_')
}

/// The number that begins here: digits, and marks between them. Versions (two points) and digits in names are none.
fn number(bytes: &[u8], start: usize) -> Option<(usize, usize)> {
    let run = &bytes[start..bytes.len().min(start + LONGEST_NUMBER)];
    let length = run.iter().take_while(|byte| in_number(**byte)).count();
    let digits = run[..length].iter().rposition(u8::is_ascii_digit)? + 1;
    let is_version = run[..digits].split(|byte| *byte == b'.').count() > 2;
    let before = start.checked_sub(1).map(|index| bytes[index]);
    let named = before.is_some_and(|byte| byte.is_ascii_alphabetic() || matches!(byte, b'_' | b'.' | b'-' | b'#'));
    let unit = bytes.get(start + digits).is_some_and(|byte| byte.is_ascii_alphabetic() && !b"kKmMsS".contains(byte));
    (!is_version && !named && !unit && length < LONGEST_NUMBER).then_some((start, start + digits))
}
