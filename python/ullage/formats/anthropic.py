"""Anthropic Messages: content blocks, results in messages of the user, and tools that run at the provider.

Shapes: "Messages" and "Tool use", platform.claude.com/docs, as of 2026-11-30. A message's framing is not published; it
is taken to be what OpenAI states for its own. A block that is not known is counted by all strings inside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from ullage.errors import InvalidHistory
from ullage.formats import check as checks
from ullage.formats import images
from ullage.formats.base64_bytes import decoded_length
from ullage.formats.edit import content_with_text, merged_content, with_field, with_item
from ullage.formats.json_text import definitions_texts, json_texts
from ullage.formats.pairing import pair
from ullage.formats.record import (
    MAX_DEPTH,
    Fault,
    Part,
    Record,
    Rule,
    fields,
    strings,
    text,
    wrong_type,
)

NAME = "anthropic"
ALTERNATES = False
THINKING_FIRST = True
MESSAGE_TOKENS = 4
REQUEST_TOKENS = 3
TOOLS_TOKENS = 346
"""The system prompt that comes with tools: "Tool use", section "Pricing", platform.claude.com/docs, for Claude 4."""

PIXELS_PER_TOKEN = 750
MAX_SIDE = 2576
MAX_IMAGE_TOKENS = 4784
"""An image costs width x height / 750 after it was scaled down to these limits: "Vision", platform.claude.com/docs.
They are those of the models of high resolution; earlier ones stop at 1,568 pixels and about 1,600 tokens."""
PAGE_BYTES = 50_000
PAGE_TOKENS = 3_000
"""A page of a PDF costs 1,500 to 3,000 tokens: "PDF support", platform.claude.com/docs. A page is taken for 50 kB."""
ENCRYPTED_TOKENS = 3 / 16
"""A character of encrypted thinking: base64 of a text of four bytes a token. No figure is published."""

_CALLS = {"tool_use": False, "server_tool_use": True, "mcp_tool_use": True}
_NOT_SENT = frozenset({"type", "cache_control", "citations"})


def image_tokens(size: tuple[int, int] | None) -> int:
    """Tokens of an image of that width and height in pixels; None where they are not known.

    >>> image_tokens((1000, 1000)), image_tokens((8000, 8000))
    (1334, 4784)
    """
    width, height = size or images.DEFAULT_SIZE
    scale = min(1, MAX_SIDE / max(width, height))
    return min(MAX_IMAGE_TOKENS, ceil(width * scale * height * scale / PIXELS_PER_TOKEN))


def read(message: object, path: str) -> Record:
    """Give the record of one message.

    Args:
        message: a dict, or an object of the anthropic package.
        path: names the message in errors, such as ``messages[3]``.

    Raises:
        TypeError: when a value is of a wrong type (its path is named).
        InvalidHistory: when there is no role.
    """
    named = fields(message, path)
    role = text(named, "role", path)
    if role is None:
        raise InvalidHistory(f"{path}.role", "a message has a role")
    content = named.get("content")
    parts: list[Part] = []
    if isinstance(content, str):
        parts.append(Part("text", (content,)))
    elif isinstance(content, list | tuple):
        for index, block in enumerate(content):
            parts += _block(block, f"{path}.content[{index}]", index)
    elif content is not None:
        raise wrong_type(content, f"{path}.content", "str or a list of blocks")
    return Record(role, tuple(parts), MESSAGE_TOKENS)


def tools(definitions: Sequence[object]) -> Part:
    """Give tool definitions as one part: the JSON of each, and the system prompt that comes with tools."""
    return Part("text", definitions_texts(definitions), TOOLS_TOKENS if definitions else 0)


def system(prompt: object) -> Record:
    """Give the record of a system prompt: a string, or a list of blocks of text."""
    return read({"role": "system", "content": prompt}, "system")._replace(frame=0)


def note(text: str, like: object) -> dict[str, Any]:
    """Give a message of the user that holds `text`: a dict, which the package takes beside its own objects."""
    return {"role": "user", "content": text}


def ask(instructions: str, texts: Sequence[str]) -> dict[str, object]:
    """Give a request: a system prompt, and one message of the user that holds these texts, each in a block."""
    return {"system": instructions, "messages": [{"role": "user", "content": [_text_block(text) for text in texts]}]}


def merge(first: object, second: object) -> object:
    """Give one message of the user that holds what two of them hold, in order; but tool results come first."""
    contents = (fields(first, "first").get("content"), fields(second, "second").get("content"))
    merged = merged_content(*contents, _text_block)
    if isinstance(merged, list):
        merged.sort(key=lambda block: not _is_result(block))
    return with_field(second, "content", merged)


def with_result(message: object, block: int, text: str) -> object:
    """Give the message with `text` as the content of one tool_result: a string, or a block where it was a list."""
    content = fields(message, "message")["content"]
    result = content[block]
    new = content_with_text(fields(result, "result").get("content"), text, _text_block)
    return with_field(message, "content", with_item(content, block, with_field(result, "content", new)))


_TOOLS_PAGE = "https://platform.claude.com/docs/en/agents-and-tools/tool-use/handle-tool-calls"
_THINKING_PAGE = "https://platform.claude.com/docs/en/build-with-claude/extended-thinking"
_SYSTEM_PAGE = "https://platform.claude.com/docs/en/build-with-claude/mid-conversation-system-messages"

RULES = (
    Rule(checks.ROLE, "A role is user, assistant or system", "https://platform.claude.com/docs/en/api/messages"),
    Rule(
        checks.FIRST,
        "The first message is the user's, and not a tool result",
        "https://platform.claude.com/docs/en/api/messages",
    ),
    Rule(
        "system-place",
        "A message of the system comes directly after one of the user",
        _SYSTEM_PAGE,
    ),
    Rule(checks.UNANSWERED, "Each tool_use has a tool_result in the user's message that follows", _TOOLS_PAGE),
    Rule(
        checks.ORPHAN,
        "A tool_result answers a tool_use of the message before it; what a server tool gave stays with its call",
        "https://github.com/anthropics/claude-code/issues/95406",
    ),
    Rule(checks.APART, "There is no message between a tool_use and its tool_result", _TOOLS_PAGE),
    Rule(checks.RESULTS_FIRST, "In a message of the user, tool results come before anything else", _TOOLS_PAGE),
    Rule(
        checks.CALLER,
        "A call that was made by code comes after the call that runs that code",
        "https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling",
    ),
    Rule(checks.THINKING_FIRST, "A tool loop with thinking begins with the thinking that began it", _THINKING_PAGE),
    Rule(
        checks.THINKING_LAST,
        "A message of the assistant does not end with thinking",
        "https://github.com/tailcallhq/forgecode/issues/2107",
    ),
    Rule(
        checks.EMPTY,
        "A message of the user is not empty, no block of text is, and not all text of a message is blank",
        "https://github.com/experientiallabs/experiential/pull/804",
    ),
)


def check(messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
    """Find what the API refuses, by `RULES`. Two messages in a row of one role are taken for one."""
    pairs = pair(records)
    yield from checks.roles(records, ("user", "assistant", "system"))
    yield from checks.first(records)
    yield from checks.unanswered(records, pairs)
    yield from checks.orphans(records, pairs)
    yield from checks.apart_by_turn(records, pairs)
    yield from checks.callers(records)
    yield from checks.thinking_first(records)
    yield from checks.thinking_last(records)
    yield from checks.results_first(records)
    for index, record in enumerate(records):
        if record.role == "system" and (index == 0 or records[index - 1].role != "user"):
            yield Fault(index, "system-place", "the message of the system does not follow one of the user")
        if _is_empty(record, fields(messages[index], f"messages[{index}]").get("content")):
            yield Fault(index, checks.EMPTY, "the message is empty or blank, or a block of its text is empty")


def _is_empty(record: Record, content: object) -> bool:
    if not record.parts or content == "":
        return record.role != "assistant"
    shown = [part.texts[0] for part in record.parts if part.kind == "text" and len(part.texts) == 1]
    return "" in shown or (len(shown) == len(record.parts) and all(map(str.isspace, shown)))


def _block(block: object, path: str, index: int, depth: int = 0) -> list[Part]:
    if depth > MAX_DEPTH:
        raise InvalidHistory(path[:80] + "...", f"values nest at most {MAX_DEPTH} deep, without cycles")
    named = fields(block, path)
    form = text(named, "type", path) or ""
    if form == "text":
        shown = text(named, "text", path)
        return [Part("text", () if shown is None else (shown,))]
    if form == "thinking":
        shown = text(named, "thinking", path)
        hidden = 0 if shown else _encrypted_tokens(text(named, "signature", path))
        return [Part("thinking", (shown,) if shown else (), hidden)]
    if form == "redacted_thinking":
        return [Part("thinking", (), _encrypted_tokens(text(named, "data", path)))]
    if form in _CALLS:
        return [_call(named, path, server=_CALLS[form])]
    if form == "tool_result":
        return _result(named, path, index, depth)
    if form == "image":
        return [Part("image", (), _image_tokens(named.get("source"), f"{path}.source"))]
    if form == "document":
        return [_document(named, path)]
    texts, files = strings({key: value for key, value in named.items() if key not in _NOT_SENT}, path)
    tokens = files * image_tokens(None)
    if form.endswith("_tool_result"):
        call_id = text(named, "tool_use_id", path)
        others = {key: value for key, value in named.items() if key not in _NOT_SENT and key != "tool_use_id"}
        name = form.removesuffix("_tool_result")
        return [Part("tool_result", strings(others, path)[0], tokens, call_id, name, server=True)]
    return [Part("document" if form == "search_result" else "text", texts, tokens)]


def _call(named: Mapping[str, Any], path: str, *, server: bool) -> Part:
    name = text(named, "name", path)
    caller = named.get("caller")
    return Part(
        "tool_call",
        (name or "", *json_texts(named.get("input"), f"{path}.input")),
        call_id=text(named, "id", path),
        name=name,
        server=server,
        caller=None if caller is None else text(fields(caller, f"{path}.caller"), "tool_id", f"{path}.caller"),
    )


def _result(named: Mapping[str, Any], path: str, index: int, depth: int) -> list[Part]:
    content = named.get("content")
    inner: list[Part] = []
    if isinstance(content, str):
        inner.append(Part("text", (content,)))
    elif isinstance(content, list | tuple):
        for at, block in enumerate(content):
            inner += _block(block, f"{path}.content[{at}]", at, depth + 1)
    elif content is not None:
        raise wrong_type(content, f"{path}.content", "str or a list of blocks")
    texts = tuple(shown for part in inner if part.kind == "text" for shown in part.texts)
    call_id = text(named, "tool_use_id", path)
    error = named.get("is_error") is True
    result = Part("tool_result", texts, sum(part.tokens for part in inner if part.kind == "text"), call_id, error=error)
    return [part._replace(call_id=call_id, block=index) for part in (result, *inner) if part.kind != "text"]


def _document(named: Mapping[str, Any], path: str) -> Part:
    source = fields(named.get("source"), f"{path}.source")
    texts = [shown for key in ("title", "context") if (shown := text(named, key, path))]
    if source.get("type") == "text":
        return Part("document", (*texts, text(source, "data", f"{path}.source") or ""))
    if source.get("type") == "content":
        inner, files = strings(source.get("content"), f"{path}.source.content")
        return Part("document", (*texts, *inner), files * image_tokens(None))
    data = text(source, "data", f"{path}.source")
    pages = 1 if data is None else max(1, ceil(decoded_length(data) / PAGE_BYTES))
    return Part("document", tuple(texts), pages * PAGE_TOKENS)


def _image_tokens(source: object, path: str) -> int:
    data = text(fields(source, path), "data", path)
    return image_tokens(None if data is None else images.size_of(data))


def _encrypted_tokens(data: str | None) -> int:
    return ceil(len(data or "") * ENCRYPTED_TOKENS)


def _text_block(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _is_result(block: object) -> bool:
    return fields(block, "content").get("type") == "tool_result"
