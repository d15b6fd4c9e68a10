"""Priors of use, estimated from scores or decisions without labels."""

from __future__ import annotations

__all__ = ["PriorEstimate", "estimate_priors", "estimate_priors_from_decisions"]

import warnings
from dataclasses import dataclass, field

import numpy as np

from stakes._check import (
    InputError,
    UndefinedMetricError,
    encode,
    read_column,
    read_level,
    read_priors,
)
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number, plain, quoted
from stakes._typing import Column, FloatArray, Label, Names, NamesLike, PriorsLike
from stakes.calibration.affine_calibrator import AffineCalibrator
from stakes.calibration.calibrators import require_every_class
from stakes.calibration.crossfit import HeldOut, read_held_out
from stakes.calibration.floor import Floor
from stakes.calibration.maps import AffineMap
from stakes.calibration.mixture import most_likely_priors
from stakes.calibration.prior_check import PriorCheck, check_priors, disagreement
from stakes.calibration.prior_intervals import Calibrated, Decided, Known, Mixture
from stakes.inference.cells import TRACE
from stakes.metrics import ConfusionMatrix
from stakes.results import Interval
from stakes.samples import Samples
from stakes.scores import Scores, as_scores, class_names

_SEPARABLE = "the scores separate the labelled samples, so these cannot calibrate them"


@dataclass(frozen=True, eq=False)
class PriorEstimate(Record):
    """Estimated priors with their intervals.

    `check` compares them with the decisions made on labelled samples, if these were given.

    Attributes
    ----------
    classes : tuple of names
    priors : array of K
        The estimates.
    method : str
        How they were estimated.
    check : PriorCheck or None
        Whether labelled samples agree that only the priors changed.

    See Also
    --------
    estimate_priors, estimate_priors_from_decisions : return it.

    Examples
    --------
    >>> import stakes
    >>> known = stakes.ConfusionMatrix.from_counts([[90, 10], [20, 80]])
    >>> found = stakes.estimate_priors_from_decisions(known, [0] * 70 + [1] * 30)
    >>> 0.5 in found.interval(1)  # the classes are no longer balanced: adapt the posteriors
    False
    """

    classes: Names
    priors: FloatArray
    method: str
    check: PriorCheck | None = None
    _mixture: Mixture | None = field(default=None, repr=False)
    _assumed: str = field(default="", repr=False)
    _known: dict[tuple[int, float], Interval] = field(default_factory=dict, repr=False)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know before using the estimate."""
        notes = [self._assumed] if self._assumed else []
        if self.check is not None and self.check.disagrees:
            notes.append(disagreement(self.classes, self.priors, self.check))
        if len(self.classes) > 1 and all(tuple(self.interval(c)) == (0, 1) for c in self.classes):
            notes.append("the scores say too little about the classes: any priors are possible")
        return tuple(notes)

    def interval(self, name: Label, level: float = 0.95) -> Interval:
        """Return the confidence interval of one class's prior, within 0 and 1.

        Parameters
        ----------
        name : label
            Name of the class.
        level : float, default 0.95
            Confidence level of the interval.
        """
        level = read_level(level)
        if name not in self.classes:
            rule = f"must be one of the classes {quoted(self.classes)}"
            raise InputError("name", rule, repr(name))
        i = self.classes.index(name)
        if (i, level) not in self._known:
            low, high = (0.0, 1.0) if self._mixture is None else self._mixture.interval(i, level)
            value = float(self.priors[i])
            self._known[i, level] = Interval(min(low, value), max(high, value), level)
        return self._known[i, level]

    def __str__(self) -> str:
        lines = [
            f"{plain(c)}  {number(p)}  (95 % interval {self.interval(c)})"
            for c, p in zip(self.classes, self.priors, strict=True)
        ]
        return "\n".join([*lines, *(f"Warning: {note}" for note in self.notes)])


@answered
def estimate_priors(
    scores: Scores | Column,
    training_priors: PriorsLike,
    *,
    classes: NamesLike | None = None,
    labelled: HeldOut | None = None,
) -> PriorEstimate:
    """Estimate the priors of unlabelled data from posteriors, by maximum likelihood.

    Only the priors may have changed. If you pass labelled samples of the same system, the scores
    are calibrated on them with one scale and a bias for each class, the interval includes the error
    of that fit, and a warning says if decisions on these samples disagree with the estimate.
    Without them the posteriors must be calibrated at the training priors: with overconfident or
    underconfident scores, intervals may hardly ever cover the truth.
    `scores.at_priors(training_priors, estimate.priors)` then adapts the posteriors.

    Parameters
    ----------
    scores : array of posteriors, or typed scores
        Scores of samples without labels.
    training_priors : float, array of K, mapping by class, or "data"
        The priors that the posteriors are for; "data" for those of the labelled samples.
    classes : sequence of K names, optional
    labelled : HeldOut(y_true, scores), optional
        Labelled scores of the same system and kind, from before the priors changed: those that a
        calibrator was fitted on, or others.

    Returns
    -------
    PriorEstimate
        With `priors` and `interval`.

    See Also
    --------
    estimate_priors_from_decisions : from decisions alone.
    evaluate : takes deployment priors.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=4000, priors=[0.8, 0.2])
    >>> stale = data.posteriors([0.5, 0.5])
    >>> before = stakes.simulation.simulate(2, n=2000, priors=[0.5, 0.5], rng=1)
    >>> labelled = stakes.HeldOut(before.y, before.posteriors([0.5, 0.5]))
    >>> found = stakes.estimate_priors(stale, [0.5, 0.5], labelled=labelled)
    >>> 0.2 in found.interval(1), round(float(found.priors[1]), 1), found.check.disagrees
    (True, 0.2, False)
    """
    typed = as_scores(scores)
    names = class_names(typed, classes) or tuple(range(typed.n_classes))
    known = None
    if labelled is not None:
        at = "data" if isinstance(training_priors, str) else training_priors
        known = read_held_out(labelled, at, names)
        require_every_class(known)
        if known.scores.meaning != typed.meaning:
            rule = f"must hold scores of the same kind, {typed.meaning}"
            hint = "Pass scores of the same system."
            raise InputError("labelled", rule, type(known.scores).__name__, hint=hint)
    trained = read_priors(training_priors, names)
    if trained is None and known is not None:
        trained = known.data_priors()
    if trained is None or not trained.all():
        raise InputError("training_priors", "must be numbers above 0", repr(training_priors))
    typed = typed.ordered(names)
    fit = None if known is None else _calibrated(typed, known, trained)
    likelihoods = fit or Known(typed.answers(trained).p / trained)
    ratio = likelihoods.at(likelihoods.counts)
    p = most_likely_priors(ratio, trained)
    method, assumed = "maximum likelihood", ""
    if fit is not None:
        method += ", scores calibrated on labelled samples"
    elif known is not None:
        assumed = f"{_SEPARABLE}: scores and intervals are those of calibrated scores"
    check = None
    if known is not None:
        theirs = known.scores.answers(trained).p / trained if fit is None else fit.of_labelled()
        check = check_priors(ratio, p, known, theirs, fit)
    fewer, counts = likelihoods.cells()
    mixture = Mixture(fewer, counts, p)
    found = PriorEstimate(names, p, method, check, mixture, assumed)
    if check is not None and check.disagrees:
        warnings.warn(disagreement(names, p, check), UserWarning, stacklevel=3)
    return found


def _calibrated(scores: Scores, known: Samples, priors: FloatArray) -> Calibrated | None:
    """Return likelihoods that are calibrated on labelled samples; None where that has no end."""
    floor = Floor.from_scores(scores, known.scores, n=known.n, priors=priors)
    new, labelled = (
        floor(s, priors).answers(priors).log_p - np.log(priors) for s in (scores, known.scores)
    )
    w = np.ones(len(known)) if known.weights is None else known.weights / known.weights.mean()
    try:
        fitted = AffineCalibrator().learn(labelled, known.y, w / w.sum())
    except UndefinedMetricError:
        return None
    if not isinstance(fitted, AffineMap) or fitted.separable:
        return None
    return Calibrated(new, labelled, known.y, w, np.concatenate([fitted.scale[:1], fitted.bias]))


@answered
def estimate_priors_from_decisions(confusion: ConfusionMatrix, y_pred: Column) -> PriorEstimate:
    """Estimate the priors of unlabelled data from decisions and known error rates.

    `confusion` gives the rates R_ij on labelled data. They are assumed to hold for the new data,
    whose decision rates are then sum_i P_i R_ij. The priors are those most likely for these; the
    intervals include that the rates are known from few samples.

    Parameters
    ----------
    confusion : ConfusionMatrix
        Decisions on labelled samples.
    y_pred : column of decisions
        Decisions of the same system on samples without labels.

    Returns
    -------
    PriorEstimate
        With `priors` and `interval`.

    See Also
    --------
    estimate_priors : from posteriors, which is more precise.

    Examples
    --------
    Three in ten new cases raise an alarm. With 10 % false alarms and 80 % sensitivity, two in seven
    are ill:

    >>> import stakes
    >>> known = stakes.ConfusionMatrix.from_counts([[90, 10], [20, 80]])
    >>> stakes.estimate_priors_from_decisions(known, [0] * 70 + [1] * 30).priors.round(2)
    array([0.71, 0.29])
    """
    rates = confusion.rates
    if np.isnan(rates).any():
        bare = quoted([confusion.classes[int(np.isnan(rates).any(axis=1).argmax())]])
        rule = "must hold samples of every class"
        raise UndefinedMetricError("confusion", rule, found=f"class {bare} has none")
    decided = encode(read_column(y_pred, "y_pred"), confusion.decisions, "decisions")
    counts = bincount(decided, minlength=len(confusion.decisions))
    if np.linalg.matrix_rank(rates) < rates.shape[0]:
        rule = "must tell the classes apart"
        raise UndefinedMetricError("confusion", rule, found="two of them get the same decisions")
    unknown = (counts > 0) & ~rates.any(axis=0)
    if unknown.any():
        name = quoted([confusion.decisions[int(unknown.argmax())]])
        rule = "must hold decisions that confusion shows"
        raise UndefinedMetricError("y_pred", rule, found=f"it has no sample decided as {name}")
    labelled, kinds = rates * confusion.size[:, None], len(confusion.decisions)
    stratum, decision = np.divmod(np.arange(rates.size), kinds)
    seen, shown = (np.maximum(n, TRACE, dtype=np.float64) for n in (labelled.ravel(), counts))
    likelihoods = Decided(np.arange(kinds), decision, stratum, seen)
    start = np.full(len(rates), 1 / len(rates))
    priors = most_likely_priors(likelihoods.at(seen), start, shown)
    mixture = Mixture(likelihoods, shown, priors)
    return PriorEstimate(confusion.classes, priors, "decision rates", None, mixture)
