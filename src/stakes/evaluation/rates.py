"""Counts and shares of samples that got a decision, and traditional metrics, with intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Self

import numpy as np

from stakes._typing import Counts, FloatArray, IntArray
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.inference.law import FEWEST_GROUPS, Problem
from stakes.metrics import (
    Accuracy,
    BalancedAccuracy,
    ConfusionMatrix,
    DecisionMetric,
    Explanation,
    Sensitivity,
    Specificity,
)
from stakes.metrics.decision_tables import DecisionTable
from stakes.results import Estimate, Interval

_MOST_CLASSES = 1000  # up to which a table of costs is laid out


def count_errors(
    costs: CostMatrix | SampleCosts, y: IntArray, decided: IntArray, number: Counts | None = None
) -> dict[str, int]:
    """Return how many samples got the answer of another class: misses and false alarms, or errors.

    An answer is a decision that is the cheapest for some class; to abstain is none. `number` says
    how many samples each pair of class and decision stands for.
    """
    own, square = np.arange(len(costs.classes)), costs.decisions == costs.classes
    if isinstance(costs, CostMatrix) and own.size <= _MOST_CLASSES:
        right = costs.values.argmin(axis=1)
        known = len(set(right.tolist())) == right.size
    else:  # the decision of a class's own name, or place
        right = own
        known = square or (isinstance(costs, SampleCosts) and len(costs.decisions) >= own.size)
    if not known:
        return {}
    wrong = np.isin(decided, right) & (decided != right[y])
    each = wrong.astype(np.float64) if number is None else wrong * number
    if len(costs.classes) > 2:
        return {"errors": round(each.sum())}
    return {"misses": round(each[y == 1].sum()), "false alarms": round(each[y == 0].sum())}


def is_share(metric: DecisionMetric) -> bool:
    """Whether a metric is a share of the samples of each class."""
    return isinstance(metric, Accuracy | BalancedAccuracy | Sensitivity | Specificity)


@dataclass(frozen=True, eq=False)
class DecisionShares:
    """Shares of counted samples, with intervals that take whole groups where samples have any."""

    confusion: ConfusionMatrix  # of the samples as they are
    priors: FloatArray | None  # those of use, if they were given
    level: float
    decisions: ApplicationDecisions | None = None  # of an application

    @classmethod
    def from_decisions(cls, decisions: ApplicationDecisions, level: float) -> Self:
        """Return the shares of the decisions of an application."""
        return cls(decisions.confusion, decisions.samples.given_priors, level, decisions)

    def metric(self, metric: DecisionMetric) -> Estimate:
        """Return a metric that is a share of samples."""
        confusion = self.confusion
        if isinstance(metric, Sensitivity | Specificity):
            return self.of_class(int(isinstance(metric, Sensitivity)))
        k = len(confusion.classes)
        used = np.full(k, 1 / k) if isinstance(metric, BalancedAccuracy) else self.priors
        rate = self.expected(CostMatrix.zero_one(confusion.classes), used)
        return _mirrored(rate, 1 - rate.value)

    def others(self, metrics: Sequence[DecisionMetric]) -> list[Estimate]:
        """Return metrics that are no shares, with their intervals."""
        bands = likelihood_intervals(self.table.problem(metrics), self.level)
        return [
            _within(metric, _inverse(band) if self.table.inverts(metric) else band)
            for metric, band in zip(metrics, bands, strict=True)
        ]

    @cached_property
    def table(self) -> DecisionTable:
        """The rows that the decisions were made of."""
        decisions = self.decisions
        if decisions is None:
            return DecisionTable.from_counts(self.confusion, self.priors)
        return decisions.table

    def of_class(self, k: int) -> Estimate:
        """Return the share of a class that is decided rightly."""
        priors = np.zeros(len(self.confusion.classes))
        priors[k] = 1
        wrong = (self.table.decided != self.table.y).astype(np.float64)
        return _mirrored(self._rate(wrong, priors), float(self.confusion.rates[k, k]))

    def expected(self, costs: CostMatrix, priors: FloatArray | None) -> Estimate:
        """Return a rate as an expected cost of 0 and 1, any of which can occur."""
        value = self.confusion.expected_cost(costs, priors).value
        return with_value(self._rate(costs.at(self.table.y, self.table.decided), priors), value)

    def _rate(self, loss: FloatArray, priors: FloatArray | None) -> Estimate:
        """Return the mean of a loss of 0 or 1."""
        zero = np.zeros(len(self.confusion.classes))
        rows = self.table.losses(loss, zero).between(zero, zero + 1)
        return likelihood_intervals(rows.problem(priors), self.level)[0]


def _mirrored(rate: Estimate, value: float) -> Estimate:
    """Return one minus a rate."""
    band = rate.interval
    turned = None if band is None else Interval(1 - band.high, 1 - band.low, band.level)
    return with_value(Estimate(value, turned, rate.method), value)


def likelihood_intervals(problem: Problem, level: float) -> list[Estimate]:
    """Return the numbers of a problem with their intervals, or why there is none."""
    values, groups = problem.values.tolist(), problem.cells.groups
    if groups is not None and groups[0] < FEWEST_GROUPS:
        why = f"needs {FEWEST_GROUPS} groups: got {groups[0]:g}"
        return [Estimate(value, None, why) for value in values]
    method = "likelihood" if groups is None else "likelihood, by group"
    ends = problem.intervals(level).tolist()
    return [
        with_value(Estimate(value, Interval(low, high, level), method), value)
        for value, (low, high) in zip(values, ends, strict=True)
    ]


def with_value(found: Estimate, value: float) -> Estimate:
    """Return an estimate with its value as shown, which its interval includes."""
    band = found.interval
    if band is not None:  # the unseen row or rounding may have left it out
        band = Interval(min(band.low, value), max(band.high, value), band.level)
    return Estimate(value, band, found.method)


def _inverse(found: Estimate) -> Estimate:
    """Return 1 over an estimate that is not negative."""
    if found.interval is None:
        return found
    low, high, level = found.interval.low, found.interval.high, found.interval.level
    return replace(found, interval=Interval(1 / high, 1 / low if low > 0 else math.inf, level))


def _within(metric: DecisionMetric, found: Estimate) -> Estimate:
    """Return an estimate whose interval does not leave the values that a metric can have."""
    if found.interval is None:
        return found
    (least, most), band = metric.limits, found.interval
    inner = Interval(max(band.low, least), min(band.high, most), band.level)
    return replace(found, interval=inner)


def metric_estimates(
    shares: DecisionShares, explained: Sequence[tuple[DecisionMetric, Explanation]]
) -> dict[str, Estimate]:
    """Return traditional metrics with intervals."""
    known = [(metric, e.value) for metric, e in explained if e.value is not None]
    others = [m for m, value in known if value.undefined is None and not is_share(m)]
    bands = iter(shares.others(others) if others else ())
    out = {}
    for metric, value in known:
        if value.undefined is not None:
            out[value.name] = Estimate(value.value, None, value.undefined.text)
        else:
            found = shares.metric(metric) if is_share(metric) else next(bands)
            out[value.name] = with_value(found, value.value)
    return out


def abstention_rate(shares: DecisionShares, costs: CostMatrix | SampleCosts) -> Estimate | None:
    """Return how often the decision is made that is no class, at the priors of use, if any is."""
    extra = [name not in costs.classes for name in costs.decisions]
    if sum(extra) != 1 or len(costs.decisions) != len(costs.classes) + 1:
        return None
    table = np.tile(np.array(extra, dtype=float), (len(costs.classes), 1))
    counted = CostMatrix(table, classes=costs.classes, decisions=costs.decisions)
    return shares.expected(counted, shares.priors)
