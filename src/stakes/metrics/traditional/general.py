"""Metrics of any number of classes: error rates, accuracies, the Matthews correlation."""

__all__ = ["Accuracy", "BalancedAccuracy", "BalancedErrorRate", "ErrorRate", "Matthews"]

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np

from stakes._check import UndefinedMetricError
from stakes._kernels.definitions import sweeps as formulas
from stakes._kernels.definitions.sweeps import ratio
from stakes._kernels.sweeps import swept_matthews
from stakes._math import difference_of_products
from stakes._text import quoted
from stakes._typing import BoolArray, FloatArray
from stakes.costs import CostMatrix
from stakes.metrics.traditional.base import (
    AtLevels,
    Binary,
    DecisionMetric,
    require_binary,
    require_square,
)
from stakes.results import Direction, MetricValue, Undefined
from stakes.statistics import ConfusionCounts

_EMPTY = Undefined("zero_over_zero", "0/0")


@dataclass(frozen=True)
class ErrorRate(DecisionMetric):
    """Share of samples decided wrongly (eq:acc2): the expected cost of 0-1 costs."""

    name = "error rate"
    better: ClassVar[Direction] = "lower"
    formula = "sum of N_ij over i != j, over N"
    relation = "error rate = (1 - largest prior) * NEC"
    rewards = "Nothing else, but it forgets rare classes: each counts as much as it is frequent."

    def of(self, counts: ConfusionCounts) -> MetricValue:
        require_square(counts, self.name)
        wrong = _share(counts, counts.row != counts.column)
        return self._record(wrong, self.costs(counts).naive(counts.priors)[1], _EMPTY)

    def values(self, n: Binary) -> FloatArray:
        """Return the metric for arrays of the four counts of two classes."""
        n = n.level()
        return ratio(n.n12 + n.n21, n.n1 + n.n2)

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.zero_one(counts.classes)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        return normalized * self.costs(counts).naive(counts.priors)[1]

    def exchange_rate(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        return 1.0


@dataclass(frozen=True)
class Accuracy(ErrorRate):
    """Share of samples decided rightly: 1 minus the error rate."""

    name = "accuracy"
    better = "higher"
    formula = "sum of N_ii over N"
    relation = "accuracy = 1 - (1 - largest prior) * NEC"

    def of(self, counts: ConfusionCounts) -> MetricValue:
        require_square(counts, self.name)
        right = _share(counts, counts.row == counts.column)
        return self._record(right, float(counts.priors.max()), _EMPTY)

    def values(self, n: Binary) -> FloatArray:
        """Return the metric for arrays of the four counts of two classes."""
        n = n.level()
        return ratio(n.n11 + n.n22, n.n1 + n.n2)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        return 1 - super().from_normalized_cost(normalized, counts)


@dataclass(frozen=True)
class BalancedErrorRate(DecisionMetric):
    """Mean of the error rates of the classes (eq:balacc2): the expected cost of costs 1/(K P_i)."""

    name = "balanced error rate"
    better: ClassVar[Direction] = "lower"
    formula = "mean over classes of the share decided wrongly"
    relation = "balanced error rate = (1 - 1/K) * NEC"
    rewards = (
        "Nothing else, but it decides for you that an error on a class half as frequent costs "
        "twice as much."
    )

    def of(self, counts: ConfusionCounts) -> MetricValue:
        return self._record(self._mean(counts, right=False), 1 - 1 / len(counts.classes), _EMPTY)

    def values(self, n: Binary) -> FloatArray:
        """Return the metric for arrays of the four counts of two classes."""
        return (ratio(n.n12, n.n1) + ratio(n.n21, n.n2)) / 2

    def _mean(self, counts: ConfusionCounts, *, right: bool) -> float:
        """Mean over classes of the share decided rightly, or wrongly."""
        require_square(counts, self.name)
        if not counts.class_weight.all():
            bare = quoted([counts.classes[int(counts.class_weight.argmin())]])
            rule = "needs samples of every class"
            raise UndefinedMetricError(self.name, rule, found=f"class {bare} has none")
        kept = (counts.row == counts.column) == right
        shares = (counts.weight / counts.class_weight[counts.row])[kept]
        return math.fsum(shares) / len(counts.classes)

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.balanced(counts.classes, counts.priors)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        return normalized * (1 - 1 / len(counts.classes))

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        return float(ratio(counts.priors[0], counts.priors[-1]))


@dataclass(frozen=True)
class BalancedAccuracy(BalancedErrorRate):
    """Mean of the recalls of the classes: 1 minus the balanced error rate."""

    name = "balanced accuracy"
    better = "higher"
    formula = "mean over classes of the share decided rightly"
    relation = "balanced accuracy = 1 - (1 - 1/K) * NEC"

    def of(self, counts: ConfusionCounts) -> MetricValue:
        return self._record(self._mean(counts, right=True), 1 / len(counts.classes), _EMPTY)

    def values(self, n: Binary) -> FloatArray:
        """Return the metric for arrays of the four counts of two classes."""
        return (ratio(n.n11, n.n1) + ratio(n.n22, n.n2)) / 2

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        return 1 - super().from_normalized_cost(normalized, counts)


@dataclass(frozen=True)
class Matthews(DecisionMetric):
    """Matthews correlation of classes and decisions; after Gorodkin for more than two classes."""

    name = "Matthews correlation"
    better = "higher"
    formula = "(N_11 N_22 - N_12 N_21) / sqrt(N_1* N_2* N_*1 N_*2)"
    relation = "MCC = sqrt(P_1 P_2 / (R_*1 R_*2)) * (1 - NEC), with costs 1/P_i"
    rewards = (
        "Lopsided decisions: of two systems with the same balanced cost, the one that gives one "
        "answer more often scores higher, even on balanced data."
    )

    def of(self, counts: ConfusionCounts) -> MetricValue:
        """Return the value for these counts, in exact arithmetic but for the last root."""
        require_square(counts, self.name)
        rows, columns, right = _exact_margins(counts)
        total = sum(rows)
        above = right * total - sum(t * p for t, p in zip(rows, columns, strict=True))
        below = total**2 - sum(t * t for t in rows), total**2 - sum(p * p for p in columns)
        reason = Undefined("zero_margin", "all samples have one class or all got one decision")
        if not all(below):
            return self._record(math.nan, 0.0, reason)
        value = math.copysign(_root(Fraction(above**2) / (below[0] * below[1])), above)
        return self._record(value, 0.0, reason)

    def values(self, n: Binary) -> FloatArray:
        """Return the correlation for the four counts of two classes, or arrays of them."""
        if isinstance(n, AtLevels):
            return swept_matthews(n.at)
        n = n.level()
        return formulas.matthews(n.n11, n.n12, n.n21, n.n22)

    def of_margins(self, rows: FloatArray, columns: FloatArray, right: FloatArray) -> FloatArray:
        """Return the correlation of many tables: sums by class and decision, and what is right.

        NaN where it is undefined; a few units in the last place from `of`.
        """
        total = rows.sum(axis=1)
        above = right * total - (rows * columns).sum(axis=1)
        below = [np.square(total) - np.square(m).sum(axis=1) for m in (rows, columns)]
        alike = [np.count_nonzero(m, axis=1) < 2 for m in (rows, columns)]
        with np.errstate(invalid="ignore", divide="ignore"):
            found = above / np.sqrt(below[0] * below[1])
        return np.where(alike[0] | alike[1], np.nan, found)

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.balanced(counts.classes, counts.priors)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        """Return the metric from the normalised expected cost (eq:mcc); for two classes."""
        require_binary(counts, "the identity of the Matthews correlation with the NEC")
        p, r = counts.priors, counts.decision_rates
        return float(ratio(math.sqrt(p[0] * p[1]), math.sqrt(r[0] * r[1]))) * (1 - normalized)

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        n = Binary.of(counts).level()
        determinant = difference_of_products(n.n11, n.n22, n.n12, n.n21)
        with np.errstate(invalid="ignore"):  # NaN where a decision was never made
            tilt = determinant / 2 * (ratio(1.0, n.n11 + n.n21) - ratio(1.0, n.n12 + n.n22))
        return float(ratio(n.n1 + tilt, n.n2 - tilt))


def _share(counts: ConfusionCounts, kept: BoolArray) -> float:
    """Share of the weight that lies in some cells."""
    level = counts.aligned
    return math.fsum(level[kept]) / math.fsum(level)


def _root(exact: Fraction) -> float:
    """Return the square root of an exact number, however small it is."""
    shift = (exact.denominator.bit_length() - exact.numerator.bit_length()) // 2
    return math.ldexp(math.sqrt(exact * Fraction(4) ** shift), -shift)


def _exact_margins(
    counts: ConfusionCounts,
) -> tuple[list[Fraction | int], list[Fraction | int], Fraction | int]:
    """Return the sums of rows and columns and the trace as exact numbers."""
    rows: list[Fraction | int] = [0] * len(counts.classes)
    columns: list[Fraction | int] = [0] * len(counts.classes)
    right: Fraction | int = 0
    whole = counts.weight.dtype.kind == "i"
    level = counts.weight if whole else counts.aligned
    for i, j, cell in zip(counts.row, counts.column, level.tolist(), strict=True):
        exact = cell if whole else Fraction(cell)
        rows[i] += exact
        columns[j] += exact
        right += exact if i == j else 0
    return rows, columns, right
