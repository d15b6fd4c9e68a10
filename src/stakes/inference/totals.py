"""Metrics that are functions of the totals of columns, and their slopes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from stakes._typing import FloatArray, IntArray, NDArray

Formula = Callable[[NDArray[Any]], NDArray[Any]]  # totals (..., C) to values (...), also complex
_STEP = 1e-20  # of a row, along the imaginary axis: no digit cancels, so it can be that small
_MOST_STEP = 1e-8
_FEWEST = 1e-290  # smaller numbers lose digits when they are multiplied


class Statistic(Protocol):
    """Metrics as functions of the weights of rows; `which` says which one each problem is about."""

    @property
    def size(self) -> int:
        """How many metrics there are."""

    def values(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the value (problems) for rows of weights (problems x rows)."""

    def slopes(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the derivative of the value by each weight (problems x rows)."""


@dataclass(frozen=True, eq=False)
class Totals:
    """Functions of the sums of weighted columns.

    A formula consists of arithmetic, square roots and logarithms, so that a step along the
    imaginary axis gives its slope to the last bits.
    """

    columns: FloatArray
    formulas: Sequence[Formula]

    @property
    def size(self) -> int:
        """How many metrics there are."""
        return len(self.formulas)

    @cached_property
    def _aside(self) -> tuple[NDArray[Any], FloatArray]:
        """A step of each total along the imaginary axis, and what turns its results into slopes.

        Of the smallest numbers the step is a larger part, so that it has all its digits.
        """
        largest = np.abs(self.columns).max(axis=0, initial=0.0) + 1e-300
        step = np.maximum(_STEP * largest, np.minimum(_MOST_STEP * largest, _FEWEST))
        return 1j * np.diag(step), np.ascontiguousarray((self.columns / step).T)

    def values(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the value (problems) for rows of weights (problems x rows)."""
        return np.asarray(self._apply(weights @ self.columns, which))

    def slopes(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the derivative of the value by each weight (problems x rows)."""
        step, turned = self._aside
        aside = self._apply((weights @ self.columns)[:, None] + step, which)
        with np.errstate(invalid="ignore"):  # where a metric is undefined
            return np.asarray(aside.imag @ turned)

    def _apply(self, totals: NDArray[Any], which: IntArray) -> NDArray[Any]:
        """Return the values of each problem's own formula; problems of one formula together."""
        out = np.empty(totals.shape[:-1], dtype=totals.dtype)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for k in set(which.tolist()):
                own = which == k
                out[own] = self.formulas[k](totals[own])
        return out


@dataclass(frozen=True, eq=False)
class Less:
    """Metrics of one kind less as many of another, about the same rows."""

    first: Statistic
    second: Statistic

    @property
    def size(self) -> int:
        """How many differences there are."""
        return self.first.size

    def values(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the difference (problems) for rows of weights (problems x rows)."""
        return self.first.values(weights, which) - self.second.values(weights, which)

    def slopes(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the derivative of the difference by each weight (problems x rows)."""
        return self.first.slopes(weights, which) - self.second.slopes(weights, which)
