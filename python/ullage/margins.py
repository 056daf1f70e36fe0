"""How far a profile's estimates may be from the truth, at a stated rate of misses.

A margin is ``slope * tokens + spread * sqrt(tokens) + constant``: the slope is for a whole text that is unlike others,
the spread for the chance in short ones, whose errors do not average out. The slope of a text is a mean over the classes
of the script rule, by their shares in its estimate. The numbers come with the profile; they were found on sources of
text that it was not fitted on.
"""

import math
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

from ullage._core import ScriptCounts
from ullage.errors import InvalidProfile

# What a coefficient can be, so that no margin of an estimate of 64 bits is beyond a float.
_MOST = 1e9


class Side(NamedTuple):
    """The margin to one side, at one miss rate; the slopes are those of ASCII, of CJK and of everything else."""

    ascii: float
    cjk: float
    other: float
    spread: float
    constant: float

    def tokens(self, tokens: int, counts: ScriptCounts | None) -> float:
        """The margin of an estimate: of a text of these counts, or of any text."""
        return self.slope(counts) * tokens + self.chance(tokens)

    def slope(self, counts: ScriptCounts | None) -> float:
        """The share of an estimate: of a text of these counts, or of any text."""
        if counts is None:
            return max(self.ascii, self.cjk, self.other)
        ascii_, cjk, other = counts.ascii, 4 * counts.cjk, 2 * counts.other
        return (ascii_ * self.ascii + cjk * self.cjk + other * self.other) / max(1, ascii_ + cjk + other)

    def chance(self, tokens: int) -> float:
        """The part of the margin that does not depend on the scripts: texts may be put together for it."""
        return self.spread * math.sqrt(tokens) + self.constant


@dataclass(frozen=True, slots=True)
class Margins:
    """Margins to both sides at some miss rates; between them they are linear in the logarithm of the rate.

    Args:
        miss_rates: ascending.
        up: above the estimate, one for each miss rate, none of whose numbers rises with the rate.
        down: below the estimate, likewise.
    """

    miss_rates: tuple[float, ...]
    up: tuple[Side, ...]
    down: tuple[Side, ...]

    @classmethod
    def read(cls, about: Mapping[str, Any]) -> "Margins | None":
        """The margins in a profile file's line of JSON, or None where it has none.

        Raises:
            InvalidProfile: when they are not margins.
        """
        if "margins" not in about:
            return None
        try:
            margins = about["margins"]
            rates = tuple(float(rate) for rate in margins["miss_rates"])
            up, down = _sides(margins["up"]), _sides(margins["down"])
        except (AttributeError, KeyError, TypeError, ValueError, OverflowError) as error:
            raise InvalidProfile(f"the profile's margins cannot be read ({error!r}); fit it again") from None
        ascending = all(0 < rate < 1 for rate in rates) and all(low < high for low, high in pairwise(rates))
        if len(rates) < 2 or len(up) != len(rates) or len(down) != len(rates) or not ascending:
            raise InvalidProfile("the profile's margins need two or more ascending miss rates below 1; fit it again")
        for side in (up, down):
            falling = all(after <= before for pair in pairwise(side) for before, after in zip(*pair, strict=True))
            if not falling or not all(0 <= number <= _MOST for row in side for number in row):
                raise InvalidProfile("the profile's margins are out of bounds or grow with the miss rate; fit it again")
        return cls(rates, up, down)

    def high(self, tokens: int, miss_rate: float, counts: ScriptCounts | None = None) -> int:
        """The number that the truth exceeds at no more than the miss rate.

        Args:
            tokens: the estimate.
            miss_rate: within the stored ones.
            counts: of the text; without them the bound is for the script with the widest margin.
        """
        return tokens and math.ceil(tokens + self.above(miss_rate).tokens(tokens, counts))

    def above(self, miss_rate: float) -> Side:
        """The margin above an estimate at a miss rate within the stored ones."""
        return self._side(self.up, miss_rate)

    def low(self, tokens: int, miss_rate: float, counts: ScriptCounts | None = None) -> int:
        """The number that the truth is below at no more than the miss rate; the arguments are those of `high`."""
        return tokens and max(1, math.floor(tokens - self._side(self.down, miss_rate).tokens(tokens, counts)))

    def _side(self, sides: tuple[Side, ...], miss_rate: float) -> Side:
        rates = self.miss_rates
        if isinstance(miss_rate, bool | str) or not hasattr(miss_rate, "__float__"):
            raise TypeError(f"miss_rate must be a number, not {type(miss_rate).__name__}")
        if not rates[0] <= miss_rate <= rates[-1]:
            raise ValueError(
                f"miss_rate must be from {rates[0]:g} to {rates[-1]:g} with this profile, not {miss_rate:g}"
            )
        place = bisect_left(rates, miss_rate)
        if rates[place] == miss_rate:
            return sides[place]
        before, after = sides[place - 1], sides[place]
        share = math.log(miss_rate / rates[place - 1]) / math.log(rates[place] / rates[place - 1])
        return Side._make(low + share * (high - low) for low, high in zip(before, after, strict=True))


def _sides(margin: Mapping[str, Any]) -> tuple[Side, ...]:
    slopes = margin.get("slope_by_script") or dict.fromkeys(("ascii", "cjk", "other"), margin["slope"])
    columns = slopes["ascii"], slopes["cjk"], slopes["other"], margin["spread"], margin["constant"]
    return tuple(Side(*map(float, row)) for row in zip(*columns, strict=True))
