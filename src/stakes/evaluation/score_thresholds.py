"""The Bayes threshold on the scores as they were delivered, fit to be put into a system."""

import math
from dataclasses import dataclass

from stakes._text import signed
from stakes._typing import FloatArray
from stakes.scores import (
    Logits,
    LogLikelihoodRatios,
    LogLikelihoods,
    LogPosteriors,
    PosteriorScores,
    Scores,
)

_DIGITS = 6


@dataclass(frozen=True)
class ScoreThreshold:
    """Above which delivered score the second decision is taken, and on which scale that is."""

    value: float
    scale: str

    def __str__(self) -> str:
        return f"{precise(self.value)} ({self.scale})"

    def to_dict(self) -> dict[str, float | str]:
        """Return the record as plain values."""
        return {"value": self.value, "scale": self.scale}


def score_threshold(
    posterior: float, scores: Scores, priors: FloatArray, training: FloatArray | None
) -> ScoreThreshold | None:
    """Return a threshold on posteriors at the priors of use as one on the scores themselves.

    >>> import numpy as np
    >>> from stakes import Logits
    >>> str(score_threshold(1 / 21, Logits([0.0]), np.array([0.5, 0.5]), None))
    '−2.99573 (log odds)'
    """
    if not 0 < posterior < 1:
        return None
    log_odds = math.log(posterior) - math.log1p(-posterior)
    if isinstance(scores, PosteriorScores):
        return _on_posteriors(posterior, log_odds, scores, priors, training)
    if not priors.all() or not isinstance(scores, LogLikelihoods | LogLikelihoodRatios):
        return None
    at = log_odds - math.log(priors[1] / priors[0])
    return ScoreThreshold(at, "natural log of the likelihood ratio")


def _on_posteriors(
    posterior: float,
    log_odds: float,
    scores: PosteriorScores,
    priors: FloatArray,
    training: FloatArray | None,
) -> ScoreThreshold | None:
    """Return the threshold on posteriors as they were before they were adapted, in their form."""
    before = ""
    if training is not None:
        if not (priors.all() and training.all()):
            return None
        log_odds += math.log(training[1] / training[0]) - math.log(priors[1] / priors[0])
        before = ", before they are adapted to the priors"
    if isinstance(scores, Logits):
        return ScoreThreshold(log_odds, f"log odds{before}")
    at = 1 / (1 + math.exp(-log_odds)) if before else posterior
    if isinstance(scores, LogPosteriors):
        return ScoreThreshold(math.log(at), f"log posterior{before}")
    return ScoreThreshold(at, f"posterior{before}")


def precise(value: float) -> str:
    """Return a threshold with six digits, counted from the nearer of 0 and 1 for a share.

    >>> precise(1 / 21), precise(0.9999912345678), precise(-2.995732), precise(0.5)
    ('0.047619', '0.99999123457', '−2.99573', '0.5')
    """
    if 0.5 < value < 1:
        decimals = _DIGITS - 1 - math.floor(math.log10(1 - value))
        return f"{value:.{min(decimals, 17)}f}".rstrip("0").rstrip(".")
    return signed(f"{value:.{_DIGITS}g}")
