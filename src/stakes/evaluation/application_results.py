"""What is found in each application, by each rule and of each class: numbers with intervals."""

import math
from dataclasses import replace

import numpy as np

from stakes._typing import FloatArray
from stakes.costs import CostMatrix
from stakes.curves import MinimumCost
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.evaluation.calibrated_losses import CalibratedLoss, Number
from stakes.evaluation.findings import ApplicationResult, ClassResult, LossResult
from stakes.evaluation.ranking_results import best_threshold_estimate
from stakes.evaluation.rates import (
    DecisionShares,
    abstention_rate,
    count_errors,
    likelihood_intervals,
    metric_estimates,
    with_value,
)
from stakes.evaluation.score_thresholds import ScoreThreshold, score_threshold
from stakes.evaluation.systems import System
from stakes.metrics import CalibrationError, explain
from stakes.metrics.calibration_errors import binned_errors
from stakes.results import Estimate, ExpectedLoss, normalized_of, value_of
from stakes.samples import Samples

_GROUPED = "not given with groups"


def application_result(
    system: System,
    i: int,
    level: float,
    least: tuple[MinimumCost | None, MinimumCost | None],
) -> ApplicationResult:
    """Return what Bayes decisions cost in one application."""
    decisions, given = system.decisions_of_all[i], system.as_given
    # the least cost of any threshold: on the samples, and on the rows that stand for them
    (best, of_rows), use, name = least, given.uses[i], decisions.use.name
    minimum = point = None
    if best is not None and of_rows is not None:
        ranks, point = given.samples.scores.ranks(), best.point
        indices = (ranks > of_rows.point.threshold).astype(np.int64)
        minimum = best_threshold_estimate(use, ranks, indices, level)
        minimum = replace(minimum, value=best.normalized)
        if math.isfinite(point.threshold) and use.samples.scores is not given.samples.scores:
            below = use.samples.scores.ranks()[ranks <= point.threshold]  # at its own priors
            point = replace(point, threshold=float(below.max()))
    threshold, llr_threshold = _thresholds(decisions.use.binary_costs, decisions.samples.priors)
    explained = [(metric, explain(metric, decisions.in_use)) for metric in decisions.metrics]
    shares = DecisionShares.from_decisions(decisions, level)
    return ApplicationResult(
        name=name,
        costs=decisions.use.costs,
        cost=application_loss(system, i, level),
        confusion=decisions.confusion,
        threshold=threshold,
        llr_threshold=llr_threshold,
        abstention=abstention_rate(shares, decisions.use.costs),
        minimum=minimum,
        minimum_point=point,
        traditional=tuple(explanation for _, explanation in explained),
        errors=error_counts(decisions),
        score_threshold=_score_threshold(threshold, system, decisions),
        traditional_estimates=metric_estimates(shares, explained),
    )


def _score_threshold(
    threshold: float | None, system: System, decisions: ApplicationDecisions
) -> ScoreThreshold | None:
    if threshold is None:
        return None
    scores, priors = system.given.scores, decisions.samples.priors
    return score_threshold(threshold, scores, priors, system.training)


def _thresholds(costs: CostMatrix | None, priors: FloatArray) -> tuple[float | None, float | None]:
    """Return the Bayes threshold on the posterior and on the log likelihood ratio."""
    if costs is None:
        return None, None
    values = costs.values
    if values.diagonal().any() or not (values[0, 1] > 0 and values[1, 0] > 0):
        return None, None
    return costs.threshold(), costs.llr_threshold(priors) if priors.all() else None


def error_counts(decisions: ApplicationDecisions) -> dict[str, int]:
    """Return how many samples got the answer of another class."""
    samples = decisions.samples
    return count_errors(decisions.use.costs, samples.y, decisions.indices, samples.copies)


def binned_calibration_errors(system: System, samples: Samples) -> dict[str, CalibrationError]:
    """Return the binned calibration errors; what chance makes of them needs single samples."""
    errors = binned_errors(samples)
    if system.of_all is not None:
        errors |= system.of_all.errors
    if samples.groups is None:
        return errors
    return {name: error.without_interval(_GROUPED) for name, error in errors.items()}


def rule_result(system: System, i: int, level: float) -> LossResult:
    """Return a scoring rule, uncalibrated and calibrated."""
    known = system.of_all
    raw = system.expected_losses[i] if known is None else known.losses[system.rules[i]]
    if system.stage is None:
        return LossResult(raw, value_of(raw, level), normalized_of(raw, level))
    return _calibrated(raw, system.calibrated_losses[i], system.calibrated_rule(i), level)


def application_loss(system: System, i: int, level: float) -> LossResult:
    """Return the cost of decisions in one application, uncalibrated and calibrated."""
    raw = system.decisions_of_all[i].cost
    if system.stage is None:
        return LossResult(raw, value_of(raw, level), normalized_of(raw, level))
    after = system.calibrated_decisions[i].cost
    return _calibrated(raw, after, system.calibrated_cost(i), level)


def _calibrated(
    raw: ExpectedLoss, after: ExpectedLoss, found: CalibratedLoss, level: float
) -> LossResult:
    """Return a loss before and after calibration, and the difference.

    What all samples lose more than the rows that a calibrator is fitted to is added to the
    calibrated loss, so that the loss of all samples less what calibration recovers on the rows is
    the calibrated loss.
    """
    value, normalized = value_of(raw, level), normalized_of(raw, level)
    calibrated, gain, relative = (found.estimate(each, level) for each in Number)
    beyond = raw.normalized - found.raw.normalized
    if beyond and np.isfinite(beyond):
        after = replace(after, value=max(after.value + beyond * after.naive, 0.0))
        calibrated = calibrated.moved(beyond)
    if raw.undefined is not None:
        gain = Estimate(raw.normalized - after.normalized, None, normalized.method)
    if not raw.value > 0:
        relative = Estimate(math.nan, None)
    return LossResult(raw, value, normalized, after, calibrated, gain, relative)


def class_results(system: System, level: float) -> tuple[ClassResult, ...]:
    """Return what is lost on each class that occurs."""
    decisions, entropy = system.decisions_of_all[0], system.entropy
    shares = DecisionShares.from_decisions(decisions, level)
    return tuple(
        ClassResult(
            name,
            n,
            float(decisions.cost.priors[k]),
            _mean(decisions.cost, k, level),
            _mean(entropy, k, level),
            shares.of_class(k) if decisions.use.square else None,
        )
        for k, name in enumerate(decisions.samples.classes)
        if (n := int(decisions.samples.counts[k]))
    )


def _mean(loss: ExpectedLoss, k: int, level: float) -> Estimate:
    """Return the mean loss of a class."""
    value = float(loss.losses.mean[k])
    if math.isinf(value):
        return Estimate(value, None, "the value is infinite")
    alone = np.zeros(len(loss.classes))
    alone[k] = 1
    return with_value(likelihood_intervals(loss.losses.problem(alone), level)[0], value)
