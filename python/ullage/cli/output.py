"""What every command shares: exit codes, consoles, notes on standard error, progress.

Exit codes: 0 fine, 1 something could not be read or written, 2 wrong usage, 3 what was asked for cannot be had, 130
interrupted. Commands that look for something have 1 for having found it, and 2 for all trouble, as grep and diff do.
Results go to standard output, and nothing else does: notes, reasons and progress go to standard error.
"""

import io
import os
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    import typer
    from rich.console import Console

FAILED = 1  # something could not be read, and the rest was still counted; or the result could not be written
FOUND = 1  # what was looked for is there, and should not be
USAGE = 2  # wrong usage, or a package that an option needs is missing
CANNOT = 3  # what was asked for cannot be had
INTERRUPTED = 130

_LONG = 0.5  # seconds of work before a progress bar is worth showing
_PIPE_WIDTH = 100_000  # no terminal, no width to keep to: lines stay whole for grep and awk

T = TypeVar("T")


def run(app: "typer.Typer") -> None:
    """Run a command line as the process, with streams that can print any file name."""
    if sys.stdout is None:
        note("standard output is closed")
        sys.exit(FAILED)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")
    try:
        app()
    except KeyboardInterrupt:  # outside a command, where typer does not catch it
        sys.exit(INTERRUPTED)
    except OSError as error:  # a full disk, say: commands catch what fails in reading, and typer a closed pipe
        note(f"the result could not be written: {reason(error)}")
        sys.exit(FAILED)


def console() -> "Console":
    """Return the console for results: as wide as the terminal or ``COLUMNS`` says, unlimited into a pipe."""
    from rich.console import Console

    bounded = sys.stdout.isatty() or "COLUMNS" in os.environ
    return Console(width=None if bounded else _PIPE_WIDTH, highlight=False)


def note(sentence: str) -> None:
    """Print one plain sentence on standard error."""
    print(f"ullage: {sentence}", file=sys.stderr)


def reason(error: Exception) -> str:
    """Return why a path failed, without the path."""
    if isinstance(error, MemoryError):
        return "does not fit into memory"
    return (error.strerror if isinstance(error, OSError) else None) or str(error)


def printable(name: str) -> str:
    """Return a file name safe to show: line breaks, escape sequences and undecodable bytes as backslash escapes."""
    if name.isprintable():
        return name
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in name)


def track(items: Sequence[T], task: str, *, quiet: bool) -> Iterator[T]:
    """Yield the items; once that has taken half a second, show a progress bar if standard error is a terminal."""
    if quiet or not sys.stderr.isatty():
        yield from items
        return
    start, done = time.monotonic(), 0
    while done < len(items) and time.monotonic() - start < _LONG:
        yield items[done]
        done += 1
    if done == len(items):
        return

    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        bar = progress.add_task(task, total=len(items), completed=done)
        for item in items[done:]:
            yield item
            progress.advance(bar)


@contextmanager
def progress(task: str) -> Iterator[Callable[[int, int], None]]:
    """Show a bar, if standard error is a terminal, that is told of steps done and steps in all."""
    if not sys.stderr.isatty():
        yield lambda done, total: None
        return

    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as shown:
        bar = shown.add_task(task, total=None)
        yield lambda done, total: shown.update(bar, completed=done, total=total)
