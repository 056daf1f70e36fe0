"""What fills a context window, by kind, and the bar that shows it: a letter a kind, so that it needs no colour."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from ullage import Budget
from ullage.fitting.layout import Estimate, cost
from ullage.formats.record import Part, belongs_to_result, speaker
from ullage.receipt import Entry
from ullage.request import Read

if TYPE_CHECKING:
    from rich.text import Text


class Kind(NamedTuple):
    """How a kind of tokens is shown: a letter, and a colour where there are colours."""

    letter: str
    style: str


KINDS = {
    "system": Kind("S", "black on bright_white"),
    "tools": Kind("T", "black on yellow"),
    "user": Kind("U", "black on green"),
    "assistant": Kind("A", "white on blue"),
    "thinking": Kind("H", "white on bright_black"),
    "tool results": Kind("R", "black on magenta"),
    "notes": Kind("N", "black on cyan"),
    "free": Kind(".", ""),
    "margin": Kind("~", "dim"),
    "reserve": Kind("-", "dim"),
}
"""In the order of the bar. All but the last three are sent. The margin is kept free by a profile."""
_EDGE = "|"


def by_kind(read: Read, estimate: Estimate, entries: Sequence[Entry] = ()) -> dict[str, int]:
    """Tokens of a request by kind; they add up to all its tokens.

    A message's framing goes to who speaks, and that of the request to the assistant, for whose answer it stands.

    Args:
        read: the request.
        estimate: of each text.
        entries: what was done to it. What came in for what left is counted under "notes".
    """
    tokens = dict.fromkeys(("system", "tools", "user", "assistant", "thinking", "tool results", "notes"), 0)
    tokens["tools"] = cost(read.tools, estimate)
    tokens["assistant"] = read.framing
    if read.system is not None:
        tokens["system"] = read.system.frame + sum(cost(part, estimate) for part in read.system.parts)
    for record in read.messages:
        said_by = speaker(record)
        own = "tool results" if said_by == "tool" else said_by
        tokens[own] += record.frame
        for part in record.parts:
            tokens[_kind(part, own)] += cost(part, estimate)
    for entry in entries:
        if entry.action in ("noted", "cleared"):
            note = entry.after - (entry.before if entry.action == "noted" else 0)
            tokens["notes"] += note
            tokens["user" if entry.action == "noted" else "tool results"] -= note
    return tokens


def room(tokens: Mapping[str, int], budget: Budget, limit: int) -> dict[str, int]:
    """What of the window is not sent: free, kept back by a profile, and the reserve."""
    return {
        "free": max(0, limit - sum(tokens.values())),
        "margin": budget.room - limit,
        "reserve": budget.output_reserve,
    }


def bar(tokens: Mapping[str, int], window: int, scale: int, cells: int, kinds: Mapping[str, Kind] = KINDS) -> "Text":
    """A bar of so many cells for `scale` tokens, with the edge of the window marked."""
    from rich.text import Text

    text = Text()
    edge = round(window / scale * cells)
    for at, kind in enumerate(_cells(tokens, scale, cells, kinds)):
        if at == edge:
            text.append(_EDGE)
        text.append(*kinds[kind])
    if len(text) == edge:
        text.append(_EDGE)
    return text


def _kind(part: Part, own: str) -> str:
    if part.kind == "thinking":
        return "thinking"
    return "tool results" if belongs_to_result(part) else own


def _cells(tokens: Mapping[str, int], scale: int, cells: int, kinds: Mapping[str, Kind]) -> Iterator[str]:
    """The kind of each cell. Borders are rounded, so that the whole has its right length."""
    done = filled = 0
    for kind in kinds:
        done += tokens.get(kind, 0)
        stop = round(done / scale * cells)
        yield from [kind] * (stop - filled)
        filled = max(filled, stop)
