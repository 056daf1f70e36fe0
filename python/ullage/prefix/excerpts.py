"""A few words of a value around a place in it, for a reader."""

import json

AROUND = 24
LONGEST = 72


def excerpt(value: object, offset: int | None = None) -> str | None:
    """At most 72 characters of a value; of a text, those around an offset. None for nothing.

    >>> excerpt("The quick brown fox jumps over the lazy dog, and it is 17:11 now.", 59)
    '...lazy dog, and it is 17:11 now.'
    """
    if value is None:
        return None
    text = value if isinstance(value, str) else _json(value)
    if offset is None or offset <= AROUND:
        return text if len(text) <= LONGEST else text[: LONGEST - 3] + "..."
    start = max(0, offset - AROUND)
    stop = offset + AROUND
    return ("..." if start else "") + text[start:stop] + ("..." if stop < len(text) else "")


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=lambda other: f"<{type(other).__name__}>")
    except (TypeError, ValueError, RecursionError):  # keys that JSON has not, a value in itself
        return f"<{type(value).__name__}>"
