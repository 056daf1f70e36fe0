"""Copies along the path to one change: dicts, pydantic models and dataclasses alike, with all else the same object."""

import sys
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from typing import Any, cast


def with_field(value: object, name: str, new: object) -> object:
    """A copy of a dict or an object in which one field is another. The value of that field is not copied.

    >>> with_field({"role": "tool", "content": "long"}, "content", "short")
    {'role': 'tool', 'content': 'short'}
    """
    if isinstance(value, dict):
        changed: dict[object, object] = copy(value)
        changed[name] = new
        return changed
    if hasattr(value, "model_copy"):
        return cast(Any, value).model_copy(update={name: new})
    if hasattr(value, "__dataclass_fields__"):
        from dataclasses import replace  # costs milliseconds of import; is there already where dataclasses are

        return replace(cast(Any, value), **{name: new})
    copied = copy(value)
    setattr(copied, name, new)
    return copied


def with_item(items: Sequence[object], index: int, new: object) -> Sequence[object]:
    """A copy of a list or tuple in which one item is another."""
    return like(items, (new if at == index else item for at, item in enumerate(items)))


def sibling(value: object, module: str, name: str) -> Callable[..., object] | None:
    """A class of the package that the class of `value` comes from, which is loaded already; None for a dict.

    Args:
        value: a message.
        module: of the class wanted.
        name: of the class wanted.
    """
    package = module.partition(".")[0]
    if isinstance(value, dict) or not type(value).__module__.startswith(f"{package}."):
        return None
    return cast("Callable[..., object]", getattr(sys.modules[module], name))


def like(items: Sequence[object], new: Iterable[object]) -> Sequence[object]:
    """New items as a tuple where the old ones were a tuple, and as a list otherwise."""
    return tuple(new) if isinstance(items, tuple) else list(new)


def content_with_text(content: object, text: str, block: Callable[[str], dict[str, Any]]) -> object:
    """What a tool result holds, replaced by a text: a string stays a string, and a list becomes a list of one block.

    A cache marker on the last block that had one goes on the new block, so that the prefix keeps its breakpoint.
    """
    if not isinstance(content, list | tuple):
        return text
    new = block(text)
    markers = [part["cache_control"] for part in content if isinstance(part, dict) and part.get("cache_control")]
    return like(content, [{**new, "cache_control": markers[-1]} if markers else new])


def merged_content(first: object, second: object, block: Callable[[str], object]) -> object:
    """The contents of two messages in one: two strings become one, anything else a list that holds the same blocks."""
    if isinstance(first, str) and isinstance(second, str):
        return f"{first}\n\n{second}"
    return [*_blocks(first, block), *_blocks(second, block)]


def _blocks(content: object, block: Callable[[str], object]) -> Iterable[object]:
    if content is None:
        return ()
    return (block(content),) if isinstance(content, str) else cast("Iterable[object]", content)
