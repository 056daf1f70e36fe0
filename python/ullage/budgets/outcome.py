"""What becomes of one section for the tokens that it is granted: what stays, what leaves, and a line for every loss."""

from itertools import compress
from typing import Any, NamedTuple

import numpy as np

from ullage.budgets.keep import HeadAndTail, Keep, LowestScoreFirst, OldestFirst, Truncate
from ullage.budgets.knapsack import best
from ullage.budgets.ladder import Ladder
from ullage.budgets.truncate import Cut, Cutter
from ullage.receipt import Entry


class Outcome(NamedTuple):
    """A section after its budget was shared out.

    Attributes:
        items: contents that stay.
        left: contents that left, or of which a part was cut away.
        tokens: that the items take.
        entries: a line for each row of items that left together, and for what was cut.
    """

    items: tuple[Any, ...]
    left: tuple[Any, ...]
    tokens: int
    entries: list[Entry]


def outcome(ladder: Ladder, granted: int, cutter: Cutter | None) -> Outcome:
    """Choose what stays of a section.

    Args:
        ladder: the section.
        granted: its tokens.
        cutter: cuts its items, if they may be cut.
    """
    measured = ladder.measured
    if granted >= ladder.wanted:
        return Outcome(tuple(measured.contents), (), ladder.wanted, [])
    keep = measured.section.keep
    cut: tuple[int, Cut] | None = None
    stays = np.zeros(len(ladder.order), np.bool_)
    if keep == LowestScoreFirst("best"):
        stays[best(ladder.scores().tolist(), ladder.unit_costs.tolist(), granted)] = True
    else:
        count = ladder.count(granted)
        stays[ladder.order[:count]] = True
        if cutter is not None:
            border = ladder.units(ladder.order[count])
            made = cutter.cut(border, granted - ladder.sums[count])
            cut = None if made is None else (border.start, made)
    stays = np.repeat(stays, ladder.lengths)
    tokens = int(measured.costs[stays].sum())
    left = tuple(compress(measured.contents, (~stays).tolist()))
    contents = list(measured.contents)
    name = measured.section.name
    entries = []
    if cut is not None:
        at, made = cut
        contents[at] = made.content
        stays[at] = True
        tokens += made.tokens
        whole = int(measured.costs[at])
        why = f"too long: {made.tokens:,} of {whole:,} tokens fit"
        entries.append(Entry("cut", at, at + 1, whole, made.tokens, why, section=name))
    why = f"{_reason(keep)}: {tokens:,} of {ladder.wanted:,} tokens stay"
    # Where rows of items that left begin and end, and the tokens before these places.
    starts, stops = np.flatnonzero(np.diff(stays, prepend=True, append=True)).reshape(-1, 2).T
    sums = np.concatenate(([0], measured.costs.cumsum()))
    lines = zip(starts.tolist(), stops.tolist(), (sums[stops] - sums[starts]).tolist(), strict=True)
    entries += [Entry("dropped", start, stop, before, 0, why, None, None, name) for start, stop, before in lines]
    return Outcome(tuple(compress(contents, stays.tolist())), left, tokens, entries)


def _reason(keep: Keep) -> str:
    if isinstance(keep, OldestFirst):
        return "oldest first" if keep.into is None else f"oldest first, into the {keep.into}"
    if isinstance(keep, LowestScoreFirst):
        return "lowest score first" if keep.choice == "greedy" else "not among the best by score"
    if isinstance(keep, HeadAndTail):
        return "from the middle"
    return "last first" if isinstance(keep, Truncate) else "as a whole"
