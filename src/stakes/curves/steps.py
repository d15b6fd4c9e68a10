"""Error rates at any threshold of the posterior, from class weights at each level of log odds."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._math import cumulative, log, quotient, softplus
from stakes._typing import FloatArray
from stakes.loss_rows import LossRows
from stakes.samples import Samples
from stakes.scores import LogPosteriors, Posteriors
from stakes.statistics import ScoreLevels

_ROUND = 1e-3  # a first posterior below it says more than one minus the second

Rates = tuple[FloatArray, FloatArray]


def logit(p: FloatArray) -> FloatArray:
    """Return the log odds of a probability, exact near 1/2 too; infinite at 0 and 1."""
    middle = np.abs(p - 0.5) <= 0.25
    with np.errstate(divide="ignore"):
        outer = np.log(p) - np.log1p(-p)
        inner = np.log1p(np.where(middle, (2 * p - 1) / np.where(middle, 1 - p, 1.0), 0.0))
    return np.where(middle, inner, outer)


def sigmoid(log_odds: FloatArray) -> FloatArray:
    """Return the probability with these log odds, to full precision near 0."""
    small = np.exp(-np.abs(log_odds))
    return np.where(log_odds > 0, 1.0, small) / (1 + small)


def log_odds(samples: Samples) -> FloatArray:
    """Return the log odds of the second of two classes for each sample, at the samples' priors."""
    scores, values = samples.scores, samples.scores.values
    if isinstance(scores, Posteriors):
        if values.ndim == 1:
            return logit(values)
        first, second = values.T
        # The second column decides ties with round thresholds as a single column does.
        return np.where(first < _ROUND, -logit(first), logit(second))
    if isinstance(scores, LogPosteriors) and values.ndim == 1:
        return values - log(-np.expm1(values))
    if not scores.needs_priors:
        return scores.ranks()
    scores.answers(samples.priors)  # refuses samples that the priors make impossible
    first, second = log(samples.priors)
    return scores.ranks() + (second - first)


@dataclass(frozen=True, eq=False)
class ThresholdSteps:
    """Rates of false alarms and misses of Bayes decisions, at any threshold.

    Levels are log odds of the second class, which is decided where they are greater than the log
    odds of the threshold. Of samples with weights, the summed squares are kept too.
    """

    levels: ScoreLevels
    squares: ScoreLevels | None = None

    @classmethod
    def from_samples(cls, samples: Samples) -> "ThresholdSteps":
        """Gather samples of two classes."""
        odds, y, weights = log_odds(samples), samples.y, samples.weights
        levels = ScoreLevels.from_scores(odds, y, weights)
        if weights is None:
            return cls(levels)
        squared = np.square(np.ldexp(weights, -levels.exponent[y]))
        return cls(levels, ScoreLevels.from_scores(odds, y, squared))

    @cached_property
    def _rates(self) -> Rates:
        """R_12 and R_21 when this many of the lowest levels are decided as the first class."""
        return _error_rates(self.levels)

    @cached_property
    def _squared(self) -> Rates:
        """The same, with samples taken by squared weight."""
        return self._rates if self.squares is None else _error_rates(self.squares)

    @cached_property
    def _totals(self) -> tuple[FloatArray, FloatArray]:
        """The summed weights of each class, and their squares, on the scale of the class."""
        totals = np.asarray(self.levels.totals, dtype=np.float64)
        if self.squares is None:
            return totals, totals
        # squares may be on a scale of their own
        return totals, np.ldexp(np.asarray(self.squares.totals, float), self.squares.exponent)

    def rates(self, thresholds: FloatArray) -> Rates:
        """Return R_12 and R_21 at log odds of the threshold."""
        place = np.searchsorted(self.levels.level, thresholds, side="right")
        alarms, misses = self._rates
        return alarms[place], misses[place]

    def losses(self, threshold: float, costs: FloatArray, offsets: FloatArray) -> LossRows:
        """Return what rows of each class lose at one threshold.

        A sample of class k costs `offsets[k]`, and `costs[k]` more where the decision is wrong.
        """
        place = np.searchsorted(self.levels.level, threshold, side="right")
        wrong, squared = (
            np.array([part[place] for part in r]) for r in (self._rates, self._squared)
        )
        y, mistaken = np.array([0, 1, 0, 1]), np.array([0, 0, 1, 1])
        total, square = (sums[y] for sums in self._totals)
        mass = total * np.where(mistaken, wrong[y], 1 - wrong[y])
        square = square * np.where(mistaken, squared[y], 1 - squared[y])
        loss, number = offsets[y] + costs[y] * mistaken, quotient(np.square(mass), square)
        above = self.levels.exponent - self.levels.exponent.max()
        weight = np.ldexp(quotient(square, mass), above[y])
        return LossRows(offsets + costs * wrong, y, loss, weight, number).between(
            offsets, offsets + costs
        )

    def pooled(self, prior_log_odds: float) -> "ThresholdSteps":
        """Return the steps after the best monotone map of the log odds, by PAV.

        Their Bayes decisions are at every threshold the best that any threshold could make.
        """
        starts = self.levels.blocks()[:-1]
        first = np.add.reduceat(self.levels.first, starts)
        second = np.add.reduceat(self.levels.second, starts)
        n1, n2 = self.levels.totals
        level = log(second / n2) - log(first / n1) + prior_log_odds
        return ThresholdSteps(ScoreLevels(level, first, second, self.levels.exponent))

    def brier(self, priors: FloatArray) -> float:
        """Return twice the area under the expected cost, over thresholds: the Brier score.

        A sample of the first class with posterior p adds a cost of t at each threshold t below
        p, so p^2 / 2 in all; one of the second class adds (1 - p)^2 / 2.
        """
        return self._mean_loss(priors, lambda log_odds: np.square(sigmoid(log_odds)), 0.0)

    def cross_entropy(self, priors: FloatArray, shift: float = 0.0) -> float:
        """Return the area under the expected cost over t (1 - t): the cross-entropy, in nats.

        A sample of the first class adds -log(1 - p), one of the second -log p. `shift` is added
        to all log odds, as a change of priors does.
        """
        return self._mean_loss(priors, softplus, shift)

    def _mean_loss(
        self, priors: FloatArray, loss: Callable[[FloatArray], FloatArray], shift: float
    ) -> float:
        """Return the expectation of a loss that rises with the log odds of the wrong class."""
        (against_1, weight_1), (against_2, weight_2) = self._against
        first = (weight_1 * loss(against_1 + shift)).sum()
        second = (weight_2 * loss(against_2 - shift)).sum()
        return float(priors[0] * first + priors[1] * second)

    @cached_property
    def _against(self) -> tuple[tuple[FloatArray, FloatArray], tuple[FloatArray, FloatArray]]:
        """Log odds against the truth, and share of the class, at the levels where it occurs."""
        level, (n1, n2) = self.levels.level, self.levels.totals
        one, two = self.levels.first > 0, self.levels.second > 0
        first = level[one], self.levels.first[one] / n1
        return first, (-level[two], self.levels.second[two] / n2)


def _error_rates(levels: ScoreLevels) -> Rates:
    first, second = cumulative(levels.first), cumulative(levels.second)
    return (first[-1] - first) / first[-1], second / second[-1]
