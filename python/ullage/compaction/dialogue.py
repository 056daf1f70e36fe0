"""`Dialogue`: what is asked of a summariser, request by request, and the history that comes of its answers.

It calls nobody and waits for nobody, so it is the same for a summariser that is called and for one that is awaited.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ullage import formats
from ullage._core import Estimator
from ullage.budget import Budget
from ullage.compaction.outline import CompactionPlan, Outline
from ullage.compaction.pieces import Piece
from ullage.compaction.policy import Compaction, Style
from ullage.compaction.prompt import FIELDS
from ullage.compaction.reading import read, write
from ullage.compaction.summary import Summary
from ullage.compaction.transcript import as_text
from ullage.errors import CannotFit, UnusableSummary
from ullage.fitting.layout import Layout, cost, record_cost
from ullage.formats.detection import detect
from ullage.formats.record import speaker
from ullage.history import as_list
from ullage.prune import prune_text
from ullage.receipt import Entry, Receipt

LEFT = "the oldest messages"
NOTED = "stands for the messages that left"
_LONGEST_MARK = "[... truncated, 1,000,000,000 characters]\n\n"


class SummaryRequest(NamedTuple):
    """A request whose answer is the summary.

    Attributes:
        messages: to be sent, in the format of the history.
        tools: to be sent along, so that the prefix is what it was; None for a transcript.
        system: the system prompt that is sent apart from the messages; None for a transcript.
        style: whether these are the very messages with a question at the end, or text in one message.
        tokens: of all of it, by estimate.
    """

    messages: list[Any]
    tools: Sequence[object] | None
    system: object
    style: Style
    tokens: int


@dataclass(frozen=True, slots=True)
class CompactResult:
    """A history with a summary in it, or as it was.

    Attributes:
        messages: to go on with; a new list, in which all but the summary is the same objects, as far as the format
            does not want the summary in one message with another.
        summary: the one in it; empty where there is none.
        plan: what was decided, and why.
        receipt: what was done.
        missing: fields that the summariser left out. What an earlier summary said there is kept.
        outside: what it wrote before the first field, and is not in the summary.
    """

    messages: list[Any]
    summary: Summary
    plan: CompactionPlan
    receipt: Receipt
    missing: tuple[str, ...] = ()
    outside: str = ""


class Dialogue:
    """One compaction. Ask `request` and give `answer` until there is no request; then there is a `result`.

    Attributes:
        plan: what was decided.
    """

    def __init__(
        self,
        messages: Iterable[Any],
        budget: int | Budget,
        compaction: Compaction | None,
        tools: Sequence[object] | None,
        system: object,
        estimator: Estimator,
        format: str | None,
        phase_ended: bool,
    ) -> None:
        budget = Budget.of(budget)
        self._messages = as_list(messages, "messages")
        self._policy = Compaction() if compaction is None else compaction
        self._shape = formats.named(detect(self._messages) if format is None else format)
        self._layout = Layout(self._shape, estimator, strict=False)
        self._layout.follow(self._messages, 0)
        self._tools, self._system = tools, system
        self._limit = self._layout.costs.limit(budget.room)
        self._fixed = self._shape.REQUEST_TOKENS
        if tools is not None:
            self._fixed += cost(self._shape.tools(as_list(tools, "tools")), self._layout.estimate)
        if system is not None:
            self._fixed += record_cost(self._shape.system(system), self._layout.estimate)
        self._outline = Outline(
            self._policy, self._messages, self._layout, self._limit, self._fixed, phase_ended=phase_ended
        )
        self._so_far = self._outline.old
        self._missing = set(FIELDS)
        self._outside: list[str] = []
        self._prefix: SummaryRequest | None = None
        self._texts: list[str] = []
        self._taken = 0
        if self._outline.plan.due:
            writing = budget.window - self._outline.allowance()
            self._most = min(self._limit, self._layout.costs.limit(max(0, writing)))
            self._prepare()

    @property
    def plan(self) -> CompactionPlan:
        """What was decided."""
        return self._outline.plan

    def request(self) -> SummaryRequest | None:
        """What to ask next, or None.

        Raises:
            CannotFit: when the summary so far has become too long.
        """
        if self._prefix is not None or not self._texts:
            return self._prefix
        room = self._room()
        if room < self._least():
            raise CannotFit(
                self._most - room + self._least(),
                self._most,
                {"summary so far": self._outline.written(self._so_far)},
                "Ask the summariser for a shorter summary, or give a larger budget.",
            )
        while True:
            taken = self._pack(room)
            message = self._shape.note(self._ask("\n\n".join(taken)), self._messages[0])
            tokens = self._shape.REQUEST_TOKENS + self._layout.tokens(message)
            if tokens <= self._most:
                self._taken = len(taken)
                return SummaryRequest([message], None, None, "transcript", tokens)
            room -= tokens - self._most  # a whole may cost a little more than its parts

    def answer(self, reply: object) -> None:
        """Take what the summariser wrote.

        Raises:
            TypeError: when it is not a string.
            UnusableSummary: when there is nothing in it.
        """
        if not isinstance(reply, str):
            raise TypeError(f"a summariser gives str, not {type(reply).__name__}")
        found = read(reply, self._policy.prompt)
        if not found.summary:
            raise UnusableSummary("the summary has no content", reply)
        self._so_far = self._so_far.merge(found.summary)
        self._missing &= set(found.missing)
        self._outside += [found.outside] if found.outside else []
        self._prefix = None
        del self._texts[: self._taken]

    def result(self) -> CompactResult:
        """The history now.

        Raises:
            UnusableSummary: when it is not shorter than it was.
        """
        plan = self.plan
        if not plan.due:
            receipt = Receipt((), plan.tokens, plan.tokens, self._limit, None)
            return CompactResult(list(self._messages), self._outline.old, plan, receipt)
        found = self._outline.around(Piece(self._outline.message(self._so_far), -1))
        messages = [piece.message for piece in found]
        after = self._fixed + sum(map(self._layout.tokens, messages))
        if after >= plan.tokens:
            raise UnusableSummary(
                f"with the summary the request would take {after:,} tokens, and takes {plan.tokens:,} without it",
                write(self._so_far, self._policy.prompt),
            )
        missing = tuple(name for name in FIELDS if name in self._missing)
        return CompactResult(
            messages, self._so_far, plan, self._receipt(messages, after), missing, "\n".join(self._outside)
        )

    def _prepare(self) -> None:
        """Find out how to ask: at the end of the messages that they are, or with a transcript of them."""
        if self._policy.style == "prefix":
            self._prefix = self._as_prefix()
        if self._prefix is not None:
            return
        if self._room() < self._least():
            self._outline.refuse(
                "no-room-to-ask",
                f"a request for the summary has {max(0, self._room()):,} tokens for what it is about, and needs "
                f"{self._least():,}",
            )
            return
        for piece in (*self._outline.base, *self._outline.gone):
            record = self._shape.read(piece.message, f"messages[{piece.source}]")
            if speaker(record) != "system" and (text := as_text(record)):
                self._texts.append(text)

    def _as_prefix(self) -> SummaryRequest | None:
        """The messages up to the cut and the question; None where that is too long, or the provider refuses it."""
        messages = self._messages[: self._outline.cut]
        question = self._shape.note(self._task(), self._messages[0])
        tokens = self._fixed + self._layout.sums[len(messages)] + self._layout.tokens(question)
        if tokens > self._most:
            return None
        if self._shape.ALTERNATES and self._role(messages[-1]) == self._role(question):
            messages[-1] = self._shape.merge(messages[-1], question)
        else:
            messages.append(question)
        records = [self._shape.read(message, "message") for message in messages]
        if next(self._shape.check(messages, records), None) is not None:
            return None
        return SummaryRequest(messages, self._tools, self._system, "prefix", tokens)

    def _task(self) -> str:
        prompt, state = self._policy.prompt, self._policy.state
        words = max(1, int(self._limit * self._policy.summary) // 2)
        task = prompt.task.replace("{words}", str(words))
        return task if state is None else f"{task}\n\n{state.named_in(prompt.file_task)}"

    def _ask(self, conversation: str) -> str:
        """The text of a request for the summary of a part of the conversation."""
        prompt = self._policy.prompt
        parts = [f"{prompt.so_far}\n{write(self._so_far, prompt)}"] if self._so_far else []
        parts.append(f"{prompt.transcript}\n<conversation>\n{conversation}\n</conversation>")
        return "\n\n".join([*parts, self._task()])

    def _room(self) -> int:
        """Tokens that a request has for the conversation, beside all else in it."""
        empty = self._shape.note(self._ask(""), self._messages[0])
        return self._most - self._shape.REQUEST_TOKENS - self._layout.tokens(empty)

    def _least(self) -> int:
        """So much room is needed that half of it holds a text that is cut, with its mark."""
        return 4 * self._layout.estimate(_LONGEST_MARK)

    def _pack(self, room: int) -> list[str]:
        """The next texts of the transcript that fit, at least one; each is cut to half of the room."""
        most = room // 2 - self._layout.estimate("\n\n")
        taken: list[str] = []
        used = 0
        for text in self._texts:
            shown = prune_text(text, max_tokens=most, estimator=self._layout)
            used += self._layout.estimate(f"{shown}\n\n")
            if taken and used > room:
                break
            taken.append(shown)
        return taken

    def _receipt(self, messages: list[object], after: int) -> Receipt:
        sums, leaves = self._layout.sums, set(self.plan.summarise)
        first = next(
            (at for at, pair in enumerate(zip(self._messages, messages, strict=False)) if pair[0] is not pair[1])
        )
        entries: list[Entry] = []
        starts = [index for index in self.plan.summarise if index - 1 not in leaves]
        stops = [index + 1 for index in self.plan.summarise if index + 1 not in leaves]
        for start, stop in zip(starts, stops, strict=True):
            entries.append(Entry("summarised", start, stop, sums[stop] - sums[start], 0, LEFT))
        freed = sum(entry.before for entry in entries)
        place = len(self._outline.base)
        entries.append(Entry("noted", place, place, 0, after - self.plan.tokens + freed, NOTED))
        return Receipt(
            tuple(sorted(entries, key=lambda entry: (entry.start, entry.stop))),
            self.plan.tokens,
            after,
            self._limit,
            first,
        )

    def _role(self, message: object) -> str:
        return self._shape.read(message, "message").role
