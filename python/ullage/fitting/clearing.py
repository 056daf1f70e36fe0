"""Which tool results are cleared next: old ones, the oldest first, in batches."""

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Sequence
from copy import copy
from heapq import heapify, heappop, heappush

from ullage.fitting.layout import Layout, Point, block_costs
from ullage.fitting.policy import Clear

WORTH = 2
"""A result that is not larger than so many notes is left: little would be gained."""


class Clearing:
    """The results that may be cleared, handed out once each. Points must come in order.

    Args:
        layout: of the history; it may grow.
        rule: what is cleared.
        limit: tokens of the whole request.
    """

    def __init__(self, layout: Layout, rule: Clear, limit: int) -> None:
        self._layout = layout
        self._rule = rule
        self._keep_tokens = int(limit * rule.keep_share)
        self._number = rule.batch if isinstance(rule.batch, int) else None
        self._tokens = max(1, int(limit * rule.batch)) if isinstance(rule.batch, float) else None
        self._tools = {tool.tool: tool for tool in rule.tools}
        notes = {rule.note, *map(self._note_of, self._tools)}
        self._worth = {note: WORTH * layout.estimate(note) for note in notes}
        self._next = 0
        self._ready: list[int] = []
        self._newest: dict[str, deque[int]] = {tool.tool: deque() for tool in rule.tools if tool.keep}
        """Results of tools whose newest ones stay."""

    def copy(self) -> "Clearing":
        """A clearing that goes on from here without changing this one."""
        other = copy(self)
        other._ready = copy(self._ready)
        other._newest = {tool: copy(numbers) for tool, numbers in self._newest.items()}
        return other

    def note(self, number: int) -> str:
        """What stands for a result once it is cleared."""
        return self._note_of(self._layout.results[number].tool)

    def tokens(self, number: int, messages: Sequence[object]) -> int:
        """Tokens of a result of these messages once it is cleared."""
        costs = self._layout.note_costs.get(self.note(number), ())
        known = costs[number] if number < len(costs) else None
        return self._read(number, messages) if known is None else known

    def full(self, results: int, gain: int) -> bool:
        """Whether so many results that free so many tokens are a batch."""
        return results == self._number if self._tokens is None else gain >= self._tokens

    def take(self, point: Point, stays: Callable[[int], bool], gain: Callable[[int], int]) -> list[int]:
        """The next batch of results at this point, or the fewer that there are. They are not handed out again.

        Args:
            point: where the request is sent.
            stays: whether a result is not to be cleared whatever the rule says.
            gain: the tokens that clearing a result frees.
        """
        for number in range(self._next, self._protected(point)):
            self._next = number + 1
            kept = self._newest.get(self._layout.results[number].tool or "")
            if kept is not None:
                kept.append(number)
            elif self._may_leave(number):
                heappush(self._ready, number)
        for tool, kept in self._newest.items():
            self._release(tool, kept, point)
        batch: list[int] = []
        freed = 0
        while self._ready and not self.full(len(batch), freed):
            number = heappop(self._ready)
            if not stays(number):
                batch.append(number)
                freed += 0 if self._tokens is None else gain(number)
        return batch

    def give_back(self, numbers: Sequence[int]) -> None:
        """Results that were taken and not cleared."""
        self._ready += numbers
        heapify(self._ready)

    def _release(self, tool: str, kept: deque[int], point: Point) -> None:
        """Let go of the results of a tool of which there are enough newer ones."""
        if not kept:
            return
        results = self._layout.results
        stop = bisect_left(self._layout.result_messages, point.message)
        newer = sum(results[number].tool == tool for number in range(self._next, stop))
        while kept and len(kept) - 1 + newer >= self._tools[tool].keep:
            number = kept.popleft()
            if self._may_leave(number):
                heappush(self._ready, number)

    def _note_of(self, tool: str | None) -> str:
        own = self._tools.get(tool) if tool is not None else None
        return self._rule.note if own is None or own.note is None else own.note

    def _protected(self, point: Point) -> int:
        """The first result that is too new: it is unseen, or among those that fit in their share of the limit."""
        sums, messages = self._layout.result_sums, self._layout.result_messages
        stop = bisect_left(messages, point.message)
        unseen = bisect_left(messages, point.seen)
        return min(bisect_left(sums, sums[stop] - self._keep_tokens), stop - self._rule.keep_min, unseen)

    def _may_leave(self, number: int) -> bool:
        result = self._layout.results[number]
        if result.tokens <= self._worth[self.note(number)]:
            return False
        return result.tool not in self._rule.exclude_tools and not (result.error and self._rule.keep_errors)

    def _read(self, number: int, messages: Sequence[object]) -> int:
        """Find out what the results of a message cost with their notes, all at once, and remember it."""
        message = self._layout.results[number].message
        numbers = self._layout.results_in(message, message + 1)
        texts = {self._layout.results[each].block: self.note(each) for each in numbers}
        read = block_costs(self._layout.shape, messages[message], texts, self._layout.estimate)
        for each in numbers:
            costs = self._layout.note_costs.setdefault(self.note(each), [])
            costs.extend([None] * (each + 1 - len(costs)))
            costs[each] = read[self._layout.results[each].block]
        return read[self._layout.results[number].block]
