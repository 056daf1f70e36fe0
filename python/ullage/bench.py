"""Accuracy and speed of estimates on given texts, beside everything else that is installed and counts tokens.

The truth is a real tokenizer of the profile's vocabulary, or the counts that come with the texts; without either there
are only speeds.
"""

from __future__ import annotations

import itertools
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

import ullage
from ullage import counters
from ullage.accuracy import Errors
from ullage.counters import Counter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from ullage.documents import Document

#: Texts are timed as messages of at most so many characters,
MESSAGE = 8_000
#: and as many of them as come to this many characters together.
TIMED = 500_000
#: Each call is timed in so many rounds, of at least so many seconds; the fastest counts.
ROUNDS = 15
ROUND_SECONDS = 0.004


@dataclass(frozen=True, slots=True)
class Result:
    """What was found of one call.

    Args:
        name: what it is called.
        version: of its package; empty for what is none.
        exact: whether it is a tokenizer.
        megabytes_per_second: of UTF-8, one text after the other.
        times: the seconds it takes, over those of ullage's profile.
        errors: against the truth, if there is one.
        errors_by_kind: the same by the kind of text.
    """

    name: str
    version: str
    exact: bool
    megabytes_per_second: float
    times: float
    errors: Errors | None
    errors_by_kind: dict[str, Errors]


@dataclass(frozen=True, slots=True)
class Report:
    """What was measured.

    Args:
        profile: the key of the profile.
        truth: what the errors are against; None if nothing was at hand.
        texts: how many texts were estimated.
        characters: how many they have together.
        results: ullage's profile first, then what it replaces, other estimators, and tokenizers.
    """

    profile: str
    truth: str | None
    texts: int
    characters: int
    results: tuple[Result, ...]


def contestants(estimator: ullage.Estimator) -> list[Counter]:
    """The calls to compare: a profile, the script rule, ``len // 4``, and what is installed for the same vocabulary."""
    profile = estimator.profile or ""
    ours = [Counter(f"ullage {profile}", ullage.__version__, False, estimator.estimate)]
    if profile != "script":
        ours.append(Counter("ullage script rule", ullage.__version__, False, ullage.Estimator().estimate))
    quarter = Counter("len(text) // 4", "", False, lambda text: len(text) // 4)
    return [*ours, quarter, *counters.estimators(), *counters.installed(profile)]


def measure(
    documents: Sequence[Document],
    estimator: ullage.Estimator,
    *,
    track: Callable[[Sequence[Counter]], Iterable[Counter]] = iter,
) -> Report:
    """Measure accuracy and speed.

    Args:
        documents: the texts. Their ``tokens`` are the truth if each has them for the profile.
        estimator: with a profile that comes with ullage.
        track: is given the list of contestants whose estimates are to be asked for, and yields them; to show progress.

    Raises:
        ValueError: when there are no texts.
    """
    documents = [document for document in documents if document.text]
    if not documents:
        raise ValueError("there are no texts to measure on")
    profile = estimator.profile or ""
    calls = contestants(estimator)
    given = [document.tokens.get(profile, 0) for document in documents]
    truth, true = ("the counts that come with the texts", given) if all(given) else (None, None)
    numbers: dict[str, list[int]] = {}
    for counter in track(calls):
        if true is not None or any(counter.exact for counter in calls):
            numbers[counter.name] = [counter.count(document.text) for document in documents]
    if true is None:
        reference = next((counter for counter in calls if counter.exact), None)
        if reference is not None:
            truth, true = f"{reference.name} {reference.version}", numbers[reference.name]
    texts = list(_messages(document.text for document in documents))
    seconds = time_calls([counter.count for counter in calls], texts)
    size = sum(len(text.encode("utf-8", "surrogatepass")) for text in texts)
    kinds = np.array([document.kind for document in documents])
    results = []
    for counter, taken in zip(calls, seconds, strict=True):
        errors, by_kind = None, {}
        if true is not None:
            relative = _relative(numbers[counter.name], true)
            errors = Errors.of(relative)
            by_kind = {kind: Errors.of(relative[kinds == kind]) for kind in sorted(set(kinds.tolist())) if kind}
        results.append(
            Result(
                counter.name, counter.version, counter.exact, size / taken / 1e6, taken / seconds[0], errors, by_kind
            )
        )
    characters = sum(len(document.text) for document in documents)
    return Report(profile, truth, len(documents), characters, tuple(results))


def time_calls(calls: Sequence[Callable[[str], object]], texts: Sequence[str]) -> list[float]:
    """Seconds that each call takes for all the texts once: the fastest of some rounds, in which they take turns.

    The fastest is what a call costs when nothing disturbs it; since they take turns, a slow spell of the machine is
    nobody's advantage. All have seen the texts before they are timed.
    """
    loops = [max(1, round(ROUND_SECONDS / max(1e-7, _seconds(call, texts)))) for call in calls]
    fastest = [float("inf")] * len(calls)
    for _, (number, call) in itertools.product(range(ROUNDS), enumerate(calls)):
        fastest[number] = min(fastest[number], min(_seconds(call, texts) for _ in range(loops[number])))
    return fastest


def _seconds(call: Callable[[str], object], texts: Sequence[str]) -> float:
    start = time.perf_counter()
    for text in texts:
        call(text)
    return time.perf_counter() - start


def _messages(texts: Iterable[str]) -> Iterator[str]:
    """Cut texts to the size of messages, evenly among them where there are more than are needed."""
    pieces = [text[start : start + MESSAGE] for text in texts for start in range(0, min(len(text), TIMED), MESSAGE)]
    step = max(1, sum(map(len, pieces)) // TIMED)
    return itertools.islice(pieces, 0, None, step)


def _relative(numbers: Sequence[int], true: Sequence[int]) -> NDArray[np.float64]:
    tokens = np.asarray(true, dtype=np.float64)
    return (np.asarray(numbers, dtype=np.float64) - tokens) / tokens
