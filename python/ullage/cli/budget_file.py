"""The file of ``ullage budget``: TOML with a table ``budget`` and a table ``section`` for each section.

Every fault names its key. What a section does not say has the default of a section of that name in
`ullage.chat_sections`, or of `ullage.Section`.
"""

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ullage import (
    Budget,
    Estimator,
    HeadAndTail,
    Item,
    LowestScoreFirst,
    Never,
    OldestFirst,
    Section,
    Truncate,
    UllageError,
    UnknownModel,
    Whole,
)
from ullage.budgets.chat import DEFAULTS
from ullage.budgets.keep import Keep
from ullage.cli import messages
from ullage.cli.read import decode, read

KEEPS: dict[str, Keep] = {
    "never": Never(),
    "whole": Whole(),
    "oldest-first": OldestFirst(),
    "lowest-score-first": LowestScoreFirst(),
    "best-score": LowestScoreFirst("best"),
    "head-and-tail": HeadAndTail(),
    "truncate": Truncate(),
}
"""What ``keep`` can say."""

_BUDGET = ("model", "window", "output_reserve", "target", "slack")
_CONTENT = ("texts", "files", "tokens", "items", "messages")
_SECTION = ("name", "quota", "minimum", "maximum", "weight", "priority", "keep", "changes")
_MOST_TIMES = 1_000_000
_ITEM = ("text", "file", "tokens", "score", "times")


class BadConfigError(Exception):
    """A file cannot be used: the sentence names the key and the reason."""


@dataclass(frozen=True, slots=True)
class Config:
    """What the file says."""

    model: str | None
    estimator: Estimator
    budget: Budget
    sections: list[Section]


def load(path: str) -> Config:
    """Read a file, and the files that it names, whose paths are relative to it.

    Raises:
        BadConfigError: when it cannot be used.
        OSError: when it, or a file that it names, cannot be read.
    """
    content = read(path)
    if content is None:
        raise BadConfigError("it is not text")
    try:
        whole = tomllib.loads(content.text)
    except tomllib.TOMLDecodeError as error:
        raise BadConfigError(f"it is not TOML: {error}") from error
    _known(whole, ("budget", "section"), "")
    budget = _table(whole, "budget")
    _known(budget, _BUDGET, "budget.")
    sections = whole.get("section", [])
    if not isinstance(sections, list) or not all(isinstance(each, dict) for each in sections) or not sections:
        raise BadConfigError("section: write [[section]] above the keys of each section, at least once")
    folder = Path(path).parent
    model = _text(budget, "model", "budget.")
    try:
        estimator = Estimator() if model is None else Estimator.for_model(model)
    except UnknownModel as error:
        raise BadConfigError(f"budget.model: {error}") from error
    return Config(
        model,
        estimator,
        _budget(budget),
        [_section(each, f"section[{at}].", folder) for at, each in enumerate(sections)],
    )


def _budget(table: Mapping[str, Any]) -> Budget:
    values = {key: value for key, value in table.items() if key != "model"}
    if "window" not in values and "model" not in table:
        raise BadConfigError("budget.window: give the tokens of the window, or budget.model for that of a model")
    try:
        return Budget(**values) if "window" in values else Budget.for_model(table["model"], **values)
    except (TypeError, UllageError) as error:
        raise BadConfigError(f"budget: {error}") from error


def _section(table: dict[str, Any], where: str, folder: Path) -> Section:
    _known(table, (*_SECTION, *_CONTENT), where)
    name = _text(table, "name", where)
    if name is None:
        raise BadConfigError(f"{where}name: it is missing")
    values: dict[str, Any] = {}
    default = DEFAULTS.get(name)
    if default is not None:
        values |= default._asdict()
    values |= {key: table[key] for key in _SECTION if key in table}
    keep = _text(table, "keep", where)
    if keep is not None:
        if keep not in KEEPS:
            raise BadConfigError(f"{where}keep: it is {keep!r}, and not one of {', '.join(KEEPS)}")
        values["keep"] = KEEPS[keep]
    content = [key for key in _CONTENT if key in table]
    if "messages" in content and len(content) > 1:
        raise BadConfigError(f"{where}messages: a section of messages has no {content[0]}; make two sections")
    items = [item for key in content for item in _items(table, key, where, folder)]
    try:
        return Section(items=items, **values)
    except (TypeError, ValueError) as error:
        raise BadConfigError(f"{where.rstrip('.')}: {error}") from error


def _items(table: dict[str, Any], key: str, where: str, folder: Path) -> Iterator[object]:
    """The items that one key stands for."""
    value = table[key]
    if key == "messages":
        yield from _messages(folder / str(_text(table, key, where)), f"{where}{key}")
        return
    values = value if isinstance(value, list) else [value]
    for at, each in enumerate(values):
        path = f"{where}{key}[{at}]" if isinstance(value, list) else f"{where}{key}"
        if key == "items":
            yield from _item(each, path, folder)
        elif key == "tokens":
            yield _of_tokens(each, path)
        elif not isinstance(each, str):
            raise BadConfigError(f"{path}: it must be a text, not {type(each).__name__}")
        elif key == "texts":
            yield each
        else:
            yield from _files(each, path, folder)


def _item(table: object, where: str, folder: Path) -> Iterator[Item]:
    if not isinstance(table, dict):
        raise BadConfigError(f"{where}: write it as {{ text = ... }}, {{ file = ... }} or {{ tokens = ... }}")
    _known(table, _ITEM, f"{where}.")
    given = [key for key in ("text", "file", "tokens") if key in table]
    if len(given) != 1:
        raise BadConfigError(f"{where}: give one of text, file and tokens")
    times = table.get("times", 1)
    if isinstance(times, bool) or not isinstance(times, int) or not 1 <= times <= _MOST_TIMES:
        raise BadConfigError(f"{where}.times: it must be a whole number within 1 and {_MOST_TIMES:,}, not {times!r}")
    content, tokens = None, None
    if given == ["tokens"]:
        tokens = table["tokens"]
    else:
        content = _text(table, given[0], f"{where}.")
        if given == ["file"]:
            content = _file(folder / str(content), f"{where}.file")
    try:
        item = Item(content, table.get("score", 0.0), tokens)
    except (TypeError, ValueError) as error:
        raise BadConfigError(f"{where}: {error}") from error
    yield from [item] * times


def _of_tokens(value: object, where: str) -> Item:
    try:
        return Item(None, tokens=value)  # type: ignore[arg-type]
    except (TypeError, ValueError) as error:
        raise BadConfigError(f"{where}: {error}") from error


def _files(pattern: str, where: str, folder: Path) -> Iterator[str]:
    if Path(pattern).anchor:
        raise BadConfigError(f"{where}: {pattern!r} is absolute; give it relative to the folder of the config")
    paths = sorted(path for path in folder.glob(pattern) if path.is_file()) if pattern else []
    if not paths:
        raise BadConfigError(f"{where}: there is no file {pattern!r}")
    for path in paths:
        yield _file(path, where)


def _file(path: Path, where: str) -> str:
    content = decode(path.read_bytes())
    if content is None:
        raise BadConfigError(f"{where}: {path.name} is not text")
    return content.text


def _messages(path: Path, where: str) -> list[object]:
    try:
        found = messages.load(str(path))
    except messages.BadMessagesError as error:
        raise BadConfigError(f"{where}: {path.name}: {error}") from error
    if len(found.requests) != 1:
        raise BadConfigError(f"{where}: {path.name} holds {len(found.requests):,} requests; give one session")
    (request,) = found.requests.values()
    return list(request.messages)


def _known(table: Mapping[str, Any], keys: tuple[str, ...], where: str) -> None:
    for key in table:
        if key not in keys:
            raise BadConfigError(f"{where}{key}: there is no such key; there are: {', '.join(keys)}")


def _table(whole: Mapping[str, Any], key: str) -> dict[str, Any]:
    value = whole.get(key)
    if not isinstance(value, dict):
        raise BadConfigError(f"{key}: write [{key}] above its keys")
    return value


def _text(table: Mapping[str, Any], key: str, where: str) -> str | None:
    value = table.get(key)
    if value is None or isinstance(value, str):
        return value
    raise BadConfigError(f"{where}{key}: it must be a text, not {type(value).__name__}")
