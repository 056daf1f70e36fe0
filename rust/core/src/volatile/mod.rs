//! Values in a text that are likely to differ the next time it is made: clocks, dates, identifiers, counters, random values.
//!
//! Two questions are asked of the same rules. Of a change that is already known, the question is only what kind of value
//! changed, so whatever has the form of a clock is one. Of one text alone, the question is whether something in it will
//! change, and form says little: a price list has dates, a manual has times. There (`alone`) the words around a value
//! must say so too: "today is", "session id:", "tokens left".
//!
//! `fold` gives every storage one byte a code point, so that the patterns see bytes and their offsets are code points.
//! `times`, `identifiers` and `counts` find by form; `alone` judges by the words around.

mod alone;
mod counts;
mod fold;
mod identifiers;
mod times;

use crate::Text;

/// What a volatile value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum VolatileKind {
    /// A time of day, a date with a time, seconds since 1970.
    Clock,
    /// A day without a time.
    Date,
    /// Something made to be unique: a UUID, the id of a call, a hash, an address in memory.
    Identifier,
    /// A number that goes up or down with use.
    Counter,
    /// A value under a name such as nonce or seed.
    Random,
}

impl VolatileKind {
    /// One lower-case word.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Clock => "clock",
            Self::Date => "date",
            Self::Identifier => "identifier",
            Self::Counter => "counter",
            Self::Random => "random",
        }
    }
}

/// A volatile value: code points `start..stop`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Volatile {
    /// The first code point.
    pub start: usize,
    /// The code point after the last.
    pub stop: usize,
    /// What it is.
    pub kind: VolatileKind,
}

/// The volatile values of a text in order, none overlapping another. With `alone`, only those for which the words around
/// them speak. Time grows with the length of the text and no faster.
#[must_use]
pub fn volatile(text: Text<'_>, alone: bool) -> Vec<Volatile> {
    let bytes = fold::fold(text);
    let mut found = Vec::new();
    times::find(&bytes, &mut found);
    identifiers::find(&bytes, &mut found);
    counts::find(&bytes, &mut found);
    let mut kept = apart(found);
    if alone {
        kept.retain(|value| alone::speaks(&bytes, value));
    }
    kept
}

/// Where values overlap, the longest; of equal ones the first kind.
fn apart(mut found: Vec<Volatile>) -> Vec<Volatile> {
    found.sort_unstable();
    let mut kept: Vec<Volatile> = Vec::with_capacity(found.len());
    for value in found {
        match kept.last_mut() {
            Some(last) if value.start < last.stop => {
                if value.stop - value.start > last.stop - last.start {
                    *last = value;
                }
            }
            _ => kept.push(value),
        }
    }
    kept
}

/// Adds the parts that a pattern matches.
fn matches<'a>(
    pattern: &'a regex::bytes::Regex,
    bytes: &'a [u8],
    kind: VolatileKind,
) -> impl Iterator<Item = Volatile> + 'a {
    pattern.find_iter(bytes).map(move |found| Volatile { start: found.start(), stop: found.end(), kind })
}

/// A pattern over folded bytes: ASCII classes, any case, white space in it without meaning.
fn pattern(source: &str) -> regex::bytes::Regex {
    regex::bytes::RegexBuilder::new(source)
        .unicode(false)
        .case_insensitive(true)
        .ignore_whitespace(true)
        .build()
        .expect("the patterns are fixed, and each is used by a test")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is found, as kinds and pieces of the text.
    fn found(text: &str, alone: bool) -> Vec<(&'static str, String)> {
        let piece = |value: &Volatile| text.chars().skip(value.start).take(value.stop - value.start).collect();
        volatile(Text::Utf8(text), alone).iter().map(|value| (value.kind.name(), piece(value))).collect()
    }

    #[track_caller]
    fn one(text: &str, kind: &'static str, piece: &str) {
        assert_eq!(found(text, false), [(kind, piece.to_owned())], "{text}");
    }

    #[test]
    fn clocks_and_dates_by_form() {
        for written in [
            "17:11",
            "5:11 PM",
            "5pm",
            "17:11:09.123",
            "2026-11-30T10:13:08Z",
            "2026-11-30T10:13:08.123456+01:00",
            "2026-11-30 10:13",
            "20261130T101308Z",
            "2026-11-30_10-13-08",
            "Mon Nov 30 10:13:08 UTC 2026",
            "Mon, 30 Nov 2026 10:13:08 GMT",
            "lunes 30 de noviembre de 2026 a las 17:11",
            "11/30/2026, 5:11 PM",
            "1796033588",
            "1796033588123",
            "1796033588.25",
            "17.11 Uhr",
            "17h11",
            "9 h 05",
            "10時13分",
            "2026年11月30日 10:13",
        ] {
            one(&format!("it is {written}"), "clock", written);
        }
        one("at 2026-11-30 10:13 CET\nYou", "clock", "2026-11-30 10:13 CET");
        one("at 2026-11-30T10:13:08Z\nYou", "clock", "2026-11-30T10:13:08Z");
        for written in [
            "2026-11-30",
            "2026/11/30",
            "30/11/2026",
            "11/30/2026",
            "30.11.2026",
            "20261130",
            "November 30, 2026",
            "30 Nov 2026",
            "30-Nov-2026",
            "Monday, November 30",
            "lunes, 30 de noviembre de 2026",
            "mi\u{e9}rcoles",
            "2026年11月30日",
            "November 2026",
            "2026-W49",
        ] {
            one(&format!("on {written} here"), "date", written);
        }
    }

    #[test]
    fn identifiers_counters_and_random_values_by_form() {
        for written in [
            "9b2e4c1a-7d3f-4a60-8f15-2c7b90d1e3a4",
            "call_Zx81kQw2pL",
            "toolu_01A09q90qw90lq917835lq9",
            "01ARZ3NDEKTSV4RRFFQ69G5FAV",
            "9fceb02d0ae598e95dc970b74767f19372d61af8",
            "3f2a9c1",
            "0x7f3a2b4c5d6e",
            "V1StGXR8Z5jdHi6BmyT4",
        ] {
            one(&format!("see {written} there"), "identifier", written);
        }
        one("Tokens used: 12,345.", "counter", "12,345");
        one("12 messages left", "counter", "12");
        one("step 3", "counter", "3");
        one("cch=a3f9c;", "random", "a3f9c");
        one("\"nonce\": \"k2\u{f1}\", \"seed\": \"99812\"", "random", "99812");
    }

    #[test]
    fn what_has_no_such_form() {
        for text in [
            "v1.2.3 and 10.20.30.40:8080, ::1, 16:9:4, app.py:12:30, #a1b2c3, #aabbcc1",
            "feature/add-login-page2 release-2024 gpt-4o-mini Qwen2.5-72B-Instruct x86_64-unknown-linux-gnu",
            "costs $1999.00, RFC 3339, 1984 was a year, you may 10 of them",
            "ChatCompletionMessageToolCallParam2 src/components/Button2/index3.tsx",
            "deadbeef facade 12345678 aaaaaaaaaaaaaaaaaaaaaaaa1",
            "",
        ] {
            assert_eq!(found(text, false), [], "{text}");
        }
    }

    #[test]
    fn alone_asks_for_words_around() {
        let text = "Opens 9:30. Now: 17:11. Founded 2015-03-04. Today is Monday, 30 November 2026. Session ID: 9b2e4c1a-7d3f-4a60-8f15-2c7b90d1e3a4. Commit 9fceb02d0ae598e95dc970b74767f19372d61af8. Tokens used: 812. Max tokens: 4096.";
        let kinds: Vec<_> = found(text, true).into_iter().map(|(kind, _)| kind).collect();
        assert_eq!(kinds, ["clock", "date", "identifier", "counter"]);
    }
}
