"""Posteriors of 0 and 1 as calibrators take them: a floor on the odds."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._math import log_softmax
from stakes._text import number
from stakes._typing import BoolArray, FloatArray
from stakes.samples import Samples
from stakes.scores import LogPosteriors, Posteriors, Scores

_HALF = math.log(2)
PLAIN = 104.0  # log odds of the smallest posterior in single precision, 2^-149, and a little more
USUAL = 60 * _HALF  # log odds beyond those that double precision shows next to 1
_GONE = 690.0  # log odds from which a posterior counts as 0: it is about 1e-300


@dataclass(frozen=True)
class Floor:
    """The largest log odds between two classes of a sample; larger ones count as this.

    A posterior of 0 counts as half the smallest odds that other scores show: 0 votes of 50 are
    somewhere below 1 of 50. Where all answers are certain there are no such odds, and 0 of n counts
    as half an event in n + 1. Labels and weights have no effect, so all folds share one floor.

    Probabilities below 1e-45 are more than single precision holds. From there to 1e-300 they have
    less and less effect on the floor, so it is continuous as a probability goes to 0. Log scores
    have no such end. Without zeros no score that is fitted is changed, and of others those alone
    whose odds are beyond 2^61 and beyond twice the largest that were fitted.
    """

    most: float = USUAL + _HALF

    @classmethod
    def from_scores(cls, *scores: Scores, n: int = 1, priors: FloatArray | None = None) -> Self:
        """Return the floor of scores of n samples; classes of prior 0 have no effect."""
        reached, beyond = zip(*(_reach(each, priors) for each in scores), strict=True)
        if not any(beyond):
            return cls(_HALF + max(*reached, USUAL))
        reach = max(reached)
        return cls(_HALF + reach if reach > 0 else math.log(2 * n + 1))

    @classmethod
    def from_samples(cls, samples: Samples, *more: Scores) -> Self:
        """Return the floor of the scores of samples, and of others of the same samples."""
        return cls.from_scores(samples.scores, *more, n=samples.n, priors=samples.priors)

    @property
    def active(self) -> bool:
        """Whether posteriors of 0 or 1 gave it odds that are not extreme."""
        return self.most < USUAL

    def samples(self, samples: Samples) -> Samples:
        """Return samples whose scores are within the floor."""
        scores = self(samples.scores, samples.priors)
        return samples if scores is samples.scores else samples.with_scores(scores)

    def __call__(self, scores: Scores, priors: FloatArray | None = None) -> Scores:
        """Return scores within the floor, the same object where all are.

        A class of prior 0 keeps its posterior of 0.
        """
        if _plainly(scores, self.most):
            return scores
        logs = _logs(scores)
        if logs.ndim == 1:
            return type(scores).trusted(np.clip(logs, -self.most, self.most), scores.names)
        least = logs.max(axis=1, keepdims=True) - self.most
        low = (logs < least) & _counted(logs, priors)
        rows = low.any(axis=1)
        if not rows.any():
            return scores
        inside = np.where(low, least, logs)
        if not isinstance(scores, Posteriors | LogPosteriors):
            return type(scores).trusted(inside, scores.names)
        inside[rows] = log_softmax(inside[rows])
        return LogPosteriors.trusted(inside, scores.names)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of it."""
        if not self.active:
            return ()
        odds = number(float(f"{math.exp(self.most):.3g}"))
        return (f"the calibrator takes posteriors of 0 and 1 as odds of {odds} to 1",)


def _plainly(scores: Scores, most: float) -> bool:
    """Return whether the smallest and the largest number tell that no odds are beyond a limit."""
    values = scores.values
    low, high = float(values.min(initial=np.inf)), float(values.max(initial=-np.inf))
    if isinstance(scores, Posteriors):
        low = min(low, 1 - high) if values.ndim == 1 else low
        return low >= math.exp(-min(most, PLAIN))
    if isinstance(scores, LogPosteriors):
        return values.ndim > 1 and low >= -most
    if values.ndim == 1:
        return -most <= low and high <= most
    return high - low <= most


def _reach(scores: Scores, priors: FloatArray | None) -> tuple[float, bool]:
    """Return the largest log odds that scores show, and whether there are others beyond."""
    if _plainly(scores, USUAL):
        return 0.0, False
    logs = _logs(scores)
    if logs.ndim == 1:
        far = np.abs(logs)
    else:
        far = np.where(_counted(logs, priors), logs.max(axis=1, keepdims=True) - logs, 0.0)
    finite = np.isfinite(far)
    known = np.where(finite, far, 0.0)
    if not isinstance(scores, Posteriors):
        return float(known.max()), not finite.all()
    fading = PLAIN * (_GONE - known) / (_GONE - PLAIN)
    return float(np.minimum(known, fading).max()), bool((far > PLAIN).any())


def _counted(logs: FloatArray, priors: FloatArray | None) -> BoolArray:
    """Return which classes may have a posterior above 0."""
    return np.ones(logs.shape[1], np.bool_) if priors is None else priors > 0


def _logs(scores: Scores) -> FloatArray:
    """Return scores as logs: log odds, or a number for each class up to one of the row."""
    if isinstance(scores, Posteriors | LogPosteriors):
        return np.asarray(scores.answers(None).log_p)
    return scores.values
