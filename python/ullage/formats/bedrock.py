"""Amazon Bedrock Converse: blocks that are named by their key, roles that alternate, and a cache point as a block.

Shapes: "ContentBlock" and "Message", docs.aws.amazon.com/bedrock/latest/APIReference, as of 2026-11-30. Costs differ by
model; images, documents and framing are taken at those of Anthropic's models. A block that is not known is counted by
all strings inside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from ullage.errors import InvalidHistory
from ullage.formats import anthropic, images
from ullage.formats import check as checks
from ullage.formats.base64_bytes import decoded_length
from ullage.formats.edit import merged_content, with_field, with_item
from ullage.formats.json_text import definitions_texts, json_texts
from ullage.formats.pairing import pair
from ullage.formats.record import Fault, Part, PartKind, Record, Rule, fields, file_data, strings, text, wrong_type

NAME = "bedrock"
ALTERNATES = True
THINKING_FIRST = True
MESSAGE_TOKENS = anthropic.MESSAGE_TOKENS
REQUEST_TOKENS = anthropic.REQUEST_TOKENS

_MARKERS = frozenset({"cachePoint"})


def read(message: object, path: str) -> Record:
    """Give the record of one message.

    Raises:
        TypeError: when a value is of a wrong type (its path is named).
        InvalidHistory: when there is no role.
    """
    named = fields(message, path)
    role = text(named, "role", path)
    if role is None:
        raise InvalidHistory(f"{path}.role", "a message has a role")
    return Record(role, tuple(_blocks(named.get("content"), f"{path}.content")), MESSAGE_TOKENS)


def tools(definitions: Sequence[object]) -> Part:
    """Give tool definitions as one part: the JSON of each, and the system prompt that comes with tools."""
    return Part("text", definitions_texts(definitions), anthropic.TOOLS_TOKENS if definitions else 0)


def system(prompt: object) -> Record:
    """Give the record of a system prompt: a list of blocks, or a string."""
    content = [{"text": prompt}] if isinstance(prompt, str) else prompt
    return Record("system", tuple(_blocks(content, "system")), 0)


def note(text: str, like: object) -> dict[str, Any]:
    """Give a message of the user that holds `text`."""
    return {"role": "user", "content": [{"text": text}]}


def ask(instructions: str, texts: Sequence[str]) -> dict[str, object]:
    """Give a request: a system prompt, and one message of the user that holds these texts, each in a block."""
    return {
        "system": [_text_block(instructions)],
        "messages": [{"role": "user", "content": [_text_block(text) for text in texts]}],
    }


def merge(first: object, second: object) -> object:
    """Give one message of the user that holds what two of them hold, in order; but tool results come first."""
    contents = (fields(first, "first").get("content"), fields(second, "second").get("content"))
    blocks = merged_content(*contents, _text_block)
    assert isinstance(blocks, list)
    return with_field(second, "content", sorted(blocks, key=lambda block: "toolResult" not in block))


def with_result(message: object, block: int, text: str) -> object:
    """Give the message with a block of `text` as the content of one toolResult; its status stays."""
    content = fields(message, "message")["content"]
    result = with_field(content[block]["toolResult"], "content", [_text_block(text)])
    return with_field(message, "content", with_item(content, block, with_field(content[block], "toolResult", result)))


_API = "https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Message.html"
_TOOLS_PAGE = "https://docs.aws.amazon.com/bedrock/latest/userguide/tool-use-inference-call.html"

RULES = (
    Rule(checks.ROLE, "A role is user, assistant or system", _API),
    Rule(
        checks.FIRST,
        "The first message is the user's, and not a tool result",
        "https://github.com/elastic/kibana/pull/246393",
    ),
    Rule(
        checks.ALTERNATION,
        "Messages of the user and of the assistant alternate",
        "https://github.com/langchain-ai/langchain-aws/issues/192",
    ),
    Rule(checks.UNANSWERED, "Each toolUse has a toolResult in the next message", _TOOLS_PAGE),
    Rule(checks.ORPHAN, "A toolResult answers a toolUse of the message before it", _TOOLS_PAGE),
    Rule(checks.APART, "A toolResult is in the message directly after its toolUse", _TOOLS_PAGE),
    Rule(
        checks.THINKING_FIRST,
        "A tool loop with thinking begins with the thinking that began it",
        "https://docs.aws.amazon.com/bedrock/latest/userguide/claude-messages-extended-thinking.html",
    ),
    Rule(
        checks.THINKING_LAST,
        "A message of the assistant does not end with thinking",
        "https://github.com/tailcallhq/forgecode/issues/2107",
    ),
    Rule(
        checks.EMPTY,
        "A message has content, and no text in it or in a tool result is blank",
        "https://github.com/NousResearch/hermes-agent/issues/55092",
    ),
    Rule(
        "document-text",
        "A message with a document also has a text",
        "https://github.com/archestra-ai/archestra/pull/4220",
    ),
)


def check(messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
    """Find what the API refuses, by `RULES`."""
    pairs = pair(records)
    yield from checks.roles(records, ("user", "assistant", "system"))
    yield from checks.first(records)
    yield from checks.alternation(records)
    yield from checks.unanswered(records, pairs)
    yield from checks.orphans(records, pairs)
    yield from checks.not_next(records, pairs)
    yield from checks.thinking_first(records)
    yield from checks.thinking_last(records)
    yield from checks.blank(records)
    for index, record in enumerate(records):
        for part in record.parts:
            if part.kind == "tool_result" and any(not shown or shown.isspace() for shown in part.texts):
                yield Fault(index, checks.EMPTY, f"the result {part.call_id!r} is empty or blank")
        kinds = {part.kind for part in record.parts if part.call_id is None}
        if "document" in kinds and "text" not in kinds:
            yield Fault(index, "document-text", "the message has a document and no text")


def _blocks(content: object, path: str) -> list[Part]:
    if isinstance(content, str):
        return [Part("text", (content,))]
    if content is None:
        return []
    if not isinstance(content, list | tuple):
        raise wrong_type(content, path, "a list of blocks")
    parts: list[Part] = []
    for index, block in enumerate(content):
        parts += _block(fields(block, f"{path}[{index}]"), f"{path}[{index}]", index)
    return parts


def _block(named: Mapping[str, Any], path: str, index: int) -> list[Part]:
    shown = text(named, "text", path)
    if shown is not None:
        return [Part("text", (shown,))]
    parts: list[Part] = []
    for key, value in named.items():
        at = f"{path}.{key}"
        if key in _MARKERS or value is None:
            continue
        if key == "toolUse":
            parts.append(_call(fields(value, at), at))
        elif key == "toolResult":
            parts += _result(fields(value, at), at, index)
        elif key == "reasoningContent":
            parts.append(_thinking(fields(value, at), at))
        elif key == "image":
            parts.append(Part("image", (), anthropic.image_tokens(_size(value, at))))
        elif key == "document":
            parts.append(_document(fields(value, at), at))
        elif key == "json":
            parts.append(Part("text", json_texts(value, at)))
        else:
            texts, files = strings(value, at)
            kind: PartKind = "audio" if key in ("audio", "video") else "text"
            parts.append(Part(kind, texts, files * anthropic.image_tokens(None)))
    return parts


def _call(named: Mapping[str, Any], path: str) -> Part:
    name = text(named, "name", path)
    texts = (name or "", *json_texts(named.get("input"), f"{path}.input"))
    return Part("tool_call", texts, 0, text(named, "toolUseId", path), name, server=named.get("type") is not None)


def _result(named: Mapping[str, Any], path: str, index: int) -> list[Part]:
    """A result of a server tool is in a message of the assistant, and says its type."""
    inner = _blocks(named.get("content"), f"{path}.content")
    texts = tuple(shown for part in inner if part.kind == "text" for shown in part.texts)
    call_id = text(named, "toolUseId", path)
    server = named.get("type") is not None
    result = Part("tool_result", texts, 0, call_id, error=named.get("status") == "error", server=server)
    block = None if server else index
    return [part._replace(call_id=call_id, block=block) for part in (result, *inner) if part.kind != "text"]


def _thinking(named: Mapping[str, Any], path: str) -> Part:
    hidden = file_data(named, "redactedContent", path)
    if hidden is not None:
        return Part("thinking", (), ceil(len(hidden) / 4))
    inner = fields(named.get("reasoningText", {}), f"{path}.reasoningText")
    shown = text(inner, "text", f"{path}.reasoningText")
    return Part("thinking", () if shown is None else (shown,))


def _size(image: object, path: str) -> tuple[int, int] | None:
    source = fields(fields(image, path).get("source", {}), f"{path}.source")
    data = file_data(source, "bytes", f"{path}.source")
    return None if data is None else images.size_of(data)


def _document(named: Mapping[str, Any], path: str) -> Part:
    source = fields(named.get("source", {}), f"{path}.source")
    names = [shown for key in ("name", "context") if (shown := text(named, key, path))]
    data = file_data(source, "bytes", f"{path}.source")
    if data is None and ("text" in source or "content" in source):
        return Part("document", (*names, *strings(source, f"{path}.source")[0]))
    length = decoded_length(data or b"")
    return Part("document", tuple(names), max(1, ceil(length / anthropic.PAGE_BYTES)) * anthropic.PAGE_TOKENS)


def _text_block(text: str) -> dict[str, Any]:
    return {"text": text}
