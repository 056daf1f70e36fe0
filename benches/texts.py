"""The texts that are timed, cut from corpora/ to any size."""

from functools import cache
from pathlib import Path

CORPORA = Path(__file__).parent.parent / "corpora"
MANIFEST = CORPORA / "manifest.json"

FILES = {
    "English": "text/en.txt",
    "German": "text/de.txt",
    "Russian": "text/ru.txt",
    "Greek": "text/el.txt",
    "Armenian": "text/hy.txt",
    "Georgian": "text/ka.txt",
    "Hebrew": "text/he.txt",
    "Arabic": "text/ar.txt",
    "Hindi": "text/hi.txt",
    "Bengali": "text/bn.txt",
    "Gujarati": "text/gu.txt",
    "Punjabi": "text/pa.txt",
    "Tamil": "text/ta.txt",
    "Telugu": "text/te.txt",
    "Kannada": "text/kn.txt",
    "Malayalam": "text/ml.txt",
    "Sinhala": "text/si.txt",
    "Thai": "text/th.txt",
    "Lao": "text/lo.txt",
    "Khmer": "text/km.txt",
    "Burmese": "text/my.txt",
    "Amharic": "text/am.txt",
    "Chinese": "text/zh-Hans.txt",
    "Japanese": "text/ja.txt",
    "Korean": "text/ko.txt",
    "Emoji": "text/en-emoji.txt",
    "Code": "code/inventory.py",
    "JSON": "data/nested.json",
    "Log": "data/app.log",
}
"""One text for every script in the corpora, and for what else fills a window."""

SIZES = (10, 100, 1_000, 4_096, 16_384, 65_536, 262_144, 1_048_576)
"""The ladder, in bytes of UTF-8."""

LADDER = ("English", "Russian", "Chinese")
"""What goes up the ladder; the other texts are timed at the size of a message."""

MESSAGE = 4_096
"""A message, in bytes of UTF-8."""

MESSAGES = {
    "English": ("text/en*.txt",),
    "code": ("code/*",),
    "JSON": ("data/*.json",),
    "logs": ("data/*.log", "data/compiler.txt", "data/pytest.txt", "data/traceback.txt"),
    "Russian": ("text/ru*.txt",),
    "Chinese": ("text/zh*.txt", "data/*.zh.md"),
}
"""Files that are messages as they are, of 1 to 3 kB, by what they hold."""


def messages(name):
    """All messages of that name, each a file of its own."""
    paths = sorted(path for pattern in MESSAGES[name] for path in CORPORA.glob(pattern))
    return [path.read_bytes().decode("utf-8") for path in paths]


def text(name, size):
    """The named text, repeated or cut to at most ``size`` bytes of UTF-8, without half a character at its end."""
    raw = _bytes(name)
    return (raw * (size // len(raw) + 1))[:size].decode("utf-8", "ignore")


@cache
def _bytes(name):
    return (CORPORA / FILES[name]).read_bytes()
