"""Class weights at each distinct score; everything about thresholds follows."""

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from stakes._counting import bincount
from stakes._kernels.group_sums import sum_by
from stakes._kernels.kernel_records import Levels
from stakes._kernels.keys import pav_blocks, score_levels
from stakes._math import cumulative, times, weight_exponents
from stakes._typing import Counts, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class ScoreLevels:
    """Weights of the two classes at each distinct score, in rising order.

    Tied scores share a level, so that no threshold can part them. Weights are whole numbers where
    samples have none; extreme weights are kept on a scale of 2**exponent per class.
    """

    level: FloatArray
    first: Counts
    second: Counts
    exponent: IntArray

    @classmethod
    def from_scores(
        cls,
        scores: FloatArray,
        y: IntArray,
        weights: FloatArray | None,
        copies: IntArray | None = None,
    ) -> Self:
        """Gather scores of classes 0 and 1; weights are above 0, rows stand for `copies`."""
        if weights is None and copies is not None:
            return cls._counted(scores, y, copies)
        if weights is None:  # values are sorted much quicker than their places
            return cls.from_kernel(score_levels(scores, y))
        level, code = np.unique(scores, return_inverse=True)
        n = level.size
        exponent = weight_exponents(y, weights, 2)
        scaled = times(np.ldexp(weights, -exponent[y]), copies)
        sums = [sum_by(code[y == k], scaled[y == k], n) for k in (0, 1)]
        return cls(level, sums[0], sums[1], exponent)

    @classmethod
    def from_kernel(cls, found: Levels) -> Self:
        """Return levels that a kernel found."""
        return cls(found.level, found.first, found.second, np.zeros(2, dtype=np.int64))

    @classmethod
    def from_places(cls, places: IntArray, y: IntArray) -> Self:
        """Gather samples by their places in the order of the scores, from 0: nothing is sorted."""
        n = int(places.max()) + 1
        first, second = bincount(2 * places + y, minlength=2 * n).reshape(n, 2).T
        level = np.flatnonzero(first + second)
        exponent = np.zeros(2, dtype=np.int64)
        return cls(level.astype(np.float64), first[level], second[level], exponent)

    @classmethod
    def _counted(cls, scores: FloatArray, y: IntArray, copies: IntArray) -> Self:
        """Gather rows without weights, which stand for several samples."""
        order = np.argsort(scores, kind="stable")  # quick where rows come in order
        ranked = scores[order]
        starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
        number = copies[order]
        both, second = (np.add.reduceat(x, starts) for x in (number, number * y[order]))
        return cls(ranked[starts], both - second, second, np.zeros(2, dtype=np.int64))

    @cached_property
    def totals(self) -> tuple[float | int, float | int]:
        """Weight of each class, on its own scale."""
        if self.whole:
            return int(self.first.sum()), int(self.second.sum())
        first, second = (cumulative(c)[-1].item() for c in (self.first, self.second))
        return first, second

    @property
    def whole(self) -> bool:
        """Whether the weights are whole numbers."""
        return self.first.dtype.kind == "i"

    def on_one_scale(self) -> tuple[FloatArray, FloatArray]:
        """Return the weights of both classes on the same scale."""
        e1, e2 = (int(e) - int(self.exponent.max()) for e in self.exponent)
        first, second = (c.astype(np.float64) for c in (self.first, self.second))
        return np.ldexp(first, e1), np.ldexp(second, e2)

    def blocks(self) -> IntArray:
        """Return where the blocks of pool-adjacent-violators begin, and the number of levels.

        Within a block the levels are taken as one; from block to block the share of the second
        class rises strictly. Comparisons are exact for whole numbers.
        """
        return np.append(pav_blocks(self.first, self.second), self.first.size)
