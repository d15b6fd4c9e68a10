"""Confidence targets: how sure an answer must be to be better than none."""

from __future__ import annotations

__all__ = ["ConfidenceTarget"]

from dataclasses import dataclass

import numpy as np

from stakes._check import read_number
from stakes._records import Record
from stakes._text import number, percent
from stakes._typing import BoolArray, FloatArray, NamesLike
from stakes.costs.matrix import CostMatrix

TRUTHS = ("wrong", "right")  # whether the answer is, or would have been
CHOICES = ("answer", "abstain")


@dataclass(frozen=True)
class ConfidenceTarget(Record):
    """Answer only if you are more than t sure: +1 if right, -t/(1-t) if wrong, 0 for no answer.

    The mean of these points is the utility; higher is better. Never answering scores 0, and so does
    answering questions with a probability t of being right. As costs, an error costs 1 and an
    abstention 1 - t, so utility = 1 - cost / (1 - t). With t = 0 errors are not penalised, so
    always answering is best; t = 1/2 gives the Omniscience index divided by 100.

    Parameters
    ----------
    t : float
        The target, at least 0 and below 1.

    See Also
    --------
    evaluate_responses : evaluates responses at a target.
    CostMatrix : any other costs.

    Examples
    --------
    At a target of 75 %, one wrong answer cancels three right ones:

    >>> import stakes
    >>> target = stakes.ConfidenceTarget(0.75)
    >>> target.penalty
    3.0
    >>> target.costs()
    truth in rows, decision in columns
           answer  abstain
    wrong       1   0.2500
    right       0   0.2500
    >>> target.utility(0.25)  # the cost of never answering
    0.0
    """

    t: float

    def __post_init__(self) -> None:
        t = read_number(self.t, "t", 0, 1, closed=(True, False))
        object.__setattr__(self, "t", t)

    @property
    def penalty(self) -> float:
        """The points that a wrong answer loses: t/(1-t)."""
        return self.t / (1 - self.t)

    @property
    def abstention(self) -> float:
        """The cost of no answer, if an error costs 1."""
        return 1 - self.t

    def costs(self, classes: NamesLike | None = None) -> CostMatrix:
        """Return the costs of answering and abstaining.

        Parameters
        ----------
        classes : sequence of names, optional
            Classes of a classifier, whose answer is a class. By default an answer is right or
            wrong.

        Returns
        -------
        CostMatrix
            An error costs 1, the decision "abstain" 1 - t.
        """
        if classes is not None:
            return CostMatrix.zero_one(classes, abstain=self.abstention)
        price = self.abstention
        return CostMatrix([[1, price], [0, price]], classes=TRUTHS, decisions=CHOICES)

    def utility(self, cost: float) -> float:
        """Return the mean points for an expected cost.

        Parameters
        ----------
        cost : float
            Expected cost, where an error costs 1.
        """
        return 1 - cost / self.abstention

    def answers(self, p: FloatArray) -> BoolArray:
        """Return whether each answer is worth giving: its probability of being right is at least t.

        Parameters
        ----------
        p : array of N floats
            The probability that each answer is right.
        """
        return np.asarray(p >= self.t)  # as Bayes decisions are, without their rounding at a tie

    def __str__(self) -> str:
        name = percent(self.t, 1).removesuffix(".0")
        return f"target {name} %: +1 right, {number(0.0 - self.penalty)} wrong, 0 for no answer"


def as_target(target: ConfidenceTarget | float) -> ConfidenceTarget:
    """Return a target, also from its number."""
    if isinstance(target, ConfidenceTarget):
        return target
    return ConfidenceTarget(read_number(target, "target", 0, 1, closed=(True, False)))
