"""Metrics of two classes, one of them of interest: net benefit, F, LR+, precision, recall."""

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
from dataclasses import dataclass

from stakes._check import read_number
from stakes._kernels.definitions import sweeps as formulas
from stakes._kernels.definitions.sweeps import ratio
from stakes._kernels.sweeps import swept_f_score, swept_net_benefit, swept_precision
from stakes._text import number, quoted
from stakes._typing import FloatArray
from stakes.costs import CostMatrix
from stakes.metrics.traditional.base import AtLevels, Binary, BinaryMetric
from stakes.results import Undefined
from stakes.statistics import ConfusionCounts

_LARGE_BETA = 1e100  # beyond it b^2 would overflow, so costs are given in units of a miss


@dataclass(frozen=True)
class NetBenefit(BinaryMetric):
    """Net benefit of medicine: N_22/N - p/(1-p) N_12/N at threshold probability p."""

    threshold: float = 0.5

    better = "higher"
    formula = "N_22/N - p/(1-p) N_12/N"
    relation = (
        "NB = P_2 - min(P_2, p/(1-p) P_1) * NEC, with costs 1 for a miss, p/(1-p) for a false alarm"
    )
    rewards = (
        "Nothing else, but its scale depends on the prevalence: no fixed value stands for useless."
    )

    def __post_init__(self) -> None:
        p = read_number(self.threshold, "threshold", 0, 1, closed=(True, False))
        object.__setattr__(self, "threshold", p)

    @property
    def name(self) -> str:
        return f"net benefit at {number(self.threshold)}"

    def values(self, n: Binary) -> FloatArray:
        if isinstance(n, AtLevels):
            return swept_net_benefit(n.at, self.threshold)
        n = n.level()
        return formulas.net_benefit(n.n12, n.n22, n.n1 + n.n2, self.threshold)

    def naive(self, counts: ConfusionCounts) -> float:
        """Return the better of treating nobody and treating all."""
        p = counts.priors
        return max(0.0, p[1] - p[0] * self.threshold / (1 - self.threshold))

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        price = self.threshold / (1 - self.threshold)
        return CostMatrix.binary(miss=1, false_alarm=price, classes=counts.classes)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        return float(counts.priors[1]) - self.costs(counts).naive(counts.priors)[1] * normalized

    def exchange_rate(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        return float(ratio(1 - self.threshold, self.threshold))


@dataclass(frozen=True)
class FScore(BinaryMetric):
    """F-beta score (eq:fs): (1+b^2) N_22 / ((1+b^2) N_22 + b^2 N_21 + N_12)."""

    beta: float = 1.0

    better = "higher"
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
        object.__setattr__(self, "beta", read_number(self.beta, "beta", 0, math.inf))

    @property
    def name(self) -> str:
        return f"F{number(self.beta)} score"

    def values(self, n: Binary) -> FloatArray:
        if isinstance(n, AtLevels):
            return swept_f_score(n.at, self.beta)
        n = n.level()
        return formulas.f_score(n.n12, n.n21, n.n22, self.beta)

    def naive(self, counts: ConfusionCounts) -> float:
        """Return the value of always deciding for the class of interest."""
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
        """Return the metric from the normalised expected cost (eq:ec_vs_fs)."""
        costs = self.costs(counts)
        naive = costs.naive(counts.priors)[1]
        miss, false_alarm = costs.values[1, 0], costs.values[0, 1]
        below = miss * counts.priors[1] + false_alarm * counts.decision_rates[1]
        return 1 - float(ratio(naive * normalized, below))

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        """How many false alarms harm as much as one miss: (1 + b^2 - F) / F."""
        f = float(self.values(Binary.of(counts)))
        return float(ratio(1 + self.beta * self.beta - f, f))


@dataclass(frozen=True)
class Precision(BinaryMetric):
    """Share of the samples decided as the class of interest that belong to it: N_22 / N_*2."""

    name = "precision"
    better = "higher"
    formula = "N_22 / N_*2"
    relation = "1 - precision = EC / R_*2, with costs 0 for a miss, 1 for a false alarm"
    rewards = "Silence: misses cost nothing, so one sure answer and no other scores 1."

    def values(self, n: Binary) -> FloatArray:
        if isinstance(n, AtLevels):
            return swept_precision(n.at)
        n = n.level()
        return formulas.precision(n.n12, n.n22)

    def naive(self, counts: ConfusionCounts) -> float:
        """Return the value of always deciding for the class of interest."""
        return float(counts.priors[1])

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.binary(miss=0, false_alarm=1, classes=counts.classes)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """Return NaN: saying no for ever costs nothing, so the NEC does not exist."""
        return math.nan

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        """How many false alarms harm as much as one miss: N_12 / N_22."""
        n = Binary.of(counts).level()
        return float(ratio(n.n12, n.n22))


@dataclass(frozen=True)
class PositiveLikelihoodRatio(BinaryMetric):
    """LR+ of diagnostic testing: sensitivity / (1 - specificity) = R_22 / R_12."""

    name = "positive likelihood ratio"
    better = "higher"
    formula = "R_22 / R_12"
    relation = "LR+ = (1 - NEC) / R_12 + 1, with costs 1/P_i"
    rewards = (
        "Few false alarms above all: it has no upper bound, and one lucky zero makes it infinite."
    )

    def values(self, n: Binary) -> FloatArray:
        return ratio(ratio(n.n22, n.n2), ratio(n.n12, n.n1))

    def naive(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """Return the value of always deciding for the class of interest."""
        return 1.0

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.balanced(counts.classes, counts.priors)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        n = Binary.of(counts)
        return float(ratio(1 - normalized, ratio(n.n12, n.n1))) + 1

    def exchange_rate(self, counts: ConfusionCounts) -> float:
        """How many false alarms harm as much as one miss: N_12 / N_22."""
        return Precision().exchange_rate(counts)


@dataclass(frozen=True)
class Recall(BinaryMetric):
    """Share of the class of interest that is found: R_22 = N_22 / N_2*."""

    name = "recall"
    better = "higher"
    formula = "N_22 / N_2*"
    relation = "1 - recall = EC / P_2, with costs 1 for a miss, 0 for a false alarm"
    rewards = "Alarm: false alarms cost nothing, so saying yes to everything scores 1."

    def values(self, n: Binary) -> FloatArray:
        return ratio(n.n22, n.n2)

    def naive(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """Return the best value of a constant answer."""
        return 1.0

    def why_undefined(self, counts: ConfusionCounts) -> Undefined:
        bare = quoted(
            [c for c, w in zip(counts.classes, counts.class_weight, strict=True) if not w]
        )
        return Undefined("no_samples", f"there are no samples of class {bare}")

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.binary(miss=1, false_alarm=0, classes=counts.classes)

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """Return NaN: saying yes for ever costs nothing, so the NEC does not exist."""
        return math.nan

    def exchange_rate(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """How many false alarms harm as much as one miss: no number of them does."""
        return math.inf


@dataclass(frozen=True)
class Sensitivity(Recall):
    """Share of the class of interest that is found: medicine's word for recall."""

    name = "sensitivity"
    relation = "1 - sensitivity = EC / P_2, with costs 1 for a miss, 0 for a false alarm"


@dataclass(frozen=True)
class Specificity(Recall):
    """Share of the other class that raises no alarm: R_11 = N_11 / N_1*."""

    name = "specificity"
    formula = "N_11 / N_1*"
    relation = "1 - specificity = EC / P_1, with costs 0 for a miss, 1 for a false alarm"
    rewards = "Silence: misses cost nothing, so saying no to everything scores 1."

    def values(self, n: Binary) -> FloatArray:
        return ratio(n.n11, n.n1)

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        return CostMatrix.binary(miss=0, false_alarm=1, classes=counts.classes)

    def exchange_rate(self, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """How many false alarms harm as much as one miss: a miss does no harm."""
        return 0.0
