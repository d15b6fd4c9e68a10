"""The calibration slope: by how much log odds are too large (below 1) or too small (above 1)."""

import math
from dataclasses import dataclass, field

import numpy as np

from stakes._check import UndefinedMetricError, read_level
from stakes._counting import bincount
from stakes._math import row_sums, times
from stakes._quantiles import student
from stakes._typing import FloatArray, IntArray
from stakes.calibration.affine_calibrator import AffineCalibrator
from stakes.calibration.floor import Floor
from stakes.calibration.maps import AffineMap
from stakes.results import Estimate, Interval
from stakes.samples import Samples
from stakes.statistics.group_effects import ONE_GROUP, effective_groups

_MOST_CLASSES = 150  # up to which the spread of all biases is worth its time
_BLOCK = 2**20  # numbers of derivatives that are held at once
_LARGEST_LEVERAGE = 0.99
_FLAT = "the scores do not vary"
_STEPS, _SMALL = 50, 1e-20  # of conjugate gradients; what is left, squared, of the first residual


@dataclass(frozen=True)
class CalibrationSlope:
    """The scale of the affine fit to all samples, and its standard error.

    1 for a calibrated system, below 1 for an overconfident one, above 1 for an underconfident one,
    0 for scores without information, below 0 for reversed ones. The standard error is the
    sandwich's, which does not trust the fitted model, corrected for leverage: that of each sample
    (HC3), or of whole groups, by one step of the jackknife that leaves out a group. Intervals use
    Student's t with `degrees` of freedom: one less than there are samples of the smallest class,
    or equal groups that would be as precise for it.
    """

    value: float
    error: float = math.nan
    degrees: float = math.nan
    why: str = ""  # there is no interval

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return the interval of the slope, where there is one."""
        if not self.error > 0:
            return None
        half = student(read_level(level), self.degrees) * self.error
        return Interval(self.value - half, self.value + half, level)

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the slope with its interval."""
        band = self.interval(level)
        return Estimate(self.value, band, self.why if band is None else "sandwich, Student's t")


def calibration_slope(samples: Samples, unit: IntArray | None = None) -> CalibrationSlope:
    """Return the calibration slope of checked samples, at the class shares of the data.

    `unit` is the group of each sample, where they come in groups.
    """
    counts = samples.counts
    if counts.min() < 2:
        return CalibrationSlope(math.nan, why="some class has fewer than two samples")
    if counts.size > _MOST_CLASSES:
        return CalibrationSlope(math.nan, why=f"more than {_MOST_CLASSES} classes")
    inside = Floor.from_samples(samples).samples(samples)
    log_p = inside.scores.answers(samples.priors).log_p
    if (log_p == log_p[0]).all():
        return CalibrationSlope(math.nan, why=_FLAT)
    w = np.ones(samples.y.size) if samples.weights is None else samples.weights
    w = w / times(w, samples.copies).sum()
    mass = times(w, samples.copies)
    try:
        fitted = AffineCalibrator().learn(log_p, samples.y, mass)
    except UndefinedMetricError as why:
        return CalibrationSlope(math.nan, why=str(why))
    if not isinstance(fitted, AffineMap) or fitted.separable:
        return CalibrationSlope(math.nan, why="the classes are separable by the scores")
    least = float(counts.min()) if unit is None else effective_groups(unit, mass, samples.y)
    spread = _Spread(fitted, log_p, samples.y, w, mass, samples.copies)
    error = spread.error(unit) if least > 1 else math.nan
    none = "" if error > 0 else _FLAT if least > 1 else ONE_GROUP
    return CalibrationSlope(float(fitted.scale[0]), error, max(least - 1, 1.0), none)


@dataclass(frozen=True, eq=False)
class _Spread:
    """First and second derivatives of the log loss in the scale and all biases but the first."""

    fitted: AffineMap
    log_p: FloatArray
    y: IntArray
    weights: FloatArray  # of one sample of each row
    mass: FloatArray  # of all its copies
    copies: IntArray | None
    _known: list[tuple[FloatArray, FloatArray]] = field(default_factory=list)

    def error(self, unit: IntArray | None) -> float:
        """Return the standard error of the scale; NaN where the data do not determine it."""
        parts = (affine_curvature(*self._posteriors(p), self.mass[p]) for p in self._parts())
        curvature = np.delete(np.delete(sum(parts), 1, axis=0), 1, axis=1)  # all biases but one
        scale = np.sqrt(np.maximum(np.diagonal(curvature), 0))
        if not scale.all() or np.linalg.cond(curvature / np.outer(scale, scale)) > 1e12:
            return math.nan
        inverse = np.linalg.inv(curvature).astype(np.float64)
        if unit is None:
            moved = np.concatenate([self._influence(part, inverse) for part in self._parts()])
            return math.sqrt(float(times(moved, self.copies) @ moved))
        moved = self._left_out(unit, curvature, inverse)
        return math.sqrt(float(moved @ moved) * (moved.size - 1) / moved.size)

    def _parts(self) -> list[slice]:
        size = max(1, _BLOCK // self.log_p.shape[1])
        return [slice(i, i + size) for i in range(0, self.y.size, size)]

    def _posteriors(self, part: slice) -> tuple[FloatArray, FloatArray]:
        """Return fitted posteriors and log posteriors less their mean by them."""
        if self.log_p.size <= _BLOCK and self._known:  # of samples that fit one block, once
            return self._known[0]
        q = np.exp(self.fitted(self.log_p[part]))
        z = np.where(q > 0, self.log_p[part], 0.0)
        self._known[:] = [(q, z - row_sums(q * z)[:, None])]
        return self._known[0]

    def _gradient(
        self, part: slice, q: FloatArray, z: FloatArray, weights: FloatArray
    ) -> FloatArray:
        """Return the first derivatives of the log likelihood of each row, times its weight."""
        rows = np.arange(q.shape[0])
        gradient = -q
        gradient[rows, self.y[part]] += 1
        gradient[:, 0] = z[rows, self.y[part]]
        return weights[part, None] * gradient

    def _influence(self, part: slice, inverse: FloatArray) -> FloatArray:
        """Return by how much each sample moves the scale, more where it drew the fit to itself."""
        q, z = self._posteriors(part)
        influence = self._gradient(part, q, z, self.weights) @ inverse[:, 0]
        biases, inner = q[:, 1:], inverse[1:, 1:]
        trace = (  # of each sample's second derivatives times the inverse of their sum
            inverse[0, 0] * np.einsum("nk,nk,nk->n", q, z, z)
            + 2 * (biases * z[:, 1:]) @ inverse[1:, 0]
            + biases @ np.diagonal(inner)
            - np.einsum("nk,nk->n", biases @ inner, biases)
        )
        leverage = self.weights[part] * trace / (q.shape[1] - 1)
        return np.asarray(influence / (1 - np.minimum(leverage, _LARGEST_LEVERAGE)))

    def _left_out(self, unit: IntArray, curvature: FloatArray, inverse: FloatArray) -> FloatArray:
        """Return by how much each group moves the scale: one step from the fit without it.

        The equations of all groups, each with the curvature of the other groups, are solved
        together by conjugate gradients; those of K classes need K steps at most.
        """
        left = sum(
            _by_group(unit[part], self._gradient(part, *self._posteriors(part), self.mass), unit)
            for part in self._parts()
        )
        moved = np.zeros_like(left)
        step = left @ inverse
        size = first = (left * step).sum(axis=1)
        for _ in range(_STEPS):
            whole = step @ curvature
            own = sum(
                _by_group(unit[part], self._own(part, step[unit[part]]), unit)
                for part in self._parts()
            )
            most = (step * whole).sum(axis=1)
            bent = np.maximum(most - (step * own).sum(axis=1), (1 - _LARGEST_LEVERAGE) * most)
            far = np.divide(size, bent, out=np.zeros_like(size), where=bent > 0)[:, None]
            moved = moved + far * step
            left = left - far * (whole - own)
            better = left @ inverse
            before, size = size, (left * better).sum(axis=1)
            if (size <= _SMALL * first).all():
                break
            more = np.divide(size, before, out=np.zeros_like(size), where=before > 0)
            step = better + more[:, None] * step
        return np.asarray(moved[:, 0])

    def _own(self, part: slice, along: FloatArray) -> FloatArray:
        """Return the second derivatives of each sample times a direction of its own."""
        q, z = self._posteriors(part)
        rise = z * along[:, :1]
        rise[:, 1:] += along[:, 1:]
        rise -= (q * rise).sum(axis=1, keepdims=True)
        out = q * rise
        out[:, 0] = (out * z).sum(axis=1)
        return np.asarray(self.mass[part, None] * out)


def affine_curvature(q: FloatArray, z: FloatArray, weights: FloatArray) -> FloatArray:
    """Return the second derivatives of the weighted log loss in the scale and K biases.

    Those of one sample are diag(q) - q q' in the biases, q z in bias and scale, and the sum of
    q z^2 in the scale, where z are log posteriors less their mean by q.
    """
    k, weighted = q.shape[1], weights[:, None] * q
    out = np.empty((k + 1, k + 1))
    out[0, 0] = np.einsum("nk,nk,nk->", weighted, z, z)
    out[0, 1:] = out[1:, 0] = np.einsum("nk,nk->k", weighted, z)
    out[1:, 1:] = np.diag(weighted.sum(axis=0)) - weighted.T @ q
    return out


def _by_group(mine: IntArray, values: FloatArray, unit: IntArray) -> FloatArray:
    groups = int(unit.max()) + 1
    return np.column_stack([bincount(mine, column, groups) for column in values.T])
