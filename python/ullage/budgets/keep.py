"""How a section shrinks: one small frozen value each, which only says it; `choose` does it.

An order in which items leave does not depend on the budget. That is why more budget never takes an item away.
"""

from dataclasses import dataclass
from typing import Literal, TypeAlias


@dataclass(frozen=True, slots=True)
class Never:
    """Nothing leaves. A budget that cannot hold the whole section cannot be met."""


@dataclass(frozen=True, slots=True)
class Whole:
    """The section stays or leaves as one."""


@dataclass(frozen=True, slots=True)
class OldestFirst:
    """The first items leave first. Of messages, whole turns do: a user message and all up to the next one.

    Attributes:
        into: what stands for them instead, in a word for the receipt ("summary"). Writing it is the caller's.
    """

    into: str | None = None

    def __post_init__(self) -> None:
        if self.into is not None and not isinstance(self.into, str):
            raise TypeError(f"into must be str, not {type(self.into).__name__}")


@dataclass(frozen=True, slots=True)
class LowestScoreFirst:
    """The item of the lowest score leaves first, and of equal ones the last. Messages of one round leave together.

    What stays is a beginning of the items by their score, so that a large one can keep all behind it out. Only one that
    is larger than the section's `maximum` in tokens is passed over.

    Attributes:
        choice: "greedy" as said; "best" for the items whose scores add up to the most in the section's share, for
            which more budget can take an item away again, for better ones. No score may be below 0 then.
    """

    choice: Literal["greedy", "best"] = "greedy"

    def __post_init__(self) -> None:
        if self.choice not in ("greedy", "best"):
            raise ValueError(f"choice must be 'greedy' or 'best', not {self.choice!r}")


@dataclass(frozen=True, slots=True)
class HeadAndTail:
    """The items in the middle leave first; the first stays longest, then the last. Of messages, whole turns do."""


@dataclass(frozen=True, slots=True)
class Truncate:
    """The last items leave first, and the first that does not fit is cut in its middle, with a mark.

    The section itself never leaves: at least the mark for its first item stays. Only texts and messages of the user
    that are text alone are cut; others leave.

    Attributes:
        mark: stands for what is missing; by default, it says how many lines or characters that is.
    """

    mark: str | None = None

    def __post_init__(self) -> None:
        if self.mark is not None and not isinstance(self.mark, str):
            raise TypeError(f"mark must be str, not {type(self.mark).__name__}")


Keep: TypeAlias = Never | Whole | OldestFirst | LowestScoreFirst | HeadAndTail | Truncate
