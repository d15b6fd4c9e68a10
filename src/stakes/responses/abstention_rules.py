"""Rules that say when to answer: the system's own, and thresholds on its confidence."""

from __future__ import annotations

__all__ = ["AbstentionRule"]

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stakes._check import InputError, UndefinedMetricError, listed
from stakes._records import Record
from stakes._text import percent
from stakes._typing import BoolArray, FloatArray
from stakes.calibration import Calibrator
from stakes.calibration.crossfit import Folds, HeldOut, TrainOnTest, cross_fitted
from stakes.costs.confidence_target import TRUTHS, ConfidenceTarget
from stakes.evaluation.findings import plain_values
from stakes.metrics.paired import PairedDifference, paired_difference
from stakes.responses.response_measures import ResponseMeasures
from stakes.responses.response_samples import Responses
from stakes.results import Estimate, Interval
from stakes.samples import Samples
from stakes.scores import Posteriors

OWN, STATED, CALIBRATED = "own", "stated", "calibrated"
RULES = {
    OWN: "its own abstentions",
    STATED: "answers where it states the target or more",
    CALIBRATED: "answers where its calibrated confidence is the target or more",
}


@dataclass(frozen=True, eq=False)
class AbstentionRule(Record):
    """A rule for when to answer: its utility, share answered, and gain over the system's own.

    `threshold` is the least stated confidence that is answered; None if there is no such number,
    infinity if nothing is answered.

    Attributes
    ----------
    name : str
    utility : Estimate
    answered : Estimate
        Share of the questions that are answered.
    answered_accuracy : Estimate
        Share of right answers among the answers.
    gain : Estimate or None
        Gain in utility over the system's own abstentions.
    p_value : float
        P-value for no gain or loss.
    threshold : float or None
    paired : PairedDifference or None
        Paired difference of costs.

    See Also
    --------
    evaluate_responses : returns it for each rule.

    Examples
    --------
    >>> import stakes
    >>> said = stakes.Responses([True, True, False] * 40, [0.9, 0.9, 0.3] * 40)
    >>> rule = stakes.evaluate_responses(said, 0.75).rule["stated"]
    >>> rule.answered.value < 1, rule.gain.interval.low > 0
    (True, True)

    It pays to abstain if the stated confidence is below the target.
    """

    name: str
    utility: Estimate
    answered: Estimate
    answered_accuracy: Estimate
    gain: Estimate | None = None  # of utility, over the system's own abstentions
    p_value: float = math.nan  # of no gain and no loss
    threshold: float | None = None
    paired: PairedDifference | None = field(default=None, repr=False)  # of costs

    def __str__(self) -> str:
        share = f"answers {percent(self.answered.value)} %"
        return f"{RULES[self.name]}: {share}, utility {self.utility}"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        values = plain_values(self)
        del values["paired"]
        return values


@dataclass(frozen=True, eq=False)
class CalibratedConfidence:
    """The confidence of each response after a calibrator that did not see it; NaN elsewhere."""

    values: FloatArray
    calibrator: Calibrator | None  # fitted to all
    why: str = ""  # there is none

    def threshold(self, responses: Responses, target: ConfidenceTarget) -> float | None:
        """Return the least stated confidence that reaches the target, as do all above it."""
        if self.calibrator is None or responses.confidence is None:
            return None
        levels = np.unique(responses.confidence[responses.open])
        log_p = self.calibrator.transform(Posteriors(levels)).values
        answered = target.answers(np.exp(log_p[:, 1]))
        if not answered[-1]:
            return math.inf
        below = np.flatnonzero(~answered)
        return float(levels[below[-1] + 1] if below.size else levels[0])


def calibrate_confidence(
    responses: Responses, calibrator: Calibrator | None, folds: Folds, seed: int
) -> CalibratedConfidence:
    """Return confidences by calibrators that were fitted to other responses, groups kept whole."""
    values = np.full(len(responses), np.nan)
    why = no_calibration(responses) or ("" if calibrator is not None else "no calibrator was given")
    if why or calibrator is None:
        return CalibratedConfidence(values, None, why)
    samples, folds = open_samples(responses), open_folds(responses, folds)
    try:
        found = cross_fitted(calibrator, samples, folds, samples.groups, seed).scores.values
        fitted = calibrator.fresh().fit_samples(samples)
    except UndefinedMetricError as error:
        return CalibratedConfidence(values, None, str(error).rstrip("."))
    values[responses.open] = np.exp(found[:, 1])
    return CalibratedConfidence(values, fitted)


def open_folds(responses: Responses, folds: Folds) -> Folds:
    """Return folds of the responses that can be calibrated; a column has one for each as given."""
    if isinstance(folds, int | np.integer | TrainOnTest | HeldOut) or hasattr(folds, "split"):
        return folds
    column = np.asarray(listed(folds, "folds"))  # type: ignore[arg-type]  # none of the others
    if column.size != responses.n_given:
        rule = "must hold one value per response"
        got = f"{column.size} for {responses.n_given} responses"
        raise InputError("folds", rule, got)
    kept = column if responses.row is None else column[responses.row]
    return kept[responses.open]


def no_calibration(responses: Responses) -> str:
    """Return why confidences cannot be calibrated; empty where they can."""
    if responses.confidence is None:
        return "no confidence was stated"
    kinds = set(responses.right[responses.open].tolist())
    if kinds != {0, 1}:
        which = "right" if kinds == {1} else "wrong"
        return f"every answer is {which}" if kinds else "no answer has a confidence"
    return ""


def open_samples(responses: Responses) -> Samples:
    """Return responses whose truth and confidence are known, as samples of wrong and right."""
    kept = np.flatnonzero(responses.open)
    part = responses.part(kept)
    assert part.confidence is not None  # noqa: S101  it is known
    y, codes = part.right.astype(np.int64), part.groups
    if codes is not None:
        codes = np.unique(codes, return_inverse=True)[1]
    return Samples.from_codes(
        y, Posteriors(part.confidence), part.weights, TRUTHS, None, groups=codes
    )


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules for some responses, at any target."""

    responses: Responses
    calibrated: CalibratedConfidence
    level: float

    def answers(self, name: str, target: ConfidenceTarget) -> BoolArray | None:
        """Return what a rule answers; None where it has nothing to go by."""
        if name == OWN:
            return ~self.responses.abstained
        known = self.responses.open
        p = self.responses.confidence if name == STATED else self.calibrated.values
        if p is None or (name == CALIBRATED and self.calibrated.calibrator is None):
            return None
        answered = np.zeros(len(self.responses), dtype=np.bool_)
        answered[known] = target.answers(p[known])
        return answered

    def measures(self, name: str, target: ConfidenceTarget) -> ResponseMeasures | None:
        """Return the numbers that a rule would have."""
        answers = self.answers(name, target)
        return None if answers is None else ResponseMeasures(self.responses, answers, self.level)

    def at(self, target: ConfidenceTarget) -> Iterator[AbstentionRule]:
        """Yield the rules that there are, the system's own first."""
        own = self.measures(OWN, target)
        assert own is not None  # noqa: S101  it has answered or not
        for name in RULES:
            found = own if name == OWN else self.measures(name, target)
            if found is None:
                continue
            paired = None if name == OWN else paired_costs(own, found, target)
            yield AbstentionRule(
                name,
                found.utility(target),
                found.answered(),
                found.answered_accuracy(),
                None if paired is None else gain_of(paired, target, self.level),
                math.nan if paired is None else paired.p_value,
                self._threshold(name, target),
                paired,
            )

    def _threshold(self, name: str, target: ConfidenceTarget) -> float | None:
        if name == STATED:
            return target.t
        return None if name == OWN else self.calibrated.threshold(self.responses, target)


def paired_costs(
    own: ResponseMeasures,
    other: ResponseMeasures,
    target: ConfidenceTarget,
    *,
    systems: bool = False,  # two that answer by themselves, not two rules for one's answers
) -> PairedDifference:
    """Return the cost of the first responses less that of others to the same questions."""
    n = len(own.responses)
    largest = np.ones(n) if systems else np.full(n, max(target.t, 1 - target.t))
    return paired_difference(
        np.zeros(n, dtype=np.int64), own.costs(target), other.costs(target), n_classes=1,
        weights=own.responses.weights, unit=own.responses.groups, largest=largest,
    )  # fmt: skip


def gain_of(costs: PairedDifference, target: ConfidenceTarget, level: float) -> Estimate:
    """Return a difference of costs as one of utilities."""
    found, price = costs.estimate(level), target.abstention
    band = found.interval
    if band is not None:
        band = Interval(band.low / price, band.high / price, band.level)
    return Estimate(found.value / price, band, found.method)
