"""The features of texts as a matrix, and where each table of weights lies in its columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csr_array

from ullage._core import profile_features, profile_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

#: The columns of each table.
COLUMNS: dict[str, slice] = {}
for _name, _cells in profile_tables():
    _start = max((columns.stop for columns in COLUMNS.values()), default=0)
    COLUMNS[_name] = slice(_start, _start + _cells)

#: How many weights a profile has.
WEIGHTS: int = max(columns.stop for columns in COLUMNS.values())

#: Tables without hashing: few weights, each seen in nearly every text.
SMALL = slice(0, COLUMNS["trio"].stop)


def features(texts: Iterable[str]) -> csr_array:
    """Count the features of texts: a row for each text, a column for each weight."""
    starts, columns, counts = profile_features(texts)
    return csr_array((counts.astype(np.float64), columns, starts), shape=(len(starts) - 1, WEIGHTS))
