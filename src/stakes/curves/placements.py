"""Areas under ROC curves as sums over samples, from which they get intervals and tests.

The placement of a sample is the share of the other class that it is ranked rightly against, ties
counted one half. The area is the mean placement of either class. As the samples of both classes
vary, it varies like the sum of both means, of placements among the samples that were observed.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._kernels.group_sums import sum_by
from stakes._kernels.kernel_records import Pairs, Places
from stakes._kernels.keys import level_places
from stakes._math import cumulative, quotient
from stakes._typing import Counts, FloatArray, IntArray, NDArray
from stakes.inference.cells import OWN, TRACE, Cells, Unseen, effective_number
from stakes.inference.law import FEWEST_GROUPS, Problem
from stakes.inference.merging import MOST_ROWS, merged
from stakes.inference.totals import Totals
from stakes.results import Estimate, Interval
from stakes.statistics import ScoreLevels

ONE_GROUP = "some class occurs in one group only"
_BY_CHANCE = 0.5  # placement of a sample that is ranked without regard to its class
_LIGHTEST = 1e-100  # of the largest weight


@dataclass(frozen=True, eq=False)
class Placements:
    """Rows by class and placement, with the weight of a sample and how many samples there are.

    Samples vary one by one within their classes, since an area does not depend on how many there
    are of each; or groups vary as a whole.
    """

    y: IntArray
    place: FloatArray  # of two systems the difference
    weight: FloatArray  # at most 1
    number: FloatArray
    best: tuple[float, float]  # placement that the best score gives to a sample of each class
    unit: IntArray | None = None  # of groups

    @classmethod
    def from_levels(cls, levels: ScoreLevels) -> Placements:
        """Return the placements of samples without weights."""
        first, second = levels.first, levels.second
        n1, n2 = (int(n) for n in levels.totals)
        if levels.level.size > MOST_ROWS:
            total = (second * (2.0 * cumulative(first)[:-1] + first)).sum()  # may pass 64 bits
            pairs = Pairs(int(total), n1, n2)
            whole = first.astype(np.int64, copy=False), second.astype(np.int64, copy=False)
            return cls.from_places(level_places(*whole, pairs), pairs)
        both, counts = _at_levels(first, second), (first, second)
        held = [count > 0 for count in counts]
        y = np.repeat([0, 1], [own.sum() for own in held])
        place, number = (
            np.concatenate([of[own] for of, own in zip(parts, held, strict=True)])
            for parts in (both, counts)
        )
        return cls(y, place, np.ones(y.size), number.astype(np.float64), _best(both))

    @classmethod
    def from_places(cls, places: Places, pairs: Pairs) -> Placements:
        """Return the placements of samples without weights, in cells."""
        share = places.below / np.array([pairs.second, pairs.first])[places.y]
        place = np.where(places.y == 1, share, 1 - share)
        best = 1 - places.ends[0] / 2 / pairs.second, 1 - places.ends[1] / 2 / pairs.first
        return cls(places.y, place, np.ones(place.size), places.number, best)

    @classmethod
    def from_scores(
        cls,
        scores: FloatArray,
        y: IntArray,
        weights: FloatArray | None = None,
        unit: IntArray | None = None,
        copies: IntArray | None = None,
    ) -> Placements:
        """Return the placements of rows that stand for `copies` samples."""
        level, at = np.unique(scores, return_inverse=True)
        one = np.ones(y.size)
        weight = one if weights is None else np.maximum(weights / weights.max(), _LIGHTEST)
        number = one if copies is None else copies.astype(np.float64)
        sums = sum_by(2 * at + y, number * weight, 2 * level.size)
        both = _at_levels(sums[::2], sums[1::2])
        place = np.where(y == 1, both[1][at], both[0][at])
        return cls(y, place, weight, number, _best(both), unit)

    def less(self, other: Placements) -> Placements:
        """Return by how much each sample is ranked better than by another system."""
        return replace(self, place=self.place - other.place, best=(1.0, 1.0))

    @cached_property
    def value(self) -> float:
        """The mean over the samples of the second class: the area, or the difference of two."""
        return self._means[1]

    @cached_property
    def why_none(self) -> str:
        """Why there is no interval; empty where there is one."""
        if (self.place == _BY_CHANCE).all() and self.best == (_BY_CHANCE, _BY_CHANCE):
            return "all samples have one score"
        number, effective = self._groups or (math.inf, math.inf)
        if number < FEWEST_GROUPS:
            return f"needs {FEWEST_GROUPS} groups: got {number:g}"
        return ONE_GROUP if effective <= 1 else ""

    def estimate(self, value: float, level: float) -> Estimate:
        """Return the area with its interval, or why it has none."""
        if self.why_none:
            return Estimate(value, None, self.why_none)
        low, high = self.problem.intervals(level)[0].tolist()
        band = Interval(max(min(low, value), 0.0), min(max(high, value), 1.0), level)
        return Estimate(value, band, "likelihood" if self.unit is None else "likelihood, by group")

    @cached_property
    def problem(self) -> Problem:
        """The area: a sample of either class may come at the best score, or at a bad one."""
        place = [
            end
            for k in (0, 1)
            for end in (min(_BY_CHANCE, float(self.place[self.y == k].min())), self.best[k])
        ]
        unseen = Unseen.candidates(*self._possible(np.array(place)))
        if self.unit is not None:
            unseen += Unseen.candidates(self._units[0], kind=1)
        return self._problem(unseen)

    @cached_property
    def difference(self) -> Problem:
        """The difference of two areas: unseen, the systems may change places on a sample."""
        few = self._few
        sizes = few.weight * np.abs(few.place)
        total, square = (bincount(few.y, few.number * x, 2) for x in (sizes, sizes * sizes))
        large = quotient(square, total, square.sum() / total.sum())  # a sum is of large ones
        columns, stratum = self._possible(np.outer(large, [-1.0, 1.0]).ravel())
        trace = Unseen(columns, stratum, np.full(4, OWN), np.full(4, TRACE))
        total = bincount(few.y, few.number * few.weight, 2)[few.y]
        turned = few._columns * [1.0, -1.0, 1.0, -1.0]
        unseen = trace + Unseen.shared(turned, few._stratum, few.number * sizes / total)
        if self.unit is not None:
            unseen += Unseen.candidates(self._units[0])
        return self._problem(unseen)

    @cached_property
    def p_value(self) -> float:
        """The two-sided p-value of no difference."""
        return self.difference.p_value()

    def _problem(self, unseen: Unseen) -> Problem:
        columns, number, stratum = self._units
        cells = Cells(columns, number, stratum, unseen, self._groups)
        return Problem.single(cells, Totals(cells.all_columns, [partial(_area, self.value)]))

    @cached_property
    def _few(self) -> Placements:
        """The samples with a row for those that are alike, in an order of their own."""
        y, place, weight, number = self.y, self.place, self.weight, self.number
        if y.size <= MOST_ROWS:
            order = np.lexsort((weight, place, y))
            y, place, weight, number = _alike(y[order], place[order], weight[order], number[order])
        else:
            influence = weight * (place - np.array(self._means)[y])
            columns = np.column_stack([weight, weight * place])
            columns, number, y = merged(columns, number, y, influence)
            weight, place = columns[:, 0], columns[:, 1] / columns[:, 0]
        return replace(self, y=y, place=place, weight=weight, number=number)

    @cached_property
    def _units(self) -> tuple[FloatArray, FloatArray, IntArray]:
        """Columns, counts and strata of what varies independently: samples or groups."""
        if self.unit is None:
            return self._few._columns, self._few.number, self._few._stratum
        sums, one = self._sums, np.ones(len(self._sums))
        sums = sums[np.lexsort(sums.T[::-1])]
        stratum = np.zeros(len(sums), dtype=np.int64)
        if len(sums) <= MOST_ROWS:
            return sums, one, stratum
        share = [sums[:, j + 1] - self.value * sums[:, j] for j in (0, 2)]
        influence = sum(s / t for s, t in zip(share, sums[:, [0, 2]].sum(axis=0), strict=True))
        return merged(sums, one, stratum, np.asarray(influence))

    @cached_property
    def _sums(self) -> FloatArray:
        """The weights of each class and of its placements in each group."""
        assert self.unit is not None  # noqa: S101  there are groups
        used = bincount(self.unit) > 0
        code, n = 2 * (np.cumsum(used) - 1)[self.unit] + self.y, 2 * int(used.sum())
        mass = self.number * self.weight
        parts = [sum_by(code, x, n).reshape(-1, 2) for x in (mass, mass * self.place)]
        return np.stack(parts, axis=2).reshape(-1, 4)

    @cached_property
    def _means(self) -> tuple[float, float]:
        """The mean placement of each class."""
        mass = self.number * self.weight
        total, sums = (sum_by(self.y, x, 2) for x in (mass, mass * self.place))
        first, second = (sums / total).tolist()
        return first, second

    @cached_property
    def _groups(self) -> tuple[float, float] | None:
        """The number of groups, and how many of equal size would be as precise for a class."""
        if self.unit is None:
            return None
        each = self._sums[:, [0, 2]].T
        return float(each.shape[1]), min(effective_number(sizes[sizes > 0]) for sizes in each)

    @property
    def _columns(self) -> FloatArray:
        """Of each class the weight of a sample, and the same times its placement."""
        return _by_class(self.y, self.weight, self.weight * self.place)

    @property
    def _stratum(self) -> IntArray:
        return self.y if self.unit is None else np.zeros_like(self.y)

    def _possible(self, place: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return samples of both classes that may occur, two of each; their weight is as all have.

        Heavy samples are the likelier to matter: the mean weight is that of a sum of weights.
        """
        mass, y = self.number * self.weight, np.array([0, 0, 1, 1])
        square, total = (sum_by(self.y, x, 2).sum() for x in (mass * self.weight, mass))
        heavy = float(square / total)
        return _by_class(y, np.full(4, heavy), heavy * place), y * (self.unit is None)


def _by_class(y: IntArray, weight: FloatArray, share: FloatArray) -> FloatArray:
    own = (y[:, None] == [0, 1])[:, [0, 0, 1, 1]]
    return np.where(own, np.column_stack([weight, share, weight, share]), 0.0)


def _area(value: float, t: NDArray[Any]) -> NDArray[Any]:
    return t[..., 1] / t[..., 0] + t[..., 3] / t[..., 2] - value


def _at_levels(first: Counts, second: Counts) -> tuple[FloatArray, FloatArray]:
    """Return the placement of a sample of each class at each distinct score."""
    below, upto = cumulative(first), cumulative(second)
    above = upto[-1] - upto[1:] + second / 2
    return above / upto[-1], (below[:-1] + first / 2) / below[-1]


def _best(both: tuple[FloatArray, FloatArray]) -> tuple[float, float]:
    return float(both[0][0]), float(both[1][-1])


def _alike(
    y: IntArray, place: FloatArray, weight: FloatArray, number: FloatArray
) -> tuple[IntArray, FloatArray, FloatArray, FloatArray]:
    """Return ordered rows with one for each run of those that are alike."""
    new = np.ones(y.size, dtype=np.bool_)
    new[1:] = (y[1:] != y[:-1]) | (place[1:] != place[:-1]) | (weight[1:] != weight[:-1])
    starts = np.flatnonzero(new)
    return y[starts], place[starts], weight[starts], np.add.reduceat(number, starts)
