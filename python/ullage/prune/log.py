"""Logs of tests, builds and anything else, cut down to the verdict, the failures and the lines around them.

A pruned log is a selection of its lines in their order, with marks in the gaps. Every line has a rank (`Tier` first),
and as many lines as fit are taken by rank.
"""

import re
from collections.abc import Iterable
from itertools import accumulate

from ullage.prune.families import FAMILIES, Found, Tier, find_exit, find_odd
from ullage.prune.limit import Limit, TokenEstimator, largest
from ullage.prune.marks import lines_behind, lines_mark
from ullage.prune.text import cut_middle, shorten

_FIRST, _LAST = 2, 4
"""Lines of the edges that come before what merely looks like an error."""

_NARROWEST = 60

_MOST_LINES = 1_000_000

_TRIES = 8
"""Lines that may be too long for a small budget before the log is cut as plain text."""

_ESCAPE = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)|[ -/]*[0-~])")
"""Control sequences of ECMA-48 (CSI), operating system commands, and the two-character escapes."""


def prune_log(text: str, *, max_tokens: int, estimator: TokenEstimator | None = None) -> str:
    r"""``text`` if it fits, else what matters of it: verdict, names of failures, and the lines around each of them.

    pytest, unittest, cargo test, rustc, go, jest, node:test, npm, tsc, gcc, clang and make are recognised by what they
    write; of any other log, the head, the tail and the lines that look like errors stay. Where there is no room for the
    details of every failure, the names come first, and the marks count those that are missing. Text without anything
    that looks like an error is cut as by `prune_text`.

    Of a log of more than a million lines, only the first and the last half million are read. A text that has to be cut
    loses its terminal escapes and the overwritten parts of progress bars, unmarked; CRLF becomes LF.

    Args:
        text: The log.
        max_tokens: Tokens that the result must not exceed by ``estimator``.
        estimator: What counts; the script rule by default.

    Raises:
        ValueError: The budget does not even hold the mark.

    >>> log = "\n".join(f"copying {i}" for i in range(1000)) + "\nerror: disk full\ncleaning up\nbye"
    >>> print(prune_log(log, max_tokens=30))
    copying 0
    copying 1
    copying 2
    [... truncated, 995 lines]
    copying 998
    copying 999
    error: disk full
    cleaning up
    bye

    """
    limit = Limit(max_tokens, estimator)
    if limit.holds(text):
        return text
    plain = _as_seen(text)
    if limit.holds(plain):
        return plain
    width = max(_NARROWEST, 2 * limit.max_tokens)
    lines = [shorten(line, width) for line in _split(plain)]
    found = _find(plain, lines)
    if not found:
        return cut_middle(plain, limit)
    order = _order(found, len(lines))
    selection = _Selection(lines, {number for number, one in found.items() if one.tier == Tier.NAME})
    for first in range(min(_TRIES, len(order))):
        kept = largest(lambda size: selection.render(order[first : first + size]), limit.holds, len(lines))  # noqa: B023
        if kept is not None:
            return kept
    return cut_middle(plain, limit)


def _as_seen(text: str) -> str:
    """``text`` as a terminal leaves it: no escapes, no CR, of a progress bar only its last state."""
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    if "\r" in text:
        text = text.replace("\r\n", "\n")
        text = "\n".join(line.rstrip("\r").rpartition("\r")[2] for line in text.split("\n"))
    return text


def _split(text: str) -> list[str]:
    """The lines of ``text``; of more than a million, those in the middle as one mark, unread."""
    lines = text.split("\n", _MOST_LINES // 2)
    if len(lines) > _MOST_LINES // 2:
        lines += lines.pop().rsplit("\n", _MOST_LINES // 2)
        middle = lines[_MOST_LINES // 2]
        count, failures = lines_behind(middle, 0, len(middle))
        if count > 1:
            lines[_MOST_LINES // 2] = lines_mark(count, failures)
    return lines


def _find(text: str, lines: list[str]) -> dict[int, Found]:
    """The best that any family says about each line; a failure is named once."""
    best: dict[int, Found] = {}
    for family in FAMILIES:
        if family.applies(text):
            _keep_best(best, family.find(lines))
    _keep_best(best, find_exit(lines))
    # What a family knows is better than what merely looks like an error.
    odd: dict[int, Found] = {}
    _keep_best(odd, find_odd(lines))
    best = odd | best
    named: set[str] = set()
    for number in sorted(number for number, found in best.items() if found.tier == Tier.NAME):
        if lines[number] in named:
            best[number] = Found(number, Tier.BLOCK, 0)
        named.add(lines[number])
    return best


def _keep_best(best: dict[int, Found], found: Iterable[Found]) -> None:
    for one in found:
        if one.line not in best or one[1:] < best[one.line][1:]:
            best[one.line] = one


def _order(found: dict[int, Found], count: int) -> list[int]:
    """All lines, the most valuable first: by tier, within it failure by failure in turns, then by position."""
    for number in (*range(min(_FIRST, count)), *range(max(0, count - _LAST), count)):
        edge = Found(number, Tier.EDGE, 0)
        found[number] = min(found.get(number, edge), edge, key=lambda one: one[1:])
    ranked = sorted(found.values(), key=lambda one: (one.tier, one.nth, one.line))
    noise = [one.line for one in ranked if one.tier == Tier.NOISE]
    rest = (number for near in range((count + 1) // 2) for number in dict.fromkeys((near, count - 1 - near)))
    return [
        *(one.line for one in ranked if one.tier != Tier.NOISE),
        *(number for number in rest if number not in found),
        *noise,
    ]


class _Selection:
    """Renders a choice of lines, with marks in the gaps."""

    def __init__(self, lines: list[str], names: set[int]) -> None:
        self._lines = lines
        behind = [lines_behind(line, 0, len(line)) if line.startswith("[...") else (1, 0) for line in lines]
        # Sums up to each line, so that a gap is counted without a walk over it.
        self._sizes = [0, *accumulate(len(line) + 1 for line in lines)]
        self._counts = [0, *accumulate(count for count, _ in behind)]
        self._names = [
            0,
            *accumulate(failures + (number in names) for number, (_, failures) in enumerate(behind)),
        ]

    def render(self, chosen: list[int]) -> str:
        """The chosen lines in their order."""
        parts: list[str] = []
        start = 0
        for number in (*sorted(chosen), len(self._lines)):
            if number > start:
                parts.append(self._gap(start, number))
            if number < len(self._lines):
                parts.append(self._lines[number])
            start = number + 1
        return "\n".join(parts)

    def _gap(self, start: int, end: int) -> str:
        mark = lines_mark(self._counts[end] - self._counts[start], self._names[end] - self._names[start])
        if self._sizes[end] - self._sizes[start] - 1 <= len(mark):
            return "\n".join(self._lines[start:end])
        return mark
