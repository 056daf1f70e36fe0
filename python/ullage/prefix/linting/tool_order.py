"""Tools in an order that looks like chance: those of several servers mixed."""

import re
from collections.abc import Iterator
from itertools import groupby

from ullage.prefix.kinds import name_of
from ullage.prefix.linting.finding import Finding
from ullage.prefix.linting.subject import Subject

_SERVER = re.compile(r"(?:mcp__)?(.+?)(?:__|[./:])(.+)")
_TOOLS = 6


def tool_order(subject: Subject) -> Iterator[Finding]:
    """Find tools of two servers or more that alternate, sorted neither by name nor by server.

    Tools that stand in the order in which each server lists them are together. Others are only a reason to look where
    servers answer in any order, so at least twice as many changes of server as servers are asked for.
    """
    tools = [(block.path, name_of(block) or "") for block in subject.prelude if block.zone == "tools"]
    served = [(path, found[1], found[2]) for path, name in tools if (found := _SERVER.fullmatch(name)) is not None]
    servers = [server for _, server, _ in served]
    runs = [server for server, _ in groupby(servers)]
    names = [name.casefold() for _, _, name in served]
    if len(served) < _TOOLS or len(set(servers)) < 2 or len(runs) <= 2 * len(set(servers)) or names == sorted(names):
        return
    back = next(index for index, run in enumerate(runs) if run in runs[:index])
    at = _start(servers, back)
    yield Finding(
        "tool-order",
        served[at][0],
        None,
        ", ".join(runs[: back + 2]),
        f"The tools of {len(set(servers))} servers are mixed ({len(runs)} times another server), as where servers "
        "answer in any order: another order of the same tools changes the whole prompt.",
        "Sort the tools by name before they are sent.",
        "warning",
    )


def _start(servers: list[str], run: int) -> int:
    """The index at which a run of the same server begins."""
    lengths = [len([*group]) for _, group in groupby(servers)]
    return sum(lengths[:run])
