"""OpenAI Chat Completions messages: what each sends, and what it costs beside its texts.

``arguments`` are texts like any other: never parsed, never written anew. Shapes: the API reference of "Create chat
completion", as of 2026-11-30. Framing: OpenAI Cookbook, "How to count tokens with tiktoken", which states it for gpt-4o
and gpt-4o-mini. A part or key that is not known is counted by all strings inside it, rather than as nothing.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any, cast

from ullage.errors import InvalidHistory
from ullage.formats import check as checks
from ullage.formats import images
from ullage.formats.base64_bytes import Base64Bytes, decoded_length
from ullage.formats.edit import content_with_text, merged_content, with_field
from ullage.formats.pairing import pair
from ullage.formats.record import (
    Fault,
    Part,
    PartKind,
    Record,
    Rule,
    fields,
    is_data_uri,
    strings,
    text,
    wrong_type,
)

NAME = "openai-chat"
ALTERNATES = False
THINKING_FIRST = False
MESSAGE_TOKENS = 3 + 1
"""Each message: three marks around it, and its role."""
NAME_TOKENS = 1
"""A message's name, beside the name itself."""
REQUEST_TOKENS = 3
"""The start of the reply, once a request."""
TOOL_TOKENS = 7
"""Each tool definition, beside its text."""
TOOLS_TOKENS = 12
"""All tool definitions together, beside each."""

AUDIO_TOKENS_PER_SECOND = 10
"""A token for each 100 ms of a user's sound: "Managing costs", developers.openai.com/api/docs/guides/realtime-costs."""
MP3_BYTES_PER_SECOND = 16_000
"""128 kbit/s, the usual rate; an mp3 file does not say how long it is."""
PAGE_BYTES = 50_000
PAGE_TOKENS = 1_500
"""A page of a file costs its text and its image. No formula is published: this is a page in 50 kB, of some 700 tokens
of text and 765 of image."""

_PLAIN = frozenset({"role", "content", "tool_call_id"})
_TEXTS = frozenset({"name", "refusal"})
_THINKING = frozenset({"reasoning_content", "reasoning"})
_CALLS = ("function", "custom")
_CALL_TEXTS = ("name", "arguments", "input")
_NOT_SENT = frozenset({"cache_control"})


def read(message: object, path: str) -> Record:
    """Give the record of one message.

    Args:
        message: a dict, or an object of the openai package.
        path: names the message in errors, such as ``messages[3]``.

    Raises:
        TypeError: when a value is of a wrong type (its path is named).
        InvalidHistory: when there is no role.
    """
    named = message if type(message) is dict else fields(message, path)
    role = text(named, "role", path)
    if role is None:
        raise InvalidHistory(f"{path}.role", "a message has a role")
    answers = role in ("tool", "function")
    call_id = text(named, "tool_call_id", path)
    content = named.get("content")
    kind: PartKind = "tool_result" if answers else "text"
    parts: list[Part]
    if isinstance(content, str):
        parts = [Part(kind, (content,), 0, call_id)]
    elif content is None:
        parts = [Part(kind, (), 0, call_id)] if answers else []
    else:
        parts = _content(content, f"{path}.content", kind, call_id)
    frame = MESSAGE_TOKENS
    if not named.keys() <= _PLAIN:
        if named.get("name") is not None:
            frame += NAME_TOKENS
        _beside_content(named, path, kind, parts)
    if answers:
        parts = _as_result(parts, call_id, text(named, "name", path))
    return Record(role, tuple(parts), frame)


def tools(definitions: Sequence[object]) -> Part:
    """Give tool definitions as one part: the JSON of each, without spaces, and its framing.

    Raises:
        TypeError: when a definition is not made of what JSON has.
        InvalidHistory: when a definition nests too deep or holds itself.
    """
    from json import dumps  # costs a millisecond of import, and few processes have tools to count

    texts = []
    for index, definition in enumerate(definitions):
        try:
            texts.append(dumps(definition, ensure_ascii=False, separators=(",", ":")))
        except TypeError as error:
            raise TypeError(f"tools[{index}] must be a JSON schema in dicts and lists: {error}") from None
        except (ValueError, RecursionError) as error:
            raise InvalidHistory(f"tools[{index}]", f"a definition must be JSON: {error}") from None
    return Part("text", tuple(texts), TOOLS_TOKENS + TOOL_TOKENS * len(texts) if texts else 0)


def system(prompt: object) -> Record:
    """Give the record of a system prompt: the same as a message of the system."""
    return read({"role": "system", "content": prompt}, "system")


def note(text: str, like: object) -> dict[str, Any]:
    """Give a message of the user that holds `text`: a dict, which the package takes beside its own objects."""
    return {"role": "user", "content": text}


def ask(instructions: str, texts: Sequence[str]) -> dict[str, object]:
    """Give a request: a system prompt, and one message of the user that holds these texts, each in a block."""
    return {
        "messages": [
            {"role": "system", "content": instructions},
            {"role": "user", "content": [_text_part(text) for text in texts]},
        ]
    }


def merge(first: object, second: object) -> object:
    """Give one message of the user that holds what two of them hold, in order."""
    contents = (fields(first, "first").get("content"), fields(second, "second").get("content"))
    return with_field(second, "content", merged_content(*contents, _text_part))


def with_result(message: object, block: int, text: str) -> object:
    """Give the tool message with `text` as its content: a string, or one part where it was a list."""
    content = fields(message, "message").get("content")
    return with_field(message, "content", content_with_text(content, text, _text_part))


RULES = (
    Rule(
        checks.ROLE, "A role is one of those that the API knows", "https://platform.openai.com/docs/api-reference/chat"
    ),
    Rule(
        checks.UNANSWERED,
        "Each call of an assistant message has a tool message among those that follow it directly",
        "https://github.com/evalstate/fast-agent/issues/314",
    ),
    Rule(
        checks.ORPHAN,
        "A tool message answers a call that was made before it and has no other result",
        "https://github.com/FoundationAgents/OpenManus/issues/744",
    ),
    Rule(
        checks.APART,
        "Between a call and its result there are only other tool messages",
        "https://github.com/FoundationAgents/OpenManus/issues/744",
    ),
    Rule(
        "result-id",
        "A tool message names the call that it answers",
        "https://platform.openai.com/docs/api-reference/chat",
    ),
    Rule(
        checks.EMPTY,
        "A message has content, unless it is the assistant's and calls a tool; a list of parts is not empty",
        "https://platform.openai.com/docs/api-reference/chat",
    ),
    Rule("empty-calls", "A list of calls is not empty", "https://github.com/openai/openai-node/pull/1341"),
    Rule(
        checks.THINKING_ALONE,
        "A message of the assistant has content or calls beside its thinking",
        "https://platform.openai.com/docs/api-reference/chat",
    ),
)


def check(messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
    """Find what the API refuses, by `RULES`."""
    pairs = pair(records)
    yield from checks.roles(records, ("system", "developer", "user", "assistant", "tool", "function"))
    yield from checks.unanswered(records, pairs)
    yield from checks.orphans(records, pairs)
    yield from checks.apart(records, pairs, lambda record: record.role in ("tool", "function"))
    yield from checks.thinking_alone(records)
    for index, record in enumerate(records):
        if record.role == "tool" and record.parts[0].call_id is None:
            yield Fault(index, "result-id", "the tool message has no tool_call_id")
        if fields(messages[index], f"messages[{index}]").get("tool_calls") == []:
            yield Fault(index, "empty-calls", "the list of calls is empty")
        if not record.parts:
            yield Fault(index, checks.EMPTY, "the message has no content")
        elif any(part.kind == "text" and not part.texts and not part.tokens for part in record.parts):
            yield Fault(index, checks.EMPTY, "the list of parts is empty")


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "text", "text": text}


def _as_result(parts: list[Part], call_id: str | None, name: str | None) -> list[Part]:
    """The parts of a tool message, one of which is the result even where all it holds is an image."""
    if "tool_result" not in [part.kind for part in parts]:
        parts.insert(0, Part("tool_result", ()))
    return [Part(part.kind, part.texts, part.tokens, call_id, name, block=0) for part in parts]


def _beside_content(named: Mapping[str, Any], path: str, kind: PartKind, parts: list[Part]) -> None:
    """Add the parts that are not content."""
    for key, value in tuple(named.items()):  # in one step, for another thread may change the message meanwhile
        if value is None or key in _PLAIN or key in _NOT_SENT:
            continue
        if key == "tool_calls":
            if not isinstance(value, list | tuple):
                raise wrong_type(value, f"{path}.tool_calls", "a list of calls")
            parts.extend([_call(call, f"{path}.tool_calls[{index}]") for index, call in enumerate(value)])
        elif key == "function_call":
            parts.append(_function(value, f"{path}.function_call", None))
        elif key in _TEXTS:
            parts.append(Part(kind, (cast(str, text(named, key, path)),)))
        elif key in _THINKING:
            parts.insert(0, _unknown(value, f"{path}.{key}", "thinking", None))
        elif key == "audio":
            # Sound of an earlier reply is sent by its id; what it says is in the transcript.
            transcript = text(fields(value, f"{path}.audio"), "transcript", f"{path}.audio")
            parts.append(Part("audio", () if transcript is None else (transcript,)))
        else:
            part = _unknown(value, f"{path}.{key}", "text", None)
            if part.texts or part.tokens:
                parts.append(part)


def _call(call: object, path: str) -> Part:
    named = call if type(call) is dict else fields(call, path)
    call_id = text(named, "id", path)
    for form in _CALLS:
        if (called := named.get(form)) is not None:
            return _function(called, f"{path}.{form}", call_id)
    others = {key: value for key, value in named.items() if key not in ("id", "type")}
    return _unknown(others, path, "tool_call", call_id)


def _function(function: object, path: str, call_id: str | None) -> Part:
    named = function if type(function) is dict else fields(function, path)
    texts = [text(named, key, path) for key in _CALL_TEXTS]
    return Part("tool_call", tuple([value for value in texts if value is not None]), 0, call_id, texts[0])


def _content(content: object, path: str, kind: PartKind, call_id: str | None) -> list[Part]:
    if not isinstance(content, list | tuple):
        raise wrong_type(content, path, "str or a list of parts")
    parts = [_part(part, f"{path}[{index}]", kind, call_id) for index, part in enumerate(content)]
    return parts or [Part(kind, (), 0, call_id)]


def _part(part: object, path: str, kind: PartKind, call_id: str | None) -> Part:
    if isinstance(part, str):
        return Part(kind, (part,), 0, call_id)
    named = fields(part, path)
    form = named.get("type")
    if form in ("text", "refusal") and named.get(form) is not None:
        return Part(kind, (cast(str, text(named, form, path)),), 0, call_id)
    if form == "image_url" and named.get(form) is not None:
        return Part("image", (), _image_tokens(named[form], f"{path}.{form}"), call_id)
    if form == "input_audio" and named.get(form) is not None:
        return Part("audio", (), _audio_tokens(fields(named[form], f"{path}.{form}"), f"{path}.{form}"), call_id)
    if form == "file" and named.get(form) is not None:
        return _file(fields(named[form], f"{path}.{form}"), f"{path}.{form}", call_id)
    others = {key: value for key, value in named.items() if key != "type" and key not in _NOT_SENT}
    unknown = _unknown(others, path, kind, call_id)
    if not unknown.tokens:
        return unknown
    return unknown._replace(kind="image" if isinstance(form, str) and "image" in form else "document")


def _unknown(value: object, path: str, kind: PartKind, call_id: str | None) -> Part:
    """All strings of a value whose shape is not known; each file in it costs as much as an image of unknown size."""
    texts, files = strings(value, path)
    return Part(kind, texts, files * images.tokens(None), call_id)


def _image_tokens(image: object, path: str) -> int:
    if isinstance(image, str):  # not what the API takes, but what gateways do
        image = {"url": image}
    named = fields(image, path)
    url = text(named, "url", path) or ""
    return images.tokens(images.size_of_data_uri(url) if is_data_uri(url) else None, named.get("detail"))


def _audio_tokens(named: Mapping[str, Any], path: str) -> int:
    data = text(named, "data", path) or ""
    rate = MP3_BYTES_PER_SECOND
    if named.get("format") == "wav":
        rate = _wav_bytes_per_second(data) or rate
    return ceil(decoded_length(data) / rate * AUDIO_TOKENS_PER_SECOND)


def _wav_bytes_per_second(data: str) -> int | None:
    """From the header as it is nearly always written (RIFF, then the format chunk); None where it is not."""
    file = Base64Bytes(data)
    try:
        return file.little(28, 4) if file.read(8, 8) == b"WAVEfmt " else None
    except ValueError:
        return None


def _file(named: Mapping[str, Any], path: str, call_id: str | None) -> Part:
    pages = max(1, ceil(decoded_length(text(named, "file_data", path) or "") / PAGE_BYTES))
    name = text(named, "filename", path)
    return Part("document", () if name is None else (name,), pages * PAGE_TOKENS, call_id)
