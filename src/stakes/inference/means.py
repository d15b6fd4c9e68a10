"""Means of what rows lose, by class at given priors or over all, and their ratios to other means.

An expected loss is such a mean; in units of what constant answers lose it is a ratio of two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stakes._counting import bincount
from stakes._math import quotient, sum_by
from stakes._typing import BoolArray, FloatArray, IntArray
from stakes.inference.cells import Cells, Unseen, effective_number
from stakes.inference.law import Problem
from stakes.inference.merging import MOST_ROWS, merged_alike

Naive = Callable[[FloatArray], FloatArray]  # shares of the classes to the losses of K classes


@dataclass(frozen=True, eq=False)
class MeanRows:
    """Rows of one class each: how much they lose and weigh, and how many samples they are.

    `amount` is weight times loss. `bases` (rows x J) are the amounts of J constant answers, where
    they differ between rows of a class; `unit` is the group of each row, if groups vary.
    """

    y: IntArray
    amount: FloatArray
    weight: FloatArray
    counts: FloatArray
    bases: FloatArray | None = None
    unit: IntArray | None = None

    @property
    def table(self) -> FloatArray:
        """A row for each: class, amount, weight and bases."""
        parts = (self.y, self.amount, self.weight)
        return np.column_stack(parts if self.bases is None else (*parts, self.bases))

    def some(self, kept: BoolArray) -> MeanRows:
        """Return the rows that are kept."""
        if kept.all():
            return self
        bases = None if self.bases is None else self.bases[kept]
        unit = None if self.unit is None else self.unit[kept]
        amount, weight, counts = (x[kept] for x in (self.amount, self.weight, self.counts))
        return MeanRows(self.y[kept], amount, weight, counts, bases, unit)

    def times(self, number: FloatArray) -> MeanRows:
        """Return rows that are as many samples as told for their class."""
        each = number[self.y]
        bases = None if self.bases is None else self.bases * each[:, None]
        return replace(self, amount=self.amount * each, weight=self.weight * each, bases=bases)

    def fewer(self) -> MeanRows:
        """Return fewer rows with the same sums, where there are many: those that are alike as one.

        They agree in how far they pull the mean and its ratio to the first base.
        """
        if self.unit is not None or self.y.size <= MOST_ROWS:
            return self
        units = [self.weight, *([] if self.bases is None else self.bases.T[:1])]
        one = np.zeros(self.y.size, dtype=np.int64)
        sums = [float(sum_by(one, self.counts * x, 1)[0]) for x in (self.amount, *units)]
        pulls = [
            self.amount - sums[0] / total * unit
            for unit, total in zip(units, sums[1:], strict=True)
            if total > 0
        ]
        table = self.table[:, 1:]
        y, means, counts = merged_alike(self.y, table, self.counts, pulls, 1)
        bases = None if self.bases is None else means[:, 2:]
        return MeanRows(y, means[:, 0], means[:, 1], counts, bases)


@dataclass(frozen=True, eq=False)
class Means:
    """A mean over rows (metric 0), and its ratios to means of constant answers (1, 2, ...).

    With `priors` it is the mean of each class at its prior, else that over all rows. What constant
    answers lose is known of rows (`bases`), of classes (`constants`, J x K), or follows from the
    shares of the classes (`naive`): the best answer to them, so that a small change of the answer
    changes its loss by nothing.
    """

    rows: MeanRows
    unit: IntArray  # that a row is part of
    n_units: int
    priors: FloatArray | None
    n_classes: int
    constants: FloatArray | None = None
    naive: Naive | None = None

    @property
    def size(self) -> int:
        """How many metrics there are."""
        if self.rows.bases is not None:
            return 1 + self.rows.bases.shape[1]
        return 1 + (0 if self.constants is None else len(self.constants)) + (self.naive is not None)

    def values(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the value (problems) for units of weights (problems x units)."""
        return self._solved(weights, which)[0]

    @np.errstate(divide="ignore", invalid="ignore", over="ignore")  # where it is undefined
    def slopes(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the derivative of the value by each weight (problems x units)."""
        value, unit, base, scale = self._solved(weights, which)
        rest = self.rows.amount - value[:, None] * base
        if self.priors is not None:  # a class keeps its prior, whatever its rows weigh
            rest -= scale[1][:, self.rows.y] * self.rows.weight
            rest *= scale[0][:, self.rows.y]
        return self._by_unit(rest / unit[:, None])

    @np.errstate(divide="ignore", invalid="ignore")
    def _solved(
        self, weights: FloatArray, which: IntArray
    ) -> tuple[FloatArray, FloatArray, FloatArray, tuple[FloatArray, FloatArray]]:
        """Return values, what they are in units of, what each row adds to that, and class scales.

        Of given priors the scales are prior over weight of each class, and its mean of what is
        left of the loss.
        """
        w = weights if self.rows.unit is None else weights[:, self.unit]
        sizes = self._of_classes(w * self.rows.weight)
        base = self._base(which, sizes)
        none = (np.empty(0), np.empty(0))
        if self.priors is None:
            unit = (w * base).sum(axis=1)
            return (w * self.rows.amount).sum(axis=1) / unit, unit, base, none
        scale = np.where(self.priors > 0, self.priors / sizes, 0.0)
        lost, own = (self._of_classes(w * x) for x in (self.rows.amount, base))
        unit = np.where(which == 0, 1.0, (own * scale).sum(axis=1))
        value = (lost * scale).sum(axis=1) / unit
        left = np.where(self.priors > 0, (lost - value[:, None] * own) / sizes, 0.0)
        return value, unit, base, (scale, left)

    def _base(self, which: IntArray, sizes: FloatArray) -> FloatArray:
        """Return what each row adds to what a metric is in units of (problems x rows)."""
        y, weight = self.rows.y, self.rows.weight
        base = np.tile(weight, (which.size, 1))
        for problem in np.flatnonzero(which):
            j = which[problem] - 1
            if self.rows.bases is not None:
                base[problem] = self.rows.bases[:, j]
            elif self.constants is not None:
                base[problem] *= self.constants[j][y]
            elif self.naive is not None:
                base[problem] *= self.naive(sizes[problem] / sizes[problem].sum())[y]
        return base

    def _of_classes(self, values: FloatArray) -> FloatArray:
        """Return the sums of each class (problems x classes)."""
        order, starts, held = self._places
        out = np.zeros((len(values), self.n_classes))
        out[:, held] = np.add.reduceat(values[:, order], starts, axis=1)
        return out

    @cached_property
    def _places(self) -> tuple[IntArray, IntArray, IntArray]:
        """Rows in the order of their classes, where each class begins, and which there are."""
        order = np.argsort(self.rows.y, kind="stable")
        y = self.rows.y[order]
        starts = np.flatnonzero(np.append(True, y[1:] != y[:-1]))
        return order, starts, y[starts]

    def _by_unit(self, values: FloatArray) -> FloatArray:
        if self.rows.unit is None:
            return values
        return np.stack([bincount(self.unit, row, self.n_units) for row in values])


def problem_of_means(
    rows: MeanRows,
    possible: MeanRows,
    n_classes: int,
    priors: FloatArray | None,
    *,
    constants: FloatArray | None = None,
    naive: Naive | None = None,
) -> Problem:
    """Return the problem of a mean (number 0), and of the largest of its ratios (number 1).

    That is the loss in units of the best constant answer: the ratio to the least is the largest.
    `possible` are the rows that may occur: the worst counts half.
    """
    used = rows.counts > 0
    if priors is not None:
        used &= priors[rows.y] > 0
        possible = possible.some(priors[possible.y] > 0)
    rows = rows.some(used)
    if rows.unit is None:
        cells, parts, unit = _alone(rows, possible, fixed=priors is not None)
    else:
        cells, parts, unit = _in_groups(rows, possible, n_classes, priors)
    n = len(cells.all_columns)
    means = Means(parts, unit, n, priors, n_classes, constants, naive)
    some = tuple(range(1, means.size))
    members, picks = ([(0,), some], ["one", "max"]) if some else ([(0,)], ["one"])
    return Problem(cells, means, members, picks)  # type: ignore[arg-type]


def _alone(rows: MeanRows, possible: MeanRows, *, fixed: bool) -> tuple[Cells, MeanRows, IntArray]:
    """Return cells of rows that vary one by one; with priors their classes are fixed."""
    unseen = Unseen.candidates(possible.table, possible.y * fixed)
    cells = Cells.from_rows(rows.table, unseen, rows.y * fixed, rows.counts)
    every = cells.all_columns
    bases = None if rows.bases is None else every[:, 3:]
    y = every[:, 0].astype(np.int64)
    parts = MeanRows(y, every[:, 1], every[:, 2], np.ones(y.size), bases)
    return cells, parts, np.arange(y.size)


def _in_groups(
    rows: MeanRows, possible: MeanRows, n_classes: int, priors: FloatArray | None
) -> tuple[Cells, MeanRows, IntArray]:
    """Return cells of whole groups; rows that may occur, and each group once more, are unseen.

    Where all rows of a class lose the same, nothing tells how alike those of a group are: a row of
    the class that may occur is then as many as a group has.
    """
    assert rows.unit is not None  # noqa: S101  there are groups
    numbers, code = np.unique(rows.unit, return_inverse=True)
    n, single = numbers.size, possible.y.size
    key = code.ravel() * n_classes + rows.y
    held = np.flatnonzero(bincount(key))
    place = np.zeros(int(held[-1]) + 1, dtype=np.int64)
    place[held] = np.arange(held.size)
    own = [sum_by(place[key], rows.counts * x, held.size) for x in rows.table.T[1:]]
    y, unit = held % n_classes, held // n_classes
    table = np.column_stack([y, *own])
    rank = np.empty(n, dtype=np.int64)  # an order that does not depend on the names of groups
    rank[np.lexsort([sum_by(unit, x, n) for x in (*own, *(y * x for x in own))])] = np.arange(n)
    order = np.lexsort((y, rank[unit]))
    table, unit = table[order], rank[unit][order]
    possible = possible.times(_alike(rows, bincount(held % n_classes, minlength=n_classes)))
    names = np.arange(2 * n + single, dtype=np.float64)[:, None]
    unseen = Unseen.candidates(names[n : n + single])
    unseen += Unseen.candidates(names[n + single :], kind=1)
    cells = Cells.from_rows(names[:n], unseen, groups=_numbers(table, unit, n, priors))
    at = np.argsort(cells.all_columns[:, 0])  # cells have an order of their own
    units = np.concatenate([unit, n + np.arange(single), n + single + unit])
    every = np.concatenate([table, possible.table, table])
    bases = None if rows.bases is None else every[:, 3:]
    code = every[:, 0].astype(np.int64)
    counts = np.ones(code.size)
    parts = MeanRows(code, every[:, 1], every[:, 2], counts, bases, at[units])
    return cells, parts, at[units]


def _alike(rows: MeanRows, groups: IntArray) -> FloatArray:
    """Return how many samples of each class a group has if all lose the same; 1 if they do not."""
    loss, k = quotient(rows.amount, rows.weight), groups.size
    low, high = np.full(k, np.inf), np.full(k, -np.inf)
    np.minimum.at(low, rows.y, loss)
    np.maximum.at(high, rows.y, loss)
    each = quotient(np.asarray(bincount(rows.y, rows.counts, k)), groups, 1.0)
    return np.where(high > low, 1.0, each)


def _numbers(
    table: FloatArray, unit: IntArray, n: int, priors: FloatArray | None
) -> tuple[float, float]:
    """Return how many groups there are, and how many of equal size would be as precise."""
    y, weight = table[:, 0].astype(np.int64), table[:, 2]
    if priors is not None:
        weight = weight * quotient(priors, sum_by(y, weight, priors.size))[y]
    return float(n), effective_number(np.sort(sum_by(unit, weight, n)))
