"""Posteriors of 0 and 1 as calibrators take them: a floor on the odds."""

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from stakes._math import log_softmax
from stakes._text import number
from stakes._typing import FloatArray
from stakes.samples import Samples
from stakes.scores import LogPosteriors, Posteriors, Scores

_HALF = math.log(2)
PLAIN = 104.0  # log odds up to which every float tells posteriors apart: single precision to 2^-149
_GONE = 690.0  # log odds from which a posterior counts as 0: it is about 1e-300


@dataclass(frozen=True)
class Floor:
    """The largest log odds between two classes of a sample; larger ones count as this.

    A posterior of 0 counts as half of the smallest odds that the scores show, as 0 votes of 50 are
    less than 1 of 50. Scores that show only certain answers have no such odds: there 0 of n counts
    as half an event in n + 1. No label has an effect, so all folds share one floor.

    Nothing below log odds of 104 is changed unless there are zeros. A posterior on its way to 0
    loses its say in what the smallest odds are between log odds of 104 and 690 (1e-300), so the
    floor is continuous. Scores that are logs reach farther: finite ones are never changed.
    """

    most: float = PLAIN + _HALF

    @classmethod
    def from_scores(cls, *scores: Scores, n: int = 1) -> Self:
        """Return the floor of scores of n samples."""
        reached, gone = zip(*map(_reach, scores), strict=True)
        if not any(gone):
            return cls(_HALF + max(*reached, PLAIN))
        reach = max(reached)
        return cls(_HALF + reach if reach > 0 else math.log(2 * n + 1))

    @classmethod
    def from_samples(cls, samples: Samples, *more: Scores) -> Self:
        """Return the floor of the scores of samples, and of others of the same samples."""
        return cls.from_scores(samples.scores, *more, n=samples.n)

    @property
    def active(self) -> bool:
        """Whether scores that are not extreme were told of zeros among them."""
        return self.most < PLAIN

    def samples(self, samples: Samples) -> Samples:
        """Return samples whose scores are within the floor."""
        scores = self(samples.scores)
        return samples if scores is samples.scores else samples.with_scores(scores)

    def __call__(self, scores: Scores) -> Scores:
        """Return scores within the floor; the same object where all are."""
        if _plainly(scores, self.most):
            return scores
        logs = _logs(scores)
        if logs.ndim == 1:
            return type(scores).trusted(np.clip(logs, -self.most, self.most), scores.names)
        least = logs.max(axis=1, keepdims=True) - self.most
        low = (logs < least).any(axis=1)
        if not low.any():
            return scores
        inside = np.array(logs)
        inside[low] = np.maximum(logs[low], least[low])
        if not isinstance(scores, Posteriors | LogPosteriors):
            return type(scores).trusted(inside, scores.names)
        inside[low] = log_softmax(inside[low])
        return LogPosteriors.trusted(inside, scores.names)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a user should know of it."""
        if not self.active:
            return ()
        odds = number(math.exp(self.most))
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


def _reach(scores: Scores) -> tuple[float, bool]:
    """Return the largest log odds that scores show, and whether there are others beyond."""
    if _plainly(scores, PLAIN):
        return 0.0, False
    logs = _logs(scores)
    far = np.abs(logs) if logs.ndim == 1 else logs.max(axis=1, keepdims=True) - logs
    finite = np.isfinite(far)
    known = np.where(finite, far, 0.0)
    if not isinstance(scores, Posteriors):
        return float(known.max()), not finite.all()
    fading = PLAIN * (_GONE - known) / (_GONE - PLAIN)
    return float(np.minimum(known, fading).max()), bool((far > PLAIN).any())


def _logs(scores: Scores) -> FloatArray:
    """Return scores as logs: log odds, or a number for each class up to one of the row."""
    if isinstance(scores, Posteriors | LogPosteriors):
        return np.asarray(scores.answers(None).log_p)
    return scores.values
