"""``ullage budget``: how a window is shared out among sections, as a table and a bar."""

import json
from collections.abc import Iterator, Sequence
from typing import Annotated, Any

import typer

from ullage import Allocation, Budget, CannotFit, InvalidBudget, allocate
from ullage.cli import output
from ullage.cli.budget_file import KEEPS, BadConfigError, Config, load
from ullage.cli.columns import lines
from ullage.cli.window import KINDS, Kind, bar

EXAMPLES = """
\b
Examples:
  ullage budget window.toml
  ullage budget window.toml --show
  ullage budget window.toml --json | jq .free

\b
CONFIG, with the paths in it relative to it:
  [budget]
  model = "claude-sonnet-4-5"    # or window = 200000
  output_reserve = 8000          # target, slack

\b
  [[section]]
  name = "instructions"
  files = ["prompts/*.md"]

\b
  [[section]]
  name = "history"
  messages = "session.json"      # any format
  quota = 0.4                    # a share; 40000 are tokens

\b
  [[section]]
  name = "documents"
  quota = 30000                  # minimum, maximum, weight, priority
  keep = "best-score"            # changes = "never", "session", "turn"
  items = [{ file = "a.md", score = 0.9 }, { tokens = 900, times = 40 }]

\b
A section holds texts, files, tokens, items or messages. One that has the
name of a section of a chat agent (instructions, knowledge, profile, summary,
history, memories, documents, question) falls as that does, unless it says
otherwise; any other falls first where its score is lowest.

\b
Exit code: 0 it fits; 1 CONFIG cannot be read; 2 wrong usage; 3 what must
stay does not fit.
"""

_BAR = 100  # cells at most
_STYLES = (
    *("black on bright_white", "black on yellow", "black on green", "white on blue"),
    *("black on magenta", "black on cyan", "white on red", "white on bright_black"),
)
_OUTSIDE = ("free", "margin", "slack", "reserve")


def budget(
    path: Annotated[str, typer.Argument(metavar="CONFIG", help="A TOML file; - is standard input.")],
    show: Annotated[bool, typer.Option("--show", help="A row for all that leaves, and why.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Exact numbers as JSON instead of tables.")] = False,
) -> None:
    """Share out a window among sections, and say what leaves."""
    try:
        config = load(path)
        found = allocate(config.sections, config.budget, estimator=config.estimator)
    except CannotFit as error:
        if as_json:
            print(json.dumps({"path": path, "cannot_fit": _cannot_fit(error)}, indent=1), flush=True)
        output.note(str(error))
        raise typer.Exit(output.CANNOT) from error
    except (OSError, MemoryError, BadConfigError, InvalidBudget, TypeError, ValueError) as error:
        name = getattr(error, "filename", None) or path
        output.note(f"{output.printable(str(name))}: {output.reason(error)}")
        raise typer.Exit(output.FAILED) from error
    if as_json:
        print(json.dumps(_report(path, config, found), indent=1), flush=True)
    else:
        _print(config, found, show=show)


def _print(config: Config, found: Allocation, *, show: bool) -> None:
    from rich.text import Text

    console = output.console()
    window = config.budget.window
    tokens = _tokens(config.budget, found)
    kinds = _kinds(list(tokens))
    cells = max(10, min(_BAR, console.width - 1))
    console.print(Text() + bar(tokens, window, window, cells, kinds), no_wrap=True, crop=False, overflow="ignore")
    console.print()
    rows = []
    keeps = {keep: name for name, keep in KEEPS.items()}
    sections = {section.name: section for section in config.sections}
    for name, share in found.sections.items():
        count = len(sections[name].items)
        stays = f"{len(share.items):,} of {count:,}" if share.left else f"{count:,}"
        quota = "" if sections[name].quota is None else f"{share.quota:,}"
        keep = keeps.get(sections[name].keep, "oldest-first")
        shown = f"{kinds[_key(name)].letter} {output.printable(name)}"
        rows.append([shown, f"{share.wanted:,}", quota, f"{share.tokens:,}", _share(share.tokens, window), stays, keep])
    for name in ("framing", *_OUTSIDE):
        if tokens[name]:
            shown = f"{kinds[name].letter} {name}"
            rows.append([shown, "", "", f"{tokens[name]:,}", _share(tokens[name], window), "", ""])
    rows.append(["  window", "", "", f"{window:,}", "", "", ""])
    head = ["section", "asks for", "quota", "gets", "share", "items", "keep"]
    for line in lines(head, rows, left=("section", "keep")):
        console.out(line, highlight=False)
    if show:
        console.print()
        for line in _losses(found):
            console.out(line, highlight=False)


def _share(tokens: int, window: int) -> str:
    return f"{tokens / window:.1%}"


def _tokens(budget: Budget, found: Allocation) -> dict[str, int]:
    """Tokens of the window: sections, framing, and what is not sent."""
    sections = {_key(name): share.tokens for name, share in found.sections.items()}
    left = budget.window - budget.output_reserve - budget.held
    return {
        **sections,
        "framing": found.tokens - sum(sections.values()),
        "free": found.free + left - budget.room,
        "margin": budget.room - found.receipt.limit,
        "slack": budget.held,
        "reserve": budget.output_reserve,
    }


def _key(section: str) -> str:
    """What a section is called in the bar: it may have the name of something else there."""
    return f"section {section}"


def _kinds(names: Sequence[str]) -> dict[str, Kind]:
    """A letter of its own for each section, from its name where one is left, and a colour."""
    kinds = {"framing": Kind("+", "dim"), "slack": Kind("=", "dim")} | {name: KINDS[name] for name in _OUTSIDE[:2]}
    kinds["reserve"] = KINDS["reserve"]
    used: set[str] = set()
    for at, name in enumerate(name for name in names if name not in kinds):
        wanted = [*name.removeprefix(_key("")).upper(), *"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"]
        free = (letter for letter in wanted if letter.isascii() and letter.isalnum() and letter not in used)
        letter = next(free, "?")
        used.add(letter)
        kinds[name] = Kind(letter, _STYLES[at % len(_STYLES)])
    return {name: kinds[name] for name in names}


def _losses(found: Allocation) -> Iterator[str]:
    """Lines of a table with a row for each thing that left."""
    if not found.receipt.entries:
        return iter(("Nothing leaves.",))
    rows = [
        [
            output.printable(entry.section or ""),
            f"{entry.start:,}" if entry.stop - entry.start == 1 else f"{entry.start:,}-{entry.stop - 1:,}",
            entry.action,
            f"{entry.before:,}",
            f"{entry.after:,}",
            entry.why,
        ]
        for entry in found.receipt.entries
    ]
    return lines(["section", "items", "done", "before", "after", "why"], rows, left=("section", "done", "why"))


def _report(path: str, config: Config, found: Allocation) -> dict[str, Any]:
    """Return the JSON of ``--json``. It grows by new keys only; all numbers are exact integers but for shares."""
    budget = config.budget
    counts = {section.name: len(section.items) for section in config.sections}
    return {
        "path": path,
        "model": config.model,
        "window": budget.window,
        "output_reserve": budget.output_reserve,
        "slack": budget.held,
        "room": budget.room,
        "tokens": found.tokens,
        "free": found.free,
        "sections": [
            {
                "name": name,
                "wanted": share.wanted,
                "quota": share.quota,
                "tokens": share.tokens,
                "items": counts[name],
                "items_sent": len(share.items),
            }
            for name, share in found.sections.items()
        ],
        "receipt": found.receipt.to_dict(),
    }


def _cannot_fit(error: CannotFit) -> dict[str, Any]:
    return {"needed": error.needed, "limit": error.limit, "over": error.over, "parts": dict(error.parts)}
