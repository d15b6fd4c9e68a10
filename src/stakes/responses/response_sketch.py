"""Responses in little memory: weights of right and wrong answers at each confidence, for a page."""

from dataclasses import dataclass

import numpy as np

from stakes._check import UNKNOWN
from stakes._math import sum_by
from stakes._typing import FloatArray
from stakes.costs.cost_tables import TIE
from stakes.responses.abstention_rules import CalibratedConfidence
from stakes.responses.response_samples import Responses
from stakes.scores import Posteriors

MOST_LEVELS = 4000
CELLS = 10_000  # of a grid, so that every target of 0.01 % steps falls between two cells


@dataclass(frozen=True, eq=False)
class ConfidenceLevels:
    """Weight of wrong and of right answers at each confidence, in rising order.

    Of a grid a level is the lower end of its cell: what reaches a target on the grid is exact.
    """

    level: FloatArray
    wrong: FloatArray
    right: FloatArray
    exact: bool


@dataclass(frozen=True, eq=False)
class ResponseSketch:
    """What a page needs of responses to say what each rule gives at any target."""

    right: float  # weight of right answers that were given; likewise the others
    wrong: float
    abstained: float
    always_wrong: float  # if it had always answered
    unknown: float  # abstentions of which nobody knows whether the answer held back is right
    stated: ConfidenceLevels | None
    fitted: FloatArray | None  # the calibrated chance at each stated level
    calibrated: ConfidenceLevels | None  # by calibrators that did not see the response

    @property
    def always(self) -> tuple[float, float]:
        """The shares of right and wrong answers if it had always answered, unknown ones right."""
        total = self.right + self.wrong + self.abstained
        return (total - self.always_wrong) / total, self.always_wrong / total


def response_sketch(responses: Responses, fitted: CalibratedConfidence) -> ResponseSketch:
    """Return the sketch of responses; its size does not grow with them."""
    weights = _weights(responses)
    silent, truth = responses.abstained, responses.right
    kinds = (responses.is_right, responses.is_wrong, silent, truth == 0, truth == UNKNOWN)
    given_right, given_wrong, abstained, wrong, unknown = (_sum(weights[kind]) for kind in kinds)
    stated = chances = calibrated = None
    if responses.open.any() and responses.confidence is not None:
        stated = _levels(responses, responses.confidence, weights)
        if fitted.calibrator is not None:
            calibrated = _levels(responses, fitted.values, weights)
            log_p = fitted.calibrator.transform(Posteriors(stated.level)).values
            chances = np.exp(log_p[:, 1])
    return ResponseSketch(
        given_right, given_wrong, abstained, wrong, unknown, stated, chances, calibrated
    )


def _weights(responses: Responses) -> FloatArray:
    """Return how much each response counts, at most 1."""
    if responses.weights is None:
        return np.ones(len(responses))
    return np.ldexp(responses.weights, -int(np.frexp(responses.weights.max())[1]))


def _sum(weights: FloatArray) -> float:
    return float(sum_by(np.zeros(weights.size, dtype=np.int64), weights, 1)[0])


def _levels(responses: Responses, p: FloatArray, weights: FloatArray) -> ConfidenceLevels:
    kept = responses.open
    p, right, w = p[kept], responses.right[kept] == 1, weights[kept]
    level, place = np.unique(p, return_inverse=True)
    exact = level.size <= MOST_LEVELS
    if not exact:
        ends = np.arange(CELLS + 1) / CELLS
        # a confidence that is the target but for rounding is answered, so it is in the cell above
        cell = np.searchsorted(ends - TIE, p, side="right") - 1
        cells, place = np.unique(cell, return_inverse=True)
        level = ends[cells]
    sums = [sum_by(place, np.where(kind, w, 0.0), level.size) for kind in (~right, right)]
    return ConfidenceLevels(level, sums[0], sums[1], exact)
