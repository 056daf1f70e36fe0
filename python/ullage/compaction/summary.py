"""`Summary`: what is kept of messages that left, in five fixed fields."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from ullage.compaction.prompt import FIELDS

VERSION = 1
NOTHING = frozenset({"none", "nothing", "n/a", "ninguno", "ninguna", "nada", "-"})


@dataclass(frozen=True, slots=True)
class Summary:
    """What is kept of messages that left. White space around items, empty items and items that say "none" are dropped.

    Attributes:
        objective: what the user wants.
        facts: what was found out and is needed to go on.
        decisions: what was decided, and why.
        pending: what is still to be done.
        constraints: what the user wants kept, respected or avoided.
    """

    objective: str = ""
    facts: tuple[str, ...] = ()
    decisions: tuple[str, ...] = ()
    pending: tuple[str, ...] = ()
    constraints: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "objective", _clean(self.objective))
        for name in FIELDS[1:]:
            items = getattr(self, name)
            if isinstance(items, str):
                raise TypeError(f"{name} must be a tuple of str, not str")
            object.__setattr__(self, name, tuple(item for item in map(_clean, items) if item))

    def __bool__(self) -> bool:
        return any(getattr(self, name) for name in FIELDS)

    def merge(self, newer: "Summary") -> "Summary":
        """The summary of what this one and a newer one stand for, where the newer one was written with this in view.

        The objective and each list are the newer ones, or these where the newer ones are empty. Constraints are never
        dropped: all of these come first, word for word, and then those that are new.

        >>> first = Summary("Move the shop to v2", facts=("v1 has 40 routes",), constraints=("Keep the old URLs",))
        >>> first.merge(Summary(facts=("38 routes are moved",), constraints=("keep the old URLs", "No downtime")))
        Summary(objective='Move the shop to v2', facts=('38 routes are moved',), decisions=(), pending=(), \
constraints=('Keep the old URLs', 'No downtime'))
        """
        return Summary(
            newer.objective or self.objective,
            newer.facts or self.facts,
            newer.decisions or self.decisions,
            newer.pending or self.pending,
            _union(self.constraints, newer.constraints),
        )

    def to_dict(self) -> dict[str, Any]:
        """Lists and strings only, as JSON has them, and the version of this form."""
        listed = {name: list(getattr(self, name)) for name in FIELDS[1:]}
        return {"version": VERSION, "objective": self.objective, **listed}

    @classmethod
    def from_dict(cls, value: Mapping[str, Any]) -> "Summary":
        """The summary that `to_dict` gave.

        Raises:
            ValueError: when it is of another version.
        """
        if value.get("version") != VERSION:
            raise ValueError(f"this is a summary of version {value.get('version')!r}; {VERSION} can be read")
        return cls(value["objective"], *(tuple(value[name]) for name in FIELDS[1:]))


def unix_lines(text: str) -> str:
    r"""A text whose lines end in "\n" alone."""
    # The look-behind keeps a long run of carriage returns from being tried from each of them.
    return re.sub(r"(?<!\r)\r+\n", "\n", text)


def _clean(text: str) -> str:
    text = unix_lines(text).strip()
    return "" if text.rstrip(".").casefold() in NOTHING else text


def _union(first: Iterable[str], second: Iterable[str]) -> tuple[str, ...]:
    """Those of both, in order, without those that differ from one before in white space and case alone."""
    found: dict[str, str] = {}
    for text in (*first, *second):
        found.setdefault(" ".join(text.split()).casefold().rstrip("."), text)
    return tuple(found.values())
