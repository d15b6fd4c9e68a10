"""Sums per bin of a probability, which add; reliability follows."""

from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._check import InputError
from stakes._kernels import sum_by
from stakes._typing import FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class BinSums:
    """Weight, squared weight, summed probability and summed hits of the samples in each bin.

    Bins are [edge, next edge), the last one closed.
    """

    edges: FloatArray  # the inner edges
    weight: FloatArray
    square: FloatArray
    probability: FloatArray
    hits: FloatArray

    @classmethod
    def of(
        cls,
        probability: FloatArray,
        hit: IntArray,
        weights: FloatArray | None,
        edges: FloatArray,
    ) -> Self:
        """Sum samples into bins."""
        code = bin_of(probability, edges)
        w = np.ones(probability.size) if weights is None else weights
        terms = (w, w * w, w * probability, w * hit)
        weight, square, total, hits = (sum_by(code, term, edges.size + 1) for term in terms)
        return cls(edges, weight, square, total, hits)

    def __add__(self, other: Self) -> Self:
        if not np.array_equal(self.edges, other.edges):
            msg = "bins must have the same edges to add up."
            raise InputError(msg)
        return type(self)(
            self.edges,
            self.weight + other.weight,
            self.square + other.square,
            self.probability + other.probability,
            self.hits + other.hits,
        )


def bin_of(probability: FloatArray, edges: FloatArray) -> IntArray:
    """Return the bin of each probability."""
    return np.searchsorted(edges, probability, side="right")


def equal_mass(probability: FloatArray, weights: FloatArray | None, n_bins: int) -> FloatArray:
    """Return inner edges that part the weight evenly; tied probabilities share a bin."""
    parts = equal_width(n_bins)
    if weights is None:
        return np.unique(np.quantile(probability, parts, method="higher"))
    return np.unique(np.quantile(probability, parts, weights=weights, method="inverted_cdf"))


def equal_width(n_bins: int) -> FloatArray:
    """Return the inner edges m/M, each a correctly rounded quotient."""
    return np.arange(1, n_bins) / n_bins
