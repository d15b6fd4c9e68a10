"""The application for which scores are calibrated worst."""

import math

import numpy as np

from stakes._typing import FloatArray, Names
from stakes.curves.dialects import MOST_LOG_ODDS, Murphy, Priors, Thresholds
from stakes.curves.steps import ThresholdSteps, logit
from stakes.curves.views import WorstApplication
from stakes.statistics import ScoreLevels

_BELOW = 1e-12  # how far below a jump its lower side is looked at, in parts of the log odds


def worst_application(
    steps: ThresholdSteps,
    pooled: ThresholdSteps,
    priors: Priors,
    classes: Names,
    ends: tuple[float, float],
    *,
    normalized: bool,
) -> WorstApplication:
    """Return where the calibration loss is largest, between two thresholds.

    Between jumps and bends the loss is linear in the threshold, and the normalised loss in its
    odds or their inverse, so that the largest lies at one of them.
    """
    limit = _certain_and_wrong(steps.levels) if normalized and ends == (0.0, 1.0) else None
    if limit is not None:
        return WorstApplication(limit, math.inf, math.inf, 1.0, normalized, classes)
    places = _kinks(steps.levels.level, pooled.levels.level, priors.log_odds, ends)
    at = Thresholds.at(places)
    prices = Murphy().prices(at, priors)
    unit = prices.naive if normalized else 1.0
    actual, minimum = (prices.expected(s.rates(places)) / unit for s in (steps, pooled))
    i = int((actual - minimum).argmax())
    high, low = float(actual[i]), float(minimum[i])
    return WorstApplication(float(at.value[i]), high - low, high, low, normalized, classes)


def _certain_and_wrong(levels: ScoreLevels) -> float | None:
    """Return towards which threshold the normalised cost grows without bound, if any."""
    if levels.second[levels.level == -np.inf].any():
        return 0.0
    return 1.0 if levels.first[levels.level == np.inf].any() else None


def _kinks(
    jumps: FloatArray, bends: FloatArray, prior: float, ends: tuple[float, float]
) -> FloatArray:
    """Return log odds between two thresholds where a line jumps or bends, and those ends."""
    low, high = np.clip(logit(np.array(ends)), -MOST_LOG_ODDS, MOST_LOG_ODDS)
    jumps = jumps[np.isfinite(jumps)]
    below = jumps - _BELOW * np.maximum(np.abs(jumps), 1)
    places = np.concatenate([jumps, below, bends, [prior, low, high]])
    return places[(places >= low) & (places <= high)]
