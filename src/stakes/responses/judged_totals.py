"""Means that a judge labels in full and people in part, as functions of the totals of rows.

After Angelopoulos, Duchi and Zrnic (PPI++, 2023): with L the rows that people labelled and U the
others, the estimate is mean_L(Y) + lambda (mean_U(f) - mean_L(f)), written here with a coefficient
for the mean of the judge over all rows, which weights and groups need. lambda is a function of the
totals too, so its error is in the interval of the law.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._typing import BoolArray, FloatArray, NDArray
from stakes.inference.cells import Cells, Unseen, effective_number
from stakes.inference.law import FEWEST_GROUPS, Problem
from stakes.inference.merging import MOST_ROWS, merged
from stakes.inference.totals import Formula, Totals
from stakes.responses.judged_rows import JudgedRows
from stakes.results import Estimate, Interval

FEWEST_LABELS = 10  # of people, below which no interval of values with bounds is given
FEWEST_UNBOUNDED = 30  # the same for values without bounds
_ROUNDING = 1e-12  # a tuning below it is none

Bounds = tuple[float, float]
Of = Callable[["Means"], NDArray[Any]]


@dataclass(frozen=True, eq=False)
class Means:
    """What follows from totals of rows, which may be complex.

    People's and the judge's values are added up less an origin, in a unit of their own, so that no
    digits are lost. `tuning` is the lambda, if given; else it is that of least variance, within 0
    and 1: cov_L(Y, f) / ((1 + n/m) var(f)) of n rows with a label and m without one.
    """

    totals: NDArray[Any]
    people: tuple[float, float]  # origin and unit
    model: tuple[float, float]
    rows: int  # that the judge labelled
    tuning: float | None

    @property
    def answered(self) -> NDArray[Any]:
        """The share of rows that the judge labelled."""
        return self._ratio(1, 0)

    @property
    def human(self) -> NDArray[Any]:
        """The mean of people's values."""
        return self.people[0] + self.people[1] * self._ratio(4, 3)

    @property
    def judge(self) -> NDArray[Any]:
        """The mean of the judge's values over all rows."""
        return self.model[0] + self.model[1] * self._ratio(7, 1)

    @property
    def powered(self) -> NDArray[Any]:
        """The mean of people's values, moved by the judge's."""
        return self.human + self.coefficient * self.judged_more

    @property
    def judged_more(self) -> NDArray[Any]:
        """How much larger the judge's mean is over all rows than where people looked."""
        return self.model[1] * (self._ratio(7, 1) - self._ratio(5, 3))

    @property
    def gap(self) -> NDArray[Any]:
        """How much larger the judge's mean is where people looked than elsewhere, in its unit."""
        return self._ratio(5, 3) - self._ratio(9, 2)

    @property
    def sensitivity(self) -> NDArray[Any]:
        """The share of right answers that the judge passes."""
        return self._ratio(10, 11)

    @property
    def specificity(self) -> NDArray[Any]:
        """The share of wrong answers that the judge fails."""
        return self._ratio(12, 13)

    @property
    def coefficient(self) -> NDArray[Any]:
        """What the mean of the judge over all rows is multiplied by: lambda by the share unseen."""
        unseen = self._ratio(2, 1)
        usable = unseen.real > _ROUNDING
        unseen = np.where(usable, unseen, 1.0)
        if self.tuning is not None:
            return np.asarray(np.where(usable, self.tuning / unseen, 0.0))
        covariance = self._ratio(6, 3) - self._ratio(4, 3) * self._ratio(5, 3)
        variance = self._ratio(8, 1) - self._ratio(7, 1) ** 2
        usable &= variance.real > _ROUNDING
        best = covariance / np.where(usable, variance, 1.0) * (1 - 1 / self.rows)
        best = best * (self.people[1] / self.model[1])
        usable &= (best * unseen).real > _ROUNDING
        return np.asarray(
            np.where(usable, np.where((best * unseen).real > 1, 1 / unseen, best), 0.0)
        )

    def _ratio(self, above: int, below: int) -> NDArray[Any]:
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.asarray(self.totals[..., above] / self.totals[..., below])


@dataclass(frozen=True, eq=False)
class JudgedTotals:
    """Rows that a judge labelled, and people in part, with the bounds of people's values.

    Rows without a judge's value were not answered.
    """

    rows: JudgedRows
    bounds: Bounds | None
    tuning: float | None = None

    @cached_property
    def means(self) -> Means:
        """The means of the rows seen."""
        sums = np.array([math.fsum(column.tolist()) for column in self.columns.T])
        return self._means(sums)

    def _means(self, totals: NDArray[Any]) -> Means:
        return Means(totals, self._people, self._model, int(self._known.sum()), self.tuning)

    def estimates(
        self, numbers: dict[str, Of], level: float, why: str | None = None
    ) -> dict[str, Estimate]:
        """Return functions of means with their intervals, or without for a reason."""
        with np.errstate(divide="ignore", invalid="ignore"):
            values = {name: float(of(self.means)) for name, of in numbers.items()}
        why = self.no_interval if why is None else why
        if why:
            return {name: Estimate(value, None, why) for name, value in values.items()}
        defined = [name for name, value in values.items() if not math.isnan(value)]
        ends = self._problem([numbers[name] for name in defined]).intervals(level).tolist()
        method = "likelihood" if self.rows.unit is None else "likelihood, by group"
        found = {name: Estimate(math.nan, None, "there are no such rows") for name in numbers}
        for name, (low, high) in zip(defined, ends, strict=True):
            band = Interval(min(low, values[name]), max(high, values[name]), level)
            found[name] = Estimate(values[name], band, method)
        return found

    def p_value(self, of: Of) -> float:
        """Return the two-sided p-value of 0."""
        return self._problem([of]).p_value()

    def _problem(self, numbers: list[Of]) -> Problem:
        formulas = [self._formula(of) for of in numbers]
        return Problem.single(self.cells, Totals(self.cells.all_columns, formulas))

    def _formula(self, of: Of) -> Formula:
        return lambda totals: of(self._means(totals))

    @property
    def standard_error(self) -> float:
        """The standard error of the mean in large samples, with lambda as it is."""
        rows, used = self.rows, self.means.coefficient
        moved = self._influence(lambda m: m.human + used * m.judged_more)
        if rows.chance is None:  # how many rows have a label was fixed
            moved[rows.seen] -= moved[rows.seen].sum() * rows.human_share
            if rows.n_human < rows.n:
                share = rows.share[~rows.seen] / rows.unseen_share
                moved[~rows.seen] -= moved[~rows.seen].sum() * share
        if rows.unit is not None:
            moved = np.asarray(bincount(rows.unit, moved), dtype=np.float64)
        return math.sqrt(float(moved @ moved))

    def _influence(self, of: Of) -> FloatArray:
        """Return how much each row moves a number."""
        totals = Totals(self.columns, [self._formula(of)])
        return totals.slopes(np.ones((1, self.rows.n)), np.zeros(1, dtype=np.int64))[0]

    @cached_property
    def cells(self) -> Cells:
        """Rows, or groups of rows, and rows that may occur."""
        columns, unit, unseen = self.columns, self.rows.unit, self._unseen()
        if unit is None:
            counts, kind = np.ones(len(columns)), self._known + np.int64(2) * self.rows.seen
            if len(columns) > MOST_ROWS:
                moved = self._influence(lambda m: m.powered)
                columns, counts, _ = merged(columns, counts, kind, moved)
            return Cells.from_rows(columns, unseen, counts=counts)
        used = np.unique(unit)
        summed = [bincount(unit, column)[used] for column in columns.T]
        columns = np.column_stack(summed).astype(np.float64)
        sizes = columns[:, 3]
        groups = float(np.count_nonzero(sizes)), effective_number(sizes)
        return Cells.from_rows(columns, unseen + Unseen.candidates(columns, kind=1), groups=groups)

    def _unseen(self) -> Unseen:
        """Return rows of each value with a label, and without; or rows like those seen."""
        rows = self.rows
        if self.bounds is None:
            return Unseen.candidates(self.columns)
        ends, none = self._ends, np.full(2, math.nan)
        human, judge = (values.ravel() for values in np.meshgrid(self.bounds, ends))
        made = [self._columns(human, judge, *self._typical(rows.seen))]
        if (self._known & ~rows.seen).any():
            made.append(self._columns(none, ends, *self._typical(self._known & ~rows.seen)))
        if not self._known.all():
            made.append(self._columns(none[:1], none[:1], *self._typical(~self._known)))
        return Unseen.candidates(np.concatenate(made))

    def _typical(self, some: BoolArray) -> tuple[float, float]:
        """Return weights as rows have them that are met as often as they weigh."""
        sizes = (w[some] for w in (self.rows.weights, self._own))
        return tuple(float(w @ w / max(w.sum(), 1e-300)) for w in sizes)  # type: ignore[return-value]

    @cached_property
    def columns(self) -> FloatArray:
        """What is added up of each row."""
        return self._columns(self.rows.human, self.rows.judge, self.rows.weights, self._own)

    def _columns(
        self,
        human: FloatArray,
        judge: FloatArray,
        weights: FloatArray | float,
        own: FloatArray | float,
    ) -> FloatArray:
        """Return columns of rows, with their weights among all and among those with a label."""
        seen, known = ~np.isnan(human), ~np.isnan(judge)
        y = np.where(seen, (human - self._people[0]) / self._people[1], 0.0)
        f = np.where(known, (judge - self._model[0]) / self._model[1], 0.0)
        every, w, unseen = weights + 0 * y, weights * known, weights * (known & ~seen)
        own, passed = own * seen, judge >= 0.5
        right, wrong = own * (human == 1), own * (human == 0)
        return np.column_stack(
            [every, w, unseen, own, own * y, own * f, own * y * f, w * f, w * f * f,
             unseen * f, right * passed, right, wrong * ~passed, wrong]
        )  # fmt: skip

    @cached_property
    def _known(self) -> BoolArray:
        return ~np.isnan(self.rows.judge)

    @cached_property
    def _own(self) -> FloatArray:
        """Weights of rows with a label, who stand for those that people did not see."""
        out = np.zeros(self.rows.n)
        out[self.rows.seen] = self.rows.human_weights
        return out / max(float(out.max()), 1e-300)

    @cached_property
    def _ends(self) -> FloatArray:
        judge = self.rows.judge[self._known]
        return np.array([judge.min(), judge.max()])

    @cached_property
    def _people(self) -> tuple[float, float]:
        return _centre(self.rows.human[self.rows.seen])

    @cached_property
    def _model(self) -> tuple[float, float]:
        return _centre(self.rows.judge[self._known])

    @property
    def no_interval(self) -> str:
        """Why there is no interval; empty where there is one."""
        rows, bounded = self.rows, self.bounds is not None
        fewest = FEWEST_LABELS if bounded else FEWEST_UNBOUNDED
        if rows.n_human < fewest:
            kind = "" if bounded else " of values without bounds"
            return f"needs {fewest} human labels{kind}: got {rows.n_human}"
        if rows.unit is not None and rows.human_units < FEWEST_GROUPS:
            return f"needs human labels in {FEWEST_GROUPS} groups: got {rows.human_units}"
        if not bounded and np.ptp(rows.human[rows.seen]) == 0:
            return "the human value is the same in all rows, which shows no spread"
        return ""


def _centre(values: FloatArray) -> tuple[float, float]:
    """Return the middle and the range of values."""
    low, high = float(values.min()), float(values.max())
    return low + (high - low) / 2, high - low or 1.0
