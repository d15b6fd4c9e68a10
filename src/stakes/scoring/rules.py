"""The scoring rules: of the posteriors themselves, and of the decisions that they lead to."""

from __future__ import annotations

__all__ = ["BayesCost", "BrierLoss", "LogLoss", "SphericalLoss", "ThresholdRange"]

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from stakes._check import InputError, read_array, read_number
from stakes._math import log, row_sums
from stakes._registry import option
from stakes._typing import Label
from stakes.costs import CostMatrix
from stakes.costs.cost_tables import DenseTable
from stakes.costs.matrix import check_order
from stakes.scoring.scoring_rule import Answers, FloatArray, IntArray, Names, ScoringRule


class LogLoss(ScoringRule):
    """Log loss -log s_h; its expected value is the cross-entropy. Strictly proper, unbounded.

    See Also
    --------
    cross_entropy : its expected value.
    expected_loss : the expected value of any rule.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> stakes.expected_loss(stakes.LogLoss(), y, p).normalized < 1  # better than the priors
    True
    """

    name = "cross-entropy"
    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"log": ()}

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        return -answers.log_of(y)

    def naive_losses(self, priors: FloatArray) -> FloatArray:
        return -log(priors)


class BrierLoss(ScoringRule):
    """Brier loss: 1/K sum_i (s_i - I(h = H_i))^2. Strictly proper, at most 2/K.

    See Also
    --------
    brier_score : its expected value.
    expected_loss : the expected value of any rule.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> stakes.expected_loss(stakes.BrierLoss(), y, p).normalized < 1  # better than the priors
    True
    """

    name = "Brier score"
    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"brier": ()}

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        return self.squared_distances(y, answers) / answers.shape[1]

    @staticmethod
    def squared_distances(y: IntArray, answers: Answers) -> FloatArray:
        """Return the squared distances summed over classes, Brier's original form.

        Parameters
        ----------
        y : array of N ints
            The index of each sample's class.
        answers : Answers
            The posteriors.
        """
        distance = answers.p.copy()
        distance[np.arange(y.size), y] = answers.complement(y)
        return row_sums(np.square(distance, out=distance))  # by halves

    def naive_losses(self, priors: FloatArray) -> FloatArray:
        """Return the loss of answering the priors for each class.

        Parameters
        ----------
        priors : float, array of K
            Priors that are already checked.
        """
        top = int(priors.argmax())
        squares = np.square(priors)
        squares[top] = 0
        rest = math.fsum(squares.tolist())
        others = rest - squares + np.square(priors[top])
        others[top] = rest
        return (others + np.square(1 - priors)) / priors.size

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        return np.zeros(n_classes), np.full(n_classes, 2 / n_classes)


class SphericalLoss(ScoringRule):
    """Spherical loss: one minus the cosine of posteriors and truth. Strictly proper, at most 1.

    See Also
    --------
    expected_loss : the expected value of any rule.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    >>> stakes.expected_loss(stakes.SphericalLoss(), y, p).normalized < 1  # better than the priors
    True
    """

    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"spherical": ()}

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
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
    """Cost of the Bayes decision at given costs; its expected value is the Bayes EC. Not strict.

    Parameters
    ----------
    costs : CostMatrix
        The costs of the decisions.

    See Also
    --------
    bayes_cost : its expected value.
    expected_loss : the expected value of any rule.

    Examples
    --------
    >>> import stakes
    >>> rule = stakes.BayesCost(stakes.CostMatrix.binary(miss=5, false_alarm=1))
    >>> stakes.expected_loss(rule, [0, 0, 0, 1], [0.1, 0.3, 0.1, 0.3]).normalized < 1  # useful
    True
    """

    costs: CostMatrix

    name = "Bayes expected cost"
    strict = False

    def __post_init__(self) -> None:
        if not isinstance(self.costs, CostMatrix):
            object.__setattr__(self, "costs", CostMatrix(self.costs))

    def check(self, classes: Names) -> None:
        check_order(self.costs, classes)

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        return self.costs.at(y, self.costs.least_expected(answers.p))

    def naive_answer(self, priors: FloatArray) -> Label:
        return self.costs.decisions[self.costs.naive(priors)[0]]

    def rivals(self, priors: FloatArray) -> tuple[FloatArray, ...]:
        return self.costs.rival_columns(priors)

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:  # noqa: ARG002
        return self.costs.ranges()


@dataclass(frozen=True)
class ThresholdRange(ScoringRule):
    """Bayes cost of two classes averaged over an interval of thresholds, in closed form.

    At threshold t, a false alarm costs t and a miss 1 - t. From 0 to 1 this is half the Brier
    score; a narrow interval evaluates the posteriors near your own thresholds.

    Parameters
    ----------
    low : float, default 0.0
        End of the interval, from 0 to 1.
    high : float, default 1.0
        Ends of the interval, from 0 to 1.

    See Also
    --------
    expected_loss : the expected value of any rule.
    risk_curve : for all thresholds.

    Examples
    --------
    Decisions will be made at thresholds between 0.05 and 0.2. Are the posteriors useful there?

    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> rule, p = stakes.ThresholdRange(0.05, 0.2), data.posteriors([0.9, 0.1])
    >>> stakes.expected_loss(rule, data.y, p).normalized < 1
    True
    """

    low: float = option(0.0, 0, 1, closed=(True, False))
    high: float = option(1.0, 0, 1, closed=(False, True))

    strict = False

    def __post_init__(self) -> None:
        low = read_number(self.low, "low", 0, 1, closed=(True, False))
        high = read_number(self.high, "high", low, 1, closed=(False, True))
        object.__setattr__(self, "low", low)
        object.__setattr__(self, "high", high)
        name = f"mean Bayes cost for thresholds {low:g} to {high:g}"
        object.__setattr__(self, "name", name)

    def check(self, classes: Names) -> None:
        if len(classes) != 2:
            msg = f"ThresholdRange needs two classes: got {len(classes)}."
            raise InputError(msg)

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
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
class _ListedCost(ScoringRule):
    """The proper rule of a cost function with listed decisions: the cost of the best of them."""

    function: Callable[[int, Any], float]
    decisions: tuple[Any, ...]
    name: str

    strict = False

    def __post_init__(self) -> None:
        if not self.decisions:
            raise InputError("decisions", "must hold at least one decision", "none")

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        values = self._values(answers.shape[1])
        return values[y, DenseTable(values).least_expected(answers.p)]

    def naive_answer(self, priors: FloatArray) -> Label:
        return str(self.decisions[DenseTable(self._values(priors.size)).best_constant(priors)])

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        table = DenseTable(self._values(n_classes))
        return table.ranges(table.optimal())

    def _values(self, n_classes: int) -> FloatArray:
        table = [[self.function(h, d) for d in self.decisions] for h in range(n_classes)]
        values = read_array(table, "costs of the function")
        if not np.isfinite(values).all():
            h, j = (int(i) for i in np.argwhere(~np.isfinite(values))[0])
            got = f"{values[h, j]} for class {h} and decision {self.decisions[j]!r}"
            raise InputError("function", "must give finite costs for listed decisions", got)
        return values


@dataclass(frozen=True)
class _SoftCost(ScoringRule):
    """The proper rule of a cost function whose Bayes decision is known in closed form."""

    function: Callable[[int, Any], float]
    bayes: Callable[[FloatArray], Any]
    name: str

    strict = False

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        best = (self.bayes(row) for row in answers.p)
        costs = (self.function(int(h), d) for h, d in zip(y, best, strict=True))
        values = np.fromiter(costs, np.float64, y.size)
        if np.isnan(values).any():
            place = int(np.isnan(values).argmax())
            raise InputError("function", "must give numbers", f"NaN for sample {place}")
        return values

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        return np.full(n_classes, -np.inf), np.full(n_classes, np.inf)
