"""`Conversation`: the requests by which a session of real messages asks for its answers, under a policy."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, NamedTuple

from ullage import formats
from ullage._core import Estimator
from ullage.budget import Budget
from ullage.cache.prompt import Prompt
from ullage.cache.rules import CacheRules
from ullage.cache.sending import Kind, Marking, Policy, Sent
from ullage.cache.writing import Writer
from ullage.compaction.dialogue import SummaryRequest
from ullage.compaction.policy import Compaction
from ullage.compaction.running import compact
from ullage.errors import UnusableSummary
from ullage.fitting.layout import Layout
from ullage.fitting.policy import FitPolicy
from ullage.fitting.shorten import fit
from ullage.formats.record import speaker
from ullage.history import History
from ullage.request import Request


class _Wanted(NamedTuple):
    """A request to come: its messages, or only its tokens where it shares nothing with others."""

    messages: list[Any]
    output: int
    kind: Kind = "answer"
    apart: int = 0


class Conversation:
    """One conversation, in which each answer was asked for by a request.

    Args:
        request: its messages, with its tools and system prompt.
        estimator: of texts.
        seconds_between: from the start of a request to the start of the next one.
        policy: what is done to it on the way.
        budget: of a request; a policy needs it.
        summary: tokens of each summary; by default, as many as the policy asks for.

    Raises:
        TypeError, InvalidHistory: when something is not a message.
    """

    def __init__(
        self,
        request: Request,
        estimator: Estimator,
        seconds_between: float,
        policy: Policy,
        budget: Budget | None,
        summary: int | None,
    ) -> None:
        self._request = request
        self._estimator = estimator
        self._seconds = seconds_between
        self._policy = policy
        self._budget = budget
        self._summary = summary
        shape = formats.named(request.format)
        layout = Layout(shape, estimator, strict=False)
        layout.follow(request.messages, 0)
        said = [speaker(record) == "assistant" for record in request.read().messages]
        self._answers: list[tuple[int, int]] = []  # messages before each answer, and its tokens
        for point in layout.points:
            end = next((index for index in range(point.message, len(said)) if not said[index]), len(said))
            self._answers.append((point.message, layout.sums[end] - layout.sums[point.message]))
        if said and not said[-1]:
            self._answers.append((len(said), 0))

    def __len__(self) -> int:
        """How many answers are asked for."""
        return len(self._answers)

    def requests(self, rules: CacheRules, marking: Marking) -> Iterator[Sent]:
        """What is sent. Markers are those of the messages, or else set by `marking`.

        Raises:
            CannotFit: when the policy does not get a request within the budget.
        """
        writer = Writer(self._estimator)
        originals = set(map(id, self._request.messages))
        turn = -1
        for wanted in self._wanted():
            turn += wanted.kind == "answer"
            at = (turn + (wanted.kind == "summary")) * self._seconds
            if wanted.apart:
                apart = Prompt()
                apart.append(("text", turn), wanted.apart)
                yield Sent(apart, at, wanted.output, "summary")
                continue
            value = self._request.with_messages(wanted.messages)
            if not writer.write(replace(self._request, value=value, messages=wanted.messages)):
                new = [index for index, message in enumerate(wanted.messages) if id(message) not in originals]
                if wanted.kind == "summary":
                    new = new[:-1]  # the question
                first = self._answers[0][0]
                base = writer.ends[first - 1] if 0 < first <= len(writer.ends) else writer.prelude
                marking.mark(writer.prompt, rules, base, writer.ends[new[-1]] if new else 0)
            yield Sent(writer.prompt, at, wanted.output, wanted.kind)

    def _wanted(self) -> Iterator[_Wanted]:
        if self._policy is None or self._budget is None:
            return (_Wanted(self._request.messages[:stop], output) for stop, output in self._answers)
        if isinstance(self._policy, Compaction):
            return self._compacted(self._policy, self._budget)
        return self._fitted(self._policy, self._budget)

    def _fitted(self, policy: FitPolicy, budget: Budget) -> Iterator[_Wanted]:
        request = self._request
        history = History(format=request.format, estimator=self._estimator)
        before: list[Any] = []
        for stop, output in self._answers:
            fitted = fit(
                request.messages[:stop],
                budget,
                tools=request.tools or None,
                system=request.system,
                policy=policy,
                history=history,
            )
            # What was cleared is made anew each time: the writer knows the one of the last time.
            before = [*map(_same, before, fitted.messages), *fitted.messages[len(before) :]]
            yield _Wanted(before, output)

    def _compacted(self, policy: Compaction, budget: Budget) -> Iterator[_Wanted]:
        request = self._request
        summary = int(policy.summary * budget.room) if self._summary is None else self._summary
        answer = _of_tokens(summary, self._estimator)
        messages: list[Any] = []
        done = 0
        for stop, output in self._answers:
            messages += request.messages[done:stop]
            done = stop
            asked: list[SummaryRequest] = []

            def summarise(wanted: SummaryRequest, asked: list[SummaryRequest] = asked) -> str:
                asked.append(wanted)
                return answer

            with suppress(UnusableSummary):  # longer than what it would stand for: all stays, and it was paid for
                messages = compact(
                    messages,
                    summarise,
                    budget,
                    compaction=policy,
                    tools=request.tools or None,
                    system=request.system,
                    estimator=self._estimator,
                    format=request.format,
                ).messages
            for wanted in asked:
                apart = wanted.tokens if wanted.style == "transcript" else 0
                yield _Wanted(wanted.messages, summary, "summary", apart)
            yield _Wanted(messages, output)


def _same(old: object, new: object) -> object:
    """The old one of two messages of the fitter, if they are equal."""
    return old if old is not new and old == new else new


def _of_tokens(tokens: int, estimator: Estimator) -> str:
    """A summary that costs about so many tokens."""
    text = "Objective: go on\nFacts:\n- " + "fact " * tokens
    return text[: max(30, len(text) * tokens // max(1, estimator.estimate(text)))]
