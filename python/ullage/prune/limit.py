"""A budget in tokens, and the search for the most that fits into it."""

from collections.abc import Callable
from operator import index
from typing import Protocol, TypeVar

from ullage._core import estimate

T = TypeVar("T")


class TokenEstimator(Protocol):
    """Anything that estimates the tokens of a text: `ullage.Estimator`, or a class of the caller's own."""

    def estimate(self, text: str, /) -> int:
        """Tokens in ``text``."""
        ...


class Limit:
    """``max_tokens`` by an estimator; the script rule where none is given."""

    __slots__ = ("estimate", "max_tokens")

    def __init__(self, max_tokens: int, estimator: TokenEstimator | None) -> None:
        self.max_tokens = index(max_tokens)
        if self.max_tokens < 0:
            raise ValueError(f"max_tokens is {self.max_tokens}; a budget cannot be negative")
        if estimator is not None and not callable(getattr(estimator, "estimate", None)):
            raise TypeError(
                f"estimator must have a method estimate, not be {type(estimator).__name__}; "
                "Estimator.for_model(...) gives that of a model"
            )
        self.estimate = estimate if estimator is None else estimator.estimate

    def holds(self, text: str) -> bool:
        """Whether ``text`` fits."""
        return self.estimate(text) <= self.max_tokens

    def refuse(self, least: str) -> ValueError:
        """The error for a budget that not even ``least``, the shortest answer there is, fits into."""
        return ValueError(
            f"max_tokens is {self.max_tokens}, too small for this result: "
            f"even the mark for all of it needs {self.estimate(least)}"
        )


def largest(build: Callable[[int], T], fits: Callable[[T], bool], most: int) -> T | None:
    """The result of ``build(size)`` for the largest size in 1..``most`` that fits, or None.

    Doubles the size until a result no longer fits and then halves the interval, so the work is a few times that of the
    answer however large ``most`` is. Only results that were checked are returned.
    """
    best: T | None = None
    size, low = 1, 0
    while size <= most:
        result = build(size)
        if not fits(result):
            break
        best, low = result, size
        size *= 2
    high = min(size, most + 1)
    while high - low > 1:
        size = (low + high) // 2
        result = build(size)
        if fits(result):
            best, low = result, size
        else:
            high = size
    return best
