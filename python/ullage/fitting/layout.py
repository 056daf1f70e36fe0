"""`Layout`: where a history can be cut, and what each piece of it costs.

A history is a row of segments: an opening (what the user says in a row) or a round (an assistant message with all that
answers it). No call, result or caller reaches over a border between segments, so leaving out whole segments never parts
a pair. A layout grows with its history: only the last segment is read again.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from typing import Literal, NamedTuple, TypeAlias

from ullage._core import Estimator
from ullage.errors import InvalidHistory
from ullage.fitting.costs import Costs
from ullage.formats.pairing import Pairing, Place, pair
from ullage.formats.record import Format, Part, Record, belongs_to_result, speaker

Estimate: TypeAlias = Callable[[str], int]
SegmentKind: TypeAlias = Literal["head", "opening", "round"]


class Result(NamedTuple):
    """A tool result whose content may be replaced.

    Attributes:
        message: index of the message that it is in.
        block: what `Format.with_result` takes for it.
        tokens: of all its parts.
        tool: the name of the tool, where it is known.
        call_id: the call that it answers.
        error: whether it reports an error.
    """

    message: int
    block: int
    tokens: int
    tool: str | None
    call_id: str | None
    error: bool


class Point(NamedTuple):
    """A place where a request was sent: the assistant speaks next.

    Attributes:
        message: the request holds the messages before this one.
        seen: the assistant has seen the results before this message.
    """

    message: int
    seen: int


def cost(part: Part, estimate: Estimate) -> int:
    """Tokens of one part."""
    total = part.tokens
    for text in part.texts:
        total += estimate(text)
    return total


def record_cost(record: Record, estimate: Estimate) -> int:
    """Tokens of one message."""
    total = record.frame
    for part in record.parts:  # as `cost` does, without a call for each
        total += part.tokens
        for text in part.texts:
            total += estimate(text)
    return total


def block_costs(shape: Format, message: object, texts: Mapping[int, str], estimate: Estimate) -> dict[int, int]:
    """Tokens of results of one message, were they replaced by these texts: both by block."""
    for block, text in texts.items():
        message = shape.with_result(message, block, text)
    costs = dict.fromkeys(texts, 0)
    for part in shape.read(message, "message").parts:
        if part.block in costs and belongs_to_result(part):
            costs[part.block] += cost(part, estimate)
    return costs


class Layout:
    """Segments, turns, tool results and sums of tokens of one history, which is valid up to here.

    Attributes:
        sums: tokens of the messages before each index; one more than there are messages.
        starts: index of the first message of each segment.
        kinds: of the segments. The head is the system messages at the start, if there are any.
        thinks: for each segment, whether it is a round that begins with thinking.
        speaks_last: for each segment, whether its last message is the assistant's.
        turns: for each turn, the number of its first segment. A turn begins with each opening.
        results: those that can be replaced, in order; `result_messages` are the messages that they are in.
        result_sums: tokens of the results before each.
        note_costs: tokens of each result were it replaced by a note, as far as known: by note.
        points: where requests were sent, in order; `point_sums` are the tokens before each.
        seen: the assistant has seen the results before this message.
    """

    def __init__(self, shape: Format, estimator: Estimator, *, strict: bool = True) -> None:
        self.shape = shape
        self._strict = strict  # whether to refuse what the provider refuses
        self.estimator = estimator
        self.costs = Costs(estimator)
        self.estimate = self.costs.estimate
        self.sums = [0]
        self.starts: list[int] = []
        self.kinds: list[SegmentKind] = []
        self.thinks: list[bool] = []
        self.speaks_last: list[bool] = []
        self.turns: list[int] = []
        self.results: list[Result] = []
        self.result_messages: list[int] = []
        self.result_sums = [0]
        self.note_costs: dict[str, list[int | None]] = {}
        self.points: list[Point] = []
        self.point_sums: list[int] = []
        self.seen = 0
        self._open = 0

    def __len__(self) -> int:
        return len(self.sums) - 1

    def tokens(self, message: object) -> int:
        """Tokens of any message of this format."""
        return record_cost(self.shape.read(message, "message"), self.estimate)

    def start_of(self, segment: int) -> int:
        """The first message of a segment; of the one past the last, the number of messages."""
        return self.starts[segment] if segment < len(self.starts) else len(self)

    def size(self, segment: int) -> int:
        """Tokens of a segment."""
        return self.sums[self.start_of(segment + 1)] - self.sums[self.starts[segment]]

    def segment_of(self, message: int) -> int:
        """The segment that a message is in."""
        return bisect_right(self.starts, message) - 1

    def turn_of(self, segment: int) -> int:
        """The turn that a segment is in."""
        return max(0, bisect_right(self.turns, segment) - 1)

    def results_in(self, start: int, stop: int) -> range:
        """The numbers of the results in the messages from `start` to before `stop`."""
        return range(bisect_left(self.result_messages, start), bisect_left(self.result_messages, stop))

    @property
    def settled(self) -> int:
        """Message before which all is as it will be however the history grows: the last segment, or an open call."""
        segment = self.segment_of(min(self._open, len(self)) - 1)
        return self.starts[segment] if segment > 0 else 0

    def follow(self, messages: Sequence[object], same: int) -> int:
        """Make this the layout of `messages`, of which the first `same` are as they were.

        Returns:
            The message from which on the history was read anew.

        Raises:
            TypeError: when something is not a message.
            InvalidHistory: when the provider would refuse the messages; the layout then stays as it was.
        """
        same = min(same, len(self))
        if same == len(self) == len(messages):
            return same
        segment = self.segment_of(min(same, self._open, len(messages)) - 1)
        start = self.starts[segment] if segment > 0 else 0
        records = [self.shape.read(messages[index], f"messages[{index}]") for index in range(start, len(messages))]
        if self._strict:
            self._check(messages, records, start)
        pairs = pair(records)
        if start and _calls_from_before(records):
            start, records = 0, [self.shape.read(message, "") for message in messages]
            pairs = pair(records)
        try:
            self._forget(start)
            self._add(records, start, pairs)
        except BaseException:  # an interrupt, say, in the middle of it
            self._forget(0)
            raise
        return start

    def _check(self, messages: Sequence[object], records: list[Record], start: int) -> None:
        """Check what is new behind the opening and the first round of its turn: all else was found valid before."""
        before: Sequence[int] = ()
        if start:
            segment = self.segment_of(start)
            first = self.turns[self.turn_of(segment)]
            if first < segment:
                before = range(self.starts[first], self.starts[min(first + 2, segment)])
        context = [self.shape.read(messages[index], f"messages[{index}]") for index in before]
        checked = [*(messages[index] for index in before), *messages[start:]]
        fault = next(self.shape.check(checked, [*context, *records]), None)
        if fault is not None and start:
            records = [self.shape.read(message, f"messages[{index}]") for index, message in enumerate(messages)]
            fault = next(self.shape.check(messages, records), None)
        if fault is not None:
            sentence = next(rule.sentence for rule in self.shape.RULES if rule.name == fault.rule)
            raise InvalidHistory(f"messages[{fault.message}]", f"{fault.detail} ({fault.rule}: {sentence})")

    def _forget(self, start: int) -> None:
        """Forget the messages from `start` on, where a segment begins."""
        segment = bisect_left(self.starts, start)
        result = bisect_left(self.result_messages, start)
        point = bisect_left(self.points, (start,))
        if point < len(self.points):
            self.seen = self.points[point].seen
        if start == 0:
            self.seen = 0
        del self.sums[start + 1 :], self.points[point:], self.point_sums[point:]
        del self.starts[segment:], self.kinds[segment:], self.thinks[segment:], self.speaks_last[segment:]
        del self.turns[bisect_left(self.turns, segment) :]
        del self.results[result:], self.result_messages[result:], self.result_sums[result + 1 :]
        for costs in self.note_costs.values():
            del costs[result:]

    def _add(self, records: list[Record], start: int, pairs: Pairing) -> None:
        names = {result: records[call.message].parts[call.part].name for call, result in pairs.results.items()}
        inside = _reached_over(records, pairs)
        previous = ""
        for offset, record in enumerate(records):
            index = start + offset
            now = speaker(record)
            costs = [cost(part, self.estimate) for part in record.parts]
            if not (offset and inside[offset]):
                self._border(record, index, now, previous)
            if now == "assistant":
                if previous != "assistant" and index:
                    self.points.append(Point(index, self.seen))
                    self.point_sums.append(self.sums[-1])
                self.seen = index
            self.speaks_last[-1] = now == "assistant"
            self._results(record, index, costs, {at: names.get(Place(offset, at)) for at in range(len(costs))})
            self.sums.append(self.sums[-1] + record.frame + sum(costs))
            previous = now
        self._open = start + pairs.unanswered[0].message if pairs.unanswered else start + len(records)

    def _border(self, record: Record, index: int, now: str, previous: str) -> None:
        """Begin a segment where one begins."""
        kind: SegmentKind
        if now == "assistant" and previous != "assistant":
            kind = "round"
        elif now == "user" and (not self.kinds or self.kinds[-1] != "opening" or previous not in ("user", "system")):
            kind = "opening"
        elif not self.kinds:
            kind = "head" if now == "system" else "round"
        else:
            return
        segment = len(self.kinds)
        if kind == "opening" or not self.turns:
            if kind == "opening" and self.kinds == ["head"]:
                self.turns.clear()
            self.turns.append(segment)
        self.starts.append(index)
        self.kinds.append(kind)
        self.speaks_last.append(False)
        self.thinks.append(kind == "round" and bool(record.parts) and record.parts[0].kind == "thinking")

    def _results(self, record: Record, index: int, costs: list[int], names: dict[int, str | None]) -> None:
        found: dict[int, list[int]] = {}
        for at, part in enumerate(record.parts):
            if part.block is not None and not part.server and belongs_to_result(part):
                found.setdefault(part.block, []).append(at)
        for block, places in found.items():
            parts = [record.parts[at] for at in places]
            tokens = sum(costs[at] for at in places)
            tool = next((name for at in places if (name := names[at] or record.parts[at].name)), None)
            error = any(part.error for part in parts)
            self.result_messages.append(index)
            self.results.append(Result(index, block, tokens, tool, parts[0].call_id, error))
            self.result_sums.append(self.result_sums[-1] + tokens)


def _reached_over(records: list[Record], pairs: Pairing) -> list[bool]:
    """For each message, whether a call before it has its result, or a call that its code made, in it or after it."""
    reach = list(range(len(records)))
    for call, result in pairs.results.items():
        reach[call.message] = max(reach[call.message], result.message)
    made: dict[str, int] = {}
    for index, record in enumerate(records):
        for part in record.parts:
            if part.kind == "tool_call" and part.call_id is not None:
                made[part.call_id] = index
            if part.caller is not None and part.caller in made:
                reach[made[part.caller]] = max(reach[made[part.caller]], index)
    inside = []
    farthest = -1
    for index, last in enumerate(reach):
        inside.append(farthest >= index)
        farthest = max(farthest, last)
    return inside


def _calls_from_before(records: list[Record]) -> bool:
    """Whether a call was made by the code of a call that is not among these messages."""
    calls = {part.call_id for record in records for part in record.parts if part.kind == "tool_call"}
    return any(part.caller is not None and part.caller not in calls for record in records for part in record.parts)
