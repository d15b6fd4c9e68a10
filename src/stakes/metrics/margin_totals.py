"""The Matthews correlation of any number of classes, as a function of the weights of rows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stakes._counting import bincount
from stakes._math import quotient
from stakes._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class MarginTotals:
    """A correlation of classes and decisions: a function of the margins of their table.

    Parts belong to units, the rows or groups that are reweighted; `mass` is the weight of a part in
    one row of its unit. Where priors are given, each class has its own. The table of very many
    classes is never laid out, and slopes are derived by hand.
    """

    y: IntArray
    decided: IntArray
    mass: FloatArray
    unit: IntArray
    shape: tuple[int, int]
    priors: FloatArray | None

    @property
    def size(self) -> int:
        """How many metrics there are."""
        return 1

    def values(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the value (problems) for units of weights (problems x units)."""
        return np.array([self._value_and_slopes(w, slopes=False)[0] for w in weights[: which.size]])

    def slopes(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the derivative of the value by each weight (problems x units)."""
        return np.stack([self._value_and_slopes(w)[1] for w in weights[: which.size]])

    def _value_and_slopes(self, w: FloatArray, *, slopes: bool = True) -> tuple[float, FloatArray]:
        mass, (k, j) = w[self.unit] * self.mass, self.shape
        scale = np.ones(k)
        if self.priors is not None:
            scale = quotient(self.priors, np.asarray(bincount(self.y, mass, k)))
        part = mass * scale[self.y]
        truth = np.asarray(bincount(self.y, part, max(k, j)))
        answers = np.asarray(bincount(self.decided, part, max(k, j)))
        hit = self.y == self.decided
        total, right = part.sum(), part[hit].sum()
        above = right * total - truth @ answers
        spread = total**2 - truth @ truth, total**2 - answers @ answers
        value = above / np.sqrt(spread[0] * spread[1])
        if not slopes:
            return float(value), part
        each = hit * total + right - answers[self.y] - truth[self.decided]
        each = each / np.sqrt(spread[0] * spread[1])
        each -= value * ((total - truth[self.y]) / spread[0])
        each -= value * ((total - answers[self.decided]) / spread[1])
        if self.priors is not None:  # a class keeps its prior, whatever its rows weigh
            each -= quotient(np.asarray(bincount(self.y, each * part, k)), self.priors)[self.y]
        by_unit = bincount(self.unit, each * scale[self.y] * self.mass, w.size)
        return float(value), np.asarray(by_unit)
