"""What the items of each section cost, and which of them can only leave together.

A text costs its estimate (by a profile, with its share of the upper bound), a message also its framing, and a content
block what it costs in a message, without that message's framing. All texts are estimated in one batch.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal, NamedTuple, TypeAlias, cast

import numpy as np
from numpy.typing import NDArray

from ullage import formats
from ullage._core import Estimator
from ullage.budgets.keep import HeadAndTail, LowestScoreFirst, OldestFirst, Truncate
from ullage.budgets.section import Item, Section
from ullage.fitting.costs import Costs
from ullage.fitting.layout import Layout, cost
from ullage.formats.detection import detect
from ullage.formats.record import Format, fields

Kind: TypeAlias = Literal["text", "block", "message"]

# Of what has no role: these types are content blocks, and others are messages.
_BLOCKS = frozenset(
    {"text", "image", "document", "search_result", "image_url", "input_audio", "file"}
    | {"input_text", "input_image", "input_file"}
)
_BY_TURNS = (OldestFirst, HeadAndTail, Truncate)


@dataclass(frozen=True, slots=True)
class Measured:
    """One section, measured.

    Attributes:
        section: as it came.
        contents: of its items.
        scores: of its items; 0 where none is given.
        costs: of its items, in tokens.
        starts: index of the first item of each unit, whose items leave together.
        layout: of its messages; None where they are none.
        known: indices of the items whose tokens were given.
    """

    section: Section
    contents: Sequence[object]
    scores: NDArray[np.float64]
    costs: NDArray[np.int64]
    starts: NDArray[np.intp]
    layout: Layout | None
    known: Collection[int]


class _Opened(NamedTuple):
    """A section's items taken apart. `known` are the tokens that are given, by index."""

    section: Section
    contents: Sequence[object]
    scores: NDArray[np.float64]
    known: Mapping[int, int]
    kind: Kind


def measure(
    sections: Sequence[Section], estimator: Estimator, costs: Costs, format: str | None
) -> tuple[list[Measured], Format | None]:
    """Measure sections; give also the format, where they have messages or blocks, or one is named.

    Raises:
        TypeError: when an item is not a text, a message or a block; the section is named.
        ValueError: when the format is not known, or a score is below 0 where the best choice is made.
    """
    opened = [_open(section) for section in sections]
    shape = None if format is None else formats.named(format)
    if shape is None and any(each.kind != "text" for each in opened):
        shape = formats.named(_detect(opened))
    texts = [text for each in opened if each.kind == "text" for text in _texts(each)]
    batch = costs.estimate_batch(texts)
    at = 0
    measured = []
    for each in opened:
        if shape is None or each.kind == "text":
            stop = at + len(each.contents) - len(each.known)
            measured.append(_of_texts(each, batch[at:stop]))
            at = stop
            continue
        try:
            measured.append(
                _of_messages(each, shape, estimator) if each.kind == "message" else _of_blocks(each, shape, costs)
            )
        except TypeError as error:
            raise TypeError(f"section {each.section.name!r}: {error}") from None
    return measured, shape


def _open(section: Section) -> _Opened:
    contents: Sequence[object] = section.items
    scores, known = np.zeros(len(contents)), dict[int, int]()
    kinds = set(map(type, contents))
    if any(issubclass(kind, Item) for kind in kinds):
        items = cast(Sequence[Item], contents)
        if kinds != {Item}:
            items = [item if isinstance(item, Item) else Item(item) for item in contents]
        contents = [item.content for item in items]
        scores = np.array([item.score for item in items])
        if section.keep == LowestScoreFirst("best") and scores.min() < 0:
            at = int(scores.argmin())
            raise ValueError(
                f"item {at} of section {section.name!r} has score {scores[at]:g}; the best choice adds scores up, and "
                "needs 0 or more"
            )
        given = [item.tokens for item in items]
        if given.count(None) < len(given):
            known = {at: tokens for at, tokens in enumerate(given) if tokens is not None}
    if all(issubclass(kind, str) for kind in set(map(type, contents))):
        return _Opened(section, contents, scores, known, "text")
    found = {_kind(content, f"{section.name}[{at}]") for at, content in enumerate(contents) if at not in known}
    if "message" in found and len(found) > 1:
        raise TypeError(f"section {section.name!r} mixes messages with other items; give it one kind of them")
    kind: Kind = "message" if "message" in found else "block" if "block" in found else "text"
    return _Opened(section, contents, scores, known, kind)


def _kind(content: object, path: str) -> Kind:
    if isinstance(content, str):
        return "text"
    named = fields(content, path)
    if not isinstance(content, dict) or "role" in named or "parts" in named or "kind" in named:
        return "message"
    form = named.get("type")
    return "block" if form in _BLOCKS or (form is None and "id" not in named) else "message"


def _detect(opened: Sequence[_Opened]) -> str:
    """The format of all messages together; without any, that of the blocks in a message."""
    messages = [content for each in opened if each.kind == "message" for content in each.contents]
    blocks = [
        content for each in opened if each.kind == "block" for content in each.contents if isinstance(content, dict)
    ]
    return detect(messages or [{"role": "user", "content": blocks}])


def _texts(opened: _Opened) -> Sequence[str]:
    """The texts that are to be estimated."""
    if not opened.known:
        return cast(Sequence[str], opened.contents)
    return [cast(str, content) for at, content in enumerate(opened.contents) if at not in opened.known]


def _of_texts(opened: _Opened, estimated: NDArray[np.int64]) -> Measured:
    section, contents, scores, known, _ = opened
    costs = estimated
    if known:
        costs = np.zeros(len(contents), np.int64)
        given = list(known)
        costs[given] = list(known.values())
        costs[np.delete(np.arange(len(contents)), given)] = estimated
    return Measured(section, contents, scores, costs, np.arange(len(contents)), None, known)


def _of_blocks(opened: _Opened, shape: Format, costs: Costs) -> Measured:
    section, contents, scores, known, _ = opened
    key = "parts" if shape.NAME == "gemini" else "content"
    numbers = []
    for at, content in enumerate(contents):
        if at in known:
            numbers.append(known[at])
        elif isinstance(content, str):
            numbers.append(costs.estimate(content))
        else:
            parts = shape.read({"role": "user", key: [content]}, f"items[{at}]").parts
            numbers.append(sum(cost(part, costs.estimate) for part in parts))
    return Measured(section, contents, scores, np.array(numbers, np.int64), np.arange(len(contents)), None, known)


def _of_messages(opened: _Opened, shape: Format, estimator: Estimator) -> Measured:
    section, contents, scores, known, _ = opened
    layout = Layout(shape, estimator, strict=False)
    layout.follow(contents, 0)
    costs = [known.get(at, after - before) for at, (before, after) in enumerate(pairwise(layout.sums))]
    if isinstance(section.keep, _BY_TURNS):
        starts = {0, *(layout.starts[segment] for segment in layout.turns)}
    else:
        starts = set(range(len(contents)))
        for segment, kind in enumerate(layout.kinds):
            if kind == "round":
                starts.difference_update(range(layout.starts[segment] + 1, layout.start_of(segment + 1)))
    return Measured(section, contents, scores, np.array(costs, np.int64), np.array(sorted(starts)), layout, known)
