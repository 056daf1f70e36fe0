"""Values in the stable part of a request that the words around them call volatile."""

import re
from collections.abc import Iterator

from ullage._core import volatile
from ullage.prefix.assembly import Block
from ullage.prefix.linting.finding import Finding, Severity, excerpt
from ullage.prefix.linting.leaves import Leaf, leaves
from ullage.prefix.linting.subject import Subject

_WHAT = {
    "clock": "a clock, which differs in every request",
    "date": "a date, which differs every day",
    "identifier": "an identifier, which differs in every session or request",
    "counter": "a counter, which differs in every request",
    "random": "a random value, which differs in every request",
    "default clock": "the time at which the tool was made, which differs in every process",
    "default identifier": "an identifier made with the tool, which differs in every process",
}
_FIX = {
    "clock": "Leave it out, or tell the time in the newest user message.",
    "date": "Tell the date in the newest user message; where it must stay here, each new day costs one miss.",
    "identifier": "Leave it out of the prompt, or send it beside the prompt as metadata.",
    "counter": "Tell it in the newest message, or leave it out.",
    "random": "Leave it out, or take the same value for the whole session.",
    "default clock": "Leave the default out of the schema, and fill it in where the call is handled.",
    "default identifier": "Leave the default out of the schema, and fill it in where the call is handled.",
}

_MANY = 5
"""More identifiers in one text are data that somebody put there, records or a listing, and no template."""

_LOG_PREFIX = 4
"""A time within so many characters of a line's start makes it a line of a log."""

_UNSENT = frozenset({"prompt_cache_key", "cachedContent", "cached_content", "config.cached_content"})
"""Settings that may be a session's own."""

_NOW = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


def volatile_values(subject: Subject) -> Iterator[Finding]:
    """Find clocks, dates, identifiers, counters and random values in tools, system prompt and first message."""
    for index, block in enumerate(subject.prelude):
        if block.path in _UNSENT or not subject.is_cached(index):
            continue
        for leaf, start, stop, kind in values(block):
            after = subject.after(index) + subject.estimator.estimate(leaf.text[stop:])
            lost = f"the messages and {after:,} tokens before them" if after else "the messages"
            yield _finding(leaf, start, stop, kind, f"What follows is then not read from the cache: {lost}.", "warning")
    for offset, block in enumerate(subject.first_message):
        if subject.is_cached(len(subject.prelude) + offset):
            for leaf, start, stop, kind in values(block):
                lost = "Where this message is made anew for each request, nothing after it is read from the cache."
                yield _finding(leaf, start, stop, kind, lost, "note")


def _finding(leaf: Leaf, start: int, stop: int, kind: str, lost: str, severity: Severity) -> Finding:
    value = leaf.text[start:stop]
    rule, fix = f"volatile-{kind.split()[-1]}", _FIX[kind]
    return Finding(
        rule, leaf.path, start, excerpt(leaf.text, start, stop), f"{value!r} is {_WHAT[kind]}. {lost}", fix, severity
    )


def values(block: Block) -> Iterator[tuple[Leaf, int, int, str]]:
    """The volatile values in a block: the text, where in it, and the kind."""
    for leaf in leaves(block.value, block.path):
        if "examples" in leaf.keys or "example" in leaf.keys:
            continue
        if leaf.keys and leaf.keys[-1] == "default" and block.zone == "tools":
            kind = _made_at_start(leaf.text)
            if kind is not None:
                yield leaf, 0, len(leaf.text), kind
            continue
        key = leaf.keys[-1] if leaf.keys else ""
        before = f"{key}: " if isinstance(key, str) and key else ""
        found = [
            (start - len(before), stop - len(before), kind)
            for start, stop, kind in volatile(before + leaf.text, alone=True)
            if start >= len(before)
        ]
        for start, stop, kind in found:
            if kind != "identifier" or not _is_data(leaf.text, start):
                yield leaf, start, stop, kind


def _is_data(text: str, start: int) -> bool:
    """Whether an identifier stands in a record of something past: in a line that begins with a time, or among many."""
    line = text[text.rfind("\n", 0, start) + 1 : start]
    if any(at < _LOG_PREFIX for at, _, kind in volatile(line) if kind == "clock"):
        return True
    return sum(kind == "identifier" for *_, kind in volatile(text)) > _MANY


def _made_at_start(text: str) -> str | None:
    """The kind of a default that was made when the program started: the time then, or a UUID."""
    if _NOW.fullmatch(text) and "00:00:00" not in text:
        return "default clock"
    return "default identifier" if _UUID.fullmatch(text) and len(set(text)) > 8 else None
