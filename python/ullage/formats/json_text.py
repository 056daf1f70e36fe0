"""The JSON of a value as texts to be estimated, without building it: long strings are handed on as they are."""

from collections.abc import Sequence
from enum import Enum

from ullage.errors import InvalidHistory
from ullage.formats.record import MAX_DEPTH, fields

SHORT = 256
"""Strings up to this length are copied into the rest; a text each would round up too often."""


def json_texts(value: object, path: str) -> tuple[str, ...]:
    """The compact JSON of a value, without escapes: everything but the long strings as one text, then these.

    Raises:
        InvalidHistory: when the value nests deeper than 256.

    >>> json_texts({"path": "a.py", "lines": [1, 2], "all": True}, "messages[0]")
    ('{"path":"a.py","lines":[1,2],"all":true}',)
    """
    pieces: list[str] = []
    long: list[str] = []
    _write(value, path, 0, pieces, long)
    return ("".join(pieces), *long)


def definitions_texts(definitions: Sequence[object]) -> tuple[str, ...]:
    """The compact JSON of tool definitions, as `json_texts`; what marks the cache is not sent to the model."""
    texts: list[str] = []
    for index, definition in enumerate(definitions):
        named = {key: value for key, value in fields(definition, f"tools[{index}]").items() if key != "cache_control"}
        texts += json_texts(named, f"tools[{index}]")
    return tuple(texts)


def _write(value: object, path: str, depth: int, pieces: list[str], long: list[str]) -> None:
    if depth > MAX_DEPTH:
        raise InvalidHistory(path, f"values nest at most {MAX_DEPTH} deep, without cycles")
    if isinstance(value, str):
        pieces += ('"', value, '"') if len(value) <= SHORT else ('""',)
        if len(value) > SHORT:
            long.append(value)
    elif value is None:
        pieces.append("null")
    elif isinstance(value, bool):
        pieces.append("true" if value else "false")
    elif isinstance(value, int):
        # Python refuses to write numbers of thousands of digits; their number is known without writing them.
        pieces.append(str(int(value)) if value.bit_length() < 10_000 else "0" * int(value.bit_length() * 0.30103))
    elif isinstance(value, list | tuple | set | frozenset):
        pieces.append("[")
        for item in value:
            _write(item, path, depth + 1, pieces, long)
            pieces.append(",")
        _close(pieces, "]")
    elif isinstance(value, bytes | bytearray):
        long.append("A" * (len(value) * 4 // 3))
    elif isinstance(value, dict) or (hasattr(value, "__dict__") and not isinstance(value, Enum | float)):
        pieces.append("{")
        for key, item in fields(value, path).items():
            _write(key if isinstance(key, str) else str(key), path, depth + 1, pieces, long)
            pieces.append(":")
            _write(item, path, depth + 1, pieces, long)
            pieces.append(",")
        _close(pieces, "}")
    else:
        pieces.append(str(value))


def _close(pieces: list[str], bracket: str) -> None:
    if pieces[-1] == ",":
        pieces[-1] = bracket
    else:
        pieces.append(bracket)
