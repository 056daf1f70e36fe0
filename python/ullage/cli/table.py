"""The table of ``ullage count``. No number is ever cut: a terminal too narrow gets fewer columns, then folded paths.

rich knows the terminal and how wide characters are; the lines are put together here, since its tables take a
millisecond a row and a folder may have ten thousand.
"""

from collections.abc import Iterable, Iterator

from ullage.cli import output
from ullage.cli.counts import Counts

_BAR = 12  # cells
_PATH_MIN = 14  # cells a path keeps before another column gives way
_GAP = "  "

# What gives way first when the terminal is narrow; the path and the tokens stay.
_GIVE_WAY = (("share",), ("ASCII", "CJK", "other"), ("files",), ("characters",), ("len//4",), ("ratio",))


def print_table(head: str, rows: list[tuple[str, Counts]], total: Counts) -> None:
    """Print rows and, below more than one of them, their total."""
    from rich.cells import cell_len

    console = output.console()
    paths = [output.printable(path) for path, _ in rows]
    numbers = [counts for _, counts in rows]
    if len(rows) > 1:
        paths.append("total")
        numbers.append(total)
    columns = _columns(numbers, total, bar="#" if console.options.ascii_only else "█")
    if head == "file":
        del columns["files"]
    longest = max(map(cell_len, (head, *paths)))
    for names in _GIVE_WAY:
        if min(longest, _PATH_MIN) + _width(columns) <= console.width:
            break
        columns = {name: cells for name, cells in columns.items() if name not in names}

    path_width = max(1, min(longest, console.width - _width(columns)))
    lines = list(_lines([head, *paths], [[name, *cells] for name, cells in columns.items()], path_width))
    body = lines[1:-1] if len(rows) > 1 else lines[1:]
    rule = ("-" if console.options.ascii_only else "─") * (path_width + _width(columns))
    console.out(lines[0], style="bold", highlight=False)
    console.out(rule, highlight=False)
    console.out("\n".join(body), highlight=False)
    if len(rows) > 1:
        console.out(rule, highlight=False)
        console.out(lines[-1], style="bold", highlight=False)


def _columns(rows: list[Counts], total: Counts, *, bar: str) -> dict[str, list[str]]:
    """Return the cells below each head. Shares come with a bar, which is full for the largest row."""
    largest = max(row.tokens for row in rows if row is not total)
    shares = [f"{row.tokens / total.tokens if total.tokens else 0:6.1%} " for row in rows]
    bars = [0 if row is total or not largest else round(row.tokens / largest * _BAR) for row in rows]
    return {
        "files": [f"{row.files:,}" for row in rows],
        "characters": [f"{row.characters:,}" for row in rows],
        "ASCII": [f"{row.ascii:,}" for row in rows],
        "CJK": [f"{row.cjk:,}" for row in rows],
        "other": [f"{row.other:,}" for row in rows],
        "tokens": [f"{row.tokens:,}" for row in rows],
        "len//4": [f"{row.len4:,}" for row in rows],
        "ratio": [f"{row.tokens / row.len4:.2f}" if row.len4 else "" for row in rows],
        "share": [share + bar * cells for share, cells in zip(shares, bars, strict=True)],
    }


def _width(columns: dict[str, list[str]]) -> int:
    """Return the cells that the columns take with the gaps before them."""
    return sum(len(_GAP) + max(map(len, (name, *cells))) for name, cells in columns.items())


def _lines(paths: list[str], columns: list[list[str]], path_width: int) -> Iterator[str]:
    """Yield each row: the path to the left, in as many lines as it needs, and the numbers to the right of the first."""
    from rich.cells import chop_cells, set_cell_size

    widths = [max(map(len, cells)) for cells in columns]
    right: Iterable[str] = (
        _GAP.join(
            cell.ljust(width) if cells[0] == "share" else cell.rjust(width)
            for cell, width, cells in zip(row, widths, columns, strict=True)
        ).rstrip()
        for row in zip(*columns, strict=True)
    )
    for path, numbers in zip(paths, right, strict=True):
        first, *more = chop_cells(path, path_width) or [""]
        yield "\n".join([set_cell_size(first, path_width) + _GAP + numbers, *more])
