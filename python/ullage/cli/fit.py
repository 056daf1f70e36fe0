"""``ullage fit``: a session shortened to a budget, what left and why, and the window before and after."""

import enum
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from ullage import Budget, CannotFit, Estimator, InvalidBudget, Receipt
from ullage import fit as fit_messages
from ullage.cli import models, output
from ullage.cli.files import STDIN
from ullage.cli.messages import BadMessagesError, Session, load
from ullage.cli.window import by_kind
from ullage.fitting.costs import Costs
from ullage.formats import MODULES
from ullage.request import Read, Request

EXAMPLES = """
\b
Examples:
  ullage fit session.json --budget 128000 --model gpt-4o
  ullage fit session.json --budget 32000 --explain
  ullage fit session.json --budget 200000 --output-reserve 8000
  ullage fit session.json --budget 32000 --out fitted.json
  ullage fit requests.jsonl --budget 32000
  cat session.json | ullage fit - --budget 32000 --out -

\b
SESSION is a list of messages, a request (an object with messages,
contents or input, and its system prompt and tools), lines of one message
each (one conversation), or lines of one request each. Lines of requests
are fitted each by itself: a line is printed for each, with what left and
whether what was sent before is sent again unchanged.

\b
The budget is the window: all that is sent and the output reserve. Name the
model: a text then costs what it takes at most by the model's profile, a
little more than ullage count says. Without a model it is the script rule,
which puts code, JSON and logs far too low.

\b
Exit code: 0 it fits; 1 SESSION cannot be read, or a provider would
refuse it as it is; 2 wrong usage; 3 it cannot be made to fit.
"""

Format = enum.StrEnum("Format", {name: name for name in MODULES})  # type: ignore[misc]


@dataclass(frozen=True, slots=True)
class Fitted:
    """One request, fitted or not.

    Attributes:
        line: of the file, from 1.
        request: as it came.
        before: its tokens by kind.
        value: as it is sent; None where it cannot fit.
        messages: how many are sent.
        after: tokens sent, by kind.
        receipt: what was done.
        error: why it cannot fit.
        changed: the first place of the request sent before it that is not sent again; None where all of it is.
    """

    line: int
    request: Request
    before: dict[str, int]
    value: object = None
    messages: int = 0
    after: dict[str, int] | None = None
    receipt: Receipt | None = None
    error: CannotFit | None = None
    changed: str | None = None


def fit(
    path: Annotated[str, typer.Argument(metavar="SESSION", help="A file of messages; - is standard input.")],
    budget: Annotated[int, typer.Option(help="Tokens of the context window.", metavar="TOKENS", min=1)],
    output_reserve: Annotated[
        int, typer.Option(help="Tokens of it to keep free for the answer.", metavar="TOKENS", min=0)
    ] = 0,
    model: Annotated[
        str | None, typer.Option(help="Take each text at its upper bound for this model.", metavar="MODEL")
    ] = None,
    format: Annotated[Format | None, typer.Option(help="Format of the messages; by default, detected.")] = None,
    out: Annotated[
        str | None, typer.Option(metavar="FILE", help="Write the fitted session here; - prints it, and no tables.")
    ] = None,
    explain: Annotated[bool, typer.Option("--explain", help="A row for each thing that was done.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Exact numbers as JSON instead of tables.")] = False,
) -> None:
    """Fit a session into a budget, and say what leaves and why."""
    window = _budget(budget, output_reserve)
    estimator = models.estimator(model)
    if out is not None and _same_file(path, out):
        raise typer.BadParameter("it is SESSION itself, which would be overwritten", param_hint="--out")
    if out == STDIN and as_json:
        raise typer.BadParameter("it is printed in the place of what --json prints", param_hint="--out")
    try:
        found = load(path, format)
        fitted = _fit_each(found, window, estimator)
        errors = {each.line: each.error for each in fitted if each.error is not None}
        data = b"" if errors else found.write([each.value for each in fitted])
        if data and out is not None and out != STDIN:
            Path(out).write_bytes(data)
    except (OSError, MemoryError, BadMessagesError) as error:
        name = getattr(error, "filename", None) or path
        output.note(f"{output.printable(str(name))}: {output.reason(error)}")
        raise typer.Exit(output.FAILED) from error

    if as_json:
        print(json.dumps(_report(path, window, model, fitted), indent=1), flush=True)
    elif out == STDIN:
        sys.stdout.buffer.write(data)
        sys.stdout.flush()
    else:
        from ullage.cli.fit_tables import print_request, print_steps

        if found.in_lines:
            print_steps(fitted)
        else:
            print_request(fitted[0], window, explain=explain)
    for line, cannot in errors.items():
        output.note(f"line {line}: {cannot}" if found.in_lines else str(cannot))
    if errors:
        if out is not None:
            output.note("nothing is written")
        raise typer.Exit(output.CANNOT)


def _budget(window: int, reserve: int) -> Budget:
    try:
        return Budget(window, output_reserve=reserve)
    except InvalidBudget as error:
        raise typer.BadParameter(str(error), param_hint="--output-reserve") from error


def _same_file(path: str, out: str) -> bool:
    return path != STDIN and Path(path).exists() and Path(out).exists() and Path(path).samefile(out)


def _fit_each(found: Session, budget: Budget, estimator: Estimator) -> list[Fitted]:
    fitted = []
    previous: Read | None = None
    for line, request in found.requests.items():
        try:
            done, sent = _fit(line, request, budget, estimator, previous)
        except (TypeError, ValueError) as error:  # what is no message, or would be refused; they name the place
            raise BadMessagesError(f"line {line}: {error}" if found.in_lines else str(error)) from error
        fitted.append(done)
        previous = sent or previous
    return fitted


def _fit(
    line: int, request: Request, budget: Budget, estimator: Estimator, previous: Read | None
) -> tuple[Fitted, Read | None]:
    """Fit one request; give also what is sent, if anything is."""
    estimate = Costs(estimator).estimate
    before = by_kind(request.read(), estimate)
    try:
        result = fit_messages(
            request.messages,
            budget,
            tools=request.tools,
            system=request.system,
            estimator=estimator,
            format=request.format,
        )
    except CannotFit as error:
        return Fitted(line, request, before, error=error), None
    value = request.with_messages(result.messages)
    sent = request.read(result.messages)
    changed = None if previous is None else _changed(previous, sent)
    after = by_kind(sent, estimate, result.receipt.entries)
    done = Fitted(line, request, before, value, len(result.messages), after, result.receipt, changed=changed)
    return done, sent


def _changed(previous: Read, sent: Read) -> str | None:
    """The first place of a request that is not at the start of the next one; None where all of it is."""
    if sent.tools != previous.tools:
        return "tools"
    if sent.system != previous.system:
        return "system"
    for index, message in enumerate(previous.messages):
        if index >= len(sent.messages) or sent.messages[index] != message:
            return f"messages[{index}]"
    return None


def _report(path: str, budget: Budget, model: str | None, fitted: Sequence[Fitted]) -> dict[str, Any]:
    """Return the JSON of ``--json``. It grows by new keys only; all numbers are exact integers.

    ``prefix_changed`` is the first place of the request sent before that is not sent again; null where all of it is.
    What cannot fit has ``cannot_fit`` in the place of ``after`` and ``receipt``.
    """
    return {
        "path": path,
        "model": model,
        "window": budget.window,
        "output_reserve": budget.output_reserve,
        "requests": [
            {
                "line": each.line,
                "format": each.request.format,
                "messages_before": len(each.request.messages),
                "messages_after": None if each.error else each.messages,
                "before": each.before,
                "after": each.after,
                "receipt": each.receipt and each.receipt.to_dict(),
                "cannot_fit": None if each.error is None else _cannot_fit(each.error),
                "prefix_changed": each.changed,
            }
            for each in fitted
        ],
    }


def _cannot_fit(error: CannotFit) -> dict[str, Any]:
    return {
        "needed": error.needed,
        "limit": error.limit,
        "over": error.over,
        "parts": dict(error.parts),
        "help": error.help,
    }
