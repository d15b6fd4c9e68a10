"""Paired differences: what calibration recovers."""

import math
from dataclasses import dataclass, replace

import numpy as np

from stakes._typing import FloatArray
from stakes.metrics.paired import paired_losses
from stakes.results import Estimate, Interval
from stakes.samples import Samples

FEWEST = 20  # samples of a class, below which losses without a bound have no interval
FEWEST_SAMPLES = 150  # in all, below which a rare large loss may well be missing among them


@dataclass(frozen=True, eq=False)
class CalibrationPair:
    """The losses of the same samples before and after a calibration stage.

    `learning` is what the fit to these samples costs compared with one to endless data: half of
    what the loss on samples of other folds exceeds that on the samples of the fit. `largest` is the
    largest possible difference of decisions of each sample; None for losses of probabilities.
    """

    samples: Samples
    before: FloatArray
    after: FloatArray
    naive: FloatArray  # loss of each sample under the naive system
    learning: float
    largest: FloatArray | None = None
    bounded: bool = True

    def loss(self, level: float, naive: float) -> Estimate:
        """Return the calibration loss in units of the naive loss."""
        return self._estimate(self.naive, level, naive)

    def relative(self, level: float, raw: float) -> Estimate:
        """Return the calibration loss over the loss before calibration, 1 at most."""
        found = self._estimate(self.before, level, raw)
        band = found.interval
        if band is None:
            return found
        return replace(found, interval=replace(band, high=min(band.high, 1.0)))

    @property
    def why_none(self) -> str:
        """Why there is no interval; empty where there is one."""
        if not (np.isfinite(self.before).all() and np.isfinite(self.after).all()):
            return "a loss is infinite"
        if self.largest is not None or self.bounded:
            return ""
        counts = self.samples.counts
        least = counts[self.samples.priors > 0].min()
        if least < FEWEST:
            return f"needs {FEWEST} samples of each class: got {least}"
        if counts.sum() < FEWEST_SAMPLES:
            return f"needs {FEWEST_SAMPLES} samples: got {counts.sum()}"
        return ""

    def _estimate(self, unit_losses: FloatArray, level: float, unit: float) -> Estimate:
        """Return the difference in units of an expected loss that varies too."""
        samples = self.samples
        if self.why_none:
            share = samples.balanced_mass()
            with np.errstate(invalid="ignore"):
                gap = float(share @ self.before - share @ self.after)
            return Estimate(gap / unit if unit > 0 else math.nan, None, self.why_none)
        how = {"naive": unit_losses, "largest": self.largest}
        found = paired_losses(samples, self.before, self.after, **how)
        band = found.interval(level)
        if band is None:
            return Estimate(found.value, None, found.why)
        more = self.learning / unit if unit > 0 else 0.0
        method = "paired likelihood, with the cost of learning"
        return Estimate(found.value, Interval(band.low, band.high + more, level), method)


def with_learning(band: Interval, learning: float) -> Interval:
    """Return the interval of a calibrated loss, which endless data would lower a little more."""
    return Interval(max(band.low - learning, 0.0), band.high, band.level)
