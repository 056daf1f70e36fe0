"""`Budget`: how many tokens of a context window a request may take."""

from dataclasses import dataclass
from operator import index

from ullage.errors import InvalidBudget


@dataclass(frozen=True, slots=True)
class Budget:
    """A window, what is kept free in it for the answer, and what a request may take.

    Attributes:
        window: tokens of the model's context window.
        output_reserve: tokens kept free for the answer.
        target: the most tokens that a request may take; by default, the window without the reserve.

    Raises:
        TypeError: when a number is not an integer.
        InvalidBudget: when the numbers leave no room for a request.

    >>> Budget(200_000, output_reserve=8_000).room
    192000
    """

    window: int
    output_reserve: int = 0
    target: int | None = None

    def __post_init__(self) -> None:
        for name in ("window", "output_reserve", "target"):
            value = getattr(self, name)
            if value is None and name == "target":
                continue
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError(f"{name} must be int, not {type(value).__name__}")
        if self.window <= 0:
            raise InvalidBudget(f"a window of {self.window:,} tokens has no room; give at least 1")
        if self.output_reserve < 0:
            raise InvalidBudget(f"output_reserve is {self.output_reserve:,}; a reserve is not negative")
        if self.output_reserve >= self.window:
            raise InvalidBudget(
                f"a window of {self.window:,} tokens minus an output reserve of {self.output_reserve:,} leaves "
                f"{self.window - self.output_reserve:,}; give a smaller reserve"
            )
        room = self.window - self.output_reserve
        if self.target is not None and not 0 < self.target <= room:
            raise InvalidBudget(
                f"a target of {self.target:,} tokens is not within 1 and {room:,}, which a window of {self.window:,} "
                f"minus an output reserve of {self.output_reserve:,} leaves"
            )

    @property
    def room(self) -> int:
        """Tokens that a request may take."""
        return index(self.window - self.output_reserve if self.target is None else self.target)

    @classmethod
    def of(cls, budget: "int | Budget") -> "Budget":
        """A budget as it is, or one of so many tokens."""
        return budget if isinstance(budget, Budget) else cls(budget)
