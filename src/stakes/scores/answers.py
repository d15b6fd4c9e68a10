"""What a system answers for each sample: posteriors and their logs, exact where given."""

from __future__ import annotations

__all__ = ["Answers"]

from dataclasses import dataclass
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from stakes._math import log, log_softmax, row_sums, softplus
from stakes._typing import FloatArray, IntArray


class Answers(Protocol):
    """Protocol of posteriors of N samples and K classes, in whichever form they were given.

    See Also
    --------
    Scores : the scores of a system.
    ScoringRule : its `losses` take answers.

    Examples
    --------
    A scoring rule sees posteriors of any type of scores through this protocol:

    >>> import numpy as np
    >>> import stakes
    >>> answers = stakes.Logits([0.0, 40.0]).answers(None)
    >>> answers.p.round(2).tolist()
    [[0.5, 0.5], [0.0, 1.0]]
    >>> bool(answers.complement(np.array([1, 1]))[1] > 0)  # not rounded to 0: use it for losses
    True
    """

    @property
    def shape(self) -> tuple[int, int]:
        """Number of samples and classes."""

    @property
    def p(self) -> FloatArray:
        """Posteriors, one row per sample."""

    @property
    def log_p(self) -> FloatArray:
        """Log posteriors, one row per sample."""

    def log_of(self, y: IntArray) -> FloatArray:
        """Return the log posterior of one class per sample.

        Parameters
        ----------
        y : array of N ints
            The index of one class per sample.
        """

    def complement(self, y: IntArray) -> FloatArray:
        """Return one minus the posterior of a class, to full precision near 0.

        Parameters
        ----------
        y : array of N ints
            The index of one class per sample.
        """

    def rows(self, kept: slice | IntArray) -> Self:
        """Return some of the samples.

        Parameters
        ----------
        kept : slice or array of ints
            Which samples.
        """


@dataclass(frozen=True, eq=False)
class GivenAnswers(Answers):
    """Posteriors as an array: a row for each sample, or one number of the second of two classes."""

    given: FloatArray

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.given), 2 if self.given.ndim == 1 else self.given.shape[1]

    def rows(self, kept: slice | IntArray) -> Self:
        return type(self)(self.given[kept])


class Probabilities(GivenAnswers):
    """Posteriors given as such."""

    @property
    def p(self) -> FloatArray:
        return self.given

    @property
    def log_p(self) -> FloatArray:
        return log(self.p)

    def log_of(self, y: IntArray) -> FloatArray:
        return log(self.p[np.arange(y.size), y])

    def complement(self, y: IntArray) -> FloatArray:
        return 1 - self.p[np.arange(y.size), y]


class LogProbabilities(GivenAnswers):
    """Posteriors given by their logs."""

    @classmethod
    def normalised(cls, scores: FloatArray) -> Self:
        """Return the posteriors whose logs are these scores up to a constant per sample."""
        return cls(log_softmax(scores))

    @classmethod
    def from_log_odds(cls, log_odds: FloatArray) -> Self:
        """Return the posteriors of two classes with these log odds of the second."""
        return cls(LogOdds(log_odds).log_p)

    @property
    def log_p(self) -> FloatArray:
        return self.given

    @cached_property
    def p(self) -> FloatArray:
        return np.exp(self.log_p)

    def log_of(self, y: IntArray) -> FloatArray:
        return self.log_p[np.arange(y.size), y]

    def complement(self, y: IntArray) -> FloatArray:
        """One minus the posterior of a class: the sum of the others."""
        others = self.p.copy()
        others[np.arange(y.size), y] = 0
        return row_sums(others)


class SecondProbabilities(GivenAnswers):
    """Posteriors of the second of two classes; those of the first follow."""

    @property
    def p(self) -> FloatArray:
        return np.column_stack([1 - self.given, self.given])

    @property
    def log_p(self) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.column_stack([np.log1p(-self.given), np.log(self.given)])

    def log_of(self, y: IntArray) -> FloatArray:
        with np.errstate(divide="ignore"):
            return np.where(y == 0, np.log1p(-self.given), np.log(self.given))

    def complement(self, y: IntArray) -> FloatArray:
        return np.where(y == 0, self.given, 1 - self.given)


class LogOdds(GivenAnswers):
    """Posteriors of two classes given by the log odds of the second."""

    @cached_property
    def p(self) -> FloatArray:
        small = np.exp(-np.abs(self.given))
        less, more = small / (1 + small), 1 / (1 + small)
        up = self.given > 0
        return np.column_stack([np.where(up, less, more), np.where(up, more, less)])

    @property
    def log_p(self) -> FloatArray:
        return np.column_stack([-softplus(self.given), -softplus(-self.given)])

    def log_of(self, y: IntArray) -> FloatArray:
        return -softplus(np.where(y == 0, self.given, -self.given))

    def complement(self, y: IntArray) -> FloatArray:
        """One minus the posterior of a class: that of the other."""
        return self.p[np.arange(y.size), 1 - y]
