"""Exact sums of losses: the same bits for any order of samples, batches and summaries."""

from dataclasses import dataclass, field
from typing import Self

import numpy as np

from stakes._kernels import ExactSums
from stakes._typing import FloatArray, IntArray
from stakes.statistics import LossSums
from stakes.summary.form import Reader, Writer

_POWERS = 3


@dataclass(eq=False)
class LossPowers:
    """Sums of a loss, its square and its cube within each class; infinite ones are counted."""

    n_classes: int
    sums: list[ExactSums] = field(default_factory=list)
    infinite: IntArray = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    def __post_init__(self) -> None:
        if not self.sums:
            self.sums = [ExactSums(self.n_classes) for _ in range(_POWERS)]
            self.infinite = np.zeros(self.n_classes, dtype=np.int64)

    def add(self, y: IntArray, loss: FloatArray) -> None:
        """Add the losses of some samples."""
        finite = np.isfinite(loss)
        if not finite.all():
            self.infinite += np.bincount(y[~finite], minlength=self.n_classes)
            y, loss = y[finite], loss[finite]
        power = loss
        for sums in self.sums:
            sums.add(y, power)
            power = power * loss

    def __add__(self, other: Self) -> Self:
        both = [a + b for a, b in zip(self.sums, other.sums, strict=True)]
        return type(self)(self.n_classes, both, self.infinite + other.infinite)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LossPowers):
            return NotImplemented
        return self.sums == other.sums and np.array_equal(self.infinite, other.infinite)

    __hash__ = None  # type: ignore[assignment]

    def loss_sums(self, counts: IntArray) -> LossSums:
        """Return the sums as metrics take them, each rounded once."""
        first, second, third = (sums.total() for sums in self.sums)
        size = counts.astype(np.float64)
        none = np.zeros(self.n_classes, dtype=np.int64)
        cubes = np.where(np.isfinite(third), third, np.nan)
        return LossSums(size, first, size, first, second, cubes, self.infinite, none)

    def write(self, writer: Writer) -> None:
        """Write the sums as whole numbers."""
        for sums in self.sums:
            writer.large(sums.integers())
        writer.array(self.infinite)

    @classmethod
    def read(cls, reader: Reader, n_classes: int) -> Self:
        """Read sums."""
        sums = [reader.sums(n_classes) for _ in range(_POWERS)]
        return cls(n_classes, sums, reader.array(n_classes))
