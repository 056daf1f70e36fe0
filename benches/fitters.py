"""`fit` beside the fitters of other libraries, on the same sessions: ``python -m benches.fitters [SESSIONS.jsonl]``.

At every request of a session each fitter is given what there is. Counted is how often what was already sent changes,
so that the provider's cache is lost from there on; how often the provider would refuse what comes out; how often it is
over the budget; and how often the user's first message, the task, is not there any more.
"""

import copy
import sys
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from time import perf_counter
from types import SimpleNamespace
from typing import Any

from benches import sessions
from ullage import CannotFit, History, estimate, fit, formats, validate


def tokens_of(message, format):
    """Tokens of one message, by the script rule."""
    record = formats.named(format).read(message, "message")
    return record.frame + sum(part.tokens + sum(map(estimate, part.texts)) for part in record.parts)


def holds(messages, format, text):
    """Whether a text is in one of the messages."""
    records = (formats.named(format).read(message, "message") for message in messages)
    return any(text in shown for record in records for part in record.parts for shown in part.texts)


@dataclass(frozen=True)
class Fitter:
    """A way to fit.

    Attributes:
        name: as it is shown.
        package: that it comes from.
        format: of what comes out.
        start: called with a session and a budget; gives what is called with the number of messages so far, and gives
            what is sent, or None where it refuses.
    """

    name: str
    package: str
    format: str
    start: Callable[[list[dict[str, Any]], int], Callable[[int], list[Any] | None]]


def _ullage(messages, budget):
    history = History(format="openai-chat")

    def at(end):
        try:
            return fit(messages[:end], budget, history=history).messages
        except CannotFit:
            return None

    return at


def _langchain(messages, budget):
    """With the arguments that its documentation gives for a history of chat."""
    from langchain_core.messages import convert_to_messages, trim_messages

    converted = convert_to_messages(messages)

    def tokens(given):
        return sum(tokens_of(message, "langchain") for message in given)

    def at(end):
        return trim_messages(
            converted[:end],
            max_tokens=budget,
            token_counter=tokens,
            strategy="last",
            start_on="human",
            include_system=True,
            end_on=("human", "tool"),
        )

    return at


def _openai_agents(messages, budget):
    """It has no budget: it shortens the outputs of all turns but the last two."""
    from agents.extensions import ToolOutputTrimmer
    from agents.run_config import CallModelData, ModelInputData

    items = sessions.responses(messages)
    trimmer = ToolOutputTrimmer()

    def at(end):
        given = [item for of_message in items[:end] for item in of_message]
        data = CallModelData(model_data=ModelInputData(input=given, instructions=None), agent=None, context=None)
        return trimmer(data).input

    return at


def _strands(messages, budget):
    """It waits for the provider to refuse, which here happens above the budget."""
    from strands.agent.conversation_manager import SlidingWindowConversationManager
    from strands.types.exceptions import ContextWindowOverflowException

    converted = sessions.converse(messages)
    system = sum(estimate(message["content"]) for message in messages if message["role"] == "system")
    manager = SlidingWindowConversationManager(per_turn=True)
    agent = SimpleNamespace(messages=[])
    taken = 0

    def at(end):
        nonlocal taken
        agent.messages += [copy.deepcopy(message) for message in converted[taken:end] if message is not None]
        taken = end
        manager.apply_management(agent)
        try:
            while sum(tokens_of(message, "bedrock") for message in agent.messages) + system > budget:
                manager.reduce_context(agent, ContextWindowOverflowException("too long"))
        except ContextWindowOverflowException:
            return None
        return copy.deepcopy(agent.messages)

    return at


FITTERS = (
    Fitter("ullage `fit`", "ullage", "openai-chat", _ullage),
    Fitter("LangChain `trim_messages`", "langchain-core", "langchain", _langchain),
    Fitter("OpenAI Agents `ToolOutputTrimmer`", "openai-agents", "openai-responses", _openai_agents),
    Fitter("Strands `SlidingWindowConversationManager`", "strands-agents", "bedrock", _strands),
)


@dataclass
class Count:
    """What came out over all requests."""

    requests: int = 0
    changed: int = 0
    refused: int = 0
    over: int = 0
    lost: int = 0
    none: int = 0
    seconds: float = 0.0


def run(fitter, cases):
    """Count for one fitter.

    Args:
        fitter: one of FITTERS.
        cases: sessions and their budgets.
    """
    count = Count()
    for messages, budget in cases:
        task = next(message["content"] for message in messages if message["role"] == "user")
        at = fitter.start(messages, budget)
        before: list[Any] = []
        for end in sessions.requests(messages):
            start = perf_counter()
            sent = at(end)
            count.seconds += perf_counter() - start
            count.requests += 1
            if sent is None:
                count.none += 1
                continue
            count.changed += sent[: len(before)] != before
            count.refused += not sent or bool(validate(sent, fitter.format))
            count.over += History(sent, format=fitter.format).total > budget
            count.lost += not holds(sent, fitter.format, task)
            before = sent
    return count


def cases(path=None):
    """Sessions of 300 steps at two budgets, or those of a file, each at a half and nine tenths of what it needs."""
    if path is None:
        made = [sessions.made(300), sessions.made(300, turn=20)]
        return [(messages, budget) for messages in made for budget in (20_000, 60_000)]
    found = sessions.read(path)
    return [(messages, int(History(messages).total * share)) for messages in found for share in (0.5, 0.9)]


def table(given):
    """The lines of the table."""
    yield "| fitter | requests | sent anew | provider refuses | over the budget | task lost | gave up | ms each |"
    yield "|---|--:|--:|--:|--:|--:|--:|--:|"
    for fitter in FITTERS:
        try:
            number = version(fitter.package)
            count = run(fitter, given)
        except ImportError:
            yield f"| {fitter.name} | not installed |" + " |" * 6
            continue
        cells = (count.requests, count.changed, count.refused, count.over, count.lost, count.none)
        each = f"{count.seconds / count.requests * 1e3:.2f}"
        yield f"| {fitter.name} {number} | {' | '.join(f'{cell:,}' for cell in cells)} | {each} |"


if __name__ == "__main__":
    print("\n".join(table(cases(*sys.argv[1:2]))))
