"""Class weights at each distinct score, which add; everything about thresholds follows."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._math import cumulative, sum_by, total_by, weight_exponents
from stakes._typing import Counts, FloatArray, IntArray

_FEW = 2000  # levels below which the exact pass alone is quick


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
    def of(cls, scores: FloatArray, y: IntArray, weights: FloatArray | None) -> Self:
        """Gather scores of samples coded 0 and 1; every weight is above 0."""
        level, code = np.unique(scores, return_inverse=True)
        n = level.size
        if weights is None:
            both = np.bincount(code, minlength=n)
            second = np.bincount(code[y == 1], minlength=n)
            return cls(level, both - second, second, np.zeros(2, dtype=np.int64))
        exponent = weight_exponents(y, weights, 2)
        scaled = np.ldexp(weights, -exponent[y])
        sums = [sum_by(code[y == k], scaled[y == k], n) for k in (0, 1)]
        return cls(level, sums[0], sums[1], exponent)

    @property
    def totals(self) -> tuple[float | int, float | int]:
        """Weight of each class, on its own scale."""
        first, second = (cumulative(c)[-1].item() for c in (self.first, self.second))
        return first, second

    @property
    def whole(self) -> bool:
        """Whether the weights are whole numbers."""
        return self.first.dtype.kind == "i"

    def __add__(self, other: Self) -> Self:
        both = (self, other)
        level, code = np.unique(np.concatenate([s.level for s in both]), return_inverse=True)
        top = np.maximum(self.exponent, other.exponent)
        first, second = (
            total_by(code, [_rescaled(getattr(s, name), s.exponent[k] - top[k]) for s in both])
            for k, name in enumerate(("first", "second"))
        )
        return type(self)(level, first, second, top)

    def blocks(self) -> IntArray:
        """Return where the blocks of pool-adjacent-violators begin, and the number of levels.

        Within a block the levels are taken as one; from block to block the share of the second
        class rises strictly. Comparisons are exact for whole numbers.
        """
        first, second = self.first, self.second
        starts = np.arange(first.size)
        if first.size > _FEW:
            starts = self._rough_blocks()
            first, second = np.add.reduceat(first, starts), np.add.reduceat(second, starts)
        kept = _pooled(first.tolist(), second.tolist())
        return np.append(starts[kept], self.first.size)

    def _rough_blocks(self) -> IntArray:
        """Return the blocks that floating point finds; some may still have to be pooled."""
        from scipy.optimize import isotonic_regression  # noqa: PLC0415  slow to import

        n1, n2 = self.totals
        a, b = self.first / max(n1, 1e-300), self.second / max(n2, 1e-300)
        blocks: IntArray = isotonic_regression(b / (a + b), weights=a + b).blocks
        return blocks[:-1]


def _rescaled(cells: Counts, shift: int) -> Counts:
    """Return cells on another scale."""
    return np.ldexp(cells, shift) if shift else cells


def _pooled(first: list[float], second: list[float]) -> list[int]:
    """Pool adjacent violators; return where each block begins."""
    starts: list[int] = []
    stack: list[tuple[float, float]] = []
    for i, (a, b) in enumerate(zip(first, second, strict=True)):
        start = i
        while stack and stack[-1][1] * a >= b * stack[-1][0]:
            below = stack.pop()
            a, b, start = a + below[0], b + below[1], starts.pop()  # noqa: PLW2901
        stack.append((a, b))
        starts.append(start)
    return starts
