"""The parts of an evaluation: each number with its interval."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stakes._text import key_of
from stakes._typing import FloatArray, IntArray
from stakes.costs import CostMatrix
from stakes.curves import MinimumCost, RocCurve
from stakes.curves.detectors import detectors_of
from stakes.curves.likelihood_ratios import LogLossInBits, minimum_cllr_of
from stakes.evaluation.applications import Task
from stakes.evaluation.errors import count_errors
from stakes.evaluation.records import ApplicationResult, ClassResult, LossResult
from stakes.evaluation.systems import Judgement, System, relative_loss
from stakes.intervals import (
    NOT_DRAWN,
    Replicates,
    auc_interval,
)
from stakes.metrics import CalibrationError, DecisionMetric, explain
from stakes.metrics.calibration_errors import binned_errors
from stakes.metrics.scores import expectation
from stakes.results import Estimate, ExpectedLoss
from stakes.samples import Samples
from stakes.scores import LogLikelihoodRatios
from stakes.scoring import LogLoss

_CLOSED = "closed form"
_GROUPED = "not given with groups"


def loss_result(
    system: System, i: int, drawn: Replicates | None, level: float, unit: IntArray | None
) -> LossResult:
    """Return a scoring rule as is and calibrated."""
    after = None if system.stage is None else system.after[i]
    names = (key_of(system.rules[i].name), "normalized")
    return _loss(system.raw[i], after, names, drawn, level, unit)


def _loss(
    raw: ExpectedLoss,
    after: ExpectedLoss | None,
    names: tuple[str, str],
    drawn: Replicates | None,
    level: float,
    unit: IntArray | None,
) -> LossResult:
    """Return a loss with intervals: closed form where samples are drawn one by one."""
    name, short = names
    value, normalized = _estimates(raw, names, drawn, level, unit)
    if after is None:
        return LossResult(raw, value, normalized)
    fixed = f"{_CLOSED}, the calibrator taken as fixed"
    calibrated = Estimate(after.normalized, after.normalized_interval(level), fixed)
    gain = raw.normalized - after.normalized
    share = relative_loss(raw, after)
    if drawn is None or f"{name}.relative" not in drawn.names:
        bare = (Estimate(v, None, _why_none(drawn)) for v in (gain, share))
        return LossResult(raw, value, normalized, after, calibrated, *bare)
    parts = (f"calibrated_{short}", "calibration_loss", "relative")
    values = (after.normalized, gain, share)
    bands = [
        drawn.estimate(f"{name}.{part}", level, v) for part, v in zip(parts, values, strict=True)
    ]
    return LossResult(raw, value, normalized, after, *bands)


def _estimates(
    raw: ExpectedLoss,
    names: tuple[str, str],
    drawn: Replicates | None,
    level: float,
    unit: IntArray | None,
) -> tuple[Estimate, Estimate]:
    """Return value and normalised value."""
    if unit is None:
        return (
            Estimate(raw.value, raw.interval(level), _CLOSED),
            Estimate(raw.normalized, raw.normalized_interval(level), _CLOSED),
        )
    full = [f"{names[0]}.{part}" for part in ("value", names[1])]
    if drawn is None or full[0] not in drawn.names:
        why = _why_none(drawn)
        return tuple(Estimate(v, None, why) for v in (raw.value, raw.normalized))  # type: ignore[return-value]
    return (
        drawn.estimate(full[0], level, raw.value),
        drawn.estimate(full[1], level, raw.normalized),
    )


def _why_none(drawn: Replicates | None) -> str:
    """Say why a loss has no resamples."""
    return NOT_DRAWN if drawn is None else "infinite as is"


def application_result(
    system: System,
    i: int,
    drawn: Replicates | None,
    level: float,
    metrics: Sequence[DecisionMetric],
    least: MinimumCost | None,
    unit: IntArray | None,
) -> ApplicationResult:
    """Return what Bayes decisions cost in one application."""
    judged = system.judgements[i]
    task, costs = judged.task, judged.task.binary_costs
    after = None if system.stage is None else system.judgements_after[i].cost
    threshold, llr_threshold = _thresholds(costs, task.samples.priors)
    explained = tuple(explain(metric, judged.in_use) for metric in metrics)
    return ApplicationResult(
        name=task.name,
        costs=task.costs,
        cost=_loss(judged.cost, after, (task.name, "nec"), drawn, level, unit),
        confusion=judged.confusion,
        threshold=threshold,
        llr_threshold=llr_threshold,
        abstention=abstention_rate(judged, level, unit),
        minimum=None
        if least is None
        else _from(drawn, f"{task.name}.minimum_nec", least.normalized, level),
        minimum_point=None if least is None else least.point,
        traditional=explained,
        errors=error_counts(judged),
        traditional_estimates={
            e.value.name: _from(drawn, f"{task.name}.{key_of(e.value.name)}", e.value.value, level)
            for e in explained
            if e.value is not None
        },
    )


def error_counts(judged: Judgement) -> dict[str, int]:
    """Return how many samples got the answer of another class."""
    return count_errors(judged.task.costs, judged.task.samples.y, judged.decided)


def least_cost(task: Task, curve: RocCurve | None) -> MinimumCost | None:
    """Return the least cost of any threshold, for two classes and two decisions."""
    costs = task.binary_costs
    if curve is None or costs is None:
        return None
    return curve.minimum_cost(costs, None if task.samples.priors_from_data else task.samples.priors)


def _from(drawn: Replicates | None, name: str, value: float, level: float) -> Estimate:
    """Return a value with the interval of its resamples, if there are any."""
    if drawn is None or name not in drawn.names:
        return Estimate(value, None, NOT_DRAWN)
    return drawn.estimate(name, level, value)


def _thresholds(costs: CostMatrix | None, priors: FloatArray) -> tuple[float | None, float | None]:
    """Return the Bayes threshold on the posterior and on the log likelihood ratio."""
    if costs is None:
        return None, None
    values = costs.values
    if values.diagonal().any() or not (values[0, 1] > 0 and values[1, 0] > 0):
        return None, None
    return costs.threshold(), costs.llr_threshold(priors) if priors.all() else None


def abstention_rate(
    judged: Judgement, level: float, unit: IntArray | None = None
) -> Estimate | None:
    """Return how often a decision is made that is no class, where there is one such decision."""
    costs, samples = judged.task.costs, judged.task.samples
    extra = [j for j, name in enumerate(costs.decisions) if name not in costs.classes]
    if len(extra) != 1 or len(costs.decisions) != len(costs.classes) + 1:
        return None
    rate = CostMatrix(
        np.tile(np.arange(len(costs.decisions)) == extra[0], (len(costs.classes), 1)).astype(float),
        classes=costs.classes,
        decisions=costs.decisions,
    )
    given = None if samples.priors_from_data else samples.priors
    record = judged.confusion.expected_cost(rate, given)
    return _alone(record.value, record, level, unit)


def _alone(value: float, record: ExpectedLoss, level: float, unit: IntArray | None) -> Estimate:
    """Return a value in closed form, which holds for samples that are drawn one by one."""
    if unit is not None:
        return Estimate(value, None, _GROUPED)
    return Estimate(value, record.interval(level), _CLOSED)


def ranking_of(
    samples: Samples,
    curve: RocCurve | None,
    drawn: Replicates | None,
    level: float,
    unit: IntArray | None,
) -> dict[str, Estimate]:
    """Return how well the scores rank: AUC and equal error rate, or AUC of each class."""
    if curve is not None:
        auc = curve.auc()
        plain = samples.weights is None and (unit is None)
        area = auc_interval(curve.levels, auc, level) if plain else _from(drawn, "auc", auc, level)
        found = {"auc": area, "eer": _from(drawn, "eer", curve.eer(), level)}
        return found | _likelihood_costs(samples, curve, level, unit)
    if len(samples.classes) == 2:
        return {}
    areas = {
        f"auc.{name}": auc_interval(roc.levels, roc.auc(), level)
        if samples.weights is None and unit is None
        else Estimate(roc.auc(), None, "not given with weights or groups")
        for name, roc in detectors_of(samples).items()
    }
    mean = float(np.mean([a.value for a in areas.values()])) if areas else math.nan
    return {"auc": Estimate(mean, None, "mean over classes"), **areas}


def calibration_errors_of(samples: Samples, unit: IntArray | None) -> dict[str, CalibrationError]:
    """Return the binned calibration errors; what chance makes of them needs single samples."""
    errors = binned_errors(samples)
    if unit is None:
        return errors
    return {name: error.without_interval(_GROUPED) for name, error in errors.items()}


def _likelihood_costs(
    samples: Samples, curve: RocCurve, level: float, unit: IntArray | None
) -> dict[str, Estimate]:
    """Return the cost of likelihood ratios (Cllr) and its minimum, where scores are that."""
    if not isinstance(samples.scores, LogLikelihoodRatios):
        return {}
    even = replace(samples, priors=np.array([0.5, 0.5]), priors_from_data=False)
    cost = expectation(LogLossInBits(), even)
    band = cost.normalized_interval(level) if unit is None else None
    return {
        "cllr": Estimate(
            cost.normalized, band, _CLOSED if unit is None else "not given with groups"
        ),
        "minimum_cllr": Estimate(minimum_cllr_of(curve), None, "optimistic: fitted on the data"),
    }


def class_results(
    system: System, level: float, unit: IntArray | None = None
) -> tuple[ClassResult, ...]:
    """Return what is lost on each class that occurs."""
    judged = system.judgements[0]
    entropy = expectation(LogLoss(), judged.task.samples)
    right = judged.confusion.expected_cost() if judged.task.square else None
    counts = np.bincount(system.samples.y, minlength=len(system.samples.classes))
    out = []
    for k, name in enumerate(system.samples.classes):
        if counts[k]:
            recall = None if right is None else _complement(_mean(right, k, level, unit))
            out.append(
                ClassResult(
                    name,
                    int(counts[k]),
                    float(judged.cost.priors[k]),
                    _mean(judged.cost, k, level, unit),
                    _mean(entropy, k, level, unit),
                    recall,
                )
            )
    return tuple(out)


def _mean(loss: ExpectedLoss, k: int, level: float, unit: IntArray | None) -> Estimate:
    """Return the mean loss of one class."""
    alone = np.zeros(len(loss.classes))
    alone[k] = 1
    value = float(loss.losses.mean[k])
    record = replace(loss, value=value, priors=alone, priors_from_data=False)
    return _alone(value, record, level, unit)


def _complement(rate: Estimate) -> Estimate:
    """Return one minus a rate."""
    band = rate.interval
    turned = None if band is None else replace(band, low=1 - band.high, high=1 - band.low)
    return Estimate(1 - rate.value, turned, rate.method)


def rounding_notes(read: Mapping[str, Samples]) -> list[str]:
    """Say for each system by name whether the rows of its scores were rounded, and to what."""
    found = {name: samples.scores.rounding for name, samples in read.items()}
    return [f"{name}: {r}" if name else str(r) for name, r in found.items() if r is not None]
