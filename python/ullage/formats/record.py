"""The one record that every message format is read into: who speaks, and what each part is and costs.

A record refers to the very strings that are sent; it copies and parses nothing. The Rust store reads these tuples by
position, so the order of their fields is part of their contract.
"""

from collections.abc import Mapping, Sequence
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
    """

    kind: PartKind
    texts: tuple[str, ...]
    tokens: int = 0
    call_id: str | None = None


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


class Format(Protocol):
    """What a format file provides.

    ``REQUEST_TOKENS`` is the framing of a request apart from its messages, in tokens.
    """

    @property
    def REQUEST_TOKENS(self) -> int: ...  # noqa: N802, D102

    def read(self, message: object, path: str) -> Record:
        """Give the record of one message. ``path`` names it in errors."""

    def tools(self, definitions: Sequence[object]) -> Part:
        """Give tool definitions as one part."""


MAX_DEPTH = 256
MEDIA_TYPE_KEYS = frozenset({"media_type", "mime_type", "mimeType"})


def fields(value: object, path: str) -> Mapping[str, Any]:
    """The fields of a dict, or of an instance of a Python class (a dataclass, a pydantic model with unknown fields).

    Raises:
        TypeError: when it is neither.
    """
    if isinstance(value, dict):
        return value
    own = getattr(value, "__dict__", None)
    if isinstance(own, dict):
        extra = getattr(value, "__pydantic_extra__", None)
        return {**own, **extra} if isinstance(extra, dict) else own
    raise wrong_type(value, path, "a dict or an object with fields")


def text(named: Mapping[str, Any], key: str, path: str) -> str | None:
    """The string under a key, or None where there is none.

    Raises:
        TypeError: when it is something else.
    """
    value = named.get(key)
    if value is None or isinstance(value, str):
        return value
    raise wrong_type(value, f"{path}.{key}", "str")


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
        elif isinstance(value, dict) or hasattr(value, "__dict__"):
            named = fields(value, path)
            file = isinstance(named.get("data"), str) and not MEDIA_TYPE_KEYS.isdisjoint(named)
            files += file
            members = [member for name, member in named.items() if not (file and name == "data")]
            stack.extend((member, depth + 1) for member in reversed(members))
    return tuple(found), files


def is_data_uri(text: str) -> bool:
    """Whether a string is a file in base64, as ``data:image/png;base64,...``."""
    return text.startswith("data:") and ";base64," in text[:256]
