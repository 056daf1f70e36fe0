"""All that differs between two requests, in the order of the prompt."""

from collections.abc import Iterator

from ullage._core import first_difference
from ullage.prefix.assembly import GENERIC, Assembly, Block
from ullage.prefix.blocks import block_edits, edited
from ullage.prefix.edit import Edge, Edit
from ullage.prefix.messages import Messages
from ullage.prefix.order import ORDERS, Settings
from ullage.prefix.paths import root


def edits(previous: Assembly, following: Assembly) -> Iterator[Edit]:
    """Every difference, in order. Without any, the content and the markers of both are the same."""
    if GENERIC in (previous.format, following.format):
        yield from block_edits(previous.blocks, following.blocks, lambda index: Edge(0, 0, index), grows=True)
        return
    yield from _prelude(previous, following)
    yield from Messages(previous, following).edits()


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
            yield from block_edits(old_blocks, new_blocks, lambda index, done=done: Edge(done + index))  # type: ignore[misc]
            done += len(old_blocks)


def _settings(assembly: Assembly) -> dict[str, Block]:
    return {block.path: block for block in assembly.prelude if block.zone == "settings"}


def _setting(old: Block | None, new: Block | None, edge: Edge) -> Iterator[Edit]:
    if old is not None and new is not None:
        for edit in edited(old, new, edge, alone=True):
            yield edit._replace(edge=edge)  # a setting is kept as a whole or not at all
    elif old is not None:
        yield Edit("removed", "settings", old.path, edge, (old,), values=(old.value, None))
    elif new is not None:
        yield Edit("inserted", "settings", new.path, edge, (), (new,), values=(None, new.value))
