"""LangChain messages: the objects of langchain-core, and the dicts that stand for them, in each of three forms.

The forms are ``{"type": "human", "content": ...}``, ``{"type": "human", "data": {"content": ...}}`` and ``{"role":
"user", "content": ...}``. What the model is, and so what an image costs or what the API refuses, is not known here:
images are taken at OpenAI's cost, and only what no provider takes is refused. Shapes: langchain-core 1, as of
2026-11-30.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ullage.errors import InvalidHistory
from ullage.formats import check as checks
from ullage.formats import images, openai_chat
from ullage.formats.edit import content_with_text, merged_content, sibling, with_field
from ullage.formats.json_text import definitions_texts, json_texts
from ullage.formats.pairing import pair
from ullage.formats.record import (
    Fault,
    Part,
    PartKind,
    Record,
    Rule,
    fields,
    is_data_uri,
    items,
    strings,
    text,
    wrong_type,
)

NAME = "langchain"
ALTERNATES = False
THINKING_FIRST = True
MESSAGE_TOKENS = openai_chat.MESSAGE_TOKENS
REQUEST_TOKENS = openai_chat.REQUEST_TOKENS

_TEXTS = {"text": "text", "input_text": "text", "output_text": "text", "text-plain": "text", "refusal": "refusal"}
_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning", "reasoning_content"})
_CALLS = frozenset(
    {"tool_call", "tool_use", "function_call", "invalid_tool_call", "tool_call_chunk", "input_json_delta"}
)
_SERVER_CALLS = frozenset({"server_tool_call", "server_tool_use", "web_search_call", "code_interpreter_call"})
_FILES: dict[str, PartKind] = {
    "image": "image",
    "image_url": "image",
    "audio": "audio",
    "input_audio": "audio",
    "video": "audio",
    "file": "document",
    "document": "document",
}
_NOT_SENT = frozenset({"type", "id", "cache_control", "index", "extras", "signature", "mime_type"})


def read(message: object, path: str) -> Record:
    """Give the record of one message.

    Args:
        message: an object of langchain-core, or a dict of one of the three forms.
        path: names the message in errors, such as ``messages[3]``.

    Raises:
        TypeError: when a value is of a wrong type (its path is named).
        InvalidHistory: when there is neither a type nor a role.
    """
    outer = fields(message, path)
    named = _inner(outer, path)
    role = _role(outer, named, path)
    if role in ("tool", "function"):
        return Record(role, tuple(_result(named, path)), MESSAGE_TOKENS)
    extra = fields(named.get("additional_kwargs") or {}, f"{path}.additional_kwargs")
    thinking = text(extra, "reasoning_content", f"{path}.additional_kwargs")
    calls = _calls(named, extra, path)
    known = {call.call_id for call in calls}
    parts = [] if thinking is None else [Part("thinking", (thinking,))]
    parts += [part for part in _content(named.get("content"), f"{path}.content") if not _repeats(part, known)]
    return Record(role, (*parts, *calls), MESSAGE_TOKENS)


def tools(definitions: Sequence[object]) -> Part:
    """Give tool definitions, as dicts, as one part: the JSON of each, and its framing."""
    count = len(definitions)
    frame = openai_chat.TOOLS_TOKENS + openai_chat.TOOL_TOKENS * count if count else 0
    return Part("text", definitions_texts(definitions), frame)


def system(prompt: object) -> Record:
    """Give the record of a system prompt: a string, a list of blocks, or a message."""
    if isinstance(prompt, str | list | tuple):
        prompt = {"role": "system", "content": prompt}
    return read(prompt, "system")


def note(text: str, like: object) -> object:
    """Give a message of the user that holds `text`: an object, or a dict of the form that `like` has."""
    native = sibling(like, "langchain_core.messages", "HumanMessage")
    if native is not None:
        return native(content=text)
    named = fields(like, "like")
    if "data" in named and "content" not in named:
        return {"type": "human", "data": {"content": text}}
    return {"role": "user", "content": text} if "role" in named else {"type": "human", "content": text}


def ask(instructions: str, texts: Sequence[str]) -> dict[str, object]:
    """Give a request: a system prompt, and one message of the user that holds these texts, each in a block."""
    return {
        "messages": [
            {"type": "system", "content": instructions},
            {"type": "human", "content": [_text_block(text) for text in texts]},
        ]
    }


def merge(first: object, second: object) -> object:
    """Give one message of the user that holds what two of them hold, in order."""
    before, after = (_inner(fields(message, "message"), "message").get("content") for message in (first, second))
    return _with_content(second, merged_content(before, after, _text_block))


def with_result(message: object, block: int, text: str) -> object:
    """Give the tool message with `text` as its content: a string, or one block where it was a list."""
    content = _inner(fields(message, "message"), "message").get("content")
    return _with_content(message, content_with_text(content, text, _text_block))


_PAGE = "https://docs.langchain.com/oss/python/langchain/messages"

RULES = (
    Rule(checks.ROLE, "A message is of a type that langchain-core knows", _PAGE),
    Rule(
        checks.UNANSWERED,
        "Each tool call has a ToolMessage among those that follow it directly",
        "https://docs.langchain.com/oss/python/langchain/errors/INVALID_CHAT_HISTORY",
    ),
    Rule(
        checks.ORPHAN,
        "A ToolMessage answers a tool call of the message before it",
        "https://github.com/langchain-ai/langchain/issues/33245",
    ),
    Rule(
        checks.APART,
        "Between a tool call and its ToolMessage there are only other ToolMessages",
        "https://docs.langchain.com/oss/python/langchain/errors/INVALID_CHAT_HISTORY",
    ),
    Rule("result-id", "A ToolMessage names the tool call that it answers", _PAGE),
    Rule(checks.EMPTY, "A message of the user or the system has content", _PAGE),
    Rule(
        checks.THINKING_ALONE,
        "A message of the model has content or calls beside its thinking",
        "https://github.com/tailcallhq/forgecode/issues/2107",
    ),
)


def check(messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
    """Find what no provider takes, by `RULES`."""
    pairs = pair(records)
    known = ("human", "ai", "system", "tool", "function", "user", "assistant", "developer")
    yield from checks.roles(records, known)
    yield from checks.unanswered(records, pairs)
    yield from checks.orphans(records, pairs)
    yield from checks.apart(records, pairs, lambda record: record.role in ("tool", "function"))
    yield from checks.thinking_alone(records)
    for index, record in enumerate(records):
        if record.role == "tool" and record.parts[0].call_id is None:
            yield Fault(index, "result-id", "the tool message has no tool_call_id")
        if not record.parts and record.role not in ("ai", "assistant"):
            yield Fault(index, checks.EMPTY, "the message has no content")


def _inner(named: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    data = named.get("data")
    return named if data is None or "content" in named else fields(data, f"{path}.data")


def _role(outer: Mapping[str, Any], named: Mapping[str, Any], path: str) -> str:
    form = text(outer, "type", path)
    if form is None or form.startswith("chat") or form.startswith("Chat"):
        role = text(named, "role", path)
        if role is None:
            raise InvalidHistory(f"{path}.type", "a message has a type or a role")
        return role
    return form.removesuffix("MessageChunk").lower()


def _with_content(message: object, content: object) -> object:
    named = fields(message, "message")
    if "data" in named and "content" not in named:
        return with_field(message, "data", with_field(named["data"], "content", content))
    return with_field(message, "content", content)


def _result(named: Mapping[str, Any], path: str) -> list[Part]:
    call_id, name = text(named, "tool_call_id", path), text(named, "name", path)
    inner = _content(named.get("content"), f"{path}.content")
    texts = tuple(shown for part in inner if part.kind == "text" for shown in part.texts)
    parts = [Part("tool_result", texts), *(part for part in inner if part.kind != "text")]
    error = named.get("status") == "error"
    return [part._replace(call_id=call_id, name=name, error=error, block=0) for part in parts]


def _calls(named: Mapping[str, Any], extra: Mapping[str, Any], path: str) -> list[Part]:
    """The calls of a message. langchain-core's own list of them comes first; the provider's raw one says the same."""
    calls: list[Part] = []
    for key in ("tool_calls", "invalid_tool_calls"):
        for index, call in enumerate(items(named, key, path)):
            calls.append(_call(fields(call, f"{path}.{key}[{index}]"), f"{path}.{key}[{index}]"))
    if not calls:
        inside = f"{path}.additional_kwargs"
        for index, call in enumerate(items(extra, "tool_calls", inside)):
            calls.append(_call(fields(call, f"{inside}.tool_calls[{index}]"), f"{inside}.tool_calls[{index}]"))
        function = extra.get("function_call")
        if function is not None and not calls:
            calls.append(_call(fields(function, f"{inside}.function_call"), f"{inside}.function_call"))
    return calls


def _call(named: Mapping[str, Any], path: str) -> Part:
    """A call in langchain-core's form, in OpenAI's or in Anthropic's."""
    function = fields(named["function"], f"{path}.function") if named.get("function") is not None else named
    name = text(function, "name", path)
    given = next((function[key] for key in ("args", "arguments", "input") if function.get(key) is not None), None)
    texts = (given,) if isinstance(given, str) else () if given is None else json_texts(given, f"{path}.args")
    call_id = text(named, "call_id", path) or text(named, "id", path)
    return Part("tool_call", texts if name is None else (name, *texts), 0, call_id, name)


def _repeats(part: Part, known: set[str | None]) -> bool:
    """Whether a call among the blocks is one that the list of calls has too."""
    return part.kind == "tool_call" and not part.server and (part.call_id is None or part.call_id in known)


def _content(content: object, path: str) -> list[Part]:
    if isinstance(content, str):
        return [Part("text", (content,))]
    if content is None:
        return []
    if not isinstance(content, list | tuple):
        raise wrong_type(content, path, "str or a list of blocks")
    return [_block(block, f"{path}[{index}]") for index, block in enumerate(content)]


def _block(block: object, path: str) -> Part:
    if isinstance(block, str):
        return Part("text", (block,))
    named = fields(block, path)
    form = text(named, "type", path) or ""
    if form in _TEXTS:
        shown = text(named, _TEXTS[form], path)
        return Part("text", () if shown is None else (shown,))
    if form in _CALLS:
        return _call(named, path)
    sent = {key: value for key, value in named.items() if key not in _NOT_SENT}
    if form in _THINKING:
        return Part("thinking", strings(sent, path)[0])
    if form in _SERVER_CALLS:
        return _call(named, path)._replace(server=True, call_id=text(named, "id", path))
    if form in _FILES:
        return Part(_FILES[form], (), images.tokens(_size(named, path)))
    if form == "server_tool_result" or form.endswith("_tool_result"):
        call_id = text(named, "tool_call_id", path) or text(named, "tool_use_id", path)
        return Part("tool_result", strings(sent, path)[0], 0, call_id, server=True)
    texts, files = strings(sent, path)
    return Part("text", texts, files * images.tokens(None))


def _size(named: Mapping[str, Any], path: str) -> tuple[int, int] | None:
    """Of an image in base64: in langchain-core's form, in OpenAI's or in Anthropic's."""
    inner = next((named[key] for key in ("image_url", "source") if named.get(key) is not None), named)
    if isinstance(inner, str):
        return images.size_of_data_uri(inner) if is_data_uri(inner) else None
    source = fields(inner, path)
    data = next((source[key] for key in ("base64", "data", "url") if isinstance(source.get(key), str)), "")
    return images.size_of_data_uri(data)


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}
