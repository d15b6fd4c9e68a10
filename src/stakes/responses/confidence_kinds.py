"""How sure an answer was, in the form in which it was stated: the kind is a type, never guessed."""

from __future__ import annotations

__all__ = [
    "Agreement",
    "AnswerLogProbability",
    "Confidence",
    "StatedPercent",
    "StatedProbability",
    "VerbalConfidence",
]

import math
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from stakes._check import Action, InputError, read_number, read_shares, read_words
from stakes._records import Record
from stakes._typing import Column, FloatArray

_PERCENT = Action("say_confidence")


@dataclass(frozen=True, eq=False)
class Confidence(Record):
    """Base class of confidences; `probabilities` returns the stated probability of being right.

    A value may be missing if the response is an abstention.

    Parameters
    ----------
    values : column
        One value per answer.

    See Also
    --------
    Responses : takes it as `confidence`.
    StatedProbability, StatedPercent, VerbalConfidence, AnswerLogProbability, Agreement : its kinds.

    Examples
    --------
    Each kind states a probability of being right in its own form:

    >>> import stakes
    >>> kinds = stakes.StatedPercent([90]), stakes.Agreement([9], samples=10)
    >>> [kind.probabilities().tolist() for kind in kinds]
    [[0.9], [0.9]]
    >>> kinds[0].probabilities()[0] > 0.75  # worth answering at a target of 75 %
    np.True_
    """

    values: Column = field(repr=False)

    @abstractmethod
    def probabilities(self) -> FloatArray:
        """Return the stated probability of being right; NaN if none was stated."""

    def __str__(self) -> str:
        return f"{type(self).__name__}({self.probabilities().size} values)"


@dataclass(frozen=True, eq=False, repr=False)
class StatedProbability(Confidence):
    """A stated probability of being right, from 0 to 1.

    See Also
    --------
    Responses : takes it as `confidence`.

    Examples
    --------
    >>> import stakes
    >>> stakes.StatedProbability([0.9, None]).probabilities().tolist()
    [0.9, nan]
    """

    def probabilities(self) -> FloatArray:
        """Return the values."""
        return read_shares(self.values, "confidence", 0, 1, _PERCENT)


@dataclass(frozen=True, eq=False, repr=False)
class StatedPercent(Confidence):
    """A stated probability of being right in percent, from 0 to 100.

    See Also
    --------
    Responses : takes it as `confidence`.

    Examples
    --------
    >>> import stakes
    >>> stakes.StatedPercent([90, 55]).probabilities().tolist()
    [0.9, 0.55]
    """

    def probabilities(self) -> FloatArray:
        """Return the values divided by 100."""
        return read_shares(self.values, "confidence", 0, 100, sign="%") / 100


@dataclass(frozen=True, eq=False, repr=False)
class VerbalConfidence(Confidence):
    """Words, each with the probability that it is declared to mean.

    Parameters
    ----------
    words : mapping from word to probability
        Case does not matter.
    values : column of strings

    See Also
    --------
    Responses : takes it as `confidence`.

    Examples
    --------
    >>> import stakes
    >>> words = {"certain": 0.98, "likely": 0.8, "unsure": 0.5}
    >>> stakes.VerbalConfidence(["Likely", "certain"], words).probabilities().tolist()
    [0.8, 0.98]
    """

    words: Mapping[str, float]

    def probabilities(self) -> FloatArray:
        """Return the probabilities that the words are declared to mean."""
        if not isinstance(self.words, Mapping) or not self.words:
            rule = "must map each word to a probability, such as {'likely': 0.8}"
            raise InputError("words", rule, repr(self.words))
        read = {word: read_number(p, f"words {word!r}", 0, 1) for word, p in self.words.items()}
        return read_words(self.values, "confidence", read, math.nan)


@dataclass(frozen=True, eq=False, repr=False)
class AnswerLogProbability(Confidence):
    """The natural log of the model's probability of its answer, at most 0.

    For an answer of several tokens, it is the sum of their log probabilities. It is the probability
    of the wording, not of being right, so use the calibrated numbers.

    See Also
    --------
    Responses : takes it as `confidence`.

    Examples
    --------
    >>> import stakes
    >>> stakes.AnswerLogProbability([0.0, float("-inf")]).probabilities().tolist()
    [1.0, 0.0]
    """

    def probabilities(self) -> FloatArray:
        """Return the exponentials of the values."""
        hint = "Logarithms of probabilities are at most 0."
        return np.exp(read_shares(self.values, "confidence", -math.inf, 0, hint))


@dataclass(frozen=True, eq=False, repr=False)
class Agreement(Confidence):
    """The number of sampled answers that agree with the evaluated one.

    Parameters
    ----------
    samples : int
        Number of answers sampled for each question.
    values : column of whole numbers from 0 to `samples`

    See Also
    --------
    Responses : takes it as `confidence`.

    Examples
    --------
    >>> import stakes
    >>> stakes.Agreement([8, 5], samples=10).probabilities().tolist()
    [0.8, 0.5]
    """

    samples: int

    def probabilities(self) -> FloatArray:
        """Return the shares that agree."""
        k = read_number(self.samples, "samples", 1, math.inf)
        values = read_shares(self.values, "confidence", 0, k)
        part = ~np.isnan(values) & (np.trunc(values) != values)
        if part.any():
            row = int(part.argmax())
            rule = f"must hold how many of {k:g} samples agree, whole numbers"
            hint = Action("agreement_share")
            raise InputError("confidence", rule, f"{values[row]:g}", row=row, hint=hint)
        return values / k


def as_confidence(values: Confidence | Column) -> Confidence:
    """Return a kind of confidence; plain numbers are probabilities."""
    return values if isinstance(values, Confidence) else StatedProbability(values)
