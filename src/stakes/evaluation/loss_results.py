"""Expected losses of a system with intervals: uncalibrated, calibrated, and the difference."""

from dataclasses import replace

import numpy as np

from stakes.evaluation.findings import LossResult
from stakes.evaluation.systems import System, bayes_decisions
from stakes.intervals import CalibrationPair, by_groups, with_learning
from stakes.metrics.expected_losses import expectation, sample_losses
from stakes.results import FEWEST_OF_CLASS, Estimate, ExpectedLoss
from stakes.samples import Samples
from stakes.scoring import ScoringRule


def value_of(record: ExpectedLoss, level: float) -> Estimate:
    """Return the value with its interval, or why there is none."""
    why = record.no_interval
    return Estimate(record.value, None if why else record.interval(level), why or _method(record))


def normalized_of(record: ExpectedLoss, level: float) -> Estimate:
    """Return the normalised value with its interval, or why there is none."""
    why = record.no_interval if record.undefined is None else record.undefined.text
    band = None if why else record.normalized_interval(level)
    return Estimate(record.normalized, band, why or _method(record))


def _method(record: ExpectedLoss) -> str:
    return "closed form" if record.design is None else "closed form, by group"


def rule_loss(rule: ScoringRule, record: ExpectedLoss, samples: Samples) -> ExpectedLoss:
    """Return an expected loss, with the groups that samples come in."""
    if samples.groups is None:
        return record
    return by_groups(record, samples, sample_losses(rule, samples))


def rule_result(system: System, i: int, level: float) -> LossResult:
    """Return a scoring rule, uncalibrated and calibrated."""
    rule, samples = system.rules[i], system.samples
    before = sample_losses(rule, samples)
    if system.of_all is None:
        raw = by_groups(system.expected_losses[i], samples, before)
    else:
        raw = system.of_all.losses[rule]
    if system.stage is None:
        return LossResult(raw, value_of(raw, level), normalized_of(raw, level))
    after = sample_losses(rule, system.calibrated)
    record = by_groups(system.calibrated_losses[i], samples, after)
    learning = system.learning_cost(
        samples, record.value, lambda better: expectation(rule, better).value
    )
    pair = CalibrationPair(
        samples,
        before,
        after,
        raw.naive_losses[samples.y],
        samples.groups,
        learning,
        bounded=bool(np.isfinite(rule.bounds(len(samples.classes))[1]).all()),
    )
    return _calibrated(raw, record, pair, level, system.expected_losses[i])


def application_loss(system: System, i: int, level: float) -> LossResult:
    """Return the cost of decisions in one application, uncalibrated and calibrated."""
    before, raw = system.decisions[i], system.decisions_of_all[i].grouped_cost
    if system.stage is None:
        return LossResult(raw, value_of(raw, level), normalized_of(raw, level))
    after, use = system.calibrated_decisions[i], system.uses[i]

    def loss(better: Samples) -> float:
        return bayes_decisions(replace(use, samples=better)).cost.value

    pair = CalibrationPair(
        before.samples,
        before.losses(),
        after.losses(),
        before.naive(),
        before.samples.groups,
        system.learning_cost(use.samples, after.cost.value, loss),
        before.largest_difference(),
    )
    return _calibrated(raw, after.grouped_cost, pair, level, before.cost)


def _calibrated(
    raw: ExpectedLoss,
    after: ExpectedLoss,
    pair: CalibrationPair,
    level: float,
    of_rows: ExpectedLoss,
) -> LossResult:
    """Return a loss before and after calibration, and the difference.

    What all samples lose more than the rows that a calibrator is fitted to is added to the
    calibrated loss, so that the loss of all samples less what calibration recovers on the rows is
    the calibrated loss.
    """
    value, normalized = value_of(raw, level), normalized_of(raw, level)
    calibrated = normalized_of(after, level)
    beyond = raw.normalized - of_rows.normalized
    if beyond and np.isfinite(beyond):
        after = replace(after, value=max(after.value + beyond * after.naive, 0.0))
        calibrated = calibrated.moved(beyond)
    counts = pair.samples.counts
    least = int(counts[counts > 0].min())
    if least < FEWEST_OF_CLASS:
        why = f"a calibrator needs {FEWEST_OF_CLASS} samples of each class: got {least}"
        calibrated = Estimate(calibrated.value, None, why)
    if calibrated.interval is not None:
        fixed, band = pair.largest is not None, calibrated.interval
        if not fixed:  # decisions are, as the live page computes it
            band = with_learning(band, pair.learning / after.naive)
        how = "the calibrator taken as fixed" if fixed else "with the cost of learning"
        calibrated = Estimate(calibrated.value, band, f"{calibrated.method}, {how}")
    gain = Estimate(raw.normalized - after.normalized, None, normalized.method)
    if raw.undefined is None:
        gain = pair.loss(level, raw.naive)
    relative = pair.relative(level, raw.value) if raw.value > 0 else Estimate(float("nan"), None)
    return LossResult(raw, value, normalized, after, calibrated, gain, relative)
