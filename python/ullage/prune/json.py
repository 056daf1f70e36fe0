"""JSON values cut down to some fields, so many items, and a budget.

A value goes in and a value comes out: a tool's handler holds a list or a dict, and whatever calls it writes it as text.
Text that holds JSON is for `pruned`, which reads it and writes it again.

One number drives the cutting, `_Caps`: the longest lists and strings are cut first, whole records stay longer than long
lists of them, and what is short is not touched.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple, TypeVar

from ullage.prune.limit import Limit, TokenEstimator, largest
from ullage.prune.marks import characters_behind, characters_mark, items_behind, items_mark

V = TypeVar("V")

MAX_DEPTH = 200
"""Levels of nesting. Python's own reader and writer of JSON give up between here and a thousand."""

MAX_VALUES = 100_000_000
"""Values written out. A structure that shares its parts can be small in memory and endless as text."""

_LONG = 14_000
"""Bits; Python itself refuses to write numbers of more than 4300 decimal digits, which is a few more."""

_MARK_KEY = "..."
_KEYS_PER_ITEM = 8
_CHARACTERS_PER_ITEM = 32


class _Caps(NamedTuple):
    items: int
    keys: int
    characters: int

    @classmethod
    def of(cls, size: int) -> "_Caps":
        return cls(size, size * _KEYS_PER_ITEM, size * _CHARACTERS_PER_ITEM)


def prune_json(
    value: V,
    *,
    fields: Iterable[str] | None = None,
    max_items: int | None = None,
    max_tokens: int | None = None,
    estimator: TokenEstimator | None = None,
) -> V:
    """``value`` with the listed fields, at most ``max_items`` items a list, and no more tokens than ``max_tokens``.

    A cut list ends in ``"[... truncated, 37 more items]"``, a cut string in ``"[... truncated, 512 characters]"``, a
    cut object has a key ``"..."`` that counts the others. Fields that are not listed go without a mark: who wrote the
    handler left them out. The input is never changed; what is not cut is the same object, up to the whole value.

    Args:
        value: What ``json.dumps`` can write: dicts with such keys, lists, tuples, texts, numbers, None.
        fields: Paths of the keys to keep, from the top: ``"total"``, ``"results.title"``. Lists on the way are passed
            through, a kept key is kept whole, and a dot may also be part of a key. An object with none of the fields
            stays whole, so that an error answer is not lost.
        max_items: Items kept of every list, at every level.
        max_tokens: Tokens of ``json.dumps(result, ensure_ascii=False)`` by ``estimator``.
        estimator: What counts; the script rule by default.

    Raises:
        TypeError: Something in ``value`` is not JSON; the path is named.
        ValueError: ``value`` contains itself or is nested deeper than 200 levels (with the path), or the budget
            does not hold a mark for all of it.

    >>> found = {"total": 3, "results": [{"title": "Tea", "html": "<p>"}, {"title": "Rye"}, {"title": "Oat"}]}
    >>> prune_json(found, fields=["total", "results.title"], max_items=2)
    {'total': 3, 'results': [{'title': 'Tea'}, {'title': 'Rye'}, '[... truncated, 1 more items]']}

    """
    longest = _check(value)
    if max_items is not None and max_items < 0:
        raise ValueError(f"max_items is {max_items}; a number of items cannot be negative")
    kept: Any = value
    if fields is not None:
        kept = _select(kept, tuple([fields] if isinstance(fields, str) else fields))
    if max_items is not None:
        kept = _cut(kept, _Caps(max_items, longest, longest))
    if max_tokens is not None:
        kept = _fit(kept, Limit(max_tokens, estimator), longest)
    result: V = kept
    return result


def _check(value: object) -> int:
    """Raise for what is not JSON; the length of the longest list, object or text in ``value``."""
    longest = 0
    path: list[str] = []
    inside: set[int] = set()
    # A container that occurs twice is checked once, but counted as often as it would be written.
    written: dict[int, int] = {}

    def where() -> str:
        shown = path if len(path) < 12 else [*path[:6], " ... ", *path[-4:]]
        return "".join(["$", *shown])

    def visit(value: object) -> int:
        nonlocal longest
        if value is None or isinstance(value, (bool, int, float)):
            if isinstance(value, int) and value.bit_length() > _LONG:
                raise ValueError(f"{where()} is a number of {value.bit_length()} bits, too long for JSON")
            return 1
        if isinstance(value, str):
            longest = max(longest, len(value))
            return 1
        if not isinstance(value, (dict, list, tuple)):
            raise TypeError(f"{where()} is {type(value).__name__}, which is not JSON")
        if id(value) in inside:
            raise ValueError(f"{where()} contains itself")
        if len(path) >= MAX_DEPTH:
            raise ValueError(f"{where()} is nested deeper than {MAX_DEPTH} levels")
        if id(value) in written:
            return written[id(value)]
        inside.add(id(value))
        longest = max(longest, len(value))
        count = 1
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            if not (key is None or isinstance(key, (str, int, float))):
                raise TypeError(f"{where()} has a key of type {type(key).__name__}, which is not JSON")
            path.append(f".{key}" if isinstance(value, dict) else f"[{key}]")
            count += visit(item)
            path.pop()
        if count > MAX_VALUES:
            raise ValueError(f"{where()} would be written as more than {MAX_VALUES} values")
        inside.discard(id(value))
        written[id(value)] = count
        return count

    visit(value)
    return longest


def _select(value: object, fields: Sequence[str]) -> object:
    if isinstance(value, (list, tuple)):
        return _same_or(value, [_select(item, fields) for item in value])
    if not isinstance(value, dict):
        return value
    kept: dict[object, object] = {}
    for key, item in value.items():
        name = str(key)
        if name in fields:
            kept[key] = item
        elif below := [field[len(name) + 1 :] for field in fields if field.startswith(name + ".")]:
            kept[key] = _select(item, below)
    return _same_or(value, kept) if kept else value


def _fit(value: object, limit: Limit, longest: int) -> object:
    def fits(candidate: object) -> bool:
        return limit.holds(json.dumps(candidate, ensure_ascii=False))

    def most(caps: Callable[[int], _Caps]) -> int:
        """The largest size whose caps make the value fit; 0 if none does."""
        found = largest(lambda size: (size, _cut(value, caps(size))), lambda one: fits(one[1]), longest + 1)
        return found[0] if found else 0

    if fits(value):
        return value
    least = _cut(value, _Caps(0, 0, 0))
    if not fits(least):
        raise limit.refuse(json.dumps(least, ensure_ascii=False))
    size = most(_Caps.of)
    caps = _Caps.of(size)
    # What is left of the budget goes to more keys where there were none, to more items, and to more of each text.
    caps = caps._replace(keys=max(caps.keys, most(lambda keys: caps._replace(keys=keys))))
    caps = caps._replace(items=max(caps.items, most(lambda items: caps._replace(items=items))))
    caps = caps._replace(characters=max(caps.characters, most(lambda length: caps._replace(characters=length))))
    return _cut(value, caps)


def _cut(value: object, caps: _Caps) -> object:
    """``value`` within ``caps``; the same object where nothing had to go."""
    if isinstance(value, str):
        if len(value) <= caps.characters + len(characters_mark(len(value))):
            return value
        return value[: caps.characters] + characters_mark(characters_behind(value, caps.characters))
    if isinstance(value, (list, tuple)):
        missing = items_behind(value[-1]) if value else 0
        present = len(value) - (missing > 0)
        kept = [_cut(item, caps) for item in value[: min(present, caps.items)]]
        if present > caps.items:
            kept.append(items_mark(missing + present - caps.items))
        elif missing:
            kept.append(value[-1])
        return _same_or(value, kept)
    if isinstance(value, dict):
        missing = items_behind(value.get(_MARK_KEY), "keys")
        present = len(value) - (missing > 0)
        keys = (key for key in value if not (missing and key == _MARK_KEY))
        fields = {key: _cut(value[key], caps) for key in islice(keys, caps.keys)}
        if present > caps.keys:
            fields[_free_key(fields)] = items_mark(missing + present - caps.keys, "keys")
        elif missing:
            fields[_MARK_KEY] = value[_MARK_KEY]
        return _same_or(value, fields)
    return value


def _free_key(fields: dict[object, object]) -> str:
    key = _MARK_KEY
    while key in fields:
        key += "."
    return key


def _same_or(old: Collection[object], new: Collection[object]) -> object:
    """``old`` if ``new`` holds the very same items in the same order, else ``new``."""
    if len(old) != len(new):
        return new
    return old if all(one is other for one, other in zip(_items(old), _items(new), strict=True)) else new


def _items(value: Collection[object]) -> Iterator[object]:
    return chain(value, value.values()) if isinstance(value, dict) else iter(value)
