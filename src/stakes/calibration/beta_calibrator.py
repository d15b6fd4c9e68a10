"""Beta calibration of two classes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from stakes._text import number
from stakes._typing import FloatArray, IntArray, Names
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.class_scales import ClassScales
from stakes.calibration.maps import CalibrationMap
from stakes.scores import LogProbabilities

__all__ = ["BetaCalibrator"]


@dataclass(frozen=True, eq=False)
class BetaMap(CalibrationMap):
    """Log odds a * log p_2 - b * log p_1 + c: beta calibration of two classes."""

    a: float
    b: float
    c: float

    kind = "beta"

    def text(self, names: Names) -> str:  # noqa: ARG002  of two classes
        return f"a {number(self.a)}, b {number(self.b)}, c {number(self.c)}"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        first, second = log_p.T
        with np.errstate(invalid="ignore"):
            up = np.where(self.a == 0, 0.0, self.a * second)
            down = np.where(self.b == 0, 0.0, self.b * first)
        odds = up - down + self.c
        odds = np.where(np.isneginf(first), np.inf, np.where(np.isneginf(second), -np.inf, odds))
        return LogProbabilities.from_log_odds(odds).log_p  # a certain answer stays certain


@dataclass(eq=False)
class BetaCalibrator(Calibrator):
    """Beta calibration of two classes: log odds a log p_2 - b log p_1 + c, a and b at least 0.

    See Also
    --------
    AffineCalibrator : a special case, with a = b.
    choose_calibrator : which one to use.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw = data.posteriors([0.5, 0.5])
    >>> stage = stakes.BetaCalibrator()
    >>> found = stakes.calibration_loss(stakes.LogLoss(), data.y, raw, calibrator=stage)
    >>> found.relative > 0.3  # more than a third of the loss: calibrate
    True
    """

    name = "beta"
    learns = "three parameters"
    use = "the distortion is asymmetric"
    two_classes = True

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the map of least cross-entropy.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
        scales = [0, 4]  # cells of b and a in the table of scales and biases; 5 is the second bias
        while True:
            problem = ClassScales.from_arrays(log_p, y, weights, np.array([*scales, 5]))
            table = problem.table(problem.solved().x)
            below = [cell for cell in scales if table.flat[cell] < 0]
            if not below:
                b, a = np.diagonal(table) / problem.unit
                return BetaMap(float(a), float(b), float(table[1, 2]))
            scales.remove(min(below, key=lambda cell: table.flat[cell]))

    def smooth(
        self,
        fitted: CalibrationMap,
        log_p: FloatArray,
        y: IntArray,
        weights: FloatArray,
        n: int,  # noqa: ARG002
    ) -> tuple[ClassScales, FloatArray] | None:
        """Return the loss that a map is the least of, and its parameters; those at 0 stay there.

        Parameters
        ----------
        fitted : CalibrationMap
            What was learnt.
        log_p : array of shape (N, K)
            Finite log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        n : int
            How many samples the map was learnt from.
        """
        if not isinstance(fitted, BetaMap):
            return None
        values = {0: fitted.b, 4: fitted.a}
        cells = [cell for cell, value in values.items() if value > 0]
        problem = ClassScales.from_arrays(log_p, y, weights, np.array([*cells, 5]))
        return problem, np.array([*(values[c] * problem.unit for c in cells), fitted.c])
