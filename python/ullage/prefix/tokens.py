"""How many tokens of a request stand before a change, and how many behind it.

Messages cost what `ullage.History` has for them; tools and the system prompt likewise. The framing of the request
itself is not counted: it is in no cache. Settings are counted as nothing.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from ullage import formats
from ullage.errors import InvalidHistory
from ullage.fitting.layout import cost, record_cost
from ullage.formats.json_text import json_texts
from ullage.formats.record import Format, strings
from ullage.prefix.assembly import GENERIC, Assembly, Block
from ullage.prefix.edit import Edge
from ullage.prefix.sent import named_fields

Estimate = Callable[[str], int]


class Tokens(NamedTuple):
    """What a change costs, by estimate.

    Attributes:
        kept: tokens before the change, which a cache may still have.
        lost: tokens of the previous request behind it, which were cached for nothing.
        new: tokens of the next request behind it, which have to be read anew.
    """

    kept: int
    lost: int
    new: int


def tokens(previous: Assembly, following: Assembly, edge: Edge | None, estimate: Estimate) -> Tokens:
    """The tokens on both sides of a place in the previous request; without one, all of that request is kept."""
    if GENERIC in (previous.format, following.format):
        edge = edge or Edge(0, 0, len(previous.blocks))
        kept = _inside(previous.blocks, edge, estimate)
        return Tokens(kept, *(max(0, _sum(side.blocks, estimate) - kept) for side in (previous, following)))
    edge = edge or _end(previous, following)
    prelude = prelude_tokens(previous, previous.prelude[: edge.prelude], estimate)
    if edge.prelude < len(previous.prelude) or edge.prelude < len(following.prelude):
        prelude += _inside(previous.prelude[edge.prelude :], edge, estimate)
        return Tokens(prelude, *(max(0, _all(side, estimate) - prelude) for side in (previous, following)))
    inside = 0
    if edge.messages < len(previous.messages):
        inside = _inside(previous.message(edge.messages), edge, estimate)
    return Tokens(
        prelude + sum(_message(previous, index, estimate) for index in range(edge.messages)) + inside,
        *(max(0, _messages(side, edge.messages, estimate) - inside) for side in (previous, following)),
    )


def _end(previous: Assembly, following: Assembly) -> Edge:
    """The end of a request with which the following one begins, maybe in the middle of a message."""
    last = len(previous.messages) - 1
    if last < 0 or last >= len(following.messages):
        return Edge(len(previous.prelude), last + 1)
    blocks, after = previous.message(last), following.message(last)
    if len(blocks) == len(after):
        return Edge(len(previous.prelude), last + 1)
    return Edge(len(previous.prelude), last, len(blocks))


def _all(assembly: Assembly, estimate: Estimate) -> int:
    return prelude_tokens(assembly, assembly.prelude, estimate) + _messages(assembly, 0, estimate)


def _messages(assembly: Assembly, start: int, estimate: Estimate) -> int:
    return sum(_message(assembly, index, estimate) for index in range(start, len(assembly.messages)))


def _inside(blocks: Sequence[Block], edge: Edge, estimate: Estimate) -> int:
    """Tokens of so many blocks as the edge has, and of the start of the block after them."""
    total = _sum(blocks[: edge.blocks], estimate)
    if edge.blocks < len(blocks):
        total += sum(map(estimate, _texts_before(blocks[edge.blocks].value, edge.keys, edge.offset)))
    return total


def _sum(blocks: Sequence[Block], estimate: Estimate) -> int:
    return sum(block_tokens(block, estimate) for block in blocks)


def prelude_tokens(assembly: Assembly, blocks: Sequence[Block], estimate: Estimate) -> int:
    """Tokens of some of the blocks before the messages."""
    shape = formats.named(assembly.format)
    tools = [block.value for block in blocks if block.zone == "tools"]
    total = cost(shape.tools(tools), estimate) if tools and all(named_fields(tool) is not None for tool in tools) else 0
    return total + sum(block_tokens(block, estimate) for block in blocks if block.zone == "system")


def prelude_costs(assembly: Assembly, estimate: Estimate) -> list[int]:
    """Tokens of each block before the messages; the first tool has what all of them together cost once."""
    costs, tools = [], 0
    for block in assembly.prelude:
        tokens = prelude_tokens(assembly, (block,), estimate)
        if block.zone == "tools" and tokens:
            tokens -= _once(formats.named(assembly.format), block.value) if tools else 0
            tools += 1
        costs.append(tokens)
    return costs


def _once(shape: Format, tool: object) -> int:
    """Tokens of framing that a list of tools has, apart from those of each."""
    return 2 * shape.tools([tool]).tokens - shape.tools([tool, tool]).tokens


def _message(assembly: Assembly, index: int, estimate: Estimate) -> int:
    return message_tokens(assembly.messages[index], assembly.message(index), formats.named(assembly.format), estimate)


def message_tokens(message: object, blocks: Sequence[Block], shape: Format, estimate: Estimate) -> int:
    """Tokens of a message that has these blocks."""
    try:
        read = shape.read(message, blocks[0].path)
    except (TypeError, InvalidHistory):  # not a message of its format: all its texts, then
        return _sum(blocks, estimate)
    return record_cost(read, estimate)


def block_tokens(block: Block, estimate: Estimate) -> int:
    """Tokens of the texts of a block."""
    if isinstance(block.value, str):
        return estimate(block.value)
    return sum(map(estimate, strings(block.value, block.path)[0]))


def _texts_before(value: object, keys: Sequence[str | int], offset: int | None) -> list[str]:
    """The texts in a value before the place to which keys lead, and the text there up to the offset."""
    if not keys:
        return [value[:offset]] if isinstance(value, str) and offset is not None else []
    named = named_fields(value)
    members = named.items() if named is not None else enumerate(value) if isinstance(value, list | tuple) else ()
    before: list[str] = []
    for key, member in members:
        if key == keys[0]:
            return [*before, *_texts_before(member, keys[1:], offset)]
        before += json_texts(member, str(key))
    return before
