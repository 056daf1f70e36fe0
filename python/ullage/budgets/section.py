"""`Section` and `Item`: what a request is made of, and what each part of it may take."""

import math
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from ullage.budgets.keep import Keep, LowestScoreFirst

Changes: TypeAlias = Literal["never", "session", "turn", "request"]
"""How often the content of a section changes, the most stable first: the order in which sections are sent."""

MOST = 1 << 40
"""No item has so many tokens; sums of fewer are 64-bit integers."""

_HEAVIEST = sys.float_info.max


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that stays or leaves as a whole.

    Attributes:
        content: a text, a message or a content block (a dict) of one of the formats; with `tokens`, anything.
        score: how much it is worth to the request; kept as a float.
        tokens: what it takes, where that is known; it is then not estimated.

    Raises:
        TypeError: when score is not a number, tokens not an integer, or the content another Item.
        ValueError: when score is not finite or no float, or tokens is out of range.
    """

    content: object
    score: float = 0.0
    tokens: int | None = None

    def __post_init__(self) -> None:
        if type(self.score) is not float:
            if isinstance(self.score, bool | str) or not hasattr(self.score, "__float__"):
                raise TypeError(f"score must be a number, not {type(self.score).__name__}")
            try:
                object.__setattr__(self, "score", float(self.score))
            except OverflowError:
                raise ValueError("score is out of the range of float; scores only compare with each other") from None
        if isinstance(self.content, Item):
            raise TypeError("the content of an Item is another Item; give what that holds")
        if not math.isfinite(self.score):
            raise ValueError(f"score is {self.score}; it must be a number that can be compared")
        if self.tokens is None:
            return
        if isinstance(self.tokens, bool) or not isinstance(self.tokens, int):
            raise TypeError(f"tokens must be int, not {type(self.tokens).__name__}")
        if not 0 <= self.tokens < MOST:
            raise ValueError(f"tokens is {self.tokens:,}; it must be 0 or more, and below {MOST:,}")


@dataclass(frozen=True, slots=True)
class Section:
    """A named share of a request.

    `quota`, `minimum` and `maximum` are tokens if they are int, and shares of what a request may take if they are
    float: 1 is a token, and 1.0 everything.

    Attributes:
        name: unique among the sections of a request.
        items: texts, messages or content blocks of one of the formats, or `Item` around one of them for a score or
            known tokens; one text alone is an item. Of one kind: messages do not mix with others.
        quota: what it asks for before others get more than they ask for; by default, all that it has.
        priority: if not all can have what they ask for, the lowest get less. The same priority shares by weight.
        keep: how it shrinks.
        minimum: what it gets before any section gets more than its minimum.
        maximum: what it never exceeds. The quota again, for a section that is to have nothing that others leave.
        weight: its part of what others leave, if it has more than its quota; above 0.
        changes: how often its content changes: the sections that change least are sent first.

    Raises:
        TypeError: when a value is of a wrong type.
        ValueError: when a value is out of range.
    """

    name: str
    items: tuple[object, ...]
    quota: int | float | None = None
    priority: int = 0
    keep: Keep = LowestScoreFirst()  # noqa: RUF009 - frozen
    minimum: int | float = 0
    maximum: int | float | None = None
    weight: float = 1
    changes: Changes = "request"

    def __init__(
        self,
        name: str,
        items: str | Item | Iterable[object],
        quota: int | float | None = None,
        priority: int = 0,
        keep: Keep = LowestScoreFirst(),  # noqa: B008 - frozen
        *,
        minimum: int | float = 0,
        maximum: int | float | None = None,
        weight: float = 1,
        changes: Changes = "request",
    ) -> None:
        if not isinstance(name, str):
            raise TypeError(f"a section's name must be str, not {type(name).__name__}")
        values = {
            "name": name,
            "items": _as_items(items, name),
            "quota": _amount(quota, "quota", name),
            "priority": priority,
            "keep": keep,
            "minimum": _amount(minimum, "minimum", name, optional=False),
            "maximum": _amount(maximum, "maximum", name),
            "weight": weight,
            "changes": changes,
        }
        if isinstance(priority, bool) or not isinstance(priority, int):
            raise TypeError(f"priority of section {name!r} must be int, not {type(priority).__name__}")
        if not isinstance(keep, Keep):
            raise TypeError(f"keep of section {name!r} must be Never(), OldestFirst() or the like, not {keep!r}")
        if isinstance(weight, bool) or not isinstance(weight, int | float):
            raise TypeError(f"weight of section {name!r} must be a number, not {type(weight).__name__}")
        if not 0 < weight <= _HEAVIEST:
            raise ValueError(f"weight of section {name!r} is {weight}; it must be above 0 and finite")
        if changes not in get_args(Changes):
            raise ValueError(
                f"changes of section {name!r} must be one of {', '.join(get_args(Changes))}, not {changes!r}"
            )
        if type(minimum) is type(maximum) and maximum is not None and minimum > maximum:
            raise ValueError(f"minimum of section {name!r} is {minimum:,}, above its maximum of {maximum:,}")
        for field, value in values.items():
            object.__setattr__(self, field, value)


def _as_items(items: str | Item | Iterable[object], name: str) -> tuple[object, ...]:
    if isinstance(items, str | Item):
        return (items,)
    if isinstance(items, bytes | dict) or not isinstance(items, Iterable):
        raise TypeError(f"items of section {name!r} must be a text or an iterable of items, not {type(items).__name__}")
    return tuple(items)


def _amount(value: int | float | None, what: str, name: str, *, optional: bool = True) -> int | float | None:
    if value is None and optional:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(
            f"{what} of section {name!r} must be tokens (int) or a share (float), not {type(value).__name__}"
        )
    if not value >= 0:
        raise ValueError(f"{what} of section {name!r} is {value:,}; it must be 0 or more")
    if isinstance(value, float) and value > 1:
        raise ValueError(f"{what} of section {name!r} is {value:g}, a share above 1; write tokens as int")
    return value
