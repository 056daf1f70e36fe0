"""The items whose scores add up to the most within a number of tokens: the 0/1 knapsack problem.

Branch and bound by Horowitz and Sahni (1974): items by score per token, as many as fit, and back; a branch is left
when even a fraction of the next item (Dantzig, 1957) does not bring it above the best so far. The steps are bounded,
and what is best by then counts: exact for most, and never worse than taking items one after the other, by score or by
score per token.
"""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

STEPS = 4_000
_BITS = 40  # of a score beside the highest: sums of whole numbers do not depend on their order


def best(scores: Sequence[float], costs: Sequence[int], room: int, steps: int = STEPS) -> list[int]:
    """Choose items.

    Args:
        scores: of the items, 0 or more; they are compared to one part in 2**40 of the highest.
        costs: of the items, in tokens.
        room: tokens.
        steps: how many branches are tried at most.

    Returns:
        Indices, ascending. Items of score 0 come in where there is room left, the first ones first.

    >>> best([6.0, 5.0, 5.0], [6, 5, 5], 10)
    [1, 2]
    """
    highest = max(scores, default=0)
    values = [round(score / highest * (1 << _BITS)) if highest else 0 for score in scores]
    free = [at for at, cost in enumerate(costs) if not cost]
    worth = [at for at, value in enumerate(values) if value and 0 < costs[at] <= room]
    # Whole numbers of so many bits differ wherever the ratios do.
    worth.sort(key=lambda at: (-((values[at] << 128) // costs[at]), at))
    found = _search([values[at] for at in worth], [costs[at] for at in worth], room, steps)
    chosen = {*free, *(worth[at] for at in found)}
    plain = _in_order(scores, costs, room)
    if sum(values[at] for at in plain) > sum(values[at] for at in chosen):
        chosen = set(plain)
    left = room - sum(costs[at] for at in chosen)
    for at, value in enumerate(values):
        if not value and costs[at] <= left and at not in chosen:
            chosen.add(at)
            left -= costs[at]
    return sorted(chosen)


def _in_order(scores: Sequence[float], costs: Sequence[int], room: int) -> list[int]:
    """The items by score up to the first that does not fit."""
    order = sorted(range(len(scores)), key=lambda at: -scores[at])
    return order[: bisect_right(list(accumulate(costs[at] for at in order)), room)]


def _search(values: Sequence[int], costs: Sequence[int], room: int, steps: int) -> list[int]:
    """The best of these items, which come by falling value per token, after so many steps."""
    count = len(values)
    value_sums = [0, *accumulate(values)]
    cost_sums = [0, *accumulate(costs)]
    smallest = [*accumulate(reversed(costs), min, initial=room + 1)][::-1]  # of the items from each on
    taken: list[tuple[int, int]] = []  # ranges, ascending
    value, left, at = 0, room, 0
    best_value, best_taken = -1, list[tuple[int, int]]()
    for _ in range(steps):
        # Take all that fit one after the other, and skip what does not.
        while at < count and smallest[at] <= left:
            stop = bisect_right(cost_sums, cost_sums[at] + left) - 1
            if stop > at:
                taken.append((at, stop))
                value += value_sums[stop] - value_sums[at]
                left -= cost_sums[stop] - cost_sums[at]
            if stop == count or value + left * values[stop] // costs[stop] <= best_value:
                break
            at = stop + 1
        if value > best_value:
            best_value, best_taken = value, taken.copy()
        # Give back the last item that leaves hope without it.
        while taken:
            start, stop = taken.pop()
            if stop - start > 1:
                taken.append((start, stop - 1))
            at = stop
            value -= values[at - 1]
            left += costs[at - 1]
            if at < count and value + left * values[at] // costs[at] > best_value:
                break
        else:
            break
    return [at for start, stop in best_taken for at in range(start, stop)]
