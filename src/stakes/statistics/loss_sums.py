"""Losses summed within each true class."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from stakes._counting import bincount
from stakes._kernels.group_sums import BlockSums, sum_by
from stakes._math import count_by, quotient, times, weight_exponents
from stakes._typing import FloatArray, IntArray

Blocks = Callable[[], Iterator[tuple[IntArray, FloatArray]]]


@dataclass(frozen=True, eq=False)
class LossSums:
    """Weight and loss summed within each true class, and what their spread needs.

    `weight` and `loss` sum w and w*loss; `square`, `square_loss`, `square_square` and
    `square_cube` sum w^2, w^2*loss, w^2*loss^2 and w^2*loss^3, the last NaN where it overflows or
    was not summed. Infinite losses are counted apart, so that the sums stay finite and the mean
    comes out infinite. The spread is computed from plain sums; it loses digits where
    losses differ by less than a millionth of their size. Extreme weights are kept on a scale of
    2**exponent per class.
    """

    weight: FloatArray
    loss: FloatArray
    square: FloatArray
    square_loss: FloatArray
    square_square: FloatArray
    square_cube: FloatArray
    infinite: IntArray
    exponent: IntArray
    lost: FloatArray | None = None  # weight of infinite losses; None where that is not known

    @classmethod
    def unweighted(
        cls,
        count: FloatArray,
        loss: FloatArray,
        square: FloatArray,
        cube: FloatArray,
        infinite: IntArray,
    ) -> Self:
        """Return the sums of samples without weights, from those of powers of the loss."""
        exponent = np.zeros(count.size, dtype=np.int64)
        lost = infinite.astype(np.float64)
        return cls(count, loss, count, loss, square, cube, infinite, exponent, lost)

    @classmethod
    def from_losses(
        cls,
        y: IntArray,
        loss: FloatArray,
        weights: FloatArray | None,
        n: int,
        copies: IntArray | None = None,
    ) -> Self:
        """Sum losses within each of n classes; weights are above 0, rows stand for `copies`."""
        unbounded = np.isinf(loss)
        finite = np.where(unbounded, 0.0, loss) if unbounded.any() else loss
        lost = count_by(y[unbounded], None if copies is None else copies[unbounded], n)
        if weights is None:
            count = count_by(y, copies, n).astype(np.float64)
            square = times(np.square(finite), copies)
            total, spread = sum_by(y, times(finite, copies), n), sum_by(y, square, n)
            cube = _sum_finite(y, finite, square, n)
            return cls.unweighted(count, total, spread, cube, lost)
        exponent = weight_exponents(y, weights, n)
        w = np.ldexp(weights, -exponent[y])
        terms = w, w * finite, w * w, w * w * finite, w * w * (finite * finite)
        total, loss, *squares = (sum_by(y, times(term, copies), n) for term in terms)
        cube = _sum_finite(y, finite, times(np.square(w * finite), copies), n)
        apart = sum_by(y, times(np.where(unbounded, w, 0.0), copies), n)
        return cls(total, loss, squares[0], squares[1], squares[2], cube, lost, exponent, apart)

    @classmethod
    def from_blocks(cls, blocks: Blocks, n: int) -> Self:
        """Sum losses that come in blocks, of samples without weights, in the memory of a block.

        `blocks` gives class codes and losses anew each time it is called; it is called twice.
        """
        count, lost = (np.zeros(n, dtype=np.int64) for _ in range(2))
        sums, beyond = [BlockSums(n) for _ in range(3)], False
        for step in (BlockSums.look, BlockSums.add):
            for y, loss in blocks():
                unbounded = np.isinf(loss)
                finite = np.where(unbounded, 0.0, loss)
                square = np.square(finite)
                cube = _product(square, finite)
                if step is BlockSums.look:
                    lost += bincount(y[unbounded], minlength=n)
                    count += bincount(y, minlength=n)
                    beyond |= not np.isfinite(cube).all()
                terms = finite, square, np.where(np.isfinite(cube), cube, 0.0)
                for total, term in zip(sums, terms, strict=True):
                    step(total, y, term)
        first, second, third = (total.total() for total in sums)
        cubes = np.full(n, np.nan) if beyond else third
        return cls.unweighted(count.astype(np.float64), first, second, cubes, lost)

    @cached_property
    def mean(self) -> FloatArray:
        """Mean loss of each class; NaN where it has no samples."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.loss / self.weight
        return np.where(self.infinite > 0, np.inf, mean) if self.infinite.any() else mean

    @property
    def size(self) -> FloatArray:
        """How many equal samples each class is worth: (sum w)^2 / sum w^2."""
        if self.square is self.weight:
            return self.weight
        return quotient(np.square(self.weight), self.square)

    def moments(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return drift, variance and third moment about the mean, samples by squared weight."""
        with np.errstate(invalid="ignore", divide="ignore"):
            mean = self.mean
            first, second = self.square_loss / self.square, self.square_square / self.square
            drift = first - mean
            variance = second - 2 * mean * first + np.square(mean)
            cubes = self.square_cube / self.square
            third = cubes - 3 * mean * second + 3 * np.square(mean) * first - mean**3
        return drift, np.maximum(variance, 0), third


def _product(square: FloatArray, loss: FloatArray) -> FloatArray:
    """Return squares times losses, which may be too large for a number."""
    with np.errstate(over="ignore"):
        return square * loss


def _sum_finite(y: IntArray, loss: FloatArray, square: FloatArray, n: int) -> FloatArray:
    """Sum squares times losses within each class; NaN where one is too large for a number."""
    cube = _product(square, loss)
    return sum_by(y, cube, n) if np.isfinite(cube).all() else np.full(n, np.nan)
