"""Tables of text: columns as wide as what is in them, and nothing cut; and sentences in lines."""

from collections.abc import Iterator, Sequence

_GAP = "  "


def lines(head: list[str], rows: list[list[str]], left: Sequence[str]) -> Iterator[str]:
    """Yield the lines of a table, with these columns to the left and all others to the right."""
    from rich.cells import cell_len

    widths = [max(map(cell_len, cells)) for cells in zip(head, *rows, strict=True)]
    for row in (head, *rows):
        padded = []
        for name, cell, width in zip(head, row, widths, strict=True):
            space = " " * (width - cell_len(cell))
            padded.append(cell + space if name in left else space + cell)
        yield _GAP.join(padded).rstrip()


def wrapped(text: str, width: int) -> Iterator[str]:
    """Yield the lines of a sentence, broken at spaces, or inside a word that is longer than a line."""
    from rich.cells import cell_len, chop_cells

    line = ""
    for word in text.split(" "):
        pieces = chop_cells(word, max(1, width)) or [""]
        for first, piece in zip((True, *[False] * len(pieces)), pieces, strict=False):
            joined = f"{line} {piece}" if line and first else line + piece
            if cell_len(joined) > width and line:
                yield line
                joined = piece
            line = joined
    yield line
