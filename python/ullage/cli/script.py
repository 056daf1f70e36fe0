"""The script that a text is mostly written in, by a sample of its letters. It groups rows; no estimate uses it."""

import unicodedata
from collections import Counter

_SLICE = 64  # characters
_SLICES = 32

_WIDTHS = ("HALFWIDTH ", "FULLWIDTH ")
_FAMILIES = {"Cjk": "Han", "Hiragana": "Kana", "Katakana": "Kana"}


def main_script(text: str) -> str:
    """Return a name such as ``Latin``, ``Cyrillic`` or ``Japanese`` (Han with kana in it), or ``no letters``."""
    step = max(_SLICE, len(text) // _SLICES)
    sample = "".join(text[start : start + _SLICE] for start in range(0, len(text), step))
    letters: Counter[str] = Counter()
    for character, times in Counter(sample).items():
        if character.isalpha():
            letters[_script(character)] += times
    kana = letters.pop("Kana", 0)
    if kana:
        letters["Japanese"] = kana + letters.pop("Han", 0)
    return letters.most_common(1)[0][0] if letters else "no letters"


def _script(letter: str) -> str:
    """Return the first word of a letter's Unicode name: the standard library has no Script property."""
    name = unicodedata.name(letter, "unknown")
    for width in _WIDTHS:
        name = name.removeprefix(width)
    word = name.partition(" ")[0].capitalize()
    return _FAMILIES.get(word, word)
