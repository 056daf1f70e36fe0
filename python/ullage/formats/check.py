"""Checks that several formats share: each gives the faults of one rule. Which rules hold is in each format's table."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from ullage.formats.pairing import Pairing, Place
from ullage.formats.record import Fault, Part, Record, belongs_to_result, speaker

UNANSWERED = "unanswered-call"
ORPHAN = "result-without-call"
APART = "result-apart"
CALLER = "caller-missing"
FIRST = "first-message"
ALTERNATION = "roles-alternate"
EMPTY = "empty-content"
THINKING_ALONE = "thinking-alone"
THINKING_FIRST = "thinking-first"
THINKING_LAST = "thinking-last"
RESULTS_FIRST = "results-first"
ROLE = "role"


def unanswered(records: Sequence[Record], pairs: Pairing) -> Iterator[Fault]:
    """Calls without a result. One that the provider runs may wait for it as long as no user speaks in between."""
    last_user = max((index for index, record in enumerate(records) if speaker(record) == "user"), default=-1)
    for place in pairs.unanswered:
        part = records[place.message].parts[place.part]
        if not part.server or place.message < last_user:
            yield Fault(place.message, UNANSWERED, f"the call {_named(part)} has no result")


def orphans(records: Sequence[Record], pairs: Pairing) -> Iterator[Fault]:
    """Results without a call before them."""
    for place in pairs.orphans:
        yield Fault(place.message, ORPHAN, f"the result {_named(records[place.message].parts[place.part])} has no call")


def callers(records: Sequence[Record]) -> Iterator[Fault]:
    """Calls that were made by a call which is not there."""
    seen: set[str] = set()
    for index, record in enumerate(records):
        for part in record.parts:
            if part.kind == "tool_call" and part.call_id is not None:
                seen.add(part.call_id)
            if part.caller is not None and part.caller not in seen:
                yield Fault(
                    index, CALLER, f"the call {_named(part)} was made by the call {part.caller!r}, which is missing"
                )


def apart(records: Sequence[Record], pairs: Pairing, between: Callable[[Record], bool]) -> Iterator[Fault]:
    """Results with a message between them and their call for which `between` is false."""
    last_barrier: list[int] = []
    barrier = -1
    for index, record in enumerate(records):
        last_barrier.append(barrier)
        if not between(record):
            barrier = index
    for call, result in pairs.results.items():
        if not records[call.message].parts[call.part].server and last_barrier[result.message] > call.message:
            yield _apart(records, result)


def apart_by_turn(records: Sequence[Record], pairs: Pairing) -> Iterator[Fault]:
    """Results that are not in the turn directly after their call; messages in a row of one role are one turn."""
    turns: list[int] = []
    for index, record in enumerate(records):
        new = index > 0 and _side(record) != _side(records[index - 1])
        turns.append(turns[-1] + new if turns else 0)
    for call, result in pairs.results.items():
        client = not records[call.message].parts[call.part].server
        if client and turns[result.message] != turns[call.message] + 1:
            yield _apart(records, result)


def _side(record: Record) -> str:
    side = speaker(record)
    return "user" if side == "tool" else side


def not_next(records: Sequence[Record], pairs: Pairing) -> Iterator[Fault]:
    """Results that are not in the message directly after their call."""
    for call, result in pairs.results.items():
        if not records[call.message].parts[call.part].server and result.message != call.message + 1:
            yield _apart(records, result)


def _apart(records: Sequence[Record], result: Place) -> Fault:
    part = records[result.message].parts[result.part]
    return Fault(result.message, APART, f"the result {_named(part)} does not follow its call directly")


def first(records: Sequence[Record], roles: Iterable[str] = ("user",)) -> Iterator[Fault]:
    """The first message, system messages apart, is of another role, or only carries results."""
    index = next((index for index, record in enumerate(records) if speaker(record) != "system"), None)
    if index is not None and (records[index].role not in roles or speaker(records[index]) == "tool"):
        what = "tool results" if speaker(records[index]) == "tool" else f"the role {records[index].role!r}"
        yield Fault(index, FIRST, f"the history begins with {what}")


def alternation(records: Sequence[Record]) -> Iterator[Fault]:
    """Two messages in a row of one role."""
    for index in range(1, len(records)):
        if records[index].role == records[index - 1].role:
            yield Fault(index, ALTERNATION, f"two messages in a row have the role {records[index].role!r}")


def roles(records: Sequence[Record], known: Iterable[str]) -> Iterator[Fault]:
    """Roles that the API does not know."""
    for index, record in enumerate(records):
        if record.role not in known:
            yield Fault(index, ROLE, f"the role is {record.role!r}")


def thinking_alone(records: Sequence[Record]) -> Iterator[Fault]:
    """Messages of the assistant that hold thinking and nothing else."""
    for index, record in enumerate(records):
        if record.parts and all(part.kind == "thinking" for part in record.parts):
            yield Fault(index, THINKING_ALONE, "the message holds thinking and nothing else")


def thinking_first(records: Sequence[Record]) -> Iterator[Fault]:
    """The current tool loop holds thinking, but does not begin with it."""
    start = max((index for index, record in enumerate(records) if speaker(record) == "user"), default=-1) + 1
    loop = [index for index in range(start, len(records)) if speaker(records[index]) == "assistant"]
    parts = [part for index in loop for part in records[index].parts]
    calls = any(part.kind == "tool_call" and not part.server for part in parts)
    if calls and parts[0].kind != "thinking" and any(part.kind == "thinking" for part in parts):
        yield Fault(loop[0], THINKING_FIRST, "the tool loop holds thinking, but does not begin with it")


def thinking_last(records: Sequence[Record]) -> Iterator[Fault]:
    """Messages of the assistant that end with thinking."""
    for index, record in enumerate(records):
        if record.parts and record.parts[-1].kind == "thinking":
            yield Fault(index, THINKING_LAST, "the message ends with thinking")


def results_first(records: Sequence[Record]) -> Iterator[Fault]:
    """Tool results after something else that the user said since the assistant spoke."""
    said = False
    for index, record in enumerate(records):
        if speaker(record) == "assistant":
            said = False
            continue
        for part in record.parts:
            if said and part.kind == "tool_result":
                yield Fault(index, RESULTS_FIRST, f"the result {_named(part)} comes after something else")
                break
            said = said or not belongs_to_result(part)


def blank(records: Sequence[Record], *, empty_only: bool = False) -> Iterator[Fault]:
    """Messages without parts, and blocks of text without anything to read in them."""
    for index, record in enumerate(records):
        if not record.parts:
            yield Fault(index, EMPTY, "the message has no content")
        for part in record.parts:
            if part.kind == "text" and not part.tokens and not belongs_to_result(part):
                text = "".join(part.texts)
                if not text or (not empty_only and text.isspace()):
                    yield Fault(index, EMPTY, "a block of text is empty or blank")
                    break


def _named(part: Part) -> str:
    name = f"of {part.name}" if part.name else ""
    call_id = repr(part.call_id) if part.call_id is not None else ""
    return f"{call_id} {name}".strip()
