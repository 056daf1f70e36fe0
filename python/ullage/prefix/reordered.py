"""Lists whose members are the same in another order, as those are that are made from a set."""

from ullage._core import digests
from ullage.prefix.blocks import under
from ullage.prefix.edit import Edit
from ullage.prefix.sent import sent


def is_reordered(edit: Edit) -> bool:
    """Whether what differs inside of a block is the order of a list's members."""
    if not edit.old or not edit.new:
        return False
    sides = [sent(blocks[0].value) for blocks in (edit.old, edit.new)]
    for depth in range(len(edit.keys) - 1, -1, -1):
        if not isinstance(edit.keys[depth], int):
            continue
        old, new = (under(side, edit.keys[:depth]) for side in sides)
        if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
            members = [sorted(digests(item) for item in side) for side in (old, new)]
            if members[0] == members[1]:
                return True
    return False
