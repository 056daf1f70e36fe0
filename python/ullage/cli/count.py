"""``ullage count``: estimated tokens of files, folders and standard input, beside what ``len // 4`` makes of them."""

import enum
import json
from collections import defaultdict
from pathlib import Path
from typing import Annotated, Any

import typer

from ullage.cli import files, models, output
from ullage.cli.counts import Counts
from ullage.cli.messages import BadMessagesError, sent
from ullage.cli.read import read
from ullage.cli.script import main_script

Rows = list[tuple[str, Counts]]

EXAMPLES = """
\b
Examples:
  ullage count README.md src
  ullage count src --model gpt-4o
  ullage count corpora --by script
  ullage count . --by folder --sort path
  git diff | ullage count -
  ullage count src --json

\b
tokens: by the script rule, which puts code, JSON and logs far too low; by
the profile of its tokenizer, which is far closer, where a model is named.
ASCII, CJK and other: the characters that the script rule tells apart.
ratio: tokens over len//4. It is where counting characters goes wrong.
Below a folder, symbolic links, binary files and what a .gitignore names
are left out.

\b
Messages in .json, .jsonl and standard input are counted as what is sent:
a list of messages or a request (an object with messages, contents or
input, and its system prompt and tools), or lines of one message each
(one conversation) or of one request each.

\b
Exit code: 0 fine; 1 something could not be read, the rest is counted;
2 wrong usage.
"""


class By(enum.StrEnum):
    """What a row stands for."""

    FILE = "file"
    FOLDER = "folder"
    SCRIPT = "script"


class Sort(enum.StrEnum):
    """The order of rows: numbers from the largest down, then by path."""

    TOKENS = "tokens"
    CHARACTERS = "characters"
    PATH = "path"


def count(
    paths: Annotated[list[str], typer.Argument(metavar="PATH", help="Files and folders; - is standard input.")],
    by: Annotated[By, typer.Option(help="A row for each file, folder, or main script of a file.")] = By.FILE,
    sort: Annotated[Sort, typer.Option(help="Order of rows; numbers from the largest down.")] = Sort.TOKENS,
    model: Annotated[
        str | None, typer.Option(help="Estimate by the profile of this model's tokenizer.", metavar="MODEL")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Exact numbers as JSON instead of a table.")] = False,
) -> None:
    """Estimate the tokens of files, folders and standard input."""
    estimator = models.estimator(model)
    found = files.find(paths)
    groups: defaultdict[str, list[Counts]] = defaultdict(list)
    binary = 0
    for path in output.track(found.files, "Counting", quiet=as_json):
        try:
            content = read(path)
            if content is None:
                binary += 1
                continue
            requests = sent(path, content.text, estimator)
        except (OSError, MemoryError, BadMessagesError) as error:
            found.unreadable.append((path, output.reason(error)))
            continue
        text = content.text if requests is None else requests.text
        counts = Counts.of(text, estimator)._replace(replaced=content.replaced)
        if requests is not None:
            counts = counts._replace(tokens=requests.tokens, messages=requests.messages)
        groups[_group(path, text, by)].append(counts)

    rows = _sorted([(name, Counts.total(counts)) for name, counts in groups.items()], sort)
    total = Counts.total(counts for _, counts in rows)
    if as_json:
        print(json.dumps(_report(by, model, rows, total, found, binary), indent=1), flush=True)
    else:
        _print_table(by, rows, total, found, binary)
    for path, reason in found.unreadable:
        output.note(f"{output.printable(path)}: {reason}")
    if found.unreadable:
        raise typer.Exit(output.FAILED)


def _group(path: str, text: str, by: By) -> str:
    match by:
        case By.FILE:
            return path
        case By.FOLDER:
            return path if path == files.STDIN else str(Path(path).parent)
        case By.SCRIPT:
            return main_script(text)


def _sorted(rows: Rows, sort: Sort) -> Rows:
    rows = sorted(rows)
    if sort is not Sort.PATH:
        rows.sort(key=lambda row: -getattr(row[1], sort.value))
    return rows


def _report(by: By, model: str | None, rows: Rows, total: Counts, found: files.Found, binary: int) -> dict[str, Any]:
    """Return the JSON of ``--json``. It grows by new keys only; all numbers are exact integers.

    A row has a ``path`` (a file, folder or script, as ``by`` says) and the fields of ``Counts``; so has ``total``,
    without the path. ``skipped`` counts what was left out on purpose, ``unreadable`` lists what failed.
    """
    return {
        "by": by.value,
        "model": model,
        "rows": [{"path": path, **counts._asdict()} for path, counts in rows],
        "total": total._asdict(),
        "skipped": {"binary": binary, "ignored": found.ignored, "special": found.special},
        "unreadable": [{"path": path, "reason": reason} for path, reason in found.unreadable],
    }


def _print_table(by: By, rows: Rows, total: Counts, found: files.Found, binary: int) -> None:
    from ullage.cli.table import print_table

    if rows:
        print_table(by.value, rows, total)
    skipped = {"binary": binary, "ignored": found.ignored, "not a regular file": found.special}
    if any(skipped.values()):
        output.note("left out: " + ", ".join(f"{number:,} {kind}" for kind, number in skipped.items() if number))
    if total.messages:
        are = "1 message is" if total.messages == 1 else f"{total.messages:,} messages are"
        output.note(f"{are} counted as what is sent, with framing, not as JSON")
    if total.replaced:
        output.note(f"{total.replaced:,} characters stand for bytes that could not be decoded")
    if not rows:
        output.note("nothing to count")
