"""What ``ullage fit`` prints: bars and tables of one request, or a line for each of many."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ullage import Budget, Receipt
from ullage.cli import output
from ullage.cli.columns import lines
from ullage.cli.window import KINDS, bar, room
from ullage.receipt import Entry

if TYPE_CHECKING:
    from ullage.cli.fit import Fitted

_BAR = 100  # cells at most
_LABEL = 8  # cells before a bar

_DONE = {
    "cleared": ("1 result cleared", "{:,} results cleared"),
    "cut": ("1 result cut", "{:,} results cut"),
    "dropped": ("1 message left out", "{:,} messages left out"),
    "noted": ("1 note put in", "{:,} notes put in"),
}


def print_request(fitted: "Fitted", budget: Budget, *, explain: bool) -> None:
    """Print one request: the bars, the kinds, and what was done."""
    from rich.text import Text

    console = output.console()
    receipt, error = fitted.receipt, fitted.error
    limit = receipt.limit if receipt is not None else error.limit if error is not None else budget.room
    sent = {"before": fitted.before} if fitted.after is None else {"before": fitted.before, "after": fitted.after}
    full = {name: {**tokens, **room(tokens, budget, limit)} for name, tokens in sent.items()}
    scale = max(sum(tokens.values()) for tokens in full.values())
    cells = max(10, min(_BAR, console.width - _LABEL - 1))
    for name, tokens in full.items():
        line = Text(name.ljust(_LABEL)) + bar(tokens, budget.window, scale, cells)
        console.print(line, no_wrap=True, crop=False, overflow="ignore")
    console.print()
    table = [
        [f"{KINDS[kind].letter} {kind}", *(f"{tokens[kind]:,}" for tokens in full.values())]
        for kind in KINDS
        if any(tokens[kind] for tokens in full.values())
    ]
    table.append(["  all that is sent", *(f"{sum(tokens.values()):,}" for tokens in sent.values())])
    messages = (len(fitted.request.messages), fitted.messages)
    table.append(["  messages", *(f"{number:,}" for number in messages[: len(sent)])])
    for row in lines(["kind", *sent], table, left=("kind",)):
        console.out(row, highlight=False)
    if receipt is None:
        return
    console.print()
    if not receipt.entries:
        console.out("It fits as it is.", highlight=False)
    for row in _explained(receipt) if explain else _summed(receipt):
        console.out(row, highlight=False)


def print_steps(fitted: Sequence["Fitted"]) -> None:
    """Print a line for each request, and how often what was sent before it changed."""
    console = output.console()
    head = ["line", "messages", "sent", "before", "after", *_DONE, "prefix"]
    rows = []
    for index, each in enumerate(fitted):
        receipt = each.receipt
        row = [f"{each.line:,}", f"{len(each.request.messages):,}"]
        if receipt is None:
            row += ["", f"{sum(each.before.values()):,}", *[""] * (1 + len(_DONE)), "cannot fit"]
        else:
            numbers = [each.messages, receipt.before, receipt.after, *(_number(receipt, action) for action in _DONE)]
            row += [f"{number:,}" for number in numbers]
            row.append(f"changed at {each.changed}" if each.changed else "kept" if index else "")
        rows.append(row)
    for line in lines(head, rows, left=("prefix",)):
        console.out(line, highlight=False)
    changed = sum(each.changed is not None for each in fitted)
    output.note(f"{len(fitted):,} requests; what was sent before changed {changed:,} times")


def _summed(receipt: Receipt) -> Iterator[str]:
    """Lines of a table with a row for all that was done for one reason."""
    groups: defaultdict[tuple[str, str], list[Entry]] = defaultdict(list)
    for entry in receipt.entries:
        groups[entry.action, entry.why].append(entry)
    rows = []
    for (action, why), entries in groups.items():
        one, more = _DONE[action]
        number = sum(map(_messages_or_one, entries))
        before, after = sum(entry.before for entry in entries), sum(entry.after for entry in entries)
        rows.append([one if number == 1 else more.format(number), f"{before:,}", f"{after:,}", why])
    return lines(["done", "before", "after", "why"], rows, left=("done", "why")) if rows else iter(())


def _explained(receipt: Receipt) -> Iterator[str]:
    """Lines of a table with a row for each thing that was done."""
    rows = [
        [
            f"{entry.start:,}" if entry.stop - entry.start <= 1 else f"{entry.start:,}-{entry.stop - 1:,}",
            entry.action,
            output.printable(entry.tool or ""),
            output.printable(entry.call_id or ""),
            f"{entry.before:,}",
            f"{entry.after:,}",
            entry.why,
        ]
        for entry in receipt.entries
    ]
    head = ["messages", "done", "tool", "call", "before", "after", "why"]
    return lines(head, rows, left=("done", "tool", "call", "why")) if rows else iter(())


def _number(receipt: Receipt, action: str) -> int:
    return sum(_messages_or_one(entry) for entry in receipt.entries if entry.action == action)


def _messages_or_one(entry: Entry) -> int:
    """How many things an entry is: each message that left, or one result or note."""
    return entry.stop - entry.start if entry.action == "dropped" else 1
