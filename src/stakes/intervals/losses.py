"""Expected losses under weights: sums within each class, then priors."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._counting import bincount
from stakes._kernels.passes import binary_pass, rows_pass
from stakes._typing import FloatArray, IntArray
from stakes.intervals.bootstrap import Statistic, SummedStatistic
from stakes.intervals.resampling import ClassSums
from stakes.metrics.scorecards import between, passable as passable_costs
from stakes.scores import Answers, LogProbabilities
from stakes.scores.answers import LogOdds
from stakes.scoring import BayesCost, BrierLoss, LogLoss, ScoringRule


@dataclass(frozen=True, eq=False)
class NamedLosses:
    """The loss of each sample, that of other answers, and the rule that they come from.

    `short` is what the normalised value is called. What the naive system would lose follows from
    the rule or, where costs differ from sample to sample, from `constants`: what each constant
    decision costs each sample.
    """

    name: str
    short: str
    losses: FloatArray
    of_answers: Callable[[IntArray, Answers], FloatArray]
    rule: ScoringRule | None = None
    constants: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class ClassMeans:
    """Expected values from sums within each class, with priors given or as the weights make them.

    Sums are rows x classes x (columns and last the weight), as `ClassSums` gives them.
    """

    y: IntArray
    n_classes: int
    priors: FloatArray | None

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

    def naive(self, priced: NamedLosses, sums: FloatArray, constants: FloatArray) -> FloatArray:
        """Return what the naive system loses; NaN where nothing."""
        if priced.rule is None:
            least = constants.min(axis=1)
        elif self.priors is not None:
            least = np.full(len(sums), priced.rule.naive(self.priors))
        else:
            least = priced.rule.naive_each(self.class_priors(sums[:, :, -1]))
        return np.where(least > 0, least, np.nan)


@dataclass(frozen=True, eq=False)
class LossStatistic(SummedStatistic):
    """Value and normalised value of some losses."""

    means: ClassMeans
    priced: Sequence[NamedLosses]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{p.name}.{part}" for p in self.priced for part in ("value", p.short))

    @cached_property
    def sums(self) -> ClassSums:
        """The sums that all follows from: of losses, then of what constant decisions cost."""
        constants = [p.constants.T for p in self.priced if p.constants is not None]
        columns = np.vstack([*(p.losses for p in self.priced), *constants])
        return ClassSums(columns, self.means.y, self.means.n_classes)

    def from_sums(self, sums: FloatArray) -> FloatArray:
        values, naive = self.levels(sums)
        return _interleaved([values, values / naive])

    def levels(self, sums: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return each loss, and that of the naive system."""
        values = self.means.expectation(sums)
        naive, start = [], len(self.priced)
        for p in self.priced:
            stop = start + (0 if p.constants is None else p.constants.shape[1])
            naive.append(self.means.naive(p, sums, values[:, start:stop]))
            start = stop
        return values[:, : len(self.priced)], np.column_stack(naive)


@dataclass(frozen=True, eq=False)
class CalibratedStatistic(Statistic):
    """The same losses after a calibration stage that is fitted anew under each row of weights."""

    means: ClassMeans
    priced: Sequence[NamedLosses]
    answers: Callable[[FloatArray], Answers | None]  # cross-fitted, under one row of weights

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(
            f"{p.name}.{part}"
            for p in self.priced
            for part in (f"calibrated_{p.short}", "calibration_loss", "relative")
        )

    def under(self, weights: FloatArray) -> FloatArray:
        raw, naive = self._before.levels(self._before.sums.under(weights))
        after = np.vstack([self._after(row) for row in weights])
        with np.errstate(invalid="ignore", divide="ignore"):
            relative = np.where(raw > 0, (raw - after) / raw, np.nan)
        return _interleaved([after / naive, (raw - after) / naive, relative])

    @cached_property
    def _before(self) -> LossStatistic:
        return LossStatistic(self.means, self.priced)

    def _after(self, weights: FloatArray) -> FloatArray:
        answers = self.answers(weights)
        if answers is None:
            return np.full((1, len(self.priced)), np.nan)
        y, rules = self.means.y, self._rules
        found = None if rules is None else pass_sums(rules, y, answers, weights)
        if found is not None:
            return self.means.expectation(found[None])
        table = np.stack([p.of_answers(y, answers) for p in self.priced])
        sums = ClassSums(table, y, self.means.n_classes)
        return self.means.expectation(sums.under(weights[None, :]))

    @cached_property
    def _rules(self) -> list[ScoringRule] | None:
        """The rules of the losses, where one pass gives all of them."""
        rules = [p.rule for p in self.priced if passable(p.rule, self.means.n_classes)]
        return rules if len(rules) == len(self.priced) else None  # type: ignore[return-value]


def _interleaved(parts: Sequence[FloatArray]) -> FloatArray:
    stacked = np.stack(parts, axis=2)
    return stacked.reshape(stacked.shape[0], -1)


def passable(rule: ScoringRule | None, n_classes: int) -> bool:
    """Whether one pass of the kernels gives the losses of a rule."""
    if type(rule) in (LogLoss, BrierLoss):
        return True
    return type(rule) is BayesCost and passable_costs(rule.costs, column=n_classes == 2)


def pass_sums(
    rules: Sequence[ScoringRule], y: IntArray, answers: Answers, weights: FloatArray
) -> FloatArray | None:
    """Return classes x (passable rules and last the weight); None where a loss is infinite."""
    priced = [rule.costs for rule in rules if isinstance(rule, BayesCost)]
    if isinstance(answers, LogOdds):
        made = [costs.posterior_intervals() for costs in priced]
        ends = [end for _, some in made for end in some]
        found = binary_pass(answers.given, y, ends, weights, 1, log_odds=True)
        above = np.split(found.above, np.cumsum([len(some) for _, some in made]))
        costs = [
            (between(found.weight, part, order, c.shape[1]) * c.values).sum(axis=1)
            for (order, _), part, c in zip(made, above, priced, strict=False)
        ]
        weight, log, brier = found.weight, found.log, found.brier
    elif isinstance(answers, LogProbabilities):
        columns = [costs.columns() for costs in priced]
        rows = rows_pass(answers.log_p, y, "log_posteriors", columns, weights, 1)
        costs = [
            bincount(cells.row, cells.weight * c.at(cells.row, cells.column), rows.weight.size)
            for cells, c in zip(rows.decided, priced, strict=True)
        ]
        weight, log, brier = rows.weight, rows.log, rows.brier
    else:
        return None
    if log.infinite.any():
        return None
    left = iter(costs)
    columns_by_rule = [
        next(left) if isinstance(r, BayesCost) else (log if isinstance(r, LogLoss) else brier).loss
        for r in rules
    ]
    return np.column_stack([*columns_by_rule, weight])
