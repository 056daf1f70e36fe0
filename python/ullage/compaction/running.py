"""`compact` and `acompact`: put a summary in the place of the oldest messages. Both only lead a `Dialogue`."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from inspect import isawaitable, iscoroutine
from typing import Any

from ullage._core import Estimator
from ullage.budget import Budget
from ullage.compaction.dialogue import CompactResult, Dialogue, SummaryRequest
from ullage.compaction.outline import CompactionPlan
from ullage.compaction.policy import Compaction
from ullage.history import chosen


def plan_compaction(
    messages: Iterable[Any],
    budget: int | Budget,
    *,
    compaction: Compaction | None = None,
    tools: Sequence[object] | None = None,
    system: object = None,
    model: str | None = None,
    estimator: Estimator | None = None,
    format: str | None = None,
    phase_ended: bool = False,
) -> CompactionPlan:
    """Whether `compact` would summarise, and which messages. Arguments and errors are those of `compact`."""
    return Dialogue(messages, budget, compaction, tools, system, chosen(model, estimator), format, phase_ended).plan


def compact(
    messages: Iterable[Any],
    summarise: Callable[[SummaryRequest], str],
    budget: int | Budget,
    *,
    compaction: Compaction | None = None,
    tools: Sequence[object] | None = None,
    system: object = None,
    model: str | None = None,
    estimator: Estimator | None = None,
    format: str | None = None,
    phase_ended: bool = False,
) -> CompactResult:
    r"""Put a summary in the place of the oldest messages, if the history has grown so long that this is due.

    Args:
        messages: the whole history, in one of the formats; it is not changed.
        summarise: sends a request to a model and gives the text of its answer. It is called only when a summary is
            due: once, or several times where what is to be summarised does not fit into one request. What it raises
            is passed on.
        budget: the most tokens that a request may take, or a `Budget`.
        compaction: when and how; by default, `Compaction()`.
        tools: the tool definitions that are sent along.
        system: the system prompt, where it is sent apart from the messages.
        model: the name of the model that the request is for; its profile estimates each text.
        estimator: estimates each text, in the place of a model; by default, by the script rule.
        format: of the messages; by default, detected.
        phase_ended: whether a piece of work just came to its end, so that this is a good moment in any case.

    Raises:
        TypeError: when something is not a message, or the summariser does not give a string.
        ValueError: when the format is not known, or a pin is the index of no message.
        UnknownModel: when no profile is known for the model.
        InvalidBudget: when the budget has no room for a request.
        InvalidHistory: when the provider would refuse what stays, as it refuses the messages as they are.
        UnusableSummary: when the answer is empty, or longer than what it would stand for.
        CannotFit: when the summary grew so long from request to request that the next one has no room.

    >>> from ullage import compact
    >>> messages = [{"role": "user", "content": "Count the routes."}]
    >>> for number in range(9):
    ...     messages.append({"role": "assistant", "content": f"File {number} has 4 routes. " * 9})
    ...     messages.append({"role": "user", "content": "Go on."})
    >>> done = compact(messages, lambda request: "Objective: count\nFacts:\n- files 0 to 5 have 24 routes", 600)
    >>> len(done.messages), done.summary.facts, done.missing
    (9, ('files 0 to 5 have 24 routes',), ('decisions', 'pending', 'constraints'))
    """
    dialogue = Dialogue(messages, budget, compaction, tools, system, chosen(model, estimator), format, phase_ended)
    while (request := dialogue.request()) is not None:
        reply: object = summarise(request)
        if iscoroutine(reply):
            reply.close()
            raise TypeError("the summariser is a coroutine function; give it to acompact")
        dialogue.answer(reply)
    return dialogue.result()


async def acompact(
    messages: Iterable[Any],
    summarise: Callable[[SummaryRequest], Awaitable[str] | str],
    budget: int | Budget,
    *,
    compaction: Compaction | None = None,
    tools: Sequence[object] | None = None,
    system: object = None,
    model: str | None = None,
    estimator: Estimator | None = None,
    format: str | None = None,
    phase_ended: bool = False,
) -> CompactResult:
    """The same as `compact`, for a summariser that is awaited. Arguments and errors are those of `compact`."""
    dialogue = Dialogue(messages, budget, compaction, tools, system, chosen(model, estimator), format, phase_ended)
    while (request := dialogue.request()) is not None:
        reply = summarise(request)
        dialogue.answer(await reply if isawaitable(reply) else reply)
    return dialogue.result()
