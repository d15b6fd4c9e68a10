"""Shares of samples that got a decision, each with an interval in closed form."""

from dataclasses import dataclass, replace

import numpy as np

from stakes._math import times
from stakes._quantiles import normal, student, wilson
from stakes._text import number
from stakes._typing import FloatArray, IntArray
from stakes.class_losses import ClassLosses
from stakes.costs import CostMatrix
from stakes.evaluation.applications import ApplicationSamples
from stakes.evaluation.loss_results import value_of
from stakes.evaluation.systems import ApplicationDecisions
from stakes.intervals import by_groups
from stakes.metrics import (
    Accuracy,
    BalancedAccuracy,
    ConfusionMatrix,
    DecisionMetric,
    Precision,
    Sensitivity,
    Specificity,
)
from stakes.results import FEWEST_GROUPS, FEWEST_OF_CLASS, Estimate, ExpectedLoss, Interval
from stakes.samples import Samples
from stakes.statistics.group_effects import design_effect

WILSON = "Wilson"


@dataclass(frozen=True, eq=False)
class Grouping:
    """The samples behind a table of decisions, where they come in groups."""

    samples: Samples
    decided: IntArray
    unit: IntArray

    @property
    def groups(self) -> int:
        """How many groups there are."""
        return int(np.unique(self.unit).size)

    @classmethod
    def of(cls, decisions: ApplicationDecisions, unit: IntArray | None) -> "Grouping | None":
        """Return the groups of decisions, if there are any."""
        unit = decisions.unit(unit)
        return None if unit is None else cls(decisions.use.samples, decisions.indices, unit)

    def size(self, members: FloatArray, hits: FloatArray, size: float) -> float:
        """Return how many independent samples a share of some members is worth."""
        w = np.ones(members.size) if self.samples.weights is None else self.samples.weights
        copies = self.samples.copies
        total = float(times(w * members, copies).sum())
        share = float(times(w * members * hits, copies).sum()) / total
        if share in (0.0, 1.0):  # no spread that could show how alike a group is
            return float(min(size, np.unique(self.unit[members > 0]).size))
        own = w * members
        influence = own * (hits - share) / total
        return size / design_effect(influence, self.unit, own, copies=copies)


def rate_estimate(
    metric: DecisionMetric,
    confusion: ConfusionMatrix,
    priors: FloatArray | None,
    level: float,
    grouping: Grouping | None = None,
) -> Estimate | None:
    """Return a metric that is a share of samples with its interval; None for other metrics.

    `confusion` counts the samples as they are; `priors` are those of use, if they were given.
    """
    if isinstance(metric, Accuracy | BalancedAccuracy):
        return _accuracy(metric, confusion, priors, level, grouping)
    if isinstance(metric, Sensitivity | Specificity):
        k = 1 if isinstance(metric, Sensitivity) else 0
        return class_share(confusion, k, level, grouping)
    if isinstance(metric, Precision) and priors is None:
        return _precision(confusion, level, grouping)
    return None


def is_share(metric: DecisionMetric, use: ApplicationSamples) -> bool:
    """Whether a metric has an interval in closed form."""
    if isinstance(metric, Precision):
        return use.samples.priors_from_data
    return isinstance(metric, Accuracy | BalancedAccuracy | Sensitivity | Specificity)


def class_share(
    confusion: ConfusionMatrix, k: int, level: float, grouping: Grouping | None
) -> Estimate:
    """Return the share of a class that is decided rightly."""
    size = float(confusion.size[k])
    share = float(confusion.rates[k, k])
    if grouping is not None:
        members, hits = (grouping.samples.y == k), (grouping.decided == k)
        size = grouping.size(members.astype(np.float64), hits.astype(np.float64), size)
    return _wilson(share, size, level, grouping)


def _precision(confusion: ConfusionMatrix, level: float, grouping: Grouping | None) -> Estimate:
    """Return the share of samples decided as the class of interest that belong to it."""
    mine = confusion.column == 1
    weight = confusion.weight[mine].astype(np.float64)
    if not weight.size:
        return Estimate(float("nan"), None, "no sample was decided as the class of interest")
    square = float(confusion.square[mine].sum())
    size = float(weight.sum()) ** 2 / square
    share = float(weight[confusion.row[mine] == 1].sum() / weight.sum())
    if grouping is not None:
        members, hits = (grouping.decided == 1), (grouping.samples.y == 1)
        size = grouping.size(members.astype(np.float64), hits.astype(np.float64), size)
    return _wilson(share, size, level, grouping)


def _wilson(share: float, size: float, level: float, grouping: Grouping | None) -> Estimate:
    """Return Wilson's interval of a share."""
    if grouping is not None and grouping.groups < FEWEST_GROUPS:
        return Estimate(share, None, f"needs {FEWEST_GROUPS} groups: got {grouping.groups}")
    quantile = normal(level) if grouping is None else student(level, grouping.groups - 1)
    low, high = wilson(share, size, quantile)
    method = WILSON if grouping is None else f"{WILSON}, by group"
    return Estimate(share, Interval(low, high, level), method)


def _accuracy(
    metric: DecisionMetric,
    confusion: ConfusionMatrix,
    priors: FloatArray | None,
    level: float,
    grouping: Grouping | None,
) -> Estimate:
    """Return one less the error rate, which is an expected cost."""
    k = len(confusion.classes)
    used = np.full(k, 1 / k) if isinstance(metric, BalancedAccuracy) else priors
    return complement(
        _expected(confusion, CostMatrix.zero_one(confusion.classes), used, level, grouping)
    )


def share_of_decision(
    decisions: ApplicationDecisions, decision: int, level: float, unit: IntArray | None
) -> Estimate:
    """Return how often a decision is made at the priors of use."""
    samples, costs = decisions.use.samples, decisions.use.costs
    column = (np.arange(len(costs.decisions)) == decision).astype(float)
    counted = CostMatrix(
        np.tile(column, (len(costs.classes), 1)), classes=costs.classes, decisions=costs.decisions
    )
    given = None if samples.priors_from_data else samples.priors
    return _expected(decisions.confusion, counted, given, level, Grouping.of(decisions, unit))


def _expected(
    confusion: ConfusionMatrix,
    costs: CostMatrix,
    priors: FloatArray | None,
    level: float,
    grouping: Grouping | None,
) -> Estimate:
    """Return a rate as an expected cost of 0 and 1, any of which can occur."""
    record = _unit_range(confusion.expected_cost(costs, priors))
    if grouping is not None:
        losses = costs.at(grouping.samples.y, grouping.decided)
        record = by_groups(record, _at(grouping.samples, record), losses, grouping.unit)
    return value_of(record, level)


def _at(samples: Samples, record: ExpectedLoss) -> Samples:
    """Return samples at the priors of a record."""
    return replace(samples, priors=record.priors, priors_from_data=record.priors_from_data)


def _unit_range(record: ExpectedLoss) -> ExpectedLoss:
    """Return a rate whose samples may each count or not."""
    n = record.losses.size.size
    losses: ClassLosses = replace(record.losses, low=np.zeros(n), high=np.ones(n))
    return replace(record, losses=losses)


def few_to_resample(confusion: ConfusionMatrix) -> str:
    """Return why metrics of several counts have no interval: few samples vary too little."""
    least = float(confusion.size[confusion.class_weight > 0].min())
    if least >= FEWEST_OF_CLASS:
        return ""
    return f"needs {FEWEST_OF_CLASS} samples of each class: got {number(least)}"


def within_limits(found: Estimate, metric: DecisionMetric) -> Estimate:
    """Return a metric whose interval does not leave the values it can have."""
    if found.interval is None:
        return found
    lowest, highest = metric.limits
    low, high = max(found.interval.low, lowest), min(found.interval.high, highest)
    return replace(found, interval=Interval(low, high, found.interval.level))


def complement(rate: Estimate) -> Estimate:
    """Return one minus a rate."""
    band = rate.interval
    turned = None if band is None else Interval(1 - band.high, 1 - band.low, band.level)
    return Estimate(1 - rate.value, turned, rate.method)
