"""What rows lose: all that any interval of an expected loss is made from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stakes._counting import bincount
from stakes._math import quotient
from stakes._typing import FloatArray, IntArray
from stakes.inference.cells import effective_number
from stakes.inference.law import Problem
from stakes.inference.means import MeanRows, Naive, problem_of_means

_EDGE = 1e-9  # of the third moment's scale, below which a class is taken for symmetric


@dataclass(frozen=True, eq=False)
class LossRows:
    """The losses of rows, which are samples or stand for several alike.

    Attributes
    ----------
    mean : array of K
        Mean loss of each class, exact; NaN if it has no samples.
    y : array of int
        Class of each row.
    loss, weight, number : arrays
        Loss and weight of one sample of the row, and how many samples it stands for.
    possible : LossRows or None
        Rows that may occur, the least and the most expensive of each class. None: those seen.
    bases : array of rows x J, optional
        What J constant answers lose, the best one first, where that differs within a class.
    unit : array of int, optional
        The group of each row, where groups vary independently.
    """

    mean: FloatArray
    y: IntArray
    loss: FloatArray
    weight: FloatArray
    number: FloatArray
    possible: LossRows | None = None
    bases: FloatArray | None = None
    unit: IntArray | None = None

    def between(self, low: FloatArray, high: FloatArray) -> LossRows:
        """Return the same rows where rows of each class may lose as little or as much as told.

        Such rows are as heavy as those seen, each counted by its weight.
        """
        held = np.flatnonzero(bincount(self.y, self.number, self.mean.size) > 0)
        heavy = self.number * self.weight
        weight = float((heavy * self.weight).sum() / heavy.sum())
        y, loss = np.tile(held, 2), np.concatenate([low[held], high[held]])
        one = np.ones(y.size)
        return replace(self, possible=LossRows(self.mean, y, loss, weight * one, one))

    @property
    def groups(self) -> int:
        """How many groups there are; 0 where samples vary one by one."""
        return 0 if self.unit is None else int(np.unique(self.unit).size)

    def problem(
        self,
        priors: FloatArray | None,
        constants: FloatArray | None = None,
        naive: Naive | None = None,
    ) -> Problem:
        """Return the problem of the expected loss, and of it in units of the best constant answer.

        `constants` (J x K) are what constant answers lose on each class, `naive` what the best
        answer to shares of the classes loses.
        """
        rows = self._rows.fewer()
        possible = self._rows if self.possible is None else self.possible._rows
        how = {} if self.bases is not None else {"constants": constants, "naive": naive}
        return problem_of_means(rows, possible, self.mean.size, priors, **how)  # type: ignore[arg-type]

    @cached_property
    def _rows(self) -> MeanRows:
        bases = None if self.bases is None else self.bases * self.weight[:, None]
        return MeanRows(self.y, self.loss * self.weight, self.weight, self.number, bases, self.unit)

    @property
    def size(self) -> FloatArray:
        """How many samples of equal weight each class is worth: (sum w)^2 / sum w^2."""
        k, mass = self.mean.size, self.number * self.weight
        sums = (np.asarray(bincount(self.y, x, k)) for x in (mass, mass * self.weight))
        total, square = sums
        return quotient(np.square(total), square)


def effective_groups(unit: IntArray, mass: FloatArray) -> float:
    """Return how many groups of equal size would be as precise."""
    sizes = np.asarray(bincount(unit, mass), dtype=np.float64)
    return effective_number(np.sort(sizes[sizes > 0]))


def rows_of_moments(
    size: FloatArray,
    total: FloatArray,
    mean: FloatArray,
    moments: tuple[FloatArray, FloatArray, FloatArray],
) -> LossRows:
    """Return two rows for each class that have its size, weight, mean and central moments.

    `moments` are the first three about the mean, samples by squared weight: what intervals of many
    samples depend on, to the order of one over their number.
    """
    parts = []
    for k in np.flatnonzero(size > 0):
        drift, variance, third = (float(m[k]) for m in moments)
        parts.append(_atoms(int(k), float(size[k]), float(total[k]), drift, variance, third))
    y, gap, weight, number = (np.concatenate(column) for column in zip(*parts, strict=True))
    y = y.astype(np.int64)
    return LossRows(mean, y, mean[y] + gap, weight, number)


def _atoms(
    k: int, size: float, total: float, drift: float, variance: float, third: float
) -> tuple[FloatArray, ...]:
    """Return class, distance from the mean, weight and number of two rows with these moments.

    By squared weight the rows have the first three moments; by weight their mean distance is 0.
    """
    spread = variance - drift * drift  # about the mean by squared weight
    heavy = total / size  # weight of a sample
    if not (math.isfinite(variance) and spread > 0):
        return np.array([k]), np.zeros(1), np.array([heavy]), np.array([size])
    skew = third - 3 * drift * variance + 2 * drift**3 if math.isfinite(third) else 0.0
    half = skew / (2 * spread)
    reach = math.sqrt(half * half + spread)
    up, down = half + reach, half - reach  # up * down = -spread
    gap = np.array([drift + down, drift + up])
    if not gap[0] < 0 < gap[1]:  # weights tell more than two rows can
        gap = np.array([-1.0, 1.0]) * math.sqrt(variance)
        share = np.array([0.5, 0.5])
    else:
        share = np.array([up, -down]) / (up - down)
    by_weight = np.array([gap[1], -gap[0]]) / (gap[1] - gap[0])
    square = share * heavy * total  # of the weights of each row, in all
    mass = by_weight * total
    return np.array([k, k]), gap, square / mass, np.square(mass) / square
