"""Plain text cut in the middle: its head and its tail stay."""

from ullage.prune.limit import Limit, TokenEstimator, largest
from ullage.prune.marks import characters_behind, characters_mark, lines_behind, lines_mark


def prune_text(text: str, *, max_tokens: int, estimator: TokenEstimator | None = None) -> str:
    r"""``text`` if it fits, else its head and its tail around a mark that says how much is missing.

    Cut between lines where there are lines, else between words, else between characters. Each end gets half of the
    budget.

    Args:
        text: Any text; it is not read as a log (see `prune_log`).
        max_tokens: Tokens that the result must not exceed by ``estimator``.
        estimator: What counts; the script rule by default.

    Raises:
        ValueError: The budget does not even hold the mark.

    >>> prune_text("\n".join(f"line {i}" for i in range(1000)), max_tokens=16)
    'line 0\nline 1\n[... truncated, 996 lines]\nline 998\nline 999'

    """
    limit = Limit(max_tokens, estimator)
    return text if limit.holds(text) else cut_middle(text, limit)


def cut_middle(text: str, limit: Limit, mark: str | None = None) -> str:
    """The head and the tail of ``text`` that fit around a mark: this one, or one that says how much is missing."""
    least = least_mark(text, mark)
    marked = "[..." in text
    kept = largest(lambda size: _around_mark(text, size, marked, mark), limit.holds, len(text) - 1)
    if kept is None:
        if not limit.holds(least):
            raise limit.refuse(least)
        kept = least
    return kept


def least_mark(text: str, mark: str | None = None) -> str:
    """What is left of ``text`` where nothing but the mark fits."""
    return characters_mark(characters_behind(text)) if mark is None else mark


def shorten(line: str, width: int) -> str:
    """``line`` with its middle marked as cut where it is much wider than ``width`` characters."""
    if len(line) <= width or len(line) <= width + len(characters_mark(len(line))):
        return line
    head = width * 2 // 3
    tail = len(line) - (width - head)
    return line[:head] + characters_mark(characters_behind(line, head, tail)) + line[tail:]


def _around_mark(text: str, size: int, marked: bool, own: str | None = None) -> str:
    """The text cut to about ``size`` characters; ``marked`` if it may hold marks, ``own`` the mark to put in."""
    head = _border_before(text, (size + 1) // 2)
    tail = _border_after(text, len(text) - size // 2)
    if own is not None:
        return text[:head] + own + text[tail:]
    if _starts_line(text, head) and _starts_line(text, tail):
        end = tail - (text[tail - 1] == "\n")
        mark = lines_mark(*lines_behind(text, head, end, marked)) + ("\n" if tail < len(text) else "")
    else:
        mark = characters_mark(characters_behind(text, head, tail) if marked else tail - head)
    return text[:head] + mark + text[tail:]


def _starts_line(text: str, position: int) -> bool:
    return position == 0 or position == len(text) or text[position - 1] == "\n"


def _border_before(text: str, position: int) -> int:
    """The last start of a line, else of a word, in the second half of ``text[:position]``; else ``position``."""
    for border in "\n ":
        found = text.rfind(border, position // 2, position)
        if found >= 0:
            return found + 1
    return position


def _border_after(text: str, position: int) -> int:
    """The first start of a line, else of a word, in the first half of ``text[position:]``; else ``position``."""
    for border in "\n ":
        found = text.find(border, position - 1 if position else 0, (position + len(text)) // 2)
        if found >= 0:
            return found + 1
    return position
