"""Calibrators fitted anew under other weights, with no sample on both sides of a fold."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._check import InputError
from stakes._counting import bincount
from stakes._typing import FloatArray, IntArray
from stakes.calibration import Calibrator
from stakes.calibration.class_scales import ClassScales
from stakes.calibration.linear import LinearCalibrator
from stakes.calibration.maps import AffineMap, log_odds, scaled
from stakes.calibration.shared_scale import SharedScale
from stakes.calibration.solver import descend
from stakes.scores import Answers, LogProbabilities
from stakes.scores.answers import LogOdds
from stakes.scoring import LogLoss

Refit = Callable[[FloatArray], Answers | None]

_NEAR = 1e-8  # of the loss per sample, which a step from near the optimum may miss
_SMALL = 20_000  # samples times classes below which one step is not enough, and others are cheap


@dataclass(frozen=True, eq=False)
class Training:
    """Log posteriors and labels, what is trained and tested on, priors and weights if given."""

    log_p: FloatArray
    y: IntArray
    pairs: Sequence[tuple[IntArray, IntArray]]
    priors: FloatArray | None
    weights: FloatArray | None = None

    def balanced(self, weights: FloatArray, train: IntArray) -> FloatArray | None:
        """Return weights that sum to 1 with each class as heavy as its prior; None without one."""
        w, y = weights[train], self.y[train]
        totals: FloatArray = bincount(y, w, self.log_p.shape[1])  # type: ignore[assignment]
        factor = self.factors(totals)
        return None if factor is None else w * factor[y]

    def factors(self, totals: FloatArray) -> FloatArray | None:
        """Return what the weights of each class are multiplied by; None if a class has none."""
        if (totals == 0).any():
            return None
        target = totals / totals.sum() if self.priors is None else self.priors
        return np.asarray(target / totals, dtype=np.float64)

    @property
    def parted(self) -> bool:
        """Whether each sample is tested once, by a fit to all samples of the other folds."""
        n = self.y.size
        tested = np.concatenate([test for _, test in self.pairs])
        return (
            len(self.pairs) > 1
            and tested.size == n == np.unique(tested).size
            and all(train.size + test.size == n for train, test in self.pairs)
        )


@dataclass(frozen=True, eq=False)
class FullRefit:
    """Any calibrator, fitted from the start under each row of weights."""

    calibrator: Calibrator
    training: Training

    def __call__(self, weights: FloatArray) -> Answers | None:
        """Return cross-fitted posteriors, or None where a fit is not possible."""
        data = self.training
        out = np.empty_like(data.log_p)
        for train, test in data.pairs:
            balanced = data.balanced(weights, train)
            if balanced is None:
                return None
            kept = balanced > 0
            rows = train[kept]
            try:
                fitted = self.calibrator.learn(data.log_p[rows], data.y[rows], balanced[kept])
            except InputError:
                return None
            out[test] = fitted(data.log_p[test])
        return LogProbabilities(out)


@dataclass(frozen=True, eq=False)
class WarmRefit:
    """A scale and biases, moved by one Newton step from the fit to all samples.

    The slopes of all samples at that fit are computed once; under weights the slope of a training
    part is their weighted sum. The step misses the refit by the square of a sampling error, and the
    loss by its fourth power; where samples are few, a step or two on the resample itself follow.
    """

    calibrator: LinearCalibrator
    training: Training

    @cached_property
    def _problem(self) -> SharedScale | ClassScales:
        """The loss of all samples."""
        data = self.training
        weights = np.ones(data.y.size) if data.weights is None else data.weights
        every = data.balanced(weights, np.arange(data.y.size))
        if every is None:
            msg = "a calibrator needs samples of every class."
            raise InputError(msg)
        return self.calibrator.problem(data.log_p, data.y, every)

    @cached_property
    def _start(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The fit to all samples, the inverse of its curvature, and the slope of each sample."""
        problem, data = self._problem, self.training
        x = problem.solved().x
        curvature = problem.slopes(x, hessian=True).hessian
        inverse = np.asarray(np.linalg.pinv(curvature), dtype=np.float64)
        table = self.calibrator.table_problem(data.log_p, data.y, np.ones(data.y.size))
        at = table.parameters(problem.affine_map(x))
        turn = [table.parameters(problem.affine_map(x + e)) - at for e in np.eye(x.size)]
        return x, inverse, table.sample_slopes(at) @ np.array(turn).T

    @cached_property
    def _fold(self) -> IntArray:
        """The fold that tests each sample."""
        fold = np.empty(self.training.y.size, dtype=np.int64)
        for number, (_, test) in enumerate(self.training.pairs):
            fold[test] = number
        return fold

    @cached_property
    def _cell(self) -> IntArray:
        """Fold and class of each sample as one number."""
        return self._fold * self.training.log_p.shape[1] + self.training.y

    @cached_property
    def _log_odds(self) -> FloatArray | None:
        """Log odds of the second of two classes; None of more, or where a posterior is 0."""
        log_p = self.training.log_p
        plain = log_p.shape[1] == 2 and np.isfinite(log_p).all()
        return log_odds(log_p) if plain else None

    def maps(self, weights: FloatArray) -> list[AffineMap] | None:
        """Return the map of each fold under one row of weights; None where a class has none."""
        data = self.training
        start, inverse, slopes = self._start
        totals = self._by_cell(weights)
        sums = np.stack([self._by_cell(weights * slope) for slope in slopes.T], axis=2)
        found = []
        for fold, (train, _) in enumerate(data.pairs):
            factors = data.factors(totals.sum(axis=0) - totals[fold])
            if factors is None:
                return None
            x = start - inverse @ (factors @ (sums.sum(axis=0) - sums[fold]))
            if data.log_p.size <= _SMALL:
                kept = train[weights[train] > 0]
                part = self._problem.reweighted(kept, weights[kept] * factors[data.y[kept]])
                x = descend(part, x, part.slopes(x, hessian=True), enough=_NEAR).x
            found.append(self._problem.affine_map(x))
        return found

    def _by_cell(self, values: FloatArray) -> FloatArray:
        """Sum values by fold and class."""
        shape = len(self.training.pairs), self.training.log_p.shape[1]
        sums: FloatArray = bincount(self._cell, values, shape[0] * shape[1])  # type: ignore[assignment]
        return sums.reshape(shape)

    def __call__(self, weights: FloatArray) -> Answers | None:
        """Return cross-fitted posteriors, or None where a fit is not possible."""
        maps = self.maps(weights)
        if maps is None:
            return None
        scale, bias = np.stack([m.scale for m in maps]), np.stack([m.bias for m in maps])
        log_p, fold = self.training.log_p, self._fold
        if self._log_odds is not None:
            if (scale[:, 0] == scale[:, 1]).all():
                odds = self._log_odds * scale[:, 0][fold]
            else:
                odds = log_p[:, 1] * scale[:, 1][fold] - log_p[:, 0] * scale[:, 0][fold]
            odds += (bias[:, 1] - bias[:, 0])[fold]
            return LogOdds(odds)
        return LogProbabilities.normalised(scaled(log_p, scale[fold]) + bias[fold])


def refitter(calibrator: Calibrator, training: Training) -> Refit:
    """Return the quickest way to fit a calibrator anew."""
    convex = isinstance(calibrator, LinearCalibrator) and isinstance(calibrator.rule, LogLoss)
    if convex and training.parted:
        return WarmRefit(calibrator, training)  # type: ignore[arg-type]
    return FullRefit(calibrator, training)
