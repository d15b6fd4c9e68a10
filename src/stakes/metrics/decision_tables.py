"""Rows by class and decision, from which metrics of hard decisions get their intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._math import quotient
from stakes._typing import FloatArray, IntArray, NDArray
from stakes.inference.cells import OWN, Cells, Unseen, effective_number
from stakes.inference.law import Problem
from stakes.inference.totals import Formula, Less, Totals
from stakes.loss_rows import LossRows
from stakes.metrics.margin_totals import MarginTotals
from stakes.metrics.traditional import DecisionMetric, FourCounts
from stakes.statistics import ConfusionCounts

_MOST_POSSIBLE = 2**12  # classes times decisions, up to which each pair is a row that may occur
_FEW = 2**10  # rows, up to which those that are alike need not be counted first
_OTHER = [1, 0, 3, 2]  # the same class with the other decision


@dataclass(frozen=True, eq=False)
class DecisionTable:
    """Rows of one class and weight that got one decision, with how many there are of each.

    Rows vary one by one, or groups as a whole. Where priors are given, the number of rows of each
    class is fixed.
    """

    y: IntArray
    decided: IntArray
    number: FloatArray
    weight: FloatArray  # at most 1
    shape: tuple[int, int]  # classes and decisions
    priors: FloatArray | None = None  # those given
    unit: IntArray | None = None  # of groups

    @classmethod
    def from_counts(cls, counts: ConfusionCounts, priors: FloatArray | None) -> DecisionTable:
        """Return the rows that counts stand for."""
        weight, number = counts.alike()
        shape = len(counts.classes), len(counts.decisions)
        return cls(counts.row, counts.column, number, weight, shape, priors)

    def problem(self, metrics: Sequence[DecisionMetric]) -> Problem:
        """Return the problem of metrics, in their order; of more classes that of a correlation."""
        if self.shape != (2, 2):
            return self._correlation()
        columns = self._columns(self.decided)
        unseen = Unseen.candidates(self._possible, self._strata_of_possible)
        if self.unit is not None:
            columns = self._by_group(columns)
            unseen += Unseen.candidates(np.unique(columns, axis=0), kind=1)
        cells = self._cells(columns, unseen)
        formulas = [_formula(m, self.priors, inverse=self.inverts(m)) for m in metrics]
        return Problem.single(cells, Totals(cells.all_columns, formulas))

    def inverts(self, metric: DecisionMetric) -> bool:
        """Whether the problem is about 1 over a metric: one that can be infinite, and is not 0."""
        return metric.unbounded and bool((self.y * self.decided * self.number).any())

    def difference(self, other: DecisionTable, metrics: Sequence[DecisionMetric]) -> Problem:
        """Return the problem of metrics less those of other decisions about the same rows."""
        if self.unit is None and self.decided.size > _FEW and (self.weight == 1).all():
            return DecisionTable.difference(*self._counted(other), metrics)
        share = self.number * self.weight * (self.decided != other.decided)
        if self.shape != (2, 2):
            return self._correlations_less(other, share)
        columns = np.hstack([self._columns(self.decided), self._columns(other.decided)])
        possible = np.hstack([self._possible, self._possible[_OTHER]])
        kind = OWN if share.any() else 0  # half a row of those that differ, else the worst row
        unseen = Unseen.candidates(possible, self._strata_of_possible, kind)
        if share.any():
            unseen += Unseen.shared(_exchanged(columns), self._stratum, share)
        if self.unit is not None:
            columns = self._by_group(columns)
            unseen += Unseen.candidates(np.unique(_exchanged(columns), axis=0), kind=kind + 1)
        cells, formulas = self._cells(columns, unseen), [_formula(m, self.priors) for m in metrics]
        both = (Totals(part, formulas) for part in np.hsplit(cells.all_columns, 2))
        return Problem.single(cells, Less(*both))

    def _counted(self, other: DecisionTable) -> tuple[DecisionTable, DecisionTable]:
        """Return both tables with a row for each class and pair of decisions."""
        j = self.shape[1]
        code = (self.y * j + self.decided) * j + other.decided
        cells, place = np.unique(code, return_inverse=True)
        number = np.asarray(bincount(place, self.number), dtype=np.float64)
        y, first, second = cells // (j * j), cells // j % j, cells % j
        weight = np.ones(cells.size)
        mine = replace(self, y=y, decided=first, number=number, weight=weight)
        return mine, replace(mine, decided=second)

    def losses(self, loss: FloatArray, mean: FloatArray) -> LossRows:
        """Return what the rows lose; `mean` is that of each class."""
        return LossRows(mean, self.y, loss, self.weight, self.number, unit=self.unit)

    @property
    def _fixed(self) -> bool:
        """Whether the number of rows of each class is fixed; groups hold rows of several."""
        return self.priors is not None and self.unit is None

    @property
    def _stratum(self) -> IntArray:
        return self.y if self._fixed else np.zeros_like(self.y)

    @cached_property
    def _heaviest(self) -> FloatArray:
        """The size-biased weight of rows with each decision, of all rows where there are none."""
        mass, j = self.number * self.weight, self.shape[1]
        square = bincount(self.decided, mass * self.weight, j)
        overall = square.sum() / mass.sum()
        return quotient(square, np.asarray(bincount(self.decided, mass, j)), overall)

    @property
    def _possible(self) -> FloatArray:
        """The rows of two classes that may occur: each class with each decision."""
        return np.eye(4) * np.tile(self._heaviest, 2)

    @property
    def _strata_of_possible(self) -> IntArray:
        return np.array([0, 0, 1, 1]) * self._fixed

    def _columns(self, decided: IntArray) -> FloatArray:
        """Return a column for each class and decision: the weight of rows that have both."""
        place = 2 * self.y + decided
        return np.where(place[:, None] == np.arange(4), self.weight[:, None], 0.0)

    def _by_group(self, columns: FloatArray) -> FloatArray:
        """Return the sums of each group that has rows."""
        assert self.unit is not None  # noqa: S101  there are groups
        used = bincount(self.unit) > 0
        sums = [bincount(self.unit, self.number * of)[used] for of in columns.T]
        return np.column_stack(sums)

    def _cells(self, columns: FloatArray, unseen: Unseen) -> Cells:
        if self.unit is None:
            return Cells.from_rows(columns, unseen, self._stratum, self.number)
        return Cells.from_rows(columns, unseen, groups=self._groups)

    @cached_property
    def _groups(self) -> tuple[float, float] | None:
        """The number of groups, and how many of equal size would be as precise."""
        if self.unit is None:
            return None
        k = self.shape[0]
        place = self.unit * k + self.y
        mass = self.number * self.weight
        sizes = np.asarray(bincount(place, mass, int(self.unit.max() + 1) * k), dtype=np.float64)
        of_classes = sizes.reshape(-1, k).T
        some = [effective_number(of[of > 0]) for of in of_classes if of.any()]
        return float(np.count_nonzero(bincount(self.unit))), min(some)

    def _correlation(self) -> Problem:
        """Return the problem of the correlation of any number of classes."""
        k, j = self.shape
        y, decided = self.y, self.decided
        if k * j <= _MOST_POSSIBLE:
            y, decided = np.divmod(np.arange(k * j), j)
        possible = np.column_stack([y, decided, self._heaviest[decided]])
        rows = np.column_stack([self.y, self.decided, self.weight])
        cells, parts = self._parts(rows, Unseen.candidates(possible, y * self._fixed), rows, 1)
        return Problem.single(cells, parts.correlation(1))

    def _correlations_less(self, other: DecisionTable, share: FloatArray) -> Problem:
        """Return the problem of the difference of two correlations."""
        k = np.arange(self.shape[0])
        turned = (k + 1) % k.size
        pairs = np.column_stack([np.tile(k, 2), np.append(k, turned), np.append(turned, k)])
        possible = np.column_stack([pairs, self._heaviest[pairs[:, 1]]])
        rows = np.column_stack([self.y, self.decided, other.decided, self.weight])
        swapped, kind = rows[:, [0, 2, 1, 3]], OWN if share.any() else 0
        unseen = Unseen.candidates(possible, pairs[:, 0] * self._fixed, kind)
        if share.any():
            unseen += Unseen.shared(swapped, self._stratum, share)
        cells, parts = self._parts(rows, unseen, swapped, kind + 1)
        return Problem.single(cells, Less(parts.correlation(1), parts.correlation(2)))

    def _parts(
        self, rows: FloatArray, unseen: Unseen, of_groups: FloatArray, kind: int
    ) -> tuple[Cells, _Parts]:
        """Return cells and the rows they consist of; of groups also as they may occur again."""
        if self.unit is None:
            cells = self._cells(rows, unseen)
            n = len(cells.all_columns)
            return cells, _Parts(self, cells.all_columns, np.arange(n), np.ones(n))
        code = np.unique(self.unit, return_inverse=True)[1]
        n, single = int(code.max()) + 1, len(unseen.columns)
        names = np.arange(2 * n + single, dtype=np.float64)[:, None]  # of units
        alone = replace(unseen, columns=names[n : n + single])
        again = Unseen.candidates(names[n + single :], kind=kind)
        cells = self._cells(names[:n], alone + again)
        place = np.argsort(cells.all_columns[:, 0])  # cells have an order of their own
        unit = place[np.concatenate([code, n + np.arange(single), n + single + code])]
        number = np.concatenate([self.number, np.ones(single), self.number])
        every = np.concatenate([rows, unseen.columns, of_groups])
        return cells, _Parts(self, every, unit, number)


@dataclass(frozen=True, eq=False)
class _Parts:
    """Rows of class, decisions and weight in units, and how many of each a unit has."""

    table: DecisionTable
    rows: FloatArray
    unit: IntArray
    number: FloatArray

    def correlation(self, column: int) -> MarginTotals:
        """Return the correlation of the classes with the decisions of a column."""
        y, decided = self.rows[:, 0].astype(np.int64), self.rows[:, column].astype(np.int64)
        mass = self.rows[:, -1] * self.number
        return MarginTotals(y, decided, mass, self.unit, self.table.shape, self.table.priors)


def _formula(
    metric: DecisionMetric, priors: FloatArray | None, *, inverse: bool = False
) -> Formula:
    return partial(_of_four, metric, priors, inverse)


def _of_four(
    metric: DecisionMetric,
    priors: FloatArray | None,
    inverse: bool,  # noqa: FBT001  of a partial function
    t: NDArray[Any],
) -> NDArray[Any]:
    """Return a metric, or 1 over it, from the weights of the four kinds of rows."""
    n = t.reshape(*t.shape[:-1], 2, 2)
    if priors is not None:
        n = n * (priors / n.sum(axis=-1))[..., None]
    four = FourCounts(n[..., 0, 0], n[..., 0, 1], n[..., 1, 0], n[..., 1, 1])
    return metric.inverse(four) if inverse else metric.values(four)


def _exchanged(columns: FloatArray) -> FloatArray:
    return np.hstack([columns[:, 4:], columns[:, :4]])
