"""The reweighting of rows that moves a sum most: `tilted` of `_kernels.tilt`.

Weights w of rows that count m are as likely as exp(-r^2 / 2), r^2 = 2 sum m log(m / w), their
sum in each stratum kept. Where a sum of w times slopes is largest for its r,

    w = m / (s (gap + depth)),

depth being the largest slope of the stratum less the slope of the row, s common to all rows, and
the gap of each stratum such that its sum is kept. So one number s has to be found.
"""

import numpy as np

from stakes._counting import bincount
from stakes._typing import BoolArray, FloatArray, IntArray

_MOST_ROUNDS = 120
_MOST_STEPS = 60
_FARTHEST = 1e60  # tilts beyond it change nothing but harmless traces
_LAST_STEP = 1e-7  # relative: what is missing after it is about its square
_NEARLY = 1e-6  # of the goal: where Newton's method can be trusted with the rest
_SMALLEST = 1e-300


def numbered(stratum: IntArray) -> IntArray:
    """Return strata as numbers from 0 up without those that have no rows."""
    held = bincount(stratum) > 0
    return stratum if held.all() else np.asarray(np.cumsum(held) - 1)[stratum].astype(np.int64)


def depth_of(slopes: FloatArray, stratum: IntArray) -> FloatArray:
    """Return how far each slope lies below the largest of its stratum."""
    stratum = numbered(stratum)
    each = range(int(stratum.max(initial=0)) + 1)
    tops = np.stack([slopes[:, stratum == k].max(axis=1) for k in each], axis=1)
    with np.errstate(invalid="ignore"):
        return np.asarray(tops[:, stratum] - slopes)


def indicators(stratum: IntArray) -> FloatArray:
    """Return a column for each stratum, 1 for its rows."""
    return np.equal.outer(stratum, np.arange(int(stratum.max(initial=0)) + 1)).astype(np.float64)


def radius_of_ratios(ratio: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the root of 2 sum m log(m / w) for ratios m / w; terms cancel to first order."""
    log = np.where(ratio > 0.5, np.log1p(np.maximum(ratio, 0.5) - 1), np.log(ratio))
    return np.sqrt(np.maximum(2 * (counts * (log - (ratio - 1) / ratio)).sum(axis=1), 0))


def tilted(
    slopes: FloatArray, counts: FloatArray, stratum: IntArray, goal: FloatArray, *, of_radius: bool
) -> FloatArray:
    """Return the weights at the tilt s that reaches a goal.

    Newton's method on log s in a bracket: a bisection follows a step that does not halve the
    bracket. Without this the search can cycle. After a step that is small enough comes no other.
    """
    stratum = numbered(stratum)
    weights, depth = np.array(counts, dtype=np.float64), depth_of(slopes, stratum)
    scale = depth.max(axis=1)
    varying = np.flatnonzero((scale > 0) & (scale < np.inf) & (goal > 0))
    depth, m = depth[varying] / scale[varying, None], weights[varying]
    goal = goal[varying] if of_radius else goal[varying] / scale[varying]
    tilt = _Tilt(depth, m, stratum)
    s = np.clip(goal / (np.sqrt(tilt.spread) if of_radius else tilt.spread), _SMALLEST, _FARTHEST)
    low, high, width = np.zeros_like(s), np.full_like(s, np.inf), np.full_like(s, np.inf)
    left, last = np.arange(s.size), np.zeros(s.size, dtype=np.bool_)
    for _ in range(_MOST_ROUNDS):
        if not left.size:
            break
        now, aim = s[left], goal[left]
        weights[varying[left]], reached, bend = tilt.at(now, left)
        if of_radius:
            newton = np.log(aim / np.maximum(reached, _SMALLEST)) * np.square(reached)
        else:
            reached = tilt.ahead(weights[varying[left]], left)
            newton = (aim - reached) * now
        newton /= np.maximum(bend, _SMALLEST)
        low[left] = np.where(reached < aim, now, low[left])
        high[left] = np.where(reached < aim, high[left], now)
        s[left], width[left] = _next(now, newton, (low[left], high[left]), width[left])
        done = last[left] | (now >= _FARTHEST)
        near = np.abs(reached - aim) <= _NEARLY * aim
        last[left] = near & (np.abs(newton) <= _LAST_STEP)
        s[left] = np.where(last[left], now + now * newton, s[left])
        left = left[~done]
    return weights


def _next(
    s: FloatArray, newton: FloatArray, bracket: tuple[FloatArray, FloatArray], width: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the next s, Newton's where it can be trusted, and the width of its bracket."""
    low, high = bracket
    with np.errstate(divide="ignore", over="ignore", invalid="ignore"):
        now = np.log(high) - np.log(low)
        tried = s * np.exp(np.clip(newton, -7.0, 7.0))
        middle = np.sqrt(low) * np.sqrt(high)
    bounded: BoolArray = np.isfinite(now)
    middle = np.where(bounded, middle, np.where(low > 0, 4 * s, s / 4))
    trusted = (tried > low) & (tried < high) & (~bounded | (now <= 0.5 * width))
    return np.minimum(np.where(trusted, tried, middle), _FARTHEST), now


class _Tilt:
    """Problems about rows of the same strata, by how far each slope lies below the top."""

    def __init__(self, depth: FloatArray, counts: FloatArray, stratum: IntArray) -> None:
        self.depth, self.counts, self.stratum = depth, counts, stratum
        self.strata = indicators(stratum)
        self.size = counts @ self.strata
        self.mean = (counts * depth) @ self.strata / self.size
        self.spread = (counts * np.square(depth - self.mean[:, stratum])).sum(axis=1)
        self.top = (counts * (depth <= 0)) @ self.strata

    def ahead(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return how far the sum of weights * slopes is ahead of that of the counts."""
        return np.asarray(((self.counts[which] - weights) * self.depth[which]).sum(axis=1))

    def at(self, s: FloatArray, which: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return weights at a tilt, their radius, and the derivative of radius^2 / 2 by log s.

        The gap of a stratum is the root of sum m / (gap + depth) = s * size. Newton's method on
        the reciprocal of the sum, which is concave, rises to it from below and needs no bracket.
        """
        depth, m, size = self.depth[which], self.counts[which], self.size[which]
        goal = 1 / (s[:, None] * size)
        gap = np.maximum(self.top[which] * goal, 1 / s[:, None] - self.mean[which])
        gap = np.maximum(gap, 1e-120)
        for _ in range(_MOST_STEPS):
            r = 1 / (gap[:, self.stratum] + depth)
            mr = m * r
            total = mr @ self.strata
            step = np.maximum((goal - 1 / total) * total * total / ((mr * r) @ self.strata), 0)
            gap += step
            if (step <= _LAST_STEP * gap).all():
                break
        ratio = s[:, None] * (gap[:, self.stratum] + depth)  # m / w
        bend = (m * np.square((ratio - 1) / ratio)) @ self.strata
        return m / ratio, radius_of_ratios(ratio, m), (bend / (1 + bend / size)).sum(axis=1)
