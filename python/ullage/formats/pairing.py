"""Which result answers which call, in every format alike.

Ids may repeat in one history (some providers number from zero in every turn), so a result answers the earliest open
call of its id in the latest round that has one. Without ids, calls and results pair by the tool's name, in order.
"""

from collections import deque
from collections.abc import Sequence
from typing import NamedTuple

from ullage.formats.record import Part, Record, speaker


class Place(NamedTuple):
    """A part of a message: the index of the message, and of the part in its record."""

    message: int
    part: int


class Pairing(NamedTuple):
    """Calls and results of a history. What carries no id and is run by the provider is left out: it needs no partner.

    Attributes:
        results: for each call that is answered, its result.
        unanswered: calls without a result, in order.
        orphans: results without a call, in order.
        rounds: for each message, the number of its round; a round begins where the assistant begins to speak.
    """

    results: dict[Place, Place]
    unanswered: list[Place]
    orphans: list[Place]
    rounds: list[int]


def pair(records: Sequence[Record]) -> Pairing:
    """Pair the calls of a history with their results, in one pass."""
    results: dict[Place, Place] = {}
    orphans: list[Place] = []
    rounds: list[int] = []
    calls: list[Place] = []
    by_key: dict[tuple[str | None, ...], list[tuple[int, deque[Place]]]] = {}
    round_, previous = 0, "user"
    for index, record in enumerate(records):
        current = speaker(record)
        round_ += current == "assistant" and previous != "assistant"
        previous = current
        rounds.append(round_)
        answered = None
        for at, part in enumerate(record.parts):
            if part.server and part.call_id is None:
                continue
            place = Place(index, at)
            if part.kind == "tool_call":
                calls.append(place)
                for key in _keys_of_call(part):
                    opened = by_key.setdefault(key, [])
                    if not opened or opened[-1][0] != round_:
                        opened.append((round_, deque()))
                    opened[-1][1].append(place)
            elif part.kind == "tool_result" and (answered is None or _other(answered, part)):
                answered = part
                call = _take(by_key, part, results)
                if call is None:
                    orphans.append(place)
                else:
                    results[call] = place
    return Pairing(results, [call for call in calls if call not in results], orphans, rounds)


def _other(before: Part, part: Part) -> bool:
    """Whether two result parts of one message are of two results."""
    return (before.block, before.call_id, before.server) != (part.block, part.call_id, part.server)


def _keys_of_call(part: Part) -> list[tuple[str | None, ...]]:
    where = "server" if part.server else "client"
    if part.call_id is None:
        return [(where, "named", part.name), (where, "without id", part.name)]
    return [(where, "id", part.call_id), (where, "named", part.name)]


def _take(
    by_key: dict[tuple[str | None, ...], list[tuple[int, deque[Place]]]], part: Part, results: dict[Place, Place]
) -> Place | None:
    where = "server" if part.server else "client"
    keys: list[tuple[str | None, ...]] = (
        [(where, "named", part.name)]
        if part.call_id is None
        else [(where, "id", part.call_id), (where, "without id", part.name)]
    )
    for key in keys:
        opened = by_key.get(key)
        while opened:
            queue = opened[-1][1]
            while queue:
                place = queue.popleft()
                if place not in results:
                    return place
            opened.pop()
    return None
