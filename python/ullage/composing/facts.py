"""`Fact` and `turn_facts`: what tools returned, as they returned it, with where it comes from."""

from collections.abc import Iterable
from typing import NamedTuple

from ullage import formats
from ullage.fitting.cutting import result_text
from ullage.fitting.policy import RERUN
from ullage.formats.detection import detect
from ullage.formats.pairing import Place, pair
from ullage.formats.record import Part, Record, belongs_to_result, speaker
from ullage.history import as_list
from ullage.prune.marks import items_mark
from ullage.prune.text import shorten

_MARK = "[... truncated, "
_SOURCE = 200
"""Characters of the arguments of a call that its label shows."""


class Fact(NamedTuple):
    """What a tool returned.

    Attributes:
        source: where it comes from: the tool and what it was asked, a page, a file and its lines.
        text: as it was returned.
        cut: whether something is missing in it. Marks of `ullage.prune` and of `ullage.fit` are seen without.
    """

    source: str
    text: str
    cut: bool = False

    @property
    def whole(self) -> bool:
        """Whether nothing is missing in it."""
        return not (self.cut or _MARK in self.text or RERUN in self.text)


def turn_facts(messages: Iterable[object], format: str | None = None) -> tuple[Fact, ...]:
    """Give all that tools returned in the last turn of a history, each labelled by the call that it answers.

    Args:
        messages: a history; its last turn begins with what the user said last.
        format: of the messages; by default, detected.

    Returns:
        The facts, in order. An image or a file in a result is a mark in its text.

    Raises:
        TypeError: when something is not a message, or holds a value of a wrong type (its path is named).
        ValueError: when the format is not known.
        InvalidHistory: when a message breaks a rule of its format.

    >>> from ullage import turn_facts
    >>> call = {"id": "a", "type": "function", "function": {"name": "tides", "arguments": '{"port": "Roses"}'}}
    >>> turn_facts([
    ...     {"role": "user", "content": "When is high tide in Roses?"},
    ...     {"role": "assistant", "content": None, "tool_calls": [call]},
    ...     {"role": "tool", "tool_call_id": "a", "content": "high: 11:40"},
    ... ])
    (Fact(source='tides {"port": "Roses"}', text='high: 11:40', cut=False),)
    """
    messages = as_list(messages, "messages")
    shape = formats.named(detect(messages) if format is None else format)
    turn: list[Record] = []
    for index in range(len(messages) - 1, -1, -1):
        record = shape.read(messages[index], f"messages[{index}]")
        if speaker(record) == "user":
            break
        turn.append(record)
    records = turn[::-1]
    calls = {result: call for call, result in pair(records).results.items()}
    found = []
    for index, record in enumerate(records):
        for places in _results(record):
            parts = [record.parts[at] for at in places]
            call = next((calls[place] for at in places if (place := Place(index, at)) in calls), None)
            label = _label(None if call is None else records[call.message].parts[call.part], parts)
            text, files = result_text(parts)
            found.append(Fact(label, f"{text}\n{items_mark(files)}".lstrip("\n") if files else text))
    return tuple(found)


def _results(record: Record) -> list[list[int]]:
    """The places of the parts of each result of a message."""
    found: dict[tuple[object, ...], list[int]] = {}
    for at, part in enumerate(record.parts):
        if belongs_to_result(part):
            found.setdefault((part.block, part.call_id, part.server), []).append(at)
    return [places for places in found.values() if any(record.parts[at].kind == "tool_result" for at in places)]


def _label(call: Part | None, parts: list[Part]) -> str:
    """The name of the tool and its arguments on one line; whether it failed."""
    name = next((part.name for part in ([] if call is None else [call]) + parts if part.name), None)
    texts = () if call is None else call.texts[call.texts[:1] == (call.name,) :]
    words = " ".join(" ".join(texts).split())
    label = " ".join(filter(None, (name or "tool", shorten(words, _SOURCE))))
    return f"{label} (it failed)" if any(part.error for part in parts) else label
