"""`Known`: the blocks that requests have sent, and when each was last sent.

Blocks that were always sent together form a run, so that a request costs what is new in it and the runs on its way,
not its length: a conversation that only grows is one run, and each fork splits one.
"""

from bisect import bisect_left
from collections.abc import Hashable, Iterator
from typing import Protocol


class Keys(Protocol):
    """What this needs of a request: the identities of its beginnings."""

    def key(self, block: int, /) -> Hashable:
        """The identity of all up to and including this block."""
        ...


class Run:
    """Blocks in a row that were always sent together.

    Attributes:
        start: the place of the first one.
        keys: of the blocks, each of all up to it.
        used: when they were last sent.
        forked: whether requests part at the end.
        ends: places among these blocks up to which something is cached by itself, in order.
    """

    __slots__ = ("ends", "forked", "keys", "start", "used")

    def __init__(self, start: int, keys: list[Hashable], used: float, forked: bool, ends: list[int]) -> None:
        self.start = start
        self.keys = keys
        self.used = used
        self.forked = forked
        self.ends = ends


class Known:
    """The blocks sent so far.

    Args:
        life: seconds after which a block that was not sent again is forgotten; None for never.
    """

    def __init__(self, life: float | None) -> None:
        self._life = life
        self._runs: dict[Hashable, Run] = {}

    def take(self, request: Keys, length: int, at: float) -> int:
        """Note that a request of so many blocks was sent, and say how many at its start were known until then."""
        known, last = self._match(request, length, at)
        if last is not None:
            run = last = self._cut(last, known)
            run.used = at
            while run.start:
                run = self._runs[request.key(run.start - 1)]
                run.used = at
        if known < length:
            keys = [request.key(block) for block in range(known, length)]
            if last is None or last.forked:
                last = Run(known, [], at, forked=False, ends=[])
            last.keys += keys
            self._runs.update(dict.fromkeys(keys, last))
        return known

    def runs(self, request: Keys, known: int) -> Iterator[Run]:
        """The runs of the first so many blocks of a request, the last one first."""
        while known > 0:
            run = self._runs[request.key(known - 1)]
            yield run
            known = run.start

    def _match(self, request: Keys, length: int, at: float) -> tuple[int, Run | None]:
        """How many blocks at the start of a request are known at this time, and the run of the last of them."""
        # Whoever sent a block sent those before it too, so known blocks come first. Most requests are the one before
        # and a little more, so the search starts at the end, with steps that double.
        low, high, step, last = 0, length, 1, None
        key, find, life = request.key, self._runs.get, self._life
        while low < high:
            middle = (low + high) // 2 if low or step > high else high - step
            run = find(key(middle))
            if run is None or (life is not None and at >= run.used + life):
                high, step = middle, length - middle
            else:
                low, last = middle + 1, run
        return low, last

    def _cut(self, run: Run, known: int) -> Run:
        """The run that ends with the first so many blocks; what followed them in this one becomes a run of its own."""
        index = known - run.start
        if index == len(run.keys):
            return run
        head, tail, place = run.keys[:index], run.keys[index:], bisect_left(run.ends, known)
        if len(head) < len(tail):  # the longer part keeps its run, so that no block moves often
            first = Run(run.start, head, run.used, forked=True, ends=run.ends[:place])
            run.start, run.keys, run.ends = known, tail, run.ends[place:]
            self._runs.update(dict.fromkeys(head, first))
            return first
        second = Run(known, tail, run.used, forked=run.forked, ends=run.ends[place:])
        run.keys, run.ends, run.forked = head, run.ends[:place], True
        self._runs.update(dict.fromkeys(tail, second))
        return run
