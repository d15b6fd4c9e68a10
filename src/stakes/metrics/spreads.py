"""How far a paired difference may be from the truth, and how surprising it is without one."""

import math
from dataclasses import dataclass, replace
from typing import Any, Self

import numpy as np

from stakes._counting import repeat
from stakes._math import times
from stakes._quantiles import outside
from stakes._typing import FloatArray, Floats, IntArray

_ENUMERATED = 12  # of the largest parts all signs are tried; the sum of the others is near normal
_NEGLIGIBLE = 6.5  # the complementary error function beyond it is below 1e-19
_FAR, _HALVINGS = 60.0, 34  # standard errors; beyond it every difference is distinguishable


@dataclass(frozen=True)
class Stratum:
    """Events of about the same possible weight, in which the first or the second costs more."""

    up: float
    up_variance: float
    down: float
    down_variance: float
    unseen: float  # what an event that was not seen weighs

    @classmethod
    def from_parts(cls, parts: FloatArray, unseen: float, copies: IntArray | None = None) -> Self:
        """Return the sums of events of either direction; each part occurs `copies` times."""
        return cls(*_sums(parts, copies), *_sums(-parts, copies), unseen)

    def too_high(self, q: float, shrink: float) -> float:
        """Return the squared distance by which a difference may be too high."""
        seen = shrink * fewer(q, self.up, self.up_variance)
        return seen**2 + more(q, shrink**2 * self.down_variance, self.unseen) ** 2

    def turned(self) -> "Stratum":
        """Return the events with the systems exchanged."""
        return Stratum(self.down, self.down_variance, self.up, self.up_variance, self.unseen)


def _sums(parts: FloatArray, copies: IntArray | None) -> tuple[float, float]:
    """Return the sum of the parts above 0, and that of their squares."""
    events = parts[parts > 0]
    every = times(events, None if copies is None else copies[parts > 0])
    return float(every.sum()), float(every @ events)


def more(q: float, variance: Floats, unseen: Floats) -> Any:  # noqa: ANN401  as it is given
    """Return how far the mean of a weighted sum of rare events may lie above it.

    It is a second-order interval of a Poisson mean; where no event was seen it allows for 2.8
    of them at a level of 95 %.
    """
    return q * (variance + 0.16 * (q * unseen) ** 2) ** 0.5 + q * q * unseen / 3


def fewer(q: float, total: Floats, variance: Floats) -> Any:  # noqa: ANN401  as it is given
    """Return how far the mean of a weighted sum of rare events may lie below it."""
    event = variance / (total + (total == 0))
    return q * (variance + 0.16 * (q * event) ** 2) ** 0.5 - q * q * event / 3


@dataclass(frozen=True)
class EventSpread:
    """The spread of a difference of decisions, which is one of two weighted sums of rare events.

    Each direction has a second-order score interval of its own, which allows for events that were
    not seen; they are joined by the squares of their distances (MOVER).
    `shrink` is the standard error about the mean over that about 0, with groups that of sums over
    groups, and so allows for frequent events, a naive loss that varies, and dependence. It applies
    to what was seen, not to what was not.
    """

    strata: tuple[Stratum, ...]
    shrink: float
    value: float
    degrees: float  # infinite for samples; one less than there are groups

    @property
    def method(self) -> str:
        """How the interval is computed."""
        return "paired score interval" + ("" if math.isinf(self.degrees) else ", by group")

    def reach(self, quantile: float) -> tuple[float, float]:
        """Return how far an interval extends below and above."""
        return self._below(quantile), self.turned()._below(quantile)

    def _below(self, quantile: float) -> float:
        # a naive loss that varies does not change the sign of a difference
        inward = self.value > 0 and math.isinf(self.degrees)
        shrink = min(self.shrink, 1.0) if inward else self.shrink
        return math.sqrt(sum(stratum.too_high(quantile, shrink) for stratum in self.strata))

    def turned(self) -> "EventSpread":
        """Return the spread with the systems exchanged."""
        strata = tuple(stratum.turned() for stratum in self.strata)
        return replace(self, strata=strata, value=-self.value)

    def p_value(self, value: float) -> float:
        """Return the two-sided p-value at which the interval ends at 0."""
        if value == 0:
            return 1.0
        upright = self if value > 0 else self.turned()
        low, high = 0.0, _FAR
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            low, high = (middle, high) if upright._below(middle) < abs(value) else (low, middle)
        return min(outside(low, self.degrees), 1.0)


@dataclass(frozen=True)
class StudentSpread:
    """The spread of a difference of smooth losses: a standard error and its degrees of freedom."""

    error: float
    degrees: float
    method: str = "paired t"

    def reach(self, quantile: float) -> tuple[float, float]:
        """Return how far an interval extends below and above."""
        return quantile * self.error, quantile * self.error

    def turned(self) -> "StudentSpread":
        """Return the spread with the systems exchanged."""
        return self

    def p_value(self, value: float) -> float:
        """Return the two-sided p-value of no difference."""
        if value == 0 or self.error == 0:
            return float(value == 0)
        return min(outside(abs(value) / self.error, self.degrees), 1.0)


Spread = EventSpread | StudentSpread  # how far the truth may lie from a difference


def flip_test(parts: FloatArray, shift: float = 0.0, copies: IntArray | None = None) -> float:
    """Return the two-sided p-value of a sum if each part could as well have the other sign.

    Of the largest parts every choice of signs is tried, which is the exact test where there are
    few; the sum of the others is taken as normal, with a correction for continuity. A shift that
    no sign changes is added to the sum; as it can fall between the sums that signs can make, the
    correction then applies to few parts too. Each part occurs `copies` times.
    """
    used = parts != 0
    size, number = np.abs(parts[used]), None if copies is None else copies[used]
    if not size.size:
        return float(shift == 0)
    total = abs(float(times(parts, copies).sum()) + shift)
    least = float(size.min())
    rest, top, number = _largest(size, number)
    choices = np.arange(2 ** (top.size - 1))[:, None] >> np.arange(top.size - 1)
    sums = top[-1] + (2.0 * (choices & 1) - 1) @ top[:-1]
    if not rest.size:
        bound = total * (1 - 1e-9) if shift == 0 else total - least
        return float((np.abs(sums) >= bound).mean())
    spread, bound = math.sqrt(float(times(rest, number) @ rest)), total - least
    far = np.concatenate([bound - sums, bound + sums]) / (spread * math.sqrt(2))
    near, often = np.unique(far[far < _NEGLIGIBLE], return_counts=True)  # equal costs tie
    tails = (k * math.erfc(x) for x, k in zip(near.tolist(), often.tolist(), strict=True))
    above = math.fsum(tails) / 2 / sums.size
    return min(above, 1.0)


def _largest(
    size: FloatArray, copies: IntArray | None
) -> tuple[FloatArray, FloatArray, IntArray | None]:
    """Return the sizes that are not enumerated, those that are, and how often each other occurs."""
    if copies is None:
        if size.size > _ENUMERATED:
            size = np.partition(size, size.size - _ENUMERATED)
        return size[:-_ENUMERATED], size[-_ENUMERATED:], None
    order = np.argpartition(size, max(size.size - _ENUMERATED, 0))[-_ENUMERATED:]
    order = order[np.argsort(-size[order], kind="stable")]
    taken = np.diff(np.minimum(np.cumsum(copies[order]), _ENUMERATED), prepend=0)
    number = copies.copy()
    number[order] -= taken
    return size[number > 0], repeat(size[order], taken), number[number > 0]
