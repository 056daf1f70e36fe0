"""Cutting tool results that are too large by themselves: the largest first, down to one level."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from ullage.fitting.layout import Layout, block_costs
from ullage.formats.record import Part, belongs_to_result
from ullage.prune.marks import items_mark
from ullage.prune.text import prune_text

_ENVELOPE = re.compile(r'\{"\w+":""\}')
"""The JSON around a single long string, which has its own text."""
_TRIES = 8


class CutResult(NamedTuple):
    """What is left of a result that was cut, and its tokens."""

    text: str
    tokens: int


def cut(
    layout: Layout, messages: Sequence[object], numbers: Sequence[int], costs: Sequence[int], excess: int
) -> dict[int, CutResult] | None:
    """Cut results so that they cost `excess` tokens less together.

    Args:
        layout: of the history.
        messages: the history.
        numbers: of the results.
        costs: what they cost now, in tokens.
        excess: tokens that must go.

    Returns:
        What is left of those that are cut, by number; None where even the marks would be too much.
    """
    need = excess
    for _ in range(_TRIES):
        level = water_level(costs, need)
        if level is None:
            return None
        chosen = [number for number, tokens in zip(numbers, costs, strict=True) if tokens > level]
        found = _cut_to(layout, messages, chosen, level)
        if found is None:
            return None
        now = sum(
            found[number].tokens if number in found else tokens for number, tokens in zip(numbers, costs, strict=True)
        )
        missing = excess - (sum(costs) - now)
        if missing <= 0:
            return found
        need += missing
    return None


def water_level(sizes: Sequence[int], excess: int) -> int | None:
    """The highest level such that cutting all larger sizes down to it takes away `excess`; None where there is none.

    >>> water_level([10, 50, 40], 30), water_level([10, 50], 61)
    (30, None)
    """
    if sum(sizes) < excess:
        return None
    ordered = sorted(sizes, reverse=True)
    above = 0
    for count, size in enumerate(ordered, 1):
        above += size
        following = ordered[count] if count < len(ordered) else 0
        level = (above - excess) // count
        if level >= following:
            return level
    return 0


def _cut_to(
    layout: Layout, messages: Sequence[object], numbers: Sequence[int], level: int
) -> dict[int, CutResult] | None:
    """Cut each of these results to `level` tokens or a little more: what is around a text is not known beforehand."""
    by_message: dict[int, list[int]] = {}
    for number in numbers:
        by_message.setdefault(layout.results[number].message, []).append(number)
    found: dict[int, CutResult] = {}
    for index, of_message in by_message.items():
        blocks = {layout.results[number].block: number for number in of_message}
        empty = block_costs(layout.shape, messages[index], dict.fromkeys(blocks, ""), layout.estimate)
        parts = layout.shape.read(messages[index], f"messages[{index}]").parts
        texts: dict[int, str] = {}
        for block in blocks:
            try:
                texts[block] = _cut_text(parts, block, max(0, level - empty[block]), layout)
            except ValueError:
                return None
        tokens = block_costs(layout.shape, messages[index], texts, layout.estimate)
        found |= {number: CutResult(texts[block], tokens[block]) for block, number in blocks.items()}
    return found


def _cut_text(parts: Sequence[Part], block: int, max_tokens: int, layout: Layout) -> str:
    """The head and the tail of a result's texts. What is not text leaves first, with a mark."""
    text, files = result_text([part for part in parts if part.block == block and belongs_to_result(part)])
    mark = f"\n{items_mark(files)}" if files else ""
    room = max_tokens - (layout.estimate(mark) if mark else 0)
    return prune_text(text, max_tokens=max(0, room), estimator=layout) + mark


def result_text(parts: Sequence[Part]) -> tuple[str, int]:
    """The text of one tool result, of all its parts, and how many images and files are in it beside that."""
    texts = [text for part in parts for text in part.texts[part.texts[:1] == (part.name,) :]]
    if len(texts) == 2 and _ENVELOPE.fullmatch(texts[0]):
        del texts[0]
    return "\n".join(texts), sum(part.kind != "tool_result" for part in parts)
