"""``ullage drift``: what share of each request the instructions have, as a table and a picture."""

import enum
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, NamedTuple

import typer

from ullage import Drift, DriftStep, Estimator
from ullage import drift as drift_of
from ullage.cli import models, output
from ullage.cli.columns import lines
from ullage.cli.messages import BadMessagesError, Session, load
from ullage.formats import MODULES
from ullage.formats.record import speaker
from ullage.request import Request

EXAMPLES = """
\b
Examples:
  ullage drift session.json
  ullage drift session.json --model gpt-4o --window 128000
  ullage drift requests.jsonl --below 0.2
  ullage drift session.json --plot drift.png
  ullage drift session.json --json | jq .low

\b
SESSION is what ullage fit takes. A session is walked through: a step is a
request that was sent, up to where the assistant speaks next, and the last is
all that it holds. Lines of requests are a step each where they go on from
the line above, and are walked through where they do not.

\b
Instructions are the system prompt and messages of the system. The rest is
tool definitions and framing.

\b
Exit code: 0 fine, whatever the shares are unless --below says what they
are to be; 1 SESSION cannot be read, or the picture not written; 2 wrong
usage; 3 instructions fall below the share that --below says.
"""

BELOW = 0.1
_BAR = 20  # cells
_LETTERS = {"instructions": "I", "history": "H", "results": "R", "rest": "."}

Format = enum.StrEnum("Format", {name: name for name in MODULES})  # type: ignore[misc]


class Walked(NamedTuple):
    """Steps of one session, each with the line of the file on which its request stands."""

    lines: list[int]
    steps: list[DriftStep]


def drift(
    path: Annotated[str, typer.Argument(metavar="SESSION", help="A file of messages; - is standard input.")],
    model: Annotated[str | None, typer.Option(help="Estimate by the profile of this model.", metavar="MODEL")] = None,
    below: Annotated[
        float | None,
        typer.Option(
            help=f"The least share, 0 to 1, of instructions; by default, below {BELOW} warns.",
            metavar="SHARE",
            min=0,
            max=1,
        ),
    ] = None,
    window: Annotated[
        int | None, typer.Option(help="Say how full a window of so many tokens is.", metavar="TOKENS", min=1)
    ] = None,
    format: Annotated[Format | None, typer.Option(help="Format of the messages; by default, detected.")] = None,
    plot: Annotated[
        Path | None, typer.Option(help="Draw a picture, too; by the ending: png, svg, pdf.", metavar="FILE")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Exact numbers as JSON instead of a table.")] = False,
) -> None:
    """Show what share of each request instructions still have."""
    estimator = models.estimator(model)
    least = BELOW if below is None else below
    if plot is not None:
        try:
            from ullage import plots
        except ModuleNotFoundError as error:
            output.note(f'{error.name} is missing: pip install "ullage[plot]"')
            raise typer.Exit(output.USAGE) from None
    try:
        found = load(path, format)
        sessions = list(_walk(found, estimator))
    except (OSError, MemoryError, BadMessagesError) as error:
        output.note(f"{output.printable(path)}: {output.reason(error)}")
        raise typer.Exit(output.FAILED) from error

    rows = [(line, step) for session in sessions for line, step in zip(session.lines, session.steps, strict=True)]
    low = Drift(tuple(step for _, step in rows)).below(least)
    if as_json:
        print(json.dumps(_report(path, model, window, least, rows, low), indent=1), flush=True)
    else:
        _print_table(rows, window, in_lines=found.in_lines)
    if low:
        output.note(_warning(rows, low, least))
    if plot is not None:
        try:
            plots.save_drift([session.steps for session in sessions], plot, below=least, window=window)
        except (OSError, ValueError) as error:
            output.note(f"{output.printable(str(plot))}: {output.reason(error)}")
            raise typer.Exit(output.FAILED) from error
    if low and below is not None:
        raise typer.Exit(output.CANNOT)


def _walk(found: Session, estimator: Estimator) -> Iterator[Walked]:
    """Yield the sessions of a file."""
    session = Walked([], [])
    previous: Request | None = None
    for line, request in found.requests.items():
        try:
            steps = drift_of(
                request.messages,
                system=request.system,
                tools=request.tools,
                format=request.format,
                estimator=estimator,
            ).steps
            if previous is None or _opening(request) != _opening(previous):
                if session.steps:
                    yield session
                session = Walked([], [])
            else:
                steps = steps[-1:]
        except (TypeError, ValueError) as error:  # of the message format; they name the place
            raise BadMessagesError(f"line {line}: {error}" if found.in_lines else str(error)) from error
        session.lines.extend([line] * len(steps))
        session.steps.extend(steps)
        previous = request
    yield session


def _opening(request: Request) -> object:
    """The first thing that the user says, by which requests of one session are known, whatever its cache markers."""
    records = request.read().messages
    at = next((at for at, record in enumerate(records) if speaker(record) != "system"), 0)
    return records[at] if at < len(records) else None


def _warning(rows: list[tuple[int, DriftStep]], low: tuple[int, ...], least: float) -> str:
    first = low[0]
    share = rows[first][1].share("instructions")
    worst = min(rows[number][1].share("instructions") for number in low)
    return (
        f"instructions are below {least:.0%} of what is sent in {len(low):,} of {len(rows):,} steps: {share:.1%} in "
        f"step {first + 1:,}, {worst:.1%} at worst; clear old tool results, or repeat the critical rules at the end"
    )


def _print_table(rows: list[tuple[int, DriftStep]], window: int | None, *, in_lines: bool) -> None:
    console = output.console()
    head = ["line", "step", "messages", "tokens", "window", *_LETTERS, "shares"]
    table = []
    for number, (line, step) in enumerate(rows, 1):
        full = "" if window is None else f"{step.total / window:.0%}"
        shares = [f"{step.share(part):.0%}" for part in _LETTERS]
        table.append([f"{line:,}", f"{number:,}", f"{step.messages:,}", f"{step.total:,}", full, *shares, _bar(step)])
    shown = [name for name in head if (name != "line" or in_lines) and (name != "window" or window is not None)]
    places = [head.index(name) for name in shown]
    for row in lines(shown, [[row[place] for place in places] for row in table], left=("shares",)):
        console.out(row, highlight=False)


def _bar(step: DriftStep) -> str:
    """A letter for each twentieth of what is sent. Borders are rounded, so that the whole has its right length."""
    cells = ""
    done = 0.0
    for part, letter in _LETTERS.items():
        done += step.share(part)
        cells += letter * (round(done * _BAR) - len(cells))
    return cells


def _report(
    path: str,
    model: str | None,
    window: int | None,
    least: float,
    rows: list[tuple[int, DriftStep]],
    low: tuple[int, ...],
) -> dict[str, Any]:
    """Return the JSON of ``--json``. It grows by new keys only.

    ``low`` are the steps, from 1, in which instructions are below ``below``, a share of 1.
    """
    return {
        "path": path,
        "model": model,
        "window": window,
        "below": least,
        "low": [number + 1 for number in low],
        "steps": [
            {"line": line, "step": number, **step._asdict(), "total": step.total}
            for number, (line, step) in enumerate(rows, 1)
        ],
    }
