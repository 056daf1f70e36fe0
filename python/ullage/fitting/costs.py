"""`Costs`: what texts take at most, so that a request whose costs are within a limit is within its budget.

A profile's upper bound of a whole request has a part that grows with each text, by the scripts in it, and a part for
chance that does not. The first is added to every text; the second comes off the budget once. So costs add up, and the
limit depends on no history. The script rule has no such margins: there a text costs its estimate, as it does by a
profile without margins.
"""

import math
from bisect import bisect_right
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ullage import _core
from ullage._core import ScriptCounts, scripts
from ullage._core import estimate as by_script
from ullage.calibration import Calibration
from ullage.estimator import LEAST, MISS_RATE, Estimator
from ullage.margins import Side

_ASCII = ScriptCounts(ascii=1)
_MOST = 1 << 53
"""More than any history has, and as far as floats count."""


class Costs:
    """Costs by an estimator and its margins for one text in a hundred.

    Args:
        estimator: estimates each text.
    """

    def __init__(self, estimator: _core.Estimator) -> None:
        self._estimator = estimator
        self._side: Side | None = None
        self._calibration = Calibration()
        if isinstance(estimator, Estimator):
            self._side = None if estimator.margins is None else estimator.margins.above(MISS_RATE)
            self._calibration = estimator.calibration
        self._ascii = 0.0 if self._side is None else self._side.slope(_ASCII)

    def estimate(self, text: str) -> int:
        """What a text costs, in tokens.

        >>> from ullage import Estimator
        >>> text = "The room left in a vessel. " * 100
        >>> Estimator(profile="o200k_base").estimate(text), Costs(Estimator(profile="o200k_base")).estimate(text)
        (647, 683)
        """
        tokens = self._estimator.estimate(text)
        if self._side is None:
            return tokens
        slope = self._ascii if text.isascii() else self._side.slope(scripts(text))
        return max(math.ceil(tokens * (1 + slope)), math.ceil(LEAST * by_script(text) * self._estimator.factor))

    def estimate_batch(self, texts: Sequence[str]) -> NDArray[np.int64]:
        """What each text costs: the numbers of `estimate`, for many texts at once.

        >>> from ullage import Estimator
        >>> Costs(Estimator(profile="o200k_base")).estimate_batch(["The room left in a vessel. " * 100, "茶"])
        array([683,   3])
        """
        tokens = self._estimator.estimate_batch(texts)
        if self._side is None:
            return tokens.astype(np.int64)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        # The same sums in the same order as for one text, so that they are the same numbers.
        least = np.ceil(LEAST * ((lengths + 3) // 4) * self._estimator.factor)
        costs: NDArray[np.int64] = np.maximum(np.ceil(tokens * (1 + self._ascii)), least).astype(np.int64)
        if not all(map(str.isascii, texts)):
            for at, text in enumerate(texts):
                if not text.isascii():
                    costs[at] = self.estimate(text)
        return costs

    def limit(self, room: int) -> int:
        """The most that a request may cost to be within so many tokens, up to 2**53."""
        room = min(room, _MOST)
        if self._side is None:
            return room
        return bisect_right(range(room + 1), room, key=self._bound) - 1

    def _bound(self, tokens: int) -> int:
        """What a request that costs so much takes at most; not below what requests of its size were seen to take."""
        chance = 0.0 if self._side is None or not tokens else self._side.chance(tokens)
        return max(math.ceil(tokens + chance), self._calibration.observed(tokens / self._estimator.factor))
