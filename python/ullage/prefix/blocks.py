"""What differs between two runs of blocks: tools, a system prompt, the blocks of one message, the leaves of a value."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from itertools import count
from typing import Any

from ullage._core import digests, first_difference
from ullage.errors import InvalidHistory
from ullage.prefix.align import gaps, moves
from ullage.prefix.assembly import Block
from ullage.prefix.edit import Edge, Edit
from ullage.prefix.kinds import alike_blocks, blank
from ullage.prefix.markers import marker_key
from ullage.prefix.paths import joined
from ullage.prefix.sent import named_fields, place, sent
from ullage.prefix.steps import Step, steps


def block_edits(
    old: Sequence[Block],
    new: Sequence[Block],
    edge: Callable[[int], Edge],
    *,
    grows: bool = False,
    alone: bool = True,
) -> Iterator[Edit]:
    """What differs between two runs of blocks; where the run `grows`, what follows its end is appended."""
    keys, new_keys = [block_key(block) for block in old], [block_key(block) for block in new]
    between = gaps(keys, new_keys)
    moved = moves(keys, new_keys, between)
    arrived = {to: at for at, to in moved.items()}
    at, to = 0, 0
    for gap in between:
        yield from _marks_of(old, new, at, to, gap.start, edge)
        tail = grows and gap.stop == len(old) and gap.new_stop == len(new)
        for step in steps(gap, moved, arrived, lambda a, b, strict: alike_blocks(old[a], new[b], strict), tail=tail):
            yield from _step(step, old, new, edge, alone=alone and step.alone)
        at, to = gap.stop, gap.new_stop
    yield from _marks_of(old, new, at, to, len(old), edge)


def _step(
    step: Step, old: Sequence[Block], new: Sequence[Block], edge: Callable[[int], Edge], *, alone: bool
) -> Iterator[Edit]:
    if step.what == "edited":
        yield from edited(old[step.olds[0]], new[step.news[0]], edge(step.at), alone=alone)
    elif step.what == "moved":
        before, after = old[step.olds[0]], new[step.news[0]]
        path = before.path if step.olds[0] < step.news[0] else after.path
        yield Edit("moved", after.zone, path, edge(step.at), (before,), (after,))
    else:
        for index in step.olds:
            block = old[index]
            yield Edit(step.what, block.zone, block.path, edge(index), (block,), values=(block.value, None))
        for index in step.news:
            block = new[index]
            yield Edit(step.what, block.zone, block.path, edge(step.at), (), (block,), values=(None, block.value))


def edited(old: Block, new: Block, edge: Edge, *, alone: bool) -> Iterator[Edit]:
    """The first difference inside of a block; that of the fields of a text, where the text itself is the same."""
    before, after = sent(old.value), sent(new.value)
    found = first_difference(before, after)
    if found is None:
        if isinstance(old.value, str) or isinstance(new.value, str):
            return
        before, after = old.value, new.value
    keys, offset = ((), None) if found is None else found
    values = (under(before, keys), under(after, keys))
    path = new.path if found is None else joined(new.path, *place(new.value, keys))
    edge = edge._replace(keys=place(old.value, keys) if found else (), offset=offset)
    yield Edit("edited", new.zone, path, edge, (old,), (new,), keys=keys, values=values, alone=alone)


def _marks_of(
    old: Sequence[Block], new: Sequence[Block], at: int, to: int, stop: int, edge: Callable[[int], Edge]
) -> Iterator[Edit]:
    for index, new_index in zip(range(at, stop), count(to)):
        yield from marks(old[index], new[new_index], edge(index))


def marks(old: Block, new: Block, edge: Edge) -> Iterator[Edit]:
    """The marker of a block that says the same, where it came, left or changed its life.

    Blocks of one digest are taken to say the same only once their bytes do.
    """
    if first_difference(sent(old.value), sent(new.value)) is not None:
        yield from edited(old, new, edge, alone=True)
    elif old.marker != new.marker:
        values = (old.marker, new.marker)
        yield Edit("marked", new.zone, _marker_path(old, new), edge, (old,), (new,), values=values)


def _marker_path(old: Block, new: Block) -> str:
    """The path of the marker itself where it is a field of the block; else, that of the block."""
    for block in (new, old):
        if (key := marker_key(block.value)) is not None:
            return joined(block.path, key)
    return new.path


def block_key(block: Block) -> Hashable:
    """What a block says and where it belongs, without its marker: equal for equal ones."""
    where = blank(block.path).removesuffix("[]").removesuffix(".parts")
    return where, text_first(block), digest(sent(block.value), block.path)


def digest(value: object, path: str) -> int:
    """The digest of what stands at a path, as it is sent.

    Raises:
        TypeError: when JSON has not what is in it (its path is named).
        InvalidHistory: when it nests deeper than 256, or holds itself.
    """
    try:
        return digests(value)[0]
    except (TypeError, InvalidHistory):
        digests({path: value})  # fails in the same way, and names the whole path
        raise


def text_first(block: Block) -> bool:
    """Whether a block of text names its type behind its text: all that is left of the order of its fields."""
    value = block.value
    return isinstance(value, dict) and "type" in value and next(iter(value)) == "text"


def under(value: Any, keys: Sequence[str | int]) -> object:  # noqa: ANN401 - what JSON has
    """What stands under these keys; None where nothing does."""
    for key in keys:
        named = named_fields(value)
        try:
            value = named[key] if named is not None else value[key]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return value
