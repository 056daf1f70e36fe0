"""The marks that stand for what was cut, written and read back.

They are read back because a result can be pruned twice: a mark that is cut itself passes its count on to the new one.
"""

import re
import sys

_LINES = re.compile(r"^\[\.\.\. truncated, (\d+) lines(?:, (\d+) failures)?\]$", re.MULTILINE)
_CHARACTERS = re.compile(r"\[\.\.\. truncated, (\d+) characters\]")

_ITEMS = re.compile(r"\[\.\.\. truncated, (\d+) more (items|keys)\]")


def lines_mark(lines: int, failures: int = 0) -> str:
    """Stands for ``lines`` lines, among them the names of ``failures`` failures.

    >>> lines_mark(12), lines_mark(300, 37)
    ('[... truncated, 12 lines]', '[... truncated, 300 lines, 37 failures]')
    """
    failed = f", {failures} failures" if failures else ""
    return f"[... truncated, {lines} lines{failed}]"


def characters_mark(characters: int) -> str:
    """Stands for ``characters`` characters.

    >>> characters_mark(512)
    '[... truncated, 512 characters]'
    """
    return f"[... truncated, {characters} characters]"


def items_mark(items: int, kind: str = "items") -> str:
    """Stands for ``items`` more items of a list, or keys of an object.

    >>> items_mark(37), items_mark(5, "keys")
    ('[... truncated, 37 more items]', '[... truncated, 5 more keys]')
    """
    return f"[... truncated, {items} more {kind}]"


def items_behind(value: object, kind: str = "items") -> int:
    """How many items or keys ``value`` stands for, if it is such a mark; else 0.

    >>> items_behind("[... truncated, 37 more items]"), items_behind("pear"), items_behind(37)
    (37, 0, 0)
    """
    if isinstance(value, str) and value.startswith("[...") and (mark := _ITEMS.fullmatch(value)) and mark[2] == kind:
        return int(mark[1])
    return 0


def lines_behind(text: str, start: int, end: int, marked: bool = True) -> tuple[int, int]:
    r"""How many lines and failures ``text[start:end]`` stands for, marks among them resolved if ``marked``.

    The part is of whole lines, without the newline of the last.

    >>> lines_behind("a\n[... truncated, 300 lines, 37 failures]\nb", 0, 43)
    (302, 37)
    """
    count, failures = text.count("\n", start, end) + 1, 0
    for mark in _LINES.finditer(text, start, end) if marked else ():
        count += int(mark[1]) - 1
        failures += int(mark[2] or 0)
    return count, failures


def characters_behind(text: str, start: int = 0, end: int = sys.maxsize) -> int:
    """How many characters ``text[start:end]`` stands for, marks in it resolved.

    >>> characters_behind("abc"), characters_behind("ab [... truncated, 100 characters] cd")
    (3, 106)
    """
    end = min(end, len(text))
    count = end - start
    if text.find("[...", start, end) >= 0:
        for mark in _CHARACTERS.finditer(text, start, end):
            count += int(mark[1]) - len(mark[0])
    return count
