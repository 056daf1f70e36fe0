"""How a family of logs tells what each line is worth.

The one thing to know: a line's `Tier` is the order in which lines enter a pruned log. All verdicts come before the
first name, all names before the first message, so that many failures lose details before they lose names.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import NamedTuple


class Tier(IntEnum):
    """What a line is worth, the most valuable first."""

    STATUS = 0  # the verdict: passed, failed, how many
    NAME = 1  # which test failed, which error was found
    MESSAGE = 2  # what went wrong
    PLACE = 3  # the line of source
    BLOCK = 4  # the rest of what the tool says about a failure
    EDGE = 5  # the first and last lines of the log
    ODD = 6  # what looks like an error to no family
    AROUND = 7  # the lines around it
    WARNING = 8
    WARNING_BLOCK = 9
    REST = 10  # tests that passed, files that were compiled
    NOISE = 11  # frames inside the tools themselves


Kind = str
"""The name of a group in a family's pattern:

status  the verdict                     passed  a good part of the verdict
name    lists a failure                 item    names a failure and begins its block
head    begins the block of a failure   warning begins the block of a warning
message what went wrong                 place   where
lead    a line before an item that belongs to it
noise   nobody needs it                 end     ends a block
"""


class Found(NamedTuple):
    """A line (its index) with its tier; ``nth`` is its place among those of its failure."""

    line: int
    tier: Tier
    nth: int


@dataclass(frozen=True, slots=True)
class Family:
    """One tool's way of writing logs.

    Attributes:
        signs: The family applies to a log that contains one of these.
        pattern: One verbose regular expression, an alternation of groups named by `Kind`, matched at the start of each
            line. It must not backtrack over a line more than a few times.
        follow: So many lines after an item, a head or a message belong to the message.
        innermost_last: The place nearest to the failure is the last of its block, as in Python's tracebacks.
        block_lines: A block is no longer than this; the output of a test can be endless.

    """

    signs: tuple[str, ...]
    pattern: str
    follow: int = 0
    innermost_last: bool = False
    block_lines: int = 60

    def applies(self, text: str) -> bool:
        """Whether ``text`` shows a sign of this family."""
        return any(sign in text for sign in self.signs)

    def find(self, lines: list[str]) -> Iterator[Found]:
        """The lines that this family knows something about."""
        match = re.compile(self.pattern, re.VERBOSE).match
        kinds = {number: found.lastgroup or "" for number, line in enumerate(lines) if (found := match(line))}
        listed = "name" in kinds.values()
        opened: list[tuple[int, Kind]] = []
        loose: list[Found] = []
        for number, kind in kinds.items():
            match kind:
                case "status":
                    # The last verdict is the one that counts.
                    yield Found(number, Tier.STATUS, len(lines) - number)
                case "passed":
                    yield Found(number, Tier.PLACE, 0)
                case "name":
                    yield Found(number, Tier.NAME, 0)
                case "item" | "head" | "warning":
                    opened.append((number, kind))
                case "message" | "place" | "lead":
                    loose.append(Found(number, Tier.MESSAGE if kind == "message" else Tier.BLOCK, 0))
                case "noise":
                    yield Found(number, Tier.NOISE, 0)
        blocks: set[int] = set()
        for number, kind in opened:
            block = list(self._block(lines, kinds, number))
            blocks.update(block)
            if kind == "warning":
                yield Found(number, Tier.WARNING, 0)
                yield from (Found(one, Tier.WARNING_BLOCK, nth) for nth, one in enumerate(block))
            else:
                yield Found(number, *((Tier.MESSAGE, 1) if kind == "head" and listed else (Tier.NAME, 0)))
                yield from self._failure(block, kinds)
        yield from (found for found in loose if found.line not in blocks)

    def _block(self, lines: list[str], kinds: dict[int, Kind], start: int) -> Iterator[int]:
        for number in range(start + 1, min(start + self.block_lines, len(lines))):
            if kinds.get(number) in {"status", "passed", "name", "item", "head", "warning", "end"}:
                return
            yield number

    def _failure(self, block: list[int], kinds: dict[int, Kind]) -> Iterator[Found]:
        places: list[int] = []
        follow = self.follow
        messages = 0
        for nth, number in enumerate(block, 1):
            kind = kinds.get(number)
            if kind == "noise":
                continue
            if kind == "message" or (kind is None and follow > 0):
                follow = self.follow if kind else follow - 1
                messages += 1
                yield Found(number, Tier.MESSAGE, messages)
                continue
            follow = 0
            if kind == "place":
                places.append(number)
            else:
                yield Found(number, Tier.BLOCK, nth)
        if self.innermost_last:
            places.reverse()
        for nth, number in enumerate(places):
            yield Found(number, Tier.PLACE, nth)
