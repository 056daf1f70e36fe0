"""Pins given as indices: the checks that fitting and compaction share."""

from collections.abc import Collection


def as_indices(pins: Collection[int]) -> frozenset[int]:
    """The indices, once and for all.

    Raises:
        TypeError: when one is not an int.
    """
    found = frozenset(pins)
    for pin in found:
        if isinstance(pin, bool) or not isinstance(pin, int):
            raise TypeError(f"a pin must be the int of a message, not {type(pin).__name__}")
    return found


def check_indices(pins: Collection[int], count: int) -> None:
    """Refuse an index that none of so many messages has.

    Raises:
        ValueError: when there is one.
    """
    for index in pins:
        if not 0 <= index < count:
            raise ValueError(f"there is no message {index} to pin; there are {count}, counted from 0")
