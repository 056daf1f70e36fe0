"""The calls that are timed: ullage, what it replaces, another estimator, and exact tokenizers.

The tokenizers are all asked for o200k_base. Its vocabulary comes from the bpe-openai package: nothing is downloaded.
Each contestant is loaded by its name and needs its package only then (dependency group ``bench``).
"""

import gzip
import hashlib
import importlib.util
import os
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import version
from pathlib import Path

import ullage

sys.path.append(str(Path(__file__).parent.parent / "tests"))
import oracle  # the script rule in plain Python

VOCABULARY_URL = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
"""Where tiktoken would look; it keeps what it has read under the SHA-1 of this address."""


@dataclass(frozen=True)
class Contestant:
    """One call from a text to a number of tokens.

    ``check(text, tokens)`` says whether that number is right by the contestant's own definition: for an estimator its
    formula, for a tokenizer that as many tokens decode to the text again.
    """

    name: str
    version: str
    call: Callable[[str], int]
    check: Callable[[str, int], bool]


def _ullage():
    def check(text, tokens):
        return tokens == oracle.estimate(text)

    return Contestant("ullage", ullage.__version__, ullage.estimate, check)


def _quarter():
    def check(text, tokens):
        return 4 * tokens <= len(text) < 4 * tokens + 4

    return Contestant("len // 4", "", lambda t: len(t) // 4, check)


def _skimtoken():
    from skimtoken.simple import estimate_tokens

    million = estimate_tokens("x" * 1_000_000)  # its simple method: so many tokens a character, and nothing else

    def check(text, tokens):
        return abs(tokens - len(text) * million / 1e6) <= 1 + len(text) / 1e6

    return Contestant("skimtoken", version("skimtoken"), estimate_tokens, check)


def _gigatoken():
    os.environ["RAYON_NUM_THREADS"] = "1"
    import gigatoken

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "o200k_base.tiktoken"
        path.write_bytes(_vocabulary())
        encoding = gigatoken.Tokenizer.from_tiktoken(str(path))

    def check(text, tokens):
        encoded = encoding.encode(text)
        return len(encoded) == tokens and encoding.decode(encoded) == text.encode()

    return Contestant("gigatoken", version("gigatoken"), lambda t: len(encoding.encode(t)), check)


def _quicktok():
    import quicktok

    encoding = quicktok.get_encoding("o200k_base")

    def check(text, tokens):
        encoded = encoding.encode(text)
        return len(encoded) == tokens and encoding.decode(encoded) == text

    return Contestant("quicktok", version("quicktok-v1"), encoding.count, check)


def _tiktoken():
    with tempfile.TemporaryDirectory() as folder:
        name = hashlib.sha1(VOCABULARY_URL.encode(), usedforsecurity=False).hexdigest()
        (Path(folder) / name).write_bytes(_vocabulary())
        os.environ["TIKTOKEN_CACHE_DIR"] = folder
        import tiktoken

        encoding = tiktoken.get_encoding("o200k_base")  # compares the file's SHA-256 with the published one

    def check(text, tokens):
        encoded = encoding.encode_ordinary(text)
        return len(encoded) == tokens and encoding.decode(encoded) == text

    return Contestant("tiktoken", version("tiktoken"), lambda t: len(encoding.encode_ordinary(t)), check)


_LOADERS = {
    "ullage": _ullage,
    "len // 4": _quarter,
    "skimtoken": _skimtoken,
    "gigatoken": _gigatoken,
    "quicktok": _quicktok,
    "tiktoken": _tiktoken,
}
NAMES = tuple(_LOADERS)


@cache
def load(name):
    """The contestant of that name; ModuleNotFoundError where its package is missing."""
    return _LOADERS[name]()


def _vocabulary():
    """o200k_base in tiktoken's format; bpe-openai is not imported, for that would parse every vocabulary it has."""
    spec = importlib.util.find_spec("bpe_openai")
    if spec is None:
        raise ModuleNotFoundError("No module named 'bpe_openai'", name="bpe_openai")
    return gzip.decompress((Path(spec.submodule_search_locations[0]) / "data" / "o200k_base.tiktoken.gz").read_bytes())
