"""Metrics of any number of classes: shares decided rightly or wrongly, Matthews correlation."""

from __future__ import annotations

__all__ = ["Accuracy", "BalancedAccuracy", "BalancedErrorRate", "ErrorRate", "Matthews"]

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import ClassVar, Self

import numpy as np

from stakes._check import UndefinedMetricError
from stakes._text import quoted
from stakes._typing import FloatArray
from stakes.costs import CostMatrix
from stakes.metrics.traditional.decision_metric import (
    DecisionMetric,
    FourCounts,
    ratio,
    require_binary,
    require_square,
)
from stakes.results import Direction, MetricValue, Undefined
from stakes.statistics import ConfusionCounts

_EMPTY = Undefined("zero_over_zero", "0/0")


class ErrorRate(DecisionMetric):
    """Share of samples decided wrongly (eq:acc2): the expected cost of 0-1 costs.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.error_rate : the value for given counts.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.ErrorRate().evaluate(cm)
    >>> found.value, found.naive, found.beats_naive  # worse than always answering 0
    (0.12, 0.1, False)
    """

    better: ClassVar[Direction] = "lower"
    formula = "sum of N_ij over i != j, over N"
    relation = "error rate = (1 - largest prior) * NEC"
    rewards = "Nothing else, but it ignores rare classes: a class counts as often as it occurs."
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
    """Share of samples decided rightly: 1 minus the error rate.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.accuracy : the value for given counts.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[90, 0], [10, 0]])
    >>> found = stakes.metrics.Accuracy().evaluate(cm)
    >>> found.value, found.beats_naive  # 90 % right, and useless
    (0.9, False)
    """

    better: ClassVar[Direction] = "higher"
    formula = "sum of N_ii over N"
    relation = "accuracy = 1 - (1 - largest prior) * NEC"

    @classmethod
    def for_report(cls, counts: ConfusionCounts, costs: CostMatrix | None) -> Self | None:  # noqa: ARG003
        """Return the metric, which needs no samples of every class.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        costs : CostMatrix or None
            The costs of the report.
        """
        return cls()


class BalancedErrorRate(ErrorRate):
    """Mean of the error rates of the classes (eq:balacc2): the expected cost of costs 1/(K P_i).

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.balanced_error_rate : the value for given counts.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.BalancedErrorRate().evaluate(cm)
    >>> round(found, 3), found.beats_naive
    (0.156, True)
    """

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
    """Mean of the recalls of the classes: 1 minus the balanced error rate.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.balanced_accuracy : the value for given counts.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[90, 0], [10, 0]])
    >>> stakes.metrics.BalancedAccuracy().evaluate(cm).beats_naive  # no better than a constant
    False
    """

    better: ClassVar[Direction] = "higher"
    formula = "mean over classes of the share decided rightly"
    relation = "balanced accuracy = 1 - (1 - 1/K) * NEC"
    in_reports = True


class Matthews(DecisionMetric):
    """Matthews correlation of classes and decisions; after Gorodkin for more than two classes.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.matthews : the value for given counts.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.Matthews().evaluate(cm)
    >>> round(found, 2), found.beats_naive
    (0.54, True)
    """

    name = "Matthews correlation"
    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"mcc": ()}
    limits: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    formula = "(N_11 N_22 - N_12 N_21) / sqrt(N_1* N_2* N_*1 N_*2)"
    relation = "MCC = sqrt(P_1 P_2 / (R_*1 R_*2)) * (1 - NEC), with costs 1/P_i"
    rewards = (
        "Lopsided decisions: of two systems with the same balanced cost, the one that gives one "
        "answer more often scores higher, even on balanced data."
    )

    def evaluate(self, counts: ConfusionCounts) -> MetricValue:
        """Return the value for these counts, in exact arithmetic up to the final root.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        require_square(counts, self.name)
        rows: list[Fraction | int] = [0] * len(counts.classes)
        columns: list[Fraction | int] = [0] * len(counts.classes)
        right: Fraction | int = 0
        level = counts.weight if counts.whole else counts.aligned
        for i, j, cell in zip(counts.row, counts.column, level.tolist(), strict=True):
            exact = cell if counts.whole else Fraction(cell)
            rows[i] += exact
            columns[j] += exact
            right += exact if i == j else 0
        total = sum(rows)
        above = right * total - sum(t * p for t, p in zip(rows, columns, strict=True))
        below = total**2 - sum(t * t for t in rows), total**2 - sum(p * p for p in columns)
        reason = Undefined(
            "zero_margin", "all samples have the same class, or all got the same decision"
        )
        if not all(below):
            return self._record(math.nan, 0.0, reason)
        value = math.copysign(_root(Fraction(above**2) / (below[0] * below[1])), above)
        return self._record(value, 0.0, reason)

    def values(self, n: FourCounts) -> FloatArray:
        n = n.level()
        spread = np.sqrt(n.n1) * np.sqrt(n.n2) * np.sqrt(n.n11 + n.n21) * np.sqrt(n.n12 + n.n22)
        return ratio(n.determinant, spread)

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.balanced(counts.classes, counts.priors)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        """Return the metric from the normalised expected cost (eq:mcc); for two classes.

        Parameters
        ----------
        normalized : float
            The normalised expected cost.
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        require_binary(counts, "the identity of the Matthews correlation with the NEC")
        p, r = counts.priors, counts.decision_rates
        return float(ratio(math.sqrt(p[0] * p[1]), math.sqrt(r[0] * r[1]))) * (1 - normalized)

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        n = FourCounts.from_counts(counts).level()
        with np.errstate(invalid="ignore"):  # NaN where a decision was never made
            tilt = n.determinant / 2 * (ratio(1.0, n.n11 + n.n21) - ratio(1.0, n.n12 + n.n22))
        return float(ratio(n.n1 + tilt, n.n2 - tilt))


def _root(exact: Fraction) -> float:
    """Return the square root of an exact number, however small it is."""
    shift = (exact.denominator.bit_length() - exact.numerator.bit_length()) // 2
    return math.ldexp(math.sqrt(exact * Fraction(4) ** shift), -shift)
