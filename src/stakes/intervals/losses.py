"""Expected losses under weights: sums within each class, then priors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.scores import Answers


@dataclass(frozen=True, eq=False)
class Priced:
    """The loss of each sample, that of other answers, and what the naive system would lose.

    `short` is what the normalised value is called. `naive` gives the latter for any priors; where
    costs differ from sample to sample it follows from `constants` instead: what each constant
    decision costs each sample.
    """

    name: str
    short: str
    losses: FloatArray
    of: Callable[[IntArray, Answers], FloatArray]
    naive: Callable[[FloatArray], float] | None = None
    constants: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class Weighing:
    """Means within each class under weights, with priors given or as the weights make them."""

    y: IntArray
    n_classes: int
    priors: FloatArray | None

    @cached_property
    def members(self) -> list[IntArray | slice]:
        """The samples of each class; a slice, which needs no copy, where they lie together."""
        rows = [np.flatnonzero(self.y == k) for k in range(self.n_classes)]
        return [
            slice(int(r[0]), int(r[-1]) + 1) if r.size and r[-1] - r[0] + 1 == r.size else r
            for r in rows
        ]

    def class_priors(self, weights: FloatArray) -> FloatArray:
        """Return the priors under each row of weights; NaN for a given one that was not drawn."""
        total = np.stack([weights[:, rows].sum(axis=1) for rows in self.members], axis=1)
        if self.priors is None:
            with np.errstate(invalid="ignore"):  # no weight where the only group is left out
                return total / total.sum(axis=1, keepdims=True)
        return np.where((total == 0) & (self.priors > 0), np.nan, self.priors)

    def expectation(self, weights: FloatArray, columns: FloatArray) -> FloatArray:
        """Return the expected value of some columns under each row of weights."""
        priors = self.class_priors(weights)
        value = np.zeros((len(weights), columns.shape[1]))
        for k, rows in enumerate(self.members):
            part = weights[:, rows]
            total = part.sum(axis=1, keepdims=True)
            with np.errstate(invalid="ignore"):
                mean = np.where(total > 0, part @ columns[rows] / total, 0.0)
            value += priors[:, [k]] * mean
        return value

    def naive(self, priced: Priced, weights: FloatArray) -> FloatArray:
        """Return what the naive system loses under each row of weights; NaN where nothing."""
        if priced.constants is not None:
            least = self.expectation(weights, priced.constants).min(axis=1)
        elif self.priors is not None:
            least = np.full(len(weights), _naive(priced, self.priors))
        else:
            least = np.array([_naive(priced, p) for p in self.class_priors(weights)])
        return np.where(least > 0, least, np.nan)


def _naive(priced: Priced, priors: FloatArray) -> float:
    """Return what the naive system loses at some priors."""
    return priced.naive(priors) if priced.naive is not None else float("nan")


@dataclass(frozen=True, eq=False)
class LossStatistic:
    """Value and normalised value of some losses."""

    weighing: Weighing
    priced: Sequence[Priced]
    smooth = True

    @property
    def names(self) -> tuple[str, ...]:
        """The name of each loss, and of its normalised value."""
        return tuple(f"{p.name}.{part}" for p in self.priced for part in ("value", p.short))

    def of(self, weights: FloatArray) -> FloatArray:
        """Return the values, one row for each row of weights."""
        columns = np.column_stack([p.losses for p in self.priced])
        values = self.weighing.expectation(weights, columns)
        naive = np.column_stack([self.weighing.naive(p, weights) for p in self.priced])
        return _interleaved([values, values / naive])


@dataclass(frozen=True, eq=False)
class CalibratedStatistic:
    """The same losses after a calibration stage that is fitted anew under each row of weights.

    `answers` gives the cross-fitted posteriors under one row of weights.
    """

    weighing: Weighing
    priced: Sequence[Priced]
    answers: Callable[[FloatArray], Answers | None]
    smooth = True

    @property
    def names(self) -> tuple[str, ...]:
        """Normalised calibrated value, normalised calibration loss and relative loss of each."""
        return tuple(
            f"{p.name}.{part}"
            for p in self.priced
            for part in (f"calibrated_{p.short}", "calibration_loss", "relative")
        )

    def of(self, weights: FloatArray) -> FloatArray:
        """Return the values, one row for each row of weights."""
        columns = np.column_stack([p.losses for p in self.priced])
        raw = self.weighing.expectation(weights, columns)
        after = np.vstack([self._after(row) for row in weights])
        naive = np.column_stack([self.weighing.naive(p, weights) for p in self.priced])
        with np.errstate(invalid="ignore", divide="ignore"):
            relative = np.where(raw > 0, (raw - after) / raw, np.nan)
        return _interleaved([after / naive, (raw - after) / naive, relative])

    def _after(self, weights: FloatArray) -> FloatArray:
        """Return the losses after calibration under one row of weights."""
        answers = self.answers(weights)
        if answers is None:
            return np.full((1, len(self.priced)), np.nan)
        columns = np.column_stack([p.of(self.weighing.y, answers) for p in self.priced])
        return self.weighing.expectation(weights[None, :], columns)


def _interleaved(parts: Sequence[FloatArray]) -> FloatArray:
    """Put the values of each loss side by side."""
    stacked = np.stack(parts, axis=2)
    return stacked.reshape(stacked.shape[0], -1)
