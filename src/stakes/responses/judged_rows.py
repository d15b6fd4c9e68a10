"""Rows that a judge labelled, some of which people labelled too: checked once, in one order."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._check import InputError, read_column, read_weights
from stakes._check.partial_columns import check_known, check_within, read_partial
from stakes._typing import BoolArray, Column, FloatArray, IntArray

_EVERY = "The judge labels all rows, people label some."
_CHANCE = "It is the probability with which the row was given to people."


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Values of people, NaN where nobody looked, and of the judge; rows of weight 0 are absent.

    `share` is what a row counts among all, `human_share` among those with a human value. Rows are
    in an order of their own, so that the order in which they came changes no bit.
    """

    human: FloatArray
    judge: FloatArray
    weights: FloatArray
    chance: FloatArray | None = None  # of being given to people, where it differs by row
    unit: IntArray | None = None  # the group of each row

    @cached_property
    def seen(self) -> BoolArray:
        """Which rows have a human value."""
        return ~np.isnan(self.human)

    @property
    def n(self) -> int:
        """The number of rows."""
        return self.human.size

    @cached_property
    def n_human(self) -> int:
        """The number of rows with a human value."""
        return int(np.count_nonzero(self.seen))

    @cached_property
    def share(self) -> FloatArray:
        """What each row counts among all."""
        return self.weights / self.weights.sum()

    @cached_property
    def human_weights(self) -> FloatArray:
        """The weights of rows with a human value, who stand for those that people did not see."""
        weights = self.weights if self.chance is None else self.weights / self.chance
        return np.asarray(weights[self.seen], dtype=np.float64)

    @cached_property
    def human_share(self) -> FloatArray:
        """What each row with a human value counts among those."""
        return np.asarray(self.human_weights / self.human_weights.sum(), dtype=np.float64)

    @cached_property
    def unseen_share(self) -> float:
        """The share of rows without a human value; 0 where there are none."""
        return float(self.share[~self.seen].sum()) if self.n_human < self.n else 0.0

    @cached_property
    def judge_mean(self) -> float:
        """The mean of the judge's values over all rows."""
        return mean_by(self.weights, self.judge)

    @cached_property
    def judge_human_mean(self) -> float:
        """The same over rows with a human value."""
        return mean_by(self.human_weights, self.judge[self.seen])

    @cached_property
    def judge_other_mean(self) -> float:
        """The same over rows without one; NaN where there are none."""
        return mean_by(self.weights[~self.seen], self.judge[~self.seen])

    @cached_property
    def human_units(self) -> int:
        """The number of groups, or rows, with a human value."""
        return self.n_human if self.unit is None else np.unique(self.unit[self.seen]).size

    def part(self, kept: BoolArray | IntArray) -> "JudgedRows":
        """Return some of the rows."""
        return JudgedRows(
            self.human[kept],
            self.judge[kept],
            self.weights[kept],
            None if self.chance is None else self.chance[kept],
            None if self.unit is None else self.unit[kept],
        )

    def in_own_order(self) -> "JudgedRows":
        """Return the rows in an order that does not depend on how they came."""
        keys = [self.human, self.judge, self.weights, self.chance, self.unit]
        return self.part(np.lexsort([key for key in keys if key is not None]))


def mean_by(weights: FloatArray, values: FloatArray) -> float:
    """Return a weighted mean whose sums are rounded once; NaN of nothing."""
    total = math.fsum(weights.tolist())
    return math.fsum((weights * values).tolist()) / total if total > 0 else math.nan


def read_rows(
    human: FloatArray,
    judge: FloatArray,
    needed: BoolArray,
    *,
    groups: Column | None,
    sample_weight: Column | None,
    inclusion: Column | None,
) -> JudgedRows:
    """Return checked rows, in their own order; rows not `needed` have no labels."""
    n = human.size
    weights = read_weights(sample_weight, n)
    w = np.ones(n) if weights is None else weights / weights.max()
    counts = w > 0
    check_known(judge, "judge", needed & counts, _EVERY)
    chance = None if inclusion is None else read_partial(inclusion, "inclusion", n)
    if chance is not None:
        check_known(chance, "inclusion", needed & counts & ~np.isnan(human), _CHANCE)
        check_within(chance, "inclusion", 0, 1, _CHANCE)
        if (chance == 0).any():
            row = int((chance == 0).argmax())
            raise InputError("inclusion", "must be above 0", "0", row=row, hint=_CHANCE)
        chance = np.where(np.isnan(chance), 1.0, chance)
    human, judge = (np.where(needed, values, np.nan) for values in (human, judge))
    rows = JudgedRows(human, judge, w, chance, _units(groups, n))
    return rows.part(counts).in_own_order()


def _units(groups: Column | None, n: int) -> IntArray | None:
    """Return the group of each row as a number."""
    if groups is None:
        return None
    column = read_column(groups, "groups")
    if len(column) != n:
        raise InputError("groups", "must hold one name per row", f"{len(column)} for {n} rows")
    return np.unique(np.asarray(column.values), return_inverse=True)[1]
