"""How samples are resampled, singly or by whole groups, and sums within each class under draws."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stakes._check import MOST_RESAMPLES, InputError, read_count
from stakes._counting import bincount
from stakes._kernels.draws import multinomial_counts, multinomial_dot, multinomial_ranks
from stakes._kernels.kernel_records import Ranking
from stakes._math import times, turns
from stakes._typing import FloatArray, IntArray, NDArray

_CELLS = 2**21  # of a block of weights: 16 megabytes
_MOST_PARTS = 100  # parts that are left out in turn
_FEWEST = 50  # resamples that an interval can be asked of

Stream = Callable[[range], FloatArray]  # from the numbers of resamples to a row of values for each


@dataclass(frozen=True, eq=False)
class Resampling:
    """Draws N samples with replacement, as a weight for each sample.

    What a resample draws follows from the seed and its number alone, so that neither the size of
    blocks nor what else is computed changes it.
    """

    n: int
    seed: int
    strata: IntArray | None = None  # class of each sample, where class sizes are kept
    unit: IntArray | None = None  # group of each sample, where groups are drawn whole
    weights: FloatArray | None = None
    copies: IntArray | None = None  # samples that each row stands for, which are drawn singly

    def draw(self, index: int) -> FloatArray:
        """Return how often each sample, or the copies of each row, occur, times its weight."""
        often: NDArray[Any]
        if self.copies is None:
            often = multinomial_counts(self.sizes, self.key, index)
            often = often if self.place is None else often[self.place]
        else:
            rng, often = np.random.default_rng([self.key, index]), np.empty(self.n, dtype=np.int64)
            stratum = np.zeros(self.n, dtype=np.int64) if self.strata is None else self.strata
            for k in np.unique(stratum):
                mine = self.copies[stratum == k]
                often[stratum == k] = rng.multinomial(mine.sum(), mine / mine.sum())
        return often.astype(np.float64) if self.weights is None else often * self.weights

    @property
    def base(self) -> FloatArray:
        """The weight of each row as it is."""
        return times(np.ones(self.n) if self.weights is None else self.weights, self.copies)

    def ranks(self, ranking: Ranking, rows: range) -> FloatArray:
        """Return ranking metrics of some resamples, as `reweighted_ranks` gives them."""
        return multinomial_ranks(
            ranking, self.sizes, self.key, rows, unit=self.place, weights=self.weights
        )

    @property
    def units(self) -> int:
        """How many samples, or groups, are drawn from."""
        if self.unit is not None:
            return int(self.unit.max()) + 1
        return self.n if self.copies is None else int(self.copies.sum())

    @property
    def key(self) -> int:
        """The seed as 64 bits."""
        if self.seed < 2**64:
            return self.seed
        return int(np.random.SeedSequence(self.seed).generate_state(1, np.uint64)[0])

    @cached_property
    def sizes(self) -> IntArray:
        """How many of each set are drawn from as many: of each class, or of all units."""
        by_class = self.unit is None and self.strata is not None
        return bincount(self.strata) if by_class else np.array([self.units])  # type: ignore[arg-type]

    @cached_property
    def place(self) -> IntArray | None:
        """Which count is that of each sample; None where they are in the same order."""
        if self.unit is not None:
            return self.unit
        if self.strata is None or (self.strata[1:] >= self.strata[:-1]).all():
            return None
        place = np.empty(self.n, dtype=np.int64)
        place[np.argsort(self.strata, kind="stable")] = np.arange(self.n)
        return place

    def blocks(self, count: int) -> Iterator[range]:
        """Yield the numbers of some resamples at a time, so that their weights stay small."""
        size = max(1, min(32, _CELLS // self.n))
        size -= size % 16 if size > 16 else 0  # as many as share a read of the samples
        for start in range(0, count, size):
            yield range(start, min(start + size, count))

    def left_out(self, rows: range) -> FloatArray:
        """Return weights that leave out some parts of the samples, one part in each row."""
        if self.copies is not None:
            weights = np.ones(self.n) if self.weights is None else self.weights
            parts = (turns(self.copies, _MOST_PARTS, number) for number in rows)
            return np.stack([self.base - weights * part for part in parts])
        return np.where(self.parts[None, :] == np.array(rows)[:, None], 0.0, self.base)

    @property
    def n_parts(self) -> int:
        """How many parts there are."""
        if self.copies is not None:
            return min(self.units, _MOST_PARTS)
        return int(self.parts.max()) + 1

    @cached_property
    def parts(self) -> IntArray:
        """The part of each sample: single ones or groups where they are few."""
        if self.unit is not None:
            return self.unit % _MOST_PARTS
        # with strata: in the order of classes, so that each part has all
        return (np.arange(self.n) if self.place is None else self.place) % _MOST_PARTS


@dataclass(frozen=True, eq=False)
class ClassSums:
    """Sums of some columns (C x N) over the samples of each class; last comes their weight."""

    columns: FloatArray
    y: IntArray
    n_classes: int

    def under(self, weights: FloatArray) -> FloatArray:
        """Return rows x classes x (C + 1) for rows of weights."""
        out = np.empty((len(weights), self.n_classes, len(self.columns) + 1))
        for k, members in enumerate(self._members):
            part, mine = self.columns[:, members], weights[:, members]
            out[:, k, -1] = mine.sum(axis=1)
            with np.errstate(invalid="ignore"):  # of an infinite loss that was not drawn
                sums = [part @ row for row in mine]  # row by row: the same bits in any block
            out[:, k, :-1] = np.stack(sums)
        return out

    def stream(self, plan: Resampling) -> Stream:
        """Return what gives the same for some resamples, without the weights of each sample."""
        columns = self._weighted(plan)
        if plan.place is None and (self.y[1:] >= self.y[:-1]).all():
            return self._by_class(columns, plan)
        cell = self.y * plan.units + (np.arange(plan.n) if plan.place is None else plan.place)
        size = self.n_classes * plan.units
        shape = self.n_classes, plan.units
        apart = np.stack([_sums(cell, column, size).reshape(shape) for column in columns], axis=1)
        table = apart.reshape(-1, plan.units)

        def drawn(rows: range) -> FloatArray:
            sums, _ = multinomial_dot(
                table, plan.sizes, plan.key, rows, stratified=plan.sizes.size > 1
            )
            return sums.sum(axis=1).reshape(len(rows), self.n_classes, -1)

        return drawn

    def left_out(self, plan: Resampling) -> FloatArray:
        """Return the same with each part of the samples left out in turn."""
        parts = int(plan.parts.max()) + 1
        cell = plan.parts * self.n_classes + self.y
        shape = parts, self.n_classes
        own, many = (
            np.stack([_sums(cell, x, parts * self.n_classes).reshape(shape) for x in xs], axis=2)
            for xs in (self._weighted(plan), [np.ones(plan.n)])
        )
        rest = np.asarray(own.sum(axis=0) - own, dtype=np.float64)
        return np.where(many == many.sum(axis=0), 0.0, rest)  # where a class was in one part only

    def _by_class(self, columns: FloatArray, plan: Resampling) -> Stream:
        """Return the stream of samples that lie in the order of their classes."""
        sizes = bincount(self.y, minlength=self.n_classes)
        kept = plan.strata is not None
        table = columns if plan.weights is not None else columns[:-1]

        def drawn(rows: range) -> FloatArray:
            sums, weight = multinomial_dot(table, sizes, plan.key, rows, stratified=kept)
            return sums if plan.weights is not None else np.dstack([sums, weight])

        return drawn

    def _weighted(self, plan: Resampling) -> FloatArray:
        every = np.vstack([self.columns, np.ones(self.y.size)])
        return every if plan.weights is None else every * plan.weights

    @cached_property
    def _members(self) -> list[IntArray | slice]:
        """The samples of each class; a slice, which needs no copy, where they lie together."""
        rows = [np.flatnonzero(self.y == k) for k in range(self.n_classes)]
        return [
            slice(int(r[0]), int(r[-1]) + 1) if r.size and r[-1] - r[0] + 1 == r.size else r
            for r in rows
        ]


def _sums(cell: IntArray, values: FloatArray, size: int) -> FloatArray:
    sums: FloatArray = bincount(cell, values, size)  # type: ignore[assignment]
    return sums


def seed_of(rng: "int | np.random.Generator") -> int:
    """Return a seed: the number itself, or one drawn from a generator."""
    if not isinstance(rng, int) and isinstance(rng, np.random.Generator):  # slow to load
        return int(rng.integers(2**53))  # a whole number that any reader of JSON keeps
    if isinstance(rng, bool) or not isinstance(rng, int | np.integer) or rng < 0:
        raise InputError("rng", "must be a whole number of at least 0 or a Generator", repr(rng))
    return int(rng)


def check_progress(progress: object) -> None:
    """Refuse anything but a function that is told how far a calculation is."""
    if progress is not None and not callable(progress):
        hint = "Pass progress=lambda done, total: print(done, total)."
        rule = "must be a function of two numbers: what is done, and of how much"
        raise InputError("progress", rule, repr(progress)[:40], hint=hint)


def check_resamples(resamples: int, *, none: bool = True) -> None:
    """Refuse anything but a whole number: 0 where none are needed, or enough for an interval."""
    read_count(resamples, "resamples", _FEWEST, MOST_RESAMPLES, none=none)
