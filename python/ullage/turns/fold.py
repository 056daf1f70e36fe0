"""Words as they are compared: without case, accents and the ways in which Unicode writes the same letter."""

import re
import unicodedata

_TOKEN = re.compile(r"\d+\.[^\W\d_]{1,3}\b|#?(?:[^\W_]|[\u0300-\u036f])+(?:['-][^\W_]+)*|[^\w\s]|_")

_UNSPACED = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\U00020000-\U0003ffff"
_NAME = re.compile(rf"'[^\W_]{{1,2}}(?![^\W_])|[{_UNSPACED}]|(?:[^\W_{_UNSPACED}]|[\u0300-\u036f])+|[^\w\s]|_")


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


def written(text: str) -> str:
    """A text as `fold` gives it, but with its accents, each letter and its accent in one character.

    >>> written("ESTÁ") == written("esta\u0301") == "está"
    True
    """
    if text.isascii():
        return text.lower()
    put_together = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).casefold())
    return "".join(c for c in put_together if unicodedata.category(c) != "Cf").replace("’", "'")


def split(text: str) -> tuple[str, ...]:
    """The words and marks of punctuation of a text, in order, with their accents."""
    return tuple(_TOKEN.findall(written(text)))


def tokens(text: str) -> tuple[str, ...]:
    """The folded words and marks of punctuation of a text, in order.

    >>> tokens("¿Y el 2º, por favor?")
    ('¿', 'y', 'el', '2o', ',', 'por', 'favor', '?')
    """
    return tuple(map(fold, split(text)))


def name_tokens(text: str) -> tuple[str, ...]:
    """The folded words and marks of a text as names are looked for: "Girona's" and "Girona-Roses" name Girona.

    Chinese, Japanese and Korean are written without spaces, or with particles behind a name, and go by the character.

    >>> name_tokens("Girona's"), name_tokens("東京の")
    (('girona', "'s"), ('東', '京', 'の'))
    """
    return tuple(map(fold, _NAME.findall(written(text))))


def is_mark(token: str) -> bool:
    """Whether a token is punctuation."""
    return not token[-1:].isalnum()
