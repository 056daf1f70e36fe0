"""Corpora as JSON lines: a document a line, with what is known of it."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path

from ullage.errors import InvalidCorpus


@dataclass(frozen=True, slots=True)
class Document:
    """One text.

    Args:
        text: what is counted.
        source: where it comes from; documents of one source may resemble each other.
        lang: its language.
        kind: what it is, such as prose, code or log.
        tokens: its tokens by tokenizer, where they are known.
        place: where it was found, for messages.
    """

    text: str
    source: str = ""
    lang: str = ""
    kind: str = ""
    tokens: Mapping[str, int] = field(default_factory=dict)
    place: str = ""


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """A corpus that was read.

    Args:
        documents: in the order of the file.
        sha256: of the file's bytes.
    """

    documents: tuple[Document, ...]
    sha256: str


def read_corpus(path: str | PathLike[str]) -> CorpusFile:
    """Read a corpus in JSON lines: objects with a ``text``, and ``source``, ``lang``, ``kind`` and ``tokens`` if known.

    Empty lines and other keys are passed over.

    Raises:
        OSError: when the file cannot be read.
        InvalidCorpus: when a line is not such an object; the file, the line and the reason are named.
    """
    checksum, documents = hashlib.sha256(), []
    with Path(path).open("rb") as file:
        for number, line in enumerate(file, 1):
            checksum.update(line)
            if not line.strip():
                continue
            place = f"{path}:{number}"
            try:
                documents.append(_document(json.loads(line.decode("utf-8-sig")), place))
            except (ValueError, RecursionError) as error:
                raise InvalidCorpus(f"{place}: {error}") from None
    if not documents:
        raise InvalidCorpus(f"{path}: there are no documents in it")
    return CorpusFile(tuple(documents), checksum.hexdigest())


def _document(line: object, place: str) -> Document:
    if not isinstance(line, dict):
        raise ValueError(f"a line must be an object, not {type(line).__name__}")  # noqa: TRY004 - told as bad input
    if "text" not in line:
        raise ValueError('"text" is missing')
    labels = {key: line.get(key) or "" for key in ("text", "source", "lang", "kind")}
    for key, value in labels.items():
        if not isinstance(value, str):
            raise ValueError(f'"{key}" must be a string, not {type(value).__name__}')  # noqa: TRY004
    tokens = line.get("tokens") or {}
    if not isinstance(tokens, dict):
        raise ValueError(f'"tokens" must be an object, not {type(tokens).__name__}')  # noqa: TRY004
    for key, number in tokens.items():
        if isinstance(number, bool) or not isinstance(number, int) or number < 0:
            raise ValueError(f'"tokens" must hold whole numbers of 0 and more, and has {number!r} for {key!r}')
    return Document(**labels, tokens=tokens, place=place)
