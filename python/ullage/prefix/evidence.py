"""What a text has at the place where it changed: a clock, a date, an identifier, a counter, a random value."""

import json
from typing import Literal, NamedTuple, TypeAlias

from ullage._core import volatile
from ullage.prefix.kinds import shared

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
            same = kind == new_kind or {kind, new_kind} == {"clock", "date"}
            if same and new_begin <= at <= new_end and before[begin:end] != after[new_begin:new_end]:
                rest = _masked(before, spans) == _masked(after, new_spans)
                return Ticked(_KINDS[new_kind], before[begin:end], after[new_begin:new_end], rest)
    return None


def _text(value: object, told: str) -> str | None:
    if isinstance(value, str):
        return f'{told}"{value}"' if told else value
    if isinstance(value, int | float) and not isinstance(value, bool) and told:
        return f"{told}{value!r}"
    return None


def _masked(text: str, spans: list[tuple[int, int, str]]) -> str:
    """A text without its volatile values; the window may have cut what is at its end."""
    pieces, position = [], 0
    for begin, end, kind in spans:
        pieces.append(f"{text[position:begin]}<{kind}>")
        position = end
    return ("".join(pieces) + text[position:])[: _WINDOW // 2]
