"""The marks that stand for what was cut, written and read back.

They are read back because a result can be pruned twice: a mark that is cut itself passes its count on to the new one.
"""

import re

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


def lines_behind(lines: str) -> tuple[int, int]:
    r"""How many lines and failures these lines stand for, marks among them resolved. No newline at the end.

    >>> lines_behind("collected 47 items"), lines_behind("a\n[... truncated, 300 lines, 37 failures]\nb")
    ((1, 0), (302, 37))
    """
    count, failures = lines.count("\n") + 1, 0
    if "[..." in lines:
        for mark in _LINES.finditer(lines):
            count += int(mark[1]) - 1
            failures += int(mark[2] or 0)
    return count, failures


def characters_behind(text: str) -> int:
    """How many characters this text stands for, marks in it resolved.

    >>> characters_behind("abc"), characters_behind("ab [... truncated, 100 characters] cd")
    (3, 106)
    """
    if "[..." not in text:
        return len(text)
    return len(text) + sum(int(mark[1]) - len(mark[0]) for mark in _CHARACTERS.finditer(text))
