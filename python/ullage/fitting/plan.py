"""`Plan`: what leaves a history. It is found by replaying the history, so it depends on nothing but the history.

At every place where a request was sent, and only if that request was over the limit, something leaves; what left does
not come back. So the plan of a longer history begins as the plan of the shorter one did, without any state being kept,
and what is sent changes only where something leaves.
"""

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from ullage.fitting.clearing import Clearing
from ullage.fitting.cutting import CutResult, cut
from ullage.fitting.layout import Layout, Point
from ullage.fitting.policy import FitPolicy

Step: TypeAlias = Literal["turns", "rounds"]


class Plan:
    """What leaves, for one history, policy and limit.

    Attributes:
        cleared: for each result that is cleared, its number, and its tokens now.
        cuts: for each result that is cut, its number, and what is left of it.
        turn: the turns before this one left.
        rounds: for each turn from then on that lost rounds, the segments that left: the first, and one past the last.
        pinned: segments that stay as they are.
        kept: these, and the head and the first opening: they never leave.
        anchor: the segment behind which the note on turns stands; -1 for the start.
        total: tokens of the request that is left.
    """

    def __init__(
        self,
        layout: Layout,
        messages: Sequence[object],
        policy: FitPolicy,
        limit: int,
        fixed: int,
        note_tokens: Mapping[Step, int],
    ) -> None:
        """Find the plan.

        Args:
            layout: of the history.
            messages: the history.
            policy: what may leave.
            limit: tokens of the request.
            fixed: tokens of the request apart from its messages.
            note_tokens: tokens of the notes of those steps that may be taken.
        """
        self.cleared: dict[int, int] = {}
        self.cuts: dict[int, CutResult] = {}
        self.turn = 0
        self.rounds: dict[int, tuple[int, int]] = {}
        head = layout.kinds[:1] == ["head"]
        self.anchor = layout.kinds.index("opening") if "opening" in layout.kinds else head - 1
        self.pinned = _pinned(layout, messages, policy)
        self.kept = self.pinned.union([0] * head, [self.anchor] * (self.anchor >= 0))
        self._layout = layout
        self._messages = messages
        self._policy = policy
        self._limit = limit
        self._fixed = fixed
        self._note_tokens = note_tokens
        self._freed = 0
        self._freed_in_segment: dict[int, int] = {}
        self._freed_in_turn: dict[int, int] = {}
        self._stays_in_turn: dict[int, int] = {}
        note = note_tokens.get("turns", 0)
        for segment in self.kept:
            turn = layout.turn_of(segment)
            stays = layout.size(segment) + note * self.is_noted(segment)
            self._stays_in_turn[turn] = self._stays_in_turn.get(turn, 0) + stays
        clear = policy.clear
        self.clearing = None if clear is None else Clearing(layout, messages, clear, limit, self.kept)
        if len(layout):
            self._replay()

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

    def _replay(self) -> None:
        sums, points = self._layout.point_sums, self._layout.points
        at = 0
        while (at := bisect_right(sums, self._limit - self._fixed + self._freed, at)) < len(points):
            self._shorten(points[at])
            at += 1
        self._shorten(Point(len(self._layout), self._layout.seen))

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

    def _replace(self, number: int, tokens: int) -> None:
        """Account for a result that costs so many tokens from now on."""
        segment = self._layout.segment_of(self._layout.results[number].message)
        self._free(self._layout.turn_of(segment), segment, self._tokens_of_result(number) - tokens)

    def has_left(self, number: int) -> bool:
        """Whether a result is in a message that left."""
        segment = self._layout.segment_of(self._layout.results[number].message)
        turn = self._layout.turn_of(segment)
        start, stop = self.rounds.get(turn, (0, 0))
        return segment not in self.kept and (turn < self.turn or start <= segment < stop)

    def _clear(self, point: Point) -> None:
        rule = self._policy.clear
        if rule is None or self.clearing is None:
            return
        goal = self._goal(rule.free)
        while self._tokens(point.message) > goal:
            batch = self.clearing.take(point, self.has_left)
            gains = [self._tokens_of_result(number) - self.clearing.tokens(number) for number in batch]
            if len(batch) < rule.batch and sum(gains) < max(1, self._limit - goal):
                self.clearing.give_back(batch)
                return
            for number in batch:
                tokens = self.clearing.tokens(number)
                self._replace(number, tokens)
                self.cuts.pop(number, None)
                self.cleared[number] = tokens

    def _leave_turns(self, point: Point) -> None:
        rule = self._policy.turns
        if rule is None:
            return
        layout = self._layout
        current = layout.turn_of(layout.segment_of(point.message - 1))
        now, goal = self._tokens(point.message), self._goal(rule.free)
        now += self._note_tokens["turns"] if self.turn == 0 else 0
        gain = 0
        for turn in range(self.turn, current):
            size = layout.sums[self._start_of_turn(turn + 1)] - layout.sums[self._start_of_turn(turn)]
            gain += size - self._stays_in_turn.get(turn, 0) - self._freed_in_turn.get(turn, 0)
            if now - gain <= goal or turn + 1 == current:
                if now - gain < self._tokens(point.message):
                    self._freed += self._tokens(point.message) - (now - gain)
                    for left in range(self.turn, turn + 1):
                        self.rounds.pop(left, None)
                    self.turn = turn + 1
                return

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
        segments = (
            [*range(start, known[0]), *range(max(stop, start), newest)] if start < known[0] else range(stop, newest)
        )
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


def _pinned(layout: Layout, messages: Sequence[object], policy: FitPolicy) -> frozenset[int]:
    pins = policy.pins
    if callable(pins):
        return frozenset(layout.segment_of(index) for index, message in enumerate(messages) if pins(message))
    for index in pins:
        if not 0 <= index < len(messages):
            raise ValueError(f"there is no message {index} to pin; there are {len(messages)}, counted from 0")
    return frozenset(map(layout.segment_of, pins))
