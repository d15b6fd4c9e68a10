"""Rows of two classes in the order of their scores, for numbers that depend on a threshold."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stakes._kernels.group_sums import sum_by
from stakes._typing import Counts, FloatArray, IntArray
from stakes.inference.cells import effective_number
from stakes.inference.law import FEWEST_GROUPS

_FOLDS, _PERIOD = 5, 2**13  # after which folds are assigned as before
ONE_GROUP = "some class occurs in one group only"


@dataclass(frozen=True, eq=False)
class ScoredRows:
    """The level of the score of each row, its class and weight, and how many rows it stands for.

    Levels are those of distinct scores in rising order, from 0. Rows vary one by one, or groups as
    a whole.
    """

    level: IntArray
    y: IntArray
    number: IntArray
    weight: FloatArray  # at most 1
    unit: IntArray | None = None  # of groups

    @classmethod
    def from_counts(cls, first: Counts, second: Counts) -> ScoredRows:
        """Return rows of one weight, from how many there are of each class at each level."""
        both = np.column_stack([first, second])
        level, y = np.nonzero(both)
        return cls(level, y, both[level, y].astype(np.int64), np.ones(level.size))

    @classmethod
    def from_scores(
        cls,
        scores: FloatArray,
        y: IntArray,
        weights: FloatArray | None = None,
        unit: IntArray | None = None,
        copies: IntArray | None = None,
    ) -> ScoredRows:
        """Return rows that stand for `copies` samples."""
        level = np.unique(scores, return_inverse=True)[1]
        weight = np.ones(y.size) if weights is None else weights / weights.max()
        number = np.ones(y.size, dtype=np.int64) if copies is None else copies
        return cls(level, y, number, weight, unit)

    def part(self, kept: IntArray) -> ScoredRows:
        """Return some of the rows, at the same levels."""
        parts = ("level", "y", "number", "weight", *(() if self.unit is None else ("unit",)))
        return replace(self, **{name: getattr(self, name)[kept] for name in parts})

    def alike(self, *more: FloatArray) -> tuple[ScoredRows, IntArray]:
        """Return rows in an order of their own, those that are alike as one, and which they were.

        `more` are further columns in which they are alike.
        """
        unit = np.zeros_like(self.y) if self.unit is None else self.unit
        keys = (*more, self.weight, self.y, self.level, unit)
        order = np.lexsort(keys)
        new = np.ones(order.size, dtype=np.bool_)
        new[1:] = np.any([key[order[1:]] != key[order[:-1]] for key in keys], axis=0)
        starts = np.flatnonzero(new)
        number = np.add.reduceat(self.number[order], starts)
        return replace(self.part(order[starts]), number=number), order[starts]

    @property
    def turned(self) -> ScoredRows:
        """The same rows with the classes exchanged, and the order of the scores."""
        return replace(self, level=self.n_levels - 1 - self.level, y=1 - self.y)

    @cached_property
    def n_levels(self) -> int:
        """How many distinct scores there are."""
        return int(self.level.max()) + 1

    @cached_property
    def mass(self) -> FloatArray:
        """The weight of each class at each level (2 x levels)."""
        return self.by_level(self.number * self.weight)

    @cached_property
    def squares(self) -> FloatArray:
        """The same of squared weights."""
        return self.by_level(self.number * self.weight**2)

    @property
    def heavy(self) -> float:
        """The weight of a row that was not seen.

        It is the mean over all weights: heavy rows are the likelier to matter.
        """
        return float(self.squares.sum() / self.mass.sum())

    def by_level(self, values: FloatArray) -> FloatArray:
        """Return sums of values for each class at each level (2 x levels)."""
        sums = sum_by(2 * self.level + self.y, values, 2 * self.n_levels)
        return np.ascontiguousarray(sums.reshape(-1, 2).T)

    @cached_property
    def code(self) -> IntArray:
        """The number of each row's group, from 0."""
        assert self.unit is not None  # noqa: S101  there are groups
        return np.asarray(np.unique(self.unit, return_inverse=True)[1], dtype=np.int64)

    def by_group(self, values: FloatArray, part: IntArray, n_parts: int) -> FloatArray:
        """Return sums of values for each group, part and class (groups x parts x 2)."""
        groups = int(self.code.max()) + 1
        place = (self.code * n_parts + part) * 2 + self.y
        return sum_by(place, self.number * values, groups * n_parts * 2).reshape(-1, n_parts, 2)

    @cached_property
    def groups(self) -> tuple[float, float] | None:
        """The number of groups, and how many of equal size would be as precise for a class."""
        if self.unit is None:
            return None
        sizes = self.by_group(self.weight, np.zeros_like(self.y), 1)[:, 0].T
        return float(sizes.shape[1]), min(effective_number(of[of > 0]) for of in sizes)

    def folds(self, times: int = 1) -> Iterator[IntArray]:
        """Yield how many of each row a fold has, of several ways to make folds.

        Groups stay whole. Others of a class are assigned in the order of the rows, without regard
        to scores: the same whether rows stand for one or for many.
        """
        classes = [np.flatnonzero(self.y == k) for k in (0, 1)]
        for way in range(times):
            fold_of = _mixed(_PERIOD, way) % _FOLDS
            for fold in range(_FOLDS):
                if self.unit is not None:
                    yield np.where(fold_of[self.code % _PERIOD] == fold, self.number, 0)
                    continue
                before, own = np.append(0, np.cumsum(fold_of == fold)), np.zeros_like(self.number)
                for rows in classes:
                    ends = np.append(0, np.cumsum(self.number[rows]))
                    whole, rest = np.divmod(ends, _PERIOD)
                    own[rows] = np.diff(whole * before[-1] + before[rest])
                yield own

    @property
    def why_none(self) -> str:
        """Why there is no interval; empty where there is one."""
        if self.groups is None:
            return ""
        number, effective = self.groups
        if number < FEWEST_GROUPS:
            return f"needs {FEWEST_GROUPS} groups: got {number:g}"
        return ONE_GROUP if effective <= 1 else ""


def _mixed(n: int, way: int) -> IntArray:
    """Return the numbers below n in an order without a pattern, always the same."""
    x = np.arange(1, n + 1, dtype=np.uint64) + np.uint64(way << 40)
    for factor in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB):
        x *= np.uint64(factor)
        x ^= x >> np.uint64(29)
    return np.argsort(x, kind="stable")
