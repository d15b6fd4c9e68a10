"""Intervals of points on an ROC curve, whose threshold is found on the same samples.

The truth has a threshold of its own, with some false alarm and miss rate. A value is in the
interval if for some threshold the two rates seen there are not too far from those that the value
demands, by the score test of two proportions: z^2 in all, the threshold being free.
"""

from dataclasses import dataclass

import numpy as np

from stakes._typing import FloatArray

_LEAST = 1e-9  # a rate that is fixed at 0 has the variance of this one

Ends = tuple[FloatArray, FloatArray]


@dataclass(frozen=True, eq=False)
class ErrorRatesSeen:
    """Two error rates at thresholds in order, and how many samples each rests on.

    The first falls from 1 to 0 while the second rises from 0 to 1.
    """

    falling: FloatArray
    rising: FloatArray
    sizes: tuple[float, float]

    def equal(self, quantile: float) -> tuple[float, float]:
        """Return the interval of the equal error rate; thresholds are the corners of the hull.

        The rate may lie between two corners, so that distances are to the sides of the hull. At an
        end of the interval the nearest point is a corner or between two. The rate is at most 0.5,
        since the hull is nowhere above the line between its first and its last corner.
        """
        square = quantile * quantile
        both = [self._corners(square), self._sides(square)]
        low, high = (np.concatenate(ends) for ends in zip(*both, strict=True))
        return max(float(low.min()), 0.0), min(float(high.max()), 0.5)

    def right(self, fixed: float, quantile: float) -> tuple[float, float]:
        """Return the interval of 1 less the second rate, where the first is at most `fixed`.

        Of such thresholds the first is meant: its rate is at most `fixed`, and that of the
        threshold before it is above. Where scores have few values neither is near to `fixed`.
        """
        before = np.concatenate([[1.0], self.falling[:-1]])
        apart = np.maximum(np.maximum(self.falling - fixed, fixed - before), 0.0)
        rate = min(max(fixed, _LEAST), 1 - _LEAST)
        left = quantile * quantile - self.sizes[0] / (rate * (1 - rate)) * np.square(apart)
        near = left >= 0
        low, high = _score_interval(self.rising[near], self.sizes[1], left[near])
        return 1 - min(float(high.max()), 1.0), 1 - max(float(low.min()), 0.0)

    def _corners(self, square: float) -> Ends:
        """Return the least and the largest rate that are not too far from each corner, if any."""
        n1, n2 = self.sizes
        a, m = self.falling, self.rising
        spread = square * square + 4 * square * (n1 * a * (1 - a) + n2 * m * (1 - m))
        spread -= 4 * n1 * n2 * np.square(a - m)
        near = spread >= 0
        centre, half = (2 * (n1 * a + n2 * m) + square)[near], np.sqrt(spread[near])
        whole = 2 * (n1 + n2 + square)
        return (centre - half) / whole, (centre + half) / whole

    def _sides(self, square: float) -> Ends:
        """Return those not too far from each side, where its nearest point is between corners.

        On a side some weighted mean of the two rates is constant. Its interval is that of one
        proportion in as many samples as give the variance of the mean.
        """
        n1, n2 = self.sizes
        fall, rise = -np.diff(self.falling), np.diff(self.rising)
        kept = fall + rise > 0  # rounding may leave no side between extreme weights
        a, m, fall, rise = (r[kept] for r in (self.falling[:-1], self.rising[:-1], fall, rise))
        whole = fall + rise
        n = 1 / (np.square(rise / whole) / n1 + np.square(fall / whole) / n2)
        low, high = _score_interval((rise * a + fall * m) / whole, n, np.full(n.size, square))
        length = n1 * np.square(fall) + n2 * np.square(rise)

        def between(end: FloatArray) -> FloatArray:
            along = n1 * (a - end) * fall + n2 * (end - m) * rise
            return end[(along >= 0) & (along <= length)]

        return between(low), between(high)


def _score_interval(seen: FloatArray, n: float | FloatArray, square: FloatArray) -> Ends:
    """Return the score intervals of proportions in n samples, for squares of quantiles."""
    centre = seen + square / (2 * n)
    half = np.sqrt(square * seen * (1 - seen) / n + np.square(square / (2 * n)))
    return (centre - half) / (1 + square / n), (centre + half) / (1 + square / n)
