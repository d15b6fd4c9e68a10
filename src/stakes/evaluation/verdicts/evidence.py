"""What sentences are gated by, beyond the numbers shown: intervals at other levels, and tests."""

import math
from dataclasses import dataclass

import numpy as np

from stakes._text import plain
from stakes._typing import FloatArray, Label
from stakes.evaluation.differences import LossColumn
from stakes.evaluation.findings import ApplicationResult
from stakes.evaluation.systems import ApplicationDecisions, System
from stakes.evaluation.verdicts.reversal import class_areas
from stakes.evaluation.verdicts.small_samples import Groups
from stakes.evaluation.verdicts.usefulness import CostClaim
from stakes.intervals import by_groups
from stakes.metrics.expected_losses import sample_losses
from stakes.metrics.paired import PairedDifference
from stakes.results import Estimate, ExpectedLoss
from stakes.samples import Samples
from stakes.statistics.group_effects import effective_groups, effective_samples


@dataclass(frozen=True, eq=False)
class Evidence:
    """The claims about a system in some applications, in their order."""

    costs: tuple[CostClaim, ...]
    rule_gain: PairedDifference | None  # of the first scoring rule, uncalibrated less calibrated
    class_areas: dict[Label, Estimate]  # AUC of each class, corrected for how many there are
    units: float  # how many samples, or groups, vary independently
    groups: Groups | None = None


def evidence_of(system: System, results: tuple[ApplicationResult, ...], level: float) -> Evidence:
    """Return what the verdicts on a system rest on."""
    every, samples = system.decisions_of_all, system.samples
    gains: list[PairedDifference | None] = [None] * len(every)
    rule_gain = None
    if system.stage is not None:
        gains = [
            paired(before.losses(), after.losses(), before.samples, before.largest_difference())
            for before, after in zip(system.decisions, system.calibrated_decisions, strict=True)
        ]
        for rule in system.rules[:1]:
            later = sample_losses(rule, system.calibrated)
            rule_gain = paired(sample_losses(rule, samples), later, samples)
    return Evidence(
        costs=tuple(
            CostClaim(
                a.cost.raw,
                a.cost.normalized,
                naive_p_value(decisions, a.cost.normalized),
                f"{plain(a.name)}: " if len(results) > 1 else "",
                _errors(decisions),
                gain,
            )
            for a, decisions, gain in zip(results, every, gains, strict=True)
        ),
        rule_gain=rule_gain,
        class_areas=class_areas(samples, level),
        units=effective_units(every[0].samples),
        groups=Groups.from_samples(every[0].samples),
    )


def naive_p_value(decisions: ApplicationDecisions, shown: Estimate) -> float:
    """Return the p-value of costing as much as the best constant answer, on the same samples.

    To cost less than the best of them is to cost less than each: the largest p-value counts.
    NaN where the interval shown includes 1, so that no test is needed.
    """
    cost, samples = decisions.cost, decisions.samples
    if cost.undefined is not None or shown.interval is None or 1 in shown.interval:
        return math.nan  # the interval has decided
    others = [decisions.naive()]
    if cost.normalized < 1:  # less than each: another may be best in the population
        others += [decisions.use.constant(rival.decision) for rival in cost.rivals]
    losses, largest = decisions.losses(), decisions.largest_difference()
    found = [paired(losses, other, samples, largest) for other in others]
    return max((math.nan if f is None else f.p_value) for f in found)


def _errors(decisions: ApplicationDecisions) -> ExpectedLoss | None:
    """Return the error rate, where decisions are classes."""
    if not decisions.use.square:
        return None
    samples = decisions.samples
    rate = decisions.confusion.expected_cost(None, samples.given_priors)
    wrong = (decisions.indices != samples.y).astype(np.float64)
    return by_groups(rate, samples, wrong)


def paired(
    before: FloatArray, after: FloatArray, samples: Samples, largest: FloatArray | None = None
) -> PairedDifference | None:
    """Return the expected loss before less that after, on the same samples."""
    if not (np.isfinite(before).all() and np.isfinite(after).all()):
        return None
    return LossColumn(samples, before, largest=largest).minus(LossColumn(samples, after))


def effective_units(samples: Samples) -> float:
    """Return how many equal samples, or groups if all samples of a group are alike, are as precise.

    The shares of classes of groups of unequal size vary as those of this many samples.
    """
    mass = samples.mass
    if samples.groups is not None:
        return effective_groups(samples.groups, np.ones(len(samples)) if mass is None else mass)
    if samples.weights is None:
        return float(samples.n)
    return effective_samples(samples.weights, samples.copies)
