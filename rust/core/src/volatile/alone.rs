//! Whether the words around a value say that it will change, for a text of which no other version is at hand.
//!
//! Few false alarms matter more than finding everything: examples, defaults, limits and formats are left.

use std::sync::LazyLock;

use regex::bytes::Regex;

use super::{Volatile, VolatileKind, pattern};

/// How far the words may be.
const BEFORE: usize = 64;
const AFTER: usize = 32;

/// What says that a value only shows how something is written.
static EXAMPLE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"e\.g\.|\bex\.|\bi\.e\.|example|ejemplo|\bformat|such\ as|\blike\b|instance|default|sample|pattern|regex|\biso[\ -]?8601|\brfc|cut-?off[^.;]{0,24}$",
    )
});

const GLUE: &str = r"[^.;!?\n\d]{0,24}(?:\n[\ \-*\#>\t]{0,8})?$";

static NOW: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:\bcurrent(?:ly)?[\ _-]?(?:(?:local|utc|system|server)[\ _-]?)?(?:date|time|day|timestamp|moment) |
        \b(?:local|system|server)[\ _](?:date|time) | \btoday |
        \bnow[\x22']?\s*[:=>] | \b(?:is|it.s|right|time)\ now\b | \b(?:is|it.s)\ currently\b | \bthe\ (?:date|time)\ is\b |
        \bdate[\ _]?(?:and|&|/)[\ _]?time |
        \bhoy\b | \bahora\b | \bfecha\ (?:y\ hora|actual|de\ hoy) | \bhora\ (?:actual|local) |
        \bheute\b | \bjetzt\b | \baktuelle[sr]?\ (?:datum|uhrzeit|zeit) |
        aujourd.hui | \bdate\ (?:du\ jour|actuelle) | \bheure\ actuelle | \bnous\ sommes\ le |
        \bhoje\b | \bagora\b | \b(?:data|hora)\ atual | \x96 | \x97\xFF){GLUE}"
    ))
});

/// What speaks for a clock, and not for a date: files are dated, and stay as they are. A time stamp in quotes is one of
/// the record that somebody shows.
static MADE: LazyLock<Regex> = LazyLock::new(|| {
    pattern(&format!(
        r"(?:(?:^|[\n<(\[])[\ \-*\#]{{0,4}}(?:time[\ _-]?stamp|date[\ _]?time)[^'\x22\w]{{1,6}}$ |
        \b(?:generated|rendered|started)[\ _]at\b{GLUE})"
    ))
});

static OWNER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"\b(?:(?:session|request|trace|correlation|conversation|invocation)[\ _-]?(?:id|uuid|key|identifier)? |
        (?:span|message|msg|thread|run|turn|chat|event|execution|task|job|sandbox|container|instance)[\ _-]?(?:id|uuid|key|identifier))
        (?:\ is)?["'`\s:=<>(]{1,6}[a-z]{0,8}[_-]?$"#,
    )
});

static USED: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"(?:\b(?:tokens?|context|budget|messages?|steps?|turns?|iterations?)[\ _-]?(?:so\ far\ )?(?:used|left|remaining|spent|consumed|usados|restantes)\b |
        \b(?:used|remaining|consumed)[\ _-](?:tokens?|context|budget|steps?|turns?|messages?) | \btoken[\ _]?(?:count|usage) |
        \b(?:current|this\ is)[\ _-](?:the[\ _])?(?:step|turn|iteration|round|attempt) | \b(?:turn|step|iteration|message)[\ _-](?:number|count|index))
        (?:\ is)?[\s:=\#>\x22']{1,6}$",
    )
});

static USED_AFTER: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"^(?:
        (?:\ ?(?:/|of|out\ of)\ ?[\d,._k]{1,12})?\ (?:tokens?|messages?|steps?|turns?|tool\ calls?)\ (?:used|left|remaining|spent|consumed|so\ far)\b |
        \ ?(?:/|of|out\ of)\ ?[\d,._]{1,10}k?\ tokens\b |
        %\ (?:of\ [^.\n]{0,16}\ )?(?:used|left|remaining|full|spent)\b)",
    )
});

static LIMIT: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r"\b(?:max(?:imum)?|limit|up\ to|at\ (?:most|least)|min(?:imum)?|if|when|once|under|over|below|than|every|with|keep)\b|\ [<>]=?\ ?$|\bmax_|\d\ ?(?:/|of|out\ of)\ ?$",
    )
});

static SECRET: LazyLock<Regex> = LazyLock::new(|| {
    pattern(
        r#"(?:\bnonce|\bcch|\bsalt|\brandom[_-]?(?:id|value)|\bcsrf(?:[_-]?token)?|\bcache[_-]?bust(?:er)?)["']?\s{0,3}[:=]\s{0,3}["']?$"#,
    )
});

/// Whether the words around it speak for a value.
pub(super) fn speaks(bytes: &[u8], value: &Volatile) -> bool {
    let before = &bytes[value.start.saturating_sub(BEFORE)..value.start];
    let after = &bytes[value.stop..bytes.len().min(value.stop + AFTER)];
    let line = before.iter().rposition(|byte| *byte == b'\n').map_or(before, |end| &before[end + 1..]);
    if EXAMPLE.is_match(line) {
        return false;
    }
    let written = &bytes[value.start..value.stop];
    match value.kind {
        VolatileKind::Clock => (NOW.is_match(before) || MADE.is_match(before)) && !is_midnight(written),
        VolatileKind::Date => NOW.is_match(before),
        VolatileKind::Identifier => OWNER.is_match(before) && !is_placeholder(written),
        VolatileKind::Counter => (USED.is_match(before) || USED_AFTER.is_match(after)) && !LIMIT.is_match(line),
        VolatileKind::Random => SECRET.is_match(before) && !is_placeholder(written),
    }
}

/// Whether a time only stands for its day: dates are written so where a time is asked for.
fn is_midnight(written: &[u8]) -> bool {
    written.windows(8).any(|window| window == b"00:00:00")
}

/// Whether an id is one that people write: zeros, 12345, abcdef, and the UUIDs of manuals.
fn is_placeholder(written: &[u8]) -> bool {
    const KNOWN: [&[u8]; 6] = [b"example", b"12345", b"abcdef", b"550e8400-e29b", b"00000", b"xxxx"];
    let lower = written.to_ascii_lowercase();
    KNOWN.iter().any(|known| lower.windows(known.len()).any(|window| window == *known)) || lower.starts_with(b"abc123")
}
