"""The messages as they were before a summary was merged into one of them, and where the summary is.

Where roles must alternate, a summary shares a message with what the user said before and after it. Taken apart, the
history reads the same in every format.
"""

from collections.abc import Sequence
from typing import NamedTuple

from ullage.compaction.reading import is_summary
from ullage.formats.edit import like, with_field
from ullage.formats.record import Format, belongs_to_result, fields, speaker


class Piece(NamedTuple):
    """A message, or what is left of one without the summary in it.

    Attributes:
        message: of the format.
        source: index of the message that it is, or comes from.
    """

    message: object
    source: int


class Pieces(NamedTuple):
    """A history taken apart.

    Attributes:
        pieces: in order.
        summary: the place of the summary among them, or None.
        text: of the summary.
    """

    pieces: list[Piece]
    summary: int | None
    text: str


def take_apart(shape: Format, messages: Sequence[object]) -> Pieces:
    """Find the first summary, and separate what shares its message."""
    whole = [Piece(message, index) for index, message in enumerate(messages)]
    for index, message in enumerate(messages):
        record = shape.read(message, f"messages[{index}]")
        if speaker(record) not in ("user", "tool"):
            continue
        shown = [part for part in record.parts if part.kind == "text" and not belongs_to_result(part)]
        text = next((part.texts[0] for part in shown if len(part.texts) == 1 and is_summary(part.texts[0])), None)
        if text is None:
            continue
        if len(record.parts) == 1:
            return Pieces(whole, index, text)
        apart = _separate(message, text)
        if apart is not None:
            parts = [Piece(part, index) for part in apart if part is not None]
            place = index + (apart[0] is not None)
            return Pieces([*whole[:index], *parts, *whole[index + 1 :]], place, text)
    return Pieces(whole, None, "")


def _separate(message: object, text: str) -> tuple[object | None, object, object | None] | None:
    """What stands before the block of this text, its own, and what stands after it."""
    named = fields(message, "message")
    for key in ("content", "parts"):
        blocks = named.get(key)
        if isinstance(blocks, list | tuple):
            for at, block in enumerate(blocks):
                if text in (block, *_texts(block)):
                    before, after = blocks[:at], blocks[at + 1 :]
                    return (
                        with_field(message, key, before) if before else None,
                        with_field(message, key, like(blocks, [block])),
                        with_field(message, key, after) if after else None,
                    )
    return None


def _texts(block: object) -> tuple[object, ...]:
    if isinstance(block, str):
        return ()
    named = fields(block, "block")
    return named.get("text"), named.get("content")
