"""How losses vary within each true class: what every closed-form interval is made from."""

from dataclasses import dataclass, replace

import numpy as np

from stakes._math import expectation, quotient
from stakes._typing import FloatArray
from stakes.costs import CostMatrix


@dataclass(frozen=True, eq=False)
class ClassLosses:
    """What is known of the loss within each true class: enough for any priors and any interval.

    Sizes are numbers of samples; with weights, the number of equal samples that would give the
    same precision, (sum w)^2 / sum w^2. Drift, variance and third are the first three moments of
    the loss about its mean, each sample taken with its squared weight; the drift is 0 for equal
    weights. Low and high are the least and largest possible loss; where prices differ from case to
    case, those of a costly case.
    """

    size: FloatArray
    mean: FloatArray
    drift: FloatArray
    variance: FloatArray
    low: FloatArray
    high: FloatArray
    third: FloatArray | None = None

    def padded(self, amount: FloatArray) -> "ClassLosses":
        """Return the losses with `amount` more samples, half at the least, half at the most.

        It keeps an interval honest where few errors, or none, were seen.
        """
        size = self.size + amount
        share = quotient(amount, size)
        mean = (1 - share) * self.mean + share * (self.low + self.high) / 2
        inner = self.spread_about(mean)
        outer = (np.square(self.low - mean) + np.square(self.high - mean)) / 2
        variance = (1 - share) * inner + share * outer
        return ClassLosses(size, mean, (1 - share) * self.drift, variance, self.low, self.high)

    def spread_about(self, value: FloatArray) -> FloatArray:
        """Return the mean squared distance of the loss from a value for each class."""
        gap = self.mean - value
        return np.maximum(self.variance + 2 * self.drift * gap + np.square(gap), 0)

    def cubes_about(self, value: FloatArray) -> FloatArray:
        """Return the mean cubed distance of the loss from a value for each class; 0 if unknown."""
        if self.third is None:
            return np.zeros_like(self.mean)
        with np.errstate(invalid="ignore"):  # of a class of prior 0 whose loss is infinite
            gap = self.mean - value
            cubes = self.third + 3 * gap * self.variance + 3 * np.square(gap) * self.drift + gap**3
        return np.where(np.isfinite(cubes), cubes, 0.0)

    def deflated(self, effect: float) -> "ClassLosses":
        """Return the losses as if samples were fewer by a design effect."""
        return self if effect == 1 else replace(self, size=self.size / effect)


@dataclass(frozen=True, eq=False)
class NaivePrices:
    """How the cost of the naive decision varies within each class, where prices differ by case.

    Moments are about the mean and by squared weight, as for `ClassLosses`; `covariance` is that
    with the cost of the decisions made, and `padding` the naive cost of the costly case that
    pseudo-samples stand for. `third` is the third moment of the loss less the normalised value
    times the naive one, where that is known. `bounded` says that no loss can leave the bounds of
    the losses, however the naive ones differ.
    """

    mean: FloatArray
    drift: FloatArray
    variance: FloatArray
    covariance: FloatArray
    padding: FloatArray
    third: FloatArray | None = None
    bounded: bool = False

    def padded_mean(self, size: FloatArray, amount: FloatArray) -> FloatArray:
        """Return the mean with `amount` more samples of the costly case."""
        total = size + amount
        share = quotient(amount, total)
        return (1 - share) * self.mean + share * self.padding

    def residuals(self, losses: ClassLosses, ratio: float) -> ClassLosses:
        """Return the losses less `ratio` times those of the naive decision on the same cases.

        Their third moment is that at the normalised value, whatever the ratio.
        """
        moved = ratio * self.padding
        return ClassLosses(
            losses.size,
            losses.mean - ratio * self.mean,
            losses.drift - ratio * self.drift,
            np.maximum(
                losses.variance - 2 * ratio * self.covariance + ratio * ratio * self.variance, 0
            ),
            losses.low - moved,
            losses.high - moved,
            self.third,
        )


@dataclass(frozen=True, eq=False)
class Constant:
    """A decision made without looking: what it costs in all and for each class.

    Where the priors are those of the data, another decision than the best one of these samples
    may be the best of the population.
    """

    decision: int
    value: float
    losses: FloatArray
    prices: NaivePrices | None = None  # where they differ by case


@dataclass(frozen=True)
class Design:
    """Samples that come in groups: how many, and how much wider that makes the variance.

    A design effect is the variance from whole groups over that of single samples, at least 1.
    """

    groups: int
    value: float = 1.0
    normalized: float = 1.0


def rivals_of(costs: CostMatrix, priors: FloatArray, best: int) -> tuple[Constant, ...]:
    """Return the constant decisions beside the best one, with what they cost."""
    columns = ((int(j), costs.column(int(j))) for j in costs.rivals(priors, best))
    return tuple(Constant(j, expectation(priors, column), column) for j, column in columns)
