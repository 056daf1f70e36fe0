"""Ridge regression on a sparse matrix, by conjugate gradients that are scaled by the diagonal.

The loss is a weighted sum of squares, so its minimum is a linear system; scaling by the diagonal makes rare and
frequent features converge alike, which an unscaled descent does not in any time one would wait.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray
    from scipy.sparse import csr_array


def solve(
    design: csr_array,
    target: NDArray[np.float64],
    importance: NDArray[np.float64],
    ridge: NDArray[np.float64],
    *,
    iterations: int,
    start: NDArray[np.float64] | None = None,
    free: NDArray[np.bool_] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> NDArray[np.float64]:
    """Minimise ``sum(importance * (design @ w - target)**2) + sum(ridge * w**2)``.

    Args:
        design: a row for each text, a column for each weight.
        target: tokens of each row.
        importance: what a squared error of one token costs in each row.
        ridge: what a squared weight of one token costs in each column; above zero.
        iterations: how many steps; each reads the matrix twice.
        start: where to begin; zeros when it is not given.
        free: which weights may move; all when it is not given.
        progress: called with steps done and steps in all.

    Returns:
        The weights, in tokens.

    """
    transposed = design.T.tocsr()
    squares = transposed.copy()
    squares.data = squares.data**2
    diagonal = squares @ importance + ridge
    movable = np.ones(design.shape[1]) if free is None else free.astype(float)

    weights = np.zeros(design.shape[1]) if start is None else start.copy()
    residual = movable * (transposed @ (importance * (target - design @ weights)) - ridge * weights)
    scaled = residual / diagonal
    direction = scaled.copy()
    energy = float(np.sum(residual * scaled))
    for step in range(iterations):
        if energy <= 0.0:
            break
        bent = movable * (transposed @ (importance * (design @ direction)) + ridge * direction)
        length = energy / float(np.sum(direction * bent))
        weights += length * direction
        residual -= length * bent
        scaled = residual / diagonal
        before, energy = energy, float(np.sum(residual * scaled))
        direction = scaled + energy / before * direction
        if progress is not None:
            progress(step + 1, iterations)
    return weights
