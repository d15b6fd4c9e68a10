"""Sums per bin of a probability; reliability follows."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from stakes._counting import bincount
from stakes._kernels.group_sums import BlockSums, sum_by
from stakes._math import quotient, times
from stakes._typing import FloatArray, IntArray

Blocks = Callable[[], Iterator[tuple[FloatArray, IntArray, FloatArray | None]]]


@dataclass(frozen=True, eq=False)
class BinSums:
    """Weight, squared weight and weighted probability of the samples in each bin, by outcome.

    Each is 2 x bins: row 0 is of the samples whose event did not happen, row 1 of those whose
    event did. Bins are [edge, next edge), the last one closed.
    """

    edges: FloatArray  # the inner edges
    weight_by: FloatArray
    square_by: FloatArray
    probability_by: FloatArray

    @classmethod
    def from_probabilities(
        cls,
        probability: FloatArray,
        hit: IntArray,
        weights: FloatArray | None,
        edges: FloatArray,
        copies: IntArray | None = None,
        own: IntArray | None = None,
    ) -> Self:
        """Sum samples into bins, or into their `own`; a row stands for `copies` of them."""
        n = edges.size + 1
        code = (bin_of(probability, edges) if own is None else own) + n * hit
        w = np.ones(probability.size) if weights is None else weights
        terms = (times(term, copies) for term in (w, w * w, w * probability))
        return cls(edges, *(sum_by(code, term, 2 * n).reshape(2, n) for term in terms))

    @classmethod
    def from_blocks(cls, blocks: Blocks, edges: FloatArray) -> Self:
        """Sum samples that come in blocks, in the memory of a block.

        `blocks` yields probabilities, hits and weights (None: all 1) anew each time it is called;
        it is called twice.
        """
        n = edges.size + 1
        count = np.zeros(2 * n)  # of samples that weigh 1
        totals = [BlockSums(2 * n) for _ in range(3)]
        for step in (BlockSums.look, BlockSums.add):
            for probability, hit, weight in blocks():
                code = bin_of(probability, edges) + n * hit
                terms = [probability]
                if weight is not None:
                    terms = [weight * probability, weight, weight * weight]
                elif step is BlockSums.look:
                    count += bincount(code, minlength=2 * n)
                for total, term in zip(totals, terms, strict=False):
                    step(total, code, term)
        probability, weight, square = (total.total() for total in totals)
        found = count + weight, count + square, probability
        return cls(edges, *(sums.reshape(2, n) for sums in found))

    def scaled(self, factors: FloatArray) -> Self:
        """Return the sums with the samples of either outcome that many times as heavy."""
        f = factors[:, None]
        return type(self)(
            self.edges, f * self.weight_by, f * f * self.square_by, f * self.probability_by
        )

    @property
    def weight(self) -> FloatArray:
        """Weight of each bin."""
        return np.asarray(self.weight_by[0] + self.weight_by[1])

    @property
    def square(self) -> FloatArray:
        """Squared weight of each bin."""
        return np.asarray(self.square_by[0] + self.square_by[1])

    @property
    def probability(self) -> FloatArray:
        """Weighted probability of each bin."""
        return np.asarray(self.probability_by[0] + self.probability_by[1])

    @property
    def hits(self) -> FloatArray:
        """Weight of the samples of each bin whose event happened."""
        return np.asarray(self.weight_by[1])

    @cached_property
    def units(self) -> FloatArray:
        """Weight of one sample of either outcome in each bin: of equal samples as precise.

        A bin without samples of an outcome takes the unit of this outcome in all bins.
        """
        weight, square = self.weight_by, self.square_by
        totals = weight.sum(axis=1), square.sum(axis=1)
        every = totals[1].sum() / totals[0].sum()
        of_all = quotient(totals[1], totals[0], every)
        return quotient(square, weight, of_all[:, None])

    @cached_property
    def sizes(self) -> FloatArray:
        """Samples of either outcome in each bin; with weights, equal ones that are as precise."""
        return quotient(self.weight_by, self.units)


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
