"""What became of the members of a gap: which are the same thing after an edit, and which came, left or moved."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Literal, NamedTuple, TypeAlias

from ullage.prefix.align import Gap

What: TypeAlias = Literal["edited", "inserted", "removed", "moved", "appended"]
Alike: TypeAlias = Callable[[int, int, bool], bool]
Pair: TypeAlias = tuple[int | None, int | None]

MOST = 2500
"""Up to so many pairs are tried for members of unequal number; of more, they are taken one by one."""


class Step(NamedTuple):
    """One thing that happened.

    Attributes:
        what: that happened.
        olds: the members that it happened to, before.
        news: the members that it happened to, after.
        at: the place before, where the prefix ends.
        alone: whether as many members stand in the gap as before, and none moved.
    """

    what: What
    olds: Sequence[int]
    news: Sequence[int]
    at: int
    alone: bool


def steps(
    gap: Gap, moved: Mapping[int, int], arrived: Mapping[int, int], alike: Alike, *, tail: bool
) -> Iterator[Step]:
    """What happened in a gap, in order.

    Args:
        gap: in two sequences.
        moved: for each old member that stands elsewhere now, where.
        arrived: the same, the other way round.
        alike: whether an old member may be a new one after an edit; strictly, where they are not equally many.
        tail: whether the gap is at the end of both, where what is left over is appended.
    """
    left = [index for index in range(gap.start, gap.stop) if moved.get(index, -1) >= gap.new_start]
    come = [index for index in range(gap.new_start, gap.new_stop) if arrived.get(index, -1) >= gap.stop]
    for step in _changes(gap, moved, arrived, alike, tail=tail):
        while left and left[0] < step.at:
            yield Step("moved", left[:1], (moved[left[0]],), left.pop(0), alone=False)
        while come and step.news and come[0] < step.news[0]:
            yield Step("moved", (arrived[come[0]],), (come.pop(0),), step.at, alone=False)
        yield step
    for index in left:
        yield Step("moved", (index,), (moved[index],), index, alone=False)
    for index in come:
        yield Step("moved", (arrived[index],), (index,), gap.stop, alone=False)


def _changes(
    gap: Gap, moved: Mapping[int, int], arrived: Mapping[int, int], alike: Alike, *, tail: bool
) -> Iterator[Step]:
    """What did not move."""
    olds = [index for index in range(gap.start, gap.stop) if index not in moved]
    news = [index for index in range(gap.new_start, gap.new_stop) if index not in arrived]
    alone = len(olds) == len(news) and len(olds) == gap.stop - gap.start
    left, at = len(olds), gap.start
    for key, run in groupby(_pairs(olds, news, alike), lambda pair: (pair[0] is None, pair[1] is None)):
        if key == (False, False):
            for old, new in run:
                assert old is not None
                assert new is not None
                yield Step("edited", (old,), (new,), old, alone)
                left, at = left - 1, old + 1
        elif key == (False, True):
            gone = [old for old, _ in run if old is not None]
            yield Step("removed", gone, (), gone[0], alone)
            left, at = left - len(gone), gone[-1] + 1
        else:
            come = [new for _, new in run if new is not None]
            yield Step("appended" if tail and not left else "inserted", (), come, at, alone)


def _pairs(olds: Sequence[int], news: Sequence[int], alike: Alike) -> Iterator[Pair]:
    """Pairs in order; a member without its like stands alone.

    As many before as after, and very many, are taken one by one. Otherwise it is the most pairs of like members that
    keep their order.
    """
    i = j = 0
    if len(olds) == len(news) or len(olds) * len(news) > MOST:
        for old, new in zip(olds, news, strict=False):
            if alike(old, new, False):
                yield old, new
            else:
                yield old, None
                yield None, new
        i = j = min(len(olds), len(news))
    elif olds and news:
        like = [[alike(old, new, True) for new in news] for old in olds]
        best = [[0] * (len(news) + 1) for _ in range(len(olds) + 1)]
        for i in range(len(olds) - 1, -1, -1):
            for j in range(len(news) - 1, -1, -1):
                best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + 1 if like[i][j] else 0)
        i = j = 0
        while i < len(olds) and j < len(news) and best[i][j]:
            if like[i][j] and best[i][j] == best[i + 1][j + 1] + 1:
                yield olds[i], news[j]
                i, j = i + 1, j + 1
            elif best[i + 1][j] >= best[i][j + 1]:
                yield olds[i], None
                i += 1
            else:
                yield None, news[j]
                j += 1
    yield from ((old, None) for old in olds[i:])
    yield from ((None, new) for new in news[j:])
