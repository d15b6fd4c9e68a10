"""Sums within each class under other weights, which is all that most metrics need."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._kernels.draws import multinomial_dot
from stakes._typing import FloatArray, IntArray
from stakes.intervals.resampling import Resampling

Stream = Callable[[range], FloatArray]  # from the numbers of resamples to a row of values for each


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Sums of some columns (C x N) over the samples of each class; last comes their weight."""

    columns: FloatArray
    y: IntArray
    n_classes: int

    def under(self, weights: FloatArray) -> FloatArray:
        """Return rows x classes x (C + 1) for rows of weights."""
        out = np.empty((len(weights), self.n_classes, len(self.columns) + 1))
        for k, members in enumerate(self._members):
            part, mine = self.columns[:, members], weights[:, members]
            out[:, k, -1] = mine.sum(axis=1)
            with np.errstate(invalid="ignore"):  # of an infinite loss that was not drawn
                sums = [part @ row for row in mine]  # row by row: the same bits in any block
            out[:, k, :-1] = np.stack(sums)
        return out

    def stream(self, plan: Resampling) -> Stream:
        """Return what gives the same for some resamples, without the weights of each sample."""
        columns = self._weighted(plan)
        if plan.place is None and (self.y[1:] >= self.y[:-1]).all():
            return self._by_class(columns, plan)
        cell = self.y * plan.units + (np.arange(plan.n) if plan.place is None else plan.place)
        size = self.n_classes * plan.units
        shape = self.n_classes, plan.units
        apart = np.stack([_sums(cell, column, size).reshape(shape) for column in columns], axis=1)
        table = apart.reshape(-1, plan.units)

        def drawn(rows: range) -> FloatArray:
            sums, _ = multinomial_dot(
                table, plan.sizes, plan.key, rows, stratified=plan.sizes.size > 1
            )
            return sums.sum(axis=1).reshape(len(rows), self.n_classes, -1)

        return drawn

    def left_out(self, plan: Resampling) -> FloatArray:
        """Return the same with each part of the samples left out in turn."""
        parts = int(plan.parts.max()) + 1
        cell = plan.parts * self.n_classes + self.y
        shape = parts, self.n_classes
        own, many = (
            np.stack([_sums(cell, x, parts * self.n_classes).reshape(shape) for x in xs], axis=2)
            for xs in (self._weighted(plan), [np.ones(plan.n)])
        )
        rest = np.asarray(own.sum(axis=0) - own, dtype=np.float64)
        return np.where(many == many.sum(axis=0), 0.0, rest)  # where a class was in one part only

    def _by_class(self, columns: FloatArray, plan: Resampling) -> Stream:
        """Return the stream of samples that lie in the order of their classes."""
        sizes = np.bincount(self.y, minlength=self.n_classes)
        kept = plan.strata is not None
        table = columns if plan.weights is not None else columns[:-1]

        def drawn(rows: range) -> FloatArray:
            sums, weight = multinomial_dot(table, sizes, plan.key, rows, stratified=kept)
            return sums if plan.weights is not None else np.dstack([sums, weight])

        return drawn

    def _weighted(self, plan: Resampling) -> FloatArray:
        every = np.vstack([self.columns, np.ones(self.y.size)])
        return every if plan.weights is None else every * plan.weights

    @cached_property
    def _members(self) -> list[IntArray | slice]:
        """The samples of each class; a slice, which needs no copy, where they lie together."""
        rows = [np.flatnonzero(self.y == k) for k in range(self.n_classes)]
        return [
            slice(int(r[0]), int(r[-1]) + 1) if r.size and r[-1] - r[0] + 1 == r.size else r
            for r in rows
        ]


def _sums(cell: IntArray, values: FloatArray, size: int) -> FloatArray:
    sums: FloatArray = np.bincount(cell, values, size)  # type: ignore[assignment]
    return sums
