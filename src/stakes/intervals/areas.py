"""The difference of two areas under ROC curves on the same samples, after DeLong."""

import math
from dataclasses import dataclass, replace

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.curves.delong import placements
from stakes.metrics.paired import PairedDifference
from stakes.metrics.spreads import StudentSpread


@dataclass(frozen=True)
class AreaSpread(StudentSpread):
    """The spread of a difference of areas."""

    method = "DeLong, paired"


def auc_difference(
    a: FloatArray,
    b: FloatArray,
    y: IntArray,
    weights: FloatArray | None = None,
    unit: IntArray | None = None,
) -> PairedDifference:
    """Return the area of one score less that of another.

    The placement of a sample is the share of the other class that it is ranked rightly against.
    Placements vary independently from sample to sample, or are summed by group; Student's t has
    the degrees of freedom of both classes (Satterthwaite), or of the groups that have samples of
    the class with fewer of them.
    """
    w = np.ones(y.size) if weights is None else weights / weights.max()
    gap = placements(a, y, w) - placements(b, y, w)
    total = np.bincount(y, w, 2)
    value = float(w[y == 1] @ gap[y == 1] / total[1])
    differ = int(np.count_nonzero(gap))
    part = w * (gap - value) / total[y]
    counts = np.bincount(y, minlength=2)
    units = y.size if unit is None else np.unique(unit).size
    none = PairedDifference(value, math.nan, differ, units)
    if not differ:
        return replace(none, p_value=1.0, why="the systems rank all samples alike")
    if unit is None and counts.min() < 2:
        return replace(none, why="a class has one sample")
    if unit is None:
        variances = np.bincount(y, np.square(part), 2) * counts / (counts - 1)
        degrees = _satterthwaite(variances, counts - 1)
    else:
        variances = np.square(np.bincount(unit, part)) * units / (units - 1)
        degrees = max(min(np.unique(unit[y == k]).size for k in (0, 1)) - 1.0, 1.0)
    variance = float(variances.sum())
    if variance <= 0:
        return replace(none, why="no spread between the samples")
    spread = AreaSpread(math.sqrt(variance), degrees)
    return replace(none, p_value=spread.p_value(value), spread=spread)


def _satterthwaite(variances: FloatArray, degrees: IntArray) -> float:
    """Return the degrees of freedom of a sum of variances; 1 where there is none."""
    below = float((np.square(variances) / degrees).sum())
    return float(variances.sum()) ** 2 / below if below > 0 else 1.0
