"""Numbers that follow from the order of scores; the area under the ROC curve, after DeLong."""

from __future__ import annotations

__all__ = ["RankingValue"]

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes._check import read_level
from stakes._counting import bincount
from stakes._math import times
from stakes._quantiles import student
from stakes._records import NumberRecord
from stakes._text import number, plain
from stakes._typing import FloatArray, IntArray, Label, Names
from stakes.results import FEWEST_GROUPS, Direction, Estimate, Interval, json_number
from stakes.statistics import ScoreLevels
from stakes.statistics.group_effects import ONE_GROUP, effective_groups, left_out_by_group


@dataclass(frozen=True, eq=False)
class RankingValue(NumberRecord):
    """How well scores rank two classes: a value, its naive value and its interval.

    It is a float: it compares, formats and calculates as its value does.

    Attributes
    ----------
    value : float
    name : str
    naive : float
        The value of uninformative scores.
    better : {"higher", "lower"}
    classes : tuple of names
    variance : float
        Variance of the value; NaN if unknown.
    sizes : tuple of two floats
        Number of samples of each class.
    why_no_interval : str
        Empty if there is an interval.

    See Also
    --------
    auc, average_precision, minimum_cllr : return it.

    Examples
    --------
    >>> import stakes
    >>> area = stakes.auc([0, 0, 1, 1] * 20, [0.1, 0.4, 0.35, 0.8] * 20)
    >>> area.beats_naive, area.interval().low > area.naive  # the scores are informative
    (True, True)
    """

    value: float
    name: str
    naive: float
    better: Direction
    classes: Names
    variance: float = field(default=math.nan, repr=False)
    sizes: tuple[float, float] = field(default=(math.nan, math.nan), repr=False)
    why_no_interval: str = ""

    @property
    def _why_undefined(self) -> str:
        return self.why_no_interval if math.isnan(self.value) else ""

    @property
    def positive(self) -> Label:
        """The class of interest."""
        return self.classes[-1]

    @property
    def beats_naive(self) -> bool:
        """Whether the value is better than that of uninformative scores."""
        gain = self.value - self.naive if self.better == "higher" else self.naive - self.value
        return gain > 0

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the value, its interval, and how that was computed or why there is none.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        read_level(level)
        if math.isnan(self.variance):
            return Estimate(self.value, None, self.why_no_interval)
        return area_interval(self.value, self.variance, self.sizes, level)

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return a confidence interval; None if there is none, and `method` says why.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return self.estimate(level).interval

    @property
    def method(self) -> str:
        """How the interval is computed, or why there is none."""
        return self.estimate().method

    def __str__(self) -> str:
        band = self.interval()
        span = "" if band is None else f", 95 % interval {band}"
        of = f"for class {plain(self.positive)}; naive {number(self.naive)}"
        return f"{self.name} {number(self.value)} ({of}, {self.better} is better{span})"

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return {
            "name": self.name,
            **self.estimate(level).to_dict(),
            "naive": json_number(self.naive),
            "better": self.better,
            "positive": self.positive,
        }


def auc_of_samples(
    scores: FloatArray,
    y: IntArray,
    auc: float,
    level: float,
    *,
    weights: FloatArray | None = None,
    unit: IntArray | None = None,
    copies: IntArray | None = None,
) -> Estimate:
    """Return the AUC of samples with weights or in groups, on the logit scale.

    Placement values are summed by group (Obuchowski), with Student's t for as many equal groups as
    would be as precise for the rarer class. At 0 or 1 Newcombe's interval takes the groups of each
    class for its samples. A row stands for `copies` samples.
    """
    w = np.ones(y.size) if weights is None else weights
    if unit is None:
        return area_interval(auc, *weighted_variance(scores, y, auc, w, copies), level)
    groups = int(np.unique(unit).size)
    if groups < FEWEST_GROUPS:
        return Estimate(auc, None, f"needs {FEWEST_GROUPS} groups: got {groups}")
    mass = times(w, copies)
    effective = effective_groups(unit, mass, y)
    if effective <= 1:
        return Estimate(auc, None, ONE_GROUP)
    influence = times(_influence(scores, y, auc, w, copies), copies)
    sums = left_out_by_group(influence, unit, mass, y)[bincount(unit) > 0]
    variance = float(np.square(sums - sums.mean()).sum()) * (groups - 1) / groups
    if not 0 < auc < 1 or variance <= 0:
        first, second = (float(np.unique(unit[y == k]).size) for k in (0, 1))
        return Estimate(auc, _newcombe(auc, first, second, level), "Newcombe")
    band = _on_logits(auc, math.sqrt(variance), effective - 1, level)
    return Estimate(auc, band, "DeLong, logit scale, by group")


def weighted_variance(
    scores: FloatArray, y: IntArray, auc: float, weights: FloatArray, copies: IntArray | None = None
) -> tuple[float, tuple[float, float]]:
    """Return the variance of the AUC of weighted samples, and class sizes of the same precision."""
    w = weights / weights.max()
    totals, squares = (bincount(y, times(x, copies), 2) for x in (w, w * w))
    sizes = np.square(totals) / squares
    influence = np.square(_influence(scores, y, auc, w, copies))
    parts = bincount(y, times(influence, copies), 2)
    variance = float(sizes / np.maximum(sizes - 1, 1) @ parts)
    return variance, (float(sizes[0]), float(sizes[1]))


def _influence(
    scores: FloatArray, y: IntArray, auc: float, weights: FloatArray, copies: IntArray | None
) -> FloatArray:
    """Return what one sample of each row adds to the error of the AUC."""
    w = weights / weights.max()
    mass = times(w, copies)
    return np.asarray(w * (placements(scores, y, mass) - auc) / bincount(y, mass, 2)[y])


def _on_logits(auc: float, error: float, degrees: float, level: float) -> Interval:
    """Return an interval that is symmetric in the log odds of the area."""
    half = student(level, max(degrees, 1.0)) * error / (auc * (1 - auc))
    centre = math.log(auc / (1 - auc))
    low, high = ((1 + math.tanh(x / 2)) / 2 for x in (centre - half, centre + half))
    return Interval(low, high, level)


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
    if 0 < auc < 1 and variance > 0:
        band = _on_logits(auc, math.sqrt(variance), min(n1, n2) - 1, level)
        return Estimate(auc, band, "DeLong, logit scale")
    return Estimate(auc, _newcombe(auc, n1, n2, level), "Newcombe")


def delong_variance(levels: ScoreLevels) -> float:
    """Return the variance of the AUC of samples without weights."""
    first, second = (np.asarray(c, dtype=np.float64) for c in (levels.first, levels.second))
    n1, n2 = first.sum(), second.sum()
    above = (n2 - np.cumsum(second) + second / 2) / n2  # for each score, of the second class
    below = (np.cumsum(first) - first / 2) / n1
    return _spread(above, first) / n1 + _spread(below, second) / n2


def _spread(values: FloatArray, counts: FloatArray) -> float:
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
