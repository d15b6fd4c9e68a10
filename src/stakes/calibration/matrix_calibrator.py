"""Structured matrix scaling: scales between classes, shrunk to vector and temperature scaling."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from stakes._check import read_number
from stakes._math import log_softmax
from stakes._text import number
from stakes._typing import FloatArray, IntArray, Names
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.class_scales import ClassScales
from stakes.calibration.linear import require_settled
from stakes.calibration.maps import CalibrationMap, by_class, scaled
from stakes.calibration.solver import solve
from stakes.calibration.temperature_calibrator import TemperatureCalibrator

__all__ = ["MatrixCalibrator"]

_MOST_DENSE = 200  # parameters up to which a Hessian is worth its time


@dataclass(frozen=True, eq=False)
class MatrixMap(CalibrationMap):
    """softmax(matrix @ log q + bias), where q = softmax(scale * log s)."""

    scale: float
    matrix: FloatArray
    bias: FloatArray
    separable: bool = False

    kind = "matrix"

    def text(self, names: Names) -> str:
        moved = np.abs(self.matrix - np.eye(len(names)))
        largest = f"largest change of a class on another {number(float(moved.max()))}"
        temperature = 1 / self.scale if self.scale else math.inf
        return f"T {number(temperature)}, {largest}; bias {by_class(names, self.bias)}"

    def __call__(self, log_p: FloatArray) -> FloatArray:
        log_q = log_softmax(scaled(log_p, np.full(log_p.shape[1], self.scale)))
        possible = np.isfinite(log_q)
        logits = np.where(possible, log_q, 0.0) @ self.matrix.T + self.bias
        return log_softmax(np.where(possible, logits, -np.inf))

    @property
    def notes(self) -> tuple[str, ...]:
        if not self.separable:
            return ()
        return ("the classes are separable: the temperature would fall to 0, it was stopped",)


@dataclass(eq=False)
class MatrixCalibrator(Calibrator):
    """Structured matrix scaling (Berta, Holzmueller, Jordan and Bach): softmax(W log q + b).

    q are posteriors after temperature scaling. W shrinks towards the identity and b towards 0:
    squared deviations cost penalty * K / n for biases and the diagonal, and penalty * K (K - 1) / n
    for the rest. So few samples of many classes give temperature scaling; more give vector scaling
    with small effects between classes; very many give any matrix.

    Parameters
    ----------
    penalty : float, default 1.0
        Strength of the shrinkage, at least 0; 1 as published.

    See Also
    --------
    VectorCalibrator : no effect of one class on another.
    choose_calibrator : which one to use.

    Examples
    --------
    A classifier mixes up two classes, which scaling each class cannot undo:

    >>> import numpy as np
    >>> import stakes
    >>> rng = np.random.default_rng(0)
    >>> y = rng.integers(0, 3, 6000)
    >>> x = rng.normal(size=(6000, 3)) + 2 * np.eye(3)[y]
    >>> mixed = stakes.Logits(x @ [[1, 0.6, 0], [0.6, 1, 0], [0, 0, 1]])
    >>> for calibrator in (stakes.VectorCalibrator(), stakes.MatrixCalibrator()):
    ...     s = stakes.cross_calibrate(calibrator, y, mixed)
    ...     print(round(stakes.cross_entropy(y, s).normalized, 2))
    0.34
    0.32
    """

    penalty: float = 1.0

    name = "matrix"
    learns = "a full matrix and biases, shrunk by a penalty"
    use = "confusions between classes differ from pair to pair"
    counted = "penalty"

    def __post_init__(self) -> None:
        self.penalty = read_number(self.penalty, "penalty", 0, math.inf, closed=(True, False))

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the map of least penalised cross-entropy.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
        k, temperature = log_p.shape[1], TemperatureCalibrator().learn(log_p, y, weights)
        problem = self.problem(temperature(log_p), y, weights)
        found = solve(problem, np.zeros(problem.cells.size))
        require_settled(self.name, found)
        table = problem.table(found.x)
        matrix, bias = table[:, :k] / problem.unit, table[:, k]
        return MatrixMap(temperature.scale[0], matrix, bias - bias.mean(), temperature.separable)

    def problem(self, log_q: FloatArray, y: IntArray, weights: FloatArray) -> ClassScales:
        """Return the penalised loss after temperature scaling.

        Parameters
        ----------
        log_q : array of shape (N, K)
            Log posteriors after temperature scaling.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
        n, k = log_q.shape
        cells = np.arange(k * (k + 1))
        loss = ClassScales.from_arrays(log_q, y, weights, cells, held_scale=1.0)
        costs = np.full((k, k + 1), k * (k - 1.0))
        costs.flat[:: k + 2] = k
        costs[:, :k] /= loss.unit**2  # scales count in units of the largest log posterior
        costs[:, k] = k
        push = 2 * self.penalty / n * costs.ravel()
        return replace(loss, penalty=push, dense=cells.size <= _MOST_DENSE)

    def smooth(
        self,
        fitted: CalibrationMap,
        log_p: FloatArray,
        y: IntArray,
        weights: FloatArray,
        n: int,
    ) -> tuple[ClassScales, FloatArray] | None:
        """Return the loss that a map is the least of, and its parameters; the temperature is kept.

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
        if not isinstance(fitted, MatrixMap) or fitted.separable:
            return None
        log_q = log_softmax(scaled(log_p, np.full(log_p.shape[1], fitted.scale)))
        problem = self.problem(log_q, y, weights)
        problem = replace(problem, penalty=problem.penalty * (len(y) / n), dense=True)
        k = log_q.shape[1]
        moved = fitted.matrix * problem.unit - problem.held_scale * np.eye(k)
        return problem, np.column_stack([moved, fitted.bias]).ravel()
