"""`Ladder`: the units of a section in the order in which they stay, and what the first so many of them cost.

The order does not depend on the budget. So a section of more tokens holds all that it held with fewer.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

import numpy as np

from ullage.budgets.keep import HeadAndTail, Keep, LowestScoreFirst, Never, OldestFirst, Truncate, Whole
from ullage.budgets.measure import Measured


class Ladder:
    """A section from nothing to all of it.

    Args:
        measured: the section.

    Attributes:
        measured: the section.
        grouped: whether some units are of several items.
        unit_costs: tokens of each unit.
        order: numbers of units, in the order in which they stay.
        sums: tokens of the first so many of them.
        wanted: tokens of all.
    """

    def __init__(self, measured: Measured) -> None:
        self.measured = measured
        keep = measured.section.keep
        self.grouped = len(measured.starts) != len(measured.costs)
        self.unit_costs = measured.costs
        if self.grouped:
            self.unit_costs = [
                sum(measured.costs[at] for at in self.units(unit)) for unit in range(len(measured.starts))
            ]
        self.order = self._order(keep)
        self.sums = [0, *accumulate(map(self.unit_costs.__getitem__, self.order))]
        self.wanted = self.sums[-1]
        self._whole = isinstance(keep, Never | Whole)
        # What is cut or chosen takes nearly all that it is granted.
        self._fills = isinstance(keep, Truncate) or keep == LowestScoreFirst("best")

    def count(self, tokens: int) -> int:
        """How many units these tokens hold."""
        if self._whole:
            return len(self.order) if tokens >= self.wanted else 0
        return bisect_right(self.sums, tokens) - 1

    def taken(self, tokens: int) -> int:
        """How many of these tokens are taken, at most."""
        return min(tokens, self.wanted) if self._fills else self.sums[self.count(tokens)]

    def units(self, number: int) -> range:
        """The items of a unit."""
        starts = self.measured.starts
        stop = starts[number + 1] if number + 1 < len(starts) else len(self.measured.costs)
        return range(starts[number], stop)

    def _order(self, keep: Keep) -> Sequence[int]:
        count = len(self.unit_costs)
        if isinstance(keep, OldestFirst):
            return range(count - 1, -1, -1)
        if isinstance(keep, HeadAndTail):
            return [at // 2 if at % 2 == 0 else count - 1 - at // 2 for at in range(count)]
        if isinstance(keep, LowestScoreFirst):
            return self._by_score()
        return range(count)

    def _by_score(self) -> Sequence[int]:
        count = len(self.unit_costs)
        order: Sequence[int] = range(count)
        if self.measured.scores is not None:
            scores = np.array(self.scores())
            order = np.argsort(-scores, kind="stable").tolist()
        most = self.measured.section.maximum
        if isinstance(most, int) and any(cost > most for cost in self.unit_costs):
            # What can never be held would keep all behind it out.
            return sorted(order, key=lambda unit: self.unit_costs[unit] > most)
        return order

    def scores(self) -> Sequence[float]:
        """Of the units: each that of its best item."""
        scores = self.measured.scores
        if scores is None:
            return [0.0] * len(self.unit_costs)
        if len(scores) == len(self.unit_costs):
            return scores
        return [max(scores[at] for at in self.units(unit)) for unit in range(len(self.unit_costs))]
