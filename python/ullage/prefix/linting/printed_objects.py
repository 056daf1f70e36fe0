"""Python objects printed into a prompt: addresses in memory, and sets, whose order differs in each process."""

import re
from collections.abc import Iterator

from ullage.prefix.linting.finding import Finding, excerpt
from ullage.prefix.linting.leaves import leaves
from ullage.prefix.linting.subject import Subject

_ADDRESS = re.compile(r"<[A-Za-z_][^<>\n]{0,120} at 0x[0-9a-fA-F]{6,16}>")
_ITEM = r"(?:'[^'\n]{0,120}'|\"[^\"\n]{0,60}'[^\"\n]{0,60}\")"  # as repr() quotes
# In code a set is written so too, but then behind "=", "in" or "(".
_SET = re.compile(rf"(?:\A|[:>]\s?|\b(?:are|of|is):?\s|frozenset\()(\{{{_ITEM}(?:, {_ITEM}){{1,64}}\}})")


def printed_objects(subject: Subject) -> Iterator[Finding]:
    """Find printed addresses and sets in tools, system prompt and first message."""
    for block in (*subject.prelude, *subject.first_message):
        for leaf in leaves(block.value, block.path):
            for found in _ADDRESS.finditer(leaf.text):
                yield Finding(
                    "object-address",
                    leaf.path,
                    found.start(),
                    excerpt(leaf.text, *found.span()),
                    f"{found[0]!r} is an object as Python prints it, with its address, which differs in each process.",
                    "Write what the object holds, not the object: it has no text of its own.",
                    "warning",
                )
            for found in _SET.finditer(leaf.text):
                yield Finding(
                    "set-order",
                    leaf.path,
                    found.start(1),
                    excerpt(leaf.text, *found.span(1)),
                    f"{found[1][:60]!r} is a set as Python prints it; the order of its texts differs in each process.",
                    "Write sorted(...) of it.",
                    "warning",
                )
