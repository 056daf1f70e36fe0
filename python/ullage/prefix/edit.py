"""One difference between two requests, and the place where it is."""

from typing import Literal, NamedTuple, TypeAlias

from ullage.prefix.assembly import Block
from ullage.prefix.order import Zone

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
