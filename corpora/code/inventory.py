"""Keep count of spare parts: what came in, what went out, and what to order next."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Movement:
    """One line of the stock book. A negative quantity leaves the shelf."""

    part: str
    quantity: int
    reason: str = ""


class ShortageError(ValueError):
    """More was taken than the shelf holds."""

    def __init__(self, part: str, wanted: int, held: int) -> None:
        super().__init__(f"{part}: wanted {wanted}, only {held} on the shelf")
        self.part = part


@dataclass
class Shelf:
    minimum: dict[str, int] = field(default_factory=dict)
    _held: defaultdict[str, int] = field(default_factory=lambda: defaultdict(int))

    def apply(self, movements: Iterable[Movement]) -> None:
        for move in movements:
            held = self._held[move.part]
            if held + move.quantity < 0:
                raise ShortageError(move.part, -move.quantity, held)
            self._held[move.part] = held + move.quantity

    def to_order(self) -> Iterator[tuple[str, int]]:
        """Yield (part, missing) for every part below its minimum, largest gap first."""
        gaps = {part: low - self._held[part] for part, low in self.minimum.items()}
        for part, gap in sorted(gaps.items(), key=lambda item: (-item[1], item[0])):
            if gap > 0:
                yield part, gap


def read_book(path: Path) -> list[Movement]:
    with path.open(newline="", encoding="utf-8") as handle:
        rows = csv.DictReader(handle, delimiter=";")
        return [Movement(row["part"], int(row["quantity"]), row.get("reason") or "") for row in rows]


if __name__ == "__main__":
    shelf = Shelf(minimum={"bearing 6204": 8, "v-belt 13x1000": 2, "fuse 10A": 40})
    shelf.apply([Movement("bearing 6204", 5, "new"), Movement("fuse 10A", 55), Movement("fuse 10A", -21)])
    for name, missing in shelf.to_order():
        print(f"{name:<20} {missing:>4}")
