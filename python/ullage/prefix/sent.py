"""What of a block is sent to the model: without markers, and in one form where a provider takes several for the same.

A string is one block of text, null is as good as absent, and what a framework keeps to itself does not count.
"""

from collections.abc import Mapping, Sequence
from typing import Any

from ullage.formats.record import fields
from ullage.prefix.markers import KEYS

_TEXTS = ("text", "input_text", "output_text")
_NOT_SENT = KEYS | {"timestamp", "id", "provider_name", "provider_details", "metadata"}
"""Fields of pydantic-ai's parts that it keeps to itself, and markers."""


def named_fields(value: object) -> Mapping[str, Any] | None:
    """The fields of a dict, or of an object that has some; None for a string, a number, a list."""
    if isinstance(value, dict):
        return value
    if value is None or isinstance(value, str | bytes | int | float | list | tuple):
        return None
    try:
        named = fields(value, "")
    except TypeError:
        return None
    return {key: item for key, item in named.items() if item is not None}


def sent(value: object) -> object:
    """The value of a block as it counts.

    >>> sent({"type": "text", "text": "Hello", "cache_control": {"type": "ephemeral"}})
    'Hello'
    """
    named = named_fields(value)
    if named is None:
        return value
    left_out = _NOT_SENT if "part_kind" in named else KEYS
    kept = {key: item for key, item in named.items() if item is not None and key not in left_out}
    if len(kept) <= 2 and isinstance(kept.get("text"), str) and (len(kept) == 1 or kept.get("type") in _TEXTS):
        return kept["text"]
    if isinstance(content := kept.get("content"), list | tuple):
        inner = [sent(item) for item in content]
        kept["content"] = inner[0] if len(inner) == 1 and isinstance(inner[0], str) else inner
    if isinstance(function := kept.get("function"), dict) and not KEYS.isdisjoint(function):
        kept["function"] = {key: item for key, item in function.items() if key not in KEYS}
    return kept


def place(value: object, keys: Sequence[str | int]) -> tuple[str | int, ...]:
    """The keys in a value of what stands under these keys of what `sent` makes of it.

    >>> place({"type": "tool_result", "content": [{"type": "text", "text": "Found"}]}, ("content",))
    ('content', 0, 'text')
    """
    named = named_fields(value)
    if named is None:
        return tuple(keys)
    if not keys:
        return ("text",) if isinstance(sent(value), str) else ()
    content = named.get("content")
    if keys[0] != "content" or not isinstance(content, list | tuple):
        return tuple(keys)
    whole = len(keys) == 1 and len(content) == 1 and isinstance(sent(content[0]), str)
    index = 0 if whole else keys[1] if len(keys) > 1 else None
    if not isinstance(index, int) or index >= len(content):
        return tuple(keys)
    return ("content", index, *place(content[index], keys[2:]))
