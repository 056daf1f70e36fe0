"""How wrong a profile is on texts from sources that it was not fitted on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from ullage.calibrate.design import features
from ullage.calibrate.fit import Corpus, calibrate

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from ullage.calibrate.fit import Settings


@dataclass(frozen=True, slots=True)
class Errors:
    """Relative errors, as shares of the true count.

    Args:
        texts: how many texts were tested.
        mean: mean of the absolute error.
        median: median of the absolute error.
        p95: its 95th percentile.
        bias: mean of the signed error; above zero is too many tokens.
        under: the share of texts that were estimated too low.

    """

    texts: int
    mean: float
    median: float
    p95: float
    bias: float
    under: float

    @classmethod
    def of(cls, relative: NDArray[np.float64]) -> Errors:
        """Summarise signed relative errors."""
        size = np.abs(relative)
        return cls(
            texts=len(relative),
            mean=float(size.mean()),
            median=float(np.median(size)),
            p95=float(np.percentile(size, 95)),
            bias=float(relative.mean()),
            under=float((relative < 0).mean()),
        )


def leave_one_out(
    corpus: Corpus,
    counts: Sequence[int],
    groups: Sequence[str],
    segment_counts: Sequence[int] = (),
    *,
    settings: Settings | None = None,
) -> NDArray[np.float64]:
    """Estimate each document with a profile that was fitted on all groups but its own.

    Args:
        corpus: the texts.
        counts: tokens of each document.
        groups: the group of each document, such as its source.
        segment_counts: tokens of each segment.
        settings: how to fit.

    Returns:
        The signed relative error of each document.

    """
    names, labels = np.array(sorted(set(groups))), np.array(groups)
    relative = np.empty(len(corpus.texts))
    importance = np.ones(len(labels)) if corpus.importance is None else np.asarray(corpus.importance)
    for name in names:
        rest, left_out = np.flatnonzero(labels != name).tolist(), np.flatnonzero(labels == name).tolist()
        part = Corpus(
            texts=[corpus.texts[index] for index in rest],
            importance=importance[rest].tolist(),
            segments=corpus.segments,
            occurrences=corpus.occurrences,
        )
        fitted = calibrate(part, [counts[index] for index in rest], segment_counts, settings=settings).tokens()
        true = np.array([counts[index] for index in left_out], dtype=np.float64)
        relative[left_out] = (features(corpus.texts[index] for index in left_out) @ fitted - true) / true
    return relative
