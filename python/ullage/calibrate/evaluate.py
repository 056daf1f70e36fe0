"""How wrong a profile is on texts from sources that it was not fitted on."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ullage.calibrate.fit import Corpus, calibrate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ullage.calibrate.fit import Settings


def leave_one_out(
    corpus: Corpus,
    counts: Sequence[int],
    groups: Sequence[str],
    segment_counts: Sequence[int] = (),
    *,
    settings: Settings | None = None,
    priors: Mapping[str, NDArray[np.float64]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """Estimate each document with a profile that was fitted on all groups but its own.

    Args:
        corpus: the texts.
        counts: tokens of each document.
        groups: the group of each document, such as its source.
        segment_counts: tokens of each segment.
        settings: how to fit.
        priors: as for ``calibrate``; the left-out group has no say in which is the nearest.
        progress: called with steps done and steps in all.

    Returns:
        The signed relative error of each document.

    """
    labels = np.array(groups)
    names = sorted(set(groups))
    relative = np.empty(len(corpus.texts))
    for number, name in enumerate(names):

        def report(done: int, steps: int, number: int = number) -> None:
            if progress is not None:
                progress(number * steps + done, len(names) * steps)

        rest, left_out = np.flatnonzero(labels != name).tolist(), np.flatnonzero(labels == name).tolist()
        fitted = calibrate(
            corpus.part(rest),
            [counts[index] for index in rest],
            segment_counts,
            settings=settings,
            priors=priors,
            progress=report,
        )
        true = np.array([counts[index] for index in left_out], dtype=np.float64)
        relative[left_out] = (corpus.design()[left_out] @ fitted.tokens() - true) / true
    return relative
