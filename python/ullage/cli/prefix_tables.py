"""What ``ullage prefix`` prints: the changes of one step, or a line for each of many and what is new in them."""

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ullage import Change, Comparison
from ullage.cli import output
from ullage.cli.columns import lines, wrapped
from ullage.prefix.kinds import blank

if TYPE_CHECKING:
    from ullage.cli.prefix import Step

_INDENT = "  "
_KINDS = {
    "same": "All is the same.",
    "append": "All that was sent before is sent again, and more follows.",
    "edit": "What was sent before is changed.",
}


def print_step(comparison: Comparison) -> None:
    """Print what two requests share, and each change."""
    console = output.console()
    kept, lost, new = comparison.tokens
    console.out(_KINDS[comparison.kind], style="bold", highlight=False)
    console.out(f"{kept:,} tokens kept, {lost:,} lost, {new:,} new", highlight=False)
    for change in comparison.changes:
        console.out()
        _print_change(change, "")
    if not comparison.complete:
        console.out(f"\nThere are more changes than these {len(comparison.changes):,}.", highlight=False)


def print_steps(steps: Sequence["Step"]) -> None:
    """Print a line for each step; then each change that decides one, once for steps with the same cause and place."""
    console = output.console()
    rows = []
    for step in steps:
        change, tokens = step.comparison.change, step.comparison.tokens
        told = ["", ""] if change is None else [change.cause, output.printable(_place(change))]
        rows.append([f"{step.number:,}", f"{step.line:,}", step.comparison.kind, *(f"{n:,}" for n in tokens), *told])
    head = ["step", "line", "prefix", "kept", "lost", "new", "cause", "at"]
    for row in lines(head, rows, left=("prefix", "cause", "at")):
        console.out(row, highlight=False)
    shown: set[tuple[str, str]] = set()
    for step in steps:
        change = step.comparison.change
        if step.comparison.kind == "edit" and change is not None and (change.cause, blank(change.path)) not in shown:
            shown.add((change.cause, blank(change.path)))
            console.out()
            _print_change(change, f"step {step.number:,}, ")
    edits = sum(step.comparison.kind == "edit" for step in steps)
    output.note(f"{len(steps):,} steps; {edits:,} changed what was sent before")


def _place(change: Change) -> str:
    return change.path if change.offset is None else f"{change.path}, character {change.offset:,}"


def _print_change(change: Change, where: str) -> None:
    console = output.console()
    place = output.printable(_place(change))
    console.out(f"{change.cause} at {where}{place} ({change.what}, {change.confidence})", style="bold", highlight=False)
    for row in _excerpts(change.old, change.new, console.width - len(_INDENT)):
        console.out(f"{_INDENT}{row}", highlight=False)
    for text in (change.evidence, f"Fix: {change.fix}"):
        for row in wrapped(output.printable(text), console.width - len(_INDENT)):
            console.out(f"{_INDENT}{row}", highlight=False)


def _excerpts(old: str | None, new: str | None, width: int) -> Iterator[str]:
    """The excerpts below each other, and marks below what differs in the second one, where that is on one line."""
    from rich.cells import cell_len

    was, now = (None if each is None else output.printable(each) for each in (old, new))
    if was == now and now is not None:  # it moved
        yield f"it:  {now}"
        return
    if was is not None:
        yield f"was: {was}"
    if now is not None:
        yield f"now: {now}"
    if was is None or now is None or cell_len(f"now: {now}") > width:
        return
    start = next((at for at, (a, b) in enumerate(zip(was, now, strict=False)) if a != b), min(len(was), len(now)))
    most = min(len(was), len(now)) - start
    end = next((at for at in range(most) if was[-1 - at] != now[-1 - at]), most)
    changed = now[start : len(now) - end]
    yield " " * cell_len(f"now: {now[:start]}") + "^" * max(1, cell_len(changed))
