"""Scores of any kind, and the posteriors they stand for.

Each kind of a module here is registered in `SCORES`.
"""

from typing import Any

from stakes._errors import InputError
from stakes._foreign_words import own_name
from stakes._registry import Registry
from stakes._text import quoted
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


def read_kind(given: Any, argument: str = "kind") -> type[Scores]:  # noqa: ANN401  what a user passed
    """Return a kind of scores that is given, or named: "logits", or "probabilities".

    >>> read_kind("probabilities").__name__, read_kind("log-posteriors").__name__
    ('Posteriors', 'LogPosteriors')
    """
    if isinstance(given, type) and issubclass(given, Scores):
        return given
    name = own_name(given, SCORES.classes) if isinstance(given, str) else None
    if name is not None:
        return SCORES.classes[name]
    rule, hint = "must be a kind of scores, such as stakes.Logits", quoted(SCORES.classes)
    raise InputError(argument, rule, repr(given), hint=f"Kinds are {hint}.")
