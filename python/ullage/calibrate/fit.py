"""The fit: documents decide, segments help with what documents seldom show, a small ridge decides the rest."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import vstack

from ullage.calibrate.design import SMALL, WEIGHTS, features
from ullage.calibrate.quantise import quantise
from ullage.calibrate.solve import solve

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray
    from scipy.sparse import csr_array

    from ullage.calibrate.quantise import Quantised


@dataclass(frozen=True, slots=True)
class Settings:
    """How to fit. The defaults are those of the profiles that come with ullage.

    Args:
        iterations: steps of the solver; the errors on new texts hardly change beyond these.
        refit: steps after the small tables have been rounded.
        ridge: what a weight of one token costs, where a document that is wrong by its whole size costs 1.
        small_ridge: the same for the small tables, as a share of ``ridge``.
        segments: what all segments count for together, where all documents count for 1.

    """

    iterations: int = 100
    refit: int = 25
    ridge: float = 5e-8
    small_ridge: float = 0.1
    segments: float = 0.03


@dataclass(frozen=True, slots=True)
class Corpus:
    """Texts to fit on.

    Args:
        texts: whole documents.
        importance: how much each document counts, relative to the others; all alike when not given.
        segments: pieces of text that are worth a count of their own, most of all frequent words.
        occurrences: how often each segment occurs.

    """

    texts: Sequence[str]
    importance: Sequence[float] | None = None
    segments: Sequence[str] = ()
    occurrences: Sequence[float] = ()
    _parts: list[csr_array] = field(default_factory=list, repr=False, compare=False)

    def design(self) -> csr_array:
        """The features of the documents, then of the segments; computed once."""
        if not self._parts:
            parts = [features(part) for part in (self.texts, self.segments) if part]
            self._parts.append(vstack(parts, format="csr"))
        return self._parts[0]

    def part(self, documents: Sequence[int]) -> Corpus:
        """Return some of the documents, by index, with all of the segments. Features are not counted again."""
        segments = range(len(self.texts), len(self.texts) + len(self.segments))
        return Corpus(
            texts=[self.texts[index] for index in documents],
            importance=None if self.importance is None else [self.importance[index] for index in documents],
            segments=self.segments,
            occurrences=self.occurrences,
            _parts=[self.design()[[*documents, *segments]]],
        )


def calibrate(
    corpus: Corpus,
    counts: Sequence[int],
    segment_counts: Sequence[int] = (),
    *,
    settings: Settings | None = None,
    priors: Mapping[str, NDArray[np.float64]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Quantised:
    """Fit the weights of a profile. The same input gives the same bytes.

    Args:
        corpus: the texts.
        counts: tokens of each document.
        segment_counts: tokens of each segment.
        settings: how to fit.
        priors: weights of other profiles, by name. The ``nearest`` is where the fit begins and where the ridge pulls
            to: what the corpus does not show costs what it costs there, instead of nothing.
        progress: called with steps done and steps in all.

    Returns:
        The weights, ready for ``ullage.profile_file``.

    Raises:
        ValueError: when there are not as many counts as texts, a count is below one for a document, or the counts need
            larger weights than a profile can hold.

    """
    settings = settings or Settings()
    target, importance = _target(corpus, counts, segment_counts, settings)
    ridge = np.full(WEIGHTS, settings.ridge)
    ridge[SMALL] *= settings.small_ridge
    design = corpus.design()
    prior = nearest(corpus, counts, priors)[1] if priors else np.zeros(WEIGHTS)
    rest = target - design @ prior
    steps = settings.iterations + settings.refit

    def report(done: int) -> None:
        if progress is not None:
            progress(done, steps)

    weights = prior + solve(
        design, rest, importance, ridge, iterations=settings.iterations, progress=lambda done, _: report(done)
    )

    def refit(start: NDArray[np.float64], free: NDArray[np.bool_]) -> NDArray[np.float64]:
        return prior + solve(
            design,
            rest,
            importance,
            ridge,
            iterations=settings.refit,
            start=start - prior,
            free=free,
            progress=lambda done, _: report(settings.iterations + done),
        )

    return quantise(weights, refit)


def nearest(
    corpus: Corpus, counts: Sequence[int], priors: Mapping[str, NDArray[np.float64]]
) -> tuple[str, NDArray[np.float64]]:
    """Return the prior that estimates the documents best once it is multiplied by one factor, and the product."""
    tokens = np.asarray(counts, dtype=np.float64)
    design = corpus.design()[: len(tokens)]
    found = []
    for name, weights in priors.items():
        share = (design @ weights) / tokens
        factor = float(share.sum() / np.sum(share**2))
        found.append((float(np.mean((factor * share - 1) ** 2)), name, factor))
    _, name, factor = min(found)
    return name, priors[name] * factor


def _target(
    corpus: Corpus, counts: Sequence[int], segment_counts: Sequence[int], settings: Settings
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Tokens of each row, and what a squared error of one token costs in it."""
    for name, given, expected in (
        ("counts", counts, len(corpus.texts)),
        ("segment_counts", segment_counts, len(corpus.segments)),
        ("corpus.occurrences", corpus.occurrences, len(corpus.segments)),
    ):
        if len(given) != expected:
            raise ValueError(f"{name} has {len(given)} items for {expected} texts")
    tokens = np.asarray(counts, dtype=np.float64)
    if len(tokens) == 0:
        raise ValueError("counts is empty: there is nothing to fit on")
    if tokens.min() < 1:
        raise ValueError(f"counts[{int(tokens.argmin())}] is {tokens.min():g}: leave out documents that cost nothing")
    share = np.ones(len(tokens)) if corpus.importance is None else np.asarray(corpus.importance, dtype=np.float64)
    if len(share) != len(tokens):
        raise ValueError(f"corpus.importance has {len(share)} items for {len(tokens)} texts")
    documents = share / share.sum() / tokens**2
    # Frequent segments would drown all others at their full count.
    frequency = np.sqrt(np.asarray(corpus.occurrences, dtype=np.float64))
    segments = frequency / max(frequency.sum(), 1.0) * settings.segments
    target = np.concatenate([tokens, np.asarray(segment_counts, dtype=np.float64)])
    return target, np.concatenate([documents, segments])
