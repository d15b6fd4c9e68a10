"""Intervals from resamples: percentile, and BCa where the estimator is smooth."""

import math
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import NormalDist
from typing import TYPE_CHECKING

import numpy as np

from stakes._kernels.threads import available_threads
from stakes._quantiles import student
from stakes._typing import FloatArray
from stakes.intervals.resampling import ClassSums, Resampling, Stream
from stakes.results import Estimate, Interval

if TYPE_CHECKING:
    from concurrent.futures import Future

Progress = Callable[[int, int], None]
_NORMAL = NormalDist()
NOT_DRAWN = "needs resamples"
FEWEST_UNITS = 5  # samples or groups below which resamples say nothing
_FEWEST = 20  # resamples that must have a value before an interval is given


class Statistic(ABC):
    """Some values that follow from a weight for each sample."""

    smooth = True  # whether a few samples less move the values a little: for BCa

    @property
    @abstractmethod
    def names(self) -> tuple[str, ...]:
        """What the values are called."""

    @abstractmethod
    def under(self, weights: FloatArray) -> FloatArray:
        """Return the values, one row for each row of weights."""

    def stream(self, plan: Resampling) -> Stream | None:  # noqa: ARG002
        """Return what gives the values of some resamples; None if it takes weights of samples."""
        return None

    def left_out(self, plan: Resampling) -> FloatArray | None:  # noqa: ARG002
        """Return the values without each part; None if it takes weights of samples."""
        return None


class SummedStatistic(Statistic):
    """A statistic that follows from sums within each class, which need no such weights."""

    @property
    @abstractmethod
    def sums(self) -> ClassSums:
        """The sums."""

    @abstractmethod
    def from_sums(self, sums: FloatArray) -> FloatArray:
        """Return the values, one row for each row of sums."""

    def under(self, weights: FloatArray) -> FloatArray:
        return self.from_sums(self.sums.under(weights))

    def stream(self, plan: Resampling) -> Stream:
        drawn = self.sums.stream(plan)
        return lambda rows: self.from_sums(drawn(rows))

    def left_out(self, plan: Resampling) -> FloatArray:
        return self.from_sums(self.sums.left_out(plan))


@dataclass(frozen=True, eq=False)
class Replicates:
    """Values of a statistic: as observed, over resamples, and with parts left out."""

    names: tuple[str, ...]
    observed: FloatArray
    drawn: FloatArray
    left_out: FloatArray | None
    units: int = 2**31  # how many samples or groups are drawn from
    times: FloatArray | None = None  # how many parts alike each row of `left_out` stands for
    grouped: bool = False  # whether groups are drawn, which are few

    def column(self, name: str) -> int:
        """Return where a value stands."""
        return self.names.index(name)

    def estimate(self, name: str, level: float, value: float | None = None) -> Estimate:
        """Return a value with its interval.

        The interval is about the value as resamples compute it: ties with them count half.
        """
        k = self.column(name)
        out = None if self.left_out is None else self.left_out[:, k]
        known = self.drawn[:, k][np.isfinite(self.drawn[:, k])]
        if known.size and known.min() == known.max():  # a perfect score of few samples
            found = Estimate(float(self.observed[k]), None, "no spread in the resamples")
        else:
            found = self._estimate(float(self.observed[k]), self.drawn[:, k], out, level)
        return found if value is None else replace(found, value=value)

    def difference(
        self, first: str, second: str, level: float, value: float | None = None
    ) -> Estimate:
        """Return the first value less the second, over the same resamples; as in `estimate`."""
        a, b = self.column(first), self.column(second)
        with np.errstate(invalid="ignore"):  # of two infinite values
            out = None if self.left_out is None else self.left_out[:, a] - self.left_out[:, b]
            observed = float(self.observed[a] - self.observed[b])
            gaps = self.drawn[:, a] - self.drawn[:, b]
        found = self._estimate(observed, gaps, out, level)
        return found if value is None else replace(found, value=value)

    def _estimate(
        self, observed: float, drawn: FloatArray, left_out: FloatArray | None, level: float
    ) -> Estimate:
        """Return the interval of one value, or why there is none."""
        if not drawn.size:
            return Estimate(observed, None, NOT_DRAWN)
        known = drawn[np.isfinite(drawn)]
        if not math.isfinite(observed) or known.size < max(_FEWEST, 0.9 * drawn.size):
            return Estimate(observed, None, "undefined in too many resamples")
        if self.units < FEWEST_UNITS:
            return Estimate(observed, None, f"only {self.units} to draw from")
        if left_out is None or not np.isfinite(left_out).all():
            return Estimate(observed, _percentile(known, level), "bootstrap (percentile)")
        if self.grouped:  # resamples of few groups vary too little; this allows for their number
            parts = left_out.size
            spread = float(np.square(left_out - left_out.mean()).sum()) * (parts - 1) / parts
            half = student(level, parts - 1) * math.sqrt(spread)
            jackknife = Interval(observed - half, observed + half, level)
            return Estimate(observed, jackknife, "jackknife, by group")
        band = _bca(observed, known, left_out, self.times, level)
        return Estimate(observed, band, "bootstrap (BCa)")


def replicate(
    statistics: Sequence[Statistic],
    resampling: Resampling,
    count: int,
    progress: Progress | None = None,
) -> Replicates:
    """Return the values of several statistics over the same resamples."""
    observed = np.concatenate([s.under(resampling.base[None, :])[0] for s in statistics])
    names = tuple(name for s in statistics for name in s.names)
    n_parts = resampling.n_parts
    total = count + n_parts

    single = resampling.copies is None  # rows that stand for one sample each
    streams = [s.stream(resampling) if single else None for s in statistics]
    known = [s.left_out(resampling) if single else None for s in statistics]

    def drawn(rows: range) -> FloatArray:  # weights only where one of the statistics takes them
        weights = np.empty((0, resampling.n))
        if None in streams:
            weights = np.stack([resampling.draw(index) for index in rows])
        pairs = zip(statistics, streams, strict=True)
        return np.hstack([s.under(weights) if own is None else own(rows) for s, own in pairs])

    def without(s: Statistic, found: FloatArray | None, rows: range) -> FloatArray:
        if found is not None:
            return found[rows.start : rows.stop]
        if not s.smooth:
            return np.full((len(rows), len(s.names)), np.nan)
        return s.under(resampling.left_out(rows))

    def left_out(rows: range) -> FloatArray:
        pairs = zip(statistics, known, strict=True)
        return np.hstack([without(s, found, rows) for s, found in pairs])

    def gathered(values: Stream, n: int, before: int) -> FloatArray:
        parts: list[FloatArray] = [np.empty((0, len(names)))]
        for part in _in_threads(values, resampling.blocks(n)):
            parts.append(part)
            if progress is not None:
                progress(before + sum(map(len, parts)), total)
        return np.vstack(parts)

    values = gathered(drawn, count, 0), gathered(left_out, n_parts, count)
    grouped = resampling.unit is not None
    return Replicates(names, observed, *values, resampling.units, grouped=grouped)


def _in_threads(
    values: Callable[[range], FloatArray], blocks: Iterator[range]
) -> Iterator[FloatArray]:
    """Yield the values of blocks in their order; what a resample draws follows from its number.

    Few blocks are under way at a time, and an interrupt waits for none of them. One worker is the
    caller itself: in a browser no thread can start.
    """
    workers = available_threads()
    if workers == 1:
        yield from map(values, blocks)
        return
    from concurrent.futures import ThreadPoolExecutor  # noqa: PLC0415  slow to load

    pool = ThreadPoolExecutor(workers)
    pending: deque[Future[FloatArray]] = deque()
    try:
        for rows in blocks:
            pending.append(pool.submit(values, rows))
            if len(pending) > 2 * workers:
                yield pending.popleft().result()
        while pending:
            yield pending.popleft().result()
    finally:
        pool.shutdown(wait=not pending, cancel_futures=True)


def _percentile(drawn: FloatArray, level: float) -> Interval:
    low, high = np.quantile(drawn, [(1 - level) / 2, (1 + level) / 2])
    return Interval(float(low), float(high), level)


def _bca(
    observed: float, drawn: FloatArray, left_out: FloatArray, times: FloatArray | None, level: float
) -> Interval:
    """Return Efron's interval, corrected for bias and for a spread that changes with the value."""
    w = np.ones(left_out.size) if times is None else times
    gap = np.average(left_out, weights=w) - left_out
    spread = float(np.square(gap) @ w)
    below = float(np.mean(drawn < observed) + np.mean(drawn == observed) / 2)
    if spread == 0 or not 0 < below < 1:
        return _percentile(drawn, level)
    acceleration = float((gap**3) @ w) / (6 * spread**1.5)
    shift = _NORMAL.inv_cdf(below)
    ends = []
    for tail in ((1 - level) / 2, (1 + level) / 2):
        z = shift + _NORMAL.inv_cdf(tail)
        stretch = 1 - acceleration * z
        if stretch <= 0:
            return _percentile(drawn, level)
        ends.append(_NORMAL.cdf(shift + z / stretch))
    low, high = np.quantile(drawn, ends)
    return Interval(float(low), float(high), level)
