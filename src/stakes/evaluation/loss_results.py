"""Expected losses of a system with intervals: uncalibrated, calibrated, and the difference."""

from dataclasses import replace

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.costs import SampleCosts
from stakes.evaluation.findings import LossResult
from stakes.evaluation.systems import ApplicationDecisions, System
from stakes.intervals import CalibrationPair, by_groups, with_learning
from stakes.metrics.scores import sample_losses
from stakes.results import FEWEST_OF_CLASS, Estimate, ExpectedLoss
from stakes.samples import Samples
from stakes.scoring import ScoringRule

CLOSED = "closed form"
GROUPED = "closed form, by group"


def estimates_of(record: ExpectedLoss, level: float) -> tuple[Estimate, Estimate]:
    """Return value and normalised value with their intervals, or why there are none."""
    value = value_of(record, level)
    method = CLOSED if record.design is None else GROUPED
    why = record.no_interval
    if record.undefined is not None:
        why = record.undefined.text
    band = None if why else record.normalized_interval(level)
    return value, Estimate(record.normalized, band, why or method)


def value_of(record: ExpectedLoss, level: float) -> Estimate:
    """Return the value with its interval, or why there is none."""
    method = CLOSED if record.design is None else GROUPED
    why = record.no_interval
    return Estimate(record.value, None if why else record.interval(level), why or method)


def rule_result(system: System, i: int, level: float, unit: IntArray | None) -> LossResult:
    """Return a scoring rule, uncalibrated and calibrated."""
    rule, samples = system.rules[i], system.samples
    before = sample_losses(rule, samples)
    raw = system.raw_shown[i]
    if system.of_all is None:
        raw = by_groups(raw, samples, before, unit)
    if system.stage is None:
        return LossResult(raw, *estimates_of(raw, level))
    after = sample_losses(rule, system.calibrated_samples)
    record = by_groups(system.after[i], samples, after, unit)
    pair = CalibrationPair(
        samples,
        before,
        after,
        raw.naive_losses[samples.y],
        unit,
        system.learning_cost(rule, record.value),
        bounded=bool(np.isfinite(rule.bounds(len(samples.classes))[1]).all()),
    )
    return _calibrated(raw, record, pair, level, _beyond_rows(raw, system.raw[i]))


def application_loss(system: System, i: int, level: float, unit: IntArray | None) -> LossResult:
    """Return the cost of decisions in one application, uncalibrated and calibrated."""
    decisions = system.decisions[i]
    raw = cost_of(system.shown[i], unit)
    if system.stage is None:
        return LossResult(raw, *estimates_of(raw, level))
    later = system.calibrated_decisions[i]
    pair = CalibrationPair(
        decisions.use.samples,
        decisions.losses(),
        later.losses(),
        decisions.naive_losses(),
        unit,
        system.decision_learning_cost(i),
        largest_difference(decisions),
    )
    beyond = _beyond_rows(raw, decisions.cost)
    return _calibrated(raw, cost_of(later, unit), pair, level, beyond)


def _beyond_rows(of_all: ExpectedLoss, of_rows: ExpectedLoss) -> float:
    """Return what all samples lose more than the rows that a calibrator is fitted to.

    It is added to the calibrated loss, so that the loss of all samples less what calibration
    recovers on the rows is the calibrated loss.
    """
    moved = of_all.normalized - of_rows.normalized
    return moved if np.isfinite(moved) else 0.0


def cost_of(decisions: ApplicationDecisions, unit: IntArray | None) -> ExpectedLoss:
    """Return what decisions cost, with the groups that samples come in."""
    unit = decisions.unit(unit)
    if unit is None:
        return decisions.cost
    losses, naive = decisions.losses(), decisions.naive_losses()
    return by_groups(decisions.cost, decisions.use.samples, losses, unit, naive)


def rule_loss(
    rule: ScoringRule, record: ExpectedLoss, samples: Samples, unit: IntArray | None
) -> ExpectedLoss:
    """Return an expected loss, with the groups that samples come in."""
    if unit is None:
        return record
    return by_groups(record, samples, sample_losses(rule, samples), unit)


def largest_difference(decisions: ApplicationDecisions) -> FloatArray:
    """Return the largest possible difference of what two decisions cost each sample."""
    costs, y = decisions.use.costs, decisions.use.samples.y
    if not isinstance(costs, SampleCosts):
        low, high = costs.ranges()
        return np.asarray((high - low)[y], dtype=np.float64)
    optimal = costs.optimal()
    constant = [costs.at(y, np.full(y.size, j)) for j in range(costs.shape[2])]
    prices = np.column_stack(constant)
    high = np.where(optimal, prices, -np.inf).max(axis=1)
    return np.asarray(high - np.where(optimal, prices, np.inf).min(axis=1), dtype=np.float64)


def _calibrated(
    raw: ExpectedLoss, after: ExpectedLoss, pair: CalibrationPair, level: float, beyond: float
) -> LossResult:
    """Return a loss before and after calibration, and the difference."""
    value, normalized = estimates_of(raw, level)
    calibrated = estimates_of(after, level)[1]
    if beyond:
        after = replace(after, value=max(after.value + beyond * after.naive, 0.0))
        calibrated = calibrated.moved(beyond)
    counts = pair.samples.counts
    least = int(counts[counts > 0].min())
    if least < FEWEST_OF_CLASS:
        why = f"a calibrator needs {FEWEST_OF_CLASS} samples of each class: got {least}"
        calibrated = Estimate(calibrated.value, None, why)
    if calibrated.interval is not None:
        fixed = pair.largest is not None  # for decisions, as the live page computes it
        band = calibrated.interval
        if not fixed:
            band = with_learning(band, pair.learning / after.naive)
        how = "the calibrator taken as fixed" if fixed else "with the cost of learning"
        calibrated = Estimate(calibrated.value, band, f"{calibrated.method}, {how}")
    gain = Estimate(raw.normalized - after.normalized, None, normalized.method)
    if raw.undefined is None:
        gain = pair.loss(level, raw.naive)
    relative = pair.relative(level, raw.value) if raw.value > 0 else Estimate(float("nan"), None)
    return LossResult(raw, value, normalized, after, calibrated, gain, relative)
