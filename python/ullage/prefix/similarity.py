"""How much two texts share."""

import re
from collections import Counter
from unicodedata import normalize

_LOOKED_AT = 10_000
"""So many characters of a text are looked at for its words."""
_WORD = re.compile(r"\w+")


def similar(old: str, new: str) -> bool:
    """Whether two texts share half of the shorter one at the start and the end, or half of the words of the longer one.

    >>> similar("It is 17:11 now.", "It is 17:12 now."), similar("Yes", "No")
    (True, False)
    >>> similar('{"a": 1, "b": 2}', '{"b":2,"a":1}')
    True
    """
    shortest = min(len(old), len(new))
    start = shared(old, new)
    end = shared(old[start:][::-1], new[start:][::-1])
    if 2 * (start + end) >= shortest > 0:
        return True
    words, new_words = (Counter(_WORD.findall(normalize("NFC", text[:_LOOKED_AT]))) for text in (old, new))
    most = max(words.total(), new_words.total())
    return 2 * (words & new_words).total() >= most > 0


def shared(old: str, new: str) -> int:
    """How many characters two texts share from the start."""
    low, high = 0, min(len(old), len(new))
    while low < high:
        middle = (low + high + 1) // 2
        if old[low:middle] == new[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
