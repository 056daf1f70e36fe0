"""Paths as a reader writes them: ``messages[12].content[1].text``, and ``["..."]`` for a key that is no word."""

import json
from collections.abc import Iterable


def joined(path: str, *keys: object) -> str:
    """The path of what stands under these keys and indices of what stands at a path.

    >>> joined("messages[3]", "content", 0, "the text")
    'messages[3].content[0]["the text"]'
    """
    path = "" if path == "$" and keys else path
    for key in keys:
        if isinstance(key, int):
            path += f"[{key}]"
        elif not isinstance(key, str):
            path += f"[{key!r}]"
        elif key.isidentifier():
            path = f"{path}.{key}" if path else key
        else:
            path += f"[{json.dumps(key, ensure_ascii=False)}]"
    return path


def root(keys: Iterable[object]) -> str:
    """The path of what stands under these keys of a whole value; ``$`` is the value itself."""
    return joined("", *keys) or "$"
