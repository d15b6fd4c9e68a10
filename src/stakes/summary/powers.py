"""Exact sums of losses: the same bits for any order of samples, batches and summaries."""

import numpy as np

from stakes._kernels.exact_sums import ExactSums
from stakes._typing import FloatArray, IntArray
from stakes.statistics import LossSums
from stakes.summary.form import Part

_PLAIN, _WEIGHTED = 3, 6  # sums of each class


class LossPowers(Part):
    """Sums of a loss, its square and its cube within each class; infinite ones are counted.

    With weights w these are the sums of w and w^2, w loss, and w^2 times the powers of the loss.
    """

    pieces = ("sums", "infinite")

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
            self.infinite = self.infinite + np.bincount(y[~finite], minlength=self.n_classes)
            y, loss = y[finite], loss[finite]
            weights = None if weights is None else weights[finite]
        power = loss
        if weights is not None:
            self.sums[2].add(y, weights * loss)
            power = weights * weights * loss
        for sums in self.sums[-3:]:
            sums.add(y, power)
            power = power * loss

    def loss_sums(self, counts: IntArray) -> LossSums:
        """Return the sums as metrics take them, each rounded once."""
        found = np.array([sums.total() for sums in self.sums])
        found[-1, ~np.isfinite(found[-1])] = np.nan
        if not self.weighted:
            return exact_loss_sums(counts, found, self.infinite)
        weight, square, loss, first, second, third = found
        none = np.zeros(self.n_classes, dtype=np.int64)
        return LossSums(weight, loss, square, first, second, third, self.infinite, none)


def exact_loss_sums(counts: IntArray, powers: FloatArray, infinite: IntArray) -> LossSums:
    """Return sums of a loss, its square and its cube, of samples without weights."""
    first, second, third = powers
    size, none = counts.astype(np.float64), np.zeros(counts.size, dtype=np.int64)
    return LossSums(size, first, size, first, second, third, infinite, none)
