"""Which members of one sequence are those of another, when some were put in, taken out, moved or changed.

Members that occur once on both sides, in the longest order that both share, hold the two together (Bram Cohen's
patience diff); what is between them is taken apart in the same way. So an insertion at the start is one insertion. The
time is n log n, whatever the members are.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Sequence
from difflib import SequenceMatcher
from typing import NamedTuple

PAIRS = 10_000
"""Where nothing occurs once, up to so many pairs of members are looked at for runs that both sides share."""


class Gap(NamedTuple):
    """A place where the sequences differ: old[start:stop] stands where new[new_start:new_stop] stands now."""

    start: int
    stop: int
    new_start: int
    new_stop: int


def gaps(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Gap]:
    """Where two sequences differ, in order; all between these places is equal, one by one.

    >>> gaps("abcd", "xabd")
    [Gap(start=0, stop=0, new_start=0, new_stop=1), Gap(start=2, stop=3, new_start=3, new_stop=3)]
    """
    found: list[Gap] = []
    stack = [Gap(0, len(old), 0, len(new))]
    while stack:
        gap = _trimmed(old, new, stack.pop())
        if gap.start == gap.stop or gap.new_start == gap.new_stop:
            if gap.start != gap.stop or gap.new_start != gap.new_stop:
                found.append(gap)
            continue
        shared = _shared(old, new, gap)
        if not shared:
            found.append(gap)
            continue
        start, new_start = gap.start, gap.new_start
        pieces: list[Gap] = []
        for at, new_at in shared:
            pieces.append(Gap(start, at, new_start, new_at))
            start, new_start = at + 1, new_at + 1
        pieces.append(Gap(start, gap.stop, new_start, gap.new_stop))
        stack.extend(reversed(pieces))
    return found


def _trimmed(old: Sequence[Hashable], new: Sequence[Hashable], gap: Gap) -> Gap:
    """The gap without what is equal at its start and its end."""
    start, stop, new_start, new_stop = gap
    while start < stop and new_start < new_stop and old[start] == new[new_start]:
        start, new_start = start + 1, new_start + 1
    while start < stop and new_start < new_stop and old[stop - 1] == new[new_stop - 1]:
        stop, new_stop = stop - 1, new_stop - 1
    return Gap(start, stop, new_start, new_stop)


def _shared(old: Sequence[Hashable], new: Sequence[Hashable], gap: Gap) -> list[tuple[int, int]]:
    """The longest rising run of pairs of members that occur once on either side."""
    places = {key: index for index, key in enumerate(old[gap.start : gap.stop], gap.start)}
    new_places = {key: index for index, key in enumerate(new[gap.new_start : gap.new_stop], gap.new_start)}
    counts, new_counts = Counter(old[gap.start : gap.stop]), Counter(new[gap.new_start : gap.new_stop])
    pairs = [(at, new_places[key]) for key, at in places.items() if counts[key] == 1 and new_counts.get(key) == 1]
    tails: list[int] = []
    last: list[int] = []
    before: list[int] = []
    for index, (_, new_at) in enumerate(pairs):
        length = bisect_left(tails, new_at)
        before.append(last[length - 1] if length else -1)
        tails[length : length + 1] = [new_at]
        last[length : length + 1] = [index]
    if not last and (gap.stop - gap.start) * (gap.new_stop - gap.new_start) <= PAIRS:
        return _repeated(old, new, gap)
    run: list[tuple[int, int]] = []
    index = last[-1] if last else -1
    while index >= 0:
        run.append(pairs[index])
        index = before[index]
    return run[::-1]


def _repeated(old: Sequence[Hashable], new: Sequence[Hashable], gap: Gap) -> list[tuple[int, int]]:
    """Long runs that both share, where no member occurs once."""
    matcher = SequenceMatcher(None, old[gap.start : gap.stop], new[gap.new_start : gap.new_stop], autojunk=False)
    return [
        (gap.start + block.a + index, gap.new_start + block.b + index)
        for block in matcher.get_matching_blocks()
        for index in range(block.size)
    ]


def moves(old: Sequence[Hashable], new: Sequence[Hashable], found: Sequence[Gap]) -> dict[int, int]:
    """Members that left one place and stand at another: the index in `old` of each, and that in `new`."""
    left: dict[Hashable, list[int]] = {}
    for gap in found:
        for index in range(gap.start, gap.stop):
            left.setdefault(old[index], []).append(index)
    moved: dict[int, int] = {}
    for gap in found:
        for index in range(gap.new_start, gap.new_stop):
            if waiting := left.get(new[index]):
                moved[waiting.pop(0)] = index
    return moved
