"""The area under the ROC curve and its interval, after DeLong."""

import math
from collections.abc import Callable
from statistics import NormalDist

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.results import Estimate, Interval
from stakes.statistics import ScoreLevels

_MANY = 1000  # degrees of freedom from which the expansion is right to ten digits


def auc_interval(levels: ScoreLevels, auc: float, level: float) -> Estimate:
    """Return the AUC with DeLong's variance on the logit scale, t for the smaller class.

    At 0 or 1, where that variance is 0, Newcombe's interval takes its place.
    """
    return area_interval(auc, delong_variance(levels), levels.totals, level)


def area_interval(
    auc: float, variance: float, sizes: tuple[float, float], level: float
) -> Estimate:
    """Return the AUC with the interval that follows from DeLong's variance and the class sizes."""
    n1, n2 = (float(n) for n in sizes)
    if 0 < auc < 1:
        error = math.sqrt(variance)
        if error > 0:
            half = _t(level, min(n1, n2) - 1) * error / (auc * (1 - auc))
            centre = math.log(auc / (1 - auc))
            low, high = ((1 + math.tanh(x / 2)) / 2 for x in (centre - half, centre + half))
            return Estimate(auc, Interval(low, high, level), "DeLong, logit scale")
    return Estimate(auc, _newcombe(auc, n1, n2, level), "Newcombe")


def delong_variance(levels: ScoreLevels) -> float:
    """Return the variance of the AUC of samples without weights."""
    first, second = (np.asarray(c, dtype=np.float64) for c in (levels.first, levels.second))
    n1, n2 = first.sum(), second.sum()
    above = (n2 - np.cumsum(second) + second / 2) / n2  # for each score, of the second class
    below = (np.cumsum(first) - first / 2) / n1
    return _spread(above, first) / n1 + _spread(below, second) / n2


def _spread(values: FloatArray, counts: FloatArray) -> float:
    """Return the sample variance of values that occur some times each."""
    n = counts.sum()
    mean = float(values @ counts) / n
    return float(np.square(values - mean) @ counts) / max(n - 1, 1)


def placements(scores: FloatArray, y: IntArray, weights: FloatArray | None = None) -> FloatArray:
    """Return for each sample the share of the other class that it is ranked rightly against."""
    w = np.ones(y.size) if weights is None else weights
    out = np.empty(y.size)
    for k in (0, 1):
        order = np.argsort(scores[y != k], kind="stable")
        other, mine = scores[y != k][order], scores[y == k]
        below = np.concatenate([[0.0], np.cumsum(w[y != k][order])])
        left, right = (np.searchsorted(other, mine, side=side) for side in ("left", "right"))
        share = (below[left] + below[right]) / 2 / below[-1]
        out[y == k] = share if k == 1 else 1 - share
    return out


def _newcombe(auc: float, n1: float, n2: float, level: float) -> Interval:
    """Return the areas that the observed one is not too far from (Newcombe's fifth method)."""
    z = NormalDist().inv_cdf((1 + level) / 2)
    pairs = (n1 + n2) / 2 - 1

    def far(area: float) -> float:
        inner = 1 + pairs * ((1 - area) / (2 - area) + area / (1 + area))
        return abs(area - auc) - z * math.sqrt(area * (1 - area) * inner / (n1 * n2))

    return Interval(_edge(far, auc, 0.0), _edge(far, auc, 1.0), level)


def _edge(far: Callable[[float], float], inside: float, outside: float) -> float:
    """Return where an area becomes too far from the observed one, by halving."""
    for _ in range(60):
        middle = (inside + outside) / 2
        inside, outside = (middle, outside) if far(middle) <= 0 else (inside, middle)
    return inside if far(outside) > 0 else outside


def _t(level: float, degrees: float) -> float:
    """Return the quantile of Student's t; many degrees need no more than their expansion."""
    if degrees >= _MANY:
        z = NormalDist().inv_cdf((1 + level) / 2)
        terms = (
            (z**3 + z) / 4,
            (5 * z**5 + 16 * z**3 + 3 * z) / 96,
            (3 * z**7 + 19 * z**5 + 17 * z**3 - 15 * z) / 384,
        )
        return z + math.fsum(term / degrees**k for k, term in enumerate(terms, 1))
    from scipy.special import stdtrit  # noqa: PLC0415  slow to import

    return float(stdtrit(max(degrees, 1), (1 + level) / 2))
