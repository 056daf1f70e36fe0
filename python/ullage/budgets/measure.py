"""What the items of each section cost, and which of them can only leave together.

A text costs its estimate (by a profile, with its share of the upper bound), a message also its framing, and a content
block what it costs in a message, without that message's framing. All texts are estimated in one batch.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise
from operator import attrgetter
from typing import Literal, NamedTuple, TypeAlias, cast

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
        scores: of its items; None where none is given.
        costs: of its items, in tokens.
        starts: index of the first item of each unit, whose items leave together.
        layout: of its messages; None where they are none.
        known: indices of the items whose tokens were given.
    """

    section: Section
    contents: Sequence[object]
    scores: Sequence[float] | None
    costs: Sequence[int]
    starts: Sequence[int]
    layout: Layout | None
    known: Collection[int]


class _Opened(NamedTuple):
    """A section's items taken apart. `known` are the tokens that are given, by index."""

    section: Section
    contents: Sequence[object]
    scores: Sequence[float] | None
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
    batch = iter(costs.estimate_batch(texts))
    measured = []
    for each in opened:
        if shape is None or each.kind == "text":
            measured.append(_of_texts(each, batch))
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
    scores, known = None, dict[int, int]()
    kinds = set(map(type, contents))
    if any(issubclass(kind, Item) for kind in kinds):
        items = contents if kinds == {Item} else [item if isinstance(item, Item) else Item(item) for item in contents]
        contents = list(map(attrgetter("content"), items))
        scores = list(map(attrgetter("score"), items))
        if section.keep == LowestScoreFirst("best") and min(scores) < 0:
            at = scores.index(min(scores))
            raise ValueError(
                f"item {at} of section {section.name!r} has score {scores[at]:g}; the best choice adds scores up, and "
                "needs 0 or more"
            )
        given = list(map(attrgetter("tokens"), items))
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


def _of_texts(opened: _Opened, batch: Iterator[int]) -> Measured:
    section, contents, scores, known, _ = opened
    if known:
        costs = [known[at] if at in known else next(batch) for at in range(len(contents))]
    else:
        costs = list(islice(batch, len(contents)))
    return Measured(section, contents, scores, costs, range(len(contents)), None, known)


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
    return Measured(section, contents, scores, numbers, range(len(contents)), None, known)


def _of_messages(opened: _Opened, shape: Format, estimator: Estimator) -> Measured:
    section, contents, scores, known, _ = opened
    layout = Layout(shape, estimator, strict=False)
    layout.follow(contents, 0)
    costs = [known.get(at, after - before) for at, (before, after) in enumerate(pairwise(layout.sums))]
    if isinstance(section.keep, _BY_TURNS):
        starts = sorted({0, *(layout.starts[segment] for segment in layout.turns)})
    else:
        rounds = {at for at, kind in enumerate(layout.kinds) if kind == "round"}
        starts = [at for at in range(len(contents)) if at in layout.starts or layout.segment_of(at) not in rounds]
    return Measured(section, contents, scores, costs, starts, layout, known)
