"""Counts and shares of samples that got a decision, and traditional metrics, with intervals."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Self

import numpy as np

from stakes._quantiles import normal, student, wilson
from stakes._text import key_of, number
from stakes._typing import Counts, FloatArray, IntArray
from stakes.costs import CostMatrix, SampleCosts
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.intervals import Replicates, by_groups, effective_size
from stakes.metrics import (
    Accuracy,
    BalancedAccuracy,
    ConfusionMatrix,
    DecisionMetric,
    Explanation,
    Precision,
    Sensitivity,
    Specificity,
)
from stakes.results import FEWEST_GROUPS, FEWEST_OF_CLASS, Estimate, Interval, value_of
from stakes.samples import Samples

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


def has_closed_form(metric: DecisionMetric, *, priors_from_data: bool) -> bool:
    """Whether a metric is a share of samples, whose interval has a closed form."""
    if isinstance(metric, Precision):
        return priors_from_data
    return isinstance(metric, Accuracy | BalancedAccuracy | Sensitivity | Specificity)


def few_to_resample(confusion: ConfusionMatrix) -> str:
    """Return why metrics of several counts have no interval: few samples vary too little."""
    least = float(confusion.size[confusion.class_weight > 0].min())
    if least >= FEWEST_OF_CLASS:
        return ""
    return f"needs {FEWEST_OF_CLASS} samples of each class: got {number(least)}"


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

    @property
    def _grouped(self) -> ApplicationDecisions | None:
        """The decisions, where samples come in groups."""
        decisions = self.decisions
        return None if decisions is None or decisions.samples.groups is None else decisions

    def metric(self, metric: DecisionMetric) -> Estimate:
        """Return a metric that is a share of samples."""
        confusion = self.confusion
        if isinstance(metric, Sensitivity | Specificity):
            return self.of_class(int(isinstance(metric, Sensitivity)))
        if isinstance(metric, Precision):
            mine = confusion.column == 1
            weight = confusion.weight[mine].astype(np.float64)
            size = float(weight.sum()) ** 2 / float(confusion.square[mine].sum())
            share = float(weight[confusion.row[mine] == 1].sum() / weight.sum())
            if (d := self._grouped) is not None:
                size = _effective(d.samples, d.indices == 1, d.samples.y == 1, size)
            return self._wilson(share, size)
        k = len(confusion.classes)
        used = np.full(k, 1 / k) if isinstance(metric, BalancedAccuracy) else self.priors
        rate = self.expected(CostMatrix.zero_one(confusion.classes), used)
        band = rate.interval
        turned = None if band is None else Interval(1 - band.high, 1 - band.low, band.level)
        return Estimate(1 - rate.value, turned, rate.method)

    def of_class(self, k: int) -> Estimate:
        """Return the share of a class that is decided rightly."""
        size, share = float(self.confusion.size[k]), float(self.confusion.rates[k, k])
        if (d := self._grouped) is not None:
            size = _effective(d.samples, d.samples.y == k, d.indices == k, size)
        return self._wilson(share, size)

    def expected(self, costs: CostMatrix, priors: FloatArray | None) -> Estimate:
        """Return a rate as an expected cost of 0 and 1, any of which can occur."""
        record = self.confusion.expected_cost(costs, priors)
        n = record.losses.size.size
        record = replace(record, losses=replace(record.losses, low=np.zeros(n), high=np.ones(n)))
        if (d := self._grouped) is not None:
            record = by_groups(record, d.samples, costs.at(d.samples.y, d.indices))
        return value_of(record, self.level)

    def _wilson(self, share: float, size: float) -> Estimate:
        quantile, method, level = normal(self.level), "Wilson", self.level
        codes = None if self.decisions is None else self.decisions.samples.groups
        if codes is not None:
            groups = int(np.unique(codes).size)
            if groups < FEWEST_GROUPS:
                return Estimate(share, None, f"needs {FEWEST_GROUPS} groups: got {groups}")
            quantile, method = student(level, groups - 1), "Wilson, by group"
        low, high = wilson(share, size, quantile)
        return Estimate(share, Interval(low, high, level), method)


def _effective(samples: Samples, members: np.ndarray, hits: np.ndarray, size: float) -> float:
    """Return how many independent samples a share of some members is worth, with groups."""
    assert samples.groups is not None  # noqa: S101  they come in groups
    own = members * (np.ones(len(samples)) if samples.weights is None else samples.weights)
    return effective_size(own, hits, samples.groups, size, samples.copies)


def metric_estimates(
    shares: DecisionShares,
    explained: Sequence[tuple[DecisionMetric, Explanation]],
    drawn: Replicates | None,
    undrawn: str,  # why some were not resampled
) -> dict[str, Estimate]:
    """Return traditional metrics with intervals: in closed form for shares, else resampled."""
    out, few = {}, few_to_resample(shares.confusion) if explained else ""
    level, from_data = shares.level, shares.priors is None
    prefix = "" if shares.decisions is None else f"{shares.decisions.use.name}."
    for metric, explanation in explained:
        if explanation.value is None:
            continue
        name, value = explanation.value.name, explanation.value.value
        full = f"{prefix}{key_of(name)}"
        if explanation.value.undefined is not None:
            out[name] = Estimate(value, None, explanation.value.undefined.text)
        elif has_closed_form(metric, priors_from_data=from_data) and math.isfinite(value):
            out[name] = replace(shares.metric(metric), value=value)
        elif few:
            out[name] = Estimate(value, None, few)
        elif drawn is None or full not in drawn.names:
            out[name] = Estimate(value, None, undrawn)
        else:
            out[name] = found = drawn.estimate(full, level, value)
            if found.interval is not None:  # it does not leave the values the metric can have
                low = max(found.interval.low, metric.limits[0])
                high = min(found.interval.high, metric.limits[1])
                out[name] = replace(found, interval=Interval(low, high, level))
    return out


def abstention_rate(shares: DecisionShares, costs: CostMatrix | SampleCosts) -> Estimate | None:
    """Return how often the decision is made that is no class, at the priors of use, if any is."""
    extra = [name not in costs.classes for name in costs.decisions]
    if sum(extra) != 1 or len(costs.decisions) != len(costs.classes) + 1:
        return None
    table = np.tile(np.array(extra, dtype=float), (len(costs.classes), 1))
    counted = CostMatrix(table, classes=costs.classes, decisions=costs.decisions)
    return shares.expected(counted, shares.priors)
