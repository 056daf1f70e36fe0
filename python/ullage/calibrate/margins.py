"""Margins for the upper and lower bounds of a profile, from its errors on texts that it was not fitted on.

A margin is ``slope * tokens + spread * sqrt(tokens) + constant``. Spread and constant are fixed: they carry the chance
in short texts. The slope is what whole texts unlike others ask for. It is found for the worst of all groups rather than
for all texts together, since a text to come may be from a group that is rare here, or missing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ullage._core import scripts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

#: The shares of texts that a bound may miss.
MISS_RATES = (0.001, 0.003, 0.01, 0.03, 0.1)
#: Tokens for each square root of a token, and tokens, at each miss rate.
SPREAD = (1.0, 0.75, 0.5, 0.35, 0.2)
CONSTANT = (4, 3, 3, 2, 2)
#: Characters from which a text is long enough for a slope.
LONG = 300
#: Texts from which a group is judged by itself.
GROUP = 100
#: The classes of characters that have a slope of their own, as the script rule tells them apart, with what one of each
#: counts there in quarters of a token. A text's slope is their mean, by these shares.
CLASSES = {"ascii": 1, "cjk": 4, "other": 2}
#: The third class is many scripts, of which a corpus shows few: it is held to a smaller share of misses.
STRICT = {"other": 0.7}


def margins(
    texts: Sequence[str],
    true: Sequence[int],
    estimated: Sequence[float],
    labels: Sequence[Sequence[str]] = (),
) -> dict[str, object]:
    """Find the margins to both sides.

    Args:
        texts: documents that the profile was not fitted on.
        true: tokens of each.
        estimated: tokens that the profile gave for each.
        labels: ways to group the documents, such as by kind and by language; each has a label for each document.

    Returns:
        What a profile file holds as ``margins``: ``miss_rates``, and ``up`` and ``down`` with ``slope``, ``spread``,
        ``constant`` and ``slope_by_script``, a number for each miss rate. ``slope`` is the largest of those by script.

    """
    tokens = np.maximum(1.0, np.rint(np.asarray(estimated, dtype=np.float64)))
    above = np.asarray(true, dtype=np.float64) - tokens
    long = np.array([len(text) >= LONG for text in texts])
    if long.sum() < GROUP:
        long[:] = True
    members = _members(texts, long)
    groups = [np.array(label) for label in labels]
    sides: dict[str, object] = {}
    for name, side in (("up", 1.0), ("down", -1.0)):
        by_class = {}
        for script, inside in members.items():
            strict = STRICT.get(script, 1.0)
            slopes = [
                max(
                    _slope(side * above[part], tokens[part], spread, constant, rate * strict)
                    for part in _parts(inside, groups)
                )
                for rate, spread, constant in zip(MISS_RATES, SPREAD, CONSTANT, strict=True)
            ]
            by_class[script] = _falling(slopes)
        worst = [max(slopes) for slopes in zip(*by_class.values(), strict=True)]
        sides[name] = {
            "slope": worst,
            "slope_by_script": {script: by_class.get(script, worst) for script in CLASSES},
            "spread": list(SPREAD),
            "constant": list(CONSTANT),
        }
    return {"miss_rates": list(MISS_RATES), **sides}


def _members(texts: Sequence[str], long: NDArray[np.bool_]) -> dict[str, NDArray[np.bool_]]:
    """The texts of each class that has any: mostly CJK, nearly only ASCII, or the rest."""
    counts = np.array([[getattr(scripts(text), script) for script in CLASSES] for text in texts], dtype=np.float64)
    quarters = counts * np.array(list(CLASSES.values()))
    shares = quarters / np.maximum(1.0, quarters.sum(axis=1, keepdims=True))
    cjk = shares[:, 1] > 0.5
    ascii_ = shares[:, 0] > 0.85
    members = {"ascii": long & ascii_, "cjk": long & cjk, "other": long & ~ascii_ & ~cjk}
    return {script: inside for script, inside in members.items() if inside.any()}


def _parts(inside: NDArray[np.bool_], groups: Sequence[NDArray[np.str_]]) -> list[NDArray[np.bool_]]:
    """All texts of a class, and its groups that are large enough."""
    parts = [inside]
    for labels in groups:
        parts += [part for label in set(labels[inside].tolist()) if (part := inside & (labels == label)).sum() >= GROUP]
    return parts


def _slope(
    above: NDArray[np.float64], tokens: NDArray[np.float64], spread: float, constant: float, rate: float
) -> float:
    """The slope that a further text exceeds at no more than the rate.

    Among n texts the largest error stands for a rate of 1 / (n + 1). What is asked for beyond that is not in the data:
    it is taken from an exponential tail through the largest.
    """
    asked = (above - spread * np.sqrt(tokens) - constant) / tokens
    count = len(asked)
    rank = int(np.ceil((count + 1) * (1 - rate) - 1e-9))
    if rank <= count:
        return float(np.partition(asked, rank - 1)[rank - 1])
    largest = int(asked.argmax())
    tail = np.log(1 / rate) / np.log(count + 1)
    return float(asked[largest] + (tail - 1) * max(0.0, above[largest] / tokens[largest]))


def _falling(slopes: Sequence[float]) -> list[float]:
    """At least zero, and never rising with the miss rate; rounded up."""
    highest = np.maximum.accumulate(np.maximum(0.0, slopes)[::-1])[::-1]
    return [float(np.ceil(slope * 1e4) / 1e4) for slope in highest]
