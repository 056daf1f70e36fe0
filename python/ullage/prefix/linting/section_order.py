"""A section that changes, in front of one that does not."""

from collections.abc import Iterator

from ullage.prefix.linting.finding import Finding
from ullage.prefix.linting.subject import Subject
from ullage.prefix.linting.volatile_values import values

_LEAST = 100
"""Fewer tokens after it are not worth another order."""


def section_order(subject: Subject) -> Iterator[Finding]:
    """Find the first block of the system prompt that changes, where blocks follow that could stand before it."""
    system = [
        block for index, block in enumerate(subject.prelude) if block.zone == "system" and subject.is_cached(index)
    ]
    changing = [any(True for _ in values(block)) for block in system]
    if True not in changing:
        return
    first = changing.index(True)
    later = [block for block, changes in zip(system[first:], changing[first:], strict=True) if not changes]
    tokens = sum(map(subject.tokens, later))
    if tokens >= _LEAST:
        yield Finding(
            "variable-before-stable",
            system[first].path,
            None,
            later[0].path,
            f"{system[first].path} changes, and {later[0].path} comes after it and does not: about {tokens:,} stable "
            "tokens are paid for again whenever it does.",
            f"Put {system[first].path} behind the stable blocks of the system prompt.",
            "warning",
        )
