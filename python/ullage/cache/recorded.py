"""`Recorded`: requests as they were sent."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from ullage import formats
from ullage._core import Estimator
from ullage.cache.rules import CacheRules
from ullage.cache.sending import Marking, Sent
from ullage.cache.writing import Writer, written
from ullage.fitting.layout import Layout
from ullage.formats.record import speaker
from ullage.request import Request


class Recorded:
    """Requests as they were sent, of one session or of several.

    Args:
        requests: in the order in which they were sent.
        estimator: of texts.
        seconds_between: from the start of a request to the start of the next one.
    """

    def __init__(self, requests: Sequence[Request], estimator: Estimator, seconds_between: float) -> None:
        self._requests = requests
        self._estimator = estimator
        self._seconds = seconds_between

    def __len__(self) -> int:
        """How many answers are asked for."""
        return len(self._requests)

    def requests(self, rules: CacheRules, marking: Marking) -> Iterator[Sent]:
        """What was sent. Markers are those of the requests, or else set by `marking`."""
        writer = Writer(self._estimator)
        following = self._following()
        for number, request in enumerate(self._requests):
            with _in_trace(number):
                marked = writer.write(request)
            if not marked:
                marking.mark(writer.prompt, rules, writer.prelude, cleared=0)
            output, after = 0, following[number]
            if after is not None:
                with _in_trace(after):
                    output = self._answer(request, self._requests[after])
            yield Sent(writer.prompt, number * self._seconds, output, broken=writer.breaks())

    def _following(self) -> list[int | None]:
        """For each request, the place of the next one in its conversation: with the same opening."""
        later = dict[str, int]()
        found = list[int | None]()
        for number in reversed(range(len(self._requests))):
            with _in_trace(number):
                opening = _opening(self._requests[number])
            found.append(later.get(opening))
            later[opening] = number
        return found[::-1]

    def _answer(self, request: Request, following: Request) -> int:
        """Tokens of what the assistant said between two requests of a conversation."""
        shape = formats.named(following.format)
        layout = Layout(shape, self._estimator, strict=False)
        tokens = 0
        for index in range(len(request.messages), len(following.messages)):
            record = shape.read(following.messages[index], f"messages[{index}]")
            if speaker(record) != "assistant":
                break
            tokens += layout.tokens(following.messages[index])
        return tokens


def _opening(request: Request) -> str:
    """The first message of a request that is not the system's, as it is sent."""
    shape = formats.named(request.format)
    for index, message in enumerate(request.messages):
        if speaker(shape.read(message, f"messages[{index}]")) != "system":
            return written(message)
    return ""


@contextmanager
def _in_trace(number: int) -> Iterator[None]:
    """Note in an error, which names the place in a request, which of the trace that is."""
    try:
        yield
    except (TypeError, ValueError) as error:
        error.add_note(f"in trace[{number}]")
        raise
