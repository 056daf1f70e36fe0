"""Lines that look like an error in a log of any kind."""

import re
from collections.abc import Iterator

from ullage.prune.families.family import Found, Tier

_AROUND = 2
_WORDS = (
    *(rf"{word}\b" for word in ("ERROR", "ERR", "FATAL", "CRITICAL", "PANIC", "ALERT", "EMERG", "FAILED", "FAILURE")),
    *(rf"{word}(?:\[\w+\])?:" for word in ("error", "fatal", "panic", "exception", "failed", "aborted", "aborting")),
    *(rf"{word}(?:\[\w+\])?:" for word in ("Fatal", "Panic", "Failed", "Aborted", "Aborting")),
    *(rf"{word}\b" for word in ("Error", "Exception", "Traceback", "Killed", "cannot", "Cannot")),
    *("could not ", "Could not ", "unable to ", "Unable to ", "egmentation fault", "core dumped", "ermission denied"),
    *("onnection refused", "imed out", "o such file", "ommand not found", "ut of memory"),
)
# One flat alternation of literal beginnings, and no \b before them: so that most characters are skipped at once.
_ERROR = re.compile("|".join(_WORDS))
_EXIT = re.compile(r"\bexit(?:ed|ing)?(?: with)?(?: \w+)? (?:code|status):? -?[1-9]|\breturned non-zero exit")
_END = 5
"""The last so many lines of a log are where a runner says how the command ended."""


def find_exit(lines: list[str]) -> Iterator[Found]:
    """Lines at the end that tell how the command ended."""
    for number in range(max(0, len(lines) - _END), len(lines)):
        if _EXIT.search(lines[number]):
            yield Found(number, Tier.STATUS, 0)


def find_odd(lines: list[str]) -> Iterator[Found]:
    """Lines that look like errors (in turns from the start and from the end), and the lines around them."""
    odd = [number for number, line in enumerate(lines) if _ERROR.search(line)]
    for nth, number in enumerate(odd):
        turn = min(nth, len(odd) - 1 - nth)
        yield Found(number, Tier.ODD, turn)
        for near in range(max(0, number - _AROUND), min(number + _AROUND + 1, len(lines))):
            yield Found(near, Tier.AROUND, turn)
