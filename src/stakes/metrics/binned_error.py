"""What chance makes of a binned calibration error: its expectation, its bias and its interval.

The error is the sum over bins of |D|, where D is the weighted mean of event - probability over the
samples of a bin. Each D is close to normal, so that |D| is folded normal, with a mean above that
of the bin. The gaps are therefore scaled down until their expected error is the one that was seen.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from stakes._kernels.group_sums import sum_by
from stakes._math import quotient
from stakes._typing import FloatArray
from stakes.metrics.class_gaps import FEWEST, ClassGaps
from stakes.statistics import BinSums

_PRIOR_EVENTS = 1.0  # events as frequent as predicted that enter the variance of a bin
_PLACES = 0.01, 200.0, 300  # where a characteristic function is read, in deviations
_STEPS, _CLOSE, _LARGEST_SCALE = 60, 1e-10, 1e9


Strata = tuple[tuple[FloatArray, float], ...]  # what each group of fixed number adds, its number


@dataclass(frozen=True, eq=False)
class Steps:
    """Steps times centred binomial numbers, with given variances and third moments."""

    size: FloatArray
    rate: FloatArray
    step: FloatArray

    @classmethod
    def from_moments(cls, size: FloatArray, variance: FloatArray, third: FloatArray) -> Self:
        """Return those with these numbers of samples, variances and third moments."""
        one = quotient(variance, size)
        cube = size * one**1.5
        skew = quotient(third, cube)
        rate = np.where(cube > 0, (1 - skew / np.sqrt(4 + skew * skew)) / 2, 0.0)
        return cls(size, rate, np.sqrt(quotient(one, rate * (1 - rate))))

    @property
    def variance(self) -> FloatArray:
        """Variance of each."""
        return self.size * self.rate * (1 - self.rate) * np.square(self.step)

    def distance(self) -> FloatArray:
        """Return the mean size of their sum over rows, from its characteristic function.

        E|X| is the integral of 2 (1 - Re f(t)) / (pi t^2) over t > 0.
        """
        deviation = np.sqrt(self.variance.sum(axis=0))
        place = np.geomspace(*_PLACES)
        out = np.zeros_like(deviation)
        for b in np.flatnonzero(deviation > 0).tolist():
            use = self.step[:, b] > 0
            n, q = self.size[use, b, None], self.rate[use, b, None]
            angle = np.outer(self.step[use, b] / deviation[b], place)
            one = np.log1p(q * np.expm1(1j * angle)) - 1j * q * angle
            rest = 1 - np.exp((n * one).sum(axis=0)).real
            area = np.trapezoid(rest / place, np.log(place)) + place[0] / 2 + 1 / place[-1]
            out[b] = 2 / math.pi * deviation[b] * area
        return out


@dataclass(frozen=True, eq=False)
class Chance(Steps):
    """The gap of each bin if posteriors are right: a step times a centred binomial number.

    `even` is what is left of its variance as probabilities differ within the bin. `strata` are
    the classes, where priors fix their weights.
    """

    even: FloatArray
    strata: Strata
    choices: Steps | None = None  # of each chosen class, where their steps differ

    @classmethod
    def from_outcomes(cls, sums: BinSums, *, fixed: bool) -> Self:
        """Return that of bins in which all samples of an outcome weigh about the same."""
        total = math.fsum(sums.weight)
        (u0, u1), sizes = sums.units / total, sums.sizes
        size, parts, unit = sizes.sum(axis=0), sums.probability_by, sums.units
        # the mean probability of the samples in each bin, one as heavy as another
        p = quotient(quotient(parts, unit).sum(axis=0), size)
        step = u0 * p + u1 * (1 - p)
        rate = quotient(u0 * p, step)
        product = p * (1 - p)
        even = quotient(np.maximum(product - inside(sums.edges, p), 0.0), product)
        if not fixed:
            return cls(size, rate, step, even, ())
        down, up = _parts(sums)
        numbers = sizes.sum(axis=1)
        if not numbers.all():  # one class has prior 0, so that nothing is left to chance
            even = np.zeros_like(even)
        strata = tuple(((up - down) / 2, float(n)) for n in numbers if n > 0)
        return cls(size, rate, step, even, strata)

    @classmethod
    def from_classes(cls, gaps: ClassGaps, total: float) -> Self:
        """Return that of confidences at given priors: its variance and skewness are known."""
        variance, third = gaps.variance / total**2, gaps.third / total**3
        whole = Steps.from_moments(*(x.sum(axis=0) for x in (gaps.count, variance, third)))
        kept = np.flatnonzero(gaps.rate > 0)
        strata = tuple((gaps.expected[k] / total, float(gaps.rate[k])) for k in kept)
        even, choices = np.ones_like(whole.size), Steps.from_moments(gaps.count, variance, third)
        return cls(whole.size, whole.rate, whole.step, even, strata, choices)

    def fine_strata(self) -> Strata:
        """Return the strata of bins so fine that each has few samples, of about one probability."""
        if self.choices is not None or not self.strata:
            return self.strata
        part = self.size * self.rate * (1 - self.rate) * self.step
        numbers = math.fsum(self.size * (1 - self.rate)), math.fsum(self.size * self.rate)
        return tuple((part, n) for n in numbers if n > 0)

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of each gap where outcomes vary by themselves."""
        return super().variance * self.even

    @cached_property
    def expected(self) -> float:
        """Return the error that a perfectly calibrated system has on average."""
        if self.choices is not None:
            terms = self.choices.distance()
        else:
            terms = self.step * binomial_distance(self.size, self.rate) * np.sqrt(self.even)
        known = self.variance
        lost = sum((np.square(part) / n for part, n in self.strata), np.zeros_like(known))
        share = quotient(lost, known, 1.0)
        return math.fsum(terms * np.sqrt(np.maximum(1 - share, 0.0)))


@dataclass(frozen=True, eq=False)
class GapModel:
    """Gaps of the bins with their spread, which is worked out when it is first asked for.

    `fixed` says that priors fix the weights of classes: of the two outcomes or, for confidences, of
    those that `gaps` has rows for. Else how often the event happens varies too.
    """

    sums: BinSums
    fixed: bool
    gaps: ClassGaps | None = None

    method = "folded normal, without bias"

    @cached_property
    def chance(self) -> Chance:
        """The gaps if posteriors are right."""
        if self.gaps is None:
            return Chance.from_outcomes(self.sums, fixed=self.fixed)
        return Chance.from_classes(self.gaps, self._total)

    @cached_property
    def strata(self) -> Strata:
        """Groups of samples of fixed number."""
        if self.gaps is not None:
            sizes = sum_by(self.gaps.group, self.gaps.sizes(), len(self.gaps.seen)).tolist()
            both = zip(self.gaps.seen, sizes, strict=True)
            return tuple((seen / self._total, n) for seen, n in both if n >= FEWEST)
        parts, numbers = _parts(self.sums), self.sums.sizes.sum(axis=1)
        if not self.fixed:
            return ((parts.sum(axis=0), float(numbers.sum())),)
        return tuple((parts[k], float(numbers[k])) for k in (0, 1) if numbers[k] > 0)

    @cached_property
    def gap(self) -> FloatArray:
        """Weighted mean of event - probability over all samples, by bin: sizes are the error."""
        return np.asarray(_parts(self.sums).sum(axis=0))

    @cached_property
    def _total(self) -> float:
        return math.fsum(self.sums.weight)

    @cached_property
    def lacking(self) -> str:
        """The outcome or class with too few samples, as they came or at the priors of use."""
        if self.gaps is not None and self.gaps.fewest() < FEWEST:
            return "a class that weighs a tenth or more"
        share = self.sums.weight_by.sum(axis=1) / self._total
        effective = self._total**2 / math.fsum(self.sums.square)
        seen = min(*self.sums.sizes.sum(axis=1), *(effective * share))
        return "an outcome" if seen < FEWEST else ""

    @cached_property
    def seen(self) -> FloatArray:
        """Mean square of what single samples add to the gap of each bin, summed."""
        s = self.sums
        middle = (np.concatenate([[0.0], s.edges]) + np.concatenate([s.edges, [1.0]])) / 2
        p = quotient(s.probability_by, s.weight_by, middle)
        residual = np.square(p - [[0.0], [1.0]]) + inside(s.edges, p)
        return np.asarray((s.square_by * residual).sum(axis=0) / self._total**2)

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of each gap."""
        c = self.chance
        mixed = with_prior_event(self.seen, c.variance, c.size, c.rate * (1 - c.rate))
        means = sum(np.square(part) / n for part, n in self.strata)
        return np.maximum(mixed - means, 0.0)

    @property
    def expected(self) -> float:
        """The error that a perfectly calibrated system has on average."""
        return self.chance.expected

    @property
    def value(self) -> float:
        """The error itself."""
        return math.fsum(np.abs(self.gap))

    def moments(self, gap: FloatArray) -> tuple[float, float, float]:
        """Return mean, deviation and skewness of the error where sizes of gaps are as given.

        Gaps beyond the observed ones come from further events, each of the weight of one sample.
        """
        square = self._square(gap)
        mean, third, signs = _folded(gap, np.sqrt(square))
        signs = np.sign(self.gap) * signs
        shared = sum(
            (float(signs @ part) ** 2 - float(np.square(signs * part).sum())) / n
            for part, n in self.strata
        )
        second = gap * gap + square
        variance = max(float((second - mean * mean).sum()) - shared, 0.0)
        deviation = math.sqrt(variance)
        central = float((third - 3 * mean * second + 2 * mean**3).sum())
        return math.fsum(mean), deviation, central / deviation**3 if deviation > 0 else 0.0

    def _square(self, gap: FloatArray) -> FloatArray:
        """Return the variance of each gap where sizes of gaps are as given."""
        c = self.chance
        further = np.maximum(gap - np.abs(self.gap), 0.0) * c.step * np.maximum(c.rate, 1 - c.rate)
        return self.variance + further

    def least_mean(self, gap: FloatArray) -> float:
        """Return the mean of the error; at given priors its bias is bounded.

        The mean size of a gap exceeds the size of its mean by at most twice what either outcome
        adds to it. A normal gap exceeds it by more where few heavy samples fall into a bin.
        """
        mean, _, _ = _folded(gap, np.sqrt(self._square(gap)))
        if self.fixed:
            mean = np.minimum(mean, gap + 2 * np.abs(_parts(self.sums)).min(axis=0))
        return math.fsum(mean)


def with_prior_event(
    seen: FloatArray, calibrated: FloatArray, size: FloatArray, chance: FloatArray
) -> FloatArray:
    """Return variances seen, but no less than with one more event: no events tell little."""
    extra = quotient(_PRIOR_EVENTS, chance)
    mixed = (size * seen + extra * calibrated) / np.maximum(size + extra, 1e-300)
    return np.maximum(seen, mixed)


def inside(edges: FloatArray, probability: FloatArray) -> FloatArray:
    """Return the variance of probabilities within a bin: exact where they are uniform."""
    low, high = np.concatenate([[0.0], edges]), np.concatenate([edges, [1.0]])
    return np.maximum((probability - low) * (high - probability), 0.0) / 3


def _parts(sums: BinSums) -> FloatArray:
    """Return what the samples of either outcome add to the gap of each bin."""
    down, up = -sums.probability_by[0], sums.weight_by[1] - sums.probability_by[1]
    return np.stack([down, up]) / math.fsum(sums.weight)


def _folded(gap: FloatArray, deviation: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return E|X|, E|X|^3 and E sign(X) of normal X."""
    z = np.minimum(quotient(gap, deviation, 40.0), 40.0)
    signs = np.array([math.erf(x / math.sqrt(2)) for x in z.tolist()])
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    mean = 2 * deviation * density + gap * signs
    third = gap * (gap * gap + 3 * deviation**2) * signs
    third += 2 * deviation * (gap * gap + 2 * deviation**2) * density
    return mean, third, signs


def root(excess: Callable[[float], float]) -> float:
    """Return where a rising function passes 0, by false position (Illinois); 0 if above at once."""
    low, high = 0.0, 1.0
    below, above = excess(low), excess(high)
    if below >= 0:
        return low
    while above < 0 and high < _LARGEST_SCALE:
        low, below, high = high, above, 2 * high
        above = excess(high)
    stayed = 0
    for _ in range(_STEPS):
        middle = (low * above - high * below) / (above - below)
        if high - low <= _CLOSE * high or not low < middle < high:
            break
        found = excess(middle)
        if found < 0:
            low, below, above = middle, found, above / (2 if stayed < 0 else 1)
            stayed = -1
        else:
            high, above, below = middle, found, below / (2 if stayed > 0 else 1)
            stayed = 1
        if found == 0:
            return middle
    return high


def binomial_distance(size: FloatArray, rate: FloatArray) -> FloatArray:
    """Return E|X - n q| of binomial X: 2 k C(n, k) q^k (1 - q)^(n - k + 1), k = floor(n q) + 1.

    Examples
    --------
    >>> import numpy as np
    >>> binomial_distance(np.array([1.0, 2.0]), np.array([0.5, 0.5])).round(12)
    array([0.5, 0.5])
    """
    out = np.zeros(size.size)
    for i, (n, q) in enumerate(zip(size.tolist(), rate.tolist(), strict=True)):
        if n > 0 and 0 < q < 1:
            k = min(math.floor(n * q) + 1.0, n)
            ways = math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)
            out[i] = 2 * k * math.exp(ways + k * math.log(q) + (n - k + 1) * math.log1p(-q))
    return out
