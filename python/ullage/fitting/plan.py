"""`Plan`: what leaves a history. It is found by replaying the history, so it depends on nothing but the history.

At every place where a request was sent, and only if that request was over the limit, something leaves; what left does
not come back. So the plan of a longer history begins as the plan of the shorter one did, without any state being kept,
and what is sent changes only where something leaves.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from typing import Literal, TypeAlias

from ullage.fitting.clearing import Clearing
from ullage.fitting.cutting import CutResult, cut
from ullage.fitting.layout import Layout, Point
from ullage.fitting.policy import FitPolicy
from ullage.pins import check_indices

FEW = 0.25
"""Fewer than a batch of results are cleared only if that frees this share of the limit.

A huge result should not wait for others; but clearing one result after another would change what is sent too often.
"""

Step: TypeAlias = Literal["turns", "rounds"]


class Plan:
    """What leaves, for one history, policy and limit.

    A plan can be kept while its history grows: it holds what was done where nothing will change any more, and gives
    what there is to do now as another plan.

    Attributes:
        cleared: for each result that is cleared, its number, and its tokens now.
        cuts: for each result that is cut, its number, and what is left of it.
        turn: the turns before this one left.
        rounds: for each turn from then on that lost rounds, the segments that left: the first, and one past the last.
        pinned: segments that stay as they are.
        kept: these, and the head and the first opening: they never leave.
        anchor: the segment behind which the note on turns stands; -1 for the start.
        acted: the message before which something was done last; the plan depends on those before it.
        total: tokens of the request that is left.
    """

    def __init__(
        self, layout: Layout, policy: FitPolicy, limit: int, fixed: int, note_tokens: Mapping[Step, int]
    ) -> None:
        """Nothing done yet.

        Args:
            layout: of the history.
            policy: what may leave.
            limit: tokens of the request.
            fixed: tokens of the request apart from its messages.
            note_tokens: tokens of the notes of those steps that may be taken.
        """
        self.cleared: dict[int, int] = {}
        self.cuts: dict[int, CutResult] = {}
        self.turn = 0
        self.rounds: dict[int, tuple[int, int]] = {}
        self.pinned: frozenset[int] = frozenset()
        self.kept: frozenset[int] = frozenset()
        self.anchor = -1
        self.acted = 0
        self.terms = (policy, limit, fixed, note_tokens)
        self._layout = layout
        self._messages: Sequence[object] = ()
        self._policy = policy
        self._limit = limit
        self._fixed = fixed
        self._note_tokens = note_tokens
        self._freed = 0
        self._freed_in_segment: dict[int, int] = {}
        self._freed_in_turn: dict[int, int] = {}
        self._stays_in_turn: dict[int, int] = {}
        self.clearing = None if policy.clear is None else Clearing(layout, policy.clear, limit)

    def follow(self, messages: Sequence[object], start: int) -> "Plan":
        """Go on with a history that is new from message `start` on, and give what is done at its end.

        Args:
            messages: the whole history, which the layout follows already.
            start: at least `acted`.
        """
        self._messages = messages
        self._keep(start)
        if not messages:
            return self
        self._replay(self._layout.settled)
        now = self._copy()
        now._replay(len(messages))
        now._shorten(Point(len(messages), self._layout.seen))
        return now

    def _copy(self) -> "Plan":
        other = copy(self)
        for name in ("cleared", "cuts", "rounds", "_freed_in_segment", "_freed_in_turn"):
            setattr(other, name, copy(getattr(self, name)))
        other.clearing = None if self.clearing is None else self.clearing.copy()
        return other

    def _keep(self, start: int) -> None:
        """Find out what never leaves."""
        layout = self._layout
        head = layout.kinds[:1] == ["head"]
        self.anchor = layout.kinds.index("opening") if "opening" in layout.kinds else head - 1
        self.pinned = self._pins(start)
        self.kept = self.pinned.union([0] * head, [self.anchor] * (self.anchor >= 0))
        self._stays_in_turn.clear()
        note = self._note_tokens.get("turns", 0)
        for segment in self.kept:
            turn = layout.turn_of(segment)
            stays = layout.size(segment) + note * self.is_noted(segment)
            self._stays_in_turn[turn] = self._stays_in_turn.get(turn, 0) + stays

    def _pins(self, start: int) -> frozenset[int]:
        layout, messages, pins = self._layout, self._messages, self._policy.pins
        if not callable(pins):
            check_indices(pins, len(messages))
            return frozenset(map(layout.segment_of, pins))
        first = bisect_left(layout.starts, start)
        before = (segment for segment in self.pinned if segment < first)
        new = (layout.segment_of(index) for index in range(start, len(messages)) if pins(messages[index]))
        return frozenset([*before, *new])

    @property
    def total(self) -> int:
        """Tokens of the request that is left."""
        return self._tokens(len(self._layout))

    def size(self, segment: int) -> int:
        """Tokens of a segment that has not left, as it is now."""
        return self._layout.size(segment) - self._freed_in_segment.get(segment, 0)

    def gaps(self) -> list[tuple[int, int]]:
        """The segments that left, in order: the first, and one past the last."""
        left = [(0, self._layout.turns[self.turn])] if self.turn else []
        left += (self.rounds[turn] for turn in sorted(self.rounds))
        return [gap for start, stop in left for gap in self._without_kept(start, stop)]

    def notes(self) -> list[tuple[int, Step]]:
        """The segments before which a note stands, in order, and what it is a note on."""
        found: list[tuple[int, Step]] = []
        if self.turn:
            found.append((self.anchor + 1, "turns"))
            left = self._layout.turns[self.turn]
            found += ((segment + 1, "turns") for segment in self.kept if segment < left and self.is_noted(segment))
        found += ((self._first_round(turn), "rounds") for turn in self.rounds)
        return sorted(found, key=lambda note: note[0])

    def _without_kept(self, start: int, stop: int) -> Iterator[tuple[int, int]]:
        for segment in sorted(segment for segment in self.kept if start <= segment < stop):
            if start < segment:
                yield start, segment
            start = segment + 1
        if start < stop:
            yield start, stop

    def _first_round(self, turn: int) -> int:
        first = self._layout.turns[turn]
        return first + (self._layout.kinds[first] != "round")

    def is_noted(self, segment: int) -> bool:
        """Whether a note stands behind this segment, of those that are kept, once its turn left.

        It does behind what the assistant said, for another message of the assistant may follow, which some APIs refuse.
        """
        return segment != self.anchor and self._layout.speaks_last[segment]

    def _tokens(self, message: int) -> int:
        """Tokens of the request with the messages before this one."""
        return self._fixed + self._layout.sums[message] - self._freed

    def _replay(self, stop: int) -> None:
        """Do what was to be done where requests were sent, up to message `stop`."""
        sums, points = self._layout.point_sums, self._layout.points
        at = bisect_right(points, (self.acted, len(self._layout)))
        while (at := bisect_right(sums, self._limit - self._fixed + self._freed, at)) < len(points):
            if points[at].message > stop:
                break
            self._shorten(points[at])
            self.acted = points[at].message
            at += 1

    def _shorten(self, point: Point) -> None:
        for step in (self._clear, self._leave_turns, self._leave_rounds, self._leave_first_round, self._cut):
            if self._tokens(point.message) <= self._limit:
                return
            step(point)

    def _goal(self, free: float) -> int:
        """Tokens below which that share of the limit is free."""
        return self._limit - int(self._limit * free)

    def _free(self, turn: int, segment: int | None, tokens: int) -> None:
        self._freed += tokens
        self._freed_in_turn[turn] = self._freed_in_turn.get(turn, 0) + tokens
        if segment is not None:
            self._freed_in_segment[segment] = self._freed_in_segment.get(segment, 0) + tokens

    def _tokens_of_result(self, number: int) -> int:
        """What a result that is not cleared costs now."""
        known = self.cuts.get(number)
        return self._layout.results[number].tokens if known is None else known.tokens

    def _gain(self, number: int) -> int:
        """The tokens that clearing a result frees."""
        assert self.clearing is not None
        return self._tokens_of_result(number) - self.clearing.tokens(number, self._messages)

    def _replace(self, number: int, tokens: int) -> None:
        """Account for a result that costs so many tokens from now on."""
        segment = self._layout.segment_of(self._layout.results[number].message)
        self._free(self._layout.turn_of(segment), segment, self._tokens_of_result(number) - tokens)

    def text(self, number: int) -> str:
        """What stands in the place of a result that is cleared or cut."""
        left = self.cuts.get(number)
        if left is not None:
            return left.text
        assert self.clearing is not None
        return self.clearing.note(number)

    def has_left(self, number: int) -> bool:
        """Whether a result is in a message that left."""
        if not self.turn and not self.rounds:
            return False
        segment = self._layout.segment_of(self._layout.results[number].message)
        turn = self._layout.turn_of(segment)
        start, stop = self.rounds.get(turn, (0, 0))
        return segment not in self.kept and (turn < self.turn or start <= segment < stop)

    def _stays(self, number: int) -> bool:
        """Whether a result is not to be cleared any more."""
        return self._layout.segment_of(self._layout.results[number].message) in self.kept or self.has_left(number)

    def _clear(self, point: Point) -> None:
        rule = self._policy.clear
        if rule is None or self.clearing is None:
            return
        goal = self._goal(rule.free)
        while self._tokens(point.message) > goal:
            batch = self.clearing.take(point, self._stays, self._gain)
            costs = [self.clearing.tokens(number, self._messages) for number in batch]
            gain = sum(map(self._tokens_of_result, batch)) - sum(costs)
            if not self.clearing.full(len(batch), gain) and gain < max(1, int(self._limit * FEW)):
                self.clearing.give_back(batch)
                return
            for number, tokens in zip(batch, costs, strict=True):
                self._replace(number, tokens)
                self.cuts.pop(number, None)
                self.cleared[number] = tokens

    def _leave_turns(self, point: Point) -> None:
        rule = self._policy.turns
        if rule is None:
            return
        layout = self._layout
        current = layout.turn_of(layout.segment_of(point.message - 1))
        before, goal = self._tokens(point.message), self._goal(rule.free)
        now = before + (self._note_tokens["turns"] if self.turn == 0 else 0)
        turn = self.turn
        while turn < current and now > goal:
            size = layout.sums[self._start_of_turn(turn + 1)] - layout.sums[self._start_of_turn(turn)]
            now -= size - self._stays_in_turn.get(turn, 0) - self._freed_in_turn.get(turn, 0)
            turn += 1
        if now < before:
            self._freed += before - now
            self.turn = turn
            self._forget_what_left()

    def _forget_what_left(self) -> None:
        """Keep no more of the past than what is still sent, however long the history is."""
        segment = self._layout.turns[self.turn]
        first = self._layout.results_in(self._layout.starts[segment], len(self._layout)).start
        self.cleared = {number: tokens for number, tokens in self.cleared.items() if number >= first}
        self.cuts = {number: left for number, left in self.cuts.items() if number >= first}
        self.rounds = {turn: left for turn, left in self.rounds.items() if turn >= self.turn}
        self._freed_in_turn = {turn: freed for turn, freed in self._freed_in_turn.items() if turn >= self.turn}
        self._freed_in_segment = {at: freed for at, freed in self._freed_in_segment.items() if at >= segment}

    def _start_of_turn(self, turn: int) -> int:
        return self._layout.starts[self._layout.turns[turn]] if turn else 0

    def _leave_rounds(self, point: Point) -> None:
        """Leave out the oldest rounds; the first one stays where it is needed for its thinking."""
        if self._policy.rounds is None:
            return
        turn, first, newest, needed = self._current(point)
        start, stop = self.rounds.get(turn, (first + needed, first + needed))
        self._leave(point, turn, start, stop, newest, thinking=needed and start == first)

    def _leave_first_round(self, point: Point) -> None:
        """Leave out the first round as well, and with it all up to another one that begins with thinking."""
        if self._policy.rounds is None:
            return
        turn, first, newest, needed = self._current(point)
        start, stop = self.rounds.get(turn, (first + 1, first + 1))
        if needed and start == first + 1:
            self._leave(point, turn, first, stop, newest, thinking=True)

    def _current(self, point: Point) -> tuple[int, int, int, bool]:
        """The current turn, its first round, its newest segment, and whether that round is needed for its thinking."""
        newest = self._layout.segment_of(point.message - 1)
        turn = self._layout.turn_of(newest)
        first = self._first_round(turn)
        needed = first < newest and self._layout.shape.THINKING_FIRST and self._layout.thinks[first]
        return turn, first, newest, needed

    def _leave(self, point: Point, turn: int, start: int, stop: int, newest: int, *, thinking: bool) -> None:
        """Leave out the rounds from `start` on, of which those before `stop` may have left already.

        Args:
            point: where the request is sent.
            turn: the current turn.
            start: the first segment that leaves.
            stop: segments before this one have left, but for `start` perhaps.
            newest: the newest segment, which stays.
            thinking: whether the first segment that stays must begin with thinking.
        """
        assert self._policy.rounds is not None
        layout = self._layout
        before = self._tokens(point.message)
        now, goal = before, self._goal(self._policy.rounds.free)
        if turn not in self.rounds:
            now += self._note_tokens["rounds"]
        known = self.rounds.get(turn, (stop, stop))
        segments = [*range(start, known[0]), *range(stop, newest)]
        best = None
        for segment in segments:
            if thinking and segment in self.kept and not layout.thinks[segment]:
                break
            if segment not in self.kept:
                now -= self.size(segment)
            border = max(stop, segment + 1)
            if (not thinking or layout.thinks[border]) and now < before:
                best = border, now
                if now <= goal:
                    break
        if best is not None:
            self.rounds[turn] = start, best[0]
            self._free(turn, None, before - best[1])

    def _cut(self, point: Point) -> None:
        layout = self._layout
        newest = layout.segment_of(point.message - 1)
        if self._policy.cut is None or newest in self.kept:
            return
        numbers = [
            number for number in layout.results_in(layout.starts[newest], point.message) if number not in self.cleared
        ]
        costs = [layout.results[number].tokens for number in numbers]
        cut_before = sum(costs) - sum(map(self._tokens_of_result, numbers))
        found = cut(layout, self._messages, numbers, costs, self._tokens(point.message) - self._limit + cut_before)
        if found is None:
            return
        for number in numbers:
            left = found.get(number)
            self._replace(number, layout.results[number].tokens if left is None else left.tokens)
            self.cuts.pop(number, None)
            if left is not None:
                self.cuts[number] = left
