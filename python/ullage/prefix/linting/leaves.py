"""The texts in a value, with where each stands."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from ullage.errors import InvalidHistory
from ullage.formats.record import MAX_DEPTH, MEDIA_TYPE_KEYS, is_data_uri
from ullage.prefix.markers import KEYS
from ullage.prefix.paths import joined
from ullage.prefix.sent import named_fields

_FILE = KEYS | {"data"}
"""What is no text beside a media type."""

_LARGEST = 1e18
"""A number beyond this is no time in any unit, and may take long to write."""


class Leaf(NamedTuple):
    """A text in a value.

    Attributes:
        path: of the text.
        keys: that lead to it.
        text: itself; a number as it is written.
    """

    path: str
    keys: tuple[str | int, ...]
    text: str


def leaves(value: object, path: str) -> Iterator[Leaf]:
    """Every text and number in a value, in order; what is a marker or a file is left out.

    Raises:
        InvalidHistory: when the value nests deeper than 256, or holds itself.
    """
    for keys, item in walk(value, path):
        if isinstance(item, str):
            if not is_data_uri(item):
                yield Leaf(joined(path, *keys), keys, item)
        elif isinstance(item, int | float) and not isinstance(item, bool) and abs(item) < _LARGEST:
            yield Leaf(joined(path, *keys), keys, repr(item))


def walk(value: object, path: str) -> Iterator[tuple[tuple[str | int, ...], object]]:
    """Everything in a value, containers before what is in them, with the keys that lead there."""
    stack: list[tuple[tuple[str | int, ...], object]] = [((), value)]
    while stack:
        keys, item = stack.pop()
        if len(keys) > MAX_DEPTH:
            raise InvalidHistory(path, f"values nest at most {MAX_DEPTH} deep, without cycles")
        yield keys, item
        inner: list[tuple[str | int, object]] = []
        named: Mapping[str, object] | None = named_fields(item)
        if named is not None:
            without = KEYS if MEDIA_TYPE_KEYS.isdisjoint(named) or not isinstance(named.get("data"), str) else _FILE
            inner = [(str(key), member) for key, member in named.items() if key not in without]
        elif isinstance(item, Sequence) and not isinstance(item, str | bytes):
            inner = [*enumerate(item)]
        stack += [((*keys, key), member) for key, member in reversed(inner)]
