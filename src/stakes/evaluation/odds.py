"""Which system is best at which odds: claims that hold over a whole range at once."""

from __future__ import annotations

__all__ = ["OddsRange"]

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._math import times
from stakes._quantiles import normal, outside, student
from stakes._records import Record
from stakes._text import number, plain
from stakes._typing import FloatArray, IntArray
from stakes.evaluation.findings import plain_values
from stakes.metrics.spreads import fewer, more
from stakes.samples import Samples

_STEP, _MOST_STEPS = 0.1, 400  # of the log odds
_REACH = 25.0  # log odds beyond which no application lies
_NAIVE_SHARE = 0.2  # of the probability of an error: most systems beat the naive one by far
_GROUPS_AT_ONCE = 4096


@dataclass(frozen=True, eq=False)
class OddsRange(Record):
    """A range of odds c12 P1 / (c21 P2) over which one system costs least, or none does.

    Costs are those of Bayes decisions. The system is None if none is shown to cost less than all
    others and than the naive system. Ranges end at the extreme scores: beyond them, no threshold
    was observed.

    Attributes
    ----------
    low, high : float
        Ends of the range.
    system : str or None

    See Also
    --------
    compare : returns it as `odds`.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> poor = data.posteriors([0.5, 0.5])
    >>> odds = stakes.compare(data.y, {"poor": poor, "good": good}).odds
    >>> {each.system for each in odds if each.low < 1 < each.high}  # best at odds of 1
    {'good'}
    """

    low: float
    high: float
    system: str | None

    def __str__(self) -> str:
        least = (
            "no system is shown to cost" if self.system is None else f"{plain(self.system)} costs"
        )
        return f"odds {number(self.low)} to {number(self.high)}: {least} least"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return plain_values(self)


def best_by_odds(systems: Mapping[str, Samples], level: float) -> tuple[OddsRange, ...]:
    """Return which system costs least at which odds; empty for other than two classes.

    The odds are the cost of all false alarms over that of all misses. Posteriors are taken to be
    at the priors of the samples, so that the log odds to decide at are those of the likelihood
    ratio. With probability `level` no system is named anywhere that does not cost least there, or
    costs more than the naive one. Both ends of a range are odds that were tested.
    """
    samples = list(systems.values())
    if not all(len(s.classes) == 2 and s.priors.all() and s.counts.all() for s in samples):
        return ()  # two classes must occur, in the data and in use
    ratios = []
    for s in samples:
        log_p = s.scores.answers(s.priors).log_p
        with np.errstate(invalid="ignore"):
            ratios.append(log_p[:, 1] - log_p[:, 0] - math.log(s.priors[1] / s.priors[0]))
    grid = _grid(ratios)
    if grid.size < 2:
        return ()
    # No system is named where errors that may have gone unseen cost more than the naive decision,
    # whatever the scores, so that nothing is tested there.
    q, odds, first = normal(1 - 2 * _alphas(len(samples), level)[1]), np.exp(grid), samples[0]
    alarms, misses = (more(q, 0.0, x) for x in _unseen(first, _shares(first)))
    best, tested = np.full(grid.size, -1), (odds > misses) & (odds * alarms < 1)
    if tested.any():
        best[tested] = _best(first, ratios, grid[tested], level)
    return _ranges(best, grid, list(systems))


def _alphas(n_systems: int, level: float) -> tuple[float, float]:
    """Return how often one system may falsely be said to cost less than another; than naive."""
    others = n_systems * (n_systems - 1)
    return (1 - level) * (1 - _NAIVE_SHARE) / others, (1 - level) * _NAIVE_SHARE / n_systems


def _best(samples: Samples, ratios: list[FloatArray], grid: FloatArray, level: float) -> IntArray:
    """Return the system that costs less than all others and than the naive one, or -1."""
    less = np.ones((len(ratios), grid.size), dtype=np.bool_)
    alpha, alpha_naive = _alphas(len(ratios), level)
    naive = np.zeros(len(samples))  # without evidence: the better constant decision
    for i, ratio in enumerate(ratios):
        less[i] &= _Paths.from_samples(samples, ratio, naive, grid).claims(alpha_naive)[0]
    for a, b in combinations(range(len(ratios)), 2):
        first, second = _Paths.from_samples(samples, ratios[a], ratios[b], grid).claims(alpha)
        less[a] &= first
        less[b] &= second
    return np.where(less.any(axis=0), less.argmax(axis=0), -1)


def _ranges(best: IntArray, grid: FloatArray, names: list[str]) -> tuple[OddsRange, ...]:
    """Return stretches between points of the grid at which the same system is best."""
    between = np.where(best[1:] == best[:-1], best[1:], -1)
    starts = [0, *(np.flatnonzero(between[1:] != between[:-1]) + 1).tolist()]
    edges = np.exp(grid[[*starts, -1]])
    return tuple(
        OddsRange(float(low), float(high), None if between[at] < 0 else names[between[at]])
        for low, high, at in zip(edges[:-1], edges[1:], starts, strict=True)
    )


def _grid(ratios: list[FloatArray]) -> FloatArray:
    """Return log odds over the thresholds that were observed."""
    finite = np.concatenate([r[np.isfinite(r)] for r in ratios])
    if not finite.size:
        return finite
    low, high = np.clip([finite.min(), finite.max()], -_REACH, _REACH)
    steps = min(math.ceil((high - low) / _STEP), _MOST_STEPS)
    return np.linspace(low, high, steps + 1) if steps else np.array([low])


def _shares(samples: Samples) -> FloatArray:
    """Return the weight of one sample of each row; those of all sum to 1 in each class."""
    w = samples.scaled_weights()
    total = bincount(samples.y, times(w, samples.copies), 2)
    return np.asarray(w / total[samples.y], dtype=np.float64)


def _unseen(samples: Samples, shares: FloatArray) -> tuple[float, float]:
    """Return what an error that was not seen weighs in each class."""
    alarm, miss = bincount(samples.y, times(np.square(shares), samples.copies), 2).tolist()
    return alarm, miss


@dataclass(frozen=True, eq=False)
class _Paths:
    """The costs of two systems along the odds: a row counts where their decisions differ."""

    odds: FloatArray
    totals: FloatArray  # class x direction (first costs more, second does) x odds
    squares: FloatArray
    variance: FloatArray  # of the difference; with groups, of sums over groups
    covariance: FloatArray  # of the differences at neighbouring odds
    unseen: tuple[float, float]  # what an error not seen weighs in each class
    degrees: float

    @classmethod
    def from_samples(
        cls, samples: Samples, first: FloatArray, second: FloatArray, grid: FloatArray
    ) -> _Paths:
        """Follow two systems over a grid of log odds."""
        w, odds = _shares(samples), np.exp(grid)
        mass, square = (times(x, samples.copies) for x in (w, w * w))
        start = np.searchsorted(grid, np.minimum(first, second))
        end = np.searchsorted(grid, np.maximum(first, second))
        # a false alarm of the first alone, or a miss of the first alone
        sign = (1 * (first > second) - (first < second)) * np.where(samples.y == 0, 1, -1)
        active = _Active(start, end, grid.size)
        kinds = [(samples.y == k) & (sign == s) for k in (0, 1) for s in (1, -1)]
        totals = np.array([active.sums(mass * kind) for kind in kinds]).reshape(2, 2, -1)
        squares = np.array([active.sums(square * kind) for kind in kinds]).reshape(2, 2, -1)
        if samples.groups is None:
            both = [active.pairs(square * (samples.y == k)) for k in (0, 1)]
            variance = odds**2 * squares[0].sum(axis=0) + squares[1].sum(axis=0)
            covariance = odds[1:] * odds[:-1] * both[0] + both[1]
            degrees = math.inf
        else:
            variance, covariance = active.by_group(mass * sign, samples.y, odds, samples.groups)
            degrees = float(np.unique(samples.groups).size - 1)
        return cls(odds, totals, squares, variance, covariance, _unseen(samples, w), degrees)

    def claims(self, alpha: float) -> tuple[np.ndarray, np.ndarray]:
        """Return where either costs less; falsely anywhere with a probability of alpha at most."""
        q = student(1 - outside(self._critical(alpha), math.inf), self.degrees)
        gap = self.odds * (self.totals[0, 0] - self.totals[0, 1]) + self.totals[1, 0]
        gap = gap - self.totals[1, 1]
        clear = np.abs(gap) > q * np.sqrt(self.variance)
        return clear & (gap < -self._reach(q, 1)), clear & (gap > self._reach(q, 0))

    def _reach(self, q: float, side: int) -> FloatArray:
        """Return how far the difference may be from the truth, towards 0."""
        plain = self.odds**2 * self.squares[0].sum(axis=0) + self.squares[1].sum(axis=0)
        effect = np.sqrt(self.variance / np.where(plain > 0, plain, 1.0))
        shrink = np.ones_like(effect) if math.isinf(self.degrees) else effect
        total = np.zeros_like(plain)
        for k, scale in ((0, self.odds), (1, 1.0)):
            seen = shrink * fewer(q, self.totals[k, side], self.squares[k, side])
            unseen = self.unseen[k] * np.maximum(shrink, 1.0)
            against = more(q, shrink**2 * self.squares[k, 1 - side], unseen)
            total += np.square(scale * seen) + np.square(scale * against)
        return np.sqrt(total)

    def _critical(self, alpha: float) -> float:
        """Return what the largest standardised difference is above with probability alpha at most.

        A path of normal variables exceeds a bound c somewhere if it does so at its start, or
        crosses c between neighbours of correlation r, which has a probability of at most
        exp(-c^2 / 2) arccos(r) / (2 pi).
        """
        before, after = self.variance[:-1], self.variance[1:]
        scale = np.sqrt(before * after)
        r = np.divide(self.covariance, scale, out=np.zeros_like(scale), where=scale > 0)
        crossings = float(np.where(after > 0, np.arccos(np.clip(r, -1, 1)), 0.0).sum())
        low, high = 0.0, 40.0
        for _ in range(50):
            c = (low + high) / 2
            bound = outside(c, math.inf) / 2 + math.exp(-c * c / 2) * crossings / (2 * math.pi)
            low, high = (c, high) if bound > alpha else (low, c)
        return high


@dataclass(frozen=True, eq=False)
class _Active:
    """Rows that count from one place of a grid up to another."""

    start: IntArray
    end: IntArray
    size: int

    def sums(self, values: FloatArray) -> FloatArray:
        """Return the sum of the values of the rows that count at each place."""
        steps = bincount(self.start, values, self.size + 1)
        steps = steps - bincount(self.end, values, self.size + 1)
        return np.asarray(np.cumsum(steps)[: self.size].clip(0), dtype=np.float64)

    def pairs(self, values: FloatArray) -> FloatArray:
        """Return the sum over rows that count at a place and at the next."""
        used = np.where(self.start < self.end, values, 0.0)
        ended = bincount(self.end, used, self.size + 1)[1 : self.size]
        return np.asarray((self.sums(used)[:-1] - ended).clip(0), dtype=np.float64)

    def by_group(
        self, values: FloatArray, y: IntArray, odds: FloatArray, unit: IntArray
    ) -> tuple[FloatArray, FloatArray]:
        """Return variances and covariances of neighbours, of sums over groups."""
        groups, code = np.unique(unit, return_inverse=True)
        variance, covariance = np.zeros(self.size), np.zeros(self.size - 1)
        width = self.size + 1
        for first in range(0, groups.size, _GROUPS_AT_ONCE):
            n = min(_GROUPS_AT_ONCE, groups.size - first)
            paths = np.zeros((n, self.size))
            for k, scale in ((0, odds), (1, np.ones(self.size))):
                mine = (y == k) & (code >= first) & (code < first + n)
                row = (code[mine] - first) * width
                steps = bincount(row + self.start[mine], values[mine], n * width)
                steps = steps - bincount(row + self.end[mine], values[mine], n * width)
                paths += np.cumsum(steps.reshape(n, width), axis=1)[:, : self.size] * scale
            variance += np.square(paths).sum(axis=0)
            covariance += (paths[:, 1:] * paths[:, :-1]).sum(axis=0)
        return variance, covariance
