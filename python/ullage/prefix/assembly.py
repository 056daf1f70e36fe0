"""A request as blocks, in the order in which the provider puts the prompt together (`ullage.prefix.order`).

A block is what a provider counts when it looks back for a cached prefix: a tool, a block of the system prompt, a block
of a message. Blocks refer to the objects of the request; nothing is copied but the frame of a message.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from ullage.errors import InvalidHistory
from ullage.formats.record import MAX_DEPTH
from ullage.prefix.markers import KEYS, life, marker, stands_alone
from ullage.prefix.order import ORDERS, Settings, Zone
from ullage.prefix.paths import root
from ullage.prefix.sent import named_fields, sent
from ullage.request import Request

GENERIC = "json"
"""The format of a value that is not a request of any provider."""

_ENDS = 64
"""So many messages at either end of a request are looked at, to tell what it is."""

_ROOTS = {"gemini": "contents", "openai-responses": "input"}
_SYSTEM_ROLES = ("system", "developer")

_CHAT_BEFORE = ("reasoning_content", "reasoning", "reasoning_details")
_CHAT_AFTER = ("refusal", "audio", "tool_calls", "function_call")
_SPEAKING: dict[str, tuple[str, ...]] = {
    "openai-chat": (*_CHAT_BEFORE, "content", *_CHAT_AFTER),
    "openai-responses": ("content",),
    "anthropic": ("content",),
    "bedrock": ("content",),
    "gemini": ("parts",),
    "langchain": ("content", "tool_calls", "invalid_tool_calls", "additional_kwargs"),
    "pydantic-ai": ("parts",),
}
"""The fields of a message whose items are blocks, in order."""

_NOT_SENT: dict[str, frozenset[str]] = {
    "langchain": frozenset({"id", "response_metadata", "usage_metadata", "example", "artifact"}),
    "pydantic-ai": frozenset(
        {
            *("timestamp", "usage", "model_name", "provider_name", "provider_url", "provider_details", "metadata"),
            *("provider_response_id", "finish_reason", "run_id", "conversation_id", "state", "instructions"),
        }
    ),
}
"""Fields of messages that a framework keeps to itself."""

_NOTHING: frozenset[str] = frozenset()
_PLAIN = frozenset({"role", "content", "name", "tool_call_id"})


class Block(NamedTuple):
    """One unit of a prompt.

    Attributes:
        zone: where in the prompt it belongs.
        path: of the value in the request as it was given, such as ``messages[12].content[1]``.
        value: the very object that is sent there.
        frame: on a message's first block, its other fields (role, name), without markers; None elsewhere.
        marker: the life in seconds of the cache marker that is set on this block; None without one.
    """

    zone: Zone
    path: str
    value: object
    frame: Mapping[str, Any] | None = None
    marker: int | None = None


@dataclass(frozen=True)
class Assembly:
    """A request, put together.

    Attributes:
        format: of its messages; "json" for a value that is not a request.
        prelude: the blocks before the messages.
        messages: in order.
        at: the path of the list of messages.
        leading: so many messages at the start are the system prompt.
        marker: the life in seconds of a marker on the request itself, which stands for one on its last block.
        bare: whether a string stands where the messages are; it is the text of the only one.
    """

    format: str
    prelude: tuple[Block, ...]
    messages: Sequence[object]
    at: str
    leading: int = 0
    marker: int | None = None
    bare: bool = False

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks, in order.

        Raises:
            InvalidHistory: when a value that is not a request nests deeper than 256, or holds itself.
        """
        if self.format == GENERIC:
            return tuple(_leaves(self.messages[0], (), 0))
        found = [*self.prelude]
        for index in range(len(self.messages)):
            found += self.message(index)
        if self.marker is not None and found and found[-1].marker is None:
            found[-1] = found[-1]._replace(marker=self.marker)
        return tuple(found)

    def message(self, index: int) -> list[Block]:
        """The blocks of one message."""
        blocks = message_blocks(self.messages[index], f"{self.at}[{index}]", self.format)
        if self.bare and index == 0:
            return [blocks[0]._replace(path=self.at, value=sent(blocks[0].value))]
        return [block._replace(zone="system") for block in blocks] if index < self.leading else blocks

    def place(self, index: int) -> str:
        """The path of a message."""
        return self.at if self.bare and index == 0 else f"{self.at}[{index}]"


def assemble(request: object, format: str | None = None, *, ends: int | None = _ENDS) -> Assembly:
    """Put a request together: a body of any of the formats, a bare list of messages, or any other JSON value.

    Args:
        request: what is sent. It is not changed.
        format: of its messages; detected by default.
        ends: so many messages at either end are looked at to tell the format; None: all.

    Raises:
        ValueError: when the format is not known.
        TypeError: when the tools are not a list, or something on the way is not a message.

    >>> body = {"messages": [{"role": "user", "content": "Hello"}], "system": "Be brief.", "tools": []}
    >>> [block.path for block in assemble(body).blocks]
    ['system', 'messages[0].content']
    """
    if isinstance(request, tuple) and type(request) is tuple:
        request = list(request)
    if format is not None and format != GENERIC and format not in ORDERS:
        raise ValueError(f"there is no format {format!r}; there are: {', '.join((*ORDERS, GENERIC))}")
    read = None if format == GENERIC else Request.of(request, format, ends=ends)
    if read is None:
        return Assembly(GENERIC, (), (request,), "$")
    body = request if isinstance(request, dict) else {}
    own = body.get("cache_control")
    return Assembly(
        read.format,
        tuple(_prelude(read, body)),
        read.messages,
        read.key or _ROOTS.get(read.format, "messages"),
        _leading(read.messages),
        None if own is None else life(own),
        read.bare,
    )


def message_blocks(message: object, path: str, format: str) -> list[Block]:
    """The blocks of one message. What is not a message is one block.

    Args:
        message: in that format.
        path: of the message, such as ``messages[3]``.
        format: the name of the format.
    """
    speaks = _SPEAKING[format]
    # Most messages are a role and a text.
    if type(message) is dict and _PLAIN.issuperset(message) and "content" in speaks:
        content = message.get("content")
        if type(content) is str:
            frame = {key: value for key, value in message.items() if key != "content" and value is not None}
            return [Block("messages", f"{path}.content", content, frame)]
    named = named_fields(message)
    if named is None:
        return [Block("messages", path, message, {})]
    own = marker(named)
    inner, inside = named, path
    if format == "langchain" and "content" not in named and (data := named_fields(named.get("data"))) is not None:
        inner, inside = data, f"{path}.data"
    left_out = _NOT_SENT.get(format, _NOTHING)
    speaking = [key for key in speaks if key in inner and _says(inner[key])]
    blocks: list[Block] = []
    for key in speaking:
        blocks += _items(inner[key], f"{inside}.{key}", format)
    if not blocks:
        return [Block("messages", path, message, {}, own)]
    frame = {
        key: value
        for key, value in (*(named.items() if inner is not named else ()), *inner.items())
        if value is not None and key not in speaking and key not in KEYS and key not in left_out and value is not inner
    }
    _, place, value, _, life = blocks[0]
    blocks[0] = Block("messages", place, value, frame, life)
    if own is not None:
        blocks[-1] = blocks[-1]._replace(marker=own)
    return blocks


def _says(value: object) -> bool:
    return value is not None and not (isinstance(value, list | tuple | dict) and not value)


def _items(value: object, path: str, format: str) -> list[Block]:
    """The blocks of one field of a message; a marker that stands alone belongs to the block before it."""
    if not isinstance(value, list | tuple):
        return [Block("messages", path, value)]
    blocks: list[Block] = []
    for index, item in enumerate(value):
        at = f"{path}[{index}]"
        named = named_fields(item)
        if named is None:
            blocks.append(Block("messages", at, item))
            continue
        if stands_alone(named):
            if blocks:
                blocks[-1] = blocks[-1]._replace(marker=marker(named) or life(item))
            continue
        inner = named.get("content") if format == "pydantic-ai" else None
        if isinstance(inner, str | list | tuple) and named.get("part_kind") == "user-prompt":
            blocks += _items(inner, f"{at}.content", format) or [Block("messages", at, item)]
        else:
            blocks.append(Block("messages", at, item, None, _marker_within(named)))
    return blocks


def _marker_within(named: Mapping[str, Any]) -> int | None:
    """The marker of a block, or the last of those on the blocks inside a tool result or a tool."""
    own, inner = marker(named), named.get("content")
    if own is not None or not isinstance(inner, list | tuple):
        return own
    for item in reversed(inner):
        found = named_fields(item)
        if found is not None and (life := marker(found)) is not None:
            return life
    return None


def _prelude(read: Request, body: Mapping[str, Any]) -> Iterator[Block]:
    for part in ORDERS[read.format]:
        if isinstance(part, Settings):
            for keys in part.paths:
                value = _under(body, keys)
                if value is not None:
                    yield Block("settings", root(keys), value)
        elif part == "tools":
            yield from _tools(read.tools, root(read.tools_at))
        elif read.system is not None:
            yield from _system(read.system, root(read.system_at))
        elif read.format == "pydantic-ai":
            yield from _instructions(read.messages)


def _tools(tools: Sequence[object], path: str) -> Iterator[Block]:
    """The tools; Gemini has several in one item of its list, and Bedrock a marker as an item."""
    last: Block | None = None
    for index, tool in enumerate(tools):
        at = f"{path}[{index}]"
        named = named_fields(tool) or {}
        if named and stands_alone(named):
            last = None if last is None else last._replace(marker=marker(named))
            continue
        if last is not None:
            yield last
        key = next((key for key in ("functionDeclarations", "function_declarations") if key in named), None)
        inner = named.get(key) if key else None
        if key and isinstance(inner, list | tuple) and inner:
            blocks = [Block("tools", f"{at}.{key}[{at_inner}]", item) for at_inner, item in enumerate(inner)]
            if others := {name: value for name, value in named.items() if name != key and value is not None}:
                blocks.append(Block("tools", at, others))
            *before, last = blocks
            yield from before
        else:
            within = named_fields(named.get("function"))
            last = Block("tools", at, tool, None, marker(named) or (marker(within) if within else None))
    if last is not None:
        yield last


def _system(system: object, path: str) -> Iterator[Block]:
    """The system prompt: a string, a list of blocks, or a content of parts."""
    named = named_fields(system)
    if named is not None and isinstance(named.get("parts"), list | tuple):
        system, path = named["parts"], f"{path}.parts"
    elif named is not None and "content" in named:
        system, path = named["content"], f"{path}.content"
    for block in _items(system, path, "system"):
        yield block._replace(zone="system")


def _instructions(messages: Sequence[object]) -> Iterator[Block]:
    """What pydantic-ai sends as the system prompt: the instructions of the last request that has any."""
    for index in range(len(messages) - 1, -1, -1):
        named = named_fields(messages[index])
        if named is not None and named.get("kind") == "request":
            if named.get("instructions"):
                yield Block("system", f"messages[{index}].instructions", named["instructions"])
            return


def _leading(messages: Sequence[object]) -> int:
    """How many messages at the start are the system's."""
    for index, message in enumerate(messages):
        named = named_fields(message) or {}
        if named.get("role") not in _SYSTEM_ROLES and named.get("type") != "system":
            return index
    return len(messages)


def _under(value: object, keys: Sequence[str]) -> object:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _leaves(value: object, keys: tuple[object, ...], depth: int) -> Iterator[Block]:
    """A block for each container of nothing but scalars, each item of a list, and each scalar beside a container."""
    if depth > MAX_DEPTH:
        raise InvalidHistory(root(keys[:4]) + "...", f"values nest at most {MAX_DEPTH} deep, without cycles")
    if isinstance(value, list | tuple) and value:
        for index, item in enumerate(value):
            yield from _leaves(item, (*keys, index), depth + 1)
    elif isinstance(value, dict) and any(isinstance(item, dict | list | tuple) and item for item in value.values()):
        for key, item in value.items():
            yield from _leaves(item, (*keys, key), depth + 1)
    else:
        yield Block("messages", root(keys), value)
