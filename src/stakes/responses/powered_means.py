"""Prediction-powered means: what people said of some rows, moved by what a judge said of all.

After Angelopoulos, Duchi and Zrnic (PPI++, 2023). With L the rows that people labelled and U the
others, the estimate is mean_L(Y) + lambda (mean_U(f) - mean_L(f)), written here with one
coefficient for the mean of the judge over all rows, which weights and groups need.
"""

import math
from dataclasses import dataclass

import numpy as np

from stakes._quantiles import normal, skewed_ends, student
from stakes._typing import FloatArray
from stakes.responses.judged_rows import JudgedRows, mean_by
from stakes.results import FEWEST_GROUPS, Interval
from stakes.statistics.group_effects import design_effect, effective_groups, left_out_by_group

FEWEST_LABELS = 10  # of people, below which no interval of values with bounds is given
FEWEST_UNBOUNDED = 30  # the same for values without bounds
_ROUNDING = 1e-12  # a tuning below it is none

Bounds = tuple[float, float]


@dataclass(frozen=True, eq=False)
class PoweredMean:
    """A mean over rows, what it varies with, and its interval.

    `size` is the effective number of human labels, `variance`, `drift` and `third` are moments of
    what one label adds, each by squared weight as in `ClassLosses`, `rest` is the variance from
    rows without a label, and `corners` are what labels at the bounds would add.
    """

    value: float
    size: float
    variance: float
    drift: float
    third: float
    rest: float
    influence: FloatArray  # of each row
    degrees: float  # of freedom
    fitted: int  # numbers that were estimated: the mean, and perhaps the power tuning
    effect: float = 1.0  # of groups, on the variance
    corners: FloatArray | None = None
    bounds: Bounds | None = None
    no_interval: str = ""

    @property
    def standard_error(self) -> float:
        """The standard error of large samples, as PPI++ has it."""
        return math.sqrt(self.effect * (self.variance / self.size + self.rest))

    def ends(self, level: float) -> tuple[float, float]:
        """Return the interval before it is cut at the bounds."""
        size = self.size / self.effect
        inner = self.size / max(self.size - self.fitted, 1.0)
        rest = self.effect * self.rest
        quantile = student(level, self.degrees)
        if self.corners is None:
            variance = inner * self.variance / size + rest
            error = math.sqrt(variance)
            skewness = self.third * self.effect**2 / self.size**2 / max(variance, 1e-300) ** 1.5
            low, high = skewed_ends(quantile, skewness)
            low, high = min(low, -quantile), max(high, quantile)
            return self.value - high * error, self.value - low * error
        amount = normal(level) ** 2
        part = amount / (size + amount)
        shift = part * float(self.corners.mean())
        seen = max(inner * self.variance - 2 * self.drift * shift + shift * shift, 0.0)
        unseen = float(np.square(self.corners - shift).mean())
        variance = ((1 - part) * seen + part * unseen) / (size + amount) + rest
        half = quantile * math.sqrt(variance)
        return self.value + shift - half, self.value + shift + half

    def interval(self, level: float) -> Interval | None:
        """Return the interval; None where `no_interval` says why."""
        if self.no_interval:
            return None
        low, high = self.ends(level)
        least, most = self.bounds or (-math.inf, math.inf)
        low, high = (min(max(end, least), most) for end in (low, high))
        return Interval(min(low, self.value), max(high, self.value), level)


def power_tuning(rows: JudgedRows) -> float:
    """Return the lambda of least variance, in [0, 1]; 0 where the judge can add nothing.

    It is cov_L(Y, f) / ((1 + n/m) var(f)) of n rows with and m without a label.
    """
    f, seen = rows.judge, rows.judge[rows.seen]
    r, y = rows.human_share, rows.human[rows.seen]
    if rows.unseen_share <= 0 or np.ptp(seen) == 0 or np.ptp(y) == 0:
        return 0.0
    covariance = float((r * (y - r @ y)) @ (seen - rows.judge_human_mean))
    variance = float(rows.share @ np.square(f - rows.judge_mean)) * rows.n / (rows.n - 1)
    tuning = rows.unseen_share * covariance / variance
    return min(tuning, 1.0) if tuning > _ROUNDING else 0.0


def coefficient_of(rows: JudgedRows, tuning: float) -> float:
    """Return what the mean of the judge over all rows is multiplied by."""
    return tuning / rows.unseen_share if rows.unseen_share > 0 else 0.0


def powered_mean(
    rows: JudgedRows,
    weights: tuple[float, float],
    coefficient: float,
    *,
    bounds: Bounds | None,
    within: Bounds | None,
    fitted: int,
) -> PoweredMean:
    """Return the mean of a target, which is a weighted sum of the human and the judge's value.

    Human values lie within `bounds`, the mean of the target lies `within` bounds of its own.
    """
    r, s, seen = rows.human_share, rows.share, rows.seen
    mine, others = rows.judge[seen], rows.judge[~seen]
    target = weights[0] * rows.human[seen] + weights[1] * mine
    mean, moved = mean_by(rows.human_weights, target), rows.judge_human_mean
    about, about_others = _centres(rows)
    added = target - mean - coefficient * (mine - moved)
    added += coefficient * (s[seen] / r) * (mine - about)
    square = np.square(r)
    influence = np.empty(rows.n)
    influence[seen] = r * added
    influence[~seen] = coefficient * s[~seen] * (others - about_others)
    size = 1 / float(square.sum())
    value = mean + coefficient * (rows.judge_mean - moved)
    least, most = within or (-math.inf, math.inf)
    corners = None
    if bounds is not None:
        tuning = coefficient * rows.unseen_share
        corners = _corners(rows, weights, bounds, tuning) - (mean - tuning * moved)
    return PoweredMean(
        min(max(value, least), most),
        size,
        float(square @ np.square(added)) * size,
        float(square @ added) * size,
        float((square * r) @ added**3) * size * size,
        float(np.square(influence[~seen]).sum()),
        influence,
        _degrees(rows, size, fitted),
        fitted,
        group_effect(rows, influence),
        corners,
        within,
        no_interval(rows, bounded=bounds is not None),
    )


def _centres(rows: JudgedRows) -> tuple[float, float]:
    """Return the mean of the judge where people looked and where not; of all by known chances."""
    if rows.chance is not None or rows.unseen_share <= 0:
        return rows.judge_mean, rows.judge_mean
    return rows.judge_human_mean, rows.judge_other_mean


def _corners(
    rows: JudgedRows, weights: tuple[float, float], bounds: Bounds, tuning: float
) -> FloatArray:
    """Return the target, less the tuned judge, of rows at the bounds of both kinds of value."""
    judge = float(rows.judge.min()), float(rows.judge.max())
    return np.array([weights[0] * y + (weights[1] - tuning) * f for y in bounds for f in judge])


def _degrees(rows: JudgedRows, size: float, fitted: int) -> float:
    if rows.unit is None:
        return max(size - fitted, 1.0)
    groups = effective_groups(rows.unit[rows.seen], rows.human_share)
    return max(groups - fitted, 1.0)


def group_effect(rows: JudgedRows, influence: FloatArray) -> float:
    """Return how much larger whole groups make the variance, at least 1."""
    if rows.unit is None:
        return 1.0
    stratum = rows.seen.astype(np.int64)
    share = rows.share.copy()
    share[rows.seen] = rows.human_share
    alone = _jackknife(left_out_by_group(influence, np.arange(rows.n), share, stratum))
    if alone <= 0:  # it cannot be known how alike the rows of a group are
        return rows.n_human / rows.human_units
    return design_effect(influence, rows.unit, share, stratum, alone=alone)


def _jackknife(changes: FloatArray) -> float:
    return float(np.square(changes - changes.mean()).sum()) * (changes.size - 1) / changes.size


def no_interval(rows: JudgedRows, *, bounded: bool) -> str:
    """Return why there is no interval; empty where there is one."""
    fewest = FEWEST_LABELS if bounded else FEWEST_UNBOUNDED
    if rows.n_human < fewest:
        kind = "" if bounded else " of values without bounds"
        return f"needs {fewest} human labels{kind}: got {rows.n_human}"
    if rows.unit is not None and rows.human_units < FEWEST_GROUPS:
        return f"needs human labels in {FEWEST_GROUPS} groups: got {rows.human_units}"
    seen = rows.human[rows.seen]
    if not bounded and np.ptp(seen) == 0:
        return "the human value is the same in all rows, which shows no spread"
    return ""
