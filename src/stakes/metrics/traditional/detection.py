"""Metrics of two classes, one of them of interest: F, precision, recall, LR+, net benefit."""

from __future__ import annotations

__all__ = [
    "FScore",
    "NetBenefit",
    "PositiveLikelihoodRatio",
    "Precision",
    "Recall",
    "Sensitivity",
    "Specificity",
]

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Self

from stakes._registry import option
from stakes._text import number
from stakes._typing import FloatArray
from stakes.costs import CostMatrix
from stakes.metrics.traditional.decision_metric import BinaryMetric, FourCounts, ratio
from stakes.statistics import ConfusionCounts

_LARGE_BETA = 1e100  # beyond it b^2 would overflow, so costs are given in units of a miss


@dataclass(frozen=True)
class FScore(BinaryMetric):
    """F-beta score (eq:fs): (1+b^2) N_22 / ((1+b^2) N_22 + b^2 N_21 + N_12).

    Parameters
    ----------
    beta : float, default 1.0
        How many times as much recall counts as precision.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.f_score : the value for given counts.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.FScore(beta=2).evaluate(cm)
    >>> round(found, 2), found.beats_naive
    (0.69, True)
    """

    beta: float = option(1.0, 0, math.inf)

    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"f1": (), "f2": (2.0,)}
    formula = "(1+b^2) N_22 / ((1+b^2) N_22 + b^2 N_21 + N_12)"
    relation = (
        "1 - F = min(b^2 P_2, P_1) * NEC / (b^2 P_2 + R_*2), with costs b^2 for a miss, "
        "1 for a false alarm"
    )
    rewards = (
        "Saying yes: of two systems with the same cost, the one that decides for the class of "
        "interest more often scores higher, whether those decisions are right or wrong."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "name", f"F{number(self.beta)} score")

    def values(self, n: FourCounts) -> FloatArray:
        n, small = n.level(), self.beta if self.beta <= 1 else 1 / self.beta
        square = small * small  # at most 1, so that no beta overflows
        often, seldom = (n.n21, n.n12) if self.beta <= 1 else (n.n12, n.n21)
        return ratio(n.n22, n.n22 + (square * often + seldom) / (1 + square))

    def naive(self, counts: ConfusionCounts) -> float:
        """Return the value of always deciding for the class of interest.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        positive = float(counts.priors[1])
        if self.beta > 1:
            inverse = 1 / self.beta / self.beta
            return float(ratio((1 + inverse) * positive, positive + inverse))
        square = self.beta * self.beta
        return (1 + square) * positive / (square * positive + 1)

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        if self.beta > _LARGE_BETA:
            price = 1 / self.beta / self.beta
            return CostMatrix.binary(miss=1, false_alarm=price, classes=counts.classes)
        return CostMatrix.binary(miss=self.beta**2, false_alarm=1, classes=counts.classes)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        """Return the metric from the normalised expected cost (eq:ec_vs_fs).

        Parameters
        ----------
        normalized : float
            The normalised expected cost.
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        costs = self.costs(counts)
        naive = costs.naive(counts.priors)[1]
        miss, false_alarm = costs.values[1, 0], costs.values[0, 1]
        below = miss * counts.priors[1] + false_alarm * counts.decision_rates[1]
        return 1 - float(ratio(naive * normalized, below))

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        """Return how many false alarms count as much as one miss: (1 + b^2 - F) / F.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        f = float(self.values(FourCounts.from_counts(counts)))
        return float(ratio(1 + self.beta * self.beta - f, f))


class Precision(BinaryMetric):
    """Share of the samples decided as the class of interest that belong to it: N_22 / N_*2.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.precision : the value for given counts.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.Precision().evaluate(cm)
    >>> round(found, 2), found.beats_naive  # fewer than half of the alarms are right
    (0.44, True)
    """

    prices: ClassVar[tuple[float, float]] = (0, 1)
    formula = "N_22 / N_*2"
    relation = "1 - precision = EC / R_*2, with costs 0 for a miss, 1 for a false alarm"
    rewards = "Silence: misses cost nothing, so one sure answer and no other scores 1."

    def values(self, n: FourCounts) -> FloatArray:
        n = n.level()
        return ratio(n.n22, n.n12 + n.n22)

    def naive(self, counts: ConfusionCounts) -> float:
        """Return the value of always deciding for the class of interest.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        return float(counts.priors[1])

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        """Return how many false alarms count as much as one miss: N_12 / N_22.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        n = FourCounts.from_counts(counts).level()
        return float(ratio(n.n12, n.n22))


class Recall(BinaryMetric):
    """Share of the class of interest that is found: R_22 = N_22 / N_2*.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.recall : the value for given counts.

    Examples
    --------
    Always saying yes has recall 1, so do not choose a system by recall alone:

    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.Recall().evaluate(cm)
    >>> found.value, found.beats_naive
    (0.8, False)
    """

    prices: ClassVar[tuple[float, float]] = (1, 0)
    formula = "N_22 / N_2*"
    relation = "1 - recall = EC / P_2, with costs 1 for a miss, 0 for a false alarm"
    rewards = "Alarm: false alarms cost nothing, so saying yes to everything scores 1."
    in_reports = False
    needs_alarms = False

    def values(self, n: FourCounts) -> FloatArray:
        return ratio(n.n22, n.n2)

    def exchange_rate(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """Return infinity: no number of false alarms counts as much as one miss.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        return math.inf


class Sensitivity(Recall):
    """Share of the class of interest that is found: recall, in medicine.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.sensitivity : the value for given counts.

    Examples
    --------
    Always treating has sensitivity 1, so do not choose a test by sensitivity alone:

    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.Sensitivity().evaluate(cm)
    >>> found.value, found.beats_naive
    (0.8, False)
    """

    relation = "1 - sensitivity = EC / P_2, with costs 1 for a miss, 0 for a false alarm"
    in_reports = True


class Specificity(Recall):
    """Share of the other class that raises no alarm: R_11 = N_11 / N_1*.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.specificity : the value for given counts.

    Examples
    --------
    Never treating has specificity 1, so do not choose a test by specificity alone:

    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.Specificity().evaluate(cm)
    >>> round(found, 2), found.beats_naive
    (0.89, False)
    """

    prices: ClassVar[tuple[float, float]] = (0, 1)
    formula = "N_11 / N_1*"
    relation = "1 - specificity = EC / P_1, with costs 0 for a miss, 1 for a false alarm"
    rewards = "Silence: misses cost nothing, so saying no to everything scores 1."
    in_reports = True

    def values(self, n: FourCounts) -> FloatArray:
        return ratio(n.n11, n.n1)

    def exchange_rate(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """Return 0: a miss does not change it.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        return 0.0


class PositiveLikelihoodRatio(BinaryMetric):
    """LR+ of diagnostic testing: sensitivity / (1 - specificity) = R_22 / R_12.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.positive_likelihood_ratio : the value for given counts.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> round(stakes.metrics.PositiveLikelihoodRatio().evaluate(cm), 1)
    7.2

    A positive test multiplies the odds of disease by 7: worth a follow-up.
    """

    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"lr+": ()}
    limits: ClassVar[tuple[float, float]] = (0.0, math.inf)
    unbounded: ClassVar[bool] = True
    formula = "R_22 / R_12"
    relation = "LR+ = (1 - NEC) / R_12 + 1, with costs 1/P_i"
    rewards = (
        "Few false alarms above all: it has no upper bound, and one lucky zero makes it infinite."
    )

    def values(self, n: FourCounts) -> FloatArray:
        return ratio(ratio(n.n22, n.n2), ratio(n.n12, n.n1))

    def inverse(self, n: FourCounts) -> FloatArray:
        return ratio(ratio(n.n12, n.n1), ratio(n.n22, n.n2))

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.balanced(counts.classes, counts.priors)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        n = FourCounts.from_counts(counts)
        return float(ratio(1 - normalized, ratio(n.n12, n.n1))) + 1

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        """Return how many false alarms count as much as one miss: N_12 / N_22.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        return Precision().exchange_rate(counts)


@dataclass(frozen=True)
class NetBenefit(BinaryMetric):
    """Net benefit in medicine: N_22/N - p/(1-p) N_12/N at threshold probability p.

    Parameters
    ----------
    threshold : float, default 0.5
        The threshold probability, from 0 to below 1.

    See Also
    --------
    explain : which costs it implies.
    ConfusionMatrix.net_benefit : the value for given counts.
    RiskCurve.decision_curve : for all thresholds.

    Examples
    --------
    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> found = stakes.metrics.NetBenefit(threshold=0.2).evaluate(cm)
    >>> found.beats_naive  # better than treating all or none, at a threshold of 20 %
    True
    """

    threshold: float = option(0.5, 0, 1, closed=(True, False))

    limits: ClassVar[tuple[float, float]] = (-math.inf, 1.0)
    formula = "N_22/N - p/(1-p) N_12/N"
    relation = (
        "NB = P_2 - min(P_2, p/(1-p) P_1) * NEC, with costs 1 for a miss, p/(1-p) for a false alarm"
    )
    rewards = (
        "Nothing else, but its scale depends on the prevalence: no fixed value stands for useless."
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        object.__setattr__(self, "name", f"net benefit at {number(self.threshold)}")

    @classmethod
    def for_report(cls, counts: ConfusionCounts, costs: CostMatrix | None) -> Self | None:
        """Return the metric at the threshold of the costs, if right answers are free.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        costs : CostMatrix or None
            The costs of the report.
        """
        if costs is None or super().for_report(counts, costs) is None:
            return None
        priced = costs.values.any() and not costs.values.diagonal().any() and costs.values[1, 0]
        return cls(costs.threshold()) if priced else None

    def values(self, n: FourCounts) -> FloatArray:
        n, price, rest = n.level(), self.threshold, 1 - self.threshold
        lost = (1 - rest) - price  # to the rounding of 1 - p; it shows when terms cancel
        return ratio(n.net_hits(rest, price) + n.n22 * lost, (n.n1 + n.n2) * rest)

    def naive(self, counts: ConfusionCounts) -> float:
        """Return the better of treating nobody and treating all.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        p = counts.priors
        return max(0.0, p[1] - p[0] * self.threshold / (1 - self.threshold))

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        price = self.threshold / (1 - self.threshold)
        return CostMatrix.binary(miss=1, false_alarm=price, classes=counts.classes)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        return float(counts.priors[1]) - self.costs(counts).naive(counts.priors)[1] * normalized

    def exchange_rate(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        return float(ratio(1 - self.threshold, self.threshold))
