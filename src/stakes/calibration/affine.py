"""Calibrators that scale and shift log posteriors: affine, temperature, bias, vector, beta."""

__all__ = [
    "AffineCalibrator",
    "BetaCalibrator",
    "BiasCalibrator",
    "TemperatureCalibrator",
    "VectorCalibrator",
]

import math
from abc import abstractmethod
from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from stakes._check import InputError, UndefinedMetricError
from stakes._kernels.folds import affine_answers
from stakes._kernels.threads import available_threads
from stakes._math import log_softmax
from stakes._typing import FloatArray, IntArray
from stakes.calibration.base import (
    Calibrator,
    FoldFits,
    ImpossibleTruthError,
    require_every_class,
)
from stakes.calibration.maps import AffineMap, BetaMap, CalibrationMap
from stakes.calibration.newton import MOST_CLASSES, Descent, Problem, Solution, minimise, solve
from stakes.calibration.pooled import Pooled, pooled
from stakes.calibration.quasi import descend_by_gradients, solve_by_gradients
from stakes.samples import Samples
from stakes.scoring import BrierLoss, LogLoss, ScoringRule

_FEW = 20_000  # samples times classes up to which each fold starts by itself
_PROMISED = 1e-8  # slope of the loss per sample at which a fit counts as solved


@dataclass(eq=False)
class LinearCalibrator(Calibrator):
    """softmax(scale * log s + bias), fitted by the cross-entropy (or, if asked, the Brier score).

    The cross-entropy is convex in scale and bias, and is solved to the optimum.
    """

    rule: ScoringRule = field(default_factory=LogLoss)

    held_scale: ClassVar[float] = 0.0  # the scale to which what is learnt is added

    def __post_init__(self) -> None:
        if not isinstance(self.rule, LogLoss | BrierLoss):
            rule = "must be LogLoss() or BrierLoss() to train with"
            raise InputError("rule", rule, repr(self.rule))

    @abstractmethod
    def basis(self, k: int) -> FloatArray:
        """Return which of K scales and K biases may move, and together with which."""

    def fit_samples(self, samples: Samples) -> Self:
        """Learn from samples that were checked; those of one scale are read where they lie."""
        whole = self._pooled(samples)
        if whole is not None:
            require_every_class(samples)
            found = self._solve(whole)
            if found is not None:
                near = self._solved(found, whole.basis @ found.x, whole.unit)
                return self._fitted_on(samples, _as_given(near, whole))
        return super().fit_samples(samples)

    def _solve(self, whole: Pooled) -> Descent | None:
        """Return the fit to all samples; None if it does not settle."""
        k = whole.each.size
        start = self._unmoved(whole.unit, k)
        return solve(whole, start) if k <= MOST_CLASSES else solve_by_gradients(whole, start)

    def fit_folds(self, samples: Samples, fold: IntArray, n_folds: int) -> FoldFits | None:
        """Learn for each fold from all the others, which start from the fit to all samples.

        Few samples are left to fits of their own: there no label of a test fold is to be felt even
        in the last digits, which a common start may leave it.
        """
        if samples.n * len(samples.classes) <= _FEW:
            return None
        whole = self._pooled(samples, fold, n_folds)
        if whole is None or whole.fold_weights is None:
            return None
        first = self._solve(whole)
        if first is None:
            return None
        found = [
            whole.without(i, each)
            if each.size <= MOST_CLASSES
            else descend_by_gradients(whole.less(i, each), first.x)
            for i, each in enumerate(whole.fold_weights)
        ]
        settled = [f for f in found if f is not None]
        if len(settled) < n_folds:
            return None
        if first.separable or any(f.separable for f in settled):
            return None  # without an optimum the common start would tell of the test fold
        near = [self._solved(f, whole.basis @ f.x, whole.unit) for f in settled]
        scale, bias = np.array([m.scale[0] for m in near]), np.stack([m.bias for m in near])
        shift = bias[:, 1] - bias[:, 0] if whole.values.ndim == 1 else bias
        maps = tuple(_as_given(m, whole) for m in near)
        threads = available_threads()
        return FoldFits(maps, affine_answers(whole.values, fold, scale, shift, threads=threads))

    def _pooled(
        self, samples: Samples, fold: IntArray | None = None, n_folds: int = 1
    ) -> Pooled | None:
        """Return the problem of samples that are plain enough, where one scale is learnt."""
        k = len(samples.classes)
        learns = type(self).learn is LinearCalibrator.learn  # not in a way of its own
        if not learns or not isinstance(self.rule, LogLoss):
            return None
        basis = self.basis(k)
        shared = bool((basis[:k] == basis[0]).all())
        return pooled(samples, basis, self.held_scale, fold, n_folds) if shared else None

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the map of least loss."""
        k = log_p.shape[1]
        unit = _unit(log_p)  # scores of any size are brought to size 1, and scales back at the end
        problem = _problem(log_p / unit, y, weights, self.held_scale * unit, (1.0, unit))
        basis = self.basis(k)
        solution = minimise(problem, basis, self._unmoved(unit, k))
        theta = solution.theta
        if isinstance(self.rule, BrierLoss):
            theta = _least_brier(problem, basis, theta)
        return self._solved(solution, theta, unit)

    def _unmoved(self, unit: float, k: int) -> FloatArray:
        """Return the parameters that leave scores as they are, or nearly."""
        theta = np.concatenate([np.full(k, (1 - self.held_scale) * unit), np.zeros(k)])
        basis = self.basis(k)
        x = basis.T @ theta / np.square(basis).sum(axis=0)
        if not np.abs(basis @ x - theta).max() <= 1e-9 * unit:  # columns not at right angles
            x = np.linalg.lstsq(basis, theta, rcond=None)[0]
        return np.asarray(x, dtype=np.float64)

    def _solved(self, found: Descent | Solution, theta: FloatArray, unit: float) -> AffineMap:
        """Return the map of a fit, which must have come to its end."""
        if found.gradient > _PROMISED:
            slope = f"{found.gradient:.1g}"
            msg = f"the {self.name} fit did not settle: its slope is still {slope} per sample."
            raise UndefinedMetricError(
                f"{msg} Use a simpler calibrator or scores of a smaller range."
            )
        k = theta.size // 2
        bias = theta[k:] - theta[k:].mean()
        return AffineMap(self.held_scale + theta[:k] / unit, bias, found.separable)


def _as_given(near: AffineMap, whole: Pooled) -> AffineMap:
    """Return a map of values less their centre as one of the values themselves."""
    bias = whole.bias(float(near.scale[0]), near.bias)
    return replace(near, bias=bias, separable=near.separable and not whole.constant)


def _unit(log_p: FloatArray) -> float:
    """Return the size of the scores: their largest finite distance from 0, or 1."""
    low, high = float(log_p.min()), float(log_p.max())
    size = max(-low, high)
    if not np.isfinite(size):
        size = float(np.abs(log_p[np.isfinite(log_p)]).max(initial=0.0))
    return size if size > 0 else 1.0


def _problem(
    log_p: FloatArray,
    y: IntArray,
    weights: FloatArray,
    held_scale: float = 0.0,
    sizes: tuple[float, float] = (math.inf, 1.0),
) -> Problem:
    """Return the problem, with posteriors of 0 set apart; the true class must be possible."""
    if np.isfinite(log_p.min()):
        return Problem(log_p, None, y, weights, held_scale, *sizes)
    finite = np.isfinite(log_p)
    impossible = ~finite[np.arange(y.size), y] & (weights > 0)
    if impossible.any():
        raise ImpossibleTruthError(np.flatnonzero(impossible))
    return Problem(np.where(finite, log_p, 0.0), finite, y, weights, held_scale, *sizes)


def _least_brier(problem: Problem, basis: FloatArray, theta: FloatArray) -> FloatArray:
    """Go on from the least cross-entropy to the nearest least Brier score."""
    from scipy.optimize import minimize as descend  # noqa: PLC0415  slow to import

    k = problem.log_p.shape[1]
    truth = np.zeros(problem.log_p.shape)
    truth[np.arange(problem.y.size), problem.y] = 1

    def value_and_slope(x: FloatArray) -> tuple[float, FloatArray]:
        q = np.exp(log_softmax(problem.scores(basis @ x)))
        gap = q - truth
        value = float(problem.weights @ np.square(gap).sum(axis=1)) / k
        inner = (gap * q).sum(axis=1, keepdims=True)
        slope = problem.weights[:, None] * 2 / k * q * (gap - inner)
        full = np.concatenate([(slope * problem.log_p).sum(axis=0), slope.sum(axis=0)])
        return value, basis.T @ full

    start = np.linalg.lstsq(basis, theta, rcond=None)[0]
    found = descend(value_and_slope, start, jac=True, method="BFGS", options={"gtol": 1e-9})
    return np.asarray(basis @ found.x, dtype=np.float64)


def _biases(k: int) -> FloatArray:
    """Return the columns of all biases but the first, whose choice is free."""
    return np.vstack([np.zeros((k, k - 1)), np.eye(k)[:, 1:]])


@dataclass(eq=False)
class AffineCalibrator(LinearCalibrator):
    """One scale for all classes and a bias for each (eq:affcal): the paper's calibrator.

    For two classes it is Platt scaling of the log odds.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw = data.posteriors([0.9, 0.1], stakes.simulation.MISCALIBRATED)
    >>> calibrator = stakes.AffineCalibrator().fit(raw, data.y)
    >>> after = stakes.cross_entropy(data.y, calibrator.transform(raw))
    >>> after.value < stakes.cross_entropy(data.y, raw).value
    True
    """

    name = "affine"

    def basis(self, k: int) -> FloatArray:
        """One direction moves all scales."""
        together = np.concatenate([np.ones(k), np.zeros(k)])[:, None]
        return np.hstack([together, _biases(k)])


@dataclass(eq=False)
class TemperatureCalibrator(LinearCalibrator):
    """One scale for all classes, no bias; its inverse is the temperature."""

    name = "temperature"

    def basis(self, k: int) -> FloatArray:
        """All scales move together."""
        return np.concatenate([np.ones(k), np.zeros(k)])[:, None]


@dataclass(eq=False)
class BiasCalibrator(LinearCalibrator):
    """A bias for each class, no scale: what a change of priors needs."""

    name = "bias"
    held_scale = 1.0

    def basis(self, k: int) -> FloatArray:
        """Biases move."""
        return _biases(k)


@dataclass(eq=False)
class VectorCalibrator(LinearCalibrator):
    """A scale and a bias for each class."""

    name = "vector"

    def basis(self, k: int) -> FloatArray:
        """Every scale and bias moves by itself."""
        scales = np.vstack([np.eye(k), np.zeros((k, k))])
        return np.hstack([scales, _biases(k)])


@dataclass(eq=False)
class BetaCalibrator(Calibrator):
    """Beta calibration of two classes: log odds a log p_2 - b log p_1 + c, a and b at least 0."""

    name = "beta"

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> CalibrationMap:
        """Return the map of least cross-entropy."""
        if log_p.shape[1] != 2:
            msg = f"BetaCalibrator needs two classes: got {log_p.shape[1]}."
            raise InputError(msg)
        problem = _problem(log_p, y, weights)
        # of the scales of log p_1 and log p_2 and the two biases, b, a and the second bias move
        free = {"b": np.array([1.0, 0, 0, 0]), "a": np.array([0, 1.0, 0, 0])}
        bias = np.array([0, 0, 0, 1.0])
        while True:
            basis = np.column_stack([*free.values(), bias])
            theta = minimise(problem, basis, np.zeros(basis.shape[1])).theta
            below = {"b": theta[0], "a": theta[1]}
            negative = [name for name in free if below[name] < 0]
            if not negative:
                return BetaMap(float(theta[1]), float(theta[0]), float(theta[3]))
            del free[min(negative, key=lambda name: below[name])]
