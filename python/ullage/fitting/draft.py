"""`Draft`: what is sent, as spans of the history with notes between them, before the other messages are touched."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypeAlias

from ullage.fitting.layout import Layout
from ullage.fitting.plan import Plan, Step
from ullage.receipt import Entry

OLD_RESULT = "an old tool result"
NEWEST_RESULT = "too large by itself"
LEFT: Mapping[Step, str] = {"turns": "the oldest turns", "rounds": "the oldest rounds of their turn"}
NOTE: Mapping[Step, str] = {"turns": "stands for turns that were left out", "rounds": "stands for rounds left out"}
MERGED = "a note, in one message with those of the user beside it"


class Span(NamedTuple):
    """Messages of the history, from `start` to before `stop`."""

    start: int
    stop: int


class Made(NamedTuple):
    """A message that is not in the history: a note, or one message of what may not be several in a row.

    Attributes:
        message: the message.
        start: the first message of the history that is in it, or its place.
        stop: one past the last that is in it.
        before: tokens of the messages in it, were they sent each by itself.
        why: it is there.
    """

    message: object
    start: int
    stop: int
    before: int
    why: str


Piece: TypeAlias = Span | Made


class Draft:
    """What is sent by a plan.

    Attributes:
        pieces: spans of the history and messages that are made, in order.
        edits: for each message with results that are replaced: the texts, by block.
    """

    def __init__(self, layout: Layout, messages: Sequence[object], plan: Plan, notes: Mapping[Step, object]) -> None:
        self.pieces: list[Piece] = []
        self.edits: dict[int, dict[int, str]] = {}
        self._layout = layout
        self._messages = messages
        self._plan = plan
        self._replaced = self._find_edits()
        self._add_pieces(notes)

    def messages(self) -> list[object]:
        """The messages that are sent. They are the very objects of the history where nothing is replaced."""
        sent: list[object] = []
        edited = iter([*sorted(self.edits), len(self._messages)])
        next_edited = next(edited)
        for piece in self.pieces:
            if isinstance(piece, Made):
                sent.append(piece.message)
                continue
            start = piece.start
            while next_edited < start:
                next_edited = next(edited)
            while next_edited < piece.stop:
                sent += self._messages[start:next_edited]
                sent.append(self._edited(next_edited))
                start = next_edited + 1
                next_edited = next(edited)
            sent += self._messages[start : piece.stop]
        return sent

    def entries(self) -> tuple[Entry, ...]:
        """What was done, in the order of the messages."""
        done = self._results()
        for piece in self.pieces:
            if isinstance(piece, Made):
                after = self._layout.tokens(piece.message)
                done.append(Entry("noted", piece.start, piece.stop, piece.before, after, piece.why))
        sums = self._layout.sums
        turns = self._layout.turns[self._plan.turn] if self._plan.turn else 0
        for start, stop in self._plan.gaps():
            first, last = self._layout.start_of(start), self._layout.start_of(stop)
            why = LEFT["turns" if start < turns else "rounds"]
            done.append(Entry("dropped", first, last, sums[last] - sums[first], 0, why))
        return tuple(sorted(done, key=lambda entry: (entry.start, entry.stop)))

    def _find_edits(self) -> list[int]:
        """Find what is replaced in the messages that are sent; in segments that are always kept, nothing is."""
        plan, results = self._plan, self._layout.results
        numbers = sorted([*plan.cleared, *plan.cuts])
        if plan.rounds:  # what left with its turn, the plan has forgotten
            numbers = [number for number in numbers if not plan.has_left(number)]
        for number in numbers:
            result = results[number]
            self.edits.setdefault(result.message, {})[result.block] = plan.text(number)
        return numbers

    def _results(self) -> list[Entry]:
        entries = []
        for number in self._replaced:
            result = self._layout.results[number]
            cleared = self._plan.cleared.get(number)
            after = self._plan.cuts[number].tokens if cleared is None else cleared
            entries.append(
                Entry(
                    "cut" if cleared is None else "cleared",
                    result.message,
                    result.message + 1,
                    result.tokens,
                    after,
                    NEWEST_RESULT if cleared is None else OLD_RESULT,
                    result.call_id,
                    result.tool,
                )
            )
        return entries

    def _edited(self, index: int) -> object:
        message = self._messages[index]
        for block, text in self.edits.get(index, {}).items():
            message = self._layout.shape.with_result(message, block, text)
        return message

    def _add_pieces(self, notes: Mapping[Step, object]) -> None:
        start_of = self._layout.start_of
        segment = 0
        breaks = [(at, at, step) for at, step in self._plan.notes()] + [(*gap, None) for gap in self._plan.gaps()]
        for start, stop, step in sorted(breaks, key=lambda each: (each[0], each[2] is None)):
            self._add_span(start_of(segment), start_of(start))
            if step is not None:
                self._add(Made(notes[step], start_of(start), start_of(start), 0, NOTE[step]))
            segment = max(stop, start)
        self._add_span(start_of(segment), len(self._layout))

    def _add_span(self, start: int, stop: int) -> None:
        if start == stop:
            return
        if self.pieces and self._is_refused(self._last(), self._messages[start]):
            message = self._edited(start)
            self._add(Made(message, start, start + 1, self._layout.tokens(message), ""))
            start += 1
        if start < stop:
            self.pieces.append(Span(start, stop))

    def _add(self, made: Made) -> None:
        """Add a message that is made; to the one before it where two of the user in a row are refused."""
        if self.pieces and self._is_refused(self._last(), made.message):
            before = self._take_last()
            message = self._layout.shape.merge(before.message, made.message)
            made = Made(
                message,
                min(before.start, made.start) if before.before else made.start,
                max(before.stop, made.stop),
                before.before + made.before,
                MERGED,
            )
        self.pieces.append(made)

    def _is_refused(self, first: object, second: object) -> bool:
        shape = self._layout.shape
        return shape.ALTERNATES and shape.read(first, "message").role == shape.read(second, "message").role

    def _last(self) -> object:
        last = self.pieces[-1]
        return last.message if isinstance(last, Made) else self._messages[last.stop - 1]

    def _take_last(self) -> Made:
        last = self.pieces.pop()
        if isinstance(last, Made):
            return last
        if last.start < last.stop - 1:
            self.pieces.append(Span(last.start, last.stop - 1))
        message = self._edited(last.stop - 1)
        return Made(message, last.stop - 1, last.stop, self._layout.tokens(message), "")
