"""Pictures of what commands found. They need matplotlib (extra ``plot``)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

if TYPE_CHECKING:
    from collections.abc import Sequence
    from os import PathLike

    from matplotlib.axes import Axes
    from matplotlib.container import BarContainer

    from ullage.bench import Report, Result
    from ullage.cache.simulate import CostReport
    from ullage.drifting import DriftStep

OURS, OTHERS, EXACT = "#0b6e99", "#9aa5b1", "#c77d2e"
PARTS = {"instructions": OURS, "history": "#7fb069", "results": EXACT, "rest": OTHERS}


def accuracy(report: Report) -> Figure:
    """Draw errors, speeds and, by kind of text, errors of ullage's profile beside the script rule and ``len // 4``.

    Args:
        report: from ``ullage.bench.measure``; without a truth there are only speeds.
    """
    kinds = list(report.results[0].errors_by_kind)
    judged = report.truth is not None
    panels = 1 + judged + bool(kinds)
    figure = Figure(figsize=(4.6 * panels, 1.6 + 0.32 * max(len(report.results), len(kinds))), layout="constrained")
    axes = list(figure.subplots(1, panels, squeeze=False)[0])
    _speeds(axes[0], report.results)
    if judged:
        _errors(axes[1], report.results)
    if kinds:
        _by_kind(axes[-1], report.results[:3], kinds)
    truth = f", against {report.truth}" if judged else ""
    figure.suptitle(f"{report.profile}: {report.texts:,} texts{truth}", fontsize=10)
    return figure


def save_accuracy(report: Report, path: str | PathLike[str]) -> None:
    """Draw ``accuracy`` into a file, in the format of its ending.

    Raises:
        OSError: when it cannot be written.
        ValueError: when the ending is of no format that matplotlib knows.
    """
    accuracy(report).savefig(path, dpi=150)


def drift(sessions: Sequence[Sequence[DriftStep]], *, below: float, window: int | None = None) -> Figure:
    """Draw what each request sends, in tokens, and the shares of it.

    Args:
        sessions: the steps of each session, one session after the other.
        below: the share of instructions at which a line is drawn.
        window: tokens of the context window, at which a line is drawn.
    """
    figure = Figure(figsize=(10, 3.6), layout="constrained")
    tokens, shares = figure.subplots(1, 2)
    steps = [step for session in sessions for step in session]
    at = range(1, len(steps) + 1)
    sums = [[getattr(step, part) for step in steps] for part in PARTS]
    parts = [[100 * step.share(part) for step in steps] for part in PARTS]
    for axes, heights in ((tokens, sums), (shares, parts)):
        bottoms = [0.0] * len(steps)
        for (part, color), height in zip(PARTS.items(), heights, strict=True):
            axes.bar(at, height, width=1.0, bottom=bottoms, label=part, color=color)
            bottoms = [bottom + more for bottom, more in zip(bottoms, height, strict=True)]
        border = 0.5
        for session in sessions[:-1]:
            border += len(session)
            axes.axvline(border, color="white", linewidth=0.8)
        axes.set_xlim(0.5, len(steps) + 0.5)
        axes.set_xlabel("request", fontsize=8)
        axes.xaxis.set_major_locator(MaxNLocator(integer=True))
        _plain(axes)
    shares.axhline(100 * below, color="black", linewidth=0.8, linestyle="--")
    shares.set_ylim(0, 100)
    shares.set_title("share of what is sent, %", fontsize=9)
    if window is not None:
        tokens.axhline(window, color="black", linewidth=0.8)
    tokens.yaxis.set_major_formatter("{x:,.0f}")
    tokens.set_title("tokens sent", fontsize=9)
    figure.legend(*shares.get_legend_handles_labels(), fontsize=8, loc="outside lower center", ncols=4, frameon=False)
    return figure


def save_drift(
    sessions: Sequence[Sequence[DriftStep]], path: str | PathLike[str], *, below: float, window: int | None = None
) -> None:
    """Draw ``drift`` into a file, in the format of its ending.

    Raises:
        OSError: when it cannot be written.
        ValueError: when the ending is of no format that matplotlib knows.
    """
    drift(sessions, below=below, window=window).savefig(path, dpi=150)


def steps(report: CostReport) -> Figure:
    """Draw how the prompt of each step of a session is billed, and what is kept of the step before it.

    Args:
        report: from ``ullage.simulate``.
    """
    figure = Figure(figsize=(8, 4), layout="constrained")
    axes = figure.subplots()
    places = range(1, len(report.steps) + 1)
    bottom = [0] * len(report.steps)
    for name, color in (("read", OURS), ("written", EXACT), ("plain", OTHERS)):
        tokens = [getattr(step, name) for step in report.steps]
        axes.bar(places, tokens, bottom=bottom, width=1.0, color=color, label=name)
        bottom = [below + height for below, height in zip(bottom, tokens, strict=True)]
    kept = [step.kept for step in report.steps]
    axes.step(places, kept, where="mid", color="black", linewidth=0.8, label="kept")
    broken = [place for place, step in zip(places, report.steps, strict=True) if step.broken]
    if broken:
        axes.plot(broken, [bottom[place - 1] for place in broken], "rv", markersize=4, label="broken")
    axes.set_xlim(0.5, len(report.steps) + 0.5)
    axes.set_ylim(0, 1.1 * max(bottom, default=1) or 1)  # room for the marks
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    axes.set_xlabel("step", fontsize=9)
    axes.set_ylabel("tokens", fontsize=9)
    axes.yaxis.set_major_formatter("{x:,.0f}")
    axes.legend(fontsize=7, loc="upper left")
    rate = f"{report.hit_rate:.0%} read from the cache"
    axes.set_title(f"{report.rules.provider}: {report.cost:.4f} {report.unit}, {rate}", fontsize=9)
    _plain(axes)
    return figure


def save_steps(report: CostReport, path: str | PathLike[str]) -> None:
    """Draw ``steps`` into a file, in the format of its ending.

    Raises:
        OSError: when it cannot be written.
        ValueError: when the ending is of no format that matplotlib knows.
    """
    steps(report).savefig(path, dpi=150)


def _speeds(axes: Axes, results: tuple[Result, ...]) -> None:
    speeds = [result.megabytes_per_second for result in results]
    bars = _bars(axes, results, speeds)
    axes.bar_label(bars, [f"{speed:,.0f}" if speed > 10 else f"{speed:.1f}" for speed in speeds], padding=3, fontsize=8)
    axes.set_xscale("log")
    axes.margins(x=0.25)
    axes.set_title("MB/s of UTF-8", fontsize=9)


def _errors(axes: Axes, results: tuple[Result, ...]) -> None:
    estimates = tuple(result for result in results if result.errors is not None and not result.exact)
    found = [result.errors for result in estimates if result.errors is not None]
    _bars(axes, estimates, [100 * errors.mean for errors in found])
    for place, errors in enumerate(found):
        axes.plot([0, 100 * errors.p95], [place, place], color="black", linewidth=0.8, marker="|", markevery=[1])
        label = f"  {100 * errors.mean:.1f}, {100 * errors.p95:.1f}"
        axes.text(100 * errors.p95, place, label, va="center", fontsize=8)
    axes.margins(x=0.3)
    axes.set_xlim(left=0)
    axes.set_title("absolute error, %: mean and 95th percentile", fontsize=9)


def _bars(axes: Axes, results: tuple[Result, ...], values: list[float]) -> BarContainer:
    """One bar for each result, the first on top."""
    colors = [OURS if place == 0 else EXACT if result.exact else OTHERS for place, result in enumerate(results)]
    bars = axes.barh([result.name for result in results], values, color=colors, height=0.6)
    axes.invert_yaxis()
    _plain(axes)
    return bars


def _by_kind(axes: Axes, results: tuple[Result, ...], kinds: list[str]) -> None:
    for result, color, marker in zip(results, (OURS, OTHERS, EXACT), "osD", strict=False):
        means = [100 * result.errors_by_kind[kind].mean for kind in kinds]
        axes.scatter(means, kinds, color=color, marker=marker, s=22, label=result.name)
    axes.invert_yaxis()
    axes.set_xlim(left=0)
    axes.grid(axis="y", alpha=0.3)
    axes.legend(fontsize=7, loc="best")
    axes.set_title("mean absolute error by kind, %", fontsize=9)
    _plain(axes)


def _plain(axes: Axes) -> None:
    axes.spines[["top", "right"]].set_visible(False)
    axes.tick_params(labelsize=8)
