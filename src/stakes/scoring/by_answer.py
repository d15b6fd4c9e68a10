"""Scoring rules of the posteriors themselves."""

__all__ = ["BrierLoss", "LogLoss", "SphericalLoss"]

import math
from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from stakes._math import log, row_sums
from stakes.scoring.scoring_rule import Answers, FloatArray, IntArray, ScoringRule


class LogLoss(ScoringRule):
    """Logarithmic loss -log s_h; its expectation is the cross-entropy. Strict, unbounded."""

    name = "cross-entropy"
    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"log": ()}

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        return -answers.log_of(y)

    def naive_losses(self, priors: FloatArray) -> FloatArray:
        return -log(priors)


class BrierLoss(ScoringRule):
    """Squared distance to the truth, averaged over classes: 1/K sum_i (s_i - I(h = H_i))^2."""

    name = "Brier score"
    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"brier": ()}

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        distance = answers.p.copy()
        distance[np.arange(y.size), y] = answers.complement(y)
        return row_sums(np.square(distance, out=distance)) / answers.shape[1]  # by halves

    def naive_losses(self, priors: FloatArray) -> FloatArray:
        """Return what answering the priors costs; the largest stays apart, to keep its digits."""
        top = int(priors.argmax())
        squares = np.square(priors)
        squares[top] = 0
        rest = math.fsum(squares.tolist())
        others = rest - squares + np.square(priors[top])
        others[top] = rest
        return (others + np.square(1 - priors)) / priors.size

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        return np.zeros(n_classes), np.full(n_classes, 2 / n_classes)


class SphericalLoss(ScoringRule):
    """One minus the cosine of posteriors and truth: 1 - s_h / |s|. Strict, at most 1."""

    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {"spherical": ()}

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        p = answers.p
        rows = np.arange(y.size)
        others = p.copy()
        others[rows, y] = 0
        rest = np.square(others).sum(axis=1)
        length = np.sqrt(np.square(p).sum(axis=1))
        return rest / (length * (length + p[rows, y]))

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        return np.zeros(n_classes), np.ones(n_classes)
