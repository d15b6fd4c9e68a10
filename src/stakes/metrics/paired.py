"""The difference of two expected losses on the same samples: its value, interval and test."""

import math
from dataclasses import dataclass, field, replace
from statistics import NormalDist
from typing import Any

import numpy as np

from stakes._check import read_level
from stakes._counting import bincount
from stakes._math import count_by, quotient, times
from stakes._quantiles import student
from stakes._typing import FloatArray, IntArray
from stakes.metrics.spreads import EventSpread, Spread, Stratum, StudentSpread, flip_test
from stakes.results import Estimate, Interval
from stakes.samples import Samples

_STEP = 4.0  # events whose possible weights differ by less are counted together
_MOST_STRATA = 6
_ROUNDING = 1e-7  # of the largest loss


@dataclass(frozen=True, eq=False)
class PairedDifference:
    """The expected loss of a first system less that of a second, on the same samples.

    `p_value` is two-sided, for no difference; the interval of a level excludes 0 where the
    p-value is below 1 - level. Without an interval `why` states the reason.
    """

    value: float
    p_value: float
    discordant: int  # samples on which the losses differ
    units: int  # samples, or groups, that vary independently
    spread: Spread | None = field(default=None, repr=False)
    why: str = ""
    exchangeable: bool = False  # tested by sign-flips alone
    allowing: "PairedDifference | None" = None  # the same, with errors not seen allowed for

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return the interval of the difference, which agrees with the test."""
        alpha = 1 - read_level(level)
        if self.spread is None:
            return None
        below, above = self.spread.reach(student(1 - alpha, self.spread.degrees))
        inward = below if self.value > 0 else above
        if self.value and (inward < abs(self.value)) != (self.p_value < alpha):
            inward = abs(self.value)  # the test knows of few samples what the spread does not
            if self.p_value < 1:
                normal = NormalDist()
                quantile = -normal.inv_cdf(self.p_value / 2)
                inward = inward * -normal.inv_cdf(alpha / 2) / quantile
            below, above = (inward, above) if self.value > 0 else (below, inward)
        return Interval(self.value - below, self.value + above, level)

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the difference with its interval."""
        method = self.why if self.spread is None else self.spread.method
        return Estimate(self.value, self.interval(level), method)

    def distinguishable(self, level: float = 0.95) -> bool:
        """Whether the difference is distinguishable from 0: the interval excludes it."""
        return self.p_value < 1 - read_level(level)

    def turned(self) -> "PairedDifference":
        """Return the second system less the first."""
        spread = None if self.spread is None else self.spread.turned()
        allowing = None if self.allowing is None else self.allowing.turned()
        return replace(self, value=0.0 - self.value, spread=spread, allowing=allowing)


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
    exchangeable: bool = False,
    factor: float = 1.0,
) -> PairedDifference:
    """Return the expected loss of a first system less that of a second, or a multiple of that.

    A row of class `y` stands for `copies` samples. Without priors class frequencies are those of
    the data, and vary too. Groups (`unit`) vary independently, samples of one group do not. With
    `naive`, losses of the naive system, the difference is in units of their expectation, whose
    variation is allowed for. `largest` is the largest possible difference of each sample, for
    losses of decisions: errors that were not seen are then allowed for. Without it losses are
    taken as smooth and compared by a t-test. If systems are `exchangeable`, two that cost the same
    are as likely to have each other's losses, and the p-value is that of the sign-flip test alone,
    exact also with few errors. A `factor` of the second loss tests a ratio of losses: equal losses
    then shift the difference, but are no evidence for its sign. An infinite expected loss makes
    the difference infinite, two make it undefined; neither has an interval or a p-value.

    Examples
    --------
    Six errors that only the second system makes, none that only the first makes:

    >>> import numpy as np
    >>> y = np.repeat([0, 1], 50)
    >>> old, new = np.zeros(100), np.zeros(100)
    >>> old[:6] = 1
    >>> found = paired_difference(y, new, old, n_classes=2, largest=np.ones(100))
    >>> round(found.value, 4), round(found.p_value, 4), found.distinguishable()
    (-0.06, 0.0312, True)
    """
    unequal = _unequal(first, second)
    with np.errstate(invalid="ignore"):  # of two infinite losses
        gap = np.where(unequal, first, second) - factor * second
    number = np.ones(y.size, dtype=np.int64) if copies is None else copies
    units = int(number.sum()) if unit is None else np.unique(unit).size
    differ = int(number[unequal].sum())
    share = sample_shares(y, n_classes, priors, weights, copies)
    counts = share > 0
    naive = None if naive is None else np.where(counts, naive, 0.0)
    base = 1.0 if naive is None else float(times(share, copies) @ naive)
    if base <= 0:
        return PairedDifference(math.nan, math.nan, differ, units, why="the naive loss is 0")
    if not np.isfinite(gap[counts]).all():
        mass = times(share, copies)[counts] / base
        with np.errstate(invalid="ignore"):
            totals = [float((mass * losses[counts]).sum()) for losses in (first, second)]
        value, why = infinite_gap(totals[0], factor * totals[1])
        return PairedDifference(value, math.nan, differ, units, why=why)
    gap = np.where(counts, gap, 0.0)
    share = share / base
    part = share * gap
    value = float(times(part, copies).sum())
    residual = part if naive is None else part - share * naive * value
    if naive is None and priors is None:
        residual = part - share * value
    if unit is not None and units < 2:
        return PairedDifference(value, math.nan, differ, units, why="needs two groups: got 1")
    data = _Data(y, share, part, residual, n_classes, priors is not None, unit, copies)
    spread: Spread | None
    if largest is None:
        if not differ:
            return PairedDifference(value, 1.0, 0, units, why="equal on every sample")
        spread, why = data.student()
        if spread is None:
            return PairedDifference(value, math.nan, differ, units, why=why)
    else:
        spread = data.events(max(factor, 1.0) * share * largest, value)
    flipped = np.where(unequal, part, 0.0)
    shift = 0.0 if factor == 1 else value - float(times(flipped, copies).sum())
    if unit is not None:
        flipped, copies = _grouped(unit, times(flipped, copies)), None
    p_value = flip_test(flipped, shift, copies)
    if not exchangeable:
        p_value = max(p_value, spread.p_value(value))
    return PairedDifference(value, p_value, differ, units, spread, exchangeable=exchangeable)


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
    return paired_difference(
        samples.y, first, second, n_classes=len(samples.classes), priors=samples.given_priors,
        weights=samples.weights, copies=samples.copies, unit=samples.groups, **how,
    )  # fmt: skip


def _unequal(first: FloatArray, second: FloatArray) -> "np.ndarray":
    """Return where losses differ; nowhere if that is rounding, or fits that end near an optimum."""
    with np.errstate(invalid="ignore"):
        gap = np.abs(first - second)
    scale = np.abs(second).max(initial=0.0)
    alike = math.isfinite(scale) and gap.max(initial=0.0) <= _ROUNDING * scale
    return np.zeros(gap.size, dtype=np.bool_) if alike else first != second


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
        return np.asarray(w / times(w, copies).sum(), dtype=np.float64)
    total = bincount(y, times(w, copies), n_classes)
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = np.where(priors > 0, priors / total, 0.0)
    return np.asarray(w * factor[y], dtype=np.float64)


def _grouped(unit: IntArray, values: FloatArray) -> FloatArray:
    return np.asarray(bincount(unit, values), dtype=np.float64)


@dataclass(frozen=True, eq=False)
class _Data:
    """The parts of a difference, those of one sample of each row, and how they vary."""

    y: IntArray
    share: FloatArray
    part: FloatArray
    residual: FloatArray
    n_classes: int
    stratified: bool  # class sizes are fixed, so that only the spread within classes counts
    unit: IntArray | None
    copies: IntArray | None

    @property
    def _counts(self) -> IntArray:
        return count_by(self.y, self.copies, self.n_classes)

    def _by_class(self, values: FloatArray) -> FloatArray:
        sums: FloatArray = bincount(self.y, times(values, self.copies), self.n_classes)  # type: ignore[assignment]
        return sums

    def _squares(self, values: FloatArray) -> float:
        return float(times(np.square(values), self.copies).sum())

    def student(self) -> tuple[StudentSpread | None, str]:
        """Return the spread of smooth losses, or why there is none."""
        if self.unit is not None:
            groups = np.unique(self.unit).size
            return StudentSpread(math.sqrt(self._between_groups()), groups - 1), ""
        counts = self._counts
        inner, number = self.residual, counts if self.stratified else counts.sum()
        if self.stratified:
            inner = inner - (self._by_class(inner) / np.maximum(counts, 1))[self.y]
        variances = self._by_class(np.square(inner)) * number / np.maximum(number - 1, 1)
        counted = bincount(self.y, self.share, self.n_classes) > 0
        if self.stratified and (counts[counted] == 1).any():
            return None, "a class has one sample"
        total = float(variances.sum())
        degrees = np.maximum(counts - 1, 1)
        if total <= 0:
            return StudentSpread(0.0, float(degrees.sum())), ""
        satterthwaite = total**2 / float((np.square(variances) / degrees).sum())
        return StudentSpread(math.sqrt(total), satterthwaite), ""

    def events(self, possible: FloatArray, value: float) -> EventSpread:
        """Return the spread of decisions: score intervals of what was seen in either direction."""
        raw, centred = self._squares(self.part), self._squares(self.residual)
        if self.unit is not None:
            centred = self._between_groups()
        elif self.stratified:  # about the mean, which is known too little of few samples
            about = np.square(self._by_class(self.residual)) / (self._counts + 4.0)
            centred = max(centred - float(about.sum()), 0.0)
        shrink = math.sqrt(centred / raw) if raw > 0 else 1.0
        cluster = 1.0 if self.unit is None else max(shrink, 1.0)
        unseen, step = self._unseen(possible)
        each = step[self.y]
        strata = []
        for k in sorted(set(step[unseen > 0].tolist())):
            mine = each == k
            times_each = None if self.copies is None else self.copies[mine]
            weight = cluster * float(unseen[step == k].max())
            strata.append(Stratum.from_parts(self.part[mine], weight, times_each))
        degrees = math.inf if self.unit is None else np.unique(self.unit).size - 1
        return EventSpread(tuple(strata), shrink, value, degrees)

    def _unseen(self, possible: FloatArray) -> tuple[FloatArray, IntArray]:
        """Return what an error not seen weighs in each class, and classes of about one weight.

        Where prices or weights differ within a class it is their mean, each counted by itself:
        a sum of errors grows with the large ones.
        """
        total, square = self._by_class(possible), self._by_class(np.square(possible))
        unseen = quotient(square, total)
        step = np.zeros(self.n_classes, dtype=np.int64)
        used = unseen > 0
        ratio = np.log(unseen.max(initial=0.0) / unseen[used]) / math.log(_STEP)
        step[used] = np.minimum(np.floor(ratio + 1e-9), _MOST_STRATA - 1)
        return unseen, step

    def _between_groups(self) -> float:
        sums = _grouped(self.unit, times(self.residual, self.copies))  # type: ignore[arg-type]
        sums = sums[bincount(self.unit) > 0]  # type: ignore[arg-type]
        return float(np.square(sums - sums.mean()).sum()) * sums.size / max(sums.size - 1, 1)
