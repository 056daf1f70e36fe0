"""Gemini contents: parts that are named by their key, in camel or snake case, and calls that may carry no id.

Shapes: "Content" and "Part", ai.google.dev/api/caching, and the types of the google-genai package, as of 2026-11-30. A
message's framing is not published; it is taken to be what OpenAI states for its own. A part that is not known is
counted by all strings inside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any

from ullage.formats import check as checks
from ullage.formats import images
from ullage.formats.base64_bytes import decoded_length
from ullage.formats.edit import sibling, with_field, with_item
from ullage.formats.json_text import definitions_texts, json_texts
from ullage.formats.pairing import pair
from ullage.formats.record import Fault, Part, PartKind, Record, Rule, fields, file_data, items, speaker, strings, text

NAME = "gemini"
ALTERNATES = False
THINKING_FIRST = False
MESSAGE_TOKENS = 4
REQUEST_TOKENS = 0

TILE_TOKENS = 258
SMALL_SIDE = 384
"""An image of up to 384 pixels a side costs 258 tokens, and a larger one 258 for each tile. A tile's side is two thirds
of the shorter side, between 256 and 768: "Image understanding", ai.google.dev/gemini-api/docs/image-understanding."""
PAGE_BYTES = 50_000
"""A page costs 258 tokens: ai.google.dev/gemini-api/docs/document-processing. A page is taken for 50 kB."""
AUDIO_TOKENS_PER_SECOND = 32
VIDEO_TOKENS_PER_SECOND = 263
"""Sound and moving pictures: "Token counting", ai.google.dev/gemini-api/docs/tokens."""
AUDIO_BYTES_PER_SECOND = 16_000
VIDEO_BYTES_PER_SECOND = 250_000
"""128 kbit/s and 2 Mbit/s, the usual rates; how long a file plays is not read."""
DEFAULT_SECONDS = 60

_NOT_SENT = frozenset({"thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata"})


def image_tokens(size: tuple[int, int] | None) -> int:
    """Tokens of an image of that width and height in pixels; None where they are not known.

    >>> image_tokens((384, 384)), image_tokens((960, 540))
    (258, 1548)
    """
    width, height = size or images.DEFAULT_SIZE
    if max(width, height) <= SMALL_SIDE:
        return TILE_TOKENS
    tile = min(max(min(width, height) * 2 // 3, 256), 768)
    return TILE_TOKENS * ceil(width / tile) * ceil(height / tile)


def read(message: object, path: str) -> Record:
    """Give the record of one content. One without a role is the user's.

    Raises:
        TypeError: when a value is of a wrong type (its path is named).
    """
    named = fields(message, path)
    found: list[Part] = []
    for index, part in enumerate(items(named, "parts", path)):
        at = f"{path}.parts[{index}]"
        found += [Part("text", (part,))] if isinstance(part, str) else _part(fields(part, at), at, index)
    return Record(text(named, "role", path) or "user", tuple(found), MESSAGE_TOKENS)


def tools(definitions: Sequence[object]) -> Part:
    """Give tool definitions as one part: the JSON of each."""
    return Part("text", definitions_texts(definitions))


def system(prompt: object) -> Record:
    """Give the record of a system instruction: a content, or a string."""
    content = {"parts": [{"text": prompt}]} if isinstance(prompt, str) else prompt
    return read(content, "system")._replace(role="system", frame=0)


def note(text: str, like: object) -> object:
    """Give a content of the user that holds `text`: a dict, or an object of the google-genai package."""
    content = {"role": "user", "parts": [{"text": text}]}
    native = sibling(like, "google.genai.types", "Content")
    return content if native is None else native(**content)


def ask(instructions: str, texts: Sequence[str]) -> dict[str, object]:
    """Give a request: a system prompt, and one message of the user that holds these texts, each in a block."""
    return {
        "systemInstruction": {"parts": [{"text": instructions}]},
        "contents": [{"role": "user", "parts": [{"text": text} for text in texts]}],
    }


def merge(first: object, second: object) -> object:
    """Give one content of the user that holds what two of them hold, in order; but function responses come first."""
    parts = [*(fields(first, "first").get("parts") or ()), *(fields(second, "second").get("parts") or ())]
    return with_field(second, "parts", sorted(parts, key=lambda part: _response_key(part) is None))


def with_result(message: object, block: int, text: str) -> object:
    """Give the content with `text` as one function response: under "error" where that is what it reported.

    Otherwise it is under "output" where it was, or else under "result". Files in the response leave with the rest.
    """
    parts = fields(message, "message")["parts"]
    key = _response_key(parts[block])
    assert key is not None, f"part {block} is not a function response"
    response = fields(parts[block], "part")[key]
    before = fields(response, "response").get("response") or {}
    name = next((name for name in ("error", "output") if name in before), "result")
    changed = with_field(response, "response", {name: text})
    if fields(response, "response").get("parts"):
        changed = with_field(changed, "parts", None)
    return with_field(message, "parts", with_item(parts, block, with_field(parts[block], key, changed)))


_CALLING = "https://ai.google.dev/gemini-api/docs/function-calling"

RULES = (
    Rule(checks.ROLE, "A role is user or model", "https://ai.google.dev/api/caching#Content"),
    Rule(
        checks.FIRST,
        "The first content is the user's, and not a function response",
        "https://github.com/google-gemini/gemini-cli/issues/11814",
    ),
    Rule(
        "call-turn",
        "A function call comes directly after a content of the user or a function response",
        "https://github.com/google-gemini/gemini-cli/issues/11814",
    ),
    Rule(checks.UNANSWERED, "Each function call has a function response in the next content", _CALLING),
    Rule(
        checks.ORPHAN,
        "A function response answers a function call of the content before it",
        "https://github.com/langchain-ai/langchain/issues/27799",
    ),
    Rule(
        checks.APART,
        "All function responses are in the content directly after their calls",
        "https://github.com/langchain-ai/langchain/issues/27799",
    ),
    Rule(
        "thought-signature",
        "In the current turn, the first function call of each step has its thought signature",
        "https://ai.google.dev/gemini-api/docs/thought-signatures",
    ),
    Rule(checks.EMPTY, "A content has parts, and no text in it is empty", "https://ai.google.dev/api/caching#Content"),
)


def check(messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
    """Find what the API refuses, by `RULES`."""
    pairs = pair(records)
    yield from checks.roles(records, ("user", "model", "function", "tool"))
    yield from checks.first(records)
    yield from checks.unanswered(records, pairs)
    yield from checks.orphans(records, pairs)
    yield from checks.not_next(records, pairs)
    yield from checks.blank(records, empty_only=True)
    for index, record in enumerate(records):
        calls = any(part.kind == "tool_call" and not part.server for part in record.parts)
        if calls and index and speaker(records[index - 1]) == "assistant":
            yield Fault(index, "call-turn", "the function call follows a content of the model")
    yield from _unsigned(messages, records)


def _unsigned(messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
    """Steps of the current turn that lack a signature which another step has."""
    start = max((index for index, record in enumerate(records) if speaker(record) == "user"), default=-1) + 1
    signed: dict[int, bool] = {}
    for index in range(start, len(records)):
        for part in fields(messages[index], "content").get("parts") or ():
            named = {} if isinstance(part, str) else fields(part, "part")
            if _get(named, "functionCall", "function_call") is not None:
                signed[index] = _get(named, "thoughtSignature", "thought_signature") is not None
                break
    if any(signed.values()):
        for index, is_signed in signed.items():
            if not is_signed:
                yield Fault(index, "thought-signature", "the first function call has no thought signature")


def _get(named: Mapping[str, Any], camel: str, snake: str) -> Any:  # noqa: ANN401
    value = named.get(camel)
    return named.get(snake) if value is None else value


def _response_key(part: object) -> str | None:
    if isinstance(part, str):
        return None
    named = fields(part, "part")
    return next((key for key in ("functionResponse", "function_response") if named.get(key) is not None), None)


def _part(named: Mapping[str, Any], path: str, index: int) -> list[Part]:
    shown = text(named, "text", path)
    if shown is not None:
        signature = _get(named, "thoughtSignature", "thought_signature")
        thinks = named.get("thought") is True or (not shown and signature is not None)
        return [Part("thinking" if thinks else "text", (shown,))]
    for camel, snake, server in (("functionCall", "function_call", False), ("toolCall", "tool_call", True)):
        if (call := _get(named, camel, snake)) is not None:
            return [_call(fields(call, f"{path}.{camel}"), f"{path}.{camel}", server=server)]
    for camel, snake, server in (
        ("functionResponse", "function_response", False),
        ("toolResponse", "tool_response", True),
    ):
        if (response := _get(named, camel, snake)) is not None:
            return _result(fields(response, f"{path}.{camel}"), f"{path}.{camel}", None if server else index)
    for camel, snake in (("inlineData", "inline_data"), ("fileData", "file_data")):
        if (file := _get(named, camel, snake)) is not None:
            return [_file(fields(file, f"{path}.{camel}"), f"{path}.{camel}")]
    if (code := _get(named, "executableCode", "executable_code")) is not None:
        return [_code(fields(code, path), path, "tool_call")]
    if (output := _get(named, "codeExecutionResult", "code_execution_result")) is not None:
        return [_code(fields(output, path), path, "tool_result")]
    texts, files = strings({key: value for key, value in named.items() if key not in _NOT_SENT}, path)
    return [Part("text", texts, files * image_tokens(None))] if texts or files else []


def _call(named: Mapping[str, Any], path: str, *, server: bool) -> Part:
    name = text(named, "name", path)
    texts = (name or "", *json_texts(named.get("args") or {}, f"{path}.args"))
    return Part("tool_call", texts, 0, text(named, "id", path), name, server=server)


def _result(named: Mapping[str, Any], path: str, block: int | None) -> list[Part]:
    call_id, name = text(named, "id", path), text(named, "name", path)
    response = named.get("response") or {}
    texts = (name or "", *json_texts(response, f"{path}.response"))
    error = isinstance(response, dict) and "error" in response
    result = Part("tool_result", texts, 0, call_id, name, error, server=block is None, block=block)
    parts = [result]
    for index, part in enumerate(items(named, "parts", path)):
        at = f"{path}.parts[{index}]"
        file = _get(fields(part, at), "inlineData", "inline_data") or _get(fields(part, at), "fileData", "file_data")
        if file is not None:
            parts.append(
                _file(fields(file, at), at)._replace(kind="tool_result", call_id=call_id, name=name, block=block)
            )
    return parts


def _code(named: Mapping[str, Any], path: str, kind: PartKind) -> Part:
    texts = tuple(shown for key in ("code", "output") if (shown := text(named, key, path)) is not None)
    return Part(kind, texts, 0, text(named, "id", path), "code_execution", server=True)


def _file(named: Mapping[str, Any], path: str) -> Part:
    mime = text(named, "mimeType", path) or text(named, "mime_type", path) or ""
    data = file_data(named, "data", path)
    length = None if data is None else decoded_length(data)
    if mime.startswith("image/"):
        return Part("image", (), image_tokens(None if data is None else images.size_of(data)))
    if mime.startswith(("audio/", "video/")):
        sound = mime.startswith("audio/")
        rate = AUDIO_BYTES_PER_SECOND if sound else VIDEO_BYTES_PER_SECOND
        seconds = DEFAULT_SECONDS if length is None else length / rate
        return Part("audio", (), ceil(seconds * (AUDIO_TOKENS_PER_SECOND if sound else VIDEO_TOKENS_PER_SECOND)))
    return Part("document", (), max(1, ceil((length or 0) / PAGE_BYTES)) * TILE_TOKENS)
