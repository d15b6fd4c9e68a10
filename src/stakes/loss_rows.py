"""What rows lose: all that any interval of an expected loss is made from."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stakes._counting import bincount
from stakes._math import quotient, sum_by
from stakes._typing import FloatArray, IntArray
from stakes.inference.law import Problem
from stakes.inference.means import MeanRows, Naive, problem_of_means

_ROUNDING = 1e-14  # of the squared mean, below which a variance from sums is but rounding


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
    bases : array of rows x J, optional
        What J constant answers lose, the best one first, where that differs within a class.
    ends : arrays of K, optional
        The least and the most that a row of each class may lose, and `typical`, what constant
        answers lose on it.
    possible : LossRows, optional
        The rows that may occur, where there are no such ends. By default those seen.
    unit : array of int, optional
        The group of each row, where groups vary independently.
    """

    mean: FloatArray
    y: IntArray
    loss: FloatArray
    weight: FloatArray
    number: FloatArray
    bases: FloatArray | None = None
    unit: IntArray | None = None
    ends: tuple[FloatArray, FloatArray] | None = None
    typical: FloatArray | None = None
    possible: LossRows | None = None

    def between(self, low: FloatArray, high: FloatArray) -> LossRows:
        """Return the same rows where rows of each class may lose as little or as much as told."""
        return replace(self, ends=(low, high))

    def unseen(self, priors: FloatArray | None) -> LossRows:
        """Return the rows that may occur, the cheapest and the most expensive of each class.

        They are as heavy as those seen, each counted by its weight. At given priors only ratios of
        weights within a class matter.
        """
        if self.ends is None:
            return self if self.possible is None else self.possible
        held = np.flatnonzero(bincount(self.y, self.number, self.mean.size) > 0)
        typical = self.class_weights(priors)
        relative = self.weight / typical[self.y]
        heavy = typical * self.usual(self.number * relative, relative)
        y = np.tile(held, 2)
        loss = np.concatenate([end[held] for end in self.ends])
        bases = None if self.typical is None else np.tile(self.typical, (y.size, 1))
        return LossRows(self.mean, y, loss, heavy[y], np.ones(y.size), bases=bases)

    def class_weights(self, priors: FloatArray | None) -> FloatArray:
        """Return the mean weight of a sample of each class where priors are given, else 1."""
        k = self.mean.size
        if priors is None:
            return np.ones(k)
        mass = sum_by(self.y, self.number * self.weight, k)
        return quotient(mass, sum_by(self.y, self.number, k), 1.0)

    @staticmethod
    def usual(share: FloatArray, values: FloatArray) -> float:
        """Return the mean of values, each counted by its share; the same bits in any order."""
        one = np.zeros(share.size, dtype=np.int64)
        return float(sum_by(one, share * values, 1)[0] / sum_by(one, share, 1)[0])

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
        rows = self._rows
        if priors is not None:  # others may have lost infinitely much
            rows = rows.some(priors[self.y] > 0)
        rows = rows.fewer()
        possible = self.unseen(priors)._rows
        how = {} if self.bases is not None else {"constants": constants, "naive": naive}
        return problem_of_means(rows, possible, self.mean.size, priors, **how)  # type: ignore[arg-type]

    @cached_property
    def _rows(self) -> MeanRows:
        bases = None if self.bases is None else self.bases * self.weight[:, None]
        return MeanRows(self.y, self.loss * self.weight, self.weight, self.number, bases, self.unit)


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
        central = (float(m[k]) for m in moments)
        least = _ROUNDING * float(mean[k]) ** 2
        parts.append(_atoms(int(k), float(size[k]), float(total[k]), *central, least=least))
    y, gap, weight, number = (np.concatenate(column) for column in zip(*parts, strict=True))
    y = y.astype(np.int64)
    return LossRows(mean, y, mean[y] + gap, weight, number)


def _atoms(
    k: int,
    size: float,
    total: float,
    drift: float,
    variance: float,
    third: float,
    *,
    least: float,
) -> tuple[FloatArray, ...]:
    """Return class, distance from the mean, weight and number of two rows with these moments.

    By squared weight the rows have the first three moments; by weight their mean distance is 0.
    """
    spread = variance - drift * drift  # about the mean by squared weight
    heavy = total / size  # weight of a sample
    if not (math.isfinite(variance) and spread > least):
        return np.array([k]), np.zeros(1), np.array([heavy]), np.array([size])
    skew = third - 3 * drift * variance + 2 * drift**3 if math.isfinite(third) else 0.0
    half = skew / (2 * spread)
    far = half + math.copysign(math.sqrt(half * half + spread), half)
    down, up = sorted((far, -spread / far))
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
