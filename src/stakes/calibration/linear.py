"""Calibrators that scale and shift log posteriors, fitted by one solver."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import ClassVar, Self

import numpy as np

from stakes._check import InputError, UndefinedMetricError
from stakes._typing import FloatArray, IntArray, Label
from stakes.calibration.calibrators import Calibrator, CrossFit, require_every_class
from stakes.calibration.class_scales import ClassScales
from stakes.calibration.fitted_line import Coefficient, FittedLine
from stakes.calibration.maps import AffineMap, CalibrationMap
from stakes.calibration.shared_scale import Moves, SharedScale
from stakes.calibration.solver import Descent, solve
from stakes.samples import Samples
from stakes.scoring import BrierLoss, LogLoss, ScoringRule

_FEW = 20_000  # samples times classes up to which each fold starts by itself


@dataclass(eq=False)
class LinearCalibrator(Calibrator):
    """softmax(scale * log s + bias), fitted by the cross-entropy (or, if asked, the Brier score).

    The cross-entropy is convex in scale and bias, and is solved to the optimum. What moves is
    declared: the scale, the biases, or both (`moves`), and whether each class has a scale of its
    own (`scale_for_each`).
    """

    rule: ScoringRule = field(default_factory=LogLoss)

    moves: ClassVar[Moves] = Moves(scale=True, biases=True)
    scale_for_each: ClassVar[bool] = False

    def __post_init__(self) -> None:
        if not isinstance(self.rule, LogLoss | BrierLoss):
            rule = "must be LogLoss() or BrierLoss() to train with"
            raise InputError("rule", rule, repr(self.rule))

    @property
    def scale(self) -> float | dict[Label, float]:
        """The scale of log posteriors; by class where each has its own."""
        fitted = self._affine()
        shared = fitted.shared if not self.scale_for_each else None
        return self._by_class(fitted.scale) if shared is None else shared

    @property
    def bias(self) -> dict[Label, float]:
        """The bias of each class."""
        return self._by_class(self._affine().bias)

    @property
    def slope(self) -> Coefficient:
        """The slope of the log odds of two classes, with its standard error: 1 leaves them.

        Calibrated log odds are slope * log odds + intercept. The standard error is that of the
        maximum of the likelihood, from its second derivatives; with weights or given priors it is
        the sandwich's.

        Examples
        --------
        Odds that are twice as extreme as they should be:

        >>> import numpy as np
        >>> import stakes
        >>> rng = np.random.default_rng(1)
        >>> z = rng.normal(0, 2, 4000)
        >>> y = (rng.random(4000) < 1 / (1 + np.exp(-z))).astype(int)
        >>> calibrator = stakes.AffineCalibrator().fit(stakes.Logits(2 * z), y)
        >>> calibrator.slope
        slope 0.5127 (standard error 0.0164)
        """
        return self._fitted_line().slope

    @property
    def intercept(self) -> Coefficient:
        """What is added to the log odds of two classes, with its standard error: 0 leaves them."""
        return self._fitted_line().intercept

    def _affine(self) -> AffineMap:
        fitted = self.fitted
        assert isinstance(fitted, AffineMap)  # noqa: S101  all that is learnt here
        return fitted

    def _by_class(self, values: FloatArray) -> dict[Label, float]:
        spread = np.broadcast_to(values, len(self.classes)).tolist()
        return dict(zip(self.classes, spread, strict=True))

    def _fitted_line(self) -> FittedLine:
        if len(self.classes) != 2 or self.scale_for_each:
            msg = "slope and intercept are of two classes and one scale: see scale and bias."
            raise InputError(msg)
        line: FittedLine | None = self._line
        return line or FittedLine.without_errors(self._affine(), self.moves)

    def _with_errors(self, samples: Samples) -> Self:
        """Find the standard errors of slope and intercept of two classes."""
        self._line = None
        if len(samples.classes) == 2 and not self.scale_for_each and isinstance(self.rule, LogLoss):
            self._line = FittedLine.from_samples(self._affine(), self.moves, samples)
        return self

    def _learnt(self) -> str:
        if self._line is None:
            return super()._learnt()
        return f"{super()._learnt()}\n  {self._line}"

    def _fit_inside(self, samples: Samples) -> Self:
        self._line = None
        whole = self._plain(samples)
        if whole is None:
            return super()._fit_inside(samples)
        require_every_class(samples)
        return self._fitted_on(samples, self._map(whole, whole.solved()))

    def fit_folds(self, samples: Samples, fold: IntArray, n_folds: int) -> CrossFit | None:
        """Return the fit of each fold to all other folds, started from the fit to all samples.

        Few samples are left to fits of their own: there no label of a test fold is to be felt even
        in the last digits, which a common start may leave it.

        Parameters
        ----------
        samples : Samples
            Labels and scores that are already checked.
        fold : array of N ints
            The fold of each sample.
        n_folds : int
            Number of folds.
        """
        few = samples.n * len(samples.classes) <= _FEW
        whole = None if few else self._plain(samples, fold, n_folds)
        return None if whole is None else whole.fold_fits(samples, fold)

    def _plain(
        self, samples: Samples, fold: IntArray | None = None, n_folds: int = 1
    ) -> SharedScale | None:
        """Return the problem of samples that are plain enough, where one scale is learnt."""
        learns = type(self).learn is LinearCalibrator.learn  # not in a way of its own
        if not learns or self.scale_for_each or not isinstance(self.rule, LogLoss):
            return None
        return SharedScale.from_samples(samples, self.moves, fold, n_folds)

    def smooth(
        self,
        fitted: CalibrationMap,
        log_p: FloatArray,
        y: IntArray,
        weights: FloatArray,
        n: int,  # noqa: ARG002
    ) -> tuple[ClassScales, FloatArray] | None:
        """Return the loss that a map is the least of, and its parameters.

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
        plain = type(self).learn is LinearCalibrator.learn and isinstance(self.rule, LogLoss)
        if not plain or not isinstance(fitted, AffineMap) or fitted.separable:
            return None
        problem = self.table_problem(log_p, y, weights)
        return problem, problem.parameters(fitted)

    def problem(
        self, log_p: FloatArray, y: IntArray, weights: FloatArray
    ) -> SharedScale | ClassScales:
        """Return the loss to be minimised.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
        if self.scale_for_each:
            return self.table_problem(log_p, y, weights)
        return SharedScale.from_arrays(log_p, y, weights, self.moves)

    def table_problem(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> ClassScales:
        """Return the same loss as a function of a table, which knows each sample's slope.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
        k = log_p.shape[1]  # scales are the diagonal of the table, biases its last column
        scales = np.arange(k if self.moves.scale else 0) * (k + 2)
        biases = np.arange(1, k if self.moves.biases else 1) * (k + 1) + k  # that of the first is 0
        owner = None
        if not self.scale_for_each:
            owner = np.concatenate([0 * scales, np.arange(biases.size) + self.moves.scale])
        cells = np.concatenate([scales, biases])
        held_scale = 0.0 if self.moves.scale else 1.0
        return ClassScales.from_arrays(log_p, y, weights, cells, owner, held_scale)

    def learn(self, log_p: FloatArray, y: IntArray, weights: FloatArray) -> AffineMap:
        """Return the map of least loss.

        Parameters
        ----------
        log_p : array of shape (N, K)
            Log posteriors.
        y : array of N ints
            The index of each sample's class.
        weights : array of N floats
            How much each sample counts; they sum to 1.
        """
        problem = self.problem(log_p, y, weights)
        near = self._map(problem, problem.solved())
        if isinstance(self.rule, LogLoss):
            return near
        # the Brier score has several minima: go on from the least cross-entropy to the nearest
        brier = replace(self.table_problem(log_p, y, weights), dense=False, brier=True)
        found = solve(brier, brier.parameters(near))
        return brier.affine_map(found.x, separable=near.separable)

    def _map(self, problem: SharedScale | ClassScales, found: Descent) -> AffineMap:
        require_settled(self.name, found)
        return problem.affine_map(found.x, separable=found.separable)


def require_settled(name: str, found: Descent) -> None:
    """Refuse a fit that has not come to its end."""
    if not found.settled:
        msg = f"the {name} fit did not settle: its slope is still {found.gradient:.1g} per sample."
        raise UndefinedMetricError(f"{msg} Use a simpler calibrator or scores of a smaller range.")
