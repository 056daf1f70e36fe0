"""What ``ullage replay`` prints: a line for each step of a session, or for each of several sessions."""

from collections.abc import Mapping

from ullage import CostReport
from ullage.cli import output
from ullage.cli.columns import lines

_TOKENS = ("prompt", "kept", "read", "written", "plain", "output")


def print_steps(report: CostReport, never: CostReport | None = None) -> None:
    """Print a line for each step, the totals, and what never clearing would cost."""
    rows = []
    for number, step in enumerate(report.steps, 1):
        changed = step.kept < report.steps[number - 2].prompt if number > 1 else False
        what = "broken" if step.broken else "summary" if step.kind == "summary" else "changed" if changed else ""
        tokens = [f"{getattr(step, name):,}" for name in _TOKENS]
        rows.append([f"{number:,}", *tokens, _money(step.cost), what])
    kept = sum(step.kept for step in report.steps)
    totals = (report.prompts, kept, report.read, report.written, report.plain, report.output)
    rows.append(["all", *(f"{total:,}" for total in totals), _money(report.cost), ""])
    for line in lines(["step", *_TOKENS, report.unit, ""], rows, [""]):
        output.console().out(line, highlight=False)
    _close(report, None if never is None else never.cost)


def print_sessions(reports: Mapping[int, CostReport], never: Mapping[int, CostReport]) -> None:
    """Print a line for each session, by the line of the file on which it is."""
    rows = []
    for line, report in reports.items():
        tokens = [len(report.steps), report.prompts, report.read, report.written, report.plain, report.output]
        rows.append([f"{line:,}", *(f"{each:,}" for each in tokens), f"{report.hit_rate:.1%}", _money(report.cost)])
    each = list(reports.values())
    prompts, read = sum(report.prompts for report in each), sum(report.read for report in each)
    totals = [sum(len(report.steps) for report in each), prompts, read]
    totals += [sum(getattr(report, name) for report in each) for name in ("written", "plain", "output")]
    rate, cost = f"{read / prompts if prompts else 0:.1%}", sum(report.cost for report in each)
    rows.append(["all", *(f"{total:,}" for total in totals), rate, _money(cost)])
    head = ["line", "steps", "prompts", "read", "written", "plain", "output", "hits", each[0].unit]
    for row in lines(head, rows, []):
        output.console().out(row, highlight=False)
    if never:
        without = sum(report.cost for report in never.values())
        output.console().out(_against(cost, without, each[0].unit), highlight=False)


def _close(report: CostReport, never: float | None) -> None:
    console = output.console()
    rules = report.rules
    console.out("", highlight=False)
    console.out(
        f"{report.hit_rate:.1%} of all prompts is read from the cache of {rules.provider}, "
        f"at {rules.read:g} of the price of input (rules of {rules.checked})",
        highlight=False,
    )
    if never is not None:
        console.out(_against(report.cost, never, report.unit), highlight=False)


def _against(cost: float, never: float, unit: str) -> str:
    ratio = f", {cost / never:.2f} times that" if never else ""
    return f"never clearing costs {_money(never)} {unit}; this costs {_money(cost)}{ratio}"


def _money(cost: float) -> str:
    return f"{cost:.4f}"
