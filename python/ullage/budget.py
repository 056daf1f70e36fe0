"""`Budget`: how many tokens of a context window a request may take."""

from dataclasses import dataclass
from fractions import Fraction
from operator import index

from ullage.errors import InvalidBudget


@dataclass(frozen=True, slots=True)
class Budget:
    """A window, what is kept free in it for the answer, and what a request may take.

    Attributes:
        window: tokens of the model's context window.
        output_reserve: tokens kept free for the answer.
        target: the most tokens that a request may take; by default, all that the reserve and the slack leave.
        slack: a share of the window, from 0 to below 1, that is kept free for errors of the estimate, rounded up to a
            token. By a profile, texts count by their upper bound and need none; the script rule has no such bound.

    Raises:
        TypeError: when a number of tokens is not an integer, or slack is not a number.
        InvalidBudget: when the numbers leave no room for a request.

    >>> Budget(200_000, output_reserve=8_000).room
    192000
    >>> Budget(200_000, output_reserve=8_000, slack=0.05).room
    182000
    """

    window: int
    output_reserve: int = 0
    target: int | None = None
    slack: float = 0.0

    def __post_init__(self) -> None:
        for name in ("window", "output_reserve", "target"):
            value = getattr(self, name)
            if value is None and name == "target":
                continue
            if isinstance(value, bool) or not hasattr(value, "__index__"):
                raise TypeError(f"{name} must be int, not {type(value).__name__}")
        if isinstance(self.slack, bool) or not isinstance(self.slack, int | float):
            raise TypeError(f"slack must be a number, not {type(self.slack).__name__}")
        if self.window <= 0:
            raise InvalidBudget(f"a window of {self.window:,} tokens has no room; give at least 1")
        if self.output_reserve < 0:
            raise InvalidBudget(f"output_reserve is {self.output_reserve:,}; a reserve is not negative")
        if self.output_reserve >= self.window:
            raise InvalidBudget(
                f"a window of {self.window:,} tokens minus an output reserve of {self.output_reserve:,} leaves "
                f"{self.window - self.output_reserve:,}; give a smaller reserve"
            )
        if not 0 <= self.slack < 1:
            raise InvalidBudget(f"a slack of {self.slack:g} is not a share of the window; give 0 to below 1")
        left = self.window - self.output_reserve - self.held
        taken = f"a window of {self.window:,} tokens minus an output reserve of {self.output_reserve:,}"
        if self.held:
            taken += f" and a slack of {self.held:,} ({self.slack:g} of the window)"
        if left <= 0:
            raise InvalidBudget(f"{taken} leaves {left:,}; give a smaller reserve or slack")
        if self.target is not None and not 0 < self.target <= left:
            raise InvalidBudget(
                f"a target of {self.target:,} tokens is not within 1 and {left:,}, which {taken} leaves"
            )

    @property
    def held(self) -> int:
        """Tokens that the slack keeps free."""
        return -int(-index(self.window) * exact(self.slack) // 1)

    @property
    def room(self) -> int:
        """Tokens that a request may take."""
        return index(self.window - self.output_reserve - self.held if self.target is None else self.target)

    @classmethod
    def for_model(
        cls, model: str, output_reserve: int | None = None, target: int | None = None, slack: float = 0.0
    ) -> "Budget":
        """The budget of a model's window.

        Args:
            model: a model's name, as its provider or a host writes it.
            output_reserve: tokens kept free for the answer: the limit that your request sets for it. By default, the
                most that the model writes.
            target: as of a budget.
            slack: as of a budget.

        Raises:
            TypeError: when a value is of a wrong type.
            UnknownModel: when the window is not known, or, without a reserve, how much the model writes.
            InvalidBudget: when the numbers leave no room, or the reserve is more than the model writes.

        >>> Budget.for_model("claude-sonnet-4-5")
        Budget(window=200000, output_reserve=64000, target=None, slack=0.0)
        >>> Budget.for_model("gpt-4o-2024-08-06", output_reserve=4_000).room
        124000
        """
        from ullage.budgets.limits import limits_of  # few name a model

        window, reserve = limits_of(model, output_reserve)
        return cls(window, reserve, target, slack)

    @classmethod
    def of(cls, budget: "int | Budget") -> "Budget":
        """A budget as it is, or one of so many tokens."""
        return budget if isinstance(budget, Budget) else cls(budget)


def exact(share: float) -> Fraction:
    """A number as it is written: 0.1 is a tenth, so that ten of them are one.

    >>> 10 * exact(0.1) == 1
    True
    """
    return Fraction(repr(float(share)))
