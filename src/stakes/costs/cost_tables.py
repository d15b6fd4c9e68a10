"""Two shapes of a cost table, dense and one cost per class; which decisions are ever optimal."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._check import InputError
from stakes._math import quotient
from stakes._typing import BoolArray, FloatArray, Floats, IntArray

_MOST_CELLS = 2**26
_MOST_IN_ORDER = 64
_MOST_STEPS = 10_000  # of the simplex method, which needs about as many as there are classes
_MOST_COMPARED = 2**14  # cells of a table above which only single decisions are compared
TIE = 8 * float(np.finfo(np.float64).eps)  # of the largest cost: what rounding makes of a tie


@dataclass(frozen=True, eq=False)
class DenseTable:
    """Every cost written down."""

    values: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and decisions."""
        return self.values.shape[0], self.values.shape[1]

    @property
    def tie(self) -> float:
        """Difference of expected costs that rounding alone can make."""
        return TIE * float(np.abs(self.values).max())

    def with_column(self, costs: FloatArray) -> "DenseTable":
        """Return the table with one more decision."""
        return DenseTable(np.hstack([self.values, costs]))

    def dense(self) -> FloatArray:
        """All costs, classes in rows."""
        return self.values

    def at(self, y: IntArray, d: IntArray) -> FloatArray:
        """Cost of each sample, from its class and its decision."""
        return self.values[y, d]

    def column(self, decision: int) -> FloatArray:
        """Cost of one decision for each class."""
        return self.values[:, decision]

    def best_constant(self, priors: FloatArray) -> int:
        """Return the decision of least expected cost for a system that sees no input."""
        return int(self.constants(priors).argmin())

    def constants(self, priors: FloatArray) -> FloatArray:
        """Return the expected cost of each decision for a system that sees no input."""
        terms = (priors[:, None] * self.values).T.tolist()
        return np.array([math.fsum(column) for column in terms])

    def least_expected(self, p: FloatArray) -> IntArray:
        """Return the decision of least expected cost for each row of posteriors."""
        best = expected_column(p, self.values[:, 0])
        chosen = np.zeros(p.shape[0], dtype=np.int64)
        for j in range(1, self.values.shape[1]):
            take_lower(best, chosen, expected_column(p, self.values[:, j]), j, self.tie)
        return chosen

    def columns(self) -> tuple[FloatArray | None, FloatArray]:
        """Return what any error of a class costs, if it is one number, and all other columns."""
        return None, self.values

    def optimal(self) -> BoolArray:
        """Return for each decision whether some posterior makes it optimal."""
        return self._optimal.copy()

    @cached_property
    def _optimal(self) -> BoolArray:
        return optimal_decisions(self.values, self.tie)

    def ranges(self, kept: BoolArray) -> tuple[FloatArray, FloatArray]:
        """Least and largest cost of each class over some decisions."""
        values = self.values[:, kept]
        return values.min(axis=1), values.max(axis=1)


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """One cost for any error of a class, none for the right answer, and perhaps further decisions.

    It answers the same questions as a dense table; zero-one costs of a hundred thousand classes
    take no more memory than the classes.
    """

    error: FloatArray
    further: FloatArray  # one column per decision that is no class, such as to abstain

    def __post_init__(self) -> None:
        self.error.setflags(write=False)
        self.further.setflags(write=False)

    @property
    def shape(self) -> tuple[int, int]:
        return self.error.size, self.error.size + self.further.shape[1]

    @property
    def tie(self) -> float:
        return TIE * max(float(self.error.max()), float(self.further.max(initial=0.0)))

    def with_column(self, costs: FloatArray) -> "ErrorTable":
        return ErrorTable(self.error, np.hstack([self.further, costs]))

    def dense(self) -> FloatArray:
        k, m = self.shape
        if k * m > _MOST_CELLS:
            msg = f"costs of {k} classes and {m} decisions must not be written out: {k * m} cells."
            raise InputError(msg)
        square = np.tile(self.error[:, None], (1, k))
        np.fill_diagonal(square, 0.0)
        values = np.hstack([square, self.further])
        values.setflags(write=False)
        return values

    def at(self, y: IntArray, d: IntArray) -> FloatArray:
        k = self.error.size
        cost = np.where(y == d, 0.0, self.error[y])
        beyond = d >= k
        cost[beyond] = self.further[y[beyond], d[beyond] - k]
        return cost

    def column(self, decision: int) -> FloatArray:
        k, m = self.shape
        place = range(m)[decision]
        if place >= k:
            return self.further[:, place - k]
        column = self.error.copy()
        column[place] = 0.0
        return column

    def best_constant(self, priors: FloatArray) -> int:
        candidates = [int(np.argmax(priors * self.error))]
        candidates += range(self.error.size, self.shape[1])
        return min(candidates, key=lambda j: math.fsum(priors * self.column(j)))

    def constants(self, priors: FloatArray) -> FloatArray:
        paid = priors * self.error
        return np.concatenate([math.fsum(paid.tolist()) - paid, priors @ self.further])

    def least_expected(self, p: FloatArray) -> IntArray:
        weighted = p * self.error
        chosen = weighted.argmax(axis=1)
        if not self.further.size:
            return chosen
        weighted[np.arange(chosen.size), chosen] = 0
        best = weighted.sum(axis=1)
        for m in range(self.further.shape[1]):
            column = expected_column(p, self.further[:, m])
            take_lower(best, chosen, column, self.error.size + m, self.tie)
        return chosen

    def columns(self) -> tuple[FloatArray | None, FloatArray]:
        return self.error, self.further

    def optimal(self) -> BoolArray:
        """Return for each decision whether some posterior makes it optimal.

        A class is where it is certain. A further decision is optimal somewhere if it is where each
        class that it costs less for than an error has the posterior 1 / error, and others 0.
        """
        k, m = self.shape
        if k * m <= _MOST_COMPARED and self.further.shape[1] > 1:
            found = DenseTable(self.dense()).optimal()
            found[:k] = True
            return found
        ratio = quotient(self.further, self.error[:, None], 1.0)
        gain = np.maximum(1 - ratio, 0).sum(axis=0)
        return np.concatenate([np.ones(k, dtype=bool), gain >= 1 - k * TIE])

    def ranges(self, kept: BoolArray) -> tuple[FloatArray, FloatArray]:
        further = self.further[:, kept[self.error.size :]]
        most = self.error * (self.error.size > 1)
        return np.zeros_like(self.error), np.maximum(most, further.max(axis=1, initial=0.0))


CostTable = DenseTable | ErrorTable


def expected_column(p: FloatArray, costs: FloatArray) -> FloatArray:
    """Return the expected cost of one decision for each row of posteriors.

    A decision that costs the same for every class costs just that, whatever rounding has made of
    the sum of the row.
    """
    if (costs == costs[0]).all():
        return np.full(p.shape[0], costs[0])
    if costs.size > _MOST_IN_ORDER:
        return p @ costs
    total = np.zeros(p.shape[0])
    for k in np.flatnonzero(costs):  # in column order, so that no batch size changes a bit
        total += p[:, k] * costs[k]
    return total


def take_lower(
    best: FloatArray, chosen: IntArray, cost: FloatArray, decision: int, tie: Floats
) -> None:
    """Change to a decision where it costs less; ties, up to rounding, stay with the lower index."""
    lower = cost < best - tie
    best[lower] = cost[lower]
    chosen[lower] = decision


def optimal_decisions(values: FloatArray, tie: float) -> BoolArray:
    """Return for each decision whether some posterior gives it the least expected cost.

    Costs that differ by `tie` count as equal, and on a tie the first decision is taken: so a
    decision that costs no less than an earlier one for every class is never taken.
    """
    k, m = values.shape
    least = values.min(axis=1, keepdims=True)
    cheapest = values <= least + tie
    alone = cheapest & (cheapest.sum(axis=1, keepdims=True) == 1)
    found = alone.any(axis=0)  # optimal where that class is certain
    if found.all():
        return found
    centre = values.sum(axis=0)
    best = centre <= centre.min() + tie
    found |= best & (np.cumsum(best) == 1)  # optimal where all classes are equally likely
    for j in np.flatnonzero(~found):
        others = np.delete(np.arange(m), j)
        gaps = values[:, others] - values[:, [j]]
        below = (gaps < -tie).all(axis=0) | ((gaps <= tie).all(axis=0) & (others < j))
        small = k * m <= _MOST_COMPARED
        found[j] = not below.any() and (not small or game_value(gaps) >= -tie)
    return found


def game_value(gaps: FloatArray) -> float:
    """Return the largest margin max_p min_k sum_i p_i gaps_ik over all posteriors p.

    It is the value of a matrix game, by the simplex method with Bland's rule. It is below 0 where
    a mixture of the other decisions costs less than this one for every class.
    """
    if not gaps.size:
        return 0.0
    scale = float(np.abs(gaps).max()) or 1.0
    shift = 1.0 - float(gaps.min()) / scale
    k, m = gaps.shape
    table = np.hstack([gaps / scale + shift, np.eye(k), np.ones((k, 1))])
    target = np.concatenate([np.ones(m), np.zeros(k + 1)])
    basis = m + np.arange(k)
    for _ in range(_MOST_STEPS):
        rising = np.flatnonzero(target[:-1] > 1e-12)
        if not rising.size:
            break
        column = int(rising[0])
        up = table[:, column] > 1e-12
        ratios = np.where(up, table[:, -1] / np.where(up, table[:, column], 1.0), np.inf)
        ties = np.flatnonzero(ratios <= ratios.min() + 1e-12)
        row = int(ties[np.argmin(basis[ties])])
        table[row] /= table[row, column]
        for other in range(k):
            if other != row:
                table[other] -= table[other, column] * table[row]
        target = target - target[column] * table[row]
        basis[row] = column
    return (1.0 / -float(target[-1]) - shift) * scale
