"""Rows that are alike as one cell with a count, and rows that may occur but were not seen."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from stakes._typing import FloatArray, IntArray

HALF = 0.5  # rows that the unseen row counts for, which would move a metric most
TRACE = 1e-9  # rows that each other one that may occur counts for
OWN = -1  # the kind of unseen rows that have a mass of their own


@dataclass(frozen=True, eq=False)
class Unseen:
    """Rows that may occur. Of each kind 0, 1, ... the worst counts half; others count `mass`."""

    columns: FloatArray
    stratum: IntArray
    kind: IntArray
    mass: FloatArray

    @classmethod
    def candidates(
        cls, columns: FloatArray, stratum: IntArray | int = 0, kind: IntArray | int = 0
    ) -> Unseen:
        """Return rows of which the worst of each kind counts half, and the others a trace."""
        n, columns = len(columns), np.asarray(columns, dtype=np.float64)
        strata, kinds = (np.array(np.broadcast_to(given, n)) for given in (stratum, kind))
        return cls(columns, strata, kinds, np.full(n, TRACE))

    @classmethod
    def shared(cls, columns: FloatArray, stratum: IntArray, share: FloatArray) -> Unseen:
        """Return rows that count half a row together, shared out as told; those of no share go."""
        some = share > 0
        mass = HALF * share[some] / math.fsum(share)
        return cls(columns[some], stratum[some], np.full(mass.size, OWN), mass)

    @classmethod
    def swapped(cls, columns: FloatArray, counts: FloatArray, stratum: IntArray) -> Unseen:
        """Return rows of a difference with the two systems exchanged: half a row, shared by size.

        All columns change their sign if the systems change their names.
        """
        size = np.abs(columns).sum(axis=1)
        largest = max(float(size.max(initial=0.0)), 1e-300)
        return cls.shared(-columns, stratum, counts * (size / largest))

    def __add__(self, other: Unseen) -> Unseen:
        parts = ("columns", "stratum", "kind", "mass")
        return Unseen(*(np.concatenate([getattr(self, p), getattr(other, p)]) for p in parts))

    def sorted(self) -> Unseen:
        """Return the same rows in an order of their own."""
        order = np.lexsort((self.mass, *self.columns.T[::-1], self.kind, self.stratum))
        columns, stratum = self.columns[order], self.stratum[order]
        return Unseen(columns, stratum, self.kind[order], self.mass[order])


@dataclass(frozen=True, eq=False)
class Cells:
    """Rows, or groups of rows summed, in an order of their own, equal ones merged.

    Attributes
    ----------
    columns : array of U x C
        What totals add up.
    counts : array of U
        How many rows a cell stands for.
    stratum : array of U
        From 0: the design fixed how many rows a stratum has. Classes where priors are given, else
        all 0.
    unseen : Unseen
    groups : tuple of float, optional
        Number and effective number of groups, if groups vary independently and not rows.
    """

    columns: FloatArray
    counts: FloatArray
    stratum: IntArray
    unseen: Unseen
    groups: tuple[float, float] | None = field(default=None)

    @classmethod
    def from_rows(
        cls,
        columns: FloatArray,
        unseen: Unseen,
        stratum: IntArray | int = 0,
        counts: IntArray | FloatArray | float = 1.0,
        groups: tuple[float, float] | None = None,
    ) -> Cells:
        """Sort rows, so that no order of theirs changes a bit, and merge those that are equal.

        Rows that count 0 are left out.
        """
        columns = np.asarray(columns, dtype=np.float64)
        stratum = np.broadcast_to(np.asarray(stratum, dtype=np.int64), len(columns))
        counts = np.broadcast_to(np.asarray(counts, dtype=np.float64), len(columns))
        order = np.lexsort((*columns.T[::-1], stratum))
        order = order[counts[order] > 0]
        columns, stratum, counts = columns[order], stratum[order], counts[order]
        first = np.ones(order.size, dtype=np.bool_)
        first[1:] = (columns[1:] != columns[:-1]).any(axis=1) | (stratum[1:] != stratum[:-1])
        starts = np.flatnonzero(first)
        totals = np.add.reduceat(counts, starts) if starts.size else counts
        return cls(columns[starts], totals, stratum[starts], unseen.sorted(), groups)

    @cached_property
    def all_columns(self) -> FloatArray:
        """Columns of the rows seen, then of those unseen."""
        return np.concatenate([self.columns, self.unseen.columns])

    @cached_property
    def all_strata(self) -> IntArray:
        """The strata of the same rows."""
        return np.concatenate([self.stratum, self.unseen.stratum])

    @cached_property
    def strata(self) -> FloatArray:
        """A column for each stratum, 1 for its rows, seen or not."""
        number = int(self.all_strata.max(initial=0)) + 1
        return np.equal.outer(self.all_strata, np.arange(number)).astype(np.float64)

    @cached_property
    def observed(self) -> FloatArray:
        """The weights of the same rows without those unseen."""
        return np.concatenate([self.counts, np.zeros(len(self.unseen.mass))])

    def augmented(self, harm: FloatArray) -> FloatArray:
        """Return the weights of the same rows for each problem, its worst unseen rows among them.

        `harm` (problems x rows) is how much a little of each row moves a metric the wrong way.
        """
        weights = np.tile(np.concatenate([self.counts, self.unseen.mass]), (len(harm), 1))
        n, each = len(self.counts), np.arange(len(harm))
        for kind in range(int(self.unseen.kind.max(initial=OWN)) + 1):
            worst = np.where(self.unseen.kind == kind, harm[:, n:], -np.inf).argmax(axis=1)
            weights[each, n + worst] = HALF
        return weights


def effective_number(sizes: FloatArray) -> float:
    """Return how many groups of equal size are as precise as groups of these sizes."""
    largest = float(sizes.max())
    scaled = sizes / largest
    return math.fsum(scaled) ** 2 / math.fsum(np.square(scaled))
