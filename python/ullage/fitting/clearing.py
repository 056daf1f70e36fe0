"""Which tool results are cleared next: old ones, the oldest first, in batches."""

from bisect import bisect_left
from collections.abc import Callable, Container, Sequence
from heapq import heapify, heappop, heappush

from ullage.fitting.layout import Layout, Point, block_costs
from ullage.fitting.policy import Clear, ToolRule

WORTH = 2
"""A result that is not larger than so many notes is left: little would be gained."""


class Clearing:
    """The results that may be cleared, handed out once each. Points must come in order.

    Args:
        layout: of the history.
        messages: the history.
        rule: what is cleared.
        limit: tokens of the whole request.
        kept: segments whose results stay.
    """

    def __init__(
        self, layout: Layout, messages: Sequence[object], rule: Clear, limit: int, kept: Container[int]
    ) -> None:
        self._layout = layout
        self._messages = messages
        self._rule = rule
        self._kept = kept
        self._keep_tokens = int(limit * rule.keep_share)
        self._tools = {tool.tool: tool for tool in rule.tools}
        self._note_tokens = {note: layout.estimate(note) for note in {rule.note, *map(self._note_of, self._tools)}}
        self._next = 0
        self._ready: list[int] = []
        self._waiting: list[tuple[int, int]] = []
        self._opens = _opens(layout, self._tools)

    def note(self, number: int) -> str:
        """What stands for a result once it is cleared."""
        return self._note_of(self._layout.results[number].tool)

    def tokens(self, number: int) -> int:
        """Tokens of a result once it is cleared."""
        costs = self._layout.note_costs.setdefault(self.note(number), [])
        costs.extend([None] * (number + 1 - len(costs)))
        known = costs[number]
        return self._read(number) if known is None else known

    def take(self, point: Point, has_left: Callable[[int], bool]) -> list[int]:
        """The next batch of results at this point, or the fewer that there are. They are not handed out again.

        Args:
            point: where the request is sent.
            has_left: whether a result is in a message that is no longer sent.
        """
        for number in range(self._next, max(self._next, self._protected(point))):
            if self._may_leave(number):
                heappush(self._waiting, (self._opens.get(number, 0), number))
            self._next = number + 1
        while self._waiting and self._waiting[0][0] <= point.message:
            heappush(self._ready, heappop(self._waiting)[1])
        batch: list[int] = []
        while self._ready and len(batch) < self._rule.batch:
            number = heappop(self._ready)
            if not has_left(number):
                batch.append(number)
        return batch

    def give_back(self, numbers: Sequence[int]) -> None:
        """Results that were taken and not cleared."""
        self._ready += numbers
        heapify(self._ready)

    def _note_of(self, tool: str | None) -> str:
        own = self._tools.get(tool) if tool is not None else None
        return self._rule.note if own is None or own.note is None else own.note

    def _protected(self, point: Point) -> int:
        """The first result that is too new: it is unseen, or among those that fit in their share of the limit."""
        sums = self._layout.result_sums
        messages = self._layout.result_messages
        stop = bisect_left(messages, point.message)
        unseen = bisect_left(messages, point.seen)
        return min(bisect_left(sums, sums[stop] - self._keep_tokens), stop - self._rule.keep_min, unseen)

    def _may_leave(self, number: int) -> bool:
        result = self._layout.results[number]
        if result.tokens <= WORTH * self._note_tokens[self.note(number)]:
            return False
        if result.tool in self._rule.exclude_tools or (result.error and self._rule.keep_errors):
            return False
        return self._layout.segment_of(result.message) not in self._kept

    def _read(self, number: int) -> int:
        """Find out what the results of a message cost with their notes, all at once, and remember it."""
        message = self._layout.results[number].message
        numbers = self._layout.results_in(message, message + 1)
        blocks = {self._layout.results[each].block: each for each in numbers}
        texts = {block: self.note(each) for block, each in blocks.items()}
        read = block_costs(self._layout.shape, self._messages[message], texts, self._layout.estimate)
        for block, each in blocks.items():
            costs = self._layout.note_costs.setdefault(texts[block], [])
            costs.extend([None] * (each + 1 - len(costs)))
            costs[each] = read[block]
        return read[self._layout.results[number].block]


def _opens(layout: Layout, tools: dict[str, ToolRule]) -> dict[int, int]:
    """For results of tools whose newest stay: the message from which on there are enough newer ones of the tool."""
    newest: dict[str, list[int]] = {tool: [] for tool, rule in tools.items() if rule.keep}
    opens: dict[int, int] = {}
    if newest:
        for number, result in enumerate(layout.results):
            if result.tool is None or result.tool not in newest:
                continue
            of_tool = newest[result.tool]
            of_tool.append(number)
            opens[number] = len(layout) + 1
            keep = tools[result.tool].keep
            if len(of_tool) > keep:
                opens[of_tool[-1 - keep]] = result.message + 1
    return opens
