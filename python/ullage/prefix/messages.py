"""What differs between the messages of two requests.

Equal ones are passed over in Rust, side by side from the start and from the end. Only what is left is put together as
blocks and aligned, so that the cost is that of the change.
"""

from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import cast

from ullage._core import digests, first_difference
from ullage.prefix.align import Gap, gaps, moves
from ullage.prefix.assembly import Assembly
from ullage.prefix.blocks import block_edits, block_key, digest, marks, under
from ullage.prefix.edit import Edge, Edit, What
from ullage.prefix.kinds import alike_messages
from ullage.prefix.markers import KEYS, marker_key
from ullage.prefix.paths import joined
from ullage.prefix.steps import steps

MANY = 4096
"""Between so many messages, those that differ in a marker only are told from others at once; of more, one by one."""


class Messages:
    """The messages of two requests beside each other."""

    def __init__(self, previous: Assembly, following: Assembly) -> None:
        self.previous = previous
        self.following = following
        self.prelude = len(previous.prelude)

    def edits(self) -> Iterator[Edit]:
        """Every difference, in order; last, what was appended."""
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
                if len(old) != len(new) or first_difference(old[0].frame, new[0].frame) is not None:
                    yield from self._pair(index, new_index, alone=True)  # one digest, and other bytes
                    continue
                for position, (before, after) in enumerate(zip(old, new, strict=True)):
                    for edit in marks(before, after, Edge(self.prelude, index, position)):
                        yield self._marked(edit, index, new_index)

    def _marked(self, edit: Edit, index: int, new_index: int) -> Edit:
        """The path of a marker that is a field of the message, and stands for one on its last block."""
        for messages, at, block in (
            (self.following.messages, new_index, edit.new[0]),
            (self.previous.messages, index, edit.old[0]),
        ):
            key = marker_key(messages[at])
            if key is not None and marker_key(block.value) is None:
                return edit._replace(path=f"{self.following.place(new_index)}.{key}")
        return edit

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
        path = self.previous.place(olds[0]) if gone else self.following.place(news[0])
        return Edit(what, zone, path, edge, old, new, max(len(olds), len(news)))

    def _pair(self, index: int, new_index: int, *, alone: bool) -> Iterator[Edit]:
        """What differs inside of one message."""
        old, new = self.previous.message(index), self.following.message(new_index)
        path = self.following.place(new_index)
        found = first_difference(old[0].frame, new[0].frame)
        known = False
        edge = Edge(self.prelude, index)
        if found is not None:
            keys = found[0]
            values = (under(old[0].frame, keys), under(new[0].frame, keys))
            at = joined(path, *keys)
            yield Edit("edited", old[0].zone, at, edge, (old[0],), (new[0],), keys=keys, values=values, alone=alone)
            known = True
        last = index == len(self.previous.messages) - 1
        for edit in block_edits(
            old, new, lambda position: Edge(self.prelude, index, position), grows=last, alone=alone
        ):
            yield edit._replace(old=tuple(block._replace(frame=old[0].frame) for block in edit.old))
            known = known or edit.what not in ("marked", "appended")
        messages = self.previous.messages[index], self.following.messages[new_index]
        orders = [_order(message) for message in messages]
        if not known and None not in orders and orders[0] != orders[1]:
            yield Edit("edited", old[0].zone, path, edge, (old[0],), (new[0],), values=messages, alone=alone)


def _raw_key(assembly: Assembly, index: int) -> Hashable:
    return digests(assembly.messages[index])[0]


def _message_key(assembly: Assembly, index: int) -> Hashable:
    """What a message says, without its markers."""
    blocks = assembly.message(index)
    order = _order(assembly.messages[index])
    frame = digest(blocks[0].frame, assembly.place(index))
    return None if order is None else tuple(order), frame, *map(block_key, blocks)


def _order(message: object) -> list[str] | None:
    """The fields of a dict in their order, but for markers; those of an object have none of their own."""
    if not isinstance(message, dict):
        return None
    return [str(key) for key, value in message.items() if value is not None and key not in KEYS]
