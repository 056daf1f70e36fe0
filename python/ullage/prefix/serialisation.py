"""Whether two values say the same and are only written in another way: order of keys, white space, numbers, escapes.

The same is asked of texts, which may be JSON or have JSON in them (the ``arguments`` of a call, the result of a tool).
"""

import json
import re
from collections.abc import Iterator
from decimal import Decimal, InvalidOperation
from typing import Any, Literal, TypeAlias
from unicodedata import normalize

from ullage.prefix.similarity import shared

Form: TypeAlias = Literal["key order", "white space", "number form", "escape form", "normalisation"]

FORMS: tuple[Form, ...] = ("white space", "normalisation", "escape form", "number form", "key order")
"""In the order in which they are tried."""

_ESCAPE = re.compile(r'\\(?:u([0-9a-fA-F]{4})|(["\\/bfnrt]))')
_SHORT = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?(?![\w]|\.\d)")
_SEPARATOR = re.compile("(?<=\\d)[.,'\u2019\u00a0\u202f](?=\\d)")
"""What stands between the digits of a number, in one language or another."""
_UNSEEN = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufe00-\ufe0f\ufeff]")
"""Soft hyphens, zero width spaces and joiners, marks of direction, variation selectors, byte order marks."""
_SPACE = re.compile(r"\s+")
LONGEST = 1 << 20
"""Of texts longer than this, only what differs is looked at."""
MARGIN = 64
_STARTS = 8
"""So many brackets before a change are tried as the start of the JSON that it is in."""


class _Written(str):
    """A number in JSON, as it is written."""

    __slots__ = ()


def form_of(old: object, new: object) -> Form | None:
    """The one way in which two values are written differently; None where they differ in more than their form.

    Of several ways at once, the first of `FORMS` with which, and those before it, all is the same.

    >>> form_of({"a": 1, "b": 2}, {"b": 2, "a": 1}), form_of('{"x": 1.0}', '{"x": 1}')
    ('key order', 'number form')
    """
    if isinstance(old, str) and isinstance(new, str) and max(len(old), len(new)) > LONGEST:
        old, new = _middles(old, new)
        if len(old) > LONGEST or len(new) > LONGEST:
            return None
    ways: list[set[Form]] = [{form} for form in FORMS] + [set(FORMS[: index + 1]) for index in range(1, len(FORMS))]
    try:
        for way in ways:
            if _plain(old, way) == _plain(new, way):
                return max(way, key=FORMS.index)
    except RecursionError:  # JSON in a text may nest deeper than any value; then it is not followed
        pass
    if isinstance(old, str) and isinstance(new, str) and _SEPARATOR.sub(".", old) == _SEPARATOR.sub(".", new):
        return "number form"  # 1,000.50 and 1.000,50
    return None


def _middles(old: str, new: str) -> tuple[str, str]:
    """What differs of two long texts, with a little on either side, which is all that most forms are about."""
    start = max(0, shared(old, new) - MARGIN)
    end = max(0, shared(old[start + MARGIN :][::-1], new[start + MARGIN :][::-1]) - MARGIN)
    return old[start : len(old) - end], new[start : len(new) - end]


def _plain(value: object, without: set[Form], depth: int = 0) -> object:
    """A value with one way of writing in place of each of these; equal, otherwise, by type and order."""
    if isinstance(value, _Written):
        return ("written", _text_number(value) if "number form" in without else str(value))
    if isinstance(value, str):
        return _plain_text(value, without, depth)
    if isinstance(value, bool) or value is None:
        return ("constant", value)
    if isinstance(value, int | float):
        return ("number", _number(value)) if "number form" in without else (type(value), _bits(value))
    if isinstance(value, list | tuple):
        return ("list", tuple(_plain(item, without, depth) for item in value))
    if isinstance(value, dict):
        members = [(_plain(key, without, depth), _plain(item, without, depth)) for key, item in value.items()]
        if "key order" in without:
            members.sort(key=lambda member: repr(member[0]))
        return ("dict", tuple(members))
    return ("other", type(value), value)


def _number(value: int | float) -> object:
    return int(value) if isinstance(value, float) and value.is_integer() else _bits(value)


def _bits(value: int | float) -> object:
    return value.hex() if isinstance(value, float) else value


def _plain_text(text: str, without: set[Form], depth: int) -> object:
    if "key order" in without and depth < 4:
        parsed = _embedded(text)
        if parsed is not None:
            before, value, after = parsed
            return ("text", before, _plain(value, without, depth + 1), after)
    if "white space" in without:
        text = _SPACE.sub("", text)
    if "normalisation" in without:
        text = normalize("NFKC", _UNSEEN.sub("", text))
    if "escape form" in without:
        text = unescaped(text)
    if "number form" in without:
        text = _NUMBER.sub(lambda found: _text_number(found[0]), text)
    return text


def unescaped(text: str) -> str:
    r"""A text whose JSON escapes are written out.

    >>> unescaped(r"caf\u00e9 \ud83d\ude00")
    'café 😀'
    """
    plain = _ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else _SHORT.get(found[2], found[2]), text)
    return plain.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")


def _text_number(written: str) -> str:
    """A number as it is written in the shortest way, exactly: its digits, and a power of ten.

    >>> _text_number("1e5") == _text_number("100000.0"), _text_number("0.10")
    (True, '1e-1')
    """
    try:
        sign, digits, power = Decimal(written).as_tuple()
    except InvalidOperation:
        return written
    whole = "".join(map(str, digits)).lstrip("0")
    short = whole.rstrip("0")
    if not short or not isinstance(power, int):
        return "0" if isinstance(power, int) else written
    return f"{'-' * sign}{short}e{power + len(whole) - len(short)}"


def _embedded(text: str) -> tuple[str, Any, str] | None:
    """The first JSON object or list in a text, with what is before and behind it; None without one."""
    decoder = json.JSONDecoder(parse_constant=_Written, parse_int=_Written, parse_float=_Written)
    for start in _brackets(text):
        try:
            value, stop = decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            continue
        return text[:start], value, text[stop:]
    return None


def _brackets(text: str) -> Iterator[int]:
    start = -1
    for _ in range(_STARTS):
        start = min((at for at in (text.find("{", start + 1), text.find("[", start + 1)) if at >= 0), default=-1)
        if start < 0:
            return
        yield start
