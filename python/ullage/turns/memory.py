"""`TurnMemory`: what is remembered of one turn, so that the next phrase may point at it. A value; it never changes.

The application makes one at the end of each turn, from what it showed, and stores it where it likes: `to_json` and
`from_json` are the form for that, with a version.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from hashlib import blake2b
from typing import Any, NamedTuple

from ullage.errors import InvalidMemory

VERSION = 1


class Entity(NamedTuple):
    """Something that a phrase can name or point at.

    Attributes:
        id: what it is fetched by.
        name: as the user sees it.
        kind: what it is, in the singular ("harbour"), so that "the second harbour" is understood; may be empty.
    """

    id: str
    name: str
    kind: str = ""


@dataclass(frozen=True, slots=True)
class TurnMemory:
    """What is remembered of one turn. It is a value: equal ones have the same digest, on every machine.

    Attributes:
        turn: the number of the turn, from 0.
        output: the kind of output that the user saw: "list", "table", "chart", "text", or another word of yours.
        entities: what the turn was about.
        visible: the items that the user saw, in the order in which they were shown.
        result_ids: what the last result is fetched by.

    Raises:
        TypeError: when a value is of a wrong type.
        InvalidMemory: when a turn is negative, or an id, a name or the output is blank.

    >>> from ullage import Entity, TurnMemory
    >>> memory = TurnMemory(3, "list", visible=(Entity("h7", "Girona"), Entity("h2", "Palamós")), result_ids=("q19",))
    >>> TurnMemory.from_json(memory.to_json()) == memory
    True
    """

    turn: int
    output: str
    entities: tuple[Entity, ...] = ()
    visible: tuple[Entity, ...] = ()
    result_ids: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if isinstance(self.turn, bool) or not isinstance(self.turn, int):
            raise TypeError(f"turn must be int, not {type(self.turn).__name__}")
        if self.turn < 0:
            raise InvalidMemory("turn", f"is {self.turn}; turns are numbered from 0")
        _word(self.output, "output")
        for name in ("entities", "visible"):
            object.__setattr__(self, name, tuple(_entities(getattr(self, name), name)))
        ids: object = self.result_ids
        if not isinstance(ids, list | tuple):
            raise TypeError(f"result_ids must be a tuple of str, not {type(ids).__name__}")
        object.__setattr__(self, "result_ids", tuple(ids))
        for index, result_id in enumerate(ids):
            _word(result_id, f"result_ids[{index}]")

    @property
    def digest(self) -> str:
        """32 hexadecimal digits; the same for equal memories, on every machine, and of this version alone."""
        text = json.dumps(self.to_dict(), sort_keys=True, separators=(",", ":"))
        return blake2b(text.encode(), digest_size=16).hexdigest()

    def to_dict(self) -> dict[str, Any]:
        """Dicts, lists, strings and numbers only, as JSON has them, and the version of this form."""
        return {
            "version": VERSION,
            "turn": self.turn,
            "output": self.output,
            "entities": [entity._asdict() for entity in self.entities],
            "visible": [entity._asdict() for entity in self.visible],
            "result_ids": list(self.result_ids),
        }

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "TurnMemory":
        """The memory that `to_dict` gave.

        Raises:
            TypeError: when a value is of a wrong type.
            InvalidMemory: when it is of another version, or a key is missing or not known.
        """
        if not isinstance(value, Mapping):
            raise TypeError(f"a memory must be a dict, not {type(value).__name__}")
        version = value.get("version")
        if type(version) is not int or version != VERSION:
            raise InvalidMemory("version", f"is {version!r}; {VERSION} can be read, so start without one")
        names = [field.name for field in fields(cls)]
        _same_keys(value, ["version", *names], "")
        given = {name: value[name] for name in names}
        for name in ("entities", "visible"):
            if not isinstance(given[name], list | tuple):
                raise TypeError(f"{name} must be a list, not {type(given[name]).__name__}")
            for index, entity in enumerate(given[name]):
                if not isinstance(entity, Mapping):
                    raise TypeError(f"{name}[{index}] must be a dict, not {type(entity).__name__}")
                _same_keys(entity, Entity._fields, f"{name}[{index}].")
            given[name] = tuple(Entity(**entity) for entity in given[name])
        return cls(**given)

    def to_json(self) -> str:
        """The JSON text of `to_dict`. Lone surrogates, which UTF-8 has no bytes for, are escaped."""
        text = json.dumps(self.to_dict(), ensure_ascii=False)
        return text.encode("utf-8", "backslashreplace").decode("utf-8")

    @classmethod
    def from_json(cls, text: str) -> "TurnMemory":
        """The memory that `to_json` gave.

        Raises:
            TypeError: when a value is of a wrong type.
            InvalidMemory: when the text is no JSON, or as `from_dict`.
        """
        if not isinstance(text, str):
            raise TypeError(f"the text of a memory must be str, not {type(text).__name__}")
        try:
            value = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise InvalidMemory("", f"is not JSON: {error}") from error
        return cls.from_dict(value)


def as_memory(memory: object) -> TurnMemory | None:
    """A memory, or None.

    Raises:
        TypeError: when it is neither.
    """
    if memory is not None and not isinstance(memory, TurnMemory):
        raise TypeError(f"memory must be a TurnMemory or None, not {type(memory).__name__}")
    return memory


def as_entities(values: object, what: str) -> tuple[Entity, ...]:
    """Entities, from any iterable of them, as a tuple.

    Raises:
        TypeError: when one of them is none; ``what`` names it.
        InvalidMemory: when an id or a name is blank.
    """
    if isinstance(values, str | Entity) or not isinstance(values, Iterable):
        raise TypeError(f"{what} must be several Entity, not {type(values).__name__}")
    return tuple(_entities(tuple(values), what))


def _entities(values: object, what: str) -> list[Entity]:
    if not isinstance(values, list | tuple) or isinstance(values, Entity):
        raise TypeError(f"{what} must be a tuple of Entity, not {type(values).__name__}")
    for index, entity in enumerate(values):
        if not isinstance(entity, Entity):
            raise TypeError(f"{what}[{index}] must be an Entity, not {type(entity).__name__}")
        _word(entity.id, f"{what}[{index}].id")
        _word(entity.name, f"{what}[{index}].name")
        if not isinstance(entity.kind, str):
            raise TypeError(f"{what}[{index}].kind must be str, not {type(entity.kind).__name__}")
    return list(values)


def _word(value: object, path: str) -> None:
    if not isinstance(value, str):
        raise TypeError(f"{path} must be str, not {type(value).__name__}")
    if not value.strip():
        raise InvalidMemory(path, "is blank")


def _same_keys(value: Mapping[str, Any], names: "list[str] | tuple[str, ...]", path: str) -> None:
    for name in names:
        if name not in value:
            raise InvalidMemory(f"{path}{name}", "is missing")
    for name in value:
        if name not in names:
            raise InvalidMemory(f"{path}{name}", f"is not known; there are {', '.join(names)}")
