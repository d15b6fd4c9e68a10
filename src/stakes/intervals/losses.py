"""Expected losses under weights: sums within each class, then priors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.intervals.pass_sums import pass_sums, passable
from stakes.intervals.sums import ClassSums
from stakes.scores import Answers
from stakes.scoring import ScoringRule


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
    rule: ScoringRule | None = None  # that the losses come from, if it is one


@dataclass(frozen=True, eq=False)
class Weighing:
    """Expected values from sums within each class, with priors given or as the weights make them.

    Sums are rows x classes x (columns and last the weight), as `ClassSums` gives them.
    """

    y: IntArray
    n_classes: int
    priors: FloatArray | None

    def sums(self, columns: FloatArray) -> ClassSums:
        """Return the sums of columns (C x N) within each class."""
        return ClassSums(columns, self.y, self.n_classes)

    def class_priors(self, totals: FloatArray) -> FloatArray:
        """Return the priors of rows of class weights; NaN for a given one that was not drawn."""
        if self.priors is None:
            with np.errstate(invalid="ignore"):  # where every sample is left out
                return totals / totals.sum(axis=1, keepdims=True)
        return np.where((totals == 0) & (self.priors > 0), np.nan, self.priors)

    def expectation(self, sums: FloatArray) -> FloatArray:
        """Return the expected value of each column."""
        totals = sums[:, :, -1]
        with np.errstate(invalid="ignore"):
            means = np.where(totals[:, :, None] > 0, sums[:, :, :-1] / totals[:, :, None], 0.0)
        return np.einsum("rk,rkc->rc", self.class_priors(totals), means)

    def naive(self, priced: Priced, sums: FloatArray, constants: slice) -> FloatArray:
        """Return what the naive system loses; NaN where nothing."""
        if priced.constants is not None:
            least = self.expectation(sums)[:, constants].min(axis=1)
        elif self.priors is not None:
            least = np.full(len(sums), _naive(priced, self.priors))
        elif priced.rule is not None:
            least = priced.rule.naive_each(self.class_priors(sums[:, :, -1]))
        else:
            least = np.array([_naive(priced, p) for p in self.class_priors(sums[:, :, -1])])
        return np.where(least > 0, least, np.nan)


def _naive(priced: Priced, priors: FloatArray) -> float:
    """Return what the naive system loses at some priors."""
    return priced.naive(priors) if priced.naive is not None else float("nan")


@dataclass(frozen=True, eq=False)
class _Columns:
    """Losses side by side, and after them what constant decisions cost, with where that stands."""

    table: FloatArray  # C x N
    n_losses: int
    constants: tuple[slice, ...]

    @classmethod
    def of(cls, priced: Sequence[Priced]) -> "_Columns":
        """Lay out some losses."""
        rows, slices, at = [p.losses for p in priced], [], len(priced)
        for p in priced:
            many = 0 if p.constants is None else p.constants.shape[1]
            rows += [] if p.constants is None else list(p.constants.T)
            slices.append(slice(at, at + many))
            at += many
        return cls(np.stack(rows), len(priced), tuple(slices))


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

    @cached_property
    def columns(self) -> _Columns:
        """What is summed."""
        return _Columns.of(self.priced)

    @cached_property
    def sums(self) -> ClassSums:
        """The sums that all follows from."""
        return self.weighing.sums(self.columns.table)

    def of(self, weights: FloatArray) -> FloatArray:
        """Return the values, one row for each row of weights."""
        return self.from_sums(self.sums.under(weights))

    def from_sums(self, sums: FloatArray) -> FloatArray:
        """Return the values from sums within each class."""
        values, naive = self.levels(sums)
        return _interleaved([values, values / naive])

    def levels(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each loss, and that of the naive system."""
        values = self.weighing.expectation(sums)[:, : self.columns.n_losses]
        pairs = zip(self.priced, self.columns.constants, strict=True)
        naive = np.column_stack([self.weighing.naive(p, sums, at) for p, at in pairs])
        return values, naive


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
        raw, naive = self._before.levels(self._before.sums.under(weights))
        after = np.vstack([self._after(row) for row in weights])
        with np.errstate(invalid="ignore", divide="ignore"):
            relative = np.where(raw > 0, (raw - after) / raw, np.nan)
        return _interleaved([after / naive, (raw - after) / naive, relative])

    @cached_property
    def _before(self) -> LossStatistic:
        """The losses as they are."""
        return LossStatistic(self.weighing, self.priced)

    def _after(self, weights: FloatArray) -> FloatArray:
        """Return the losses after calibration under one row of weights."""
        answers = self.answers(weights)
        if answers is None:
            return np.full((1, len(self.priced)), np.nan)
        y, rules = self.weighing.y, self._rules
        sums = None if rules is None else pass_sums(rules, y, answers, weights)
        if sums is not None:
            return self.weighing.expectation(sums[None])
        table = np.stack([p.of(y, answers) for p in self.priced])
        return self.weighing.expectation(self.weighing.sums(table).under(weights[None, :]))

    @cached_property
    def _rules(self) -> list[ScoringRule] | None:
        """The rules of the losses, where one pass gives all of them."""
        rules = [p.rule for p in self.priced if passable(p.rule, self.weighing.n_classes)]
        return rules if len(rules) == len(self.priced) else None  # type: ignore[return-value]


def _interleaved(parts: Sequence[FloatArray]) -> FloatArray:
    """Put the values of each loss side by side."""
    stacked = np.stack(parts, axis=2)
    return stacked.reshape(stacked.shape[0], -1)
