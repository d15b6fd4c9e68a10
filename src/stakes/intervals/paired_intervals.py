"""Paired differences: what calibration recovers, and one area under a ROC curve less another."""

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stakes._math import times
from stakes._typing import FloatArray, IntArray
from stakes.curves.area import placements
from stakes.metrics.paired import PairedDifference, paired_difference, paired_losses
from stakes.results import Estimate, Interval
from stakes.samples import Samples
from stakes.statistics.group_effects import ONE_GROUP, effective_groups

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
        method = "paired, closed form, with the cost of learning"
        return Estimate(found.value, Interval(band.low, band.high + more, level), method)


def with_learning(band: Interval, learning: float) -> Interval:
    """Return the interval of a calibrated loss, which endless data would lower a little more."""
    return Interval(max(band.low - learning, 0.0), band.high, band.level)


@dataclass(frozen=True, eq=False)
class Placed:
    """What each sample adds to an area under a ROC curve, and how samples count."""

    placements: FloatArray  # the share of the other class that a sample is ranked rightly against
    y: IntArray
    weights: FloatArray | None
    unit: IntArray | None
    copies: IntArray | None

    @cached_property
    def groups(self) -> float | None:
        """How many equal groups are as precise, of the class in which they are fewest."""
        if self.unit is None:
            return None
        w = np.ones(self.y.size) if self.weights is None else self.weights
        return effective_groups(self.unit, times(w, self.copies), self.y)


def placed(
    scores: FloatArray,
    y: IntArray,
    weights: FloatArray | None = None,
    unit: IntArray | None = None,
    copies: IntArray | None = None,
) -> Placed:
    """Return the placements of samples; a row stands for `copies` of them."""
    w = np.ones(y.size) if weights is None else weights / weights.max()
    return Placed(placements(scores, y, times(w, copies)), y, weights, unit, copies)


def auc_difference(a: Placed, b: Placed) -> PairedDifference:
    """Return the area of one score less that of another.

    Either class's mean of the gap of placements is that difference, and both vary: it is their sum
    less the value.
    """
    one = np.ones(2)
    found = paired_difference(
        a.y, a.placements, b.placements, n_classes=2, priors=one, weights=a.weights,
        copies=a.copies, unit=a.unit,
    )  # fmt: skip
    value = found.value / 2
    if not found.discordant:
        return replace(found, why="the systems rank all samples alike")
    if a.groups is not None and a.groups <= 1:
        return PairedDifference(value, found.discordant, found.units, why=ONE_GROUP)
    if found.pair is None:
        return replace(found, value=value)
    return replace(found, value=value, pair=replace(found.pair, effective=a.groups, shift=-value))
