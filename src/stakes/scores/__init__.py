"""Scores of any kind, and the posteriors they stand for.

Each kind of a module here is registered in `SCORES`.
"""

from stakes._registry import Registry
from stakes.scores.answers import Answers, LogProbabilities, Probabilities
from stakes.scores.kinds import (
    Logits,
    LogLikelihoodRatios,
    LogLikelihoods,
    LogPosteriors,
    Posteriors,
    PosteriorScores,
    ScoreMeaning,
    Scores,
    as_scores,
    class_names,
    names_as,
)
from stakes.scores.model_scores import model_classes, model_scores

SCORES: Registry[Scores] = Registry(__name__, Scores, "scores")  # type: ignore[type-abstract]
