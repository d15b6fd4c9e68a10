"""Sums per bin of a probability, which add; reliability follows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._check import InputError
from stakes._kernels import BlockSums, sum_by
from stakes._typing import FloatArray, IntArray

Blocks = Callable[[], Iterator[tuple[FloatArray, IntArray]]]


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

    @classmethod
    def over(cls, blocks: Blocks, edges: FloatArray) -> Self:
        """Sum samples without weights that come in blocks, in the room of a block.

        `blocks` gives probabilities and hits anew each time it is called; it is called twice.
        """
        n = edges.size + 1
        count, hits = np.zeros((2, n))
        total = BlockSums(n)
        for probability, hit in blocks():
            code = bin_of(probability, edges)
            count += np.bincount(code, minlength=n)
            hits += np.bincount(code[hit > 0], minlength=n)
            total.look(code, probability)
        for probability, _ in blocks():
            total.add(bin_of(probability, edges), probability)
        return cls(edges, count, count, total.total(), hits)

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
