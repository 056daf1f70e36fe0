"""`History`: a list of messages that is estimated once, and then costs only what is new or changed.

A message is remembered by a record: role, tokens, kinds of parts, call ids, and a digest. The history holds the
message's strings but not its dicts, so it notices a message that was changed in place. It takes one writer at a time;
any thread may read meanwhile, and sees the history before or after a change, never in between.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn, cast

from ullage import formats
from ullage._core import Estimator, Records
from ullage.formats.detection import detect
from ullage.formats.record import Part, PartKind, wrong_type

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ullage.fitting.known import Known


class MessageRecord(NamedTuple):
    """What is remembered of a message.

    Attributes:
        role: who speaks.
        tokens: its estimated cost, framing included.
        kinds: of its parts, in the order in which they are sent.
        call_ids: the calls that it makes or answers, in order.
        digest: 16 bytes; equal for equal messages. Not to be stored: it may differ on another machine.
    """

    role: str
    tokens: int
    kinds: tuple[PartKind, ...]
    call_ids: tuple[str, ...]
    digest: bytes


class Update(NamedTuple):
    """What `History.update` found.

    Attributes:
        first_changed: index of the first message that is not what it was there, or None.
        read: messages that were new or changed, and had to be read.
        kept: messages whose records were kept; read + kept is the new length.
        removed: old messages that are gone; those that changed count here, and under `read`.
    """

    first_changed: int | None
    read: int
    kept: int
    removed: int


class Breakdown(NamedTuple):
    """Where the tokens of a request are. Everything adds up to `total`.

    Attributes:
        roles: tokens by role, then by kind of part.
        tools: tokens of the tool definitions.
        framing: tokens around the parts, and of the request itself.
    """

    roles: dict[str, dict[PartKind, int]]
    tools: int
    framing: int

    @property
    def total(self) -> int:
        """All tokens."""
        return sum(sum(kinds.values()) for kinds in self.roles.values()) + self.tools + self.framing


class History:
    """Records of a message list.

    Args:
        messages: any iterable of messages.
        format: the messages' format; by default, detected from these messages ("openai-chat" where there are none).
        estimator: estimates each text; by default, by the script rule. One that is calibrated applies its factor for
            text to every text as it is read. To calibrate along with a history, give it an estimator that is not
            calibrated, and keep a `Calibration` that observes its totals.
        model: in the place of an estimator, the name of the model whose profile estimates.
        tools: the tool definitions that are sent along, in the same format.

    Raises:
        TypeError: when something is not a message, or holds a value of a wrong type (its path is named).
        ValueError: when the format is not known.
        UnknownModel: when no profile is known for the model.
        InvalidHistory: when a message breaks a rule of its format, nests deeper than 256 or holds itself.

    >>> from ullage import History
    >>> messages = [{"role": "user", "content": "How much room is left?"}]
    >>> history = History(messages)
    >>> history.total
    13
    >>> messages.append({"role": "assistant", "content": "Enough for one more question."})
    >>> history.update(messages)
    Update(first_changed=1, read=1, kept=1, removed=0)
    >>> history.total
    25
    """

    def __init__(
        self,
        messages: Iterable[Any] = (),
        *,
        format: str | None = None,
        estimator: Estimator | None = None,
        model: str | None = None,
        tools: Sequence[object] | None = None,
    ) -> None:
        messages = as_list(messages, "messages")
        shape = formats.named(detect(messages) if format is None else format)
        estimator = chosen(model, estimator)
        self._shape = shape
        self._estimator = estimator
        self._records = Records(estimator, shape.read)
        self._request_tokens = shape.REQUEST_TOKENS
        self._tools: Part | None = None
        self._tools_tokens = 0
        self._known: Known | None = None
        self._same = 0
        if tools is not None:
            self._tools = shape.tools(as_list(tools, "tools"))
            self._tools_tokens = self._tools.tokens + sum(map(estimator.estimate, self._tools.texts))
        self._records.extend(messages)

    def append(self, message: object) -> None:
        """Add one message. On an error the history stays as it was."""
        self._records.append(message)

    def extend(self, messages: Iterable[object]) -> None:
        """Add messages and read only these; what is already there is trusted. On an error none is added."""
        self._records.extend(as_list(messages, "messages"))

    def update(self, messages: Iterable[object]) -> Update:
        """Make this the history of a whole list of messages, and read only what is new or changed.

        Every message is checked, by identity of the objects in it, and by its digest where that fails. Messages that
        were changed in place, replaced, inserted, deleted or moved are all noticed; moved ones are not read again.
        On an error the history stays as it was.

        Raises:
            RuntimeError: when another thread changed the history meanwhile.
        """
        update = Update(*self._records.update(as_list(messages, "messages")))
        if update.first_changed is not None:
            self._same = min(self._same, update.first_changed)
        return update

    def follow(self, messages: list[object]) -> "Known":
        """Update to these messages, and give what `ullage.fit` remembers of them, in which only what is new is read.

        Raises:
            InvalidHistory: when the provider would refuse them.
        """
        self.update(messages)
        if self._known is None:
            from ullage.fitting.known import Known  # needed by those only who fit

            self._known = Known(self._shape, self._estimator)
        self._known.follow(messages, self._same)
        self._same = len(messages)
        return self._known

    @property
    def tools(self) -> Part | None:
        """The tool definitions as one part."""
        return self._tools

    @property
    def tokens(self) -> "NDArray[np.uint32]":
        """Tokens of each message, framing included: a new array of shape (number of messages,)."""
        return self._records.tokens()

    @property
    def total(self) -> int:
        """Tokens of a request with these messages and tools, all framing included."""
        return self._records.total + self._tools_tokens + self._request_tokens

    def breakdown(self) -> Breakdown:
        """Where the tokens are; they add up to `total`."""
        roles, framing = self._records.breakdown()
        return Breakdown(
            cast("dict[str, dict[PartKind, int]]", roles), self._tools_tokens, framing + self._request_tokens
        )

    def __len__(self) -> int:
        return len(self._records)

    def __getitem__(self, index: int) -> MessageRecord:
        return MessageRecord._make(self._records[index])

    def __iter__(self) -> Iterator[MessageRecord]:
        for index in count():
            try:
                record = self[index]
            except IndexError:  # the end, wherever it is by now
                return
            yield record

    def __reduce__(self) -> NoReturn:
        raise TypeError("a History is neither copied nor pickled: make one anew from its messages")

    def __repr__(self) -> str:
        return f"<History of {len(self):,} messages, {self.total:,} tokens>"


def as_list(values: Iterable[object], what: str) -> list[object]:
    """A list as it is, or the items of another iterable that is not one text or one message.

    Raises:
        TypeError: when it is; ``what`` names it.
    """
    if isinstance(values, list):
        return values
    if isinstance(values, str | bytes | dict) or not isinstance(values, Iterable):
        raise wrong_type(values, what, "an iterable of dicts or objects")
    return list(values)


def chosen(model: str | None, estimator: Estimator | None) -> Estimator:
    """The estimator that is given, or that of the model, or the script rule.

    Raises:
        TypeError: when both are given, or the estimator is none.
        UnknownModel: when no profile is known for the model.
    """
    if estimator is not None and not isinstance(estimator, Estimator):
        raise TypeError(
            f"estimator must be an Estimator, not {type(estimator).__name__}; "
            "Estimator.for_model(...) gives that of a model"
        )
    if model is None:
        return Estimator() if estimator is None else estimator
    if estimator is not None:
        raise TypeError("model and estimator exclude each other: give one of them")
    from ullage.estimator import estimator_for  # profiles are needed by those only who name a model

    return estimator_for(model)
