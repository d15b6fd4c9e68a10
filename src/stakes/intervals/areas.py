"""The difference of two areas under ROC curves on the same samples, after DeLong."""

import math
from dataclasses import replace

import numpy as np

from stakes._math import count_by, times
from stakes._typing import FloatArray, IntArray
from stakes.curves.area import placements
from stakes.metrics.paired import PairedDifference
from stakes.metrics.spreads import StudentSpread
from stakes.statistics.group_effects import ONE_GROUP, effective_groups, left_out_by_group


def auc_difference(
    a: FloatArray,
    b: FloatArray,
    y: IntArray,
    weights: FloatArray | None = None,
    unit: IntArray | None = None,
    copies: IntArray | None = None,
) -> PairedDifference:
    """Return the area of one score less that of another.

    The placement of a sample is the share of the other class that it is ranked rightly against.
    Placements vary independently from sample to sample, or are summed by group, by the jackknife;
    Student's t has one degree of freedom less than there are samples of the smaller class, or
    equal groups that would be as precise for it. A row stands for `copies` samples.
    """
    w = np.ones(y.size) if weights is None else weights / weights.max()
    mass = times(w, copies)
    gap = placements(a, y, mass) - placements(b, y, mass)
    total = np.bincount(y, mass, 2)
    value = float(mass[y == 1] @ gap[y == 1] / total[1])
    differ = int(np.count_nonzero(gap) if copies is None else copies[gap != 0].sum())
    part = w * (gap - value) / total[y]
    counts = count_by(y, copies, 2)
    units = int(counts.sum()) if unit is None else np.unique(unit).size
    least = float(counts.min()) if unit is None else effective_groups(unit, mass, y)
    none = PairedDifference(value, math.nan, differ, units)
    if not differ:
        return replace(none, p_value=1.0, why="the systems rank all samples alike")
    if least <= 1:
        return replace(none, why="a class has one sample" if unit is None else ONE_GROUP)
    if unit is None:
        variances = np.bincount(y, times(np.square(part), copies), 2) * counts / (counts - 1)
    else:
        sums = left_out_by_group(times(part, copies), unit, mass, y)
        variances = np.square(sums) * (units - 1) / units
    variance = float(variances.sum())
    if variance <= 0:
        return replace(none, why="no spread between the samples")
    spread = StudentSpread(math.sqrt(variance), max(least - 1, 1.0), "DeLong, paired")
    return replace(none, p_value=spread.p_value(value), spread=spread)
