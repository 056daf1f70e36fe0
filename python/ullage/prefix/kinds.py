"""What kind of thing a block is, and whether two blocks or messages are the same thing before and after an edit."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from ullage.formats.record import strings
from ullage.prefix.assembly import Block
from ullage.prefix.markers import KEYS
from ullage.prefix.sent import named_fields, sent
from ullage.prefix.similarity import similar

_INDEX = re.compile(r"\[\d+\]")
_IDS = ("id", "tool_use_id", "call_id", "tool_call_id", "toolUseId")
_TEXTS = ("content", "parts", "system", "input", "contents")
"""Where a string is a text."""
_NAMED = ("functionResponse", "function_response")
_THINKING = frozenset({"thinking", "redacted_thinking", "reasoning"})
_THINKING_KEYS = frozenset({"reasoning_content", "reasoning", "reasoning_details", "reasoningContent"})
_RESULT_KEYS = frozenset({"toolResult", "functionResponse", "function_response", "toolResponse", "tool_response"})
IMAGE_KEYS = frozenset({"inlineData", "inline_data", "fileData", "file_data", "image_url", "image", "source"})


def blank(path: str) -> str:
    """A path without its indices.

    >>> blank("messages[12].content[0].text")
    'messages[].content[].text'
    """
    return _INDEX.sub("[]", path)


def last_key(path: str) -> str:
    """The last key of a path.

    >>> last_key("messages[12].tool_calls[0]")
    'tool_calls'
    """
    return blank(path).replace("[]", "").rpartition(".")[2]


def form(block: Block) -> str:
    """What a block says it is: its type, the key by which it is named, or its field of the message."""
    named = named_fields(block.value)
    if named is None:
        return "text" if last_key(block.path) in _TEXTS else last_key(block.path)
    for key in ("type", "part_kind", "kind"):
        if isinstance(named.get(key), str):
            return str(named[key])
    return min((str(key) for key in named if key not in KEYS), default="")


def is_thinking(block: Block) -> bool:
    """Whether a block is what a model thought."""
    named = named_fields(block.value)
    if named is not None and (named.get("thought") is True or form(block) in _THINKING or "reasoningContent" in named):
        return True
    return last_key(block.path) in _THINKING_KEYS


def is_result(block: Block) -> bool:
    """Whether a block is what a tool gave back."""
    kind = form(block)
    if kind.endswith(("tool_result", "_call_output", "tool-return")) or kind in _RESULT_KEYS:
        return True
    frame = block.frame or {}
    return frame.get("role") in ("tool", "function") or frame.get("type") in ("tool", "function")


def is_image(block: Block) -> bool:
    """Whether a block is a picture or another file."""
    named = named_fields(block.value)
    kind = form(block)
    return named is not None and (
        "image" in kind or kind in IMAGE_KEYS or kind in ("document", "file", "binary", "input_file", "input_audio")
    )


def is_address(value: object) -> bool:
    """Whether a text is the address of a file."""
    return isinstance(value, str) and re.match(r"[a-z][a-z0-9+.-]*://", value) is not None


def name_of(block: Block) -> str | None:
    """The name of a tool definition, or the type of one that has no name."""
    named = named_fields(block.value) or {}
    for inner in (named, *(named_fields(named.get(key)) or {} for key in ("function", "toolSpec"))):
        if isinstance(inner.get("name"), str):
            return str(inner["name"])
    return named["type"] if isinstance(named.get("type"), str) else None


def alike_blocks(old: Block, new: Block, strict: bool) -> bool:
    """Whether a block may be another one after an edit.

    Where `strict`, the two must share an id, or most of their text.
    """
    if old.zone == "tools":
        return name_of(old) == name_of(new) or (not strict and similar(_text(old), _text(new)))
    if form(old) != form(new):
        return False
    ids = _id(old), _id(new)
    if ids[0] is not None and ids[0] == ids[1]:
        return True
    return not strict or similar(_text(old), _text(new))


def alike_messages(old: Sequence[Block], new: Sequence[Block], strict: bool) -> bool:
    """Whether a message may be another one after an edit: of the same role, with the same kinds of blocks.

    Where `strict`, they must share a block, or most of the text of one.
    """
    if _role(old[0].frame) != _role(new[0].frame):
        return False
    ids = [(block[0].frame or {}).get("tool_call_id") for block in (old, new)]
    if ids[0] is not None and ids[0] == ids[1]:
        return True
    if not strict and [form(block) for block in old] == [form(block) for block in new]:
        return True
    values = [sent(block.value) for block in new]
    return any(sent(block.value) in values for block in old) or any(
        alike_blocks(a, b, True) for a, b in zip(old, new, strict=False)
    )


def _id(block: Block) -> object:
    """What tells a block from others of its form: an id, or the name of a function of Gemini, which may have none."""
    named = named_fields(block.value) or {}
    for inner in (named, *(item for item in named.values() if isinstance(item, dict))):
        for key in _IDS:
            if isinstance(inner.get(key), str):
                return inner[key]
    return next((named[key].get("name") for key in _NAMED if isinstance(named.get(key), dict)), None)


def _text(block: Block) -> str:
    return "\n".join(strings(sent(block.value), block.path)[0])


def _role(frame: Mapping[str, Any] | None) -> object:
    frame = frame or {}
    return frame.get("role") or frame.get("type") or frame.get("kind")
