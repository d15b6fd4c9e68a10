"""What chance makes of a binned calibration error: its expectation, its bias and its interval.

The error is the sum over bins of |D|, where D is the weighted mean of event - probability over the
samples of a bin. Each D is close to normal, so that |D| is folded normal, with a mean above that
of the bin. The gaps are therefore scaled down until their expected error is the one that was seen.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from statistics import NormalDist

import numpy as np

from stakes._typing import FloatArray
from stakes.statistics import BinSums

FEWEST = 5  # samples of either outcome below which no interval is given
_PRIOR_EVENTS = 1.0  # events as frequent as predicted that enter the variance of a bin
_STEPS, _CLOSE, _LARGEST_SCALE = 60, 1e-10, 1e9


@dataclass(frozen=True, eq=False)
class GapModel:
    """Gaps of the bins with their spread, from sums by bin and outcome.

    `fixed` says that the two outcomes are classes whose weights are fixed by given priors; else
    how often the event happens varies too.
    """

    sums: BinSums
    fixed: bool

    @cached_property
    def gap(self) -> FloatArray:
        """Return the weighted mean of event - probability over all samples, by bin."""
        return np.asarray(self._parts.sum(axis=0))

    @cached_property
    def _total(self) -> float:
        """Weight of all samples."""
        return math.fsum(self.sums.weight)

    @cached_property
    def _parts(self) -> FloatArray:
        """What the samples of either outcome add to the gap of each bin."""
        s = self.sums
        return np.stack([-s.probability_by[0], s.weight_by[1] - s.probability_by[1]]) / self._total

    @cached_property
    def _unit(self) -> FloatArray:
        """Weight of one sample of either outcome in each bin, all of them weighing 1."""
        return self.sums.units / self._total

    @cached_property
    def _sizes(self) -> FloatArray:
        """Number of samples of either outcome in each bin."""
        return self.sums.sizes

    @cached_property
    def enough(self) -> bool:
        """Whether both outcomes have enough samples, as they came and at the priors of use."""
        share = self.sums.weight_by.sum(axis=1) / self._total
        effective = self._total**2 / math.fsum(self.sums.square)
        return min(*self._sizes.sum(axis=1), *(effective * share)) >= FEWEST

    def _inside(self, probability: FloatArray) -> FloatArray:
        """Return the variance of probabilities within a bin: exact where they are uniform."""
        low = np.concatenate([[0.0], self.sums.edges])
        high = np.concatenate([self.sums.edges, [1.0]])
        return np.maximum((probability - low) * (high - probability), 0.0) / 3

    @cached_property
    def _mean(self) -> FloatArray:
        """Mean probability of the samples in each bin, one as heavy as another."""
        unit, size = self.sums.units, self._sizes.sum(axis=0)
        parts = self.sums.probability_by
        total = np.divide(parts, unit, out=np.zeros_like(parts), where=unit > 0).sum(axis=0)
        return np.divide(total, size, out=np.zeros_like(total), where=size > 0)

    @cached_property
    def _rate(self) -> FloatArray:
        """Share of events in the file, if posteriors are right at the priors of use."""
        p, (u0, u1) = self._mean, self._unit
        scale = u0 * p + u1 * (1 - p)
        return np.divide(u0 * p, scale, out=np.zeros_like(p), where=scale > 0)

    @cached_property
    def _even(self) -> FloatArray:
        """What is left of p (1 - p) of the mean probability as probabilities differ in a bin."""
        p = self._mean
        product = p * (1 - p)
        rest = np.maximum(product - self._inside(p), 0.0)
        return np.divide(rest, product, out=np.zeros_like(p), where=product > 0)

    @cached_property
    def _if_calibrated(self) -> FloatArray:
        """Variance of each gap if posteriors are right and outcomes vary by themselves."""
        p, (u0, u1) = self._mean, self._unit
        return np.asarray(self._sizes.sum(axis=0) * u0 * u1 * p * (1 - p) * self._even)

    @cached_property
    def _strata(self) -> tuple[tuple[FloatArray, float], ...]:
        """What each group of samples of fixed number adds to the gaps, and its size."""
        sizes = self._sizes.sum(axis=1)
        if not self.fixed:
            return ((self.gap, float(sizes.sum())),)
        return tuple((self._parts[k], float(sizes[k])) for k in (0, 1) if sizes[k] > 0)

    @cached_property
    def variance(self) -> FloatArray:
        """Variance of the gap of each bin.

        That of the samples, but no less than with one more event, as frequent as predicted: a bin
        without events has told little about their rate.
        """
        s, size = self.sums, self._sizes.sum(axis=0)
        middle = (np.concatenate([[0.0], s.edges]) + np.concatenate([s.edges, [1.0]])) / 2
        weight = s.weight_by
        p = np.divide(s.probability_by, weight, out=np.tile(middle, (2, 1)), where=weight > 0)
        residual = np.square(p - [[0.0], [1.0]]) + self._inside(p)
        seen = (s.square_by * residual).sum(axis=0) / self._total**2
        chance = self._rate * (1 - self._rate)
        extra = np.divide(_PRIOR_EVENTS, chance, out=np.zeros_like(chance), where=chance > 0)
        mixed = (size * seen + extra * self._if_calibrated) / np.maximum(size + extra, 1e-300)
        means = sum(np.square(part) / n for part, n in self._strata)
        return np.maximum(np.maximum(seen, mixed) - means, 0.0)

    @cached_property
    def expected(self) -> float:
        """Return the error that a perfectly calibrated system has on average.

        Within a bin the number of events is then binomial; its mean distance from the expected
        number is De Moivre's.
        """
        p, (u0, u1) = self._mean, self._unit
        distance = binomial_distance(self._sizes.sum(axis=0), self._rate)
        terms = (u1 * (1 - p) + u0 * p) * distance * np.sqrt(self._even)
        if self.fixed:
            half = (self._parts[1] - self._parts[0]) / 2
            sizes = self._sizes.sum(axis=1)
            if not sizes.all():
                return 0.0
            lost = np.square(half) * float((1 / sizes).sum())
            known = self._if_calibrated
            share = np.divide(lost, known, out=np.ones_like(known), where=known > 0)
            terms = terms * np.sqrt(np.maximum(1 - share, 0.0))
        return math.fsum(terms)

    @property
    def value(self) -> float:
        """The error itself."""
        return math.fsum(np.abs(self.gap))

    @cached_property
    def debiased(self) -> float:
        """Return the error whose expectation, bias included, is the one that was seen."""
        size = np.abs(self.gap)
        return self.value * _root(lambda s: self._moments(s * size)[0] - self.value)

    def interval(self, level: float) -> tuple[float, float]:
        """Return an interval of the error without its bias; it includes the observed one.

        Below, gaps are scaled down until the observed error would be too large; above, they are
        scaled up, those within noise of 0 included, until it would be too small.
        """
        z, size = NormalDist().inv_cdf((1 + level) / 2), np.abs(self.gap)

        def too_large(scale: float) -> float:
            mean, deviation, skew = self._moments(scale * size)
            return mean + (z + skew * (z * z - 1) / 6) * deviation - self.value

        def too_small(scale: float) -> float:
            mean, deviation, _ = self._moments(scale * spread)
            return mean - z * deviation - self.value

        spread = np.sqrt(size * size + self.variance)
        low, high = self.value * _root(too_large), math.fsum(spread) * _root(too_small)
        return min(low, self.value), max(high, self.value)

    def _moments(self, gap: FloatArray) -> tuple[float, float, float]:
        """Return mean, deviation and skewness of the error where gaps are as given.

        Gaps beyond the observed ones come from further events, each of the weight of one sample.
        """
        p, (u0, u1) = self._mean, self._unit
        further = np.maximum(gap - np.abs(self.gap), 0.0) * np.maximum(u0 * p, u1 * (1 - p))
        square = self.variance + further
        mean, third, signs = _folded(gap, np.sqrt(square))
        signs = np.sign(self.gap) * signs
        shared = sum(
            (float(signs @ part) ** 2 - float(np.square(signs * part).sum())) / n
            for part, n in self._strata
        )
        second = gap * gap + square
        variance = max(float((second - mean * mean).sum()) - shared, 0.0)
        deviation = math.sqrt(variance)
        central = float((third - 3 * mean * second + 2 * mean**3).sum())
        return math.fsum(mean), deviation, central / deviation**3 if deviation > 0 else 0.0


def _folded(gap: FloatArray, deviation: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return E|X|, E|X|^3 and E sign(X) of normal X."""
    z = np.divide(gap, deviation, out=np.full_like(gap, 40.0), where=deviation > 0)
    z = np.minimum(z, 40.0)
    signs = np.array([math.erf(x / math.sqrt(2)) for x in z.tolist()])
    density = np.exp(-z * z / 2) / math.sqrt(2 * math.pi)
    mean = 2 * deviation * density + gap * signs
    third = gap * (gap * gap + 3 * deviation**2) * signs
    third += 2 * deviation * (gap * gap + 2 * deviation**2) * density
    return mean, third, signs


def _root(excess: Callable[[float], float]) -> float:
    """Return where a rising function of a scale passes 0; 0 where it is above from the start.

    False position; an end that stays twice counts half (Illinois).
    """
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
