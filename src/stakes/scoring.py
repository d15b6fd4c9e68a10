"""Scoring rules: what an answer costs, least on average when it is the true posterior."""

__all__ = ["BayesCost", "BrierLoss", "LogLoss", "ScoringRule", "SphericalLoss", "ThresholdRange"]

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError, read_array, read_number
from stakes._math import expectation, log, row_sums
from stakes._typing import FloatArray, IntArray, Label, Names
from stakes.class_losses import Constant, rivals_of
from stakes.costs import CostMatrix
from stakes.costs.matrix import check_order
from stakes.costs.tables import DenseTable
from stakes.scores import Answers, LogProbabilities, Probabilities

_CELLS = 2**18  # of the answers for many priors at a time


@dataclass(frozen=True)
class ScoringRule(ABC):
    """A cost of posteriors that is least, on average, when they are the true ones (a PSR).

    A rule is one method, `of`. Its naive value, normalised value, standard error and interval
    follow from it. Declare `bounds` where no loss can leave them.

    Examples
    --------
    A rule of your own, in full; it is proper because log loss is:

    >>> import math
    >>> import stakes
    >>> class Bits(stakes.ScoringRule):
    ...     name = "cross-entropy in bits"
    ...
    ...     def of(self, y, answers):
    ...         return stakes.LogLoss().of(y, answers) / math.log(2)
    >>> cost = stakes.expected_loss(Bits(), [0, 1], [[0.5, 0.5], [0.25, 0.75]])
    >>> round(cost.value, 4), cost.naive
    (0.7075, 1.0)
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What the expected loss is called."""

    @abstractmethod
    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        """Cost of each sample: C*(h, s), for coded classes and posteriors."""

    def loss(self, y: IntArray, log_posteriors: FloatArray) -> FloatArray:
        """Return the cost of each sample from log posteriors, one row per sample."""
        return self.of(np.asarray(y), LogProbabilities(np.asarray(log_posteriors, dtype=float)))

    def naive(self, priors: FloatArray) -> float:
        """Return the expected loss of a system that sees no input, so answers the priors."""
        p = np.asarray(priors, dtype=float)
        return expectation(p, self.naive_losses(p))

    def naive_each(self, priors: FloatArray) -> FloatArray:
        """Return `naive` for many priors, one row each."""
        known = (ScoringRule.naive_losses, LogLoss.naive_losses, BrierLoss.naive_losses)
        if type(self).naive is not ScoringRule.naive or type(self).naive_losses not in known:
            return np.array([self.naive(row) for row in priors])  # in a way of its own
        k = priors.shape[1]
        out = np.empty(len(priors))
        size = max(1, _CELLS // k**2)
        for start in range(0, len(priors), size):
            p = priors[start : start + size]
            answers = Probabilities(np.repeat(p, k, axis=0))
            losses = self.of(np.tile(np.arange(k), len(p)), answers).reshape(p.shape)
            out[start : start + size] = (p * np.where(p > 0, losses, 0.0)).sum(axis=1)
        return out

    def naive_losses(self, priors: FloatArray) -> FloatArray:
        """Return what answering the priors costs for each class."""
        k = priors.size
        return self.of(np.arange(k), Probabilities(np.broadcast_to(priors, (k, k))))

    def naive_answer(self, priors: FloatArray) -> Label:  # noqa: ARG002
        """Say what the naive system answers."""
        return "the priors"

    def rivals(self, priors: FloatArray) -> tuple[Constant, ...]:  # noqa: ARG002
        """Return other answers without looking that could be the best at priors near these."""
        return ()

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest possible loss of each class."""
        return np.zeros(n_classes), np.full(n_classes, np.inf)

    def check(self, classes: Names) -> None:  # noqa: B027  most rules speak of any classes
        """Refuse classes that the rule does not speak of."""

    @staticmethod
    def from_cost(
        function: Callable[[int, Any], float],
        decisions: Sequence[Any] | Callable[[FloatArray], Any],
        *,
        name: str = "expected cost of Bayes decisions",
    ) -> "ScoringRule":
        """Return the proper rule of a cost function: the cost of the Bayes decision (eq:psr_const).

        Parameters
        ----------
        function : callable
            Cost C(h, d) of decision d when the truth is the class with index h.
        decisions : sequence, or callable
            The decisions to choose from, by least expected cost; or, where there are too many,
            a function that gives the Bayes decision for a vector of posteriors.
        """
        if callable(decisions):
            return SoftCost(function, decisions, name)
        listed = tuple(decisions)
        if not listed:
            msg = "decisions must hold at least one decision: got none."
            raise InputError(msg)
        return ListedCost(function, listed, name)


@dataclass(frozen=True)
class LogLoss(ScoringRule):
    """Logarithmic loss -log s_h; its expectation is the cross-entropy. Strict, unbounded."""

    name = "cross-entropy"

    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        return -answers.log_of(y)

    def naive_losses(self, priors: FloatArray) -> FloatArray:
        return -log(priors)


@dataclass(frozen=True)
class BrierLoss(ScoringRule):
    """Squared distance to the truth, averaged over classes: 1/K sum_i (s_i - I(h = H_i))^2."""

    name = "Brier score"

    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        distance = answers.p.copy()
        distance[np.arange(y.size), y] = answers.complement(y)
        return row_sums(np.square(distance, out=distance)) / answers.shape[1]  # by halves

    def naive_losses(self, priors: FloatArray) -> FloatArray:
        """Return what answering the priors costs; the largest stays apart, to keep its digits."""
        top = int(priors.argmax())
        squares = np.square(priors)
        squares[top] = 0
        rest = math.fsum(squares.tolist())
        others = rest - squares + np.square(priors[top])
        others[top] = rest
        return (others + np.square(1 - priors)) / priors.size

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        return np.zeros(n_classes), np.full(n_classes, 2 / n_classes)


@dataclass(frozen=True)
class SphericalLoss(ScoringRule):
    """One minus the cosine of posteriors and truth: 1 - s_h / |s|. Strict, at most 1."""

    name = "spherical loss"

    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        p = answers.p
        rows = np.arange(y.size)
        others = p.copy()
        others[rows, y] = 0
        rest = np.square(others).sum(axis=1)
        length = np.sqrt(np.square(p).sum(axis=1))
        return rest / (length * (length + p[rows, y]))

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        return np.zeros(n_classes), np.ones(n_classes)


@dataclass(frozen=True)
class BayesCost(ScoringRule):
    """Cost of the Bayes decision at given costs; its expectation is the Bayes EC. Not strict."""

    costs: CostMatrix

    name = "Bayes expected cost"

    def __post_init__(self) -> None:
        if not isinstance(self.costs, CostMatrix):
            object.__setattr__(self, "costs", CostMatrix(self.costs))

    def check(self, classes: Names) -> None:
        check_order(self.costs, classes)

    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        return self.costs.at(y, self.costs.least_expected(answers.p))

    def naive_answer(self, priors: FloatArray) -> Label:
        return self.costs.decisions[self.costs.naive(priors)[0]]

    def rivals(self, priors: FloatArray) -> tuple[Constant, ...]:
        return rivals_of(self.costs, priors, self.costs.naive_at(priors)[0])

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        return self.costs.ranges()


@dataclass(frozen=True)
class ThresholdRange(ScoringRule):
    """Bayes cost of two classes averaged over an interval of thresholds, in closed form.

    At threshold t a false alarm costs t and a miss 1 - t. From 0 to 1 it is half the Brier score;
    a narrow interval judges the posteriors where your decisions will be made.
    """

    low: float = 0.0
    high: float = 1.0

    def __post_init__(self) -> None:
        low = read_number(self.low, "low", 0, 1, closed=(True, False))
        high = read_number(self.high, "high", low, 1, closed=(False, True))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)

    @property
    def name(self) -> str:
        return f"mean Bayes cost for thresholds {self.low:g} to {self.high:g}"

    def check(self, classes: Names) -> None:
        if len(classes) != 2:
            msg = f"ThresholdRange needs two classes: got {len(classes)}."
            raise InputError(msg)

    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        width = self.high - self.low
        first, second = answers.p.T
        up = np.clip(second, self.low, self.high)
        down = np.clip(first, 1 - self.high, 1 - self.low)  # 1 - up, to full precision near 0
        alarm = (up - self.low) * (up + self.low)
        miss = (down - (1 - self.high)) * (down + (1 - self.high))
        return np.where(y == 0, alarm, miss) / (2 * width)

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        most = np.array([self.low + self.high, 2 - self.low - self.high]) / 2
        return np.zeros(n_classes), most[:n_classes]


@dataclass(frozen=True)
class ListedCost(ScoringRule):
    """The proper rule of a cost function with listed decisions: the cost of the best of them."""

    function: Callable[[int, Any], float]
    decisions: tuple[Any, ...]
    title: str

    @property
    def name(self) -> str:
        return self.title

    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        values = self._values(answers.shape[1])
        return values[y, DenseTable(values).least_expected(answers.p)]

    def naive_answer(self, priors: FloatArray) -> Label:
        return str(self.decisions[DenseTable(self._values(priors.size)).best_constant(priors)])

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        table = DenseTable(self._values(n_classes))
        return table.ranges(table.optimal())

    def _values(self, n_classes: int) -> FloatArray:
        """Return the costs of all classes and decisions."""
        table = [[self.function(h, d) for d in self.decisions] for h in range(n_classes)]
        values = read_array(table, "costs of the function")
        if not np.isfinite(values).all():
            h, j = (int(i) for i in np.argwhere(~np.isfinite(values))[0])
            msg = f"function must give finite costs for listed decisions: got {values[h, j]} for"
            raise InputError(f"{msg} class {h} and decision {self.decisions[j]!r}.")
        return values


@dataclass(frozen=True)
class SoftCost(ScoringRule):
    """The proper rule of a cost function whose Bayes decision is known in closed form."""

    function: Callable[[int, Any], float]
    bayes: Callable[[FloatArray], Any]
    title: str

    @property
    def name(self) -> str:
        return self.title

    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        best = (self.bayes(row) for row in answers.p)
        costs = (self.function(int(h), d) for h, d in zip(y, best, strict=True))
        values = np.fromiter(costs, np.float64, y.size)
        if np.isnan(values).any():
            msg = (
                f"function must give numbers: got NaN for sample {int(np.isnan(values).argmax())}."
            )
            raise InputError(msg)
        return values

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        return np.full(n_classes, -np.inf), np.full(n_classes, np.inf)
