"""Two shapes of a cost table that answer the same questions: dense, and one cost per class."""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from stakes._check import InputError
from stakes._typing import FloatArray, IntArray

_MOST_CELLS = 2**26


class CostTable(Protocol):
    """Costs of each decision for each class, however they are kept."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and decisions."""

    def dense(self) -> FloatArray:
        """All costs, classes in rows."""

    def at(self, y: IntArray, d: IntArray) -> FloatArray:
        """Cost of each sample, from its class and its decision."""

    def column(self, decision: int) -> FloatArray:
        """Cost of one decision for each class."""

    def best_constant(self, priors: FloatArray) -> int:
        """Return the decision of least expected cost for a system that sees no input."""

    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """Least and largest cost of each class."""


@dataclass(frozen=True, eq=False)
class DenseTable:
    """Every cost written down."""

    values: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and decisions."""
        return self.values.shape[0], self.values.shape[1]

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
        return int(np.argmin([math.fsum(priors * column) for column in self.values.T]))

    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """Least and largest cost of each class."""
        return self.values.min(axis=1), self.values.max(axis=1)


@dataclass(frozen=True, eq=False)
class ErrorTable:
    """One cost for any error of a class, none for the right answer, and perhaps further decisions.

    Zero-one costs of a hundred thousand classes take no more room than the classes.
    """

    error: FloatArray
    further: FloatArray  # one column per decision that is no class, such as to abstain

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and decisions."""
        return self.error.size, self.error.size + self.further.shape[1]

    def dense(self) -> FloatArray:
        """All costs, classes in rows."""
        k, m = self.shape
        if k * m > _MOST_CELLS:
            msg = f"costs of {k} classes and {m} decisions must not be written out: {k * m} cells."
            raise InputError(msg)
        square = np.tile(self.error[:, None], (1, k))
        np.fill_diagonal(square, 0.0)
        return np.hstack([square, self.further])

    def at(self, y: IntArray, d: IntArray) -> FloatArray:
        """Cost of each sample, from its class and its decision."""
        k = self.error.size
        cost = np.where(y == d, 0.0, self.error[y])
        beyond = d >= k
        cost[beyond] = self.further[y[beyond], d[beyond] - k]
        return cost

    def column(self, decision: int) -> FloatArray:
        """Cost of one decision for each class."""
        k = self.error.size
        if decision >= k:
            return self.further[:, decision - k]
        column = self.error.copy()
        column[decision] = 0.0
        return column

    def best_constant(self, priors: FloatArray) -> int:
        """Return the decision of least expected cost for a system that sees no input."""
        candidates = [int(np.argmax(priors * self.error))]
        candidates += range(self.error.size, self.shape[1])
        return min(candidates, key=lambda j: math.fsum(priors * self.column(j)))

    def ranges(self) -> tuple[FloatArray, FloatArray]:
        """Least and largest cost of each class."""
        if not self.further.size:
            return np.zeros_like(self.error), self.error * (self.error.size > 1)
        return np.zeros_like(self.error), np.maximum(self.error, self.further.max(axis=1))
