"""The ROC curve, and all that follows from sweeping a threshold."""

from __future__ import annotations

__all__ = ["RocCurve", "auc", "roc_curve"]

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np

from stakes._check import InputError, UndefinedMetricError, read_level, read_number, read_priors
from stakes._foreign_calls import answered
from stakes._kernels.formulas import at_thresholds
from stakes._kernels.kernel_records import Places
from stakes._kernels.keys import score_places
from stakes._math import cumulative, sum_by
from stakes._records import Record
from stakes._text import number, quoted
from stakes._typing import (
    Column,
    CostValues,
    Counts,
    FloatArray,
    IntArray,
    Label,
    Names,
    NamesLike,
    PriorsLike,
)
from stakes.costs import CostMatrix
from stakes.costs.matrix import as_cost_matrix, check_order
from stakes.curves.area import RankingValue, ranked_estimate
from stakes.curves.placements import Placements
from stakes.curves.points import MinimumCost, OperatingPoint, TargetOdds
from stakes.curves.reading import check_both, read_detector, read_levels, read_unweighted
from stakes.inference.error_rates import ErrorRates
from stakes.inference.merging import MOST_ROWS
from stakes.inference.scored_rows import ScoredRows
from stakes.metrics.traditional import EXACT, METRICS, FourCounts, SweepMetric
from stakes.results import Estimate
from stakes.scores import Scores
from stakes.statistics import ScoreLevels

_MOST_PAIRS = 2**61  # twice which is a whole number of 64 bits


@dataclass(frozen=True, eq=False)
class RocCurve(Record):
    """Error rates of a detector at every threshold; H_2 is decided if the score is greater.

    Points go from the lowest threshold, where everything is decided as H_2, to the highest, where
    nothing is. There is one step for each distinct score.

    Attributes
    ----------
    levels : ScoreLevels
        Weights of both classes at each distinct score.
    classes : tuple of names

    See Also
    --------
    roc_curve : returns it.

    Examples
    --------
    A miss costs five false alarms. Which threshold is best on these data?

    >>> import stakes
    >>> roc = stakes.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> roc.minimum_cost([[0, 1], [5, 0]]).point.threshold
    0.1
    """

    levels: ScoreLevels
    classes: Names

    @cached_property
    def thresholds(self) -> FloatArray:
        """One threshold per point: minus infinity, then each distinct score."""
        return np.concatenate([[-np.inf], self.levels.level])

    @cached_property
    def false_alarms(self) -> Counts:
        """N_12 at each point, on the scale of the first class."""
        below = cumulative(self.levels.first)
        return below[-1] - below

    @cached_property
    def misses(self) -> Counts:
        """N_21 at each point, on the scale of the second class."""
        return cumulative(self.levels.second)

    @property
    def _rejections(self) -> Counts:
        """N_11 at each point, on the scale of the first class."""
        if self.levels.whole:
            return self.false_alarms[0] - self.false_alarms
        return cumulative(self.levels.first)

    @property
    def false_alarm_rate(self) -> FloatArray:
        """R_12 at each point, falling from 1 to 0."""
        return self.false_alarms / self.levels.totals[0]

    @property
    def miss_rate(self) -> FloatArray:
        """R_21 at each point, rising from 0 to 1."""
        return self.misses / self.levels.totals[1]

    @property
    def sensitivity(self) -> FloatArray:
        """R_22 at each point."""
        total = self.levels.totals[1]
        return np.asarray((total - self.misses) / total, dtype=np.float64)

    @property
    def specificity(self) -> FloatArray:
        """R_11 at each point."""
        return self._rejections / self.levels.totals[0]

    @property
    def priors(self) -> FloatArray:
        """Share of each class in the data."""
        n1, n2 = self.levels.totals
        e1, e2 = (int(e) for e in self.levels.exponent)
        top = max(e1, e2)
        first, second = math.ldexp(n1, e1 - top), math.ldexp(n2, e2 - top)
        return np.array([first, second]) / (first + second)

    def auc(self) -> float:
        """Return the area under the curve: P(s_2 > s_1) + P(s_2 = s_1) / 2; naive 0.5."""
        first, second = self.levels.first, self.levels.second
        below = cumulative(first)[:-1]
        n1, n2 = self.levels.totals
        if self.levels.whole and int(n1) * int(n2) < _MOST_PAIRS:
            pairs = int((second * (2 * below + first)).sum())
            return pairs / (2 * int(n1) * int(n2))
        one = np.zeros(first.size, dtype=np.int64)
        total = sum_by(one, second * (below + first / 2), 1)[0]
        return min(float(total / n1 / n2), 1.0)  # rounding alone could pass it

    @cached_property
    def hull_points(self) -> IntArray:
        """Indices of the points on the convex hull, lowest threshold first."""
        return self.levels.blocks()

    def convex_hull(self) -> tuple[FloatArray, FloatArray]:
        """Return R_12 and R_22 of the corners of the hull; one of them is best for any costs."""
        return self.false_alarm_rate[self.hull_points], self.sensitivity[self.hull_points]

    def eer(self) -> float:
        """Return the equal error rate, where the hull has R_12 = R_21; naive 0.5.

        On the hull, the least error rate is never above it.
        """
        n1, n2 = (Fraction(n) for n in self.levels.totals)
        hull = self.hull_points
        crossed = int(np.argmax(self.miss_rate[hull] >= self.false_alarm_rate[hull]))
        after, before = hull[crossed], hull[max(crossed - 1, 0)]
        corners = [
            (Fraction(self.false_alarms[i].item()) / n1, Fraction(self.misses[i].item()) / n2)
            for i in (before, after)
        ]
        (alarm_1, miss_1), (alarm_2, miss_2) = corners
        width = (alarm_1 - alarm_2) + (miss_2 - miss_1)
        if width == 0:
            return float(miss_2)
        return float((alarm_1 * miss_2 - miss_1 * alarm_2) / width)

    def det(self) -> tuple[FloatArray, FloatArray]:
        """Return the coordinates of a DET curve: probits of R_12 and R_21."""
        from scipy.special import ndtri  # noqa: PLC0415  slow to import

        return ndtri(self.false_alarm_rate), ndtri(self.miss_rate)

    def rates_of(self, errors: float) -> tuple[float, float]:
        """Return R_12 and R_21 for a given number of errors; NaN for weighted samples.

        With fewer than 30 errors, a rate is not known to within a third of itself.

        Parameters
        ----------
        errors : float
            Number of errors.
        """
        n1, n2 = self.levels.totals
        return (errors / n1, errors / n2) if self.levels.whole else (math.nan, math.nan)

    @answered
    def expected_costs(
        self, costs: CostMatrix | CostValues | None = None, priors: PriorsLike | None = None
    ) -> FloatArray:
        """Return the expected cost at every point, for two classes and two decisions.

        Parameters
        ----------
        costs : CostMatrix or array of shape (2, 2), optional
            By default 1 for each error.
        priors : float, array of two, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        """
        return self._costs(*self._problem(costs, priors))

    @answered
    def normalized_costs(
        self, costs: CostMatrix | CostValues | None = None, priors: PriorsLike | None = None
    ) -> FloatArray:
        """Return the normalised expected cost at every point; NaN if the naive cost is 0.

        Parameters
        ----------
        costs : CostMatrix or array of shape (2, 2), optional
            By default 1 for each error.
        priors : float, array of two, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        """
        matrix, p = self._problem(costs, priors)
        naive = matrix.naive(p)[1]
        return self._costs(matrix, p, naive if naive > 0 else math.nan)

    @answered
    def minimum_cost(
        self, costs: CostMatrix | CostValues | None = None, priors: PriorsLike | None = None
    ) -> MinimumCost:
        """Return the least expected cost of any threshold, with that threshold.

        The threshold was chosen on the same data that it is evaluated on, so the value is
        optimistic; the difference from the cost of Bayes decisions is what calibration could
        recover.

        Parameters
        ----------
        costs : CostMatrix or array of shape (2, 2), optional
            By default 1 for each error.
        priors : float, array of two, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        """
        matrix, p = self._problem(costs, priors)
        values = self._costs(matrix, p)
        best = int(values.argmin())
        return MinimumCost(self._point(best), float(values[best]), matrix.naive(p)[1])

    def sweep(self, metric: SweepMetric) -> FloatArray:
        """Return a metric of hard decisions at every point; NaN if it is undefined.

        Parameters
        ----------
        metric : traditional metric
            Such as `stakes.metrics.FScore()`.
        """
        return self._swept(metric, lasting=type(metric) in METRICS.classes.values())

    def best(self, metric: SweepMetric) -> tuple[OperatingPoint, float]:
        """Return the point where a metric is best, and its value there.

        Parameters
        ----------
        metric : traditional metric
            Such as `stakes.metrics.FScore()`.
        """
        values = self.sweep(metric)
        index = best_place(metric, values)
        return self._point(index), float(values[index])

    def at_threshold(self, threshold: float) -> OperatingPoint:
        """Return the error rates if H_2 is decided for scores greater than a threshold.

        Parameters
        ----------
        threshold : float
            The threshold on the score.
        """
        t = read_number(threshold, "threshold", -math.inf, math.inf)
        index = int(np.searchsorted(self.levels.level, t, side="right"))
        return replace(self._point(index), threshold=t)

    def specificity_at(self, sensitivity: float) -> OperatingPoint:
        """Return the point of greatest specificity with at least this sensitivity.

        Parameters
        ----------
        sensitivity : float
            The least acceptable sensitivity.
        """
        wanted = read_number(sensitivity, "sensitivity", 0, 1)
        return self._point(int(np.flatnonzero(self.sensitivity >= wanted)[-1]))

    def sensitivity_at(self, specificity: float) -> OperatingPoint:
        """Return the point of greatest sensitivity with at least this specificity.

        Parameters
        ----------
        specificity : float
            The least acceptable specificity.
        """
        wanted = read_number(specificity, "specificity", 0, 1)
        return self._point(int(np.flatnonzero(self.specificity >= wanted)[0]))

    def eer_estimate(self, level: float = 0.95) -> Estimate:
        """Return the equal error rate with its interval; the threshold is not fixed.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return self._estimate(self.eer(), ErrorRates.equal_error, level)

    def sensitivity_estimate(self, specificity: float, level: float = 0.95) -> Estimate:
        """Return the sensitivity at a fixed specificity with its interval.

        The interval accounts for a threshold that is found on the same samples.

        Parameters
        ----------
        specificity : float
            The specificity that is fixed.
        level : float, default 0.95
            Confidence level of the interval.
        """
        value, alarms = self.sensitivity_at(specificity).sensitivity, 1 - specificity
        return self._estimate(value, lambda rates, at: rates.second_right(alarms, at), level)

    def specificity_estimate(self, sensitivity: float, level: float = 0.95) -> Estimate:
        """Return the specificity at a fixed sensitivity with its interval.

        Parameters
        ----------
        sensitivity : float
            The sensitivity that is fixed.
        level : float, default 0.95
            Confidence level of the interval.
        """
        value, misses = self.specificity_at(sensitivity).specificity, 1 - sensitivity
        return self._estimate(value, lambda rates, at: rates.turned.second_right(misses, at), level)

    def _estimate(
        self, value: float, ends: Callable[[ErrorRates, float], tuple[float, float]], level: float
    ) -> Estimate:
        """Return a value with its interval, unless samples cannot be counted."""
        read_level(level)
        if not self.levels.whole:
            return Estimate(value, None, "samples have weights, so their number is not known")
        rows = ScoredRows.from_counts(self.levels.first, self.levels.second)
        return ranked_estimate(value, rows, partial(ends, ErrorRates(rows)), level)

    def odds_for(self, sensitivity: float, priors: PriorsLike | None = None) -> TargetOdds:
        """Return the odds whose best threshold reaches a sensitivity, for use as a metric.

        If the sensitivity is fixed, the threshold, and with it the implied costs, changes from data
        set to data set. The paper fixes the odds instead: those for which the best threshold of
        this baseline has the wanted sensitivity. The record has the cost ratio that they imply, and
        a warning if that contradicts the intention.

        Parameters
        ----------
        sensitivity : float
            The sensitivity wanted.
        priors : float, array of two, mapping by class, or "data", optional
            How often each class will occur in deployment; by default as often as in the data.
        """
        wanted = read_number(sensitivity, "sensitivity", 0, 1, closed=(False, True))
        p = self._priors(priors)
        hull = self.hull_points
        place = int(np.flatnonzero(self.sensitivity[hull] >= wanted)[-1])
        low = self._slope(hull, place - 1) if place > 0 else 0.0
        high = self._slope(hull, place) if place + 1 < hull.size else math.inf
        return TargetOdds(wanted, self._point(int(hull[place])), (low, high), p, self.classes)

    def _slope(self, hull: IntArray, place: int) -> float:
        """Return the slope of a side of the hull: odds at which its two ends cost the same."""
        low, high = hull[place], hull[place + 1]
        alarms = (self.false_alarms[low] - self.false_alarms[high]) / self.levels.totals[0]
        misses = (self.misses[high] - self.misses[low]) / self.levels.totals[1]
        return float(misses / alarms) if alarms > 0 else math.inf

    def _costs(self, matrix: CostMatrix, priors: FloatArray, by: float = 1.0) -> FloatArray:
        """Return the expected cost at every point, divided by some number."""
        (first, second), (p1, p2) = map(tuple, matrix.values.tolist()), priors.tolist()
        return self._swept(_Costs(first, second, p1, p2, *self.levels.totals, by), lasting=True)

    def _swept(self, metric: SweepMetric | _Costs, *, lasting: bool) -> FloatArray:
        """Return a metric of the four counts at every point; a lasting one does not change."""
        n1, n2 = (float(total) for total in self.levels.totals)
        if not self.levels.whole:
            e1, e2 = (int(e) for e in self.levels.exponent)
            counts = self._rejections, self.false_alarms, self.misses, n2 - self.misses
            n11, n12, n21, n22 = (np.asarray(c, dtype=np.float64) for c in counts)
            return metric.values(FourCounts(n11, n12, n21, n22, (e1, e2)))
        first, second, formula = self.levels.first, self.levels.second, _Formula(metric, n1, n2)
        return at_thresholds(first, second, n1 + n2, formula, lasting=lasting)  # type: ignore[arg-type]  # whole

    def _point(self, index: int) -> OperatingPoint:
        n1, n2 = self.levels.totals
        misses, alarms = self.misses[index], self.false_alarms[index]
        rejected = n1 - alarms if self.levels.whole else self._rejections[index]
        return OperatingPoint(
            float(self.levels.level[index - 1]) if index else -math.inf,
            float((n2 - misses) / n2),
            float(rejected / n1),
            misses.item(),
            alarms.item(),
        )

    def _priors(self, priors: PriorsLike | None) -> FloatArray:
        given = read_priors(priors, self.classes)
        return self.priors if given is None else given

    def _problem(
        self, costs: CostMatrix | CostValues | None, priors: PriorsLike | None
    ) -> tuple[CostMatrix, FloatArray]:
        matrix = as_cost_matrix(costs, self.classes)
        check_order(matrix, self.classes)
        if len(matrix.decisions) != 2:
            rule = "must have two decisions, for a threshold between them"
            raise InputError("costs", rule, f"{len(matrix.decisions)}, {quoted(matrix.decisions)}")
        return matrix, self._priors(priors)

    def __str__(self) -> str:
        return f"RocCurve({self.levels.level.size} distinct scores, AUC {number(self.auc())})"


def best_place(metric: SweepMetric, values: FloatArray) -> int:
    """Return the point at which a metric that was swept is best."""
    if np.isnan(values).all():
        msg = f"{metric.name} is undefined at every threshold: no threshold can be best."
        raise UndefinedMetricError(msg)
    return int(np.nanargmax(values if metric.better == "higher" else -values))


class _Costs(NamedTuple):
    """The expected cost of a detector, divided by some number."""

    first: tuple[float, ...]
    second: tuple[float, ...]
    prior_1: float
    prior_2: float
    n1: float
    n2: float
    by: float

    def values(self, n: FourCounts) -> FloatArray:
        """Return it for arrays of the four counts."""
        (c11, c12), (c21, c22), n1, n2 = self.first, self.second, self.n1, self.n2
        first, second = n.n12 / n1 * c12, n.n21 / n2 * c21
        if c11:
            first += c11 * (n.n11 / n1)
        if c22:
            second += c22 * (n.n22 / n2)
        first *= self.prior_1
        second *= self.prior_2
        first += second
        first /= self.by
        return first


class _Formula(NamedTuple):
    """A metric of a detector as a function of the whole counts below each threshold."""

    metric: SweepMetric | _Costs
    n1: float
    n2: float

    def __call__(self, n11: FloatArray, n21: FloatArray) -> FloatArray:
        metric, n1, n2 = self
        exact = (n1, n2) if n1 + n2 < EXACT else None
        return metric.values(FourCounts(n11, n1 - n11, n21, n2 - n21, totals=exact))


@answered
def auc(
    y_true: Column,
    scores: Scores | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> RankingValue:
    """Return the area under the ROC curve: P(s_2 > s_1) + P(s_2 = s_1) / 2; naive 0.5.

    This is `roc_curve(...).auc()` without the curve: a float with its naive value and its interval.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    scores : array of shape (N,), posteriors of shape (N, 2), or typed scores
        As in `roc_curve`: higher for the class of interest.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The class of interest comes last; by default sorted.
    positive : name, optional
        The class of interest; by default the last.

    Returns
    -------
    RankingValue
        A float, with `naive` and `interval()`.

    See Also
    --------
    roc_curve : the whole curve.
    class_detectors : more than two classes.

    Examples
    --------
    >>> import stakes
    >>> area = stakes.auc([0, 0, 1, 1] * 20, [0.1, 0.4, 0.35, 0.8] * 20)
    >>> float(area), area.naive, area.interval().low > 0.5
    (0.75, 0.5, True)
    """
    if sample_weight is not None:
        ranks, y, weights, names = read_detector(y_true, scores, sample_weight, classes, positive)
        levels = ScoreLevels.from_scores(ranks, y, weights)
        check_both(names, levels.totals)
        value, placed = RocCurve(levels, names).auc(), Placements.from_scores(ranks, y, weights)
        at_level = partial(placed.estimate, value)
        return RankingValue(value, "AUC", 0.5, "higher", names, at_level)
    kernel = partial(score_places, most=MOST_ROWS)
    (pairs, found), names = read_unweighted(y_true, scores, classes, positive, kernel)
    n1, n2 = pairs.first, pairs.second
    check_both(names, (n1, n2))
    if isinstance(found, Places):
        placed = Placements.from_places(found, pairs)
    else:
        placed = Placements.from_levels(ScoreLevels.from_kernel(found))
    value = pairs.total / (2 * n1 * n2)
    return RankingValue(value, "AUC", 0.5, "higher", names, partial(placed.estimate, value))


@answered
def roc_curve(
    y_true: Column,
    scores: Scores | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    positive: Label | None = None,
) -> RocCurve:
    """Return the ROC curve of a detector: the error rates at every threshold.

    Parameters
    ----------
    y_true : column of N labels of two classes
    scores : array of shape (N,), posteriors of shape (N, 2), or typed scores
        One column may hold any numbers that are higher for the class of interest, including
        infinities: only their order counts.
    sample_weight : column of N weights, optional
    classes : sequence of two names, optional
        The class of interest comes last. By default sorted.
    positive : name, optional
        The class of interest. One plain column is its score; the columns of a table or of typed
        scores are reversed if it is not their last class.

    Returns
    -------
    RocCurve
        With rates at every threshold, `auc()`, `eer()`, `minimum_cost()` and others.

    See Also
    --------
    auc : only the area, faster.
    choose_threshold : which threshold to use.
    RocDisplay : draws it.

    Examples
    --------
    >>> import stakes
    >>> roc = stakes.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> roc.auc(), roc.eer()
    (0.75, 0.25)
    >>> roc.minimum_cost(stakes.CostMatrix.binary(miss=5, false_alarm=1)).point.threshold
    0.1
    """
    levels, names = read_levels(y_true, scores, sample_weight, classes, positive)
    check_both(names, levels.totals)
    return RocCurve(levels, names)
