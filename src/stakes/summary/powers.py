"""Exact sums of losses: the same bits for any order of samples, batches and summaries."""

from typing import Self

import numpy as np

from stakes._kernels.exact_sums import ExactSums
from stakes._typing import FloatArray, IntArray
from stakes.statistics import LossSums
from stakes.summary.form import Reader, Writer

_PLAIN, _WEIGHTED = 3, 6  # sums of each class


class LossPowers:
    """Sums of a loss, its square and its cube within each class; infinite ones are counted.

    With weights w these are the sums of w and w^2, w loss, and w^2 times the powers of the loss.
    """

    def __init__(self, n_classes: int, *, weighted: bool = False) -> None:
        self.n_classes, self.weighted = n_classes, weighted
        count = _WEIGHTED if weighted else _PLAIN
        self.sums = [ExactSums(n_classes) for _ in range(count)]
        self.infinite: IntArray = np.zeros(n_classes, dtype=np.int64)

    def add(self, y: IntArray, loss: FloatArray, weights: FloatArray | None = None) -> None:
        """Add the losses of some samples."""
        if weights is not None:
            for sums, term in zip(self.sums, (weights, weights * weights), strict=False):
                sums.add(y, term)
        finite = np.isfinite(loss)
        if not finite.all():
            self.infinite += np.bincount(y[~finite], minlength=self.n_classes)
            y, loss = y[finite], loss[finite]
            weights = None if weights is None else weights[finite]
        power = loss
        if weights is not None:
            self.sums[2].add(y, weights * loss)
            power = weights * weights * loss
        for sums in self.sums[-3:]:
            sums.add(y, power)
            power = power * loss

    def __add__(self, other: Self) -> Self:
        out = type(self)(self.n_classes, weighted=self.weighted)
        out.sums = [a + b for a, b in zip(self.sums, other.sums, strict=True)]
        out.infinite = self.infinite + other.infinite
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LossPowers):
            return NotImplemented
        return self.sums == other.sums and np.array_equal(self.infinite, other.infinite)

    __hash__ = None  # type: ignore[assignment]

    def loss_sums(self, counts: IntArray) -> LossSums:
        """Return the sums as metrics take them, each rounded once."""
        found = [sums.total() for sums in self.sums]
        cubes = np.where(np.isfinite(found[-1]), found[-1], np.nan)
        none = np.zeros(self.n_classes, dtype=np.int64)
        if self.weighted:
            weight, square, loss = found[:3]
            return LossSums(weight, loss, square, found[3], found[4], cubes, self.infinite, none)
        size = counts.astype(np.float64)
        return LossSums(size, found[0], size, found[0], found[1], cubes, self.infinite, none)

    def write(self, writer: Writer) -> None:
        """Write the sums as whole numbers."""
        for sums in self.sums:
            writer.large(sums.integers())
        writer.array(self.infinite)

    @classmethod
    def read(cls, reader: Reader, n_classes: int, *, weighted: bool = False) -> Self:
        """Read sums."""
        out = cls(n_classes, weighted=weighted)
        out.sums = [reader.sums(n_classes) for _ in out.sums]
        out.infinite = reader.array(n_classes)
        return out
