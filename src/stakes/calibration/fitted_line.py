"""Slope and intercept of calibrated log odds of two classes, with their standard errors."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from stakes._records import NumberRecord
from stakes._text import number
from stakes._typing import FloatArray
from stakes.calibration.maps import AffineMap, log_odds
from stakes.calibration.shared_scale import Moves
from stakes.results import json_number
from stakes.samples import Samples

__all__ = ["Coefficient"]

_WORST = 1e12  # condition of derivatives that still tell slope and intercept apart
_BLOCK = 2**18  # samples that are looked at together


@dataclass(frozen=True, eq=False)
class Coefficient(NumberRecord):
    """A fitted coefficient and its standard error.

    Attributes
    ----------
    value : float
    name : str
    standard_error : float
        NaN if unknown, 0 if the coefficient was held fixed.

    See Also
    --------
    AffineCalibrator : a scale and biases.

    Examples
    --------
    >>> import stakes
    >>> scale = stakes.Coefficient(0.52, "scale", standard_error=0.04)
    >>> abs(scale - 1) > 2 * scale.standard_error  # the scores are overconfident: calibrate
    True
    """

    value: float
    name: str
    standard_error: float = math.nan

    def __str__(self) -> str:
        error = "standard error unknown"
        if math.isfinite(self.standard_error):
            error = f"standard error {number(self.standard_error)}"
        return f"{self.name} {number(self.value)} ({error if self.standard_error else 'held'})"

    def to_dict(self) -> dict[str, float | str | None]:
        """Return the record as plain values, ready for JSON."""
        error = json_number(self.standard_error)
        return {"name": self.name, "value": json_number(self.value), "standard_error": error}


@dataclass(frozen=True, eq=False)
class FittedLine:
    """Calibrated log odds slope * z + intercept of two classes; what is held has no error."""

    slope: Coefficient
    intercept: Coefficient

    def __str__(self) -> str:
        return f"{self.slope}, {self.intercept}"

    @classmethod
    def without_errors(cls, fitted: AffineMap, moves: Moves) -> FittedLine:
        """Return slope and intercept of a fit whose samples are not known."""
        return cls._with(fitted, moves, np.full(2, math.nan))

    @classmethod
    def _with(cls, fitted: AffineMap, moves: Moves, errors: FloatArray) -> FittedLine:
        slope, shift = float(fitted.scale[0]), float(fitted.bias[1] - fitted.bias[0])
        free = np.where([moves.scale, moves.biases], errors, 0.0)
        return cls(
            Coefficient(slope, "slope", float(free[0])),
            Coefficient(shift, "intercept", float(free[1])),
        )

    @classmethod
    def from_samples(cls, fitted: AffineMap, moves: Moves, samples: Samples) -> FittedLine:
        """Return slope and intercept with standard errors from second derivatives at the optimum.

        Samples that count alike have the inverse of the information; weighted ones have the
        sandwich, and at given priors that of samples whose classes keep their sizes.
        """
        mass = samples.balanced_mass()
        each = mass if samples.copies is None else mass / samples.copies
        held = samples.given_priors is not None  # classes count by their priors, however many
        alike = not held and bool(np.allclose(each, each[0], rtol=1e-9, atol=0))
        curvature, pushes = np.zeros((2, 2)), [_Pushes(), _Pushes()]
        for start in range(0, len(samples), _BLOCK):
            rows = slice(start, start + _BLOCK)
            design, spread, left = _derivatives(fitted, samples, rows)
            curvature += (design * (mass[rows] * spread)[:, None]).T @ design
            for k, push in enumerate(pushes):
                mine = samples.y[rows] == k
                push.add(design[mine] * left[mine, None], mass[rows][mine], each[rows][mine])
        meat = sum(push.spread(centred=held) for push in pushes)
        errors = np.full(2, math.nan)
        free = np.flatnonzero([moves.scale, moves.biases])
        inner = curvature[np.ix_(free, free)]
        size = np.sqrt(np.diagonal(inner))
        flat = not size.all() or np.linalg.cond(inner / np.outer(size, size)) > _WORST
        if fitted.separable or flat:
            return cls._with(fitted, moves, errors)
        inverse = np.linalg.inv(inner)
        variance = (
            inverse / samples.n
            if alike
            else inverse @ np.asarray(meat)[np.ix_(free, free)] @ inverse
        )
        errors[free] = np.sqrt(np.diagonal(variance))
        return cls._with(fitted, moves, errors)


@dataclass(eq=False)
class _Pushes:
    """Sums over the samples of a class of first derivatives g and of the squares of their share.

    `mass` is the weight of all samples of a row, `each` that of one of them.
    """

    size: float = 0.0
    total: FloatArray = field(default_factory=lambda: np.zeros(2))
    squares: float = 0.0
    linear: FloatArray = field(default_factory=lambda: np.zeros(2))
    products: FloatArray = field(default_factory=lambda: np.zeros((2, 2)))

    def add(self, g: FloatArray, mass: FloatArray, each: FloatArray) -> None:
        """Add samples."""
        square = mass * each
        self.size += float(mass.sum())
        self.total += mass @ g
        self.squares += float(square.sum())
        self.linear += square @ g
        self.products += (g * square[:, None]).T @ g

    def spread(self, *, centred: bool) -> FloatArray:
        """Return the variance of the sum of derivatives; centred where a class keeps its share."""
        mean = self.total / self.size if centred and self.size else np.zeros(2)
        mixed = np.outer(self.linear, mean)
        return self.products - mixed - mixed.T + self.squares * np.outer(mean, mean)


def _derivatives(
    fitted: AffineMap, samples: Samples, rows: slice
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return log odds beside ones, q (1 - q) and y - q, where q are calibrated posteriors."""
    log_p = samples.scores.part(rows).answers(samples.priors).log_p
    z = log_odds(log_p)
    q = np.exp(fitted(log_p))
    left = np.where(samples.y[rows] == 1, q[:, 0], -q[:, 1])
    certain = ~np.isfinite(z)  # such an answer stays, whatever the slope
    design = np.column_stack([np.where(certain, 0.0, z), np.ones(z.size)])
    return design, q[:, 0] * q[:, 1], left
