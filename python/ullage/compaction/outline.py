"""`Outline`: which messages of a history a summary will stand for, and what stays around it.

What is sent afterwards is, in this order: what stands before the summary (system messages, the first user message,
pinned rounds), the summary, what the user said to begin the turn that is cut, and the newest messages. All that comes
before the summary stays there, so a later compaction begins behind it, and nothing needs to be remembered elsewhere.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from ullage.compaction.pieces import Piece, take_apart
from ullage.compaction.policy import Compaction
from ullage.compaction.reading import read, write
from ullage.compaction.summary import Summary
from ullage.errors import InvalidHistory
from ullage.fitting.layout import Layout
from ullage.formats.pairing import pair
from ullage.formats.record import PartKind, Record, speaker
from ullage.pins import check_indices

Reason: TypeAlias = Literal["over-trigger", "phase-ended", "below-trigger", "open-round", "no-gain", "no-room-to-ask"]


@dataclass(frozen=True, slots=True)
class CompactionPlan:
    """Whether a history is to be summarised, and how much of it. Tokens are of the whole request, by estimate.

    Attributes:
        due: whether it is.
        reason: why, or why not, in a word.
        why: the same as a sentence without its full stop, with the figures.
        summarise: indices of the messages that the summary will stand for, in order; an earlier summary is among them.
        tokens: now.
        expected: afterwards, with a summary as long as it may be; without one, as now.
        trigger: more than these are too many.
    """

    due: bool
    reason: Reason
    why: str
    summarise: tuple[int, ...]
    tokens: int
    expected: int
    trigger: int


class Segment(NamedTuple):
    """Messages that stay or leave together: from `start` to before `stop`, among the pieces.

    Attributes:
        opening: whether the user says them to begin a turn; otherwise they are a round.
        opened: the number of the segment that begins its turn, or None where that stands before the summary.
    """

    start: int
    stop: int
    opening: bool
    opened: int | None


class Outline:
    """What stays and what leaves, for a history whose last round is complete.

    Attributes:
        layout: of the messages as they are given.
        plan: the decision.
        old: the summary that is there already; empty where there is none.
        gone: the pieces that leave, in order, without the old summary.
        base: the pieces before the summary that were there before it.
        cut: the messages before this one hold all that leaves.
    """

    def __init__(
        self,
        policy: Compaction,
        messages: Sequence[object],
        layout: Layout,
        limit: int,
        fixed: int,
        *,
        phase_ended: bool,
    ) -> None:
        self.layout = layout
        self.gone: list[Piece] = []
        self.base: list[Piece] = []
        self.cut = 0
        self._policy = policy
        self._messages = messages
        self._shape = layout.shape
        self._limit = limit
        self._fixed = fixed
        self._after: list[Piece] = []
        self._apart = take_apart(self._shape, messages)
        self.old = read(self._apart.text, policy.prompt).summary if self._apart.text else Summary()
        if not callable(policy.pins):
            check_indices(policy.pins, len(messages))
        tokens = layout.sums[-1] + fixed
        trigger = int(limit * policy.trigger)
        self.plan = CompactionPlan(
            False, "below-trigger", f"the request takes {tokens:,} tokens of {trigger:,}", (), tokens, tokens, trigger
        )
        if tokens > trigger or phase_ended:
            self._decide(over=tokens > trigger)

    def around(self, summary: Piece) -> list[Piece]:
        """What is sent, with a message of the user that holds the summary; merged where roles must alternate."""
        found: list[Piece] = []
        for piece in (*self.base, summary, *self._after):
            last = found[-1] if found else None
            if last is not None and self._shape.ALTERNATES and self._role(last) == self._role(piece):
                found[-1] = Piece(self._shape.merge(last.message, piece.message), last.source)
            else:
                found.append(piece)
        return found

    def allowance(self) -> int:
        """The most tokens that the message with the summary is asked to take."""
        return self.written(Summary()) + int(self._limit * self._policy.summary)

    def written(self, summary: Summary) -> int:
        """Tokens of the message with a summary."""
        return self.layout.tokens(self.message(summary))

    def message(self, summary: Summary) -> object:
        """The message of the user that holds a summary."""
        return self._shape.note(write(summary, self._policy.prompt, self._policy.state), self._messages[0])

    def refuse(self, reason: Reason, why: str) -> None:
        """Leave the history as it is."""
        tokens, trigger = self.plan.tokens, self.plan.trigger
        self.plan = CompactionPlan(False, reason, why, (), tokens, tokens, trigger)

    def _decide(self, *, over: bool) -> None:
        open_at = self._open_call()
        if open_at is not None:
            self.refuse("open-round", f"messages[{open_at}] has a call whose result is not there yet")
            return
        apart, layout = self._apart, self.layout
        if len(apart.pieces) != len(self._messages):
            layout = Layout(self._shape, self.layout.estimator, strict=False)
            layout.follow([piece.message for piece in apart.pieces], 0)
        old_tokens = 0
        if apart.summary is not None:
            old_tokens = layout.sums[apart.summary + 1] - layout.sums[apart.summary]
            first, stop = apart.summary + 1, apart.summary
        else:
            first = stop = _end_of_beginning(layout)
        segments = _segments(layout, first)
        if not segments:
            self.refuse("no-gain", "there are no messages behind the beginning, which stays")
            return
        need = int(self._limit * self._policy.gain) if over else 0
        more = max(0, self.allowance() - old_tokens)
        pinned = self._pinned(apart.pieces, segments)
        boundary = self._boundary(apart.pieces, segments)
        before, opening, gone = _split(segments, pinned, boundary)
        freed = sum(layout.sums[each.stop] - layout.sums[each.start] for each in gone) - more
        if freed <= need:
            self.refuse(
                "no-gain",
                f"a summary would free {max(0, freed):,} tokens, and must free more than {need:,}: what comes before "
                f"takes {self._fixed + layout.sums[stop]:,}, tools and system prompt included, and all after that "
                f"{layout.sums[-1] - layout.sums[first]:,}, of which the newest messages stay",
            )
            return
        self._take(apart.pieces, stop, segments, boundary, before, opening, gone)
        leaves = {piece.source for piece in self.gone}
        if apart.summary is not None:
            leaves.add(apart.pieces[apart.summary].source)
        stays = {piece.source for piece in (*self.base, *self._after)}
        expected = self.plan.tokens - freed
        why = f"the request takes {self.plan.tokens:,} tokens of {self.plan.trigger:,}" if over else "a phase ended"
        if expected > self.plan.trigger:
            why += f"; what stays is still above that, at {expected:,}"
        self.plan = CompactionPlan(
            True,
            "over-trigger" if over else "phase-ended",
            why,
            tuple(sorted(leaves - stays)),
            self.plan.tokens,
            expected,
            self.plan.trigger,
        )
        self._check()

    def _take(
        self,
        pieces: list[Piece],
        stop: int,
        segments: list[Segment],
        boundary: int,
        before: list[Segment],
        opening: Segment | None,
        gone: list[Segment],
    ) -> None:
        def of(each: Segment) -> list[Piece]:
            return pieces[each.start : each.stop]

        self.base = pieces[:stop] + [piece for each in before for piece in of(each)]
        self._after = (of(opening) if opening else []) + pieces[segments[boundary].start :]
        self.gone = [piece for each in gone for piece in of(each)]
        self.cut = pieces[segments[boundary].start].source

    def _open_call(self) -> int | None:
        """The message of a call in the last round that has no result yet."""
        if not self._messages:
            return None
        start = self.layout.starts[-1]
        unanswered = pair([self._record(message) for message in self._messages[start:]]).unanswered
        return start + unanswered[0].message if unanswered else None

    def _pinned(self, pieces: list[Piece], segments: list[Segment]) -> frozenset[int]:
        """Numbers of segments with a pinned message, and of those that begin their turns."""
        pins = self._policy.pins
        found: set[int] = set()
        for number, segment in enumerate(segments):
            own = pieces[segment.start : segment.stop]
            if any(pins(piece.message) if callable(pins) else piece.source in pins for piece in own):
                found |= {number} if segment.opened is None else {number, segment.opened}
        return frozenset(found)

    def _boundary(self, pieces: list[Piece], segments: list[Segment]) -> int:
        """The number of the segment with which the newest messages begin: the last that keeps enough of them.

        It is an earlier one where that would part a tool loop from the thinking that must begin it.
        """
        wanted = 0
        for number, segment in enumerate(segments):
            if len(pieces) - segment.start >= self._policy.keep_last:
                wanted = number
        if not self._shape.THINKING_FIRST:
            return wanted
        thinks, best = False, 0
        for number in range(len(segments) - 1, -1, -1):
            segment = segments[number]
            if segment.opening:
                return max(best, min(wanted, number))
            spoken = self._spoken(pieces[segment.start : segment.stop])
            thinks = thinks or "thinking" in spoken
            if number <= wanted and (not thinks or spoken[:1] == ["thinking"]):
                best = max(best, number)
        return best

    def _spoken(self, pieces: list[Piece]) -> list[PartKind]:
        """The kinds of the parts that the assistant says."""
        records = (self._record(piece.message) for piece in pieces)
        return [part.kind for record in records if speaker(record) == "assistant" for part in record.parts]

    def _check(self) -> None:
        """Refuse a history that stays invalid when what leaves has left."""
        found = self.around(Piece(self.message(Summary()), -1))
        messages = [piece.message for piece in found]
        fault = next(self._shape.check(messages, [self._record(message) for message in messages]), None)
        if fault is not None:
            sentence = next(rule.sentence for rule in self._shape.RULES if rule.name == fault.rule)
            where = found[fault.message].source
            raise InvalidHistory(f"messages[{where}]", f"{fault.detail} ({fault.rule}: {sentence})")

    def _record(self, message: object) -> Record:
        return self._shape.read(message, "message")

    def _role(self, piece: Piece) -> str:
        return self._record(piece.message).role


def _stop(layout: Layout, segment: int) -> int:
    return layout.starts[segment + 1] if segment + 1 < len(layout.starts) else len(layout)


def _end_of_beginning(layout: Layout) -> int:
    """One past the first that the user says, and the system messages before it."""
    for number, kind in enumerate(layout.kinds):
        if kind == "opening":
            return _stop(layout, number)
    return _stop(layout, 0) if layout.kinds[:1] == ["head"] else 0


def _segments(layout: Layout, first: int) -> list[Segment]:
    """The segments from `first` on. One that it cuts in two is of the user: a summary is in front of it."""
    found: list[Segment] = []
    if first == len(layout):
        return found
    opened: int | None = None
    for number in range(layout.segment_of(first), len(layout.starts)):
        opening = layout.kinds[number] == "opening"
        opened = len(found) if opening else opened
        found.append(Segment(max(first, layout.starts[number]), _stop(layout, number), opening, opened))
    return found


def _split(
    segments: list[Segment], pinned: frozenset[int], boundary: int
) -> tuple[list[Segment], Segment | None, list[Segment]]:
    """What goes before the summary, what begins the turn that is cut, and what leaves."""
    opened = segments[boundary].opened
    opening = None if opened in (None, boundary) or opened in pinned else opened
    before = [segments[number] for number in range(boundary) if number in pinned]
    gone = [segments[number] for number in range(boundary) if number not in pinned and number != opening]
    return before, None if opening is None else segments[opening], gone
