"""Values in the stable part of a request that the words around them call volatile."""

import re
from collections.abc import Iterator
from typing import NamedTuple

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

_HEAD = 64
_LONGEST_LINE = 400

_UNSENT = frozenset({"prompt_cache_key", "cachedContent", "cached_content", "config.cached_content"})
"""Settings that may be a session's own."""

_NOW = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:Z|[+-]\d\d:?\d\d)?")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")


class Value(NamedTuple):
    """The first value of its kind in a text.

    Attributes:
        leaf: the text.
        start: of the value in it.
        stop: its end.
        kind: what it is.
        others: so many more of its kind are in the text.
    """

    leaf: Leaf
    start: int
    stop: int
    kind: str
    others: int = 0


def volatile_values(subject: Subject) -> Iterator[Finding]:
    """Find clocks, dates, identifiers, counters and random values in tools, system prompt and first message."""
    for index, block in enumerate(subject.prelude):
        if block.path in _UNSENT or not subject.is_cached(index):
            continue
        for value in values(block):
            after = subject.after(index) + subject.estimator.estimate(value.leaf.text[value.stop :])
            lost = f"the messages and {after:,} tokens before them" if after else "the messages"
            yield _finding(value, f"What follows is then not read from the cache: {lost}.", "warning")
    for offset, block in enumerate(subject.first_message):
        if subject.is_cached(len(subject.prelude) + offset):
            for value in values(block):
                lost = "Where this message is made anew for each request, nothing after it is read from the cache."
                yield _finding(value, lost, "note")


def _finding(value: Value, lost: str, severity: Severity) -> Finding:
    leaf, start, stop, kind, others = value
    also = f" There are {others:,} more like it in this text." if others else ""
    return Finding(
        f"volatile-{kind.split()[-1]}",
        leaf.path,
        start,
        excerpt(leaf.text, start, stop),
        f"{leaf.text[start:stop]!r} is {_WHAT[kind]}. {lost}{also}",
        _FIX[kind],
        severity,
    )


def values(block: Block) -> Iterator[Value]:
    """The volatile values in a block: of each text, the first of each kind."""
    for leaf in leaves(block.value, block.path):
        if "examples" in leaf.keys or "example" in leaf.keys:
            continue
        if leaf.keys and leaf.keys[-1] == "default" and block.zone == "tools":
            if kind := _made_at_start(leaf.text):
                yield Value(leaf, 0, len(leaf.text), kind)
            continue
        first: dict[str, Value] = {}
        for start, stop, kind in _alone(leaf):
            known = first.get(kind)
            first[kind] = Value(leaf, start, stop, kind) if known is None else known._replace(others=known.others + 1)
        yield from first.values()


def _alone(leaf: Leaf) -> list[tuple[int, int, str]]:
    """The values for which the words around them speak, the key of the text among these."""
    key = leaf.keys[-1] if leaf.keys else ""
    before = f"{key}: " if isinstance(key, str) and key else ""
    found = [
        (start - len(before), stop - len(before), kind)
        for start, stop, kind in volatile(before + leaf.text, alone=True)
        if start >= len(before)
    ]
    if any(kind == "identifier" for *_, kind in found):
        many = sum(kind == "identifier" for *_, kind in volatile(leaf.text)) > _MANY
        found = [each for each in found if each[2] != "identifier" or not (many or _is_logged(leaf.text, each[0]))]
    return found


def _is_logged(text: str, start: int) -> bool:
    """Whether a place is in a line that begins with a time, as those of logs do."""
    line = text.rfind("\n", max(0, start - _LONGEST_LINE), start) + 1
    return any(at < _LOG_PREFIX for at, _, kind in volatile(text[line : line + _HEAD]) if kind == "clock")


def _made_at_start(text: str) -> str | None:
    """The kind of a default that was made when the program started: the time then, or a UUID."""
    if _NOW.fullmatch(text) and "00:00:00" not in text:
        return "default clock"
    return "default identifier" if _UUID.fullmatch(text) and len(set(text)) > 8 else None
