"""OpenAI Responses input: a list of items, each of which counts as one message; calls and reasoning are items too.

``arguments`` are texts like any other: never parsed, never written anew. Shapes: "Create a model response",
platform.openai.com/docs/api-reference/responses, and the types of the openai package, as of 2026-11-30. Framing is that
of Chat Completions. An item that is not known is counted by all strings inside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Any, NamedTuple

from ullage.formats import check as checks
from ullage.formats import images, openai_chat
from ullage.formats.base64_bytes import decoded_length
from ullage.formats.edit import content_with_text, merged_content, with_field
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
    speaker,
    strings,
    text,
    wrong_type,
)

NAME = "openai-responses"
ALTERNATES = False
THINKING_FIRST = False
MESSAGE_TOKENS = openai_chat.MESSAGE_TOKENS
REQUEST_TOKENS = openai_chat.REQUEST_TOKENS

ENCRYPTED_TOKENS = 3 / 16
"""A character of encrypted reasoning: base64 of a text of four bytes a token. No figure is published."""


class _Call(NamedTuple):
    """A kind of call: the keys of what the model wrote, and whether the provider runs it and has its output inside."""

    texts: tuple[str, ...]
    server: bool = False
    alone: bool = False


_CALLS = {
    "function_call": _Call(("name", "arguments")),
    "custom_tool_call": _Call(("name", "input")),
    "computer_call": _Call(("action", "actions")),
    "local_shell_call": _Call(("action",)),
    "shell_call": _Call(("action",)),
    "apply_patch_call": _Call(("operation",)),
    "tool_search_call": _Call(("arguments",)),
    "program": _Call(("code",), server=True),
    "mcp_approval_request": _Call(("name", "arguments"), server=True),
    "mcp_call": _Call(("name", "arguments", "output", "error"), server=True, alone=True),
    "web_search_call": _Call(("action",), server=True, alone=True),
    "file_search_call": _Call(("queries", "results"), server=True, alone=True),
    "code_interpreter_call": _Call(("code", "outputs"), server=True, alone=True),
    "image_generation_call": _Call(("revised_prompt",), server=True, alone=True),
    "mcp_list_tools": _Call(("tools",), server=True, alone=True),
}
_TEXT_OUTPUTS = frozenset(
    {"function_call_output", "custom_tool_call_output", "local_shell_call_output", "apply_patch_call_output"}
)
_OUTPUTS = {*_TEXT_OUTPUTS, "shell_call_output", "computer_call_output", "tool_search_output", "program_output"}
_ROLES = {
    "additional_tools": "developer",
    "configuration_update": "developer",
    "compaction": "user",
    "compaction_trigger": "user",
}
_PARTS = ("input_text", "output_text", "text", "summary_text", "reasoning_text", "refusal")


def read(message: object, path: str) -> Record:
    """Give the record of one item. Its role is its own, or stands for who made it.

    Args:
        message: a dict, or an object of the openai package.
        path: names the item in errors, such as ``messages[3]``.

    Raises:
        TypeError: when a value is of a wrong type (its path is named).
    """
    named = fields(message, path)
    form, role = text(named, "type", path), text(named, "role", path)
    if form == "message" or (form is None and role is not None):
        return Record(role or "user", tuple(_content(named.get("content"), f"{path}.content", "text")), MESSAGE_TOKENS)
    if form in _CALLS:
        return Record("assistant", tuple(_call(named, path, form)), MESSAGE_TOKENS)
    if form in _OUTPUTS:
        return Record(
            "assistant" if form == "program_output" else "tool", tuple(_output(named, path, form)), MESSAGE_TOKENS
        )
    if form == "mcp_approval_response":
        call_id = text(named, "approval_request_id", path)
        return Record("user", (Part("tool_result", (), 1, call_id, server=True),), MESSAGE_TOKENS)
    if form == "reasoning":
        return Record("assistant", (_reasoning(named, path),), MESSAGE_TOKENS)
    if form in (None, "item_reference"):
        return Record("assistant", (), 0)
    hidden = text(named, "encrypted_content", path)
    texts, files = strings(
        {key: value for key, value in named.items() if key not in ("type", "id", "encrypted_content")}, path
    )
    part = Part("text", texts, files * images.tokens(None) + _encrypted_tokens(hidden))
    return Record(_ROLES.get(form or "", role or "assistant"), (part,), MESSAGE_TOKENS)


def tools(definitions: Sequence[object]) -> Part:
    """Give tool definitions as one part: the JSON of each, and its framing."""
    count = len(definitions)
    frame = openai_chat.TOOLS_TOKENS + openai_chat.TOOL_TOKENS * count if count else 0
    return Part("text", definitions_texts(definitions), frame)


def system(prompt: object) -> Record:
    """Give the record of ``instructions``: the same as a message of the system."""
    return read({"role": "system", "content": prompt}, "instructions")


def note(text: str, like: object) -> dict[str, Any]:
    """Give a message of the user that holds `text`: a dict, which the package takes beside its own objects."""
    return {"role": "user", "content": text}


def ask(instructions: str, texts: Sequence[str]) -> dict[str, object]:
    """Give a request: a system prompt, and one message of the user that holds these texts, each in a block."""
    return {
        "instructions": instructions,
        "input": [{"type": "message", "role": "user", "content": [_text_part(text) for text in texts]}],
    }


def merge(first: object, second: object) -> object:
    """Give one message of the user that holds what two of them hold, in order."""
    contents = (fields(first, "first").get("content"), fields(second, "second").get("content"))
    return with_field(second, "content", merged_content(*contents, _text_part))


def with_result(message: object, block: int, text: str) -> object:
    """Give the output item with `text` as its output: a string, one part, or the output of one shell command."""
    named = fields(message, "item")
    output = named.get("output")
    if named.get("type") == "shell_call_output":
        outcomes = [fields(command, "command").get("outcome") for command in output or ()]
        outcome = outcomes[-1] if outcomes else {"type": "exit", "exit_code": 0}
        return with_field(message, "output", [{"stdout": text, "stderr": "", "outcome": outcome}])
    return with_field(message, "output", content_with_text(output, text, _text_part))


_ITEMS = "https://platform.openai.com/docs/api-reference/responses/create"

RULES = (
    Rule(checks.ROLE, "A role is user, assistant, system or developer", _ITEMS),
    Rule(
        checks.UNANSWERED,
        "Each call that the application runs has an output after it",
        "https://github.com/bytedance/trae-agent/issues/245",
    ),
    Rule(
        checks.ORPHAN,
        "An output comes after the call that it answers",
        "https://github.com/continuedev/continue/issues/10092",
    ),
    Rule(checks.CALLER, "A call that was made by a program comes after it", _ITEMS),
    Rule(
        "reasoning-alone",
        "Reasoning is followed by what it led to: a message or a call of the assistant",
        "https://github.com/openai/openai-node/issues/1567",
    ),
    Rule(checks.EMPTY, "A message has content", _ITEMS),
)


def check(messages: Sequence[object], records: Sequence[Record]) -> Iterator[Fault]:
    """Find what the API refuses, by `RULES`. An item that is a reference may be any call or output that is missing."""
    yield from checks.roles(records, ("user", "assistant", "system", "developer", "tool"))
    if not any(map(_is_reference, messages)):
        pairs = pair(records)
        yield from checks.unanswered(records, pairs)
        yield from checks.orphans(records, pairs)
        yield from checks.callers(records)
    for index, record in enumerate(records):
        if not record.parts and not _is_reference(messages[index]):
            yield Fault(index, checks.EMPTY, "the message has no content")
        if record.parts and record.parts[0].kind == "thinking":
            last = index + 1 == len(records)
            if last or speaker(records[index + 1]) != "assistant":
                yield Fault(index, "reasoning-alone", "the reasoning is not followed by an item of the assistant")


def _is_reference(item: object) -> bool:
    named = fields(item, "item")
    return named.get("type") == "item_reference" or (named.get("type") is None and named.get("role") is None)


def _call(named: Mapping[str, Any], path: str, form: str) -> list[Part]:
    kind = _CALLS[form]
    texts: list[str] = []
    for key in kind.texts:
        value = named.get(key)
        if isinstance(value, str):
            texts.append(value)
        elif value is not None:
            texts += json_texts(value, f"{path}.{key}")
    caller = named.get("caller")
    call = Part(
        "tool_call",
        tuple(texts),
        call_id=None if kind.alone else text(named, "id" if form == "mcp_approval_request" else "call_id", path),
        name=text(named, "name", path) or form.removesuffix("_call"),
        server=kind.server or named.get("execution") == "server",
        caller=None if caller is None else text(fields(caller, f"{path}.caller"), "caller_id", f"{path}.caller"),
    )
    image = text(named, "result", path) if form == "image_generation_call" else None
    return [call] if image is None else [call, Part("image", (), images.tokens(images.size_of(image)))]


def _output(named: Mapping[str, Any], path: str, form: str) -> list[Part]:
    call_id = text(named, "call_id", path)
    server = form == "program_output" or named.get("execution") == "server"
    key = "result" if form == "program_output" else "tools" if form == "tool_search_output" else "output"
    value = named.get(key)
    if form in _TEXT_OUTPUTS:
        parts = _content(value, f"{path}.{key}", "tool_result")
    elif form == "computer_call_output":
        parts = [_part(value, f"{path}.{key}", "tool_result")]
    else:
        parts = [Part("tool_result", (value,) if isinstance(value, str) else json_texts(value, f"{path}.{key}"))]
    if all(part.kind != "tool_result" for part in parts):
        parts.insert(0, Part("tool_result", ()))
    block = 0 if form in _TEXT_OUTPUTS or form == "shell_call_output" else None
    name = text(named, "name", path) or form.removesuffix("_output").removesuffix("_call")
    error = named.get("status") == "failed"
    return [part._replace(call_id=call_id, name=name, error=error, server=server, block=block) for part in parts]


def _reasoning(named: Mapping[str, Any], path: str) -> Part:
    """Reasoning costs what was thought: its encrypted form where there is one, and otherwise what is shown of it."""
    hidden = text(named, "encrypted_content", path)
    if hidden is not None:
        return Part("thinking", (), _encrypted_tokens(hidden))
    for key in ("content", "summary"):
        shown = _content(named.get(key), f"{path}.{key}", "thinking")
        if shown:
            return Part("thinking", tuple(part.texts[0] for part in shown if part.texts))
    return Part("thinking", ())


def _content(content: object, path: str, kind: PartKind) -> list[Part]:
    if isinstance(content, str):
        return [Part(kind, (content,))]
    if content is None:
        return []
    if not isinstance(content, list | tuple):
        raise wrong_type(content, path, "str or a list of parts")
    return [_part(part, f"{path}[{index}]", kind) for index, part in enumerate(content)]


def _part(part: object, path: str, kind: PartKind) -> Part:
    named = fields(part, path)
    form = named.get("type")
    if form in _PARTS:
        shown = text(named, "refusal" if form == "refusal" else "text", path)
        return Part(kind, () if shown is None else (shown,))
    if form in ("input_image", "computer_screenshot"):
        url = text(named, "image_url", path)
        size = images.size_of_data_uri(url) if url is not None and is_data_uri(url) else None
        return Part("image", (), images.tokens(size, text(named, "detail", path)))
    if form == "input_file":
        data, name = text(named, "file_data", path), text(named, "filename", path)
        pages = 1 if data is None else max(1, ceil(decoded_length(data) / openai_chat.PAGE_BYTES))
        return Part("document", () if name is None else (name,), pages * openai_chat.PAGE_TOKENS)
    texts, files = strings({key: value for key, value in named.items() if key != "type"}, path)
    return Part(kind, texts, files * images.tokens(None))


def _encrypted_tokens(data: str | None) -> int:
    return ceil(len(data or "") * ENCRYPTED_TOKENS)


def _text_part(text: str) -> dict[str, Any]:
    return {"type": "input_text", "text": text}
