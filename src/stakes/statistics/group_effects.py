"""Samples that come in groups: how much more their sums vary than those of single samples."""

import numpy as np

from stakes._counting import bincount
from stakes._math import times
from stakes._typing import FloatArray, IntArray

ONE_GROUP = "some class occurs in one group only"
_LEAST = 0.1  # share that is left without a group; one that is nearly all has no other to compare


def design_effect(
    influence: FloatArray,
    unit: IntArray,
    share: FloatArray,
    stratum: IntArray | None = None,
    copies: IntArray | None = None,
    alone: float | None = None,
) -> float:
    """Return the variance of a sum from whole groups over that from single samples, at least 1.

    It is that of the jackknife: what leaving out a group changes, which is more the larger its
    share, of all samples or within each stratum. Without any spread it cannot be known how alike
    the samples of a group are: each group then counts as one sample. Influence and share are those
    of one sample of each row, which stands for `copies`. `alone` is the variance from single
    samples, where rows hold the mean of samples that differ.
    """
    used = share > 0
    groups = int(np.unique(unit[used]).size)
    if alone is None:
        alone = float(times(np.square(influence), copies).sum())
    if alone <= 0:
        number = np.count_nonzero(used) if copies is None else int(copies[used].sum())
        return max(number / max(groups, 1), 1.0)
    every = times(influence, copies), unit, times(share, copies), stratum
    sums = left_out_by_group(*every)[bincount(unit, used) > 0]
    together = float(np.square(sums - sums.mean()).sum()) * (groups - 1) / groups
    return max(together / alone, 1.0)


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
