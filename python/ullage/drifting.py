"""`drift`: what share of each request the instructions have, as tool results and dialogue pile up behind them.

Instructions are sent with every request, but what they are a share of grows: 5,000 tokens of them are 29 % beside
12,000 tokens of tool results and 8 % beside 60,000.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ullage import formats
from ullage._core import Estimator
from ullage.fitting.layout import cost
from ullage.formats.detection import detect
from ullage.formats.record import Record, belongs_to_result, speaker
from ullage.history import as_list, chosen


class DriftStep(NamedTuple):
    """What one request sends, in tokens.

    Attributes:
        messages: how many it sends.
        instructions: the system prompt, and messages of the system.
        history: what the user and the assistant said, thinking and calls among it.
        results: tool results, with the images and documents in them.
        rest: tool definitions, and the framing of the request.
    """

    messages: int
    instructions: int
    history: int
    results: int
    rest: int

    @property
    def total(self) -> int:
        """All tokens of the request."""
        return self.instructions + self.history + self.results + self.rest

    def share(self, part: str) -> float:
        """The share of one of the four parts, of 1; 0 where nothing is sent.

        Raises:
            ValueError: when there is no such part.
        """
        if part not in PARTS:
            raise ValueError(f"there is no part {part!r}; there are: {', '.join(PARTS)}")
        tokens: int = getattr(self, part)
        return tokens / self.total if self.total else 0.0


PARTS = ("instructions", "history", "results", "rest")


@dataclass(frozen=True, slots=True)
class Drift:
    """What is sent by step: a step for each request, in order.

    Attributes:
        steps: where a session was walked through, the last is all that it holds.
    """

    steps: tuple[DriftStep, ...]

    def below(self, share: float) -> tuple[int, ...]:
        """The numbers of the steps, from 0, in which instructions are less than this share of what is sent.

        Raises:
            TypeError: when the share is not a number.
            ValueError: when it is not within 0 and 1.
        """
        if isinstance(share, bool) or not isinstance(share, int | float):
            raise TypeError(f"share must be a number, not {type(share).__name__}")
        if not 0 <= share <= 1:
            raise ValueError(f"share is {share}; it is within 0 and 1")
        return tuple(number for number, step in enumerate(self.steps) if step.share("instructions") < share)

    def to_dict(self) -> dict[str, Any]:
        """Dicts, lists, strings and numbers only, as JSON has them."""
        return {"steps": [step._asdict() for step in self.steps]}


def drift(
    messages: Iterable[object],
    *,
    system: object = None,
    tools: Sequence[object] | None = None,
    format: str | None = None,
    model: str | None = None,
    estimator: Estimator | None = None,
) -> Drift:
    """Give the shares of each request that a session sent: one ended where the assistant began to speak.

    Args:
        messages: the session.
        system: the system prompt, where it is apart from the messages.
        tools: the tool definitions that were sent along.
        format: of the messages; by default, detected.
        model: the name of the model whose profile estimates; by default, the script rule does.
        estimator: in the place of a model, what estimates.

    Raises:
        TypeError: when something is not a message, or holds a value of a wrong type (its path is named).
        ValueError: when the format is not known.
        UnknownModel: when no profile is known for the model.
        InvalidHistory: when a message breaks a rule of its format.

    >>> from ullage import drift
    >>> call = {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{}"}}
    >>> session = [
    ...     {"role": "system", "content": "Answer in one line. " * 1_000},
    ...     {"role": "user", "content": "What is in the log?"},
    ...     {"role": "assistant", "content": None, "tool_calls": [call]},
    ...     {"role": "tool", "tool_call_id": "a", "content": "12:00 ok " * 27_000},
    ... ]
    >>> [f"{step.share('instructions'):.0%}" for step in drift(session).steps]
    ['100%', '8%']
    >>> drift(session).below(0.1)
    (1,)
    """
    messages = as_list(messages, "messages")
    shape = formats.named(detect(messages) if format is None else format)
    estimate = chosen(model, estimator).estimate
    sums = dict.fromkeys(PARTS, 0)
    sums["rest"] = shape.REQUEST_TOKENS + cost(shape.tools(as_list(tools or [], "tools")), estimate)

    def add(record: Record) -> None:
        said_by = speaker(record)
        own = "instructions" if said_by == "system" else "results" if said_by == "tool" else "history"
        sums[own] += record.frame
        for part in record.parts:
            sums["results" if belongs_to_result(part) else own] += cost(part, estimate)

    if system is not None:
        add(shape.system(system))
    steps: list[DriftStep] = []
    previous = "assistant"  # what stands before the first message was sent by nobody
    for index, message in enumerate(messages):
        record = shape.read(message, f"messages[{index}]")
        now = speaker(record)
        if now == "assistant" and previous != "assistant":
            steps.append(DriftStep(index, **sums))
        add(record)
        previous = now
    steps.append(DriftStep(len(messages), **sums))
    return Drift(tuple(steps))
