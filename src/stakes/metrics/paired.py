"""The difference of two expected losses on the same samples: its value, interval and test."""

import math
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes._check import read_level
from stakes._counting import bincount
from stakes._math import quotient, sum_by, times
from stakes._typing import FloatArray, IntArray
from stakes.inference.law import FEWEST_GROUPS, Problem
from stakes.inference.pairs import Plan, Rows, problem_of
from stakes.results import Estimate, Interval
from stakes.samples import Samples

_ROUNDING = 1e-7  # of the largest loss
_ENUMERATED = 12  # rows that differ, up to which all signs are tried


@dataclass(frozen=True, eq=False)
class PairedDifference:
    """The expected loss of a first system less that of a second, on the same samples.

    `p_value` is two-sided, for no difference; the interval of a level excludes 0 where the
    p-value is below 1 - level, as both are from the same problem. Without an interval `why` states
    the reason.
    """

    value: float
    discordant: int  # samples on which the losses differ
    units: int  # samples, or groups, that vary independently
    pair: "Pair | None" = field(default=None, repr=False)
    base: FloatArray | None = field(default=None, repr=False)  # what it is in units of
    sign: float = 1.0  # -1 where the pair is the second system less the first
    why: str = ""

    @property
    def p_value(self) -> float:
        """The two-sided p-value of no difference; NaN where there is none."""
        if self.pair is None:
            return float(self.value == 0) or math.nan
        return self.pair.p_value

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return the interval of the difference, which agrees with the test."""
        read_level(level)
        if self.pair is None:
            return None
        low, high = self.pair.problem(self.base).intervals(level)[0].tolist()
        if self.sign < 0:
            low, high = 0.0 - high, 0.0 - low
        if self.p_value >= 1 - level:  # weights with no difference are likely enough
            low, high = min(low, 0.0), max(high, 0.0)
        return Interval(min(low, self.value), max(high, self.value), level)

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the difference with its interval."""
        if self.pair is None:
            return Estimate(self.value, None, self.why)
        grouped = "" if self.pair.unit is None else ", by group"
        return Estimate(self.value, self.interval(level), f"paired likelihood{grouped}")

    def distinguishable(self, level: float = 0.95) -> bool:
        """Whether the difference is distinguishable from 0: the interval excludes it."""
        return self.p_value < 1 - read_level(level)

    def turned(self) -> "PairedDifference":
        """Return the second system less the first."""
        return replace(self, value=0.0 - self.value, sign=-self.sign)

    def over(self, naive: FloatArray) -> "PairedDifference":
        """Return the difference in units of an expected loss, which varies too; the p-value stays.

        Where the difference is 0, so is any multiple of it.
        """
        if self.pair is None:
            return self
        naive = np.where(self.pair.share > 0, naive, 0.0)
        scale = _total(self.pair.mass * naive)
        if scale <= 0:
            return replace(self, value=math.nan, pair=None, why="the naive loss is 0")
        return replace(self, value=self.value / scale, base=naive)

    def ratio(self) -> Problem | None:
        """Return the problem of the first expected loss over the second, less 1."""
        if self.pair is None or not (self.pair.mass @ self.pair.second) > 0:
            return None
        return self.pair.problem(self.pair.second, turns=True)

    def if_alike(self) -> float:
        """Return the p-value of a sign-flip test; NaN where all rows that differ do so alike.

        It presupposes that the two systems err alike: that each row's losses could as well be the
        other's. Where the sizes of differences vary this is more than rows show.
        """
        if self.pair is None:
            return math.nan
        pair = self.pair
        parts = np.where(pair.share > 0, pair.share * pair.gap, 0.0)
        sizes = np.abs(parts[parts != 0])
        if not sizes.size or sizes.max() <= sizes.min() * (1 + 1e-9):
            return math.nan
        if pair.unit is None:
            return flipped(parts, pair.copies)
        return flipped(bincount(pair.unit, times(parts, pair.copies)).astype(np.float64))


@dataclass(frozen=True, eq=False)
class Pair:
    """The losses of two systems on the same rows; a row stands for `copies` samples."""

    y: IntArray
    first: FloatArray
    second: FloatArray
    n_classes: int
    priors: FloatArray | None
    weights: FloatArray | None
    copies: IntArray | None
    unit: IntArray | None
    largest: FloatArray | None
    effective: float | None = None  # number of groups, where not those of all samples count
    shift: float = 0.0

    @cached_property
    def share(self) -> FloatArray:
        """How much one sample of each row counts in the expectation."""
        return sample_shares(self.y, self.n_classes, self.priors, self.weights, self.copies)

    @property
    def mass(self) -> FloatArray:
        """How much all samples of each row count."""
        return np.asarray(times(self.share, self.copies))

    @property
    def gap(self) -> FloatArray:
        """The first loss less the second; 0 on all rows if it is but rounding."""
        with np.errstate(invalid="ignore"):  # of two infinite losses
            gap = self.first - self.second
            scale = np.abs(self.second).max(initial=0.0)
            alike = math.isfinite(scale) and np.abs(gap).max(initial=0.0) <= _ROUNDING * scale
        return np.zeros_like(gap) if alike else np.where(self.first == self.second, 0.0, gap)

    @cached_property
    def p_value(self) -> float:
        """The two-sided p-value of no difference."""
        if not self.gap[self.share > 0].any():
            return 1.0
        return self.problem(None).p_value()

    @property
    def effective_groups(self) -> float:
        """How many groups of equal size are as precise.

        Few groups need a wider interval. Between two systems the exchanged rows see to it.
        """
        if self.unit is None:
            return math.nan
        return math.inf if self.effective is None else self.effective

    def problem(self, base: FloatArray | None, *, turns: bool = False) -> Problem:
        """Return the difference as a problem of the law, in units of a loss that varies too."""
        plan = Plan(self._present(), base is not None)
        weight, gap = self._weight, self.gap
        columns = [weight * gap]
        if plan.weighs:
            columns.append(weight)
        if base is not None:
            columns.append(weight * base)
        used = self.share > 0
        rows = Rows(np.stack(columns, axis=1), self.y, self._counts).part(used)
        if self.unit is None:
            value = _total(self.mass * np.where(used, gap, 0))
            if base is not None:
                value /= _total(self.mass * np.where(used, base, 0))
            rows = rows.merged(value)
        return problem_of(
            rows,
            plan,
            self._rare(plan, rows, base, turns=turns),
            turns=turns,
            unit=None if self.unit is None else self.unit[used],
            effective=self.effective_groups,
            shift=self.shift,
        )

    @cached_property
    def _weight(self) -> FloatArray:
        return np.ones(self.y.size) if self.weights is None else self.weights / self.weights.max()

    @cached_property
    def _counts(self) -> FloatArray:
        return np.ones(self.y.size) if self.copies is None else self.copies.astype(np.float64)

    def _by_class(self, values: FloatArray) -> FloatArray:
        return sum_by(self.y, values, self.n_classes)

    def _present(self) -> FloatArray | None:
        if self.priors is None:
            return None
        held = bincount(self.y, self.share, self.n_classes) > 0
        return np.where(held, self.priors, 0.0)

    def _rare(self, plan: Plan, rows: Rows, base: FloatArray | None, *, turns: bool) -> Rows:
        """Return two rows of each class that may occur: one system alone does its worst, the other.

        Their size is that of rows seen, each counted by its size, as sums grow with the large
        ones; where prices differ from case to case, that of rows of all classes.
        """
        k, held = self.n_classes, np.flatnonzero(bincount(rows.y))  # unique loads masked arrays
        one = two = self._seen(rows)
        if self.largest is not None:
            one = two = self._possible(self.largest)
        each = np.zeros(k)
        if base is not None and not turns:  # as much as of a row of the class, for its size
            mass = np.where(self.share > 0, self._weight * self._counts, 0.0)
            end = np.abs(self.gap) if self.largest is None else self.largest
            sums = (self._by_class(mass * np.where(mass > 0, x, 0)) for x in (base, end))
            each = quotient(*sums)
        parts = []
        for sign, (size, weight) in ((1.0, one), (-1.0, two)):
            row = [sign * size[held]]
            if plan.weighs:
                row.append(weight[held])
            if base is not None:  # for a ratio the loss of the second system, which errs alone
                row.append(np.abs(row[0]) * ((sign < 0) if turns else each[held]))
            parts.append(np.stack(row, axis=1))
        return Rows(np.concatenate(parts), np.tile(held, 2), np.ones(2 * held.size))

    def _seen(self, rows: Rows) -> tuple[FloatArray, FloatArray]:
        """Return size and weight of a row of each class, as large as those that differ."""
        gap, weight = np.abs(rows.parts[:, 0]), rows.parts[:, 1]
        sums = [sum_by(rows.y, rows.counts * gap * x, self.n_classes) for x in (1.0, gap, weight)]
        some = sums[0] > 0  # a class without a difference takes after the others
        own, square, weighed = (np.where(some, part, part.sum()) for part in sums)
        return quotient(square, own), quotient(weighed, own)

    def _possible(self, end: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return size and weight of a row of each class, of how far losses can lie apart."""
        k, used = self.n_classes, self.share > 0
        weight, count = self._weight * used, self._counts
        table = np.zeros(k)
        table[self.y[used]] = end[used]
        varied = bincount(self.y, used & (table[self.y] != end), k) > 0
        heavy = np.ones(k)
        if self.weights is not None:
            heavy = quotient(self._by_class(count * weight**2), self._by_class(count * weight))
        if not varied.any():
            return table * heavy, heavy
        large = np.where(used, weight * end, 0.0)
        often = count * np.abs(large)
        total = max(_total(often), 1e-300)
        size, weighed = _total(often * large) / total, _total(often * weight) / total
        return np.where(varied, size, table * heavy), np.where(varied, weighed, heavy)


def paired_difference(  # noqa: PLR0913  two losses, and how samples become expectations
    y: IntArray,
    first: FloatArray,
    second: FloatArray,
    *,
    n_classes: int,
    priors: FloatArray | None = None,
    weights: FloatArray | None = None,
    copies: IntArray | None = None,
    unit: IntArray | None = None,
    naive: FloatArray | None = None,
    largest: FloatArray | None = None,
) -> PairedDifference:
    """Return the expected loss of a first system less that of a second.

    A row of class `y` stands for `copies` samples. Without priors class frequencies are those of
    the data, and vary too. Groups (`unit`) vary independently, samples of one group do not. With
    `naive`, losses of the naive system, the difference is in units of their expectation, whose
    variation is allowed for. `largest` is the largest possible difference of each sample, for
    losses of decisions; without it, differences are taken to be about as large as those seen. An
    infinite expected loss makes the difference infinite, two make it undefined; neither has an
    interval or a p-value.

    Examples
    --------
    Six errors that only the second system makes, none that only the first makes:

    >>> import numpy as np
    >>> y = np.repeat([0, 1], 50)
    >>> old, new = np.zeros(100), np.zeros(100)
    >>> old[:6] = 1
    >>> found = paired_difference(y, new, old, n_classes=2, largest=np.ones(100))
    >>> round(found.value, 4), round(found.p_value, 4), found.distinguishable()
    (-0.06, 0.0192, True)
    """
    pair = Pair(
        y, first, second, n_classes, priors, weights, copies, unit, largest
    )  # fmt: skip
    number = np.ones(y.size, dtype=np.int64) if copies is None else copies
    units = int(number.sum()) if unit is None else np.unique(unit).size
    counts, gap = pair.share > 0, pair.gap
    differ = int(number[(gap != 0) | np.isnan(gap)].sum())
    base = 1.0
    if naive is not None:
        base = _total(pair.mass[counts] * naive[counts])
    if base <= 0:
        return PairedDifference(math.nan, differ, units, why="the naive loss is 0")
    if not np.isfinite(gap[counts]).all():
        mass = pair.mass[counts] / base
        with np.errstate(invalid="ignore"):
            totals = [float((mass * losses[counts]).sum()) for losses in (first, second)]
        value, why = infinite_gap(*totals)
        return PairedDifference(value, differ, units, why=why)
    value = _total(pair.mass[counts] * gap[counts])
    found = PairedDifference(value, differ, units, pair)
    if unit is not None and units < FEWEST_GROUPS:
        why = f"needs {FEWEST_GROUPS} groups: got {units}"
        return PairedDifference(value / base, differ, units, why=why)
    if largest is None and not differ:
        return PairedDifference(value, 0, units, why="equal on every sample")
    return found if naive is None else found.over(naive)


def _total(values: FloatArray) -> float:
    """Return a sum, the same bits in any order."""
    return float(sum_by(np.zeros(values.size, dtype=np.int64), values, 1)[0])


def infinite_gap(first: float, second: float) -> tuple[float, str]:
    """Return the difference of two expected losses that are not both finite, and what it says.

    >>> infinite_gap(0.5, math.inf)
    (-inf, 'a value is infinite')
    >>> infinite_gap(math.inf, math.inf)
    (nan, 'infinite less infinite is undefined')
    """
    gap = first - second
    if not math.isnan(gap):
        return gap, "a value is infinite"
    known = not (math.isnan(first) or math.isnan(second))
    return gap, "infinite less infinite is undefined" if known else "a value is undefined"


def paired_losses(
    samples: Samples,
    first: FloatArray,
    second: FloatArray,
    **how: Any,  # noqa: ANN401  further arguments
) -> PairedDifference:
    """Return the difference of losses of samples, in their groups and at their priors."""
    return paired_difference(samples.y, first, second, **how_paired(samples), **how)


def how_paired(samples: Samples) -> dict[str, Any]:
    """Return how samples become expectations."""
    return {
        "n_classes": len(samples.classes), "priors": samples.given_priors,
        "weights": samples.weights, "copies": samples.copies, "unit": samples.groups,
    }  # fmt: skip


def sample_shares(
    y: IntArray,
    n_classes: int,
    priors: FloatArray | None,
    weights: FloatArray | None,
    copies: IntArray | None = None,
) -> FloatArray:
    """Return how much one sample of each row counts in the expectation."""
    w = np.ones(y.size) if weights is None else weights / weights.max()
    if priors is None:
        return np.asarray(w / _total(np.asarray(times(w, copies), dtype=np.float64)))
    total = sum_by(y, np.asarray(times(w, copies), dtype=np.float64), n_classes)
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(priors > 0, priors / total, 0.0)
    return np.asarray(w * factor[y], dtype=np.float64)


def flipped(parts: FloatArray, copies: IntArray | None = None) -> float:
    """Return the two-sided p-value of a sum if each part could as well have the other sign.

    Of up to twelve parts all signs are tried; more are taken as normal.

    >>> flipped(np.ones(5)), round(flipped(np.ones(100)), 4)
    (0.0625, 0.0)
    """
    number = np.ones(parts.size, dtype=np.int64) if copies is None else copies
    some, total = parts != 0, abs(float(number @ parts))
    often = number[some]
    if often.sum() > _ENUMERATED:
        return math.erfc(total / math.sqrt(2 * float(number @ np.square(parts))))
    size = np.repeat(np.abs(parts[some]), often)
    signs = 2.0 * (np.arange(2**size.size)[:, None] >> np.arange(size.size) & 1) - 1
    return float((np.abs(signs @ size) >= total * (1 - 1e-9)).mean())
