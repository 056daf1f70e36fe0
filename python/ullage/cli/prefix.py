"""``ullage prefix``: whether each request repeats the one before it, and if not, why."""

import json
from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any

import typer

from ullage import Comparison, compare
from ullage.cli import models, output
from ullage.cli.fit import Format
from ullage.cli.messages import BadMessagesError, session
from ullage.cli.read import read

EXAMPLES = """
\b
Examples:
  ullage prefix before.json after.json
  ullage prefix before.json after.json --model claude-opus-5-5
  ullage prefix requests.jsonl
  ullage prefix requests.jsonl --json
  cat requests.jsonl | ullage prefix -

\b
A request is an object with messages, contents or input, and its system
prompt and tools; or a list of messages; or any other JSON value, which is
compared leaf by leaf. A file holds one, or lines of one each. All are
compared in their order, each with the one before it.

\b
What a provider has cached of a request can be read up to the first
change. Tokens are estimates: without a model, given or in the request, by
the script rule, which puts code and JSON far too low.

\b
Exit code: 0 each request repeats the one before it, or goes on from it
(cache markers may differ); 1 one changes what was sent before; 2 wrong
usage, or a file cannot be read.
"""


@dataclass(frozen=True, slots=True)
class Step:
    """One request after another.

    Attributes:
        number: of the request, from 0 for the first one.
        path: of the file that it is in.
        line: on which it begins.
        comparison: with the request before it.
    """

    number: int
    path: str
    line: int
    comparison: Comparison


def prefix(
    paths: Annotated[list[str], typer.Argument(metavar="REQUESTS", help="Files of requests; - is standard input.")],
    model: Annotated[
        str | None, typer.Option(help="Estimate tokens for this model; by default, the request's own.", metavar="MODEL")
    ] = None,
    format: Annotated[Format | None, typer.Option(help="Format of the messages; by default, detected.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="All changes as JSON instead of tables.")] = False,
) -> None:
    """Tell where and why a request breaks the cached prefix."""
    models.estimator(model)
    requests: list[tuple[str, int, object]] = []
    for path in paths:
        try:
            requests += [(path, line, value) for line, value in _load(path, format).items()]
        except (OSError, MemoryError, BadMessagesError) as error:
            output.note(f"{output.printable(path)}: {output.reason(error)}")
            raise typer.Exit(output.USAGE) from error
    if len(requests) < 2:
        raise typer.BadParameter("there is one request; give a second one to compare it with", param_hint="REQUESTS")
    steps = []
    for number, ((_, _, before), (path, line, value)) in enumerate(pairwise(requests), 1):
        try:
            steps.append(Step(number, path, line, compare(before, value, format=format, model=model)))
        except (TypeError, ValueError) as error:  # they name the place
            output.note(f"{output.printable(path)}: line {line}: {error}")
            raise typer.Exit(output.USAGE) from error
    if as_json:
        print(json.dumps({"model": model, "steps": [_report(step) for step in steps]}, indent=1), flush=True)
    else:
        from ullage.cli.prefix_tables import print_step, print_steps

        if len(steps) == 1:
            print_step(steps[0].comparison)
        else:
            print_steps(steps)
    if any(step.comparison.kind == "edit" for step in steps):
        raise typer.Exit(output.FOUND)


def _load(path: str, format: str | None) -> dict[int, object]:
    """The requests in a file, by the lines on which they begin; or the one JSON value that it is.

    Raises:
        BadMessagesError: when it is neither.
    """
    content = read(path)
    if content is None:
        raise BadMessagesError("it is binary")
    if content.replaced:
        output.note(f"{content.replaced:,} characters stand for bytes that could not be decoded")
    found = session(content.text, format)
    if found is not None:
        return {line: request.value for line, request in found.requests.items()}
    try:
        return {1: json.loads(content.text)}
    except (ValueError, RecursionError) as error:
        raise BadMessagesError(f"it holds no requests, and is no JSON: {error}") from error


def _report(step: Step) -> dict[str, Any]:
    """Return a step of ``--json``. It grows by new keys only."""
    return {"step": step.number, "path": step.path, "line": step.line, **step.comparison.to_dict()}
