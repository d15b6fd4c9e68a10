"""The parts of an evaluation: each number with its interval."""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from stakes._text import key_of
from stakes._typing import FloatArray, IntArray
from stakes.costs import CostMatrix
from stakes.curves import MinimumCost, OperatingPoint
from stakes.evaluation.applications import ApplicationSamples
from stakes.evaluation.errors import count_errors
from stakes.evaluation.findings import ApplicationResult, ClassResult
from stakes.evaluation.loss_results import application_loss, value_of
from stakes.evaluation.ranking_results import minimum_cost_estimate
from stakes.evaluation.rates import (
    Grouping,
    class_share,
    few_to_resample,
    is_share,
    rate_estimate,
    share_of_decision,
    within_limits,
)
from stakes.evaluation.resampled import resampled_decisions
from stakes.evaluation.systems import ApplicationDecisions, System
from stakes.intervals import (
    NOT_DRAWN,
    Progress,
    Replicates,
    by_groups,
    replicate,
    replicate_counts,
)
from stakes.metrics import CalibrationError, DecisionMetric, Explanation, explain
from stakes.metrics.calibration_errors import binned_errors
from stakes.metrics.scores import sample_losses
from stakes.results import Estimate, ExpectedLoss
from stakes.samples import Samples
from stakes.scoring import LogLoss

_GROUPED = "not given with groups"
Grouped = Callable[[ExpectedLoss], ExpectedLoss]


def application_result(
    system: System,
    i: int,
    drawn: Replicates | None,
    level: float,
    metrics: Sequence[DecisionMetric],
    least: tuple[MinimumCost | None, MinimumCost | None],
    unit: IntArray | None,
) -> ApplicationResult:
    """Return what Bayes decisions cost in one application.

    `least` is the least cost of any threshold on the samples, and on the rows that stand for them.
    """
    decisions, given = system.shown[i], system.as_given
    best = least[0]
    use, costs = decisions.use, decisions.use.binary_costs
    threshold, llr_threshold = _thresholds(costs, use.samples.priors)
    explained = tuple(explain(metric, decisions.in_use) for metric in metrics)
    return ApplicationResult(
        name=use.name,
        costs=use.costs,
        cost=application_loss(system, i, level, unit),
        confusion=decisions.confusion,
        threshold=threshold,
        llr_threshold=llr_threshold,
        abstention=abstention_rate(decisions, level, unit),
        minimum=_minimum(given.uses[i], given.samples, least, level, unit),
        minimum_point=None if best is None else _own_point(best, given.samples, given.uses[i]),
        traditional=explained,
        errors=error_counts(decisions),
        traditional_estimates=_traditional(decisions, metrics, explained, drawn, level, unit),
    )


def _minimum(
    use: ApplicationSamples,
    samples: Samples,
    least: tuple[MinimumCost | None, MinimumCost | None],
    level: float,
    unit: IntArray | None,
) -> Estimate | None:
    """Return the least cost of any threshold, with the interval that the rows give it."""
    best, of_rows = least
    if best is None or of_rows is None:
        return None
    found = minimum_cost_estimate(use, samples.scores.ranks(), of_rows, level, unit)
    return replace(found, value=best.normalized)


def _traditional(
    decisions: ApplicationDecisions,
    metrics: Sequence[DecisionMetric],
    explained: Sequence[Explanation],
    drawn: Replicates | None,
    level: float,
    unit: IntArray | None,
) -> dict[str, Estimate]:
    """Return the traditional metrics with intervals: in closed form where they are shares."""
    samples = decisions.use.samples
    given, grouping = (
        None if samples.priors_from_data else samples.priors,
        Grouping.of(decisions, unit),
    )
    out, few = {}, few_to_resample(decisions.confusion)
    for metric, explanation in zip(metrics, explained, strict=True):
        if explanation.value is None:
            continue
        name, value = explanation.value.name, explanation.value.value
        share = rate_estimate(metric, decisions.confusion, given, level, grouping)
        if share is not None and math.isfinite(value):
            out[name] = replace(share, value=value)
        elif few:
            out[name] = Estimate(value, None, few)
        else:
            found = _from(drawn, f"{decisions.use.name}.{key_of(name)}", value, level)
            out[name] = within_limits(found, metric)
    return out


def count_replicates(
    system: System,
    metrics: Sequence[Sequence[DecisionMetric]],
    unit: IntArray | None,
    resampling: tuple[int, int],
    progress: Progress | None,
) -> list[Replicates | None]:
    """Return the resampled metrics of each application that have no interval in closed form.

    Counts of samples that are alike are drawn as such; weights and groups need each sample.
    """
    resamples, seed = resampling
    judgements = system.shown
    chosen = [
        () if few_to_resample(j.confusion) else [m for m in some if not is_share(m, j.use)]
        for j, some in zip(judgements, metrics, strict=True)
    ]
    if not resamples or not any(chosen):
        return [None] * len(chosen)
    if unit is not None or system.shown[0].use.samples.weights is not None:
        if system.shown[0].use.samples.copies is not None:
            pairs = zip(judgements, chosen, strict=True)
            return [
                resampled_decisions(j, some, j.unit(unit), resampling, progress)
                for j, some in pairs
            ]
        plan = system.resampling(unit, seed)
        found = replicate(system.count_statistics(chosen), plan, resamples, progress)
        return [found] * len(chosen)
    out: list[Replicates | None] = []
    for j, some in zip(judgements, chosen, strict=True):
        given = None if j.use.samples.priors_from_data else j.use.samples.priors
        out.append(
            replicate_counts(j.confusion, some, given, resamples, seed, f"{j.use.name}.")
            if some
            else None
        )
        if progress is not None:
            progress(len(out) * resamples, len(chosen) * resamples)
    return out


def error_counts(decisions: ApplicationDecisions) -> dict[str, int]:
    """Return how many samples got the answer of another class."""
    samples = decisions.use.samples
    return count_errors(decisions.use.costs, samples.y, decisions.indices, samples.copies)


def _own_point(least: MinimumCost, samples: Samples, use: ApplicationSamples) -> OperatingPoint:
    """Return the best threshold on the scores at the priors of the application."""
    cut = least.point.threshold
    if math.isinf(cut) or use.samples.scores is samples.scores:
        return least.point
    below = use.samples.scores.ranks()[samples.scores.ranks() <= cut]
    return replace(least.point, threshold=float(below.max()))


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
    decisions: ApplicationDecisions, level: float, unit: IntArray | None = None
) -> Estimate | None:
    """Return how often a decision is made that is no class, where there is one such decision."""
    costs = decisions.use.costs
    extra = [j for j, name in enumerate(costs.decisions) if name not in costs.classes]
    if len(extra) != 1 or len(costs.decisions) != len(costs.classes) + 1:
        return None
    return share_of_decision(decisions, extra[0], level, unit)


def calibration_errors_of(
    system: System, samples: Samples, unit: IntArray | None
) -> dict[str, CalibrationError]:
    """Return the binned calibration errors; what chance makes of them needs single samples."""
    errors = binned_errors(samples)
    if system.of_all is not None:
        errors |= system.of_all.errors
    if unit is None:
        return errors
    return {name: error.without_interval(_GROUPED) for name, error in errors.items()}


def class_results(
    system: System, level: float, unit: IntArray | None = None
) -> tuple[ClassResult, ...]:
    """Return what is lost on each class that occurs."""
    decisions, entropy = system.shown[0], system.entropy
    grouping = Grouping.of(decisions, unit)
    counts = decisions.use.samples.counts
    costs: Grouped | None = None
    losses: Grouped | None = None
    if grouping is not None:
        costs = _grouped(grouping.samples, decisions.losses(), grouping.unit)
        losses = _grouped_entropy(system, unit)
    out = []
    for k, name in enumerate(decisions.use.samples.classes):
        if counts[k]:
            square = decisions.use.square
            recall = class_share(decisions.confusion, k, level, grouping) if square else None
            out.append(
                ClassResult(
                    name,
                    int(counts[k]),
                    float(decisions.cost.priors[k]),
                    _mean(decisions.cost, k, level, costs),
                    _mean(entropy, k, level, losses),
                    recall,
                )
            )
    return tuple(out)


def _grouped(samples: Samples, losses: FloatArray, unit: IntArray) -> Grouped:
    """Return how groups enter an expected loss of these samples."""

    def applied(record: ExpectedLoss) -> ExpectedLoss:
        at = replace(samples, priors=record.priors, priors_from_data=record.priors_from_data)
        return by_groups(record, at, losses, unit)

    return applied


def _grouped_entropy(system: System, unit: IntArray | None) -> Grouped | None:
    """Return how groups enter the cross-entropy."""
    rule, known = LogLoss(), system.of_all
    if known is not None and rule in known.groups:
        return known.groups[rule].applied
    samples = system.decisions[0].use.samples
    return None if unit is None else _grouped(samples, sample_losses(rule, samples), unit)


def _mean(loss: ExpectedLoss, k: int, level: float, grouped: Grouped | None) -> Estimate:
    """Return the mean loss of one class."""
    alone = np.zeros(len(loss.classes))
    alone[k] = 1
    value = float(loss.losses.mean[k])
    record = replace(loss, value=value, priors=alone, priors_from_data=False)
    return value_of(record if grouped is None else grouped(record), level)


def rounding_notes(read: Mapping[str, Samples]) -> list[str]:
    """Say for each system by name whether the rows of its scores were rounded, and to what."""
    found = {name: samples.scores.rounding for name, samples in read.items()}
    return [f"{name}: {r}" if name else str(r) for name, r in found.items() if r is not None]
