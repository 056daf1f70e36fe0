"""From counted documents to a profile file: the weights, what they were fitted on, how wrong they are, and margins."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import asdict
from importlib.resources import files
from typing import TYPE_CHECKING

import numpy as np

from ullage._core import __version__
from ullage.accuracy import Errors
from ullage.calibrate.evaluate import leave_one_out
from ullage.calibrate.fit import Corpus, Settings, calibrate, nearest
from ullage.calibrate.margins import margins
from ullage.calibrate.quantise import Quantised
from ullage.profile_file import ProfileFile, unpack

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from numpy.typing import NDArray

    from ullage.documents import Document

#: Fits to judge a profile: whole sources share one where there are more of them.
FOLDS = 10
#: Parts of a corpus that is all of one source.
PARTS = 5


def fit_profile(
    documents: Sequence[Document],
    counts: Sequence[int],
    *,
    tokenizer: str,
    byte_level: bool = False,
    checksum: str = "",
    evaluate: bool = True,
    settings: Settings | None = None,
    priors: Mapping[str, NDArray[np.float64]] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ProfileFile:
    """Fit a profile and judge it on sources that it was not fitted on. The same input gives the same file.

    Args:
        documents: the corpus.
        counts: tokens of each document, at least one.
        tokenizer: what the profile stands for; a name to tell it by.
        byte_level: whether no text costs more tokens than it has bytes in UTF-8.
        checksum: SHA-256 of the corpus, to be kept in the profile.
        evaluate: whether to fit once more for every source left out, for the errors and margins; without them a
            profile has no upper bound but its bytes.
        settings: how to fit.
        priors: profiles to start from, as for ``calibrate``; those that come with ullage when not given.
        progress: called with steps done and steps in all.

    Returns:
        What ``ullage.profile_file.pack`` writes.

    Raises:
        ValueError: when there are no two different texts, not as many counts as documents, or a count below one.

    """
    if len({document.text for document in documents}) < 2:
        raise ValueError("a profile is fitted on two different texts or more")
    corpus = Corpus([document.text for document in documents])
    priors = shipped() if priors is None else priors
    folds, unit = _folds(documents)
    fits = 1 + (len(set(folds)) if evaluate else 0)

    def report(done: int, steps: int) -> None:
        """Steps of this fit among those of all fits, which take as many each."""
        if progress is not None:
            progress(done, steps * fits)

    fitted = calibrate(corpus, counts, settings=settings, priors=priors, progress=report)
    about: dict[str, object] = {
        "tokenizer": tokenizer,
        "byte_level": byte_level,
        "fitted_on": {
            "corpus": checksum,
            "documents": len(documents),
            "characters": sum(len(document.text) for document in documents),
            "started_from": nearest(corpus, counts, priors)[0] if priors else "",
            "sources": dict(Counter(document.source for document in documents)),
            "ullage": __version__,
        },
    }
    if evaluate:

        def continued(done: int, steps: int) -> None:
            if progress is not None:
                each = steps // (fits - 1)
                progress(each + done, each * fits)

        relative = leave_one_out(corpus, counts, folds, settings=settings, priors=priors, progress=continued)
        ways = {name: [getattr(document, name) for document in documents] for name in ("source", "kind", "lang")}
        about["errors"] = {
            f"{unit}_left_out": _rounded(Errors.of(relative)),
            **{f"by_{name}": _by(labels, relative) for name, labels in ways.items() if any(labels)},
        }
        true = np.asarray(counts, dtype=np.float64)
        about["margins"] = margins(
            corpus.texts, counts, (true * (1 + relative)).tolist(), [ways["kind"], ways["lang"], ways["source"]]
        )
    return ProfileFile(about, tuple(fitted.scales.tolist()), fitted.weights.tobytes())


def shipped() -> dict[str, NDArray[np.float64]]:
    """Return the weights of the profiles that come with ullage, in tokens, by key."""
    found = {}
    for file in sorted(files("ullage").joinpath("fitted").iterdir(), key=lambda file: file.name):
        profile = unpack(file.read_bytes())
        scales, weights = np.array(profile.scales, dtype=np.uint32), np.frombuffer(profile.weights, dtype=np.int8)
        found[file.name.removesuffix(".profile")] = Quantised(scales, weights).tokens()
    return found


def _folds(documents: Sequence[Document]) -> tuple[list[str], str]:
    """What each document is left out with, and whether that is whole sources or documents one by one."""
    sources = sorted({document.source for document in documents})
    if len(sources) > 1:
        place = {source: number % FOLDS for number, source in enumerate(sources)}
        return [f"{place[document.source]:02}" for document in documents], "sources"
    digests = sorted({_digest(document.text) for document in documents})
    part = {digest: number % PARTS for number, digest in enumerate(digests)}
    return [str(part[_digest(document.text)]) for document in documents], "documents"


def _digest(text: str) -> bytes:
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _by(labels: Sequence[str], relative: NDArray[np.float64]) -> dict[str, dict[str, float]]:
    names = np.array(labels)
    return {name: _rounded(Errors.of(relative[names == name])) for name in sorted(set(labels))}


def _rounded(errors: Errors) -> dict[str, float]:
    """To a hundredth of a percent: more is noise."""
    return {name: round(value, 4) for name, value in asdict(errors).items()}
