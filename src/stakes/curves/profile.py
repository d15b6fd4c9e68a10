"""Intervals of points on an ROC curve, whose threshold is found on the same samples.

The truth has a threshold of its own at which the two error rates are some e1 and e2. A value is in
the interval if for some threshold the two rates seen there are not too far from those that the
value demands, by the score test of two proportions: z^2 in all, the threshold being free.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._typing import FloatArray

_GRID = 101  # values at which the distance is computed before the ends are narrowed
_HALVINGS = 30
_MOST = 4000  # thresholds that are looked at
_LEAST = 1e-9

Demand = Callable[[float], tuple[float, float]]  # false alarm and miss rate that a value demands


@dataclass(frozen=True, eq=False)
class ErrorRatesSeen:
    """False alarm and miss rates at every threshold, and how many samples each rests on."""

    alarms: FloatArray
    misses: FloatArray
    sizes: tuple[float, float]

    @classmethod
    def of(cls, alarms: FloatArray, misses: FloatArray, sizes: tuple[float, float]) -> Self:
        """Return the rates at all thresholds, or at some where there are very many."""
        step = -(-alarms.size // _MOST)
        return cls(alarms[::step], misses[::step], sizes)

    def distance(self, demanded: tuple[float, float]) -> float:
        """Return how far the nearest threshold is from two rates, as a chi-square."""
        alarm, miss = (min(max(rate, _LEAST), 1 - _LEAST) for rate in demanded)
        far = self.sizes[0] / (alarm * (1 - alarm)) * np.square(self.alarms - alarm)
        far += self.sizes[1] / (miss * (1 - miss)) * np.square(self.misses - miss)
        return float(far.min())

    def interval(self, demand: Demand, quantile: float, inside: float) -> tuple[float, float]:
        """Return the least and the largest value that is not too far; `inside` never is."""
        limit, step = quantile * quantile, 1 / (_GRID - 1)
        grid = np.linspace(0, 1, _GRID).tolist()
        far = [self.distance(demand(x)) for x in grid]
        near = [x for x, d in zip(grid, far, strict=True) if d <= limit] or [inside]
        low = self._edge(demand, limit, min(near), max(min(near) - step, 0.0))
        high = self._edge(demand, limit, max(near), min(max(near) + step, 1.0))
        return min(low, inside), max(high, inside)

    def _edge(self, demand: Demand, limit: float, near: float, far: float) -> float:
        """Return where a value becomes too far, by halving."""
        if self.distance(demand(far)) <= limit:
            return far
        for _ in range(_HALVINGS):
            middle = (near + far) / 2
            near, far = (middle, far) if self.distance(demand(middle)) <= limit else (near, middle)
        return near


def equal(value: float) -> tuple[float, float]:
    """Demand both error rates to be the same."""
    return value, value


def at_specificity(specificity: float) -> Demand:
    """Demand a sensitivity at a fixed specificity."""
    return lambda value: (1 - specificity, 1 - value)


def at_sensitivity(sensitivity: float) -> Demand:
    """Demand a specificity at a fixed sensitivity."""
    return lambda value: (1 - value, 1 - sensitivity)
