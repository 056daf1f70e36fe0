"""`Shape`: a session told by its numbers, and what a policy makes of it, in arithmetic without any text.

The decisions are those of `fit` and `compact` for a session of one turn whose rounds are all alike; what a policy says
of single tools, errors, pins or the cutting of results means nothing here.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from ullage._core import estimate
from ullage.arguments import finite_number, whole_number
from ullage.cache.prompt import Prompt
from ullage.cache.rules import CacheRules
from ullage.cache.sending import Marking, Policy, Sent
from ullage.compaction.policy import Compaction
from ullage.errors import CannotFit
from ullage.fitting.clearing import WORTH
from ullage.fitting.plan import FEW
from ullage.fitting.policy import Clear, FitPolicy, Rounds

ASK = 200
"""Tokens of the question for a summary."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A session of one turn: requests that each add the model's last call and its result to the one before.

    Attributes:
        turns: requests.
        base: tokens before the first call: tools, system prompt, the user's message.
        result: tokens of each tool result.
        output: tokens of each answer, which are part of the next request.
        seconds_between: from the start of a request to the start of the next one.

    >>> Shape(turns=300, base=15_000, result=2_500).largest
    822300
    """

    turns: int
    base: int
    result: int
    output: int = 200
    seconds_between: float = 10.0

    def __post_init__(self) -> None:
        for name, least in (("turns", 1), ("base", 1), ("result", 0), ("output", 0)):
            whole_number(name, getattr(self, name), least)
        finite_number("seconds_between", self.seconds_between)

    @property
    def largest(self) -> int:
        """Tokens of the last request if nothing ever leaves."""
        return self.base + (self.turns - 1) * (self.output + self.result)

    def __len__(self) -> int:
        """How many answers are asked for."""
        return self.turns

    def requests(self, policy: Policy, limit: int, rules: CacheRules, marking: Marking) -> Iterator[Sent]:
        """What is sent under a policy.

        Raises:
            CannotFit: when the policy does not get a request within the limit.
        """
        if isinstance(policy, Compaction):
            session: _Session = _Compacted(self, rules, marking, policy, limit)
        elif policy is None:
            session = _Session(self, rules, marking)
        else:
            session = _Cleared(self, rules, marking, policy, limit)
        for turn in range(self.turns):
            if turn:
                session.add()
            at = turn * self.seconds_between
            yield from session.shorten(at)
            session.mark()
            yield Sent(session.prompt, at, self.output)


@dataclass(slots=True)
class _Round:
    """A call and its result, as they are sent now."""

    number: int
    result: int
    cleared: bool = False


class _Session:
    """The prompt of a session that grows by rounds; nothing ever leaves."""

    def __init__(self, shape: Shape, rules: CacheRules, marking: Marking) -> None:
        self.prompt = Prompt()
        self.shape = shape
        self.rounds: list[_Round] = []
        self.cleared = 0  # blocks
        self._rules = rules
        self._marking = marking
        self._added = 0
        self.prompt.append("base", shape.base)

    def add(self) -> None:
        """Add the next round."""
        self.rounds.append(_Round(self._added, self.shape.result))
        self._added += 1
        self.write(self.rounds[-1])

    def write(self, each: _Round) -> None:
        """Append the blocks of a round."""
        self.prompt.append(("call", each.number), self.shape.output)
        self.prompt.append(("result", each.number, each.cleared), each.result)

    def shorten(self, at: float) -> Iterator[Sent]:
        """Make the prompt fit; what is sent on the way."""
        return iter(())

    def mark(self) -> None:
        """Set the markers."""
        self._marking.mark(self.prompt, self._rules, base=1, cleared=self.cleared)


class _Cleared(_Session):
    """Old results are cleared, and then rounds leave: `ullage.fitting.plan` in arithmetic."""

    def __init__(self, shape: Shape, rules: CacheRules, marking: Marking, policy: FitPolicy, limit: int) -> None:
        super().__init__(shape, rules, marking)
        self._policy = policy
        self._limit = limit
        self._next = 0  # of the rounds, the first whose result is not cleared
        self._noted = False  # whether rounds left

    def shorten(self, at: float) -> Iterator[Sent]:
        if self.prompt.total > self._limit and self._policy.clear is not None:
            self._clear(self._policy.clear)
        if self.prompt.total > self._limit and self._policy.rounds is not None:
            self._leave(self._policy.rounds)
        if self.prompt.total > self._limit:
            parts = {"rounds": self.prompt.total - self.shape.base, "base": self.shape.base}
            raise CannotFit(self.prompt.total, self._limit, parts, "Raise the budget, or let the policy do more.")
        return iter(())

    def _clear(self, rule: Clear) -> None:
        """Clear results, as `Clearing` and `Plan` do."""
        note, first = estimate(rule.note), self._next
        gain = self.shape.result - note
        if self.shape.result <= WORTH * note:
            return
        size = rule.batch if isinstance(rule.batch, int) else ceil(int(float(rule.batch) * self._limit) / gain)
        keep = int(self._limit * rule.keep_share) // self.shape.result
        sent = len(self.rounds)
        stop = min(sent - keep, sent - rule.keep_min, sent - 1)  # the newest result was not seen yet
        total, goal = self.prompt.total, self._limit - int(self._limit * rule.free)
        while total > goal:
            batch = range(self._next, min(self._next + size, stop))
            if len(batch) < size and len(batch) * gain < max(1, int(self._limit * FEW)):
                break
            for place in batch:
                self.rounds[place].result, self.rounds[place].cleared = note, True
            self._next = batch.stop
            total -= len(batch) * gain
        if self._next > first:
            self.prompt.cut(1 + self._noted + 2 * first)
            self._write_from(first)

    def _leave(self, rule: Rounds) -> None:
        """Let the oldest rounds leave, all but the newest if need be."""
        total, goal, leaving = self.prompt.total, self._limit - int(self._limit * rule.free), 0
        note = estimate(rule.note)
        total += 0 if self._noted else note
        while total > goal and leaving < len(self.rounds) - 1:
            total -= self.shape.output + self.rounds[leaving].result
            leaving += 1
        if leaving == 0:
            return
        del self.rounds[:leaving]
        self._next = max(0, self._next - leaving)
        self.prompt.cut(1 + self._noted)
        if not self._noted:
            self.prompt.append("note", note)
            self._noted = True
        self._write_from(0)

    def _write_from(self, first: int) -> None:
        for each in self.rounds[first:]:
            self.write(each)
        self.cleared = 1 + self._noted + 2 * self._next


class _Compacted(_Session):
    """A summary stands for the oldest rounds: `ullage.compaction` in arithmetic."""

    def __init__(self, shape: Shape, rules: CacheRules, marking: Marking, policy: Compaction, limit: int) -> None:
        super().__init__(shape, rules, marking)
        self._policy = policy
        self._limit = limit
        self._summary = int(policy.summary * limit)
        self._summaries = 0

    def shorten(self, at: float) -> Iterator[Sent]:
        policy, keep = self._policy, (self._policy.keep_last + 1) // 2
        leaving = len(self.rounds) - keep
        old = self._summary if self._summaries else 0
        gone = leaving * (self.shape.output + self.shape.result) + old
        due = self.prompt.total > policy.trigger * self._limit and leaving > 0
        if due and gone - self._summary >= policy.gain * self._limit:
            yield self._ask(at, leaving, gone)
            del self.rounds[:leaving]
            self._summaries += 1
            self.prompt.cut(1)
            self.prompt.append(("summary", self._summaries), self._summary)
            self.cleared = 2
            for each in self.rounds:
                self.write(each)

    def _ask(self, at: float, leaving: int, gone: int) -> Sent:
        """The request for a summary: behind the very rounds that leave, or about a text of its own."""
        if self._policy.style == "transcript":
            apart = Prompt()
            apart.append(("text", self._summaries), gone + ASK)
            return Sent(apart, at, self._summary, "summary")
        self.prompt.cut(1 + (self._summaries > 0) + 2 * leaving)
        self.prompt.append(("ask", self._summaries), ASK)
        self.mark()
        return Sent(self.prompt, at, self._summary, "summary")
