"""Sums per bin of a probability, which add; reliability follows."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._math import sum_by
from stakes._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class BinSums:
    """Weight, summed probability and summed hits of the samples in each bin."""

    weight: FloatArray
    probability: FloatArray
    hits: FloatArray

    @classmethod
    def of(
        cls, probability: FloatArray, hit: IntArray, weights: FloatArray | None, n_bins: int
    ) -> Self:
        """Sum samples into bins [m/M, (m+1)/M), the last one closed."""
        code = bin_of(probability, n_bins)
        w = np.ones(probability.size) if weights is None else weights
        return cls(*(sum_by(code, term, n_bins) for term in (w, w * probability, w * hit)))

    def __add__(self, other: Self) -> Self:
        return type(self)(
            self.weight + other.weight,
            self.probability + other.probability,
            self.hits + other.hits,
        )


def bin_of(probability: FloatArray, n_bins: int) -> IntArray:
    """Return the bin of each probability; edges are the quotients m/M, correctly rounded."""
    edges = np.arange(1, n_bins) / n_bins
    return np.searchsorted(edges, probability, side="right")
