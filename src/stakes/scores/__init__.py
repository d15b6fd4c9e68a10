"""Scores of any kind, and the posteriors they stand for."""

from stakes.scores.answers import Answers, LogProbabilities, Probabilities
from stakes.scores.types import (
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
)
