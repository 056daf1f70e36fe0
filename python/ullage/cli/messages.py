"""Files of messages: a list of them, a request (``ullage.request``), or lines of either.

Lines of messages are one conversation; lines of requests are each by itself. The first line says what all lines are:
one that is something else is an error.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from ullage import Estimator
from ullage.cli import output
from ullage.cli.files import STDIN
from ullage.cli.read import read
from ullage.request import Request, is_message

_SUFFIXES = (".json", ".jsonl")
_MARKS = ('"role"', '"parts"', '"type"', '"input"', '"contents"')  # one is in every message, or beside a string for it


class BadMessagesError(Exception):
    """What begins as messages do is not all messages: says where."""


@dataclass(frozen=True, slots=True)
class Session:
    """What a file of messages holds.

    Attributes:
        requests: by the line on which each begins.
        in_lines: whether each request is on a line of its own.
        spread: whether the messages of the only request are on a line each.
        indent: white space that the file is indented by, None where it is on one line.
    """

    requests: dict[int, Request]
    in_lines: bool = False
    spread: bool = False
    indent: str | None = None

    def write(self, values: list[object]) -> bytes:
        """The bytes of a file of the same shape, with these values for the requests.

        Lone surrogates, which UTF-8 has no bytes for, are escaped as JSON has it.
        """
        if self.spread:
            (messages,) = values
            assert isinstance(messages, list)
            values = messages
        lines = (json.dumps(value, ensure_ascii=False, indent=self.indent) + "\n" for value in values)
        return "".join(lines).encode("utf-8", errors="backslashreplace")


@dataclass(frozen=True, slots=True)
class Sent:
    """All strings that a file's requests send, how many messages they have, and the tokens with images and framing."""

    text: str
    messages: int
    tokens: int


def sent(path: str, text: str, estimator: Estimator) -> Sent | None:
    """Return what the requests in a file send, None if it is text like any other.

    ``.json`` files, ``.jsonl`` files and standard input are looked at, and their content decides.

    Raises:
        BadMessagesError: when it begins as messages do, and something in it is none.
    """
    if path != STDIN and Path(path).suffix.lower() not in _SUFFIXES:
        return None
    found = session(text)
    if found is None:
        return None
    texts: list[str] = []
    messages = tokens = 0
    for line, request in found.requests.items():
        try:
            read = request.read()
        except (TypeError, ValueError) as error:  # of the message format; they name the place
            raise BadMessagesError(f"line {line}: {error}" if found.in_lines else str(error)) from error
        texts += (text for part in read.parts() for text in part.texts)
        messages += len(read.messages)
        tokens += read.tokens(estimator)
    return Sent("".join(texts), messages, tokens)


def load(path: str, format: str | None = None) -> Session:
    """Return the requests in a file. A note says how much of it could not be decoded.

    Raises:
        BadMessagesError: when it holds no messages, or begins as messages do, and something in it is none.
        OSError: when it cannot be read.
        MemoryError: when it does not fit into memory.
    """
    content = read(path)
    found = None if content is None else session(content.text, format)
    if found is None:
        broken = None if content is None else _broken(content.text)
        hint = "" if format is not None else "; if it does, name their format by --format"
        raise BadMessagesError(broken or f"it holds no messages that are known as such{hint}")
    if content is not None and content.replaced:
        output.note(f"{content.replaced:,} characters stand for bytes that could not be decoded")
    return found


def session(text: str, format: str | None = None) -> Session | None:
    """Return the requests in the text of a file, None if it holds none.

    Raises:
        BadMessagesError: when it begins as messages do, and something in it is none.
    """
    if not any(mark in text for mark in _MARKS):
        return None
    whole = _parse(text)
    request = _request(whole, format, 0)
    if request is not None:
        indent = re.match(r"\s*[\[{]\s*\n([ \t]+)", text)
        return Session({1: request}, indent=indent and indent[1])
    lines = _parse_lines(text) if whole is None else iter([(1, whole)])
    line, first = next(lines, (1, None))
    request = _request(first, format, line)
    if request is not None:
        return Session(dict(_requests(line, request, lines, format)), in_lines=True)
    if is_message(first) or (format is not None and isinstance(first, dict)):
        return _conversation([first, *_messages(lines, line, format)], format)
    return None


def _conversation(messages: list[object], format: str | None) -> Session:
    request = _request(messages, format, 0)
    assert request is not None, "each of them is a message"
    return Session({1: request}, spread=True)


def _messages(lines: Iterator[tuple[int, object]], first: int, format: str | None) -> Iterator[object]:
    for line, value in lines:
        if not (is_message(value) or (format is not None and isinstance(value, dict))):
            raise BadMessagesError(f"line {line} is not a message, as line {first} is")
        yield value


def _requests(
    line: int, request: Request, lines: Iterator[tuple[int, object]], format: str | None
) -> Iterator[tuple[int, Request]]:
    yield line, request
    for number, value in lines:
        following = _request(value, format, number)
        if following is None:
            raise BadMessagesError(f"line {number} is not a request with messages, as the lines above it are")
        yield number, following


def _request(value: object, format: str | None, line: int) -> Request | None:
    try:
        return Request.of(value, format)
    except TypeError as error:
        raise BadMessagesError(f"line {line}: {error}" if line else str(error)) from error


def _broken(text: str) -> str | None:
    """What is wrong with a text that begins as JSON does, and of which neither the whole nor the first line is JSON."""
    if text.lstrip()[:1] not in ("{", "[") or next(_parse_lines(text), (1, None))[1] is not None:
        return None
    try:
        json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"it is no JSON: {error}"
    return None


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
