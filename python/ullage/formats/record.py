"""The one record that every message format is read into: who speaks, and what each part is and costs.

A record refers to the very strings that are sent; it copies and parses nothing. The Rust store reads these tuples by
position, so the order of their fields is part of their contract.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple, Protocol, TypeAlias

from ullage.errors import InvalidHistory

PartKind: TypeAlias = Literal["text", "tool_call", "tool_result", "thinking", "image", "document", "audio"]


class Part(NamedTuple):
    """One part of a message.

    Attributes:
        kind: what it is.
        texts: the strings that are sent; each is estimated.
        tokens: the cost in tokens of what is not text (an image by its formula, framing).
        call_id: the id of the call that this part makes or answers.
        name: of the tool that is called or that answers, where the format says it.
        error: whether this is a result that reports an error.
        server: whether the provider runs the tool; its result then is not the caller's to send.
        caller: the id of the call whose code made this call.
        block: in a tool result, what `Format.with_result` takes to replace it. Parts of one result share it. None
            elsewhere, and where the API takes no text in its place.
    """

    kind: PartKind
    texts: tuple[str, ...]
    tokens: int = 0
    call_id: str | None = None
    name: str | None = None
    error: bool = False
    server: bool = False
    caller: str | None = None
    block: int | None = None


class Record(NamedTuple):
    """One message.

    Attributes:
        role: who speaks, as the format says it.
        parts: in the order in which they are sent.
        frame: tokens of framing around the parts.
    """

    role: str
    parts: tuple[Part, ...]
    frame: int


Speaker: TypeAlias = Literal["system", "user", "assistant", "tool"]

_SPEAKERS: dict[str, Speaker] = {
    **dict.fromkeys(("system", "developer"), "system"),
    **dict.fromkeys(("assistant", "model", "ai"), "assistant"),
    **dict.fromkeys(("tool", "function"), "tool"),
}


def speaker(record: Record) -> Speaker:
    """Who speaks, in the same words for every format: "tool" for a message that only carries tool results."""
    known = _SPEAKERS.get(record.role)
    if known is not None:
        return known
    return "tool" if record.parts and all(belongs_to_result(part) for part in record.parts) else "user"


def belongs_to_result(part: Part) -> bool:
    """Whether a part is a tool result, or an image or document inside of one."""
    return part.kind == "tool_result" or (part.call_id is not None and part.kind != "tool_call")


class Rule(NamedTuple):
    """What a provider enforces.

    Attributes:
        name: short, such as "unanswered-call".
        sentence: the rule, without its full stop.
        source: the public address of the documentation or report that states it.
    """

    name: str
    sentence: str
    source: str


class Fault(NamedTuple):
    """A broken rule.

    Attributes:
        message: its index.
        rule: the rule's name.
        detail: what is wrong there.
    """

    message: int
    rule: str
    detail: str


class Format(Protocol):
    """What a format file provides.

    What is edited is a copy along the path to the change; all else in it is the same object. Inputs are never changed.

    Attributes:
        NAME: of the format, such as "openai-chat".
        REQUEST_TOKENS: the framing of a request apart from its messages, in tokens.
        ALTERNATES: whether two messages of the user in a row are refused, so that they must be merged.
        THINKING_FIRST: whether the first message of a tool loop that began with thinking must keep it.
        RULES: what `check` looks for.
    """

    @property
    def NAME(self) -> str: ...  # noqa: N802, D102
    @property
    def REQUEST_TOKENS(self) -> int: ...  # noqa: N802, D102
    @property
    def ALTERNATES(self) -> bool: ...  # noqa: N802, D102
    @property
    def THINKING_FIRST(self) -> bool: ...  # noqa: N802, D102
    @property
    def RULES(self) -> tuple[Rule, ...]: ...  # noqa: N802, D102

    def read(self, message: object, path: str) -> Record:
        """Give the record of one message. ``path`` names it in errors."""

    def tools(self, definitions: Sequence[object]) -> Part:
        """Give tool definitions as one part."""

    def system(self, prompt: object) -> Record:
        """Give the record of a system prompt that is sent beside the messages: a string, or what the API takes."""

    def note(self, text: str, like: object) -> object:
        """Give a message of the user that holds `text`, of the kind (dict or class) that the message `like` is."""

    def ask(self, instructions: str, texts: Sequence[str]) -> dict[str, object]:
        """Give a request: a system prompt, and one message of the user that holds these texts, each in a block."""

    def merge(self, first: object, second: object) -> object:
        """Give one message of the user that holds what two of them hold, in order."""

    def with_result(self, message: object, block: int, text: str) -> object:
        """Give the message with `text` as the whole of one tool result; `block` is that of its parts."""

    def check(self, messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
        """Find what the provider refuses."""


MAX_DEPTH = 256
MEDIA_TYPE_KEYS = frozenset({"media_type", "mime_type", "mimeType"})


def fields(value: object, path: str) -> Mapping[str, Any]:
    """The fields of a dict, or of an instance of a Python class (a dataclass, a pydantic model with unknown fields).

    Raises:
        TypeError: when it is neither.
    """
    named = _fields(value)
    if named is None:
        raise wrong_type(value, path, "a dict or an object with fields")
    return named


def _fields(value: object) -> Mapping[str, Any] | None:
    if isinstance(value, dict):
        return value
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict):
        extra = getattr(value, "__pydantic_extra__", None)
        return {**own, **extra} if isinstance(extra, dict) else own
    # Python's own, whatever the class made of it: (None, the slots by name) where there are slots.
    state = object.__getstate__(value)
    return state[1] if isinstance(state, tuple) else None


def text(named: Mapping[str, Any], key: str, path: str) -> str | None:
    """The string under a key, or None where there is none.

    Raises:
        TypeError: when it is something else.
    """
    value = named.get(key)
    if value is None or isinstance(value, str):
        return value
    raise wrong_type(value, f"{path}.{key}", "str")


def items(named: Mapping[str, Any], key: str, path: str) -> Sequence[object]:
    """A list among the fields of what stands at `path`; empty where there is none.

    Raises:
        TypeError: when it is something else.
    """
    value = named.get(key)
    if value is None:
        return ()
    if isinstance(value, list | tuple):
        return value
    raise wrong_type(value, f"{path}.{key}", "a list")


def file_data(named: Mapping[str, Any], key: str, path: str) -> str | bytes | None:
    """The data of a file, in base64 or as bytes, among the fields of what stands at `path`; None where there is none.

    Raises:
        TypeError: when it is something else.
    """
    value = named.get(key)
    if value is None or isinstance(value, str | bytes):
        return value
    raise wrong_type(value, f"{path}.{key}", "base64 or bytes")


def wrong_type(value: object, path: str, wanted: str) -> TypeError:
    """The error for a value of a wrong type."""
    hint = "; decode it first" if isinstance(value, bytes | bytearray) else ""
    return TypeError(f"{path} must be {wanted}, not {type(value).__name__}{hint}")


def strings(value: object, path: str) -> tuple[tuple[str, ...], int]:
    """All strings inside a value whose shape is not known, in order; the keys of dicts are not among them.

    Returns:
        The strings, and how many files were left out: ``data:`` URIs in base64, and ``data`` beside a media type.

    Raises:
        InvalidHistory: when the value nests deeper than 256.
    """
    found: list[str] = []
    files = 0
    stack: list[tuple[Any, int]] = [(value, 0)]
    while stack:
        value, depth = stack.pop()
        if isinstance(value, str):
            if is_data_uri(value):
                files += 1
            else:
                found.append(value)
        elif depth > MAX_DEPTH:
            raise InvalidHistory(path, f"values nest at most {MAX_DEPTH} deep, without cycles")
        elif isinstance(value, list | tuple):
            stack.extend((item, depth + 1) for item in reversed(value))
        elif (named := _fields(value)) is not None:
            file = isinstance(named.get("data"), str) and not MEDIA_TYPE_KEYS.isdisjoint(named)
            files += file
            members = [member for name, member in named.items() if not (file and name == "data")]
            stack.extend((member, depth + 1) for member in reversed(members))
    return tuple(found), files


def is_data_uri(text: str) -> bool:
    """Whether a string is a file in base64, as ``data:image/png;base64,...``."""
    return text.startswith("data:") and ";base64," in text[:256]
