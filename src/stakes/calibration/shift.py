"""Priors of use, estimated from scores or decisions without labels."""

from __future__ import annotations

__all__ = ["PriorEstimate", "estimate_priors", "estimate_priors_from_decisions"]

import warnings
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from stakes._check import (
    MOST_RESAMPLES,
    InputError,
    UndefinedMetricError,
    encode,
    read_column,
    read_count,
    read_level,
    read_priors,
)
from stakes._counting import bincount
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._text import number, plain, quoted
from stakes._typing import Column, FloatArray, Label, Names, NamesLike, PriorsLike
from stakes.calibration.calibrators import require_every_class
from stakes.calibration.crossfit import HeldOut, read_held_out
from stakes.calibration.mixture import information_errors, most_likely_priors, priors_by_rates
from stakes.calibration.prior_check import PriorCheck, check_priors, disagreement
from stakes.metrics import ConfusionMatrix
from stakes.results import Interval
from stakes.scores import Scores, as_scores, class_names


@dataclass(frozen=True, eq=False)
class PriorEstimate(Record):
    """Estimated priors with their standard errors.

    `check` compares them with the decisions made on labelled samples, if these were given.

    Attributes
    ----------
    classes : tuple of names
    priors : array of K
        The estimates.
    standard_errors : array of K
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
    standard_errors: FloatArray
    method: str
    check: PriorCheck | None = None

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know before using the estimate."""
        notes = []
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
        z = NormalDist().inv_cdf((1 + read_level(level)) / 2)
        if name not in self.classes:
            rule = f"must be one of the classes {quoted(self.classes)}"
            raise InputError("name", rule, repr(name))
        i = self.classes.index(name)
        p, half = float(self.priors[i]), z * float(self.standard_errors[i])
        return Interval(max(p - half, 0.0), min(p + half, 1.0), level)

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

    The posteriors must be calibrated at the training priors, and only the priors may have changed:
    with overconfident or underconfident scores, intervals may hardly ever cover the truth. If you
    pass labelled samples of the same system, the estimate is compared with the decisions made on
    them, and a warning says if the two differ significantly.
    `scores.at_priors(training_priors, estimate.priors)` then adapts the posteriors.

    Parameters
    ----------
    scores : array of posteriors, or typed scores
        Scores of samples without labels.
    training_priors : float, array of K, mapping by class, or "data"
        The priors that the posteriors are for; "data" for those of the labelled samples.
    classes : sequence of K names, optional
    labelled : HeldOut(y_true, scores), optional
        Labelled scores of the same system and kind, from before the priors changed.

    Returns
    -------
    PriorEstimate
        With `priors`, `standard_errors` and `interval`.

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
    ratio = typed.ordered(names).answers(trained).p / trained
    p = most_likely_priors(ratio, trained)
    check = None
    if known is not None:
        their_ratio = known.scores.answers(trained).p / trained
        check = check_priors(ratio, p, known, their_ratio)
    found = PriorEstimate(names, p, information_errors(ratio, p), "EM on posteriors", check)
    if check is not None and check.disagrees:
        warnings.warn(disagreement(names, p, check), UserWarning, stacklevel=3)
    return found


@answered
def estimate_priors_from_decisions(
    confusion: ConfusionMatrix,
    y_pred: Column,
    *,
    resamples: int = 500,
    rng: int | np.random.Generator = 0,
) -> PriorEstimate:
    """Estimate the priors of unlabelled data from decisions and known error rates.

    `confusion` gives the rates R_ij on labelled data. They are assumed to hold for the new data,
    whose decision rates are then sum_i P_i R_ij. Standard errors come from resampling both sets of
    counts.

    Parameters
    ----------
    confusion : ConfusionMatrix
        Decisions on labelled samples.
    y_pred : column of decisions
        Decisions of the same system on samples without labels.
    resamples : int, default 500
        Number of resamples for the standard errors.
    rng : int or Generator, default 0
        Seed of the resamples.

    Returns
    -------
    PriorEstimate
        With `priors`, `standard_errors` and `interval`.

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
    read_count(resamples, "resamples", 2, MOST_RESAMPLES)
    if np.linalg.matrix_rank(rates) < rates.shape[0]:
        rule = "must tell the classes apart"
        raise UndefinedMetricError("confusion", rule, found="two of them get the same decisions")
    unknown = (counts > 0) & ~rates.any(axis=0)
    if unknown.any():
        name = quoted([confusion.decisions[int(unknown.argmax())]])
        rule = "must hold decisions that confusion shows"
        raise UndefinedMetricError("y_pred", rule, found=f"it has no sample decided as {name}")
    draw = np.random.default_rng(rng)
    sizes = np.maximum(np.round(confusion.size), 1).astype(int)
    again = []
    for _ in range(resamples):
        r = np.array([draw.multinomial(n, row) / n for n, row in zip(sizes, rates, strict=True)])
        share = draw.multinomial(decided.size, counts / decided.size) / decided.size
        again.append(priors_by_rates(r, share))
    errors = np.nanstd(again, axis=0)
    priors = priors_by_rates(rates, counts / decided.size)
    return PriorEstimate(confusion.classes, priors, errors, "decision rates")
