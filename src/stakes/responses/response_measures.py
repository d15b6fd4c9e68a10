"""What responses are worth at a confidence target: points, cost, and shares of outcomes."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property

import numpy as np

from stakes._check import UNKNOWN
from stakes._counting import bincount
from stakes._math import sum_by
from stakes._typing import BoolArray, FloatArray
from stakes.costs.confidence_target import CHOICES, TRUTHS, ConfidenceTarget
from stakes.loss_rows import LossRows
from stakes.metrics import ConfusionMatrix
from stakes.responses.bounded_means import bounded_mean
from stakes.responses.response_samples import Responses
from stakes.results import Estimate, ExpectedLoss, Interval, normalized_of, value_of

ABSTAINED, WRONG, RIGHT = 0, 1, 2


@dataclass(frozen=True, eq=False)
class ResponseMeasures:
    """The numbers of responses, those of the system or those that a rule would give.

    `answers` says which questions are answered; the truth of these is known.
    """

    responses: Responses
    answers: BoolArray
    level: float

    @cached_property
    def outcome(self) -> "np.ndarray":
        """What each response is: no answer, a wrong one, a right one."""
        return np.where(self.answers, self.responses.right.astype(np.int64) + WRONG, ABSTAINED)

    @cached_property
    def totals(self) -> tuple[Fraction, Fraction, Fraction]:
        """The weight of each outcome."""
        weights = self.responses.weights
        if weights is None:
            sums = bincount(self.outcome, minlength=3).tolist()
        else:
            scaled = np.ldexp(weights, -int(np.frexp(weights.max())[1]))
            sums = sum_by(self.outcome, scaled, 3).tolist()
        abstained, wrong, right = (Fraction(total) for total in sums)
        return abstained, wrong, right

    def costs(self, target: ConfidenceTarget) -> FloatArray:
        """Return what each response costs."""
        return np.array([target.abstention, 1.0, 0.0])[self.outcome]

    def cost(self, target: ConfidenceTarget) -> ExpectedLoss:
        """Return the expected cost; whether held-back answers are right plays no part."""
        abstained, wrong, _ = self.totals
        all_ = sum(self.totals)
        exact = float((wrong + (1 - Fraction(target.t)) * abstained) / all_)
        shares, unit = self.responses.shares, self.responses.groups
        record = bounded_mean("expected cost", self.costs(target), shares, (0.0, 1.0), unit)
        return replace(record, value=exact)

    def utility(self, target: ConfidenceTarget) -> Estimate:
        """Return the mean points."""
        t = Fraction(target.t)
        _, wrong, right = self.totals
        value = float((right - t / (1 - t) * wrong) / sum(self.totals))
        return turned(value_of(self.cost(target), self.level), target, value)

    def normalized(self, target: ConfidenceTarget) -> tuple[ExpectedLoss, Estimate]:
        """Return the cost over the better one of always and never answering.

        Where nobody knows whether a held-back answer is right, it is taken to be: always
        answering then costs least, and the normalised cost is the largest that it can be. The
        lower end of the interval is that for the opposite case.
        """
        record = self._beside_constants(target, held_back=1)
        found = normalized_of(record, self.level)
        unknown = self.responses.unknown
        if record.undefined is not None:
            known = "" if not unknown else ", if every answer held back is right"
            why = f"always answering costs nothing{known}, so there is no cost to divide by"
            return record, Estimate(found.value, None, why)
        if not unknown or found.interval is None:
            return record, found
        other = normalized_of(self._beside_constants(target, held_back=0), self.level)
        low = found.interval.low if other.interval is None else other.interval.low
        band = Interval(min(low, found.interval.low), found.interval.high, self.level)
        if other.value == found.value:
            return record, replace(found, interval=band)
        why = f"largest possible: of {unknown} abstentions the truth is not known"
        return record, Estimate(found.value, band, why)

    def _beside_constants(self, target: ConfidenceTarget, held_back: int) -> ExpectedLoss:
        right, weights = self.responses.right, self.responses.weights
        y = np.where(right == UNKNOWN, held_back, right).astype(np.int64)
        decided = np.where(self.answers, 0, 1)
        costs = target.costs()
        record = ConfusionMatrix.from_codes(y, decided, weights, TRUTHS, CHOICES).expected_cost(
            costs
        )
        shares = self.responses.shares
        weight, one = shares / shares.max(), np.ones(y.size)
        loss, unit = costs.at(y, decided), self.responses.groups
        rows = LossRows(record.losses.mean, y, loss, weight, one, unit=unit)
        value = self.cost(target).value
        return replace(record, value=value, losses=rows.between(*costs.ranges()))

    def answered(self) -> Estimate:
        """Return which share of the questions is answered."""
        return self._share((WRONG, RIGHT), (ABSTAINED, WRONG, RIGHT))

    def right(self) -> Estimate:
        """Return which share of the questions is answered rightly."""
        return self._share((RIGHT,), (ABSTAINED, WRONG, RIGHT))

    def answered_accuracy(self) -> Estimate:
        """Return which share of the answers is right."""
        return self._share((RIGHT,), (WRONG, RIGHT), "no question was answered")

    def hallucination_rate(self) -> Estimate:
        """Return how often the response is a wrong answer where it is not a right one."""
        return self._share((WRONG,), (ABSTAINED, WRONG), "every question was answered rightly")

    def _share(self, hits: tuple[int, ...], members: tuple[int, ...], why: str = "") -> Estimate:
        """Return how often outcomes are some among others."""
        above, below = (sum(self.totals[k] for k in kinds) for kinds in (hits, members))
        if not below:
            return Estimate(float("nan"), None, why)
        hit, member = (np.isin(self.outcome, kinds) for kinds in (hits, members))
        shares, unit = self.responses.shares, self.responses.groups
        mine = None if unit is None else unit[member]
        rate = bounded_mean(
            "share", hit[member].astype(np.float64), shares[member], (0.0, 1.0), mine
        )
        return replace(value_of(rate, self.level), value=float(above / below))

    def all_of(self, target: ConfidenceTarget) -> dict[str, Estimate]:
        """Return every number by name."""
        index = self.utility(ConfidenceTarget(0.5))
        return {
            "utility": self.utility(target),
            "cost.value": value_of(self.cost(target), self.level),
            "cost.nec": self.normalized(target)[1],
            "answered": self.answered(),
            "right": self.right(),
            "answered_accuracy": self.answered_accuracy(),
            "hallucination_rate": self.hallucination_rate(),
            "omniscience_index": _times(index, 100),
        }


NAMES: Mapping[str, str] = {
    "utility": "utility (points per question)",
    "cost.value": "cost per question",
    "cost.nec": "normalised cost",
    "answered": "questions answered",
    "right": "questions answered rightly",
    "answered_accuracy": "accuracy of its answers",
    "hallucination_rate": "hallucination rate",
    "omniscience_index": "Omniscience index",
}


def turned(cost: Estimate, target: ConfidenceTarget, value: float) -> Estimate:
    """Return the utility that mirrors a cost."""
    band = cost.interval
    if band is not None:
        band = Interval(target.utility(band.high), target.utility(band.low), band.level)
    return Estimate(value, band, cost.method)


def _times(found: Estimate, factor: float) -> Estimate:
    band = found.interval
    if band is not None:
        band = Interval(factor * band.low, factor * band.high, band.level)
    return Estimate(factor * found.value, band, found.method)


def own_measures(responses: Responses, level: float) -> ResponseMeasures:
    """Return the numbers of the responses as they are."""
    return ResponseMeasures(responses, ~responses.abstained, level)
