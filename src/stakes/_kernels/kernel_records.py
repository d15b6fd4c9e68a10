"""What the one-pass loops return: plain sums, made to be taken over by the statistics."""

from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple

import numpy as np

from stakes._typing import FloatArray, IntArray

_no_thresholds = partial(np.empty, (0, 2))


@dataclass(frozen=True, eq=False)
class LossParts:
    """Sums of w*loss, w^2*loss, w^2*loss^2 and w^2*loss^3 within each class.

    Infinite losses are counted apart. The sums of cubes are NaN for a loss that has a bound, whose
    interval does not need them.
    """

    loss: FloatArray
    square_loss: FloatArray
    square_square: FloatArray
    square_cube: FloatArray
    infinite: IntArray


@dataclass(frozen=True, eq=False)
class Bins:
    """Sums of w, w^2 and w*probability in bins of the same width.

    Each is 2 x bins: over the samples whose event did not happen, and over those whose did.
    """

    weight: FloatArray
    square: FloatArray
    probability: FloatArray


class Limits(NamedTuple):
    """Least and largest value, how many are NaN, and the row that is farthest from summing to 1."""

    least: float
    largest: float
    unknown: int
    gap: float = 0.0  # largest |sum - 1| of any row; 0 where sums are not asked for
    gap_row: int = -1


@dataclass(frozen=True, eq=False)
class Cells:
    """Weight and squared weight of each class and decision that occurs, sorted."""

    row: IntArray
    column: IntArray
    weight: FloatArray
    square: FloatArray


@dataclass(frozen=True, eq=False)
class PassSums:
    """All sums of one pass over samples; the last three are of two classes, or of K."""

    count: IntArray
    weight: FloatArray
    square: FloatArray
    log: LossParts
    brier: LossParts
    bins: Bins  # of P(H_2) where there are two classes, of the largest posterior where K
    limits: Limits
    above: FloatArray = field(default_factory=_no_thresholds)  # x classes: weight of P(H_2) above
    above_square: FloatArray = field(default_factory=_no_thresholds)
    decided: tuple[Cells, ...] = ()  # one for each cost table


@dataclass(frozen=True, eq=False)
class CostColumns:
    """A cost table: one cost for any error of a class, and further columns; or columns alone.

    With `error`, decisions 0..K-1 are the classes, of which class i costs 0 if right and error_i
    if not, and `columns` holds the decisions beyond. Without it, `columns` is the whole table.
    Expected costs within `tie` of each other go to the lower index.
    """

    error: FloatArray | None
    columns: FloatArray  # K x decisions
    tie: float

    @property
    def n_decisions(self) -> int:
        """How many decisions there are to choose from."""
        return self.columns.shape[1] + (0 if self.error is None else self.error.size)


@dataclass(frozen=True, eq=False)
class Slopes:
    """Loss, its gradient and Hessian at some parameters, and the largest loss of any sample.

    The Hessian may be its diagonal alone.
    """

    loss: float
    gradient: FloatArray
    hessian: FloatArray
    worst: float


@dataclass(frozen=True, eq=False)
class Levels:
    """Distinct scores in rising order, and how many samples of either class have each."""

    level: FloatArray
    first: IntArray
    second: IntArray


class Pairs(NamedTuple):
    """Twice the pairs in which the second class scores more, plus ties; samples of the classes."""

    total: int
    first: int
    second: int


class Places(NamedTuple):
    """How many of the other class are below samples, ties counted one half, of cells of samples.

    The ends are the samples of the second class at the least score, of the first at the greatest.
    """

    y: IntArray
    number: FloatArray
    below: FloatArray
    ends: tuple[int, int]


class Precisions(NamedTuple):
    """The sum of the precision at each sample of the second class; samples of the classes.

    The sum is a whole number of units of 2**-104, to which no precision is rounded.
    """

    total: int
    first: int
    second: int

    @property
    def mean(self) -> float:
        """The average precision, rounded once; 0 without samples of the second class."""
        return self.total / (max(self.second, 1) << 104)


@dataclass(frozen=True, eq=False)
class Blocks:
    """Least and largest score of each block of pool-adjacent-violators, and its class counts."""

    low: FloatArray
    high: FloatArray
    first: IntArray
    second: IntArray
    limits: tuple[float, float]  # least and largest score of all


def class_parts(sums: FloatArray) -> tuple[IntArray, FloatArray, FloatArray, LossParts, LossParts]:
    """Split classes x 11 sums as the kernels lay them out."""
    count, weight, square, log, log_2, log_22, infinite, brier, brier_2, brier_22, log_222 = sums.T
    whole = infinite.astype(np.int64)
    return (
        count.astype(np.int64),
        weight,
        square,
        LossParts(log, log_2, log_22, log_222, whole),
        LossParts(brier, brier_2, brier_22, np.full_like(brier, np.nan), np.zeros_like(whole)),
    )
