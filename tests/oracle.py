"""The script rule in plain Python: what every kernel is held against."""

from fractions import Fraction
from math import ceil

import regex

SCRIPTS = ("Han", "Hiragana", "Katakana", "Hangul", "Bopomofo")
BLOCKS = (
    "CJK_Symbols_and_Punctuation",
    "Hiragana",
    "Katakana",
    "Halfwidth_and_Fullwidth_Forms",
    "Enclosed_CJK_Letters_and_Months",
    "CJK_Compatibility",
)
CJK = regex.compile(
    "["
    + "".join(rf"\p{{Script={name}}}" for name in SCRIPTS)
    + "".join(rf"\p{{Block={name}}}" for name in BLOCKS)
    + "]"
)


def scripts(text):
    """(ascii, cjk, other) in characters."""
    ascii_ = sum(character < "\x80" for character in text)
    cjk = sum(CJK.match(character) is not None for character in text)
    return ascii_, cjk, len(text) - ascii_ - cjk


def estimate(text, ascii_rate=4, cjk_rate=1, other_rate=2):
    """Tokens by the script rule; rates are characters a token."""
    ascii_, cjk, other = scripts(text)
    return ceil(ascii_ / Fraction(ascii_rate) + cjk / Fraction(cjk_rate) + other / Fraction(other_rate))


def byte_bound(text):
    """Bytes in UTF-8; a lone surrogate is replaced by U+FFFD, of three bytes."""
    return len(text.encode("utf-8", "surrogatepass"))
