"""What differs between two requests, in the order of the prompt.

Equal messages are passed over in Rust, side by side from the start and from the end. Only what is left is put together
as blocks and aligned, so that the cost is that of the change.
"""

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from itertools import count
from typing import Any, Literal, NamedTuple, TypeAlias, cast

from ullage._core import digests, first_difference
from ullage.prefix.align import Gap, gaps, moves
from ullage.prefix.assembly import GENERIC, Assembly, Block
from ullage.prefix.kinds import alike_blocks, alike_messages, blank
from ullage.prefix.markers import KEYS
from ullage.prefix.order import ORDERS, Settings, Zone
from ullage.prefix.paths import joined, root
from ullage.prefix.sent import named_fields, place, sent
from ullage.prefix.steps import Step, steps

MANY = 4096
"""Between so many messages, those that differ in a marker only are told from others at once; of more, one by one."""

What: TypeAlias = Literal["edited", "inserted", "removed", "moved", "marked", "appended"]


class Edge(NamedTuple):
    """A place in the previous request: what stands before it is the same in both.

    Attributes:
        prelude: so many blocks before the messages stand before it.
        messages: and so many whole messages.
        blocks: and so many blocks of the message after these.
        keys: and what is before the place to which these keys lead in the next block.
        offset: and so many code points of the text there.
    """

    prelude: int
    messages: int = 0
    blocks: int = 0
    keys: tuple[str | int, ...] = ()
    offset: int | None = None


class Edit(NamedTuple):
    """One difference.

    Attributes:
        what: whether a block was changed inside; whether blocks or messages came, left or moved; whether a marker did;
            or whether the next request goes on where the previous one ends.
        zone: where in the prompt.
        path: of the place in the next request; in the previous one, for what is not there any more.
        edge: the same place, for counting.
        old: the blocks concerned as they were.
        new: the blocks concerned as they are.
        messages: so many whole messages came, left or moved; 0 for blocks.
        keys: what leads from the block (or from the message's frame) to the difference inside of it.
        values: what stands there in either request; None where nothing does.
        alone: whether nothing came or left beside it.
    """

    what: What
    zone: Zone
    path: str
    edge: Edge
    old: tuple[Block, ...] = ()
    new: tuple[Block, ...] = ()
    messages: int = 0
    keys: tuple[str | int, ...] = ()
    values: tuple[object, object] = (None, None)
    alone: bool = True


def edits(previous: Assembly, following: Assembly) -> Iterator[Edit]:
    """Every difference, in order. Without any, the content and the markers of both are the same."""
    if GENERIC in (previous.format, following.format):
        yield from _blocks(previous.blocks, following.blocks, lambda index: Edge(0, 0, index), grows=True)
        return
    yield from _prelude(previous, following)
    yield from _Messages(previous, following).edits()


def _prelude(previous: Assembly, following: Assembly) -> Iterator[Edit]:
    done = 0
    old_settings, new_settings = _settings(previous), _settings(following)
    for part in ORDERS[following.format]:
        if isinstance(part, Settings):
            for path in map(root, part.paths):
                old, new = old_settings.get(path), new_settings.get(path)
                if old is None or new is None or first_difference(old.value, new.value) is not None:
                    yield from _setting(old, new, Edge(done))
                done += old is not None
        else:
            old_blocks = [block for block in previous.prelude if block.zone == part]
            new_blocks = [block for block in following.prelude if block.zone == part]
            yield from _blocks(old_blocks, new_blocks, lambda index, done=done: Edge(done + index))  # type: ignore[misc]
            done += len(old_blocks)


def _settings(assembly: Assembly) -> dict[str, Block]:
    return {block.path: block for block in assembly.prelude if block.zone == "settings"}


def _setting(old: Block | None, new: Block | None, edge: Edge) -> Iterator[Edit]:
    if old is not None and new is not None:
        for edit in _edited(old, new, edge, alone=True):
            yield edit._replace(edge=edge)  # a setting is kept as a whole or not at all
    elif old is not None:
        yield Edit("removed", "settings", old.path, edge, (old,), values=(old.value, None))
    elif new is not None:
        yield Edit("inserted", "settings", new.path, edge, (), (new,), values=(None, new.value))


class _Messages:
    """The messages of two requests beside each other."""

    def __init__(self, previous: Assembly, following: Assembly) -> None:
        self.previous = previous
        self.following = following
        self.prelude = len(previous.prelude)

    def edits(self) -> Iterator[Edit]:
        old, new = self.previous.messages, self.following.messages
        found = first_difference({self.following.at: old}, {self.following.at: new})  # errors then name the whole path
        if found is None:
            yield from self._of_request()
            return
        start = cast(int, found[0][1])
        stop, new_stop = len(old), len(new)
        while stop > start and new_stop > start and first_difference(old[stop - 1], new[new_stop - 1]) is None:
            stop, new_stop = stop - 1, new_stop - 1
        key = _raw_key if stop + new_stop - 2 * start > MANY else _message_key
        keys = [key(self.previous, index) for index in range(start, stop)]
        new_keys = [key(self.following, index) for index in range(start, new_stop)]
        between = gaps(keys, new_keys)
        moved = {start + at: start + to for at, to in moves(keys, new_keys, between).items()}
        arrived = {to: at for at, to in moved.items()}
        at, to = start, start
        for gap in between:
            gap = Gap(*(index + start for index in gap))
            yield from self._same(at, to, gap.start)
            yield from self._gap(gap, moved, arrived)
            at, to = gap.stop, gap.new_stop
        yield from self._same(at, to, stop)
        yield from self._of_request()

    def _of_request(self) -> Iterator[Edit]:
        """A marker on the request itself is on the last block, wherever that is: it only comes or goes."""
        old, new = self.previous.marker, self.following.marker
        if old != new:
            edge = Edge(self.prelude, len(self.previous.messages))
            yield Edit("marked", "messages", "cache_control", edge, values=(old, new))

    def _same(self, at: int, to: int, stop: int) -> Iterator[Edit]:
        """Messages that say the same: their markers may differ."""
        for index in range(at, stop):
            new_index = to + index - at
            if first_difference(self.previous.messages[index], self.following.messages[new_index]) is not None:
                old, new = self.previous.message(index), self.following.message(new_index)
                for position, (before, after) in enumerate(zip(old, new, strict=True)):
                    yield from _marks(before, after, Edge(self.prelude, index, position))

    def _gap(self, gap: Gap, moved: Mapping[int, int], arrived: Mapping[int, int]) -> Iterator[Edit]:
        tail = gap.stop == len(self.previous.messages) and gap.new_stop == len(self.following.messages)
        for step in steps(gap, moved, arrived, self._alike, tail=tail):
            if step.what == "edited":
                yield from self._pair(step.olds[0], step.news[0], alone=step.alone)
            else:
                yield self._whole(step.what, step.olds, step.news, Edge(self.prelude, step.at))

    def _alike(self, old: int, new: int, strict: bool) -> bool:
        return alike_messages(self.previous.message(old), self.following.message(new), strict)

    def _whole(self, what: What, olds: Sequence[int], news: Sequence[int], edge: Edge) -> Edit:
        old = tuple(block for index in olds for block in self.previous.message(index))
        new = tuple(block for index in news for block in self.following.message(index))
        zone = (old or new)[0].zone
        gone = what == "removed" or (what == "moved" and olds[0] < news[0])
        path = f"{self.previous.at}[{olds[0]}]" if gone else f"{self.following.at}[{news[0]}]"
        return Edit(what, zone, path, edge, old, new, max(len(olds), len(news)))

    def _pair(self, index: int, new_index: int, *, alone: bool) -> Iterator[Edit]:
        """What differs inside of one message."""
        old, new = self.previous.message(index), self.following.message(new_index)
        path = f"{self.following.at}[{new_index}]"
        found = first_difference(old[0].frame, new[0].frame)
        known = False
        edge = Edge(self.prelude, index)
        if found is not None:
            keys = found[0]
            values = (_under(old[0].frame, keys), _under(new[0].frame, keys))
            edge = edge._replace(offset=None)
            at = joined(path, *keys)
            yield Edit("edited", old[0].zone, at, edge, (old[0],), (new[0],), keys=keys, values=values, alone=alone)
            known = True
        last = index == len(self.previous.messages) - 1
        for edit in _blocks(old, new, lambda position: Edge(self.prelude, index, position), grows=last, alone=alone):
            yield edit._replace(old=tuple(block._replace(frame=old[0].frame) for block in edit.old))
            known = known or edit.what not in ("marked", "appended")
        messages = self.previous.messages[index], self.following.messages[new_index]
        if not known and _order(messages[0]) != _order(messages[1]):
            yield Edit("edited", old[0].zone, path, edge, (old[0],), (new[0],), values=messages, alone=alone)


def _blocks(
    old: Sequence[Block],
    new: Sequence[Block],
    edge: Callable[[int], Edge],
    *,
    grows: bool = False,
    alone: bool = True,
) -> Iterator[Edit]:
    """What differs between two runs of blocks; where the run `grows`, what follows its end is appended."""
    keys, new_keys = [_block_key(block) for block in old], [_block_key(block) for block in new]
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
        yield from _edited(old[step.olds[0]], new[step.news[0]], edge(step.at), alone=alone)
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


def _edited(old: Block, new: Block, edge: Edge, *, alone: bool) -> Iterator[Edit]:
    """The first difference inside of a block; that of the fields of a text, where the text itself is the same."""
    before, after = sent(old.value), sent(new.value)
    found = first_difference(before, after)
    if found is None:
        if isinstance(old.value, str) or isinstance(new.value, str):
            return
        before, after = old.value, new.value
    keys, offset = ((), None) if found is None else found
    values = (_under(before, keys), _under(after, keys))
    path = new.path if found is None else joined(new.path, *place(new.value, keys))
    edge = edge._replace(keys=place(old.value, keys) if found else (), offset=offset)
    yield Edit("edited", new.zone, path, edge, (old,), (new,), keys=keys, values=values, alone=alone)


def _marks_of(
    old: Sequence[Block], new: Sequence[Block], at: int, to: int, stop: int, edge: Callable[[int], Edge]
) -> Iterator[Edit]:
    for index, new_index in zip(range(at, stop), count(to)):
        yield from _marks(old[index], new[new_index], edge(index))


def _marks(old: Block, new: Block, edge: Edge) -> Iterator[Edit]:
    if old.marker != new.marker:
        values = (old.marker, new.marker)
        yield Edit("marked", new.zone, _marker_path(old, new), edge, (old,), (new,), values=values)


def _marker_path(old: Block, new: Block) -> str:
    """The path of the marker itself where it is a field of the block; else, that of the block."""
    for block in (new, old):
        named = named_fields(block.value)
        key = next((key for key in named if key in KEYS), None) if named else None
        if key is not None:
            return joined(block.path, key)
    return new.path


def _raw_key(assembly: Assembly, index: int) -> Hashable:
    return digests(assembly.messages[index])[0]


def _message_key(assembly: Assembly, index: int) -> Hashable:
    """What a message says, without its markers."""
    blocks = assembly.message(index)
    says = [(sent(block.value), _text_first(block)) for block in blocks]
    return digests([_order(assembly.messages[index]), blocks[0].frame, says])[0]


def _block_key(block: Block) -> Hashable:
    where = block.zone if block.zone in ("system", "tools") else blank(block.path).removesuffix("[]")
    return where, _text_first(block), digests(sent(block.value))[0]


def _text_first(block: Block) -> bool:
    """Whether a block of text names its type behind its text: all that is left of the order of its fields."""
    named = named_fields(block.value)
    return named is not None and next(iter(named), None) == "text" and "type" in named


def _order(message: object) -> list[str]:
    """The fields of a message in their order, but for markers."""
    named = named_fields(message) or {}
    return [str(key) for key, value in named.items() if value is not None and key not in KEYS]


def _under(value: Any, keys: Sequence[str | int]) -> object:  # noqa: ANN401 - what JSON has
    """What stands under these keys; None where nothing does."""
    for key in keys:
        named = named_fields(value)
        try:
            value = named[key] if named is not None else value[key]  # type: ignore[index]
        except (KeyError, IndexError, TypeError):
            return None
    return value
