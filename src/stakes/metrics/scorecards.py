"""Costs, scoring rules, decisions and reliability of a system, in one read of its scores."""

__all__ = ["Scorecard", "scorecard"]

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

import numpy as np

from stakes._check import InputError
from stakes._typing import ArrayLike, Column, NamesLike, PriorsLike
from stakes.costs import CostMatrix, SampleCosts
from stakes.metrics.calibration_errors import CalibrationError, binned_errors, error_of_sums
from stakes.metrics.class_gaps import ClassGaps
from stakes.metrics.expected_losses import bayes_cost_of, expectation, from_sums, sample_losses
from stakes.metrics.one_pass import ScorecardSums, pass_over, read_plain_inputs
from stakes.metrics.probability_bins import check_bins
from stakes.results import ExpectedLoss
from stakes.samples import Samples, read_samples
from stakes.scores import Scores, as_scores
from stakes.scoring import BrierLoss, LogLoss, ScoringRule
from stakes.statistics import LossSums


@dataclass(frozen=True, eq=False)
class Scorecard:
    """What one read of labels and scores tells of a system.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> card = stakes.scorecard(data.y, data.posteriors([0.9, 0.1]), costs=costs)
    >>> round(card.cost.normalized, 2), card.cost.normalized_interval().high < 1
    (0.24, True)
    """

    n: int
    cost: ExpectedLoss  # of the Bayes decisions
    cross_entropy: ExpectedLoss
    brier_score: ExpectedLoss
    calibration_error: CalibrationError | None  # of P(classes[-1]); for two classes
    confidence_calibration_error: CalibrationError | None  # of the largest posterior; for more

    def __str__(self) -> str:
        losses = (self.cost, self.cross_entropy, self.brier_score)
        return "\n".join(str(loss) for loss in losses)


def scorecard(
    y_true: Column,
    scores: Scores | Column,
    *,
    costs: CostMatrix | SampleCosts | ArrayLike | None = None,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    bins: int = 15,
) -> Scorecard:
    """Return cost, cross-entropy, Brier score and calibration error in one read of the scores.

    The quick way to follow a system from epoch to epoch: arrays of float32 or float64 are read
    where they lie, and checked in the same pass. Everything else is as in `bayes_cost`,
    `cross_entropy`, `brier_score` and `calibration_error`.

    Parameters
    ----------
    y_true, scores, costs, priors, sample_weight, classes
        As for `bayes_cost`.
    bins : int
        Of equal width, for the calibration error.
    """
    check_bins(bins)
    named = classes
    if named is None and isinstance(costs, CostMatrix | SampleCosts):
        named = costs.classes
    if not isinstance(costs, SampleCosts):
        for form in _forms(scores):
            data = read_plain_inputs(y_true, form, sample_weight, named)
            if data is None:
                continue
            found = pass_over(data, costs, priors, bins, checked=isinstance(form, Scores))
            if found is not None:
                return _from_pass(found)
    samples = read_samples(y_true, scores, priors, sample_weight, named)
    errors = binned_errors(samples, bins)
    two = len(samples.classes) == 2
    return Scorecard(
        n=len(samples),
        cost=bayes_cost_of(samples, costs),
        cross_entropy=expectation(LogLoss(), samples),
        brier_score=expectation(BrierLoss(), samples),
        calibration_error=errors.get("calibration_error"),
        confidence_calibration_error=None if two else errors["confidence_calibration_error"],
    )


def _forms(scores: Scores | Column) -> Iterator[Scores | Column]:
    """Yield scores as they came, then as they are once rounding is allowed for."""
    yield scores
    if type(scores) is np.ndarray and scores.ndim in {1, 2}:
        with suppress(InputError):  # the definitions say what is wrong
            yield as_scores(scores)


def _from_pass(found: ScorecardSums) -> Scorecard:
    samples, gaps = found.samples, None
    two = len(samples.classes) == 2
    if not two and found.factors is not None:
        gaps = ClassGaps.from_samples(_coded(samples), found.bins.edges)
    at = found.bins, samples.classes, found.factors
    error = error_of_sums(*at, confidence=not two, gaps=gaps)
    return Scorecard(
        n=len(samples),
        cost=found.cost,
        cross_entropy=_loss(LogLoss(), found.log, samples),
        brier_score=_loss(BrierLoss(), found.brier, samples),
        calibration_error=error if two else None,
        confidence_calibration_error=None if two else error,
    )


def _loss(rule: ScoringRule, sums: LossSums, samples: Samples) -> ExpectedLoss:
    """Return an expected loss; where it is infinite, find the samples that make it so."""
    rows = np.empty(0, dtype=np.int64)
    if sums.infinite.any():
        rows = np.flatnonzero(np.isinf(sample_losses(rule, _coded(samples))))
    return from_sums(rule, sums, samples, rows)


def _coded(samples: Samples) -> Samples:
    """Return samples whose labels are the class codes of the definitions."""
    return replace(samples, y=samples.y.astype(np.int64, copy=False))
