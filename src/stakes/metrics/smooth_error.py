"""What chance makes of a smooth calibration error: its expectation, its bias and its interval.

The error is the width of a kernel at which the smoothed residual sums up to that width. It exceeds
a width if, and only if, the residual smoothed by that width sums up to more. So its law at the
observed width is that of the sizes of a smoothed residual: a sum of many independent terms, close
to normal, drawn with a fixed seed.
"""

import math
from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np

from stakes._math import quotient
from stakes._typing import FloatArray, NDArray
from stakes.metrics.binned_error import GapModel, Strata, with_prior_event

GRID = 1000  # cells of the residual
_SEED, _DRAWS, _FEWER = 20_231, 400, 200
_PLACES = 4  # in the width of the kernel, at which smoothed residuals are summed
_NARROWEST, _CLOSE = 1 / GRID, 1e-4

Waves = NDArray[np.complex128]


def smooth_error(residual: FloatArray) -> float:
    """Return the width at which the smoothed residual sums up to that width."""
    waves, low, high = _waves(residual), _NARROWEST, 1.0
    while high - low > _CLOSE:
        width = (low + high) / 2
        smoothed = _smooth(waves, np.array(width))
        low, high = (width, high) if np.abs(smoothed).sum() > width else (low, width)
    return (low + high) / 2


@dataclass(frozen=True, eq=False)
class SmoothModel:
    """The residual by cell, smoothed by the width that is the error: as a `GapModel`."""

    cells: GapModel
    value: float

    method = "simulated residuals, without bias"

    @property
    def lacking(self) -> str:
        return self.cells.lacking

    @cached_property
    def gap(self) -> FloatArray:
        return self._scale * self._at_places(self.cells.gap)

    @cached_property
    def variance(self) -> FloatArray:
        return np.asarray(np.square(self._noise).mean(axis=0))

    @cached_property
    def _scale(self) -> float:
        """Number of cells that a place stands for, so that the sum is the error."""
        size = math.fsum(np.abs(self._at_places(self.cells.gap)))
        return self.value / size if size > 0 else 1.0

    def _at_places(self, residual: FloatArray) -> FloatArray:
        """Return smoothed residuals at places that are close beside the width of the kernel."""
        apart = max(int(self.value * GRID / _PLACES), 1)
        return self._smoothed(residual)[..., apart // 2 :: apart]

    @cached_property
    def expected(self) -> float:
        c = self.cells.chance
        rng = np.random.default_rng(_SEED)
        numbers = np.ceil(c.size * (1 - 1e-9)).astype(np.int64)  # whatever rounding has added
        used = np.flatnonzero((c.variance > 0) & (numbers > 0))
        rate, n = c.rate[used], numbers[used]
        deviation = np.sqrt(n * rate * (1 - rate))
        drawn = np.zeros((_FEWER, GRID))
        drawn[:, used] = (rng.binomial(n, rate, (_FEWER, used.size)) - n * rate) / deviation
        spread = np.sqrt(c.variance)
        basis, lost = _taken_away(spread, c.fine_strata())
        waves = _waves((drawn - (drawn @ basis) * lost @ basis.T) * spread)
        low, high = np.full(_FEWER, _NARROWEST), np.ones(_FEWER)
        for _ in range(10):
            width = np.sqrt(low * high)
            wide = np.abs(_smooth(waves, width[:, None])).sum(axis=1) > width
            low, high = np.where(wide, width, low), np.where(wide, high, width)
        return float(((low + high) / 2).mean())

    @cached_property
    def _noise(self) -> FloatArray:
        """Draws of what chance adds to the smoothed residual."""
        strata = tuple((self._smoothed(part), n) for part, n in self.cells.strata)
        deviation = np.sqrt(self._spread)
        basis, lost = _taken_away(deviation, strata)
        known = (_normal() @ basis) * lost @ self._at_places(basis.T * deviation)
        return self._scale * (self._at_places(_normal() * deviation) - known)

    @cached_property
    def _spread(self) -> FloatArray:
        """Variance of the residual in each cell, pooled over the width of the kernel."""
        c = self.cells.chance
        columns = self.cells.seen, c.variance, c.size, c.size * c.rate * (1 - c.rate)
        seen, calibrated, size, chance = (np.maximum(self._smoothed(x), 0.0) for x in columns)
        return with_prior_event(seen, calibrated, size * self._reach, quotient(chance, size))

    @cached_property
    def _event(self) -> FloatArray:
        """Largest step of an event, as smoothed at each place."""
        c = self.cells.chance
        step = c.step * np.maximum(c.rate, 1 - c.rate)
        top, bottom = (np.maximum(self._at_places(x), 0.0) for x in (step * c.variance, c.variance))
        return np.asarray(quotient(top, bottom) * self._scale / self._reach)

    @property
    def _reach(self) -> float:
        """Number of cells that a mean by the squared kernel is over."""
        return 2 * math.sqrt(math.pi) * self.value * GRID

    def _smoothed(self, residual: FloatArray) -> FloatArray:
        return _smooth(_waves(residual), np.array(self.value))

    def moments(self, gap: FloatArray) -> tuple[float, float, float]:
        noise, further = self._noise, np.maximum(gap - np.abs(self.gap), 0.0) * self._event
        if further.any():
            noise = noise * np.sqrt(1 + further / np.maximum(self.variance, 1e-300))
        drawn = np.abs(np.sign(self.gap) * gap + noise).sum(axis=1)
        mean, deviation = float(drawn.mean()), float(drawn.std())
        third = float(((drawn - mean) ** 3).mean())
        return mean, deviation, third / deviation**3 if deviation > 0 else 0.0

    def least_mean(self, gap: FloatArray) -> float:
        """Return the error without bias: of a few heavy samples chance may have left some out."""
        return math.fsum(gap)


@cache
def _normal() -> FloatArray:
    return np.random.default_rng(_SEED).standard_normal((_DRAWS, GRID))


def _taken_away(deviation: FloatArray, strata: Strata) -> tuple[FloatArray, FloatArray]:
    """Return directions of noise that groups of fixed number take away, and how much of each.

    Then its covariance is that of independent cells less part part' / number of each group.
    """
    columns = [quotient(part, deviation) / math.sqrt(n) for part, n in strata]
    if not columns:
        return np.zeros((GRID, 0)), np.zeros(0)
    basis, lengths, _ = np.linalg.svd(np.stack(columns, axis=1), full_matrices=False)
    return basis, 1 - np.sqrt(np.maximum(1 - np.square(lengths), 0.0))


def _waves(residual: FloatArray) -> Waves:
    """Return Fourier coefficients of residuals reflected at the ends."""
    return np.fft.rfft(np.concatenate([residual, residual[..., ::-1]], axis=-1))


def _smooth(waves: Waves, width: FloatArray) -> FloatArray:
    """Return residuals smoothed by Gaussians of these widths, from their coefficients."""
    damped = waves * np.exp(-np.square(np.pi * width * np.arange(GRID + 1)) / 2)
    return np.fft.irfft(damped, 2 * GRID)[..., :GRID]
