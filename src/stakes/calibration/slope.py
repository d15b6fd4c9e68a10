"""The calibration slope: by how much log odds are too large (below 1) or too small (above 1)."""

import math
from dataclasses import dataclass, field, replace

import numpy as np

from stakes._check import UndefinedMetricError, read_level
from stakes._typing import FloatArray, IntArray
from stakes.calibration.affine_calibrator import AffineCalibrator
from stakes.calibration.floor import Floor
from stakes.calibration.maps import AffineMap
from stakes.calibration.refits import Refit
from stakes.inference.law import FEWEST_GROUPS, Problem
from stakes.results import Estimate, Interval
from stakes.samples import Samples

_MOST_CLASSES = 150  # up to which the spread of all biases is worth its time
_FLAT = "the scores do not vary"
_SEPARABLE = "the classes are separable by the scores"


@dataclass(frozen=True)
class CalibrationSlope:
    """The scale of the affine fit to all samples, and the range of it that is likely enough.

    1 for a calibrated system, below 1 for an overconfident one, above 1 for an underconfident one,
    0 for scores without information, below 0 for reversed ones. The interval is that of the fit to
    reweighted samples, or groups.
    """

    value: float
    problem: Problem | None = field(default=None, repr=False)
    why: str = ""  # there is no interval
    largest_part: float = 0.0  # of the curvature, that one sample has

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return the interval of the slope, where there is one."""
        read_level(level)
        if self.problem is None:
            return None
        low, high = self.problem.intervals(level)[0].tolist()
        if not math.isfinite(low + high):
            return None
        return Interval(min(low, self.value), max(high, self.value), level)

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the slope with its interval."""
        band = self.interval(level)
        why = self.why or "the data do not determine it"
        return Estimate(self.value, band, why if band is None else "likelihood, the fit repeated")


def calibration_slope(samples: Samples, unit: IntArray | None = None) -> CalibrationSlope:
    """Return the calibration slope of checked samples, at the class shares of the data.

    `unit` is the group of each sample, where they come in groups.
    """
    data = replace(samples, priors=samples.data_priors(), priors_from_data=True, groups=unit)
    floor = Floor.from_samples(data)
    inside = floor.samples(data).scores.answers(data.priors).log_p
    if why := _undefined(samples.counts, inside):
        return CalibrationSlope(math.nan, why=why)
    calibrator = AffineCalibrator()
    try:
        fitted = calibrator.learn(inside, data.y, data.balanced_mass())
    except UndefinedMetricError as why_not:
        return CalibrationSlope(math.nan, why=str(why_not))
    if not isinstance(fitted, AffineMap) or fitted.separable:
        return CalibrationSlope(math.nan, why=_SEPARABLE)
    value = float(fitted.scale[0])
    refit = Refit.from_samples(data, calibrator, fitted, floor)
    why = _undetermined(refit, samples, unit)
    if refit.problem is None or why:
        return CalibrationSlope(value, why=why)
    unit_scale, refit = refit.problem[0].unit, replace(refit, alone=True)
    return CalibrationSlope(value, refit.parameter(0, unit_scale), largest_part=refit.largest_part)


def _undefined(counts: IntArray, log_p: FloatArray) -> str:
    """Return why there is no slope; empty where there may be one."""
    if counts.min() < 2:
        return "some class has fewer than two samples"
    if counts.size > _MOST_CLASSES:
        return f"more than {_MOST_CLASSES} classes"
    return _FLAT if (log_p == log_p[0]).all() else ""


def _undetermined(refit: Refit, samples: Samples, unit: IntArray | None) -> str:
    """Return why the slope has no interval; empty where it has one."""
    if unit is not None:
        held = [np.unique(unit[samples.y == k]).size for k in range(samples.counts.size)]
        if min(held) < 2:
            return "some class occurs in one group only"
        if (number := np.unique(unit).size) < FEWEST_GROUPS:
            return f"needs {FEWEST_GROUPS} groups: got {number}"
    if not np.isfinite(refit.log_p).all():
        return "a score is infinite"
    if refit.problem is None:
        return _SEPARABLE if refit.separable else _FLAT
    return ""
