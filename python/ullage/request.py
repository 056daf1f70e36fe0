"""What of a value is a request: a list of messages, alone or in a dict beside a system prompt and tools.

The dict's keys are those of the providers: messages are under ``messages``, ``contents`` (Gemini) or ``input``
(OpenAI Responses), tools and the system prompt where each of them has these. ``input`` and ``contents`` may be a string
beside a model, a system prompt or tools: that is one message of the user.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ullage import Estimator, formats
from ullage.fitting.layout import cost, record_cost
from ullage.formats.detection import detect, of_class
from ullage.formats.record import Part, Record, wrong_type
from ullage.history import as_list

_FORMATS = {"messages": None, "contents": "gemini", "input": "openai-responses"}
"""Where messages are, and the format that this tells."""
_SYSTEM = (
    *(("system",), ("systemInstruction",), ("system_instruction",), ("instructions",)),
    *(("config", "systemInstruction"), ("config", "system_instruction")),
)
_TOOLS = (("tools",), ("toolConfig", "tools"), ("config", "tools"))
_BESIDE = frozenset(path[0] for path in (*_SYSTEM, *_TOOLS))
_BARE: dict[str, Callable[[str], dict[str, Any]]] = {
    "contents": lambda text: {"role": "user", "parts": [{"text": text}]},
    "input": lambda text: {"role": "user", "content": text},
}
"""The message that a bare string stands for."""
_ONLY_ANTHROPIC = {"role": "user", "content": [{"type": "tool_result"}]}

_ROLES = ("system", "developer", "user", "assistant", "tool", "function", "model")
_SAYS = ("content", "tool_calls", "function_call")
_ITEMS = ("_call", "_call_output")  # how the types of what is called or comes back end in the Responses API
_LANGCHAIN = ("human", "ai", "system", "tool", "function")


class Read(NamedTuple):
    """What a request sends, read.

    Attributes:
        tools: the tool definitions as one part.
        system: the system prompt, where it is apart from the messages.
        messages: in order.
        framing: tokens of the request apart from all these.
    """

    tools: Part
    system: Record | None
    messages: list[Record]
    framing: int

    def parts(self) -> Iterator[Part]:
        """Every part, in the order in which it is sent."""
        yield self.tools
        for record in (*([] if self.system is None else [self.system]), *self.messages):
            yield from record.parts

    def tokens(self, estimator: Estimator) -> int:
        """Tokens of all of it."""
        estimate = estimator.estimate
        system = 0 if self.system is None else record_cost(self.system, estimate)
        messages = sum(record_cost(record, estimate) for record in self.messages)
        return self.framing + cost(self.tools, estimate) + system + messages


@dataclass(frozen=True, slots=True)
class Request:
    """A request, or a list of messages alone.

    Attributes:
        value: as it was given.
        key: where in the value its messages are; None where it is the list itself.
        format: of the messages.
        messages: in order.
        tools: the tool definitions.
        system: the system prompt, where it is apart from the messages.
        tools_at: the keys under which the value has its tools; empty without any.
        system_at: likewise, of the system prompt.
        bare: whether a string stands where the messages are; they are the one message then that it stands for.
    """

    value: object
    key: str | None
    format: str
    messages: list[Any]
    tools: list[Any]
    system: object
    tools_at: tuple[str, ...] = ()
    system_at: tuple[str, ...] = ()
    bare: bool = False

    @classmethod
    def of(cls, value: object, format: str | None = None, *, ends: int | None = None) -> "Request | None":
        """The request that a value is, or None; its format is detected where it is not given.

        Where a format is given, whatever has the outer shape of a request is one, and its messages are not looked at.

        Args:
            value: what may be a request.
            format: of its messages.
            ends: look only at so many messages at the start and at the end, and let it be a request if most of these
                are messages; by default, look at all, of which each must be one.

        Raises:
            TypeError: when something on the way is not a message, or the tools are not a list.
        """
        around: dict[str, Any] = value if isinstance(value, dict) else {}
        key = next((key for key in _FORMATS if isinstance(around.get(key), list)), None)
        text = None if key else _bare(around, format)
        key = key or text
        messages = value if key is None else around[key] if text is None else [_BARE[text](around[text])]
        if not isinstance(messages, list):
            return None
        if not messages and format is None and (key is None or not (around.keys() & _BESIDE)):
            return None
        looked_at = messages if ends is None or len(messages) <= 2 * ends else messages[:ends] + messages[-ends:]
        if format is None and messages and not _are_messages(looked_at, key, most=ends is not None):
            return None
        tools_at, tools = _first(around, _TOOLS)
        system_at, system = _first(around, _SYSTEM)
        if isinstance(tools, Iterator):
            raise wrong_type(tools, "tools", "a list: reading it would use it up")
        tools = as_list(tools or [], "tools")
        telling = looked_at if ends is None else list(filter(is_message, looked_at))
        found = format or (key and _FORMATS[key]) or _detect(telling, around, tools)
        return cls(value, key, found, messages, tools, system, tools_at, system_at, text is not None)

    def with_messages(self, messages: list[Any]) -> object:
        """The value with other messages, and all else as it was."""
        return messages if self.key is None else {**self._fields, self.key: messages}

    def read(self, messages: list[Any] | None = None) -> Read:
        """What the request sends, with its own messages or others.

        Raises:
            TypeError: when a value is of a wrong type (its path is named).
            InvalidHistory: when a message has not what its format requires.
        """
        shape = formats.named(self.format)
        given = self.messages if messages is None else messages
        return Read(
            shape.tools(self.tools),
            None if self.system is None else shape.system(self.system),
            [shape.read(message, f"messages[{index}]") for index, message in enumerate(given)],
            shape.REQUEST_TOKENS,
        )

    @property
    def _fields(self) -> dict[str, Any]:
        assert isinstance(self.value, dict)
        return self.value


def is_message(value: object) -> bool:
    """Whether a value is a message of one of the formats, and hardly anything else."""
    if not isinstance(value, dict):
        return of_class(value) is not None
    role, form = value.get("role"), value.get("type")
    if isinstance(value.get("parts"), list):
        return role in _ROLES or value.get("kind") in ("request", "response")
    if role in _ROLES:
        return any(key in value for key in _SAYS)
    if not isinstance(form, str):
        return False
    return (
        form == "reasoning" or form.endswith(_ITEMS) or (form in _LANGCHAIN and ("content" in value or "data" in value))
    )


def _are_messages(values: list[object], key: str | None, *, most: bool) -> bool:
    """Whether these are messages where they stand: Gemini needs no role, and the Responses API has many more items."""
    if most:
        return 2 * sum(map(is_message, values)) > len(values) or _are_messages(values, key, most=False)
    if key == "contents":
        return all(isinstance(value, dict) and isinstance(value.get("parts"), list) for value in values)
    if key == "input":
        return any(map(is_message, values)) and all(isinstance(value, dict) for value in values)
    return all(map(is_message, values))


def _detect(messages: list[Any], around: dict[str, Any], tools: Sequence[object]) -> str:
    """The format by the messages; where they could be of several, by what only Anthropic's requests have."""
    anthropic = any(isinstance(tool, dict) and "input_schema" in tool for tool in tools)
    if anthropic or around.get("system") is not None:
        return detect([*messages, _ONLY_ANTHROPIC])
    return detect(messages)


def _bare(around: dict[str, Any], format: str | None) -> str | None:
    """The key under which a string stands for the messages; alone in a dict, it does so only in that format."""
    for key in _BARE:
        if isinstance(around.get(key), str) and (format == _FORMATS[key] or around.keys() & {"model", *_BESIDE}):
            return key
    return None


def _first(around: object, paths: Sequence[tuple[str, ...]]) -> tuple[tuple[str, ...], Any]:
    """The first of these paths at which something stands, and what does; an empty path and None where nothing does."""
    for path in paths:
        value = around
        for key in path:
            value = value.get(key) if isinstance(value, dict) else None
        if value is not None:
            return path, value
    return (), None
