//! What is made to be unique: UUIDs, ids with a known beginning, ULIDs, hashes, addresses in memory.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Volatile, VolatileKind, matches, pattern};

static UUID: LazyLock<Regex> = LazyLock::new(|| pattern(r"[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}"));

/// Ids as the providers and common frameworks begin them; an address in memory as Python and C print it.
static BEGUN: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:0x[0-9a-f]{8,16} |
        (?:call|toolu|srvtoolu|tooluse|msg|message|resp|req|request|run|thread|chatcmpl|fc|rs|ws|file|asst|conv|
           sess|session|trace|span|evt|event|cus|turn|step|gen|batch|ses|prt|task|job)[_-][0-9a-z]{6,64})\b",
    )
});

/// Longer than this is data (an image, an archive) and no id.
const LONGEST: usize = 512;
const SHORTEST_HEX: usize = 7;
const SHORTEST: usize = 16;

/// Adds the identifiers.
pub(super) fn find(bytes: &[u8], found: &mut Vec<Volatile>) {
    let kind = VolatileKind::Identifier;
    found.extend(matches(&UUID, bytes, kind).filter(|value| is_whole(bytes, value.start, value.stop)));
    found.extend(matches(&BEGUN, bytes, kind).filter(|value| has_digit(&bytes[value.start + 2..value.stop])));
    found.extend(
        runs(bytes, u8::is_ascii_alphanumeric)
            .filter(|(start, run)| is_hash(run) && !is_colour(bytes, *start))
            .map(|(start, run)| Volatile { start, stop: start + run.len(), kind }),
    );
    found.extend(
        runs(bytes, |byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'_' | b'-'))
            .filter(|(_, run)| run.len() >= SHORTEST && looks_random(run))
            .map(|(start, run)| Volatile { start, stop: start + run.len(), kind }),
    );
}

/// The longest runs of the bytes that belong, none longer than an id can be.
fn runs(bytes: &[u8], belongs: impl Fn(&u8) -> bool) -> impl Iterator<Item = (usize, &[u8])> {
    let mut next = 0;
    std::iter::from_fn(move || {
        let start = next + bytes[next..].iter().position(&belongs)?;
        next = bytes[start..].iter().position(|byte| !belongs(byte)).map_or(bytes.len(), |length| start + length);
        Some((start, &bytes[start..next]))
    })
    .filter(|(_, run)| run.len() >= SHORTEST_HEX && run.len() <= LONGEST)
}

fn is_whole(bytes: &[u8], start: usize, stop: usize) -> bool {
    let is_hex = |index: usize| bytes.get(index).is_some_and(u8::is_ascii_hexdigit);
    !(is_hex(stop) || start > 0 && is_hex(start - 1))
}

fn has_digit(bytes: &[u8]) -> bool {
    bytes.iter().any(u8::is_ascii_digit)
}

fn is_colour(bytes: &[u8], start: usize) -> bool {
    start > 0 && bytes[start - 1] == b'#'
}

/// Hexadecimal with letters and digits well mixed, in one case; or letters and digits as random as those of a nanoid.
fn is_hash(run: &[u8]) -> bool {
    let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = run.len() - digits;
    let lower = run.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    let upper = run.iter().all(|byte| matches!(byte, b'0'..=b'9' | b'A'..=b'F'));
    if lower || upper {
        return digits >= 2 && letters >= 1 && turns(run) >= 3;
    }
    run.len() >= SHORTEST && looks_random(run)
}

/// Whether a run changes between small letters, capitals and digits as often as random characters do.
///
/// Of neighbours in random base 62, 62 % are of two classes, and in base 36 40 %; in names made of words hardly a
/// quarter are, and then at the seams only.
fn looks_random(run: &[u8]) -> bool {
    let digits = run.iter().filter(|byte| byte.is_ascii_digit()).count();
    let letters = run.iter().filter(|byte| byte.is_ascii_alphabetic()).count();
    let mixed = run.iter().any(u8::is_ascii_uppercase) && run.iter().any(u8::is_ascii_lowercase);
    let least = if mixed { 40 } else { 28 };
    digits >= 2 && letters >= 4 && turns(run) * 100 >= least * (digits + letters)
}

/// How often neighbours are of two classes: small letter, capital, digit. What is none of them joins none.
fn turns(run: &[u8]) -> usize {
    let class = |byte: u8| match byte {
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        b'0'..=b'9' => 3,
        _ => 0,
    };
    run.windows(2).filter(|pair| class(pair[0]) != class(pair[1]) && class(pair[0]) * class(pair[1]) != 0).count()
}
