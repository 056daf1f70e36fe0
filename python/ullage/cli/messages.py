"""Files of messages, counted as what is sent and not as the JSON that it is written in.

``.json`` files, ``.jsonl`` files and standard input are looked at, and their content decides. These are messages:

- a list of messages, or a request: an object with such a list under ``messages``, and perhaps ``tools``;
- lines of messages, which are one conversation; or lines of requests, each by itself.

A message is an object with a ``role`` of the format ``openai-chat``, and content or calls. The first line says what all
lines are: one that is something else is an error, not text.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias, TypeGuard

from ullage import History
from ullage.cli.files import STDIN
from ullage.formats import openai_chat

Message: TypeAlias = dict[str, Any]

_SUFFIXES = (".json", ".jsonl")
_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
_SAYS = ("content", "tool_calls", "function_call")


class BadMessagesError(Exception):
    """What begins as messages do is not all messages: says where."""


@dataclass(frozen=True, slots=True)
class Sent:
    """All strings that a file's requests send, how many messages they have, and the tokens with images and framing."""

    text: str
    messages: int
    tokens: int


def sent(path: str, text: str) -> Sent | None:
    """Return what the requests in a file send, None if it is text like any other.

    Raises:
        BadMessagesError: when it begins as messages do, and something in it is none.

    """
    if (path != STDIN and Path(path).suffix.lower() not in _SUFFIXES) or '"role"' not in text:
        return None
    whole = _parse(text)
    if _are_messages(whole):
        return _send(whole)
    lines = _parse_lines(text) if whole is None else iter([(1, whole)])
    line, first = next(lines, (1, None))
    if _is_message(first):
        return _send([first, *_messages(lines, line)])
    if _is_request(first):
        return _sum([_send_line(line, first), *(_send_line(*numbered) for numbered in lines)])
    return None


def _messages(lines: Iterator[tuple[int, object]], first: int) -> Iterator[Message]:
    for line, value in lines:
        if not _is_message(value):
            raise BadMessagesError(f"line {line} is not a message, as line {first} is")
        yield value


def _send_line(line: int, request: object) -> Sent:
    if not _is_request(request):
        raise BadMessagesError(f"line {line} is not a request with messages, as the lines above it are")
    try:
        return _send(request["messages"], request.get("tools") or [])
    except BadMessagesError as error:
        raise BadMessagesError(f"line {line}: {error}") from error


def _send(messages: list[Message], tools: Sequence[object] = ()) -> Sent:
    try:
        history = History(messages, tools=tools)
    except (TypeError, ValueError) as error:  # of the message format; they name the place
        raise BadMessagesError(str(error)) from error
    parts = [part for i, message in enumerate(messages) for part in openai_chat.read(message, f"messages[{i}]").parts]
    texts = [text for part in (openai_chat.tools(tools), *parts) for text in part.texts]
    return Sent("".join(texts), len(messages), history.total)


def _sum(requests: list[Sent]) -> Sent:
    return Sent(
        "".join(request.text for request in requests),
        sum(request.messages for request in requests),
        sum(request.tokens for request in requests),
    )


def _is_message(value: object) -> TypeGuard[Message]:
    return isinstance(value, dict) and value.get("role") in _ROLES and any(key in value for key in _SAYS)


def _are_messages(value: object) -> TypeGuard[list[Message]]:
    return isinstance(value, list) and bool(value) and all(map(_is_message, value))


def _is_request(value: object) -> TypeGuard[dict[str, Any]]:
    """Say whether a value is a request. One with ``system`` beside the messages is of another format."""
    return isinstance(value, dict) and _are_messages(value.get("messages")) and "system" not in value


def _parse_lines(text: str) -> Iterator[tuple[int, object]]:
    """Yield each line that is not blank, parsed, with its number from 1. Only a line feed ends a line of JSON."""
    return ((number, _parse(line)) for number, line in enumerate(text.split("\n"), 1) if line.strip())


def _parse(text: str) -> object:
    """Return the value of a JSON text, None if it is not JSON."""
    try:
        value: object = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value
