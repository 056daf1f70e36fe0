"""What a text has at the place where it changed: a clock, a date, an identifier, a counter, a random value."""

import json
import re
from datetime import date
from typing import Literal, NamedTuple, TypeAlias

from ullage._core import volatile
from ullage.prefix.similarity import shared

Span: TypeAlias = tuple[int, int, str]
Kind: TypeAlias = Literal["clock", "date", "identifier", "counter", "random value"]

_KINDS: dict[str, Kind] = {
    "clock": "clock",
    "date": "date",
    "identifier": "identifier",
    "counter": "counter",
    "random": "random value",
}
_WINDOW = 256
"""So many characters before and behind a change are looked at."""
_SOME_DAYS = 7
_WORD_CHARACTERS = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"
_WORD = re.compile(r"[A-Za-z0-9_-]+")
_NUMBER = re.compile(r"\d+")
_NAME = re.compile(r"""\w["']?\s*[:=]\s*["']?$""")
_ID_NAME = re.compile(
    r"""(?:(?:\b|[_-])(?:id|uuid|guid|pid|ID|UUID|PID)|[a-z](?:Id|ID|Uuid|UUID))["']?\s*[:=]\s*["']?$"""
)
_FORMS: tuple[tuple[Kind, re.Pattern[str]], ...] = (
    ("counter", re.compile(r"(?<![\w.])\d+\.\d+\s?(?:[mµn]?s|sec|secs|seconds|min|minutes)\b")),  # what was measured
    ("random value", re.compile(r"(?:(?<=localhost:)|(?<=\d\.\d:)|(?<=\.\d\d:)|(?<=\.\d\d\d:))\d{4,5}\b")),  # a port
    ("random value", re.compile(r"(?:/tmp|/var/folders|\\Temp)[/\\][\w.+/\\-]+")),  # a temporary file
)
"""What is sure to be made anew where it changed, and often is not where nothing is known of a change."""
_TURN = re.compile(r"(?<=[A-Za-z])(?=\d)|(?<=\d)(?=[A-Za-z])")
_MADE = 8
_TURNS = 3
"""A word of so many characters and turns from letter to digit, or more of them, was made by chance."""
_PLAIN_KEYS = frozenset({"text", "content", "thinking", "arguments", "input", "output", "description", "parts", "data"})


class Ticked(NamedTuple):
    """A value that changed.

    Attributes:
        kind: what it is.
        old: as it was written.
        new: as it is.
        all: whether nothing else differs near it.
    """

    kind: Kind
    old: str
    new: str
    all: bool


def ticked(old: object, new: object, key: object) -> Ticked | None:
    """The value that changed between two texts (or two numbers under a key); None where it is none of these.

    Only what has the form of such a value in both texts, at the first place where they differ, is one.

    >>> ticked("It is 17:11.", "It is 17:12.", "text")
    Ticked(kind='clock', old='17:11', new='17:12', all=True)
    >>> ticked("Use version 1.2.3.", "Use version 1.2.4.", "text") is None
    True
    """
    told = f"{json.dumps(key)}: " if isinstance(key, str) and key not in _PLAIN_KEYS else ""
    before, after = _text(old, told), _text(new, told)
    if before is None or after is None:
        return None
    at = shared(before, after)
    start = max(0, at - _WINDOW)
    before, after, at = before[start : at + _WINDOW], after[start : at + _WINDOW], at - start
    spans, new_spans = volatile(before), volatile(after)
    for begin, end, kind in spans:
        if not begin <= at <= end:
            continue
        for new_begin, new_end, new_kind in new_spans:
            old_value, new_value = before[begin:end], after[new_begin:new_end]
            told_by = _same_kind(kind, new_kind)
            if told_by is None or not new_begin <= at <= new_end or old_value == new_value:
                continue
            if told_by == "date" and _is_version(before[:begin], old_value, new_value):
                continue
            return Ticked(told_by, old_value, new_value, _masked(before, spans) == _masked(after, new_spans))
    if (found := _by_form(before, after, at)) is not None:
        return found
    start = at - len(before[:at]) + len(before[:at].rstrip(_WORD_CHARACTERS))
    words = _WORD.match(before, start), _WORD.match(after, start)
    if words[0] is None or words[1] is None:
        return None
    values = words[0][0], words[1][0]
    ends = words[0].end(), words[1].end()
    near = {kind for begin, end, kind in (*spans, *new_spans) if begin <= at <= end}
    if (by_name := _by_name(before[:start], values, near)) is not None:
        return Ticked(by_name, *values, _same_behind(before[ends[0] :], after[ends[1] :]))
    return _remade(_behind(before, ends[0], spans), _behind(after, ends[1], new_spans))


def _by_form(before: str, after: str, at: int) -> Ticked | None:
    """The value at a place that has one of the forms of what is made anew, in both texts."""
    for kind, pattern in _FORMS:
        old, new = _around(pattern, before, at), _around(pattern, after, at)
        if old is not None and new is not None and old[0] != new[0]:
            return Ticked(kind, old[0], new[0], _same_behind(before[old.end() :], after[new.end() :]))
    return None


def _around(pattern: re.Pattern[str], text: str, at: int) -> re.Match[str] | None:
    return next((found for found in pattern.finditer(text) if found.start() <= at <= found.end()), None)


def _same_behind(old: str, new: str) -> bool:
    """Whether two texts are the same; the window may have cut one of them earlier."""
    length = min(len(old), len(new))
    return old[:length] == new[:length]


def _by_name(told: str, values: tuple[str, str], near: set[str]) -> Kind | None:
    """What a name in front of a value says: an id, or that one of the same length is random; or what both look like."""
    if _ID_NAME.search(told):
        return "identifier"
    if len(values[0]) != len(values[1]):
        return None
    named = near & {"random", "identifier"} and _NAME.search(told)
    return "random value" if named or all(map(_is_made, values)) else None


def _is_made(word: str) -> bool:
    """Whether letters and digits of a word take turns as those of no name do."""
    return len(word) >= _MADE and len(_TURN.findall(word)) >= _TURNS


def _remade(old: tuple[str, list[Span]], new: tuple[str, list[Span]]) -> Ticked | None:
    """The next value that changed, where the texts behind a change differ by such values and numbers only.

    The text is then made anew each time, and what changed first changes with it.
    """
    if _NUMBER.sub("#", _masked(*old)) != _NUMBER.sub("#", _masked(*new)):
        return None
    for (begin, end, kind), (new_begin, new_end, _) in zip(old[1], new[1], strict=False):
        values = old[0][begin:end], new[0][new_begin:new_end]
        if values[0] != values[1]:
            return Ticked(_KINDS[kind], *values, all=False)
    return None


def _behind(text: str, start: int, spans: list[Span]) -> tuple[str, list[Span]]:
    return text[start:], [(begin - start, end - start, kind) for begin, end, kind in spans if begin >= start]


def _same_kind(old: str, new: str) -> Kind | None:
    """The kind of a value of two: a day with and without its time is a clock, an id under a telling name is random."""
    for first in (old, new):
        if old == new or ({old, new} in ({"clock", "date"}, {"random", "identifier"}) and first in ("clock", "random")):
            return _KINDS[first]
    return None


def _is_version(before: str, old: str, new: str) -> bool:
    """Whether a date is a part of a name (``model-2024-05-13``) and did not just move on by some days."""
    if not re.search(r"\w-$", before):
        return False
    days = [_day(written) for written in (old, new)]
    return days[0] is None or days[1] is None or abs((days[1] - days[0]).days) > _SOME_DAYS


def _day(written: str) -> date | None:
    digits = re.sub(r"\D", "", written)
    try:
        return date(int(digits[:4]), int(digits[4:6]), int(digits[6:8])) if len(digits) == 8 else None
    except ValueError:
        return None


def _text(value: object, told: str) -> str | None:
    if isinstance(value, str):
        return f'{told}"{value}"' if told else value
    if isinstance(value, int | float) and not isinstance(value, bool) and told and abs(value) < 2**64:
        return f"{told}{value!r}"
    return None


def _masked(text: str, spans: list[Span]) -> str:
    """A text without its volatile values; the window may have cut what is at its end."""
    pieces, position = [], 0
    for begin, end, kind in spans:
        pieces.append(f"{text[position:begin]}<{kind}>")
        position = end
    return ("".join(pieces) + text[position:])[: _WINDOW // 2]
