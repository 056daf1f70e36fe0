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
_PROMPTS = (">>>", "#>", "Out[")
_BEFORE = 200


def printed_objects(subject: Subject) -> Iterator[Finding]:
    """Find printed addresses and sets in tools, system prompt and first message: of each text, the first of each."""
    for block in (*subject.prelude, *subject.first_message):
        for leaf in leaves(block.value, block.path):
            for start, stop in _addresses(leaf.text):
                yield Finding(
                    "object-address",
                    leaf.path,
                    start,
                    excerpt(leaf.text, start, stop),
                    f"{leaf.text[start:stop]!r} is an object as Python prints it, with its address, which differs in "
                    "each process.",
                    "Write what the object holds, not the object: it has no text of its own.",
                    "warning",
                )
                break
            if found := _SET.search(leaf.text):
                yield Finding(
                    "set-order",
                    leaf.path,
                    found.start(1),
                    excerpt(leaf.text, *found.span(1)),
                    f"{found[1][:60]!r} is a set as Python prints it; the order of its texts differs in each process.",
                    "Write sorted(...) of it.",
                    "note",
                )


def _addresses(text: str) -> Iterator[tuple[int, int]]:
    """Where addresses are that are not in an example of code: in a fence, or below a prompt of the interpreter."""
    at = 0
    for number, piece in enumerate(text.split(_FENCE)):
        for found in _ADDRESS.finditer(piece) if number % 2 == 0 else ():
            start, stop = found.span()
            before = piece[max(0, start - _BEFORE) : start].split("\n")[-2:]
            if not any(mark in line for line in before for mark in _PROMPTS):
                yield at + start, at + stop
        at += len(piece) + len(_FENCE)
