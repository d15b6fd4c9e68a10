"""Metrics of speech and forensics: Cllr, its minimum, and detection cost functions."""

from __future__ import annotations

__all__ = [
    "DetectionCost",
    "TippettCurve",
    "cllr",
    "detection_cost",
    "minimum_cllr",
    "tippett_curve",
]

import math
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from stakes._check import InputError, check_no_nan, read_number, read_table
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number, percent, plain
from stakes._typing import Column, FloatArray, IntArray, NamesLike
from stakes.costs import CostMatrix
from stakes.curves.area import RankingValue, ranked_estimate
from stakes.curves.points import MinimumCost
from stakes.curves.reading import read_detector
from stakes.curves.roc import RocCurve, roc_curve
from stakes.inference.rising_maps import RisingMap
from stakes.inference.scored_rows import ScoredRows
from stakes.metrics.decisions import expected_cost
from stakes.metrics.expected_losses import expectation
from stakes.results import Estimate, ExpectedLoss
from stakes.samples import read_samples
from stakes.scores import Answers, LogLikelihoodRatios, Scores
from stakes.scoring import LogLoss, ScoringRule


def _as_ratios(llr: Scores | Column) -> LogLikelihoodRatios:
    if isinstance(llr, LogLikelihoodRatios):
        return llr
    if isinstance(llr, Scores):
        raise InputError("llr", "must be log likelihood ratios", type(llr).__name__)
    values, _, _ = read_table(llr, "llr")
    check_no_nan(values, "llr")
    return LogLikelihoodRatios(values)


class _LogLossInBits(ScoringRule):
    """Logarithmic loss in bits, so that no information costs 1 at even priors."""

    name = "Cllr"

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        """Return the loss of each sample."""
        return LogLoss().losses(y, answers) / math.log(2)


LOG_LOSS_IN_BITS = _LogLossInBits()


@answered
def cllr(
    y_true: Column,
    llr: LogLikelihoodRatios | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ExpectedLoss:
    """Return the cross-entropy of likelihood ratios at equal priors; Cllr is its `normalized`.

    Cllr = 1/2 [mean of log2(1 + 1/LR) over targets + mean of log2(1 + LR) over non-targets]. Lower
    is better; 0 is perfect, 1 is uninformative, and a certain answer that is wrong makes it
    infinite.

    Parameters
    ----------
    y_true : column of N labels
        The target class comes last.
    llr : column of N natural log likelihood ratios, or LogLikelihoodRatios
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The target class comes last.

    Returns
    -------
    ExpectedLoss
        In bits; `normalized` is Cllr.

    See Also
    --------
    minimum_cllr : the value after the best recalibration.
    detection_cost : one operating point.

    Examples
    --------
    >>> import stakes
    >>> stakes.cllr([0, 1], [0.0, 0.0]).value
    1.0
    """
    samples = read_samples(y_true, _as_ratios(llr), [0.5, 0.5], sample_weight, classes)
    return expectation(LOG_LOSS_IN_BITS, samples)


@answered
def minimum_cllr(
    y_true: Column,
    llr: LogLikelihoodRatios | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> RankingValue:
    """Return the Cllr after the best monotone map of the ratios, by pool-adjacent-violators.

    Lower is better; 0 is perfect, 1 is uninformative (naive). The map is chosen on the same data
    that it is evaluated on, so the value is optimistic, which its interval allows for. Cllr minus
    this minimum is the most that calibration could recover.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    llr : column of N natural log likelihood ratios, or LogLikelihoodRatios
        As in `cllr`.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The target class comes last.

    Returns
    -------
    RankingValue
        A float, with `naive` and `interval()`.

    See Also
    --------
    cllr : of the ratios without recalibration.

    Examples
    --------
    >>> import stakes
    >>> least = stakes.minimum_cllr([0, 0, 1, 1], [-1.0, 0.5, 0.2, 2.0])
    >>> round(least, 4), least.naive
    (0.5, 1.0)
    """
    ratios = _as_ratios(llr)
    curve = roc_curve(y_true, ratios, sample_weight=sample_weight, classes=classes)
    if curve.levels.whole:
        rows = ScoredRows.from_counts(curve.levels.first, curve.levels.second)
    else:
        scores, y, weights, _ = read_detector(y_true, ratios, sample_weight, classes, None)
        rows = ScoredRows.from_scores(scores, y, weights)
    value = minimum_cllr_of(curve)
    at_level = partial(minimum_cllr_estimate, value, rows)
    return RankingValue(value, "minimum Cllr", 1.0, "lower", curve.classes, at_level)


def minimum_cllr_estimate(value: float, rows: ScoredRows, level: float) -> Estimate:
    """Return the minimum Cllr with its interval."""
    least = RisingMap(rows, np.array([0.5, 0.5]))

    def ends(level: float) -> tuple[float, float]:
        low, high = least.interval(level)
        return low / math.log(2), high / math.log(2)

    return ranked_estimate(value, rows, ends, level)


def minimum_cllr_of(curve: RocCurve) -> float:
    """Return the minimum Cllr of a ROC curve, from the corners of its hull."""
    hull = curve.hull_points
    alarms, misses = -np.diff(curve.false_alarm_rate[hull]), np.diff(curve.miss_rate[hull])
    with np.errstate(divide="ignore", invalid="ignore"):
        both = (misses, np.log1p(alarms / misses)), (alarms, np.log1p(misses / alarms))
    target, other = (math.fsum(w[w > 0] * values[w > 0]) for w, values in both)
    return (target + other) / (2 * math.log(2))


@dataclass(frozen=True, eq=False)
class TippettCurve(Record):
    """Share of each class with a likelihood ratio above a value, for every value.

    `log10_ratios` rise from minus infinity; `share_above` has a row for each class, falling from 1
    to 0. An uninformative system has a ratio of 1 for all samples: a log of 0.

    Attributes
    ----------
    roc : RocCurve
        ROC curve of the log likelihood ratios.

    See Also
    --------
    tippett_curve : returns it.

    Examples
    --------
    >>> import stakes
    >>> curve = stakes.tippett_curve([0, 0, 0, 1, 1], [-5.0, -4.0, 1.0, 0.5, 6.0])
    >>> curve.misleading[0] > 0.05  # misleading evidence in one of three: do not report it
    True
    """

    roc: RocCurve

    @property
    def log10_ratios(self) -> FloatArray:
        """Base-10 logs of the ratios, as forensic reports give them."""
        return self.roc.thresholds / math.log(10)

    @property
    def share_above(self) -> FloatArray:
        """Share of each class with a larger ratio."""
        return np.stack([self.roc.false_alarm_rate, self.roc.sensitivity])

    @property
    def misleading(self) -> tuple[float, float]:
        """Rates of misleading evidence: ratios above 1 in the first class, below 1 in the second.

        A ratio of exactly 1 is not misleading.
        """
        above = self.roc.at_threshold(0.0).false_alarm_rate
        first = int(np.searchsorted(self.roc.levels.level, 0.0, side="left"))
        return above, float(self.roc.miss_rate[first])

    def __str__(self) -> str:
        first, second = (plain(name) for name in self.roc.classes)
        above, below = (f"{percent(share, 1)} %" for share in self.misleading)
        size = self.roc.levels.level.size
        misleading = f"above 1 for {above} of {first}, below 1 for {below} of {second}"
        return f"TippettCurve({size} distinct ratios; {misleading})"


@answered
def tippett_curve(
    y_true: Column,
    llr: LogLikelihoodRatios | Column,
    *,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> TippettCurve:
    """Return the share of each class above every natural log likelihood ratio.

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    llr : column of N natural log likelihood ratios, or LogLikelihoodRatios
        As in `cllr`.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The target class comes last.

    Returns
    -------
    TippettCurve
        With `log10_ratios`, `share_above` and the rates of `misleading` evidence.

    See Also
    --------
    TippettDisplay : draws it.

    Examples
    --------
    >>> import stakes
    >>> stakes.tippett_curve([0, 0, 0, 1, 1], [-5.0, -4.0, 1.0, 0.0, 6.0]).misleading
    (0.33333333333333337, 0.0)
    """
    ratios = _as_ratios(llr)
    return TippettCurve(roc_curve(y_true, ratios, sample_weight=sample_weight, classes=classes))


@dataclass(frozen=True, eq=False)
class DetectionCost(Record):
    """A detection cost function (DCF): the actual value at the Bayes threshold, and the minimum.

    Attributes
    ----------
    actual : ExpectedLoss
        The cost at the Bayes threshold.
    minimum : MinimumCost
        The cost at the best threshold on the same data.
    effective_prior : float
    threshold : float
        On the natural log likelihood ratio.

    See Also
    --------
    detection_cost : returns it.

    Examples
    --------
    >>> import stakes
    >>> y, llr = [0, 0, 0, 1, 1], [-5.0, -4.0, 1.0, 0.5, 6.0]
    >>> dcf = stakes.detection_cost(y, llr, target_prior=0.5)
    >>> round(float(dcf.actual.normalized - dcf.minimum.normalized), 2)  # nothing to recalibrate
    0.0
    """

    actual: ExpectedLoss
    minimum: MinimumCost
    effective_prior: float
    threshold: float

    def __str__(self) -> str:
        actual, least = (number(cost.normalized) for cost in (self.actual, self.minimum))
        return (
            f"detection cost {actual} at the Bayes threshold {number(self.threshold)}, "
            f"{least} at the best one (normalised, naive 1); effective prior "
            f"{number(self.effective_prior)}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return {
            "actual": self.actual.to_dict(),
            "minimum": self.minimum.to_dict(),
            "effective_prior": self.effective_prior,
            "threshold": self.threshold,
        }


@answered
def detection_cost(
    y_true: Column,
    llr: LogLikelihoodRatios | Column,
    *,
    target_prior: float,
    miss: float = 1.0,
    false_alarm: float = 1.0,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> DetectionCost:
    """Return the DCF of likelihood ratios: C_miss P_target R_21 + C_fa (1 - P_target) R_12.

    `actual.normalized` and `minimum.normalized` are the normalised values that evaluations report.
    A trial is accepted if its ratio is greater than the threshold (others often use "at least").

    Parameters
    ----------
    y_true : column of N labels
        The true class of each sample.
    llr : column of N natural log likelihood ratios, or LogLikelihoodRatios
        As in `cllr`.
    target_prior : float
        How often targets will occur in deployment.
    miss, false_alarm : float, default 1.0
        Cost of the error.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        The target class comes last.

    Returns
    -------
    DetectionCost
        With `actual`, `minimum` and the `threshold` of the Bayes decision.

    See Also
    --------
    cllr : all operating points at once.
    CostMatrix.llr_threshold : the threshold alone.

    Examples
    --------
    >>> import stakes
    >>> y, llr = [0, 0, 0, 1, 1], [-5.0, -4.0, 1.0, 0.5, 6.0]
    >>> dcf = stakes.detection_cost(y, llr, target_prior=0.01, miss=10)
    >>> round(dcf.threshold, 3), round(dcf.actual.normalized, 3), round(dcf.minimum.normalized, 3)
    (2.293, 0.5, 0.5)
    """
    prior = read_number(target_prior, "target_prior", 0, 1, closed=(False, False))
    ratios = _as_ratios(llr)
    curve = roc_curve(y_true, ratios, sample_weight=sample_weight, classes=classes)
    costs = CostMatrix.binary(miss=miss, false_alarm=false_alarm, classes=curve.classes)
    priors = [1 - prior, prior]
    threshold = costs.llr_threshold(priors)
    decided = [curve.classes[int(accept)] for accept in ratios.values > threshold]
    actual = expected_cost(y_true, decided, costs=costs, priors=priors, sample_weight=sample_weight)
    minimum = curve.minimum_cost(costs, priors)
    return DetectionCost(actual, minimum, costs.effective_prior(priors), threshold)
