"""Cutting the item of a section that does not fit: a text, or a message of the user that is text alone."""

from typing import NamedTuple

from ullage.budgets.keep import Truncate
from ullage.budgets.measure import Measured
from ullage.fitting.costs import Costs
from ullage.formats.record import Format, speaker
from ullage.prune.limit import Limit
from ullage.prune.text import cut_middle, least_mark


class Cut(NamedTuple):
    """What is left of an item that was cut, and its tokens."""

    content: object
    tokens: int


class Cutter:
    """Cuts items of a section that is kept by `Truncate`.

    Args:
        measured: the section.
        costs: what texts take.
        shape: the format of messages, where there are some.
    """

    def __init__(self, measured: Measured, costs: Costs, shape: Format | None) -> None:
        keep = measured.section.keep
        self._mark = keep.mark if isinstance(keep, Truncate) else None
        self._measured = measured
        self._costs = costs
        self._shape = shape

    def least(self, items: range) -> int:
        """The fewest tokens that a unit can be cut to; those of all of it where it cannot be cut."""
        whole = int(self._measured.costs[items.start : items.stop].sum())
        text = self._text(items)
        if text is None:
            return whole
        return min(whole, self._put_back(items.start, least_mark(text, self._mark)).tokens)

    def cut(self, items: range, tokens: int) -> Cut | None:
        """A unit cut to so many tokens, which are fewer than it has; None where it cannot be."""
        text = self._text(items)
        if text is None or tokens < self.least(items):
            return None
        framing = self._put_back(items.start, "").tokens
        limit = Limit(tokens - framing, self._costs)
        return self._put_back(items.start, cut_middle(text, limit, self._mark))

    def _text(self, items: range) -> str | None:
        """The text of a unit that can be cut."""
        if len(items) != 1 or items.start in self._measured.known:
            return None
        content = self._measured.contents[items.start]
        if isinstance(content, str):
            return content
        if self._measured.layout is None or self._shape is None:
            return None
        record = self._shape.read(content, "message")
        if speaker(record) != "user" or any(part.kind != "text" for part in record.parts):
            return None
        return "\n".join(text for part in record.parts for text in part.texts)

    def _put_back(self, at: int, text: str) -> Cut:
        content = self._measured.contents[at]
        if isinstance(content, str):
            return Cut(text, self._costs.estimate(text))
        assert self._shape is not None
        assert self._measured.layout is not None
        message = self._shape.note(text, content)
        return Cut(message, self._measured.layout.tokens(message))
