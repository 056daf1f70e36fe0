"""``ullage lint``: what in a request spoils its prompt cache."""

import json
from collections import Counter
from collections.abc import Sequence
from typing import Annotated, Any

import typer

from ullage import Finding, UnknownModel
from ullage import lint as find
from ullage.cli import models, output
from ullage.cli.columns import wrapped
from ullage.cli.fit import Format
from ullage.cli.messages import BadMessagesError, load
from ullage.prefix.linting.finding import Severity

EXAMPLES = """
\b
Examples:
  ullage lint request.json
  ullage lint request.json --model claude-opus-5-5 --provider bedrock
  ullage lint requests.jsonl --json
  cat request.json | ullage lint -

\b
REQUEST is a request as it is sent (an object with messages, contents or
input, and its system prompt and tools), a list of messages, or lines of
one request each. Looked at are tools, system prompt and settings, the
cache markers everywhere, and the first message. One request shows less
than two: to see what changed from one to the next, use ullage prefix.

\b
Exit code: 0 nothing but notes; 1 an error or a warning is found; 2 wrong
usage, or REQUEST cannot be read.
"""

_SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
_STOPS = ("error", "warning")
_INDENT = "  "


def lint(
    path: Annotated[str, typer.Argument(metavar="REQUEST", help="A file of requests; - is standard input.")],
    model: Annotated[
        str | None, typer.Option(help="The model that it is sent to; by default, the request's.", metavar="MODEL")
    ] = None,
    provider: Annotated[
        str | None,
        typer.Option(help="Who serves the model; by default, told by model and format.", metavar="PROVIDER"),
    ] = None,
    format: Annotated[Format | None, typer.Option(help="Format of the messages; by default, detected.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The findings as JSON.")] = False,
) -> None:
    """Find what in a request spoils its prompt cache."""
    models.estimator(model)
    try:
        session = load(path, format)
        requests = session.requests.items()
        found = {line: _find(request.value, line, format, model, provider) for line, request in requests}
    except (OSError, MemoryError, BadMessagesError) as error:
        output.note(f"{output.printable(path)}: {output.reason(error)}")
        raise typer.Exit(output.USAGE) from error
    if as_json:
        print(json.dumps(_report(path, found), indent=1), flush=True)
    else:
        together = _together(found)
        _print(together, in_lines=session.in_lines)
        _sum_up([finding for finding, _ in together], len(found))
    if any(finding.severity in _STOPS for findings in found.values() for finding in findings):
        raise typer.Exit(output.FOUND)


def _find(
    request: object, line: int, format: str | None, model: str | None, provider: str | None
) -> tuple[Finding, ...]:
    try:
        return find(request, format=format, model=model, provider=provider)
    except UnknownModel as error:
        raise typer.BadParameter(str(error), param_hint="--provider") from error
    except (TypeError, ValueError) as error:  # they name the place
        raise BadMessagesError(f"line {line}: {error}") from error


def _together(found: dict[int, tuple[Finding, ...]]) -> list[tuple[Finding, list[int]]]:
    """What is found by the same rule at the same place of several requests once, with the lines of all of them."""
    together: dict[tuple[object, ...], tuple[Finding, list[int]]] = {}
    for line, findings in found.items():
        for finding in findings:
            same = (finding.severity, finding.rule, finding.path, finding.offset)
            together.setdefault(same, (finding, []))[1].append(line)
    return list(together.values())


def _print(together: Sequence[tuple[Finding, list[int]]], *, in_lines: bool) -> None:
    console = output.console()
    for finding, requests in together:
        more = f" and {len(requests) - 1:,} more" if len(requests) > 1 else ""
        where = f"line {requests[0]:,}{more}, " if in_lines else ""
        place = finding.path if finding.offset is None else f"{finding.path}, character {finding.offset:,}"
        console.out(f"{finding.severity}: {finding.rule} at {where}{output.printable(place)}", style="bold")
        for text in (output.printable(finding.excerpt), output.printable(finding.sentence), f"Fix: {finding.fix}"):
            for row in wrapped(text, console.width - len(_INDENT)):
                console.out(f"{_INDENT}{row}", highlight=False)
        console.out()


def _sum_up(findings: Sequence[Finding], count: int) -> None:
    counts = Counter(finding.severity for finding in findings)
    told = [f"{counts[each]:,} {each}{'' if counts[each] == 1 else 's'}" for each in _SEVERITIES if counts[each]]
    requests = "1 request" if count == 1 else f"{count:,} requests"
    output.console().out(f"{requests}: {', '.join(told) or 'nothing found'}", highlight=False)


def _report(path: str, found: dict[int, tuple[Finding, ...]]) -> dict[str, Any]:
    """Return the JSON of ``--json``. It grows by new keys only."""
    requests = [
        {"line": line, "findings": [finding._asdict() for finding in findings]} for line, findings in found.items()
    ]
    return {"path": path, "requests": requests}
