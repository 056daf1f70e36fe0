"""Bytes to text, and what is not text.

UTF-8 unless a byte order mark says UTF-8, UTF-16 or UTF-32; the mark itself is not text. Whatever cannot be decoded
becomes U+FFFD, one for each longest broken sequence, and is counted as such. Binary is what holds a NUL, or what would
become U+FFFD for more than half of its characters.
"""

import codecs
import sys
from dataclasses import dataclass
from pathlib import Path

from ullage.cli.files import STDIN

_ENCODINGS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),  # before UTF-16, whose little-endian mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_HEAD = 1 << 16  # bytes; a large binary file is known by its head, and the rest stays on the disk


@dataclass(frozen=True, slots=True)
class Text:
    """Decoded text, and how many of its characters stand for bytes that could not be decoded."""

    text: str
    replaced: int


def read(path: str) -> Text | None:
    """Return the text of a file or of standard input, None if it is binary. Raises OSError and MemoryError."""
    if path == STDIN:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return decode(sys.stdin.buffer.read())
    with Path(path).open("rb") as file:
        head = file.read(_HEAD)
        if _encoding(head) == "utf-8" and b"\0" in head:
            return None
        rest = file.read()
    return decode(head + rest if rest else head)


def decode(data: bytes) -> Text | None:
    """Return the text of some bytes, None if they are binary."""
    encoding = _encoding(data)
    if encoding.startswith("utf-8") and b"\0" in data:
        return None
    replaced = 0
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError:
        text = data.decode(encoding, errors="replace")
        replaced = text.count("\ufffd") - data.decode(encoding, errors="ignore").count("\ufffd")
    if "\0" in text or 2 * replaced > len(text):
        return None
    return Text(text, replaced)


def _encoding(data: bytes) -> str:
    return next((encoding for mark, encoding in _ENCODINGS if data.startswith(mark)), "utf-8")
