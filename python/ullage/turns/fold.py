"""Words as they are compared: without case, accents and the ways in which Unicode writes the same letter."""

import re
import unicodedata

_TOKEN = re.compile(r"\d+\.[^\W\d_]{1,3}\b|#?[^\W_]+(?:['’][^\W_]+)*|[^\w\s]|_")


def fold(text: str) -> str:
    """A text without case, accents, compatibility forms and invisible characters.

    >>> fold("CRÚZALO") == fold("cru\u0301zalo") == "cruzalo"
    True
    """
    if text.isascii():
        return text.lower()
    # Twice, for folding case can bring back what was taken apart.
    taken_apart = unicodedata.normalize("NFKD", unicodedata.normalize("NFKD", text).casefold())
    return "".join(c for c in taken_apart if unicodedata.category(c) not in ("Mn", "Cf"))


def tokens(text: str) -> tuple[str, ...]:
    """The folded words and marks of punctuation of a text, in order.

    >>> tokens("¿Y el 2º, por favor?")
    ('¿', 'y', 'el', '2o', ',', 'por', 'favor', '?')
    """
    return tuple(_TOKEN.findall(fold(text).replace("’", "'")))


def is_mark(token: str) -> bool:
    """Whether a token is punctuation."""
    return not token[-1].isalnum()
