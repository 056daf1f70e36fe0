"""Python objects printed into a prompt: addresses in memory, and sets, whose order differs in each process."""

import re
from collections.abc import Iterator

from ullage.prefix.linting.finding import Finding, excerpt
from ullage.prefix.linting.leaves import leaves
from ullage.prefix.linting.subject import Subject

_ADDRESS = re.compile(r"<[A-Za-z_][^<>\n]{0,120} at 0x[0-9a-fA-F]{6,16}>")
_ITEM = r"(?:'[^'\n]{0,120}'|\"[^\"\n]{0,60}'[^\"\n]{0,60}\")"  # as repr() quotes
# Behind a colon: in code a set stands behind "=", "in" or "(". Behind a name and " : ", or before ", default" and the
# like, it is the type of a parameter as docstrings of numpy's kind have it.
_SET = re.compile(rf"(?:\A|(?<![ '\"]):\s|\b(?:are|is)\s)(\{{{_ITEM}(?:, {_ITEM}){{1,64}}\}})(?!,| or )")
_FENCE = "```"


def printed_objects(subject: Subject) -> Iterator[Finding]:
    """Find printed addresses and sets in tools, system prompt and first message."""
    for block in (*subject.prelude, *subject.first_message):
        for leaf in leaves(block.value, block.path):
            for found in _ADDRESS.finditer(leaf.text):
                if _is_shown(leaf.text, found.start()):
                    continue
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
                    "note",
                )


def _is_shown(text: str, start: int) -> bool:
    """Whether a place is in an example of code: in a fence, or below a prompt of the interpreter."""
    line = text.rfind("\n", 0, start) + 1
    before = text[text.rfind("\n", 0, max(0, line - 1)) + 1 : start]
    return any(mark in before for mark in (">>>", "#>", "Out[")) or text.count(_FENCE, 0, start) % 2 == 1
