"""Mean losses over questions whose naive loss differs, as each has its own number of options."""

from __future__ import annotations

__all__ = ["OptionAccuracy"]

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stakes._check import read_number
from stakes._math import quotient
from stakes._records import NumberRecord
from stakes._text import number
from stakes._typing import BoolArray, FloatArray, IntArray
from stakes.loss_rows import LossRows
from stakes.metrics.calibration_errors import CalibrationError, error_of_sums
from stakes.metrics.probability_bins import Bins, read_bins
from stakes.results import ExpectedLoss, Interval, json_number
from stakes.samples import Samples
from stakes.scores import Posteriors
from stakes.statistics import BinSums, LossSums

_GROUPED = "none for samples that come in groups"
_ALL = ("all questions",)  # which are one class: what differs is their number of options


@dataclass(frozen=True, eq=False)
class QuestionLosses:
    """The loss of each question, and that of the naive answer to it."""

    name: str
    losses: FloatArray
    naive: FloatArray
    naive_answer: str
    high: float  # the largest possible loss; the least is 0


def question_samples(
    n: int, weights: FloatArray | None, groups: IntArray | None, rows: IntArray | None
) -> Samples:
    """Return questions as samples of one class, without scores."""
    y = np.zeros(n, dtype=np.int64)
    return Samples.from_codes(
        y, Posteriors.trusted(np.empty(n)), weights, _ALL, np.ones(1), groups=groups, row=rows
    )


def mean_over_questions(each: QuestionLosses, samples: Samples) -> ExpectedLoss:
    """Return the mean loss beside that of the naive answers, with intervals by group."""

    def summed(loss: FloatArray) -> LossSums:
        return LossSums.from_losses(samples.y, loss, samples.weights, 1)

    sums, naive = summed(each.losses), summed(each.naive)
    infinite = np.flatnonzero(np.isinf(each.losses))
    bases = each.naive[:, None] if np.ptp(each.naive) > 0 and not infinite.size else None
    return ExpectedLoss(
        name=each.name,
        value=float(sums.mean[0]),
        naive=float(naive.mean[0]),
        naive_answer=each.naive_answer,
        classes=_ALL,
        priors=np.ones(1),
        priors_from_data=True,
        losses=_rows(each, samples, sums.mean, bases),
        naive_losses=naive.mean,
        infinite_rows=samples.rows(infinite),
        infinite_samples=int(infinite.size),
    )


def _rows(
    each: QuestionLosses, samples: Samples, mean: FloatArray, bases: FloatArray | None
) -> LossRows:
    """Return what questions lose; one that may occur is the easiest or the hardest one."""
    weight, one = samples.scaled_weights(), np.ones(len(samples))
    rows = LossRows(mean, samples.y, each.losses, weight, one, bases=bases, unit=samples.groups)
    seen = each.losses[np.isfinite(each.losses)].max(initial=0.0)
    high = each.high if math.isfinite(each.high) else max(seen, float(each.naive.max()))
    rows = rows.between(np.zeros(1), np.array([high]))
    usual = LossSums.from_losses(samples.y, each.naive, samples.weights, 1).mean
    return rows if bases is None else replace(rows, typical=usual)


@dataclass(frozen=True, eq=False)
class OptionAccuracy(NumberRecord):
    """The share of questions whose chosen option is right; higher is better.

    `naive` is the accuracy of random guessing, the mean of 1/K over questions. `skill` rescales the
    value: 0 for guessing, 1 if everything is right. `error_rate` is the same as an expected loss.

    Attributes
    ----------
    value : float
    naive : float
        Accuracy of random guessing.
    error_rate : ExpectedLoss
    tied : int
        Number of questions with several options of the highest score.

    See Also
    --------
    OptionScores : its method `accuracy` returns it.

    Examples
    --------
    >>> import stakes
    >>> scores = stakes.OptionScores([[0.7, 0.3], [0.6, 0.4], [0.9, 0.1]] * 20, [0, 0, 0] * 20)
    >>> scores.accuracy().skill_interval().low > 0  # better than guessing
    True
    """

    value: float
    naive: float
    error_rate: ExpectedLoss = field(repr=False)
    tied: int = 0  # questions of which several options share the highest score

    @property
    def skill(self) -> float:
        """The value minus the naive value, divided by its largest possible value."""
        return 1 - self.error_rate.normalized

    @property
    def standard_error(self) -> float:
        """Standard error of the value."""
        return self.error_rate.standard_error

    def interval(self, level: float = 0.95) -> Interval:
        """Return the likelihood interval.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return _mirrored(self.error_rate.interval(level))

    def skill_interval(self, level: float = 0.95) -> Interval:
        """Return the likelihood interval of the skill.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return _mirrored(self.error_rate.normalized_interval(level))

    def __str__(self) -> str:
        lines = [
            f"{'accuracy':<22} {number(self.value)}  (95 % interval {self.interval()})",
            f"{'  naive system':<22} {number(self.naive)}  (guesses at random)",
            f"{'  skill':<22} {number(self.skill)}  (95 % interval {self.skill_interval()})",
        ]
        if self.error_rate.no_interval:
            lines.append(f"{'  no interval':<22} {self.error_rate.no_interval}")
        if self.tied:
            lines.append(f"{'  tied':<22} {self.tied} question(s), whose first best option counts")
        return "\n".join(lines)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return {
            "value": self.value,
            "standard_error": json_number(self.standard_error),
            "interval": [json_number(end) for end in self.interval(level)],
            "naive": self.naive,
            "skill": self.skill,
            "skill_interval": [json_number(end) for end in self.skill_interval(level)],
            "tied": self.tied,
            "level": level,
        }


def _mirrored(band: Interval) -> Interval:
    return Interval(1 - band.high, 1 - band.low, band.level)


def share_of(flags: FloatArray, samples: Samples) -> float:
    """Return the weighted share of questions; the same bits in any order of them."""
    sums = LossSums.from_losses(samples.y, flags, samples.weights, 1)
    return float(quotient(sums.loss, sums.weight)[0])


def confidence_error(
    confidence: FloatArray, right: BoolArray, samples: Samples, bins: Bins, norm: float
) -> CalibrationError:
    """Return the calibration error of the confidence that answers are right."""
    order, weights = read_number(norm, "norm", 1, math.inf), samples.plain_weights()
    edges = read_bins(bins).edges(confidence, weights)
    sums = BinSums.from_probabilities(confidence, right.astype(np.int64), weights, edges)
    error = error_of_sums(sums, ("wrong", "right"), None, confidence=True, norm=order)
    return error if samples.groups is None else error.without_interval(_GROUPED)
