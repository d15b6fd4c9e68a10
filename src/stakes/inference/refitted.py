"""Losses after a calibrator that is fitted again to every reweighting of the rows.

A number is a function of four means over the rows: the loss before calibration, the naive loss, the
loss after calibration, and a parameter of the fit. The last two depend on the weights twice, as a
mean does and through the fit. By the theorem of implicit functions a little more of a row moves the
parameters by -H^-1 s, with H the curvature of the fitted loss and s the row's slope of it, so each
row has one influence.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from stakes._counting import bincount
from stakes._typing import FloatArray, IntArray, NDArray
from stakes.inference.cells import Cells, Unseen
from stakes.inference.law import Problem

RAW, NAIVE, AFTER, PARAMETER = range(4)  # the means that a number is a function of
Number = Callable[[NDArray[Any]], NDArray[Any]]
_STEP = 1e-30  # along the imaginary axis
_KEPT = 128  # fits that are remembered, as slopes follow values
_ENOUGH = 1e-3  # of the way from the value to an end, where each round costs a fit
_LARGEST_PART = 0.99  # of the curvature, that one unit is taken to have


class Model(Protocol):
    """What is fitted: p parameters to rows that have a share each."""

    def fitted(self, share: FloatArray) -> FloatArray:
        """Return the parameters of least loss (problems x p) for shares (problems x rows)."""

    def scores(self, at: FloatArray) -> FloatArray:
        """Return the slopes of each row's fitted loss (rows x p)."""

    def curvature(self, share: FloatArray, at: FloatArray) -> FloatArray:
        """Return the second derivatives of the fitted loss (p x p)."""


@dataclass(frozen=True, eq=False)
class Reported:
    """A loss of each row as a function of the parameters, and its slope along the fit.

    `losses` (p) -> (rows) and `drift` (shares, p) -> (p), the derivatives of their mean: 0 where
    the loss that is fitted is the one reported.
    """

    losses: Callable[[FloatArray], FloatArray]
    drift: Callable[[FloatArray, FloatArray], FloatArray]


@dataclass(frozen=True, eq=False)
class Shares:
    """How weights of units become shares of rows in an expectation.

    Attributes
    ----------
    y : array of R
        The class of each row.
    mass : array of R
        How much a row counts in a unit of weight 1.
    source : array of R
        The unit of each row: itself, or its group.
    unit : array of U
        The units that weights are about; those that may occur again stand twice.
    priors : array of K, optional
        Those given; otherwise class frequencies vary too.
    """

    y: IntArray
    mass: FloatArray
    source: IntArray
    unit: IntArray
    priors: FloatArray | None = None

    @cached_property
    def _single(self) -> bool:
        n = self.y.size
        return self.unit.size == n and bool((self.source == np.arange(n)).all())

    @cached_property
    def _classes(self) -> FloatArray:
        """A column for each class that is a mean of its own."""
        if self.priors is None:
            return np.ones((self.y.size, 1))
        return np.equal.outer(self.y, np.arange(self.priors.size)).astype(np.float64)

    def factors(self, weights: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the share of each row (problems x rows), and that per weight of its unit."""
        of = weights
        if not self._single:
            units = np.zeros((len(weights), int(self.source.max()) + 1))
            np.add.at(units.T, self.unit, weights.T)
            of = units[:, self.source]
        seen = of * self.mass
        total = seen @ self._classes
        held = np.ones(1) if self.priors is None else self.priors
        with np.errstate(divide="ignore", invalid="ignore"):
            each = np.where(total > 0, held / total, 0.0)
        per = self.mass * (each @ self._classes.T)
        return of * per, per

    def pulls(self, values: FloatArray, share: FloatArray, per: FloatArray) -> FloatArray:
        """Return by how much each unit moves the mean of values of rows."""
        held = np.ones(1) if self.priors is None else np.where(self.priors > 0, self.priors, 1.0)
        mean = (share * values) @ self._classes / held
        moved = (values - self._classes @ mean) * per
        if self._single:
            return np.asarray(moved)
        number = int(self.source.max()) + 1
        sums = np.asarray(bincount(self.source, moved, number), dtype=np.float64)
        return sums[self.unit]


@dataclass(frozen=True, eq=False)
class Refitted:
    """Numbers about rows and a fit to them, as functions of the weights of units.

    `columns` (rows x 4) are the losses and the parameter's influence at the fit to the weights
    observed; without a model they stay as they are. `middle` is added to the loss after
    calibration, and `parameter` says which one is a number.
    """

    shares: Shares
    columns: FloatArray
    numbers: Sequence[Number]
    model: Model | None = None
    reported: Reported | None = None
    middle: float = 0.0
    parameter: int = 0
    _fits: dict[bytes, FloatArray] = field(default_factory=dict, repr=False)

    @property
    def size(self) -> int:
        """How many numbers there are."""
        return len(self.numbers)

    def values(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the value (problems) for units of weights (problems x units)."""
        share, _ = self.shares.factors(weights)
        means = self._means(share, self._fitted(weights, share))
        return self._apply(means, which)

    def slopes(self, weights: FloatArray, which: IntArray) -> FloatArray:
        """Return the derivative of the value by each weight (problems x units)."""
        share, per = self.shares.factors(weights)
        fits = self._fitted(weights, share)
        means = self._means(share, fits)
        aside = means[:, None] + 1j * _STEP * np.eye(4)
        rise = self._apply(aside, which).imag / _STEP
        out = np.empty(weights.shape)
        for b, by in enumerate(rise):
            if not np.isfinite(by).all():  # the number is undefined
                out[b] = np.nan
                continue
            influence = self._columns(share[b], None if fits is None else fits[b], by) @ by
            out[b] = self.shares.pulls(influence, share[b], per[b])
        return out

    def _apply(self, means: NDArray[Any], which: IntArray) -> NDArray[Any]:
        out = np.empty(means.shape[:-1], dtype=means.dtype)
        with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
            for k in set(which.tolist()):
                own = which == k
                out[own] = self.numbers[k](means[own])
        return out

    def _fitted(self, weights: FloatArray, share: FloatArray) -> FloatArray | None:
        """Return the parameters of each problem; those of weights seen before are known."""
        if self.model is None:
            return None
        keys = [row.tobytes() for row in weights]
        new = [b for b, key in enumerate(keys) if key not in self._fits]
        if len(self._fits) + len(new) > _KEPT:
            kept = {key: self._fits[key] for key in keys if key in self._fits}
            self._fits.clear()
            self._fits.update(kept)
        if new:
            found = self.model.fitted(share[new])
            self._fits.update({keys[b]: x for b, x in zip(new, found, strict=True)})
        return np.stack([self._fits[key] for key in keys])

    def _means(self, share: FloatArray, fits: FloatArray | None) -> FloatArray:
        means = share @ self.columns
        if fits is not None and self.reported is not None:
            for b, x in enumerate(fits):
                means[b, AFTER] = share[b] @ self.reported.losses(x)
        if fits is not None:
            means[:, PARAMETER] = fits[:, self.parameter]
        means[:, AFTER] += self.middle
        return means

    def _columns(self, share: FloatArray, fit: FloatArray | None, by: FloatArray) -> FloatArray:
        """Return what each row adds to the four means, itself and through the fit."""
        if fit is None or self.model is None:
            return self.columns
        columns, p = self.columns.copy(), fit.size
        pull = np.zeros((p, 2))
        if self.reported is not None:
            columns[:, AFTER] = self.reported.losses(fit)
            pull[:, 0] = self.reported.drift(share, fit)
        columns[:, PARAMETER] = 0.0
        if by[PARAMETER]:
            pull[self.parameter, 1] = 1.0
        if pull.any():
            curvature = self.model.curvature(share, fit)
            through = self.model.scores(fit) @ solved(curvature, pull)
            columns[:, [AFTER, PARAMETER]] -= through
        return columns


def solved(curvature: FloatArray, right: FloatArray) -> FloatArray:
    """Return the solution of equations with a curvature that may be nearly flat."""
    scale = np.trace(curvature, axis1=-2, axis2=-1)[..., None, None]
    damped = curvature + 1e-13 * np.maximum(scale, 1e-300) * np.eye(curvature.shape[-1])
    return np.asarray(np.linalg.solve(damped, right))


def left_out(
    total: FloatArray, slopes: FloatArray, curvatures: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return by how much the parameters move without each unit, and its part of the curvature.

    One step of Newton's: (H - h_u)^-1 s_u, with slopes (units x p) and curvatures (units x p x p)
    of units. A unit with nearly all of the curvature is taken to have 99 % of it.
    """
    p = total.shape[0]
    own = solved(total, curvatures)
    part = np.trace(own, axis1=-2, axis2=-1) / p
    largest = np.maximum(np.abs(np.linalg.eigvals(own)).max(axis=1), part) if p < 16 else p * part
    kept = np.minimum(1.0, _LARGEST_PART / np.maximum(largest, 1e-300))
    rest = total - kept[:, None, None] * curvatures
    return solved(rest, slopes[..., None])[..., 0], part


def problem_of(
    statistic: Refitted,
    n_seen: int,
    counts: FloatArray,
    stratum: IntArray,
    kind: IntArray,
    groups: tuple[float, float] | None,
) -> Problem:
    """Return the problem of numbers about units, of which the first `n_seen` were seen.

    The worst of each kind of the others counts half a row.
    """
    names = np.empty((stratum.size, 0))
    unseen = Unseen.candidates(names[n_seen:], stratum[n_seen:], kind)
    cells = Cells(names[:n_seen], counts, stratum[:n_seen], unseen, groups)
    return replace(Problem.single(cells, statistic), enough=_ENOUGH)
