"""Who gets how much: the tokens of each section, as a function of the room alone, in integers.

Every grant grows with the room, and never shrinks: floors come first, by priority, then quotas, by priority, then the
rest by weight. That holds because what is asked for is a constant, or a share of the room, or the smaller of both, so
that it grows no faster than the room; and because what is shared out is exact. Tokens are counted in fractions of a
token so small that every share of the room is a whole number of them, and only what is granted is rounded, down.
"""

from collections.abc import Sequence
from itertools import groupby
from math import lcm
from typing import NamedTuple, TypeAlias

from ullage.budget import exact

Amount: TypeAlias = int | float | None


class Ask(NamedTuple):
    """What one section asks for.

    Attributes:
        needed: tokens without which nothing goes.
        wanted: tokens of all that it has.
        minimum, quota, maximum: of the section; None for no bound.
        priority: of the section.
        weight: of the section.
    """

    needed: int
    wanted: int
    minimum: Amount
    quota: Amount
    maximum: Amount
    priority: int
    weight: float


class Shares:
    """The sections' grants for any room.

    Args:
        asks: of the sections.
    """

    def __init__(self, asks: Sequence[Ask]) -> None:
        amounts = [amount for ask in asks for amount in (ask.minimum, ask.quota, ask.maximum)]
        self._unit = lcm(*(exact(amount).denominator for amount in amounts if isinstance(amount, float)))
        weights = [exact(ask.weight) for ask in asks]
        whole = lcm(*(weight.denominator for weight in weights))
        self._weights = [int(weight * whole) for weight in weights]
        # A level at which a section is full is compared as its tokens times this: all by one denominator.
        common = lcm(*self._weights)
        self._inverse = [common // weight for weight in self._weights]
        order = sorted(range(len(asks)), key=lambda at: -asks[at].priority)
        self._groups = [list(group) for _, group in groupby(order, key=lambda at: asks[at].priority)]
        self._asks = asks
        self._needed = [ask.needed * self._unit for ask in asks]
        wanted = [ask.wanted * self._unit for ask in asks]
        self._minimum, self._quota, self._maximum = (
            [self._bound(getattr(ask, name), most) for ask, most in zip(asks, wanted, strict=True)]
            for name in ("minimum", "quota", "maximum")
        )

    @property
    def enough(self) -> int:
        """A room in which every section gets the most that it can get."""
        return self._unit * sum(max(ask.needed, ask.wanted) for ask in self._asks)

    def maximum(self, room: int) -> list[int]:
        """The most that each section may take."""
        return [_at(bound, room) // self._unit for bound in self._maximum]

    def quota(self, room: int) -> list[int]:
        """What each section asks for before others get more."""
        return [_at(bound, room) // self._unit for bound in self._quota]

    def grants(self, room: int) -> list[int]:
        """Tokens of each section; they add up to no more than the room, which holds what is needed."""
        granted = list(self._needed)
        left = room * self._unit - sum(granted)
        maximum = [_at(bound, room) for bound in self._maximum]
        minimum = [min(_at(bound, room), most) for bound, most in zip(self._minimum, maximum, strict=True)]
        quota = [min(_at(bound, room), most) for bound, most in zip(self._quota, maximum, strict=True)]
        everyone = [range(len(granted))]
        for tops, groups in ((minimum, self._groups), (quota, self._groups), (maximum, everyone)):
            for group in groups:
                asked = {at: tops[at] - granted[at] for at in group if tops[at] > granted[at]}
                total = sum(asked.values())
                if total > left:
                    self._share(asked, left, granted)
                    return [tokens // self._unit for tokens in granted]
                for at, tokens in asked.items():
                    granted[at] += tokens
                left -= total
        return [tokens // self._unit for tokens in granted]

    def _share(self, asked: dict[int, int], left: int, granted: list[int]) -> None:
        """Share by weight what is left, which is less than is asked for: none gets more than it asks for."""
        weight = sum(self._weights[at] for at in asked)
        for at in sorted(asked, key=lambda at: (asked[at] * self._inverse[at], at)):
            own = self._weights[at]
            if asked[at] * weight > left * own:
                part = left * own // weight
                granted[at] += part
                # The rest is not taken off: all that are behind this one stand at the same level.
                continue
            granted[at] += asked[at]
            left -= asked[at]
            weight -= own

    def _bound(self, amount: Amount, most: int) -> "_Bound":
        if isinstance(amount, float):
            share = exact(amount) * self._unit
            return _Bound(most, int(share))
        return _Bound(most if amount is None else min(most, amount * self._unit), None)


class _Bound(NamedTuple):
    """The smaller of a constant and, where there is one, a share of the room."""

    constant: int
    share: int | None


def _at(bound: _Bound, room: int) -> int:
    return bound.constant if bound.share is None else min(bound.constant, bound.share * room)
