"""Which system is best at which odds: claims that hold over a whole range at once."""

from __future__ import annotations

__all__ = ["OddsRange"]

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._math import count_by, quotient, times
from stakes._quantiles import outside
from stakes._records import Record
from stakes._text import number, plain
from stakes._typing import BoolArray, FloatArray, IntArray
from stakes.evaluation.findings import plain_values
from stakes.inference.cells import HALF, TRACE
from stakes.inference.law import radius_of
from stakes.inference.pairs import balanced, band_radius
from stakes.samples import Samples
from stakes.statistics.group_effects import effective_groups

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
    return _ranges(_best(samples[0], ratios, grid, level), grid, list(systems))


def _alphas(n_systems: int, level: float) -> tuple[float, float]:
    """Return how often one system may falsely be said to cost less than another; than naive."""
    others = n_systems * (n_systems - 1)
    return (1 - level) * (1 - _NAIVE_SHARE) / others, (1 - level) * _NAIVE_SHARE / n_systems


def _best(samples: Samples, ratios: list[FloatArray], grid: FloatArray, level: float) -> IntArray:
    """Return the system that costs less than all others and than the naive one, or -1.

    Only the one that costs least in the data can be it, which leaves few pairs to test.
    """
    alpha, alpha_naive = _alphas(len(ratios), level)
    alone = [_Paths.from_samples(samples, ratio, None, grid) for ratio in ratios]
    best = np.argmin([paths.gap for paths in alone], axis=0)
    for i in np.unique(best).tolist():
        named = (best == i) & alone[i].less(best == i, alpha_naive)
        for j in range(len(ratios)):
            if j != i and named.any():
                paths = _Paths.from_samples(samples, ratios[i], ratios[j], grid)
                named &= paths.less(named, alpha)
        best[(best == i) & ~named] = -1
    return best


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


@dataclass(frozen=True, eq=False)
class _Paths:
    """The costs of two systems along the odds, from rows on which their decisions differ.

    A cell holds the rows of a class, or the groups, that cost the first system more, or the
    second: their sum and their sum of squares, which are those of so many rows of one size.
    """

    odds: FloatArray
    totals: FloatArray  # cell x odds
    squares: FloatArray
    numbers: FloatArray  # how many rows, or groups, there are in each stratum
    angles: FloatArray  # between influences at neighbouring odds
    rare: FloatArray  # what an error that was not seen adds in each class
    constant: bool  # whether the second is the naive system
    groups: tuple[float, float] | None

    @property
    def gap(self) -> FloatArray:
        """The cost of the first system less that of the second."""
        return np.asarray(self.totals.sum(axis=0))

    @classmethod
    def from_samples(
        cls, samples: Samples, first: FloatArray, second: FloatArray | None, grid: FloatArray
    ) -> _Paths:
        """Follow two systems over a grid of log odds; without a second one, the naive system."""
        w, odds, y, unit = _shares(samples), np.exp(grid), samples.y, samples.groups
        other = np.zeros(first.size) if second is None else second
        mass, square = (times(x, samples.copies) for x in (w, w * w))
        start = np.searchsorted(grid, np.minimum(first, other))
        end = np.searchsorted(grid, np.maximum(first, other))
        # a false alarm of the first alone, or a miss of the first alone
        sign = (1 * (first > other) - (first < other)) * np.where(y == 0, 1, -1)
        active, price = _Active(start, end, grid.size), np.stack([odds, np.ones_like(odds)])
        if unit is None:
            kinds = [(k, s, (y == k) & (sign == s)) for k in (0, 1) for s in (1, -1)]
            totals = np.array([s * price[k] * active.sums(mass * at) for k, s, at in kinds])
            squares = np.array([price[k] ** 2 * active.sums(square * at) for k, _, at in kinds])
            both = [active.pairs(square * (y == k)) for k in (0, 1)]
            covariance = odds[1:] * odds[:-1] * both[0] + both[1]
            numbers, groups = count_by(y, samples.copies, 2).astype(np.float64), None
        else:
            totals, squares, covariance = active.by_group(mass * sign, y, odds, unit)
            numbers = np.array([float(np.unique(unit).size)])
            alone = second is None  # else exchanged rows see to few groups
            groups = float(numbers[0]), effective_groups(unit, mass, y) if alone else math.inf
        rare = price * bincount(y, square, 2).astype(np.float64)[:, None]
        angles = _angles(squares.sum(axis=0), covariance)
        return cls(odds, totals, squares, numbers, angles, rare, second is None, groups)

    def less(self, where: BoolArray, alpha: float) -> BoolArray:
        """Return where the first costs less; falsely anywhere with a probability of alpha at most.

        The whole curve stays within its intervals at a radius; the first costs less where the
        interval at this radius lies below 0.
        """
        q = band_radius(self.angles, 1 - 2 * alpha)
        if self.groups is not None:
            q = radius_of(1 - outside(q, math.inf), self.groups)
        at = np.flatnonzero(where & (self.gap < 0))
        parts, counts, stratum = self._rows(at)
        below = (parts * counts).sum(axis=1) < 0  # with half an unseen row
        out = np.zeros(where.size, dtype=np.bool_)
        if below.any():
            out[at[below]] = balanced(parts[below], counts[below], stratum)[1] > q
        return out

    def _rows(self, at: IntArray) -> tuple[FloatArray, FloatArray, IntArray]:
        """Return what rows add at some odds, how many there are, and their strata."""
        totals, squares, strata = self.totals[:, at].T, self.squares[:, at].T, self.numbers.size
        often = quotient(np.square(totals), squares)
        size = np.sign(totals) * quotient(squares, np.abs(totals))
        of = np.arange(totals.shape[1]) * strata // totals.shape[1]  # strata of cells
        alike = np.stack([n - often[:, of == k].sum(axis=1) for k, n in enumerate(self.numbers)], 1)
        rare, own = self.rare[:, at].T, np.arange(2) % strata  # those of either class
        mean = (totals @ np.eye(strata)[of] / self.numbers)[:, own]
        harm = rare - mean
        if self.constant:  # the naive system always decides for the second class, or never
            never = (self.odds[at] >= 1)[:, None] ^ np.array([False, True])
            low, high = np.where(never, 0.0, -rare), np.where(never, rare, 0.0)
            harm = high - mean
            mass = np.where(harm >= harm.max(axis=1, keepdims=True), HALF, TRACE)
            more, many = [low, high], [np.full_like(low, TRACE), mass]
        else:
            share = np.abs(totals)
            exchanged = HALF / 2 * quotient(share, share.sum(axis=1, keepdims=True))
            mass = np.where(harm >= harm.max(axis=1, keepdims=True), HALF / 2, TRACE)
            more, many = [-rare, rare, -size], [np.full_like(rare, TRACE), mass, exchanged]
        parts = np.concatenate([size, np.zeros_like(alike), *more], axis=1)
        counts = np.concatenate([often, alike.clip(0), *many], axis=1)
        each = [of, np.arange(strata), own, own, *([] if self.constant else [of])]
        return parts, np.maximum(counts, 1e-12), np.concatenate(each)


def _angles(variance: FloatArray, covariance: FloatArray) -> FloatArray:
    """Return the angles between the influences of neighbours."""
    scale = np.sqrt(variance[:-1] * variance[1:])
    r = np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0)
    return np.where(variance[1:] > 0, np.arccos(np.clip(r, -1, 1)), 0.0)


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
    ) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return sums and squares of groups above 0 and below, and covariances of neighbours."""
        groups, code = np.unique(unit, return_inverse=True)
        totals, squares = np.zeros((2, 2, self.size))
        covariance = np.zeros(self.size - 1)
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
            for side, part in enumerate((paths.clip(min=0), paths.clip(max=0))):
                totals[side] += part.sum(axis=0)
                squares[side] += np.square(part).sum(axis=0)
            covariance += (paths[:, 1:] * paths[:, :-1]).sum(axis=0)
        return totals, squares, covariance
