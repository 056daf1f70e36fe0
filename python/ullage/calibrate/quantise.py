"""From weights in tokens to signed bytes with one scale a table.

The small tables are rounded first and the hashed ones fitted again around them: a small table has a few weights that
nearly every character meets, so their rounding errors would add up, while those of thousands of hashed weights cancel.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from ullage.calibrate.design import COLUMNS, SMALL, WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

#: Fixed point of the scales: this many units are one token.
UNIT = 1 << 24
#: The most that a scale can be: it is stored in 32 bits.
MOST_SCALE = (1 << 32) - 1
#: The share of a hashed table's weights that fit the scale; the few beyond are clipped, for the sake of all others.
CLIP = 0.9995


class Quantised(NamedTuple):
    """Weights as a profile stores them.

    Args:
        scales: one for each table, in 2**-24 tokens.
        weights: one signed byte for each column.

    """

    scales: NDArray[np.uint32]
    weights: NDArray[np.int8]

    def tokens(self) -> NDArray[np.float64]:
        """The weights in tokens, as they have become."""
        return np.concatenate(
            [
                self.weights[columns] * (float(scale) / UNIT)
                for scale, columns in zip(self.scales, COLUMNS.values(), strict=True)
            ]
        )


def quantise(
    weights: NDArray[np.float64],
    refit: Callable[[NDArray[np.float64], NDArray[np.bool_]], NDArray[np.float64]],
) -> Quantised:
    """Round weights to bytes.

    Args:
        weights: in tokens.
        refit: takes weights and which of them may still move, and gives the best weights from there.

    Returns:
        The scales and bytes.

    Raises:
        ValueError: when a weight is too large to be stored, as those of absurd counts are.

    """
    free = np.ones(WEIGHTS, dtype=bool)
    free[SMALL] = False
    start = np.where(free, weights, _rounded(weights).tokens())
    return _rounded(refit(start, free))


def _rounded(weights: NDArray[np.float64]) -> Quantised:
    scales, pieces = [], []
    for columns in COLUMNS.values():
        piece = weights[columns]
        size = np.abs(piece)
        small = columns.stop <= SMALL.stop
        limit = float(size.max() if small else np.quantile(size[size > 0], CLIP)) if size.any() else 0.0
        scale = max(1, round(limit / 127 * UNIT))
        if scale > MOST_SCALE:
            raise ValueError(
                f"a feature of the texts would cost {limit:,.0f} tokens, more than a profile can hold: are the counts "
                "those of the texts?"
            )
        scales.append(scale)
        pieces.append(np.clip(np.rint(piece * (UNIT / scale)), -127, 127).astype(np.int8))
    return Quantised(np.array(scales, dtype=np.uint32), np.concatenate(pieces))
