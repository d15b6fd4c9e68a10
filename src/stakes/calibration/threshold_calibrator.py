"""A threshold tuned for one cost matrix."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._check import InputError
from stakes._text import number, quoted
from stakes._typing import FloatArray, IntArray, Names
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.maps import CalibrationMap, log_odds
from stakes.costs import CostMatrix
from stakes.samples import Samples
from stakes.scores import LogProbabilities
from stakes.statistics import ScoreLevels

__all__ = ["ThresholdCalibrator"]

_FARTHEST = 1e6  # log odds; beyond it a threshold may lie anywhere


@dataclass(frozen=True, eq=False)
class ShiftMap(CalibrationMap):
    """Log odds of two classes moved so that a tuned threshold becomes the Bayes threshold."""

    shift: float

    kind = "threshold"

    def text(self, names: Names) -> str:  # noqa: ARG002  of two classes
        return f"log odds moved by {number(self.shift)}"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        return LogProbabilities.from_log_odds(log_odds(log_p) + self.shift).log_p


@dataclass(eq=False)
class ThresholdCalibrator(Calibrator):
    """Shifts the log odds of two classes so that Bayes decisions use the best threshold.

    It serves one cost matrix only: it tunes the threshold, not the probabilities.

    Parameters
    ----------
    costs : CostMatrix
        Of two classes, in the order of the scores.

    See Also
    --------
    choose_threshold : the same without changing the scores.
    AffineCalibrator : serves all costs.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> costs, stale = stakes.CostMatrix.binary(miss=5, false_alarm=1), data.posteriors([0.5, 0.5])
    >>> tuned = stakes.cross_calibrate(stakes.ThresholdCalibrator(costs), data.y, stale)
    >>> [round(stakes.bayes_cost(data.y, p, costs=costs).normalized, 1) for p in (stale, tuned)]
    [0.4, 0.3]
    """

    costs: CostMatrix

    name = "threshold"
    learns = "one threshold"
    use = "there is one application, which never changes"
    two_classes = True

    def __post_init__(self) -> None:
        if not isinstance(self.costs, CostMatrix):
            self.costs = CostMatrix(self.costs)
        threshold = self.costs.threshold()  # says what is wrong with other cost matrices
        if not 0 < threshold < 1:
            msg = "ThresholdCalibrator needs two errors that cost something: one costs nothing."
            raise InputError(msg)

    def fit_samples(self, samples: Samples) -> Self:
        """Learn from checked samples; costs with classes in another order raise an error.

        Parameters
        ----------
        samples : Samples
            Labels and scores that are already checked.
        """
        own, names = self.costs.classes, samples.classes
        if own != names and set(own) == set(names):
            rule = f"must have the classes of the scores, {quoted(names)}, in their order"
            raise InputError("costs", rule, quoted(own))
        return super().fit_samples(samples)

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the shift; the threshold lies midway between the two scores around it.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
        levels = ScoreLevels.from_scores(log_odds(log_p), y, weights * y.size)
        false_alarm, miss = self.costs.values[0, 1], self.costs.values[1, 0]
        scale = np.ldexp(1.0, levels.exponent - levels.exponent.max())
        below = np.concatenate([[0.0], np.cumsum(levels.second)]) * miss * scale[1]
        above = (
            np.concatenate([np.cumsum(levels.first[::-1])[::-1], [0.0]]) * false_alarm * scale[0]
        )
        best = int((below + above).argmin())
        level = levels.level
        inner = np.clip(level, -_FARTHEST, _FARTHEST)  # so that certain answers have a middle too
        ends = np.concatenate([[inner[0] - 1], inner, [inner[-1] + 1]])
        threshold = float((ends[best] + ends[best + 1]) / 2)
        bayes = math.log(self.costs.threshold() / (1 - self.costs.threshold()))
        return ShiftMap(bayes - threshold)
