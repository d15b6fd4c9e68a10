"""What a scoring rule is: one method, from which all else follows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, final

import numpy as np

from stakes._math import expectation
from stakes._registry import Named, read_options
from stakes._typing import FloatArray, IntArray, Label, Names
from stakes.scores import Answers, LogProbabilities, Probabilities

__all__ = ["ScoringRule"]


@dataclass(frozen=True)
class ScoringRule(Named, ABC):
    """Base class of proper scoring rules: losses that are least on average for true posteriors.

    A rule has one method, `losses`. Its naive value, normalised value, standard error and interval
    follow from it. Define `bounds` if losses are bounded.

    See Also
    --------
    expected_loss : the expected value of any rule.
    LogLoss, BrierLoss, SphericalLoss, BayesCost, ThresholdRange : the rules of stakes.

    Examples
    --------
    A rule of your own; it is proper because log loss is:

    >>> import math
    >>> import stakes
    >>> class Bits(stakes.ScoringRule):
    ...     name = "cross-entropy in bits"
    ...
    ...     def losses(self, y, answers):
    ...         return stakes.LogLoss().losses(y, answers) / math.log(2)
    >>> cost = stakes.expected_loss(Bits(), [0, 1], [[0.5, 0.5], [0.25, 0.75]])
    >>> round(cost.value, 4), cost.naive
    (0.7075, 1.0)
    """

    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {}  # short names, with their options
    strict: ClassVar[bool] = True  # whether no other answer is as good as the true posteriors

    def __init_subclass__(cls) -> None:
        own = vars(cls)
        if not hasattr(cls, "name"):
            cls._derive_name()
        if "of" in own:  # what rules of version 0.1 implement
            cls.losses = cls.of  # type: ignore[method-assign]
        elif "losses" in own:
            cls.of = cls.losses  # type: ignore[method-assign]

    def __post_init__(self) -> None:
        read_options(self)

    @abstractmethod
    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        """Return the loss of each sample: C*(h, s), for class indices and posteriors.

        Parameters
        ----------
        y : array of N ints
            The index of each sample's class.
        answers : Answers
            The posteriors.
        """

    def of(self, y: IntArray, answers: Answers) -> FloatArray:
        """Return `losses`, under its name in version 0.1.

        Parameters
        ----------
        y : array of N ints
            The index of each sample's class.
        answers : Answers
            The posteriors.
        """
        return self.losses(y, answers)

    def loss(self, y: IntArray, log_posteriors: FloatArray) -> FloatArray:
        """Return the loss of each sample from log posteriors.

        Parameters
        ----------
        y : array of N ints
            The index of each sample's class.
        log_posteriors : array of shape (N, K)
            One row per sample.
        """
        return self.losses(np.asarray(y), LogProbabilities(np.asarray(log_posteriors, dtype=float)))

    @final
    def naive(self, priors: FloatArray) -> float:
        """Return the expected loss of a system that sees no input and answers the priors.

        Parameters
        ----------
        priors : float, array of K
            Priors that are already checked.
        """
        p = np.asarray(priors, dtype=float)
        return expectation(p, self.naive_losses(p))

    def naive_losses(self, priors: FloatArray) -> FloatArray:
        """Return the loss of answering the priors for each class.

        Parameters
        ----------
        priors : float, array of K
            Priors that are already checked.
        """
        k = priors.size
        return self.losses(np.arange(k), Probabilities(np.broadcast_to(priors, (k, k))))

    def naive_answer(self, priors: FloatArray) -> Label:  # noqa: ARG002
        """Return the answer of the naive system.

        Parameters
        ----------
        priors : float, array of K
            Priors that are already checked.
        """
        return "the priors"

    def rivals(self, priors: FloatArray) -> tuple[FloatArray, ...]:  # noqa: ARG002
        """Return the losses of other constant answers that could be the best at nearby priors.

        Parameters
        ----------
        priors : float, array of K
            Priors that are already checked.
        """
        return ()

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest possible loss of each class.

        Parameters
        ----------
        n_classes : int
            Number of classes.
        """
        return np.zeros(n_classes), np.full(n_classes, np.inf)

    def check(self, classes: Names) -> None:
        """Raise an error for classes that the rule does not support.

        Parameters
        ----------
        classes : tuple of K names
            The classes of the samples.
        """

    @staticmethod
    def from_cost(
        function: Callable[[int, Any], float],
        decisions: Sequence[Any] | Callable[[FloatArray], Any],
        *,
        name: str = "expected cost of Bayes decisions",
    ) -> ScoringRule:
        """Return the proper rule of a cost function: the cost of the Bayes decision (eq:psr_const).

        Parameters
        ----------
        function : callable
            Cost C(h, d) of decision d if the truth is the class with index h.
        decisions : sequence, or callable
            The decisions to choose from, by least expected cost; or, if there are too many, a
            function that returns the Bayes decision for a vector of posteriors.
        name : str, default "expected cost of Bayes decisions"
            Name of the rule.
        """
        from stakes.scoring.rules import _ListedCost, _SoftCost  # noqa: PLC0415  rules themselves

        if callable(decisions):
            return _SoftCost(function, decisions, name)
        return _ListedCost(function, tuple(decisions), name)
