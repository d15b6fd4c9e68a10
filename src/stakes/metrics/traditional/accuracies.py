"""Shares of samples decided rightly or wrongly, for any number of classes."""

__all__ = ["Accuracy", "BalancedAccuracy", "BalancedErrorRate", "ErrorRate"]

import math
from typing import ClassVar, Self

from stakes._check import UndefinedMetricError
from stakes._text import quoted
from stakes._typing import FloatArray
from stakes.costs import CostMatrix
from stakes.metrics.traditional.decision_metric import (
    DecisionMetric,
    FourCounts,
    ratio,
    require_square,
)
from stakes.results import Direction, MetricValue, Undefined
from stakes.statistics import ConfusionCounts

_EMPTY = Undefined("zero_over_zero", "0/0")


class ErrorRate(DecisionMetric):
    """Share of samples decided wrongly (eq:acc2): the expected cost of 0-1 costs."""

    better: ClassVar[Direction] = "lower"
    formula = "sum of N_ij over i != j, over N"
    relation = "error rate = (1 - largest prior) * NEC"
    rewards = "Nothing else, but it forgets rare classes: each counts as much as it is frequent."
    in_reports = False

    @property
    def _right(self) -> bool:
        """Whether samples decided rightly are counted."""
        return self.better == "higher"

    def evaluate(self, counts: ConfusionCounts) -> MetricValue:
        require_square(counts, self.name)
        level = counts.aligned
        share = math.fsum(level[(counts.row == counts.column) == self._right]) / math.fsum(level)
        naive = counts.priors.max() if self._right else self.costs(counts).naive(counts.priors)[1]
        return self._record(share, naive, _EMPTY)

    def values(self, n: FourCounts) -> FloatArray:
        n = n.level()
        return ratio(n.n11 + n.n22 if self._right else n.n12 + n.n21, n.n1 + n.n2)

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.zero_one(counts.classes)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        wrong = normalized * self.costs(counts).naive(counts.priors)[1]
        return 1 - wrong if self._right else wrong

    def exchange_rate(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        return 1.0


class Accuracy(ErrorRate):
    """Share of samples decided rightly: 1 minus the error rate."""

    better: ClassVar[Direction] = "higher"
    formula = "sum of N_ii over N"
    relation = "accuracy = 1 - (1 - largest prior) * NEC"

    @classmethod
    def for_report(cls, counts: ConfusionCounts, costs: CostMatrix | None) -> Self | None:  # noqa: ARG003
        """Return the metric, which needs no samples of every class."""
        return cls()


class BalancedErrorRate(ErrorRate):
    """Mean of the error rates of the classes (eq:balacc2): the expected cost of costs 1/(K P_i)."""

    formula = "mean over classes of the share decided wrongly"
    relation = "balanced error rate = (1 - 1/K) * NEC"
    rewards = (
        "Nothing else, but it decides for you that an error on a class half as frequent costs "
        "twice as much."
    )

    def evaluate(self, counts: ConfusionCounts) -> MetricValue:
        require_square(counts, self.name)
        k = len(counts.classes)
        if not counts.class_weight.all():
            bare = quoted([counts.classes[int(counts.class_weight.argmin())]])
            rule = "needs samples of every class"
            raise UndefinedMetricError(self.name, rule, found=f"class {bare} has none")
        kept = (counts.row == counts.column) == self._right
        shares = (counts.weight / counts.class_weight[counts.row])[kept]
        return self._record(math.fsum(shares) / k, 1 / k if self._right else 1 - 1 / k, _EMPTY)

    def values(self, n: FourCounts) -> FloatArray:
        first, second = (n.n11, n.n22) if self._right else (n.n12, n.n21)
        return (ratio(first, n.n1) + ratio(second, n.n2)) / 2

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.balanced(counts.classes, counts.priors)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        wrong = normalized * (1 - 1 / len(counts.classes))
        return 1 - wrong if self._right else wrong

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        return float(ratio(counts.priors[0], counts.priors[-1]))


class BalancedAccuracy(BalancedErrorRate):
    """Mean of the recalls of the classes: 1 minus the balanced error rate."""

    better: ClassVar[Direction] = "higher"
    formula = "mean over classes of the share decided rightly"
    relation = "balanced accuracy = 1 - (1 - 1/K) * NEC"
    in_reports = True
