"""How samples are drawn again: single or whole groups, within classes or over all."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._check import InputError
from stakes._typing import FloatArray, IntArray

_CELLS = 2**21  # of a block of weights: 16 megabytes
_MOST_PARTS = 100  # parts that are left out in turn


@dataclass(frozen=True, eq=False)
class Resampling:
    """Draws N samples with replacement, as a weight for each sample.

    Each resample has a generator of its own, made from the seed and its number, so that neither
    the size of blocks nor what else is computed changes what is drawn.
    """

    n: int
    seed: int
    strata: IntArray | None = None  # class of each sample, where class sizes are kept
    unit: IntArray | None = None  # group of each sample, where groups are drawn whole
    weights: FloatArray | None = None

    def draw(self, index: int) -> FloatArray:
        """Return how often each sample occurs in a resample, times its weight."""
        rng = np.random.default_rng([self.seed, index])
        if self.unit is not None:
            size = int(self.unit.max()) + 1
            times = _counts(rng, size)[self.unit]
        elif self.strata is not None:
            times = np.empty(self.n)
            for members in self._members:
                times[members] = _counts(rng, members.size)
        else:
            times = _counts(rng, self.n)
        return times if self.weights is None else times * self.weights

    @property
    def units(self) -> int:
        """How many samples, or groups, are drawn from."""
        return self.n if self.unit is None else int(self.unit.max()) + 1

    def blocks(self, count: int) -> Iterator[range]:
        """Yield the numbers of some resamples at a time, so that their weights stay small."""
        size = max(1, min(32, _CELLS // self.n))
        for start in range(0, count, size):
            yield range(start, min(start + size, count))

    def left_out(self, rows: range) -> FloatArray:
        """Return weights that leave out some parts of the samples, one part in each row."""
        base = np.ones(self.n) if self.weights is None else self.weights
        return np.where(self.parts[None, :] == np.array(rows)[:, None], 0.0, base)

    @cached_property
    def parts(self) -> IntArray:
        """The part of each sample: single ones or groups where they are few."""
        if self.unit is not None:
            return self.unit % _MOST_PARTS
        if self.strata is None:
            return np.arange(self.n) % _MOST_PARTS
        order = np.argsort(self.strata, kind="stable")  # so that each part has all classes
        part = np.empty(self.n, dtype=np.int64)
        part[order] = np.arange(self.n) % _MOST_PARTS
        return part

    @cached_property
    def _members(self) -> list[IntArray]:
        """The samples of each class."""
        strata = np.zeros(self.n, dtype=np.int64) if self.strata is None else self.strata
        order = np.argsort(strata, kind="stable")
        sizes = np.bincount(strata)
        return np.split(order, np.cumsum(sizes)[:-1])


def _counts(rng: "np.random.Generator", n: int) -> FloatArray:
    """Return how often each of n things is drawn in n draws."""
    drawn = rng.integers(0, n, n, dtype=np.int32 if n < 2**31 else np.int64)
    return np.bincount(drawn, minlength=n).astype(np.float64)


def seed_of(rng: "int | np.random.Generator") -> int:
    """Return a seed: the number itself, or one drawn from a generator."""
    if not isinstance(rng, int) and isinstance(rng, np.random.Generator):  # slow to load
        return int(rng.integers(2**53))  # a whole number that any reader of JSON keeps
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        msg = f"rng must be a whole number of at least 0 or a Generator: got {rng!r}."
        raise InputError(msg)
    return int(rng)
