"""pydantic-ai messages: requests and responses of parts, as the package's objects or as the dicts of its JSON.

``instructions`` of a request are not counted with it: of all requests of a history, only the last one's are sent, and
they are a system prompt. What the model is, and so what an image costs or what the API refuses, is not known here:
images are taken at OpenAI's cost. Shapes: pydantic-ai 2, as of 2026-11-30.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from ullage.errors import InvalidHistory
from ullage.formats import check as checks
from ullage.formats import images, openai_chat
from ullage.formats.base64_bytes import decoded_length
from ullage.formats.edit import sibling, with_field, with_item
from ullage.formats.json_text import definitions_texts, json_texts
from ullage.formats.pairing import pair
from ullage.formats.record import Fault, Part, PartKind, Record, Rule, fields, file_data, items, speaker, strings, text

NAME = "pydantic-ai"
ALTERNATES = False
THINKING_FIRST = True
MESSAGE_TOKENS = openai_chat.MESSAGE_TOKENS
REQUEST_TOKENS = openai_chat.REQUEST_TOKENS

_TEXTS = frozenset({"user-prompt", "system-prompt", "text", "instruction", "retry-feedback"})
_CALLS = {"tool-call": False, "builtin-tool-call": True}
_FILES: dict[str, PartKind] = {
    "image-url": "image",
    "audio-url": "audio",
    "video-url": "audio",
    "document-url": "document",
    "uploaded-file": "document",
}
_NOT_SENT = frozenset({"part_kind", "kind", "timestamp", "metadata", "id", "provider_name", "provider_details"})


def read(message: object, path: str) -> Record:
    """Give the record of one message. The role of a request is that of what it holds: system, user or tool.

    Args:
        message: an object of pydantic-ai, or a dict of its JSON.
        path: names the message in errors, such as ``messages[3]``.

    Raises:
        TypeError: when a value is of a wrong type (its path is named).
        InvalidHistory: when its kind is neither "request" nor "response".
    """
    named = fields(message, path)
    kind = text(named, "kind", path)
    if kind not in ("request", "response"):
        raise InvalidHistory(f"{path}.kind", 'a message is a "request" or a "response"')
    given = items(named, "parts", path)
    parts: list[Part] = []
    prompts = 0
    for index, part in enumerate(given):
        at = f"{path}.parts[{index}]"
        inner = fields(part, at)
        prompts += inner.get("part_kind") == "system-prompt"
        parts += _part(inner, at, index)
    role = "assistant" if kind == "response" else "system" if prompts and prompts == len(given) else "request"
    record = Record(role, tuple(parts), MESSAGE_TOKENS)
    return record._replace(role=speaker(record)) if role == "request" else record


def tools(definitions: Sequence[object]) -> Part:
    """Give tool definitions as one part: the JSON of each, and its framing."""
    count = len(definitions)
    frame = openai_chat.TOOLS_TOKENS + openai_chat.TOOL_TOKENS * count if count else 0
    return Part("text", definitions_texts(definitions), frame)


def system(prompt: object) -> Record:
    """Give the record of instructions: a string, or a list of them."""
    return Record("system", (Part("text", strings(prompt, "system")[0]),), MESSAGE_TOKENS)


def note(text: str, like: object) -> object:
    """Give a request of the user that holds `text`: an object where `like` is one, and otherwise a dict."""
    request = sibling(like, "pydantic_ai.messages", "ModelRequest")
    prompt = sibling(like, "pydantic_ai.messages", "UserPromptPart")
    if request is None or prompt is None:
        return {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text}]}
    return request(parts=[prompt(content=text)])


def ask(instructions: str, texts: Sequence[str]) -> dict[str, object]:
    """Give a request: a system prompt, and one message of the user that holds these texts, each in a block."""
    return {
        "instructions": instructions,
        "messages": [{"kind": "request", "parts": [{"part_kind": "user-prompt", "content": text} for text in texts]}],
    }


def merge(first: object, second: object) -> object:
    """Give one request that holds what two of them hold, in order."""
    parts = [*(fields(first, "first").get("parts") or ()), *(fields(second, "second").get("parts") or ())]
    return with_field(second, "parts", parts)


def with_result(message: object, block: int, text: str) -> object:
    """Give the request with `text` as the content of one tool return or retry prompt."""
    parts = fields(message, "message")["parts"]
    return with_field(message, "parts", with_item(parts, block, with_field(parts[block], "content", text)))


_PAGE = "https://ai.pydantic.dev/message-history/"

RULES = (
    Rule(
        checks.FIRST,
        "The first message is a request, and not only of tool returns",
        "https://github.com/pydantic/pydantic-ai/issues/2050",
    ),
    Rule(
        checks.UNANSWERED,
        "Each tool call has a tool return or a retry prompt before the next response",
        "https://github.com/pydantic/pydantic-ai/issues/4728",
    ),
    Rule(checks.ORPHAN, "A tool return answers a tool call of the response before it", _PAGE),
    Rule(checks.APART, "Tool returns are in the requests directly after their response", _PAGE),
    Rule(
        checks.THINKING_ALONE,
        "A response has text or calls beside its thinking",
        "https://github.com/tailcallhq/forgecode/issues/2107",
    ),
)


def check(messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
    """Find what no provider takes, by `RULES`."""
    pairs = pair(records)
    yield from checks.first(records)
    yield from checks.unanswered(records, pairs)
    yield from checks.orphans(records, pairs)
    yield from checks.apart_by_turn(records, pairs)
    yield from checks.thinking_alone(records)


def _part(named: Mapping[str, Any], path: str, index: int) -> list[Part]:
    form = text(named, "part_kind", path) or ""
    content = named.get("content")
    at = f"{path}.content"
    if form in _TEXTS:
        return _content(content, at)
    if form == "thinking":
        return [Part("thinking", () if content is None else (text(named, "content", path) or "",))]
    if form in _CALLS:
        given = named.get("args")
        name = text(named, "tool_name", path)
        texts = (given,) if isinstance(given, str) else () if given is None else json_texts(given, f"{path}.args")
        return [
            Part("tool_call", (name or "", *texts), 0, text(named, "tool_call_id", path), name, server=_CALLS[form])
        ]
    if form in ("tool-return", "builtin-tool-return"):
        return _result(named, path, None if form != "tool-return" or named.get("tool_kind") else index)
    if form == "retry-prompt":
        if named.get("tool_name") is None:
            return _content(content, at)
        return [part._replace(error=True) for part in _result(named, path, index)]
    if form == "file":
        return _content([content], at)
    texts, files = strings({key: value for key, value in named.items() if key not in _NOT_SENT}, path)
    return [Part("text", texts, files * images.tokens(None))] if texts or files else []


def _result(named: Mapping[str, Any], path: str, block: int | None) -> list[Part]:
    call_id, name = text(named, "tool_call_id", path), text(named, "tool_name", path)
    content = named.get("content")
    items = content if isinstance(content, list | tuple) else [content]
    texts: list[str] = []
    parts: list[Part] = []
    for index, item in enumerate(items):
        if isinstance(item, str):
            texts.append(item)
        elif item is not None and _kind(item) is None:
            texts += json_texts(item, f"{path}.content[{index}]")
        elif item is not None:
            parts += _content([item], f"{path}.content")
    error = named.get("outcome", "success") != "success"
    server = named.get("part_kind") == "builtin-tool-return"
    return [
        part._replace(call_id=call_id, name=name, error=error, server=server, block=block)
        for part in (Part("tool_result", tuple(texts)), *parts)
    ]


def _content(content: object, path: str) -> list[Part]:
    if isinstance(content, str):
        return [Part("text", (content,))]
    if content is None:
        return []
    parts: list[Part] = []
    for index, item in enumerate(content if isinstance(content, list | tuple) else [content]):
        at = f"{path}[{index}]"
        kind = None if isinstance(item, str) else _kind(item)
        if isinstance(item, str):
            parts.append(Part("text", (item,)))
        elif kind in _FILES:
            parts.append(Part(_FILES[kind], (), images.tokens(None)))
        elif kind == "binary":
            parts.append(_binary(fields(item, at), at))
        elif kind == "text-content":
            parts.append(Part("text", (text(fields(item, at), "content", at) or "",)))
        elif kind != "cache-point":
            parts.append(Part("text", json_texts(item, at)))
    return parts


def _kind(item: object) -> str | None:
    """What a file or a marker among contents says it is; None for a value of the application."""
    kind = item.get("kind") if isinstance(item, dict) else getattr(item, "kind", None)
    known = isinstance(kind, str) and (kind in _FILES or kind in ("binary", "text-content", "cache-point"))
    return kind if known else None


def _binary(named: Mapping[str, Any], path: str) -> Part:
    data, media = file_data(named, "data", path) or b"", text(named, "media_type", path) or ""
    if media.startswith("image/"):
        return Part("image", (), images.tokens(images.size_of(data)))
    if media.startswith(("audio/", "video/")):
        seconds = decoded_length(data) / openai_chat.MP3_BYTES_PER_SECOND
        return Part("audio", (), ceil(seconds * openai_chat.AUDIO_TOKENS_PER_SECOND))
    return Part("document", (), max(1, ceil(decoded_length(data) / openai_chat.PAGE_BYTES)) * openai_chat.PAGE_TOKENS)
