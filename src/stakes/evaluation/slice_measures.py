"""What is measured on the samples of a slice besides their cost: ranking, calibration, metrics."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from stakes._counting import bincount
from stakes._math import expectation
from stakes._quantiles import normal
from stakes._typing import FloatArray
from stakes.evaluation.application_decisions import ApplicationDecisions, curve_of
from stakes.evaluation.ranking_results import slice_area
from stakes.evaluation.rates import DecisionShares, metric_estimates
from stakes.metrics import explain
from stakes.results import Estimate, Interval
from stakes.samples import Samples
from stakes.statistics import LossSums

_FEWEST = 10  # samples from which a mean of them is nearly normal


@dataclass(frozen=True, eq=False)
class ScoresOfSlice:
    """The scores of a slice of two classes in cells, and sums of the posterior of the last one."""

    samples: Samples  # a row for each cell and class, with the priors of use
    posterior: LossSums


@dataclass(frozen=True, eq=False)
class SliceMeasures:
    """How the scores of a slice rank and how far they can be taken as probabilities.

    `mean_score` is the mean posterior of the last of two classes and `rate` how often it occurs;
    of more classes they are the mean confidence and how often the class of highest posterior is
    the true one. `calibration_gap` is the first less the second: 0 for calibrated scores.
    """

    auc: Estimate | None = None
    mean_score: float | None = None
    rate: float | None = None
    calibration_gap: Estimate | None = None
    traditional: Mapping[str, Estimate] = field(default_factory=dict)

    @classmethod
    def from_decisions(cls, decisions: ApplicationDecisions, level: float) -> "SliceMeasures":
        """Measure samples whose scores are known."""
        samples = decisions.samples
        score, hit = _scores_and_hits(samples)
        mass = samples.balanced_mass()
        mean, rate = math.fsum(mass * score), math.fsum(mass * hit)
        return cls(
            auc=slice_area(samples, curve_of(samples), level),
            mean_score=mean,
            rate=rate,
            calibration_gap=_gap(samples, _gap_spread(samples, score - hit), mean - rate, level),
            traditional=traditional_of(decisions, level),
        )

    @classmethod
    def from_cells(
        cls, decisions: ApplicationDecisions, scores: ScoresOfSlice, level: float
    ) -> "SliceMeasures":
        """Measure samples of which cells of the scores are known, and sums of their posteriors."""
        samples, sums = decisions.samples, scores.posterior
        priors, hit = samples.priors, np.array([0.0, 1.0])
        mean, rate = expectation(priors, sums.mean), float(priors[1])
        spread = Spread(sums.weight, sums.mean - hit, sums.moments()[1])
        return cls(
            auc=slice_area(scores.samples, curve_of(scores.samples), level),
            mean_score=mean,
            rate=rate,
            calibration_gap=_gap(samples, spread, mean - rate, level),
            traditional=traditional_of(decisions, level),
        )


def traditional_of(decisions: ApplicationDecisions, level: float) -> dict[str, Estimate]:
    """Return the traditional metrics of decisions, with intervals."""
    shares = DecisionShares.from_decisions(decisions, level)
    explained = [(metric, explain(metric, decisions.in_use)) for metric in decisions.metrics]
    return metric_estimates(shares, explained)


def _scores_and_hits(samples: Samples) -> tuple[np.ndarray, np.ndarray]:
    """Return the posterior that is put to the test for each sample, and whether it came true."""
    score, hit = np.empty(len(samples)), np.empty(len(samples))
    two = len(samples.classes) == 2
    for part, y, answers in samples.blocks():
        p = answers.p
        named = np.ones(y.size, dtype=np.int64) if two else p.argmax(axis=1)
        score[part] = p[np.arange(y.size), named]
        hit[part] = y == named
    return score, hit


class Spread(NamedTuple):
    """Number, mean and variance of the gaps of each class."""

    size: FloatArray
    mean: FloatArray
    variance: FloatArray


def _gap_spread(samples: Samples, gaps: FloatArray) -> Spread:
    """Return how the gaps of single samples vary within each class."""
    k, copies = len(samples.classes), samples.copies
    number = np.ones(len(samples)) if copies is None else copies.astype(np.float64)
    size = np.asarray(bincount(samples.y, number, k), dtype=np.float64)
    mean = bincount(samples.y, number * gaps, k) / np.maximum(size, 1)
    square = bincount(samples.y, number * np.square(gaps - mean[samples.y]), k)
    return Spread(size, mean, square / np.maximum(size, 1))


def _gap(samples: Samples, spread: Spread, value: float, level: float) -> Estimate:
    """Return the mean gap of score and truth, with an interval where samples are independent."""
    if samples.weights is not None or samples.groups is not None:
        what = "weights" if samples.groups is None else "groups"
        return Estimate(value, None, f"not given with {what}")
    if samples.n < _FEWEST:
        return Estimate(value, None, f"needs {_FEWEST} samples: got {samples.n}")
    seen = spread.size > 0
    size, mean, within = (part[seen] for part in spread)
    if samples.priors_from_data:
        variance = float(size @ (within + np.square(mean - value))) / samples.n**2
    else:
        variance = float(np.sum(np.square(samples.priors[seen]) / size * within))
    half = normal(level) * math.sqrt(variance)
    ends = Interval(max(value - half, -1.0), min(value + half, 1.0), level)
    return Estimate(value, ends, "normal approximation")
