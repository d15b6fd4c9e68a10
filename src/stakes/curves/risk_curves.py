"""The risk curve: the expected cost of Bayes decisions at every threshold, in all dialects."""

from __future__ import annotations

__all__ = ["RiskCurve"]

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeVar

import numpy as np

from stakes._check import InputError, read_array, read_level, read_number
from stakes._math import log, softplus
from stakes._records import Record
from stakes._text import number
from stakes._typing import ArrayLike, FloatArray, Names
from stakes.curves import dialects
from stakes.curves.dialects import Dialect, Prices, Priors, Thresholds, finite_odds, inside
from stakes.curves.reading import check_both
from stakes.curves.steps import ThresholdSteps, logit, sigmoid
from stakes.curves.views import CalibrationLossView, CurveArea, CurveView, WorstApplication
from stakes.results import ExpectedLoss
from stakes.samples import Samples

_T = TypeVar("_T")
Grid = ArrayLike | None  # points of an axis; None: those that are usual there
_BELOW = 1e-12  # how far below a jump its lower side is looked at, in parts of the log odds


@dataclass(frozen=True, eq=False)
class RiskCurve(Record):
    """Expected cost EC(t) of deciding H_2 if its posterior is above t, for t between 0 and 1.

    A false alarm costs t and a miss 1 - t, so t is the Bayes threshold for these costs:

        EC(t) = P_1 t R_12(t) + P_2 (1 - t) R_21(t)

    There are four lines: the actual cost; the minimum, at the best threshold on the same data
    (PAV); the cost of cross-fitted scores, if a calibrator was given; and the naive cost of the
    better constant decision. Each field draws these lines on its own axes: each has a method that
    returns a `CurveView`.

    Attributes
    ----------
    steps : ThresholdSteps
        Error rates between the distinct posteriors.
    classes : tuple of names
    priors : array of two
    priors_from_data : bool
    calibrated : ThresholdSteps or None
        The same after calibration.
    notes : tuple of str

    See Also
    --------
    risk_curve : returns it.
    RiskDisplay : draws a view.

    Examples
    --------
    >>> import stakes
    >>> y, p = [0, 0, 0, 0, 0, 0, 1, 1], [0.02, 0.05, 0.1, 0.1, 0.15, 0.4, 0.3, 0.7]
    >>> curve = stakes.risk_curve(y, p)
    >>> [curve.at(t).normalized < 1 for t in (0.05, 0.2, 0.5)]  # useful at these thresholds
    [True, True, True]
    """

    steps: ThresholdSteps
    classes: Names
    priors: FloatArray
    priors_from_data: bool
    calibrated: ThresholdSteps | None = None
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def from_samples(
        cls, samples: Samples, calibrated: Samples | None = None, notes: tuple[str, ...] = ()
    ) -> RiskCurve:
        """Return the curve of checked samples, and of the same samples with calibrated scores.

        Parameters
        ----------
        samples : Samples
            Labels and scores that are already checked.
        calibrated : Samples, optional
            The same samples with calibrated scores.
        notes : tuple of str, optional
            What a user should know.
        """
        check_two(samples)
        more = None if calibrated is None else ThresholdSteps.from_samples(calibrated)
        steps = ThresholdSteps.from_samples(samples)
        return cls(steps, samples.classes, samples.priors, samples.priors_from_data, more, notes)

    def actual(self, threshold: ArrayLike) -> FloatArray:
        """Return the expected cost of Bayes decisions at each threshold.

        Parameters
        ----------
        threshold : array
            Thresholds between 0 and 1.
        """
        return self._costs(self.steps, threshold)

    def minimum(self, threshold: ArrayLike) -> FloatArray:
        """Return the least expected cost of any decision threshold, at the same costs.

        It was found on the same data that it is evaluated on, so it is optimistic.

        Parameters
        ----------
        threshold : array
            Thresholds between 0 and 1.
        """
        return self._costs(self._pooled, threshold)

    def cross_fitted(self, threshold: ArrayLike) -> FloatArray:
        """Return the expected cost after cross-fitted calibration.

        Parameters
        ----------
        threshold : array
            Thresholds between 0 and 1.
        """
        if self.calibrated is None:
            rule = "must be given to risk_curve for a cross-fitted line"
            raise InputError("calibrator", rule, "None")
        return self._costs(self.calibrated, threshold)

    def naive(self, threshold: ArrayLike) -> FloatArray:
        """Return the cost of the better constant decision: min(P_2 (1 - t), P_1 t).

        Parameters
        ----------
        threshold : array
            Thresholds between 0 and 1.
        """
        x = inside(read_array(threshold, "threshold"), "threshold")
        return np.minimum(self.priors[1] * (1 - x), self.priors[0] * x)

    def at(self, threshold: float) -> ExpectedLoss:
        """Return the cost at one threshold, with naive cost, normalised cost and interval.

        Parameters
        ----------
        threshold : float
            A threshold between 0 and 1.
        """
        x = read_number(threshold, "threshold", 0, 1, closed=(False, False))
        at = Thresholds.from_probabilities(np.array([x]))
        return self._record(at, dialects.MURPHY.prices(at, self._priors), 0)

    def murphy(self, grid: Grid = None, *, level: float | None = 0.95) -> CurveView:
        """Return EC over the threshold, as weather forecasters draw it (Murphy diagram).

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        level : float or None, default 0.95
            Level of the pointwise interval; None for no interval.
        """
        return self._view(dialects.MURPHY, grid, level)

    def relative_value(self, grid: Grid = None, *, level: float | None = 0.95) -> CurveView:
        """Return the relative economic value, 1 - EC / naive, over the cost/loss ratio t.

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        level : float or None, default 0.95
            Level of the pointwise interval; None for no interval.
        """
        return self._view(dialects.RELATIVE_VALUE, grid, level)

    def decision_curve(self, grid: Grid = None, *, level: float | None = 0.95) -> CurveView:
        """Return the net benefit P_2 - EC / (1 - t) over the threshold probability (medicine).

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        level : float or None, default 0.95
            Level of the pointwise interval; None for no interval.
        """
        return self._view(dialects.DECISION_CURVE, grid, level)

    def interventions_avoided(self, grid: Grid = None, *, level: float | None = 0.95) -> CurveView:
        """Return the interventions avoided per 100 people, net of missed cases (medicine).

        100 (NB - NB of treating all) (1 - t) / t, over the threshold probability.

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        level : float or None, default 0.95
            Level of the pointwise interval; None for no interval.
        """
        return self._view(dialects.INTERVENTIONS_AVOIDED, grid, level)

    def ape(self, grid: Grid = None, *, level: float | None = 0.95) -> CurveView:
        """Return the applied probability of error over log odds of the effective prior (speech).

        At x, the threshold has log odds logit(P_2) - x, and the error rate is
        EC / (P_2 (1 - t) + P_1 t). The interval takes the effective prior as given.

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        level : float or None, default 0.95
            Level of the pointwise interval; None for no interval.
        """
        return self._view(dialects.APPLIED_ERROR_RATE, grid, level)

    def normalized_bayes_error(self, grid: Grid = None, *, level: float | None = 0.95) -> CurveView:
        """Return EC / naive over log odds of the effective prior: normalised DCF (speech).

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        level : float or None, default 0.95
            Level of the pointwise interval; None for no interval.
        """
        return self._view(dialects.NORMALIZED_BAYES_ERROR, grid, level)

    def cost_curve(self, grid: Grid = None, *, level: float | None = 0.95) -> CurveView:
        """Return the error rate over the effective prior, as Drummond and Holte draw it.

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        level : float or None, default 0.95
            Level of the pointwise interval; None for no interval.
        """
        return self._view(dialects.COST_CURVE, grid, level)

    def empirical_cross_entropy(self, grid: Grid = None) -> CurveView:
        """Return the cross-entropy in bits over log10 of the prior odds (forensics).

        The scores count as likelihood ratios: posterior odds over prior odds. At x = 0 the actual
        line is Cllr and the minimum is Cllr after PAV; the reference answers the prior. It is
        infinite if a certain answer was wrong. (This is not the expected calibration error.)

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        """
        x = dialects.read_grid(grid, dialects.LOG10_ODDS)
        odds = finite_odds(x * math.log(10))
        priors = np.column_stack([sigmoid(-odds), sigmoid(odds)])
        actual, minimum, crossed = self._each(lambda steps: self._bits(steps, odds, priors))
        entropy = (priors * np.column_stack([softplus(odds), softplus(-odds)])).sum(axis=1)
        return CurveView(
            name="empirical cross-entropy",
            x_name="log10_prior_odds",
            x=x,
            x_label="log10 of the prior odds",
            y_label="empirical cross-entropy (bits)",
            better="lower",
            thresholds=sigmoid(self._priors.log_odds - odds),
            actual=actual,
            minimum=minimum,
            cross_fitted=crossed,
            references={"naive": entropy / math.log(2)},
        )

    def calibration_loss(
        self, grid: Grid = None, *, normalized: bool = False
    ) -> CalibrationLossView:
        """Return actual minus minimum cost over the threshold, and where it is worst.

        By default in the units of EC, where c_FP + c_FN = 1; normalised, in units of the naive
        cost. The worst threshold is found exactly, not on the grid: between the ends of a given
        grid, by default between 0 and 1.

        Parameters
        ----------
        grid : array, optional
            Points of the x axis; by default a grid that suits the view.
        normalized : bool, default False
            Whether to divide by the naive cost.
        """
        x = dialects.read_grid(grid, dialects.PERCENT)
        dialect = dialects.NORMALIZED_MURPHY if normalized else dialects.MURPHY
        at = dialect.thresholds(x, self._priors)
        prices = dialect.prices(at, self._priors)
        actual, minimum, crossed = self._each(
            lambda steps: dialect.y(prices, steps.rates(at.log_odds))
        )
        ends = (0.0, 1.0) if grid is None else (float(x[0]), float(x[-1]))
        return CalibrationLossView(
            name="calibration loss",
            x_name=dialect.x_name,
            x=x,
            x_label=dialect.x_label,
            y_label="calibration loss" + (" / naive cost" if normalized else ""),
            better="lower",
            thresholds=at.value,
            actual=actual - minimum,
            cross_fitted=None if crossed is None else actual - crossed,
            worst=self._worst_application(ends, normalized=normalized),
        )

    def brier(self) -> CurveArea:
        """Return the Brier score: twice the area under EC over the threshold, exactly."""
        lines = self._each(lambda steps: steps.brier(self.priors))
        return CurveArea("Brier score", *lines, naive=float(self.priors.prod()))

    def cross_entropy(self) -> CurveArea:
        """Return the cross-entropy: the area under EC / (t (1 - t)) over the threshold, exactly."""
        lines = self._each(lambda steps: steps.cross_entropy(self.priors))
        entropy = -math.fsum(self.priors * log(self.priors))
        return CurveArea("cross-entropy", *lines, naive=entropy)

    @cached_property
    def _priors(self) -> Priors:
        return Priors(self.priors, self.priors_from_data)

    @cached_property
    def _pooled(self) -> ThresholdSteps:
        return self.steps.pooled(self._priors.log_odds)

    def _each(self, of: Callable[[ThresholdSteps], _T]) -> tuple[_T, _T, _T | None]:
        """Return something of the steps as they are, at best, and cross-fitted."""
        crossed = None if self.calibrated is None else of(self.calibrated)
        return of(self.steps), of(self._pooled), crossed

    def _costs(self, steps: ThresholdSteps, threshold: ArrayLike) -> FloatArray:
        x = inside(read_array(threshold, "threshold"), "threshold")
        at = Thresholds.from_probabilities(x.ravel())
        prices = dialects.MURPHY.prices(at, self._priors)
        return prices.expected(steps.rates(at.log_odds)).reshape(x.shape)

    def _bits(self, steps: ThresholdSteps, odds: FloatArray, priors: FloatArray) -> FloatArray:
        shifts = (odds - self._priors.log_odds).tolist()
        nats = [steps.cross_entropy(p, s) for p, s in zip(priors, shifts, strict=True)]
        return np.array(nats) / math.log(2)

    def _view(self, dialect: Dialect, grid: ArrayLike | None, level: float | None) -> CurveView:
        x = dialects.read_grid(grid, dialect.grid)
        at = dialect.thresholds(x, self._priors)
        prices = dialect.prices(at, self._priors)
        actual, minimum, crossed = self._each(
            lambda steps: dialect.y(prices, steps.rates(at.log_odds))
        )
        low, high = (None, None) if level is None else self._band(dialect, at, prices, level)
        return CurveView(
            name=dialect.name,
            x_name=dialect.x_name,
            x=x,
            x_label=dialect.x_label,
            y_label=dialect.y_label,
            better=dialect.better,
            thresholds=at.value,
            actual=actual,
            minimum=minimum,
            cross_fitted=crossed,
            references=dialect.references(prices),
            low=low,
            high=high,
            level=level,
        )

    def _band(
        self, dialect: Dialect, at: Thresholds, prices: Prices, level: float
    ) -> tuple[FloatArray, FloatArray]:
        read_level(level)
        ends = np.empty((at.value.size, 2))
        for i in range(at.value.size):
            record = self._record(at, prices, i)
            band = record.normalized_interval if dialect.normalized else record.interval
            ends[i] = tuple(band(level))
        low, high = np.sort(dialect.turn(ends), axis=1).T
        return low, high

    def _record(self, at: Thresholds, prices: Prices, i: int) -> ExpectedLoss:
        priors, costs = prices.priors[i], prices.costs[i]
        losses = self.steps.losses(float(at.log_odds[i]), costs, prices.offsets)
        first = bool(prices.naive_first[i])
        constant, other = (
            prices.offsets + costs * (np.array([0, 1]) if zero else np.array([1, 0]))
            for zero in (first, not first)
        )
        return ExpectedLoss(
            name="Bayes expected cost",
            value=math.fsum(priors * losses.mean),
            naive=math.fsum(priors * constant),
            naive_answer=self.classes[0 if first else 1],
            classes=self.classes,
            priors=priors,
            priors_from_data=prices.from_data,
            losses=losses,
            naive_losses=constant,
            rivals=(other,) if prices.from_data else (),
        )

    def _worst_application(
        self, ends: tuple[float, float], *, normalized: bool
    ) -> WorstApplication:
        """Return where the calibration loss is largest, between two thresholds.

        Between jumps and bends the loss is linear in the threshold, and the normalised loss in its
        odds or their inverse, so that the largest lies at one of them. Towards a threshold where a
        certain answer was wrong the normalised loss grows without bound.
        """
        levels, jumps, bends = self.steps.levels, self.steps.levels.level, self._pooled.levels.level
        if normalized and ends == (0.0, 1.0):
            sure = levels.second[jumps == -np.inf], levels.first[jumps == np.inf]
            for limit, wrong in enumerate(sure):
                if wrong.any():
                    worst = float(limit), math.inf, math.inf, 1.0
                    return WorstApplication(*worst, normalized, self.classes)
        low, high = np.clip(logit(np.array(ends)), -dialects.MOST_LOG_ODDS, dialects.MOST_LOG_ODDS)
        jumps = jumps[np.isfinite(jumps)]
        below = jumps - _BELOW * np.maximum(np.abs(jumps), 1)
        places = np.concatenate([jumps, below, bends, [self._priors.log_odds, low, high]])
        at = Thresholds.from_log_odds(places[(places >= low) & (places <= high)])
        prices = dialects.MURPHY.prices(at, self._priors)
        unit = prices.naive if normalized else 1.0
        actual, minimum = (
            prices.expected(s.rates(at.log_odds)) / unit for s in (self.steps, self._pooled)
        )
        i = int((actual - minimum).argmax())
        more, less = float(actual[i]), float(minimum[i])
        return WorstApplication(
            float(at.value[i]), more - less, more, less, normalized, self.classes
        )

    def __str__(self) -> str:
        area = self.cross_entropy()
        return (
            f"RiskCurve({self.steps.levels.level.size} distinct scores, "
            f"normalised cross-entropy {number(area.actual / area.naive)})"
        )


def check_two(samples: Samples) -> None:
    """Refuse samples for which no threshold can be weighed: not two classes, or one missing."""
    if len(samples.classes) != 2:
        rule = "must be those of two classes"
        raise InputError("scores", rule, f"{len(samples.classes)} classes")
    check_both(samples.classes, samples.counts.tolist())
    if not samples.priors.all():
        raise InputError("priors", "must be above 0 for both classes", samples.priors.tolist())
