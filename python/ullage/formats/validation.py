"""`validate`: what a provider would refuse in a list of messages, by the rules in the table of each format file."""

from collections.abc import Sequence
from typing import NamedTuple

from ullage import formats
from ullage.errors import InvalidHistory
from ullage.formats.detection import detect
from ullage.formats.record import Record

SHAPE = "shape"
"""The rule that a message has what its format requires; its sentence is the error's."""


class Problem(NamedTuple):
    """What a provider would refuse.

    Attributes:
        index: the message.
        rule: a short name, such as "unanswered-call".
        sentence: what is wrong, and the rule that it breaks.
    """

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody needs here
    rule: str
    sentence: str


def validate(messages: Sequence[object], format: str | None = None) -> list[Problem]:
    """Find what the provider would refuse, were these messages sent as they are.

    Args:
        messages: in the order in which they are sent.
        format: their format; by default, detected.

    Returns:
        The problems, by message; none where the provider takes the messages.

    Raises:
        TypeError: when something is not a message, or holds a value of a wrong type (its path is named).
        ValueError: when there is no such format.

    >>> from ullage import validate
    >>> validate([{"role": "user", "content": "Hi"}, {"role": "tool", "tool_call_id": "a", "content": "3 files"}])
    [Problem(index=1, rule='result-without-call', sentence="messages[1]: the result 'a' has no call. A tool message \
answers a call that was made before it and has no other result.")]
    """
    shape = formats.named(detect(messages) if format is None else format)
    records: list[Record] = []
    problems: list[Problem] = []
    for index, message in enumerate(messages):
        try:
            records.append(shape.read(message, f"messages[{index}]"))
        except InvalidHistory as error:
            problems.append(Problem(index, SHAPE, f"{error}."))
    if problems:
        return problems
    sentences = {rule.name: rule.sentence for rule in shape.RULES}
    problems = [
        Problem(index, rule, f"messages[{index}]: {detail}. {sentences[rule]}.")
        for index, rule, detail in shape.check(messages, records)
    ]
    return sorted(problems, key=lambda problem: problem.index)
