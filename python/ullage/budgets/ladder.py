"""`Ladder`: the units of a section in the order in which they stay, and what the first so many of them cost.

The order does not depend on the budget. So a section of more tokens holds all that it held with fewer.
"""

from bisect import bisect_right

import numpy as np
from numpy.typing import NDArray

from ullage.budgets.keep import HeadAndTail, Keep, LowestScoreFirst, Never, OldestFirst, Truncate, Whole
from ullage.budgets.measure import Measured


class Ladder:
    """A section from nothing to all of it.

    Args:
        measured: the section.

    Attributes:
        measured: the section.
        lengths: items of each unit.
        unit_costs: tokens of each unit.
        order: numbers of units, in the order in which they stay.
        sums: tokens of the first so many of them.
        wanted: tokens of all.
    """

    def __init__(self, measured: Measured) -> None:
        self.measured = measured
        keep = measured.section.keep
        self.lengths = np.diff(measured.starts, append=len(measured.costs))
        self.unit_costs = measured.costs
        if len(self.lengths) < len(measured.costs):
            self.unit_costs = np.add.reduceat(measured.costs, measured.starts)
        self.order = self._order(keep)
        self.sums: list[int] = [0, *self.unit_costs[self.order].cumsum().tolist()]
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
        start = int(self.measured.starts[number])
        return range(start, start + int(self.lengths[number]))

    def scores(self) -> NDArray[np.float64]:
        """Of the units: each that of its best item."""
        scores = self.measured.scores
        if len(self.lengths) < len(scores):
            return np.maximum.reduceat(scores, self.measured.starts)
        return scores

    def _order(self, keep: Keep) -> NDArray[np.intp]:
        order = np.arange(len(self.unit_costs))
        if isinstance(keep, OldestFirst):
            return order[::-1]
        if isinstance(keep, HeadAndTail):
            return np.where(order % 2, len(order) - 1 - order // 2, order // 2)
        if isinstance(keep, LowestScoreFirst):
            order = np.argsort(-self.scores(), kind="stable")
            most = self.measured.section.maximum
            if isinstance(most, int):
                # What can never be held would keep all behind it out.
                order = order[np.argsort(self.unit_costs[order] > most, kind="stable")]
        return order
