"""JSON whose keys come in no order: made from a map that keeps none."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import suppress

from ullage.errors import InvalidHistory
from ullage.prefix.linting.finding import Finding
from ullage.prefix.linting.leaves import leaves, walk
from ullage.prefix.linting.subject import Subject
from ullage.prefix.paths import joined

# Whoever writes objects by hand has an order or two for the same keys, and a slip here and there; a map without order
# has them all, and for nearly all keys.
_KEYS = 3
_OBJECTS = 4
_ORDERS = 3
_MOST = 0.6
_SHARE = 0.5


def key_order(subject: Subject) -> Iterator[Finding]:
    """Find objects of the same keys in ever new orders: inside one tool, setting, or JSON text of the system prompt."""
    for block in subject.prelude:
        yield from _of(block.value, block.path)
        for leaf in leaves(block.value, block.path):
            value = _json(leaf.text)
            if value is not None:
                with suppress(InvalidHistory):  # it nests deeper than a request may, but here it is text
                    yield from _of(value, leaf.path, is_text=True)


def _of(value: object, path: str, *, is_text: bool = False) -> Iterator[Finding]:
    orders: dict[frozenset[str], Counter[tuple[str, ...]]] = {}
    first: dict[tuple[str, ...], str] = {}
    for keys, item in walk(value, path):
        if isinstance(item, dict) and len(item) >= _KEYS:
            order = tuple(map(str, item))
            orders.setdefault(frozenset(order), Counter())[order] += 1
            first.setdefault(order, path if is_text else joined(path, *keys))
    often = [counts for counts in orders.values() if counts.total() >= _OBJECTS]
    mixed = [counts for counts in often if len(counts) >= _ORDERS and max(counts.values()) <= _MOST * counts.total()]
    if mixed and len(mixed) > _SHARE * len(often):
        one, other, *_ = mixed[0]
        yield Finding(
            "key-order",
            first[other],
            None,
            f"{', '.join(one)} / {', '.join(other)}",
            f"{mixed[0].total()} objects have the same keys in {len(mixed[0])} different orders, so the keys come from "
            "a map that keeps no order, and are likely to come in others next time.",
            "Sort the keys where the JSON is made: json.dumps(..., sort_keys=True).",
            "warning",
        )


def _json(text: str) -> object:
    """The JSON that a text is, or None."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
