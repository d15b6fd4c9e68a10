"""What a calibration stage would recover of an expected loss, and its line in a risk curve."""

from __future__ import annotations

__all__ = ["CalibrationLoss", "ScoreDecomposition", "calibration_loss", "decompose", "risk_curve"]

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stakes._check import InputError
from stakes._foreign_calls import answered
from stakes._records import NumberRecord, Record
from stakes._text import number, percent
from stakes._typing import Column, FloatArray, Label, NamesLike, PriorsLike
from stakes.calibration.affine_calibrator import AffineCalibrator
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.crossfit import Folds, HeldOut, TrainOnTest, cross_fitted, deal_samples
from stakes.calibration.isotonic_calibrator import IsotonicCalibrator
from stakes.calibration.registry import read_calibrator
from stakes.curves.risk_curves import RiskCurve, check_two
from stakes.metrics.expected_losses import expectation
from stakes.results import ExpectedLoss, json_number
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.scoring import ScoringRule


@dataclass(frozen=True, eq=False)
class CalibrationLoss(NumberRecord):
    """An expected loss before and after calibration (eq:calloss).

    It is a float: `value` is what calibration recovers, and `relative` is that as a fraction of the
    raw loss. Both depend on the calibrator and on how it was fitted, which the record names. The
    value is negative if calibration makes things worse. `divergence` and `refinement` are DeGroot's
    decomposition, with the calibrated posteriors taken as true. If their sum is far from the raw
    loss (`gap`), the calibrator is bad.

    Attributes
    ----------
    raw : ExpectedLoss
        Loss of the uncalibrated scores.
    calibrated : ExpectedLoss
        Loss after calibration.
    calibrator : str
        Name of the calibrator.
    data : str
        What it was fitted on.
    divergence : float
        From the calibrated posteriors to the raw ones.
    refinement : float
        The loss of the calibrated posteriors, taken as true.
    notes : tuple of str
        What a user should know.

    See Also
    --------
    calibration_loss : returns it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> loss = stakes.calibration_loss(stakes.LogLoss(), data.y, data.posteriors([0.5, 0.5]))
    >>> loss.relative > 0.3  # more than 30 % of the loss: calibrate
    True
    """

    raw: ExpectedLoss
    calibrated: ExpectedLoss
    calibrator: str
    data: str
    divergence: float
    refinement: float
    notes: tuple[str, ...] = field(default=())

    @classmethod
    def _number(cls, fields: Mapping[str, Any]) -> float:
        raw, calibrated = fields["raw"], fields["calibrated"]
        difference: float = raw.value - calibrated.value
        return difference

    @property
    def _why_undefined(self) -> str:
        return "the loss is infinite before and after calibration" if math.isnan(self.value) else ""

    @property
    def value(self) -> float:
        """Raw loss minus calibrated loss."""
        return float.__float__(self)

    @property
    def relative(self) -> float:
        """The value divided by the raw loss; NaN if that is 0."""
        return self.value / self.raw.value if self.raw.value > 0 else math.nan

    @property
    def normalized(self) -> float:
        """The value divided by the naive loss."""
        return self.raw.normalized - self.calibrated.normalized

    @property
    def why_no_share(self) -> str:
        """Why the relative calibration loss is undefined; empty if it is not."""
        if math.isfinite(self.relative):
            return ""
        n = self.raw.infinite_samples
        if not n:
            return "its share is undefined: the loss is 0"
        text = f"its share is undefined: {n} {'sample has' if n == 1 else 'samples have'} posterior"
        return f"{text} 0 for the true class"

    @property
    def gap(self) -> float:
        """Raw loss minus divergence minus refinement: far from 0 for a bad calibrator."""
        return self.raw.value - self.divergence - self.refinement

    @property
    def by_class(self) -> dict[Label, float]:
        """What calibration recovers in each class; it may gain in one and lose in another."""
        raw, calibrated = self.raw.by_class, self.calibrated.by_class
        return {name: raw[name] - calibrated[name] for name in raw}

    def __str__(self) -> str:
        raw, calibrated = number(self.raw.normalized), number(self.calibrated.normalized)
        known = math.isfinite(self.relative)
        share = f"{percent(self.relative)} % of it" if known else self.why_no_share
        lines = [
            f"{self.raw.name}: {raw} uncalibrated, {calibrated} calibrated (naive 1)",
            f"calibration loss {number(self.normalized)}, {share}",
            f"by the {self.calibrator} calibrator, {self.data}",
        ]
        return "\n".join([*lines, *self.notes])

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return {
            "raw": self.raw.to_dict(),
            "calibrated": self.calibrated.to_dict(),
            "value": json_number(self.value),
            "relative": json_number(self.relative),
            "calibrator": self.calibrator,
            "data": self.data,
            "divergence": json_number(self.divergence),
            "refinement": json_number(self.refinement),
            "notes": list(self.notes),
        }


@answered
def calibration_loss(  # noqa: PLR0913  the data, the calibrator, and how it is fitted
    rule: ScoringRule,
    y_true: Column,
    scores: Scores | Column,
    *,
    calibrator: Calibrator | None = None,
    folds: Folds = 5,
    groups: Column | None = None,
    rng: int | np.random.Generator = 0,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> CalibrationLoss:
    """Return how much of an expected loss calibration would recover.

    Parameters
    ----------
    rule : ScoringRule
        `LogLoss()`, `BrierLoss()`, or `BayesCost(costs)` at your own costs.
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`.
    calibrator : Calibrator, optional
        By default affine, cross-fitted, as in the paper.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, default 5
        As in `cross_calibrate`; `TrainOnTest()` gives the optimistic value.
    groups : column of N names, optional
        Samples of one group stay together: patients, speakers, merchants.
    rng : int or Generator, default 0
        Seed of the folds.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    CalibrationLoss
        With `value`, `relative`, the losses `raw` and `calibrated`.

    See Also
    --------
    choose_calibrator : which calibrator to use.
    decompose : the same for the best monotone map, with discrimination.
    evaluate : with intervals.

    Examples
    --------
    Posteriors at the wrong priors: calibration recovers five sixths of their cross-entropy.

    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=5000)
    >>> raw = data.posteriors([0.1, 0.9])
    >>> loss = stakes.calibration_loss(stakes.LogLoss(), data.y, raw)
    >>> round(loss.relative, 2)
    0.83

    So calibrate before using them.
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    read = read_calibrator(calibrator) or AffineCalibrator()
    return calibration_loss_of(rule, samples, read, folds, groups, rng)


def calibration_loss_of(
    rule: ScoringRule,
    samples: Samples,
    calibrator: Calibrator,
    folds: Folds = 5,
    groups: Column | None = None,
    rng: int | np.random.Generator = 0,
) -> CalibrationLoss:
    """Return the calibration loss of checked samples."""
    raw = expectation(rule, samples)
    parted, dealt = samples, folds
    if samples.copies is not None and isinstance(folds, int | np.integer):  # a row for each fold
        dealt = deal_samples(samples, folds, groups, rng)
        parted = dealt.samples
    better = cross_fitted(calibrator, parted, dealt, groups, rng)
    after = parted.with_scores(better.scores)
    weights = parted.balanced_mass()
    divergence = refinement = 0.0  # with the calibrated posteriors taken for true
    for (part, _, before), (_, _, answers) in zip(parted.blocks(), after.blocks(), strict=True):
        own, other = (_expected(rule, answers.p, some) for some in (answers, before))
        refinement += float(weights[part] @ own)
        divergence += float(weights[part] @ (other - own))
    calibrated, said = expectation(rule, after), _described(folds, groups)
    return CalibrationLoss(
        raw, calibrated, calibrator.name, said, divergence, refinement, better.notes
    )


def _described(folds: Folds, groups: Column | None) -> str:
    if isinstance(folds, TrainOnTest | HeldOut):
        return str(folds)
    kind = f"{folds} folds" if isinstance(folds, int | np.integer) else "given folds"
    return f"cross-fitted on {kind}{'' if groups is None else ', groups kept whole'}"


def _expected(rule: ScoringRule, q: FloatArray, answers: Any) -> FloatArray:  # noqa: ANN401
    """Return the expected loss of answers under posteriors that are taken for true."""
    total = np.zeros(q.shape[0])
    for k in range(q.shape[1]):
        losses = rule.losses(np.full(q.shape[0], k), answers)
        with np.errstate(invalid="ignore"):
            total += np.where(q[:, k] > 0, q[:, k] * losses, 0.0)
    return total


@dataclass(frozen=True, eq=False)
class ScoreDecomposition(Record):
    """CORP decomposition: an expected loss as miscalibration - discrimination + uncertainty.

    Calibrated by the best monotone map on the same data: miscalibration is what the map recovers,
    discrimination what it gains over answering the priors, uncertainty the loss of answering the
    priors.

    Attributes
    ----------
    miscalibration : float
        What calibration recovers; lower is better.
    discrimination : float
        What it gains over answering the priors; higher is better.
    uncertainty : float
        What answering the priors costs.

    See Also
    --------
    decompose : returns it.

    Examples
    --------
    >>> import stakes
    >>> parts = stakes.decompose(stakes.BrierLoss(), [0, 0, 1, 1], [0.6, 0.7, 0.8, 0.9])
    >>> parts.miscalibration > parts.value / 2  # most of the loss: calibrate
    True
    """

    miscalibration: float
    discrimination: float
    uncertainty: float

    @property
    def value(self) -> float:
        """The expected loss itself."""
        return self.miscalibration - self.discrimination + self.uncertainty

    def __str__(self) -> str:
        parts = self.value, self.miscalibration, self.discrimination, self.uncertainty
        value, *split = map(number, parts)
        names = "miscalibration", "discrimination", "uncertainty"
        terms = [f"{name} {part}" for name, part in zip(names, split, strict=True)]
        return f"{value} = {terms[0]} - {terms[1]} + {terms[2]}"


@answered
def decompose(
    rule: ScoringRule,
    y_true: Column,
    scores: Scores | Column,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
) -> ScoreDecomposition:
    """Decompose an expected loss into miscalibration, discrimination and uncertainty.

    Parameters
    ----------
    rule : ScoringRule
        Such as `LogLoss()` or `BrierLoss()`.
    y_true : column of N labels
        The true class of each sample.
    scores : array of posteriors, or typed scores
        As in `expected_loss`, of two classes.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
        Posteriors are used as delivered.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.

    Returns
    -------
    ScoreDecomposition
        With `miscalibration`, `discrimination` and `uncertainty`.

    See Also
    --------
    calibration_loss : with a cross-fitted calibrator, for any number of classes.
    reliability_curve : the map behind it.

    Examples
    --------
    Log odds that are twice too large: calibration would recover 30 % of the loss.

    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> p = data.posteriors([0.9, 0.1], stakes.simulation.Distortion(scale=2))
    >>> parts = stakes.decompose(stakes.LogLoss(), data.y, p)
    >>> round(parts.miscalibration / parts.value, 1)
    0.3
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    if len(samples.classes) != 2:
        msg = f"decompose needs two classes: got {len(samples.classes)}. Use calibration_loss."
        raise InputError(msg)
    pooled = cross_fitted(IsotonicCalibrator(mix=0), samples, TrainOnTest(), None, 0).scores
    raw, best = (expectation(rule, s).value for s in (samples, samples.with_scores(pooled)))
    uncertainty = rule.naive(samples.priors)
    return ScoreDecomposition(raw - best, uncertainty - best, uncertainty)


@answered
def risk_curve(  # noqa: PLR0913  the data, and how a calibrator is fitted
    y_true: Column,
    scores: Scores | Column,
    *,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    calibrator: Calibrator | None = None,
    folds: Folds = 5,
    groups: Column | None = None,
    rng: int | np.random.Generator = 0,
) -> RiskCurve:
    """Return the expected cost of Bayes decisions at every threshold, for two classes.

    EC(t) = P_1 t R_12(t) + P_2 (1 - t) R_21(t): H_2 is decided if its posterior is above t, a false
    alarm costs t and a miss costs 1 - t. Lower is better. The record has the actual cost, the
    minimum and the naive cost, and a view for the axes of each field.

    Parameters
    ----------
    y_true : column of N labels of two classes
    scores : array of P(classes[-1]) of shape (N,), posteriors of shape (N, 2), or typed scores
    priors : float, array of 2, mapping by class, or "data", optional
        How often each class will occur in deployment, both above 0; by default as often as in the
        data. Likelihood ratios are turned into posteriors at these priors; posteriors do not
        change, and priors only weight the classes.
    sample_weight : column of N weights, optional
    classes : sequence of 2 names, optional
        The class of interest comes last.
    calibrator : Calibrator, optional
        Adds a line for cross-fitted scores: what calibration recovers on samples it did not see;
        the minimum is optimistic. `AffineCalibrator()` is a good choice: its two numbers hardly
        overfit.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, default 5
        As in `cross_calibrate`.
    groups : column of N names, optional
        Samples of one group stay together: patients, speakers, merchants.
    rng : int or Generator, default 0
        Seed of the folds.

    Returns
    -------
    RiskCurve
        With a method for each view: `decision_curve`, `murphy`, `normalized_bayes_error`, ...

    See Also
    --------
    RiskDisplay : draws a view.
    bayes_cost : one threshold.

    Examples
    --------
    A clinic treats patients with a risk of 20 % or more. Is the score worth using there?

    >>> import stakes
    >>> y = [0, 0, 0, 0, 0, 0, 1, 1]
    >>> p = [0.02, 0.05, 0.1, 0.1, 0.15, 0.4, 0.3, 0.7]
    >>> curve = stakes.risk_curve(y, p)
    >>> view = curve.decision_curve([0.1, 0.2, 0.5], level=None)
    >>> view.actual.round(3), view.references["treat_all"].round(3)
    (array([0.222, 0.219, 0.125]), array([ 0.167,  0.062, -0.5  ]))
    >>> round(curve.at(0.2).normalized, 3)
    0.167

    Yes: at 20 % it beats treating all and treating none, and costs a sixth of the naive cost.
    """
    samples = read_samples(y_true, scores, priors, sample_weight, classes)
    read = read_calibrator(calibrator)
    if read is None:
        return RiskCurve.from_samples(samples)
    check_two(samples)
    fit = cross_fitted(read, samples, folds, groups, rng)
    return RiskCurve.from_samples(samples, samples.with_scores(fit.scores), fit.notes)
