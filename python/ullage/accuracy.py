"""How wrong estimates are: the figures by which everything here is judged."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
