"""Intervals and p-values: the range of a metric over the reweightings that are likely enough."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal

import numpy as np

from stakes._quantiles import normal, outside, student
from stakes._typing import FloatArray, IntArray
from stakes.inference.cells import Cells
from stakes.inference.tilting import depth_of, likeliest, most, radius_at
from stakes.inference.totals import Statistic

FEWEST_GROUPS = 5  # below which there is no interval
Pick = Literal["one", "max", "min", "hull"]
_MOST_ROUNDS = 60
_MOST_HALVINGS = 10
_ENOUGH = 1e-9
_UNDAMPED = 4  # rounds; far from the null they can alternate between two points
_MOST_AHEAD = 0.9  # of what reweighting can reach, where a metric is far from linear
_TOGETHER = 2**16  # weights of problems that are solved at once
_MOST_RADIUS = 38.0  # beyond it a normal tail is 0


@dataclass(frozen=True, eq=False)
class Problem:
    """Numbers about the same cells: everything that an interval of any level and a test need.

    Each number is one metric of the statistic, or the largest (`max`) or smallest (`min`) of
    several; a `hull` reaches from the lower end of the smallest to the upper end of the largest.
    `shift` is added to values and ends. `enough` is the part of the
    way from the value to an end, or to the null, that may be missing.
    """

    cells: Cells
    statistic: Statistic
    members: Sequence[Sequence[int]]
    picks: Sequence[Pick]
    shift: float = 0.0
    enough: float = _ENOUGH

    @classmethod
    def single(cls, cells: Cells, statistic: Statistic) -> Problem:
        """Return a problem in which each metric of the statistic is a number."""
        each = range(statistic.size)
        return cls(cells, statistic, [(k,) for k in each], ["one"] * statistic.size)

    @cached_property
    def _member_values(self) -> FloatArray:
        which = np.arange(self.statistic.size)
        return self.statistic.values(np.tile(self.cells.observed, (which.size, 1)), which)

    @cached_property
    @np.errstate(invalid="ignore", over="ignore")  # where a metric is undefined
    def _harms(self) -> FloatArray:
        """How much a little more of each row moves each metric, less the mean of its stratum."""
        which, cells = np.arange(self.statistic.size), self.cells
        observed = np.tile(cells.observed, (which.size, 1))
        slopes = self.statistic.slopes(observed, which)
        mean = ((observed * slopes) @ cells.strata) / np.maximum(observed @ cells.strata, 1e-300)
        return np.asarray(slopes - mean[:, cells.all_strata])

    @property
    def values(self) -> FloatArray:
        """The numbers at the weights observed; of a hull the smallest."""
        return np.array([self._value(k) for k in range(len(self.members))]) + self.shift

    def _value(self, number: int) -> float:
        values = self._member_values[list(self.members[number])]
        return float(values.max() if self.picks[number] == "max" else values.min())

    @property
    def errors(self) -> FloatArray:
        """Standard errors of the numbers, of the first member of each."""
        seen = len(self.cells.counts)
        errors = np.sqrt(np.square(self._harms[:, :seen]) @ self.cells.counts)
        return errors[[members[0] for members in self.members]]

    def intervals(self, level: float) -> FloatArray:
        """Return the lower and upper end of each number; NaN where there are too few groups."""
        radius = radius_of(level, self.cells.groups)
        if math.isnan(radius):
            return np.full((len(self.members), 2), math.nan)
        n = self.statistic.size
        which, side = np.repeat(np.arange(n), 2), np.tile([-1.0, 1.0], n)
        lows, highs = extremes(self, which, side, np.full(2 * n, radius)).reshape(n, 2).T
        ends = [self._ends(k, lows, highs, radius) for k in range(len(self.members))]
        return np.array(ends) + self.shift

    def _ends(
        self, number: int, lows: FloatArray, highs: FloatArray, radius: float
    ) -> tuple[float, float]:
        """Return the ends of a number from those of its members.

        The upper end of the largest of a family is exact. Its lower end is the least of those
        members that may be the largest: which of two equal ones comes out larger is chance.
        """
        own, pick = list(self.members[number]), self.picks[number]
        low, high = lows[own], highs[own]
        if pick == "max":
            low = low[self._behind(own) <= radius]
        top = high.min() if pick == "min" else high.max()
        return float(low.min()), float(top)

    @np.errstate(invalid="ignore")  # of members that are infinite
    def _behind(self, own: Sequence[int]) -> FloatArray:
        """Return the radius at which each member may be the largest, taken as linear."""
        values, seen = self._member_values[own], len(self.cells.counts)
        best = int(values.argmax())
        apart = self._harms[own, :seen] - self._harms[own[best], :seen]
        spread = np.sqrt(np.square(apart) @ self.cells.counts)
        gap = np.where(values == values[best], 0.0, values[best] - values)
        return np.divide(gap, spread, out=np.where(gap > 0, np.inf, 0.0), where=spread > 0)

    def p_value(self, number: int = 0, null: float = 0.0) -> float:
        """Return the two-sided p-value: the level at which the interval ends at the null."""
        if self.cells.groups is not None and self.cells.groups[0] < FEWEST_GROUPS:
            return math.nan
        own, pick, null = list(self.members[number]), self.picks[number], null - self.shift
        value = self._value(number)
        if math.isnan(value):
            return math.nan
        radii = [self._touch(k, 1.0 if value < null else -1.0, null) for k in own]
        if pick == "max" and value > null:
            radii = np.maximum(radii, self._behind(own)).tolist()
        # the end of the smallest that is above it reaches the null with the last member to do so
        last = pick == "min" and value < null
        return tail(max(radii) if last else min(radii), self.cells.groups)

    def _touch(self, member: int, side: float, null: float) -> float:
        """Return the radius at which the end of one metric is the null; 0 beyond it already.

        Each round takes the metric as linear at the last weights and finds the likeliest weights
        at which it is the null: one round and a check for ratios.
        """
        if not side * (null - self._member_values[member]) > 0:
            return 0.0
        which, sides = np.array([member]), np.array([side])
        at = counts = self._augmented(which, sides)
        stratum, value = self.cells.all_strata, self.statistic.values(counts, which)[0]
        way = abs(null - self._member_values[member])
        if side * (null - value) <= 0:  # within half an unseen row
            return 0.0
        for round_ in range(_MOST_ROUNDS):
            slope = side * self.statistic.slopes(at, which)
            ahead = side * (null - value) - (slope * (counts - at)).sum(axis=1)
            left = (depth_of(slope, stratum) * counts).sum(axis=1)
            if not (ahead[0] > 0 and left[0] > 0):
                break
            weights = likeliest(slope, counts, stratum, np.minimum(ahead, _MOST_AHEAD * left))
            found = self.statistic.values(weights, which)[0]
            if abs(found - null) <= self.enough * way:
                return float(radius_at(weights, counts)[0])
            at = weights if round_ < _UNDAMPED else (at + weights) / 2
            value = self.statistic.values(at, which)[0]
        return self._bisected(which, sides, null)

    def _bisected(self, which: IntArray, side: FloatArray, null: float) -> float:
        low, high = 0.0, _MOST_RADIUS
        for _ in range(60):
            radius = (low + high) / 2
            end = extremes(self, which, side, np.array([radius]))[0]
            low, high = (radius, high) if side[0] * (end - null) < 0 else (low, radius)
            if high - low <= self.enough * high:
                break
        return low

    def _augmented(self, which: IntArray, side: FloatArray) -> FloatArray:
        """Return weights with the worst unseen rows of each problem, at the weights observed."""
        return self.cells.augmented(side[:, None] * self._harms[which])


def radius_of(level: float, groups: tuple[float, float] | None) -> float:
    """Return the radius of an interval: a quantile of the normal distribution, with groups of t."""
    if groups is None:
        return normal(level)
    number, effective = groups
    if number < FEWEST_GROUPS:
        return math.nan
    return student(level, max(effective - 1, 1.0)) * math.sqrt(number / (number - 1))


def tail(radius: float, groups: tuple[float, float] | None) -> float:
    """Return the p-value that belongs to a radius."""
    if groups is None:
        return outside(radius, math.inf)
    number, effective = groups
    return outside(radius * math.sqrt((number - 1) / number), max(effective - 1, 1.0))


def extremes(problem: Problem, which: IntArray, side: FloatArray, radius: FloatArray) -> FloatArray:
    """Return the largest (side 1) or smallest (side -1) values of metrics within their radius.

    The value at the weights observed is always within. Problems are solved together as far as
    their weights fit a cache.
    """
    size = max(1, _TOGETHER // problem.cells.all_strata.size)
    parts = [slice(start, start + size) for start in range(0, which.size, size)]
    return np.concatenate([_extremes(problem, which[p], side[p], radius[p]) for p in parts])


def _extremes(
    problem: Problem, which: IntArray, side: FloatArray, radius: FloatArray
) -> FloatArray:
    """Return the same for problems that are solved together.

    Frank and Wolfe's method: the best weights for the slopes at the last ones, a full step,
    halved while the metric does not improve. Full steps improve all ratios and convex metrics.
    """
    statistic, stratum = problem.statistic, problem.cells.all_strata
    start = problem._member_values[which]
    counts = problem._augmented(which, side)
    weights = counts.copy()
    best = np.where(np.isnan(start), np.nan, statistic.values(weights, which))
    left = np.flatnonzero(np.isfinite(best))
    for _ in range(_MOST_ROUNDS):
        if not left.size:
            break
        slope = side[left, None] * statistic.slopes(weights[left], which[left])
        way = most(slope, counts[left], stratum, radius[left]) - weights[left]
        far = np.abs(best[left] - start[left])
        ahead = (slope * way).sum(axis=1) > problem.enough * far
        left, way, far = left[ahead], way[ahead], far[ahead]
        if not left.size:
            break
        gain = _improve(statistic, (which, side, weights, best), left, way)
        left = left[(gain > problem.enough * far) & np.isfinite(best[left])]
    return np.asarray(side * np.maximum(side * best, side * start))


def _improve(
    statistic: Statistic,
    state: tuple[IntArray, FloatArray, FloatArray, FloatArray],
    left: IntArray,
    way: FloatArray,
) -> FloatArray:
    """Step the way of each problem that is left, halved while that improves it; the gains.

    Steps that merely improve can cross the way to the end back and forth for many rounds.
    """
    which, side, weights, best = state
    start, found = weights[left], best[left]
    gain, rest = np.zeros(left.size), np.arange(left.size)
    for halving in range(_MOST_HALVINGS):
        at = left[rest]
        tried = start[rest] + 0.5**halving * way[rest]
        values = statistic.values(tried, which[at])
        now = np.fmax(side[at] * (values - found[rest]), 0)
        better = now > gain[rest]
        weights[at[better]], best[at[better]] = tried[better], values[better]
        gain[rest] = np.maximum(gain[rest], now)
        rest = rest[better | (gain[rest] == 0)]
        if not rest.size:
            break
    return gain
