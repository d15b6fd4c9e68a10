"""Counts of class and decision, which add; only the cells that hold samples are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar, Self

import numpy as np

from stakes._check import InputError, read_array, read_names
from stakes._counting import bincount
from stakes._kernels.group_sums import sum_by
from stakes._math import count_by, quotient, shares, times, total_by, weight_exponents
from stakes._text import quoted
from stakes._typing import ArrayLike, Counts, FloatArray, IntArray, Names, NamesLike
from stakes.costs.named_costs import default_decisions

_MOST_CELLS = 2**26
_MOST_COUNTED = 2**14  # cells of a whole table
_BLOCK = 2**16  # samples that are counted at a time


@dataclass(frozen=True, eq=False)
class ConfusionCounts:
    """Weight of the samples of each class that got each decision: N_ij.

    Cells are sorted by class, then decision. Their weights are whole numbers where samples have no
    weights. `square` sums squared weights, which standard errors need. Extreme weights are kept on
    a scale of 2**exponent per class, which is 0 for weights of any common size.
    """

    classes: Names
    decisions: Names
    row: IntArray
    column: IntArray
    weight: Counts
    square: Counts
    exponent: IntArray

    @classmethod
    def from_codes(
        cls,
        y: IntArray,
        d: IntArray,
        weights: FloatArray | None,
        classes: Names,
        decisions: Names,
        copies: IntArray | None = None,
    ) -> Self:
        """Return the counts of classes and decisions that are given as indices.

        Parameters
        ----------
        y : array of N ints
            The index of each sample's class.
        d : array of N ints
            The index of each sample's decision.
        weights : array of N floats, or None
            Weights above 0; None if all count the same.
        classes : tuple of K names
            The classes.
        decisions : tuple of M names
            The decisions.
        copies : array of N ints, optional
            How many samples each row stands for; by default one.
        """
        k, m = len(classes), len(decisions)
        exponent = np.zeros(k, dtype=np.int64)
        if weights is None:
            cell, counts = _counted(y, d, copies, (k, m))
            total: Counts = counts
            square: Counts = counts
        else:
            cell, code = _cells(y * m + d, k * m)
            exponent = weight_exponents(y, weights, k)
            scaled = np.ldexp(weights, -exponent[y])
            total, square = (
                sum_by(code, times(term, copies), cell.size) for term in (scaled, np.square(scaled))
            )
        row, column = np.divmod(cell, m)
        return cls(classes, decisions, row, column, total, square, exponent)

    @classmethod
    def from_counts(
        cls,
        counts: ArrayLike,
        *,
        classes: NamesLike | None = None,
        decisions: NamesLike | None = None,
    ) -> Self:
        """Return the matrix for a table of counts, classes in rows and decisions in columns.

        Parameters
        ----------
        counts : array of shape (K, M)
            How many samples of each class got each decision.
        classes : sequence of K names, optional
            By default 0 to K - 1.
        decisions : sequence of M names, optional
            By default the classes, where there are as many decisions.
        """
        table = _read_counts(counts)
        k, m = table.shape
        rows = read_names(k if classes is None else classes, "classes")
        default = default_decisions(classes, rows, m) if decisions is None else decisions
        columns = read_names(default, "decisions", mixed=True)
        if (len(rows), len(columns)) != table.shape:
            rule = "must have one row per class and one column per decision"
            got = f"{k} x {m} for {len(rows)} classes and {len(columns)} decisions"
            raise InputError("counts", rule, got)
        row, column = np.nonzero(table)
        cells = table[row, column]
        exponent = np.zeros(k, dtype=np.int64)
        if cells.dtype.kind != "f":
            return cls(rows, columns, row, column, cells, cells, exponent)
        exponent = weight_exponents(row, cells.astype(np.float64, copy=False), k)
        weight, square = (np.ldexp(cells, -power * exponent[row]) for power in (1, 2))
        return cls(rows, columns, row, column, weight, square, exponent)

    @property
    def counts(self) -> Counts:
        """The whole table N_ij, classes in rows."""
        return self._spread(self.cells)

    @property
    def rates(self) -> FloatArray:
        """R_ij = N_ij / N_i*, the share of class i that got decision j; NaN for an empty class."""
        table = self._spread(self.weight / self.class_weight[self.row]).astype(np.float64)
        table[self.class_weight == 0] = np.nan
        return table

    @cached_property
    def priors(self) -> FloatArray:
        """P_i = N_i* / N, the share of each class in the data."""
        return shares(self.class_weight, self.exponent)

    def alike(self) -> tuple[FloatArray, FloatArray]:
        """Return weight and number of samples of one weight that are as precise, for each cell.

        Of weights only sums and sums of squares are known. The largest weight is 1.
        """
        total, square = (x.astype(np.float64) for x in (self.weight, self.square))
        above = (self.exponent - self.exponent.max())[self.row]
        weight = np.ldexp(quotient(square, total), above)
        return weight / weight.max(), quotient(np.square(total), square)

    @property
    def decision_rates(self) -> FloatArray:
        """R_*j = N_*j / N, the share of the data that got each decision."""
        weight = self.aligned
        return sum_by(self.column, weight, len(self.decisions)) / math.fsum(weight)

    @cached_property
    def class_weight(self) -> FloatArray:
        """N_i* on the scale of each class."""
        return self._by_class(self.weight)

    @property
    def size(self) -> FloatArray:
        """How many equal samples each class is worth: (sum w)^2 / sum w^2."""
        if self.square is self.weight:
            return self.class_weight
        return quotient(np.square(self.class_weight), self._by_class(self.square))

    @property
    def n(self) -> float:
        """Total weight N; the number of samples where they have no weights."""
        return math.fsum(self.cells.tolist())

    @property
    def whole(self) -> bool:
        """Whether the weights are whole numbers, as counts of samples are."""
        return self.weight.dtype.kind == "i"

    @property
    def cells(self) -> Counts:
        """The weights of the cells in deployment, in the units they were given in."""
        exponent = self.exponent[self.row]
        with np.errstate(over="ignore", under="ignore"):
            return np.ldexp(self.weight, exponent) if exponent.any() else self.weight

    @property
    def aligned(self) -> FloatArray:
        """The weights of the cells in deployment, all on one scale."""
        exponent = self.exponent[self.row]
        return np.ldexp(self.weight.astype(np.float64, copy=False), exponent - exponent.max())

    def _by_class(self, cells: Counts) -> FloatArray:
        return sum_by(self.row, cells.astype(np.float64, copy=False), len(self.classes))

    def _spread(self, cells: Counts) -> Counts:
        k, m = len(self.classes), len(self.decisions)
        if k * m > _MOST_CELLS:
            msg = f"a table of {k} classes and {m} decisions must not be written out: {k * m} cells"
            raise InputError(
                f"{msg}. Read row, column and weight of the {cells.size} cells in use."
            )
        table: Counts = np.zeros((k, m), dtype=cells.dtype)  # type: ignore[assignment]
        table[self.row, self.column] = cells
        return table

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ConfusionCounts):
            return NotImplemented
        if (self.classes, self.decisions) != (other.classes, other.decisions):
            return False
        return all(
            np.array_equal(getattr(self, part), getattr(other, part))
            for part in ("row", "column", "weight", "square", "exponent")
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __radd__(self, other: object) -> Self:
        return self if other == 0 else NotImplemented  # so that sum() works

    def __add__(self, other: Self) -> Self:
        if not isinstance(other, ConfusionCounts):
            return NotImplemented
        for what in ("classes", "decisions"):
            ours, theirs = getattr(self, what), getattr(other, what)
            if ours != theirs:
                msg = f"confusion matrices must have the same {what} to add up: got {quoted(ours)}"
                raise InputError(f"{msg} and {quoted(theirs)}.")
        both = (self, other)
        row, column, weight, square = (
            np.concatenate([getattr(s, name) for s in both])
            for name in ("row", "column", "weight", "square")
        )
        exponent = np.concatenate([s.exponent[s.row] for s in both])
        names = self.classes, self.decisions
        return self._gathered(*names, row, column, weight, square, exponent)

    @classmethod
    def _gathered(
        cls,
        classes: Names,
        decisions: Names,
        row: IntArray,
        column: IntArray,
        weight: Counts,
        square: Counts,
        exponent: IntArray,
    ) -> Self:
        """Put cells together that share class and decision, on the largest scale of each class."""
        cell, code = _cells(row * len(decisions) + column, len(classes) * len(decisions))
        top = np.full(len(classes), np.iinfo(np.int64).min)
        np.maximum.at(top, row, exponent)
        shift = exponent - top[row]
        totals = [
            total_by(code, np.ldexp(part, power * shift) if shift.any() else part)
            for part, power in ((weight, 1), (square, 2))
        ]
        scale = np.where(bincount(row, minlength=top.size) > 0, top, 0)
        row, column = np.divmod(cell, len(decisions))
        return cls(classes, decisions, row, column, totals[0], totals[1], scale)


def _counted(
    y: IntArray, d: IntArray, copies: IntArray | None, shape: tuple[int, int]
) -> tuple[IntArray, IntArray]:
    """Return the cells in use and their counts: some thousand samples at a time in a table."""
    (k, m), n = shape, y.size
    if k * m > _MOST_COUNTED:
        cell, code = _cells(y * m + d, k * m)
        return cell, count_by(code, copies, cell.size)
    table = np.zeros(k * m, dtype=np.int64)
    for part in (slice(start, start + _BLOCK) for start in range(0, n, _BLOCK)):
        some = None if copies is None else copies[part]
        table += count_by(y[part] * m + d[part], some, k * m)
    cell = np.flatnonzero(table)
    return cell, table[cell]


def _cells(cell: IntArray, n_cells: int) -> tuple[IntArray, IntArray]:
    """Return the cells in use, sorted, and for each entry which of them it is."""
    if n_cells <= max(1024, 4 * cell.size):
        used = np.flatnonzero(bincount(cell, minlength=n_cells))
        rank = np.zeros(n_cells, dtype=np.int64)
        rank[used] = np.arange(used.size)
        return used, rank[cell]
    used, code = np.unique(cell, return_inverse=True)
    return used, code


def _read_counts(counts: ArrayLike) -> Counts:
    """Read a table of finite counts of at least 0, whole numbers as such."""
    table = np.asarray(counts)
    if table.dtype.kind not in "iu" or (table.size and table.max() > 2**62):
        table = read_array(counts, "counts")
    if table.ndim != 2 or not table.size:
        rule = "must be 2-D, classes in rows and decisions in columns"
        raise InputError("counts", rule, table.shape)
    bad = ~np.isfinite(table) | (table < 0)
    if bad.any():
        i, j = (int(k) for k in np.argwhere(bad)[0])
        got = f"{table[i, j]} at (row, column) ({i}, {j})"
        raise InputError("counts", "must be finite and at least 0", got)
    if not table.any():
        raise InputError("counts", "must hold at least one sample", found="all are 0")
    return table.astype(np.int64) if table.dtype.kind in "iu" else table
