"""The numbers of one row of ``ullage count``, and their sums."""

from collections.abc import Iterable
from typing import NamedTuple, Self

import ullage


class Counts(NamedTuple):
    """Counts of one text, or sums over several: each text is estimated, and rounded, by itself."""

    files: int = 0
    characters: int = 0
    ascii: int = 0
    cjk: int = 0
    other: int = 0
    tokens: int = 0  # by estimate
    len4: int = 0  # len(text) // 4
    messages: int = 0  # of files that were counted as messages
    replaced: int = 0  # characters that stand for bytes which could not be decoded

    @classmethod
    def of(cls, text: str, estimator: ullage.Estimator) -> Self:
        """Return the counts of one text."""
        scripts = ullage.scripts(text)
        return cls(
            files=1,
            characters=len(text),
            ascii=scripts.ascii,
            cjk=scripts.cjk,
            other=scripts.other,
            tokens=estimator.estimate(text),
            len4=len(text) // 4,
        )

    @classmethod
    def total(cls, counts: Iterable[Self]) -> Self:
        """Return the sums."""
        return cls(*map(sum, zip(*counts, strict=True)))
