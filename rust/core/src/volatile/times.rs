//! Clocks and dates, by their form.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Volatile, VolatileKind, matches, pattern};

const YEAR: &str = r"(?:19|20)\d\d";
const MONTHS: &str = r"(?:
    jan(?:uary|uar|vier)?|feb(?:ruary|ruar)?|mar(?:ch|s)?|apr(?:il)?|may|mai|june?|juni|july?|juli|aug(?:ust)?|
    sep(?:t|tember)?|oct(?:ober)?|okt(?:ober)?|nov(?:ember)?|dec(?:ember)?|dez(?:ember)?|
    enero|febrero|marzo|abril|mayo|junio|julio|agosto|septiembre|setiembre|octubre|noviembre|diciembre|
    janeiro|fevereiro|mar\xE7o|maio|junho|julho|setembro|outubro|novembro|dezembro|
    m\xE4rz|f\xE9vrier|avril|juin|juillet|ao\xFBt|septembre|octobre|novembre|d\xE9cembre)";
const WEEKDAYS: &str = r"(?:
    monday|tuesday|wednesday|thursday|friday|saturday|sunday|
    lunes|martes|mi[e\xE9]rcoles|jueves|viernes|s[a\xE1]bado|domingo|
    montag|dienstag|mittwoch|donnerstag|freitag|samstag|sonntag|
    lundi|mardi|mercredi|jeudi|vendredi|samedi|dimanche)";
const TIME: &str = r"(?:
    (?:[01]?\d|2[0-3]):[0-5]\d(?::[0-5]\d(?:[.,]\d{1,9})?)?(?:\s?[ap]\.?m\b\.?)? |
    (?:1[0-2]|[1-9])\s?[ap]\.?m\b\.? |
    (?:[01]?\d|2[0-3])(?:\.[0-5]\d)?\s?uhr\b | (?:[01]?\d|2[0-3])\s?h\s?[0-5]\d\b |
    \d{1,2}\x93\s?\d{1,2}\x94(?:\s?\d{1,2}\x95)?)
    (?:\s?(?:z|utc|gmt|[+-]\d\d:?\d\d)\b)?";

/// 2026年11月30日, 2026년 11월 30일; which no ASCII letter or digit follows.
const EAST_ASIAN: &str = r"(?:(?:19|20)\d\d\x90\s?\d{1,2}\x91(?:\s?\d{1,2}\x92)?)";

/// A day: 2026-11-30, 30/11/2026, 30.11.2026, 20261130, Monday, 30 November 2026, November 30, 30 de noviembre de 2026,
/// November 2026.
fn day() -> String {
    format!(
        r"(?:
        {YEAR}([-/.])(?:0[1-9]|1[0-2])[-/.](?:0[1-9]|[12]\d|3[01]) |
        {YEAR}-w[0-5]\d |
        {YEAR}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01]) |
        (?:[12]\d|3[01]|0?[1-9])(?:/(?:0?[1-9]|1[0-2]|[12]\d|3[01])/|\.(?:0[1-9]|1[0-2])\.){YEAR} |
        (?:(?:{WEEKDAYS}|mon|tue|wed|thu|fri|sat|sun),?\s+)?(?:the\s+)?(?:
            (?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th|\xBA|\.)?\s+(?:de\s+|of\s+)?{MONTHS}(?:,?\s+(?:de\s+|del\s+)?{YEAR})? |
            (?:[12]\d|3[01]|0?[1-9])-{MONTHS}-{YEAR} |
            {MONTHS}\.?\s+(?:[12]\d|3[01]|0?[1-9])(?:st|nd|rd|th)?(?:,?\s+{YEAR})? |
            {MONTHS}\.?,?\s+(?:de\s+)?{YEAR}))"
    )
}

static DATE: LazyLock<Regex> = LazyLock::new(|| pattern(&format!(r"\b(?:(?:{}|{WEEKDAYS})\b|{EAST_ASIAN})", day())));

/// A time, alone or with a day; seconds (or thousandths, millionths, billionths) since 1970, between 2011 and 2033.
static CLOCK: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"\b(?:
        (?:{day}|{EAST_ASIAN})(?:t|_|-|,?\s{{1,3}}(?:(?:at|a\s+las?|um|\xE0|-)\s+)?|)(?:{TIME}|\d\d-\d\d-\d\d|\d{{6}}(?:z|\b)) (?:\x20\(?(?-i:UTC|[A-Z]{{1,4}}T)\b\)?)?(?:\x20{YEAR}\b)? |
        (?:{WEEKDAYS},?\x20)?{TIME} |
        1[3-9]\d{{8}}(?:\d{{3}}|\d{{6}}|\d{{9}})?(?:\.\d{{1,9}})?\b)",
        day = day(),
    ))
});

/// Adds the clocks and dates.
pub(super) fn find(bytes: &[u8], found: &mut Vec<Volatile>) {
    let clocks = matches(&CLOCK, bytes, VolatileKind::Clock);
    let dates = matches(&DATE, bytes, VolatileKind::Date).filter(|date| !is_may(&bytes[date.start..date.stop]));
    found.extend(clocks.chain(dates).filter(|value| stands_free(bytes, value)));
}

/// Whether it is no piece of something longer: a line and column, an address, a version.
fn stands_free(bytes: &[u8], value: &Volatile) -> bool {
    let before = value.start.checked_sub(1).map(|index| bytes[index]);
    let after = bytes.get(value.stop).copied();
    let and_then = bytes.get(value.stop + 1).is_some_and(u8::is_ascii_digit);
    let goes_on =
        after.is_some_and(|byte| byte.is_ascii_alphanumeric()) || matches!(after, Some(b':' | b'.' | b',')) && and_then;
    !goes_on && !matches!(before, Some(b'.' | b':' | b'#' | b'$'))
}

/// "may 10" in small letters and without a year is more often a verb.
fn is_may(written: &[u8]) -> bool {
    written.starts_with(b"may ") && written.len() <= 8
}
