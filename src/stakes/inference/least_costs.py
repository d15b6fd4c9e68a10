"""The least cost of any threshold, in units of the best constant decision.

The least of the lower ends of all thresholds is the lower end. The least of the upper ends is too
low, since the best threshold on some rows does too well on them: half of what thresholds from other
folds cost more is added.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._counting import bincount, distinct
from stakes._kernels.group_sums import sum_by
from stakes._math import quotient
from stakes._quantiles import normal
from stakes._typing import FloatArray, IntArray
from stakes.inference.cells import Cells, Unseen
from stakes.inference.law import Problem
from stakes.inference.merging import alike, merged
from stakes.inference.scored_rows import ScoredRows

_TIMES = 4  # that folds are made, so that the ends do not depend on how
_MOST_PLACES = 8  # thresholds for each side and radius whose ends are computed
_MOST_CELLS = 2**12  # beyond which rows or groups that are nearly alike share one


@dataclass(frozen=True, eq=False)
class LeastCost:
    """Rows, and what both decisions cost each; those below a threshold get the first decision.

    `likely` has what both decisions cost a row of each class that was not seen.
    """

    rows: ScoredRows
    losses: FloatArray  # rows x decisions
    likely: FloatArray  # classes x decisions
    priors: FloatArray | None = None  # those given

    @classmethod
    def ordered(
        cls, rows: ScoredRows, losses: FloatArray, likely: FloatArray, priors: FloatArray | None
    ) -> LeastCost:
        """Return the same with rows in an order of their own, those that are alike as one."""
        rows, kept = rows.alike(*losses.T)
        return cls(rows, losses[kept], likely, priors)

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval; constant decisions are thresholds too, so it ends at 1."""
        low, high = self.problem.intervals(level).max(axis=0).tolist()
        return low, min(high + self.optimism / 2, 1.0)

    @cached_property
    def optimism(self) -> float:
        """What thresholds that are best on the rows of other folds cost more, naive 1."""
        rows, total = self.rows, 0.0
        share, each = self._share(rows.number) / rows.number, np.arange(rows.y.size)
        for own in rows.folds(_TIMES):
            rest = rows.number - own
            costs, seen = self._costs(self._share(rest)), bincount(rows.level[rest > 0]) > 0
            first = int(costs.argmin())  # the middle of those between the same two levels
            after = np.flatnonzero(np.append(seen, [True])[first:])[0]
            decided = (rows.level >= first + (after + 1) // 2 * (first > 0)).astype(np.int64)
            total += float((own * share) @ self.losses[each, decided])
        beyond = total / _TIMES - float(self._costs_seen.min())
        return max(beyond, 0.0) / float(self._constants.min())

    @cached_property
    def problem(self) -> Problem:
        """The least cost in units of each constant decision.

        A row of either class may come at the lowest and at the highest score; its weight is the
        mean over weights, since heavy rows are the likelier to matter.
        """
        cuts, y = self._cuts, np.array([0, 0, 1, 1])
        part = np.searchsorted(cuts, self.rows.level, side="right")
        ends = np.array([int(cuts[0] == 0), cuts.size - int(cuts[-1] > self.rows.n_levels - 1)])
        heavy = np.full(4, self.rows.heavy)
        possible = _added(heavy, self.likely[y], y, np.tile(ends, 2), cuts.size)
        fixed = self.priors is not None and self.rows.unit is None
        unseen = Unseen.candidates(possible[:, :0, 0], y * fixed)
        if self.rows.unit is None:
            weight, losses, own, part, number = self._alike(part)
            tables, stratum = _added(weight, losses, own, part, cuts.size), own * fixed
            every = [tables, possible]
        else:
            tables, number = self._groups_alike(part, cuts.size)
            stratum = np.zeros(number.size, dtype=np.int64)
            unseen += Unseen.candidates(tables[:, :0, 0], kind=1)
            every = [tables, possible, tables]
        kept = np.flatnonzero(self._constants > 0)
        cells = Cells(tables[:, :0, 0], number, stratum, unseen, self.rows.groups)
        costs = Costs(np.concatenate(every), cuts.size, kept, self.priors)
        members = np.arange(costs.size).reshape(kept.size, -1).tolist()
        return Problem(cells, costs, members, ["min"] * kept.size)

    def _alike(
        self, part: IntArray
    ) -> tuple[FloatArray, FloatArray, IntArray, IntArray, FloatArray]:
        """Return weights, losses, classes, parts and counts of rows, those alike as one."""
        code = 2 * part + self.rows.y
        order = np.lexsort((*self.losses.T, self.rows.weight, code))
        columns, code = np.column_stack([self.rows.weight, self.losses])[order], code[order]
        new = np.ones(code.size, dtype=np.bool_)
        new[1:] = (code[1:] != code[:-1]) | (columns[1:] != columns[:-1]).any(axis=1)
        starts = np.flatnonzero(new)
        columns, code = columns[starts], code[starts]
        number = np.add.reduceat(self.rows.number[order], starts).astype(np.float64)
        if code.size > _MOST_CELLS:
            columns[:, 1:] *= columns[:, :1]
            found = [_few(columns[own], number[own]) for own in _runs(code)]
            code = np.repeat(np.unique(code), [counts.size for _, counts in found])
            columns, number = (np.concatenate(of) for of in zip(*found, strict=True))
            columns[:, 1:] /= columns[:, :1]
        return columns[:, 0], columns[:, 1:], code % 2, code // 2, number

    def _groups_alike(self, part: IntArray, n_cuts: int) -> tuple[FloatArray, FloatArray]:
        """Return what groups add, and their counts; of many those that are nearly alike as one."""
        values = self.rows.weight, *(self.rows.weight * of for of in self.losses.T)
        sums = np.stack([self.rows.by_group(of, part, n_cuts + 1) for of in values], axis=-1)
        tables = _decided(sums)
        order = np.lexsort(tables.reshape(len(tables), -1).T)
        tables, number = tables[order], np.ones(len(tables))
        if number.size > _MOST_CELLS:
            costs = Costs(tables, n_cuts, np.array([int(self._constants.argmin())]), self.priors)
            which = np.array([0, self._cuts.searchsorted(self._costs_seen.argmin()), n_cuts - 1])
            cell = alike(costs.slopes(np.ones((3, number.size)), which).T)
            number = np.asarray(bincount(cell), dtype=np.float64)
            starts = np.searchsorted(np.sort(cell), np.arange(number.size))
            sums = np.add.reduceat(tables[np.argsort(cell, kind="stable")], starts)
            tables = sums / number[:, None, None]
        return tables, number

    def _share(self, number: IntArray) -> FloatArray:
        """Return how much the rows count for an expected cost, if there were that many."""
        mass = number * self.rows.weight
        if self.priors is None:
            return quotient(mass, mass.sum())
        return np.asarray(mass * quotient(self.priors, sum_by(self.rows.y, mass, 2))[self.rows.y])

    def _costs(
        self, share: FloatArray, power: int = 1, less: FloatArray | float = 0.0
    ) -> FloatArray:
        """Return the sum of the losses of each threshold."""
        n = self.rows.n_levels
        below, above = (
            sum_by(self.rows.level, share * (loss - less) ** power, n) for loss in self.losses.T
        )
        before, after = np.append(0.0, below.cumsum()), np.append(above[::-1].cumsum()[::-1], 0.0)
        return np.asarray(before + after)

    @cached_property
    def _costs_seen(self) -> FloatArray:
        return self._costs(self._share(self.rows.number))

    @cached_property
    def _constants(self) -> FloatArray:
        return self._costs_seen[[-1, 0]]

    @cached_property
    def _cuts(self) -> IntArray:
        """The thresholds whose ends are the least to first order, for small and large radii."""
        k, share = int(self._constants.argmin()), self._share(self.rows.number)
        least = self._costs_seen.min() / self._constants[k]
        error = np.sqrt(self._costs(share**2 / self.rows.number, 2, least * self.losses[:, k]))
        ends = [self._costs_seen + q * normal(0.95) * error for q in (-2, -1, 0, 1, 2)]
        kept = [np.argsort(of, kind="stable")[:_MOST_PLACES] for of in ends]
        return distinct(np.concatenate(kept))


def _added(
    weight: FloatArray, losses: FloatArray, y: IntArray, part: IntArray, n_cuts: int
) -> FloatArray:
    """Return what rows add to each class: weights, losses of both constants and at all cuts.

    The shape is rows x (1 + 2 + cuts) x classes.
    """
    above = part[:, None] > np.arange(n_cuts)
    at = np.where(above, losses[:, 1:], losses[:, :1])
    each = weight[:, None] * np.column_stack([np.ones(y.size), losses, at])
    return np.where((y[:, None] == [0, 1])[:, None], each[:, :, None], 0.0)


def _decided(sums: FloatArray) -> FloatArray:
    """Return the same of groups, from sums (groups x parts x classes x (1 + 2))."""
    total, below = sums.sum(axis=1), sums[:, :-1].cumsum(axis=1)
    at = below[..., 1] + total[:, None, :, 2] - below[..., 2]
    return np.concatenate([total.transpose(0, 2, 1), at], axis=1)


class Costs:
    """Costs at cuts in units of those of constant decisions: all cuts of each in turn."""

    def __init__(
        self, added: FloatArray, n_cuts: int, constants: IntArray, priors: FloatArray | None
    ) -> None:
        if priors is None:  # classes vary together
            added, priors = added.sum(axis=2, keepdims=True), np.ones(1)
        self._columns, self._priors = np.ascontiguousarray(added.transpose(1, 0, 2)), priors
        self._n_cuts, self._constants = n_cuts, constants

    @property
    def size(self) -> int:
        """How many metrics there are."""
        return self._constants.size * self._n_cuts

    def values(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the value (problems) for rows of weights (problems x rows)."""
        above, below = ((mean @ self._priors) for _, mean in self._means(weights, which))
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(above / below)

    def slopes(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the derivative of the value by each weight (problems x rows)."""
        size, found = weights @ self._columns[0], []
        for own, mean in self._means(weights, which):
            turned = (own - mean[:, None] * self._columns[0]) * (self._priors / size)[:, None]
            found.append((mean @ self._priors, turned.sum(axis=2)))
        (above, up), (below, down) = found
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray((up - (above / below)[:, None] * down) / below[:, None])

    def _means(
        self, weights: FloatArray, which: IntArray
    ) -> Iterator[tuple[FloatArray, FloatArray]]:
        """Yield what rows add to a cost, and its mean over each class: at cuts, of constants."""
        constant, cut = np.divmod(which, self._n_cuts)
        for place in (3 + cut, 1 + self._constants[constant]):
            own = self._columns[place]
            sums = (weights[:, None] @ own)[:, 0]
            yield own, sums / (weights @ self._columns[0])


def _runs(code: IntArray) -> list[slice]:
    """Return where each number stands among numbers in order."""
    starts = np.flatnonzero(np.append(True, code[1:] != code[:-1]))
    return [slice(a, b) for a, b in zip(starts, [*starts[1:], code.size], strict=True)]


def _few(columns: FloatArray, number: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return rows that are nearly alike as one."""
    influence = np.abs(columns).sum(axis=1)
    return merged(columns, number, np.zeros(number.size, dtype=np.int64), influence)[:2]
