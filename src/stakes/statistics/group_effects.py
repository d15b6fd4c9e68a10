"""Samples that come in groups: what leaving one out changes, and how many count."""

import numpy as np

from stakes._counting import bincount
from stakes._math import times
from stakes._typing import FloatArray, IntArray

ONE_GROUP = "some class occurs in one group only"
_LEAST = 0.1  # share that is left without a group; one that is nearly all has no other to compare


def left_out_by_group(
    influence: FloatArray, unit: IntArray, share: FloatArray, stratum: IntArray | None = None
) -> FloatArray:
    """Return how much leaving out each group changes a sum."""
    code = unit if stratum is None else unit + (int(unit.max()) + 1) * stratum
    own = bincount(code, share)[code]
    whole = share.sum() if stratum is None else bincount(stratum, share)[stratum]
    left = np.maximum(1 - own / np.where(whole > 0, whole, 1.0), _LEAST)
    return bincount(unit, influence / left).astype(np.float64)


def effective_samples(weights: FloatArray, copies: IntArray | None) -> float:
    """Return how many samples of equal weight would be as precise."""
    w, together = weights / weights.max(), np.zeros(weights.size, dtype=np.int64)
    total, square = (bincount(together, times(x, copies))[0] for x in (w, np.square(w)))
    return float(np.square(total) / square)


def effective_groups(unit: IntArray, share: FloatArray, stratum: IntArray | None = None) -> float:
    """Return how many equal groups would be as precise, of the stratum with fewest: 1 of one."""
    groups = int(unit.max()) + 1
    code = unit if stratum is None else unit + groups * stratum
    cells, place = np.unique(code[share > 0], return_inverse=True)
    sums = bincount(place, share[share > 0] / share.max())
    totals, squares = (bincount(cells // groups, x) for x in (sums, np.square(sums)))
    return float((np.square(totals[totals > 0]) / squares[totals > 0]).min())


def groups_of_classes(unit: IntArray, y: IntArray, n_classes: int) -> IntArray:
    """Return how many groups hold each class."""
    groups = int(unit.max()) + 1
    return bincount(np.unique(unit + groups * y) // groups, minlength=n_classes)
