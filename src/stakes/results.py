"""Frozen records that answer questions: a value with its reference, its spread and its reason."""

import math
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import NormalDist
from typing import Any, Literal

import numpy as np

from stakes._check import UndefinedMetricWarning, read_level
from stakes._text import number, plain, quoted
from stakes._typing import FloatArray, IntArray, Label, Names

Direction = Literal["lower", "higher"]


@dataclass(frozen=True)
class Interval:
    """A confidence interval: low, high, and the level it is meant to hold."""

    low: float
    high: float
    level: float

    def __iter__(self) -> Iterator[float]:
        return iter((self.low, self.high))

    def __contains__(self, value: float) -> bool:
        return self.low <= value <= self.high

    def __str__(self) -> str:
        if math.isnan(self.low) or math.isnan(self.high):
            return "no interval"
        return f"{number(self.low)} to {number(self.high)}"


@dataclass(frozen=True)
class Estimate:
    """A value with its interval and how that was had; without one, the method says why."""

    value: float
    interval: Interval | None = None
    method: str = ""

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        band = "" if self.interval is None else f" ({self.interval})"
        return f"{number(self.value)}{band}"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, fit for JSON."""
        band = None if self.interval is None else [json_number(end) for end in self.interval]
        return {"value": json_number(self.value), "interval": band, "method": self.method}


@dataclass(frozen=True)
class Undefined:
    """Why a value is NaN: a code for programs and a sentence for people."""

    code: str
    text: str


def as_float(value: float, undefined: Undefined | None) -> float:
    """Return the bare value, with a warning where its reason gets lost."""
    if undefined is not None:
        warnings.warn(f"undefined: {undefined.text}", UndefinedMetricWarning, stacklevel=3)
    return value


@dataclass(frozen=True, eq=False)
class ClassLosses:
    """What is known of the loss within each true class: enough for any priors and any interval.

    Sizes are numbers of samples; with weights, the number of equal samples that would give the
    same precision, (sum w)^2 / sum w^2. Drift and variance are the first two moments of the loss
    about its mean, each sample taken with its squared weight; the drift is 0 for equal weights.
    Low and high are the least and largest possible loss.
    """

    size: FloatArray
    mean: FloatArray
    drift: FloatArray
    variance: FloatArray
    low: FloatArray
    high: FloatArray

    def padded(self, amount: FloatArray) -> "ClassLosses":
        """Return the losses with `amount` more samples, half at the least, half at the most.

        It keeps an interval honest where few errors, or none, were seen.
        """
        size = self.size + amount
        share = np.divide(amount, size, out=np.zeros_like(size), where=size > 0)
        mean = (1 - share) * self.mean + share * (self.low + self.high) / 2
        inner = self.spread_about(mean)
        outer = (np.square(self.low - mean) + np.square(self.high - mean)) / 2
        variance = (1 - share) * inner + share * outer
        return ClassLosses(size, mean, (1 - share) * self.drift, variance, self.low, self.high)

    def spread_about(self, value: FloatArray) -> FloatArray:
        """Return the mean squared distance of the loss from a value for each class."""
        gap = self.mean - value
        return np.maximum(self.variance + 2 * self.drift * gap + np.square(gap), 0)


@dataclass(frozen=True, eq=False)
class ExpectedLoss:
    """An expected loss: sum over classes of the prior times the mean loss in the class.

    Lower is better. `naive` is the value of the best system that sees no input; `normalized`,
    the value over it, is below 1 for a useful system and above 1 for one worse than useless. An
    infinite value names the samples that made it so in `infinite_rows`.
    """

    name: str
    value: float
    naive: float
    naive_answer: Label
    classes: Names
    priors: FloatArray
    priors_from_data: bool
    losses: ClassLosses = field(repr=False)
    naive_losses: FloatArray = field(repr=False)
    residuals: ClassLosses | None = field(default=None, repr=False)
    infinite_rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)

    @property
    def undefined(self) -> Undefined | None:
        """Why the normalised value is undefined, or None."""
        if self.naive > 0:
            return None
        answer = plain(self.naive_answer)
        text = f"always answering decision {answer} costs nothing at these costs and priors"
        if self.priors.max() == 1:
            text = "one class has prior 1, so answering it without looking costs nothing"
        return Undefined("zero_naive_cost", f"{text}, so there is no naive cost to divide by")

    @property
    def normalized(self) -> float:
        """The value over that of the naive system; NaN, with a reason, if that is 0."""
        return self.value / self.naive if self.undefined is None else math.nan

    @property
    def by_class(self) -> dict[Label, float]:
        """Mean loss of each class; NaN where a class has no samples."""
        return dict(zip(self.classes, self.losses.mean.tolist(), strict=True))

    @property
    def standard_error(self) -> float:
        """Standard error of the value.

        With given priors the class sizes are taken as fixed, so only the spread within classes
        counts; with priors from the data the class frequencies vary too.
        """
        if math.isinf(self.value):
            return math.nan
        return math.sqrt(self._variance(self.losses, self.value, np.ones_like(self.priors)))

    @property
    def normalized_standard_error(self) -> float:
        """Standard error of the normalised value; the naive cost varies too with data priors."""
        if self.undefined is not None or math.isinf(self.value):
            return math.nan
        if self.residuals is not None:
            return math.sqrt(self._variance(self.residuals, 0.0, self.naive_losses)) / self.naive
        variance = self._variance(self.losses, self.normalized, self.naive_losses)
        return math.sqrt(variance) / self.naive

    def interval(self, level: float = 0.95) -> Interval:
        """Return a closed-form confidence interval for the value.

        It is the adjusted Wald interval: z^2 pseudo-samples, half at the least and half at the
        largest loss, are added before the usual formula, so that a perfect score of ten samples
        does not claim certainty.
        """
        return self._interval(level, np.ones_like(self.priors), 1.0)

    def normalized_interval(self, level: float = 0.95) -> Interval:
        """Return a closed-form confidence interval for the normalised value."""
        if self.undefined is not None:
            return Interval(math.nan, math.nan, read_level(level))
        if self.residuals is not None:
            half = _quantile(level) * self.normalized_standard_error
            return Interval(max(self.normalized - half, 0.0), self.normalized + half, level)
        return self._interval(level, self.naive_losses, self.naive)

    def _interval(self, level: float, reference: FloatArray, unit: float) -> Interval:
        """Return the interval of the value in units of a reference loss."""
        z = _quantile(level)
        if math.isinf(self.value):
            return Interval(math.nan, math.inf, level)
        losses = self.losses.padded(self._pseudo_samples(z)) if self._bounded else self.losses
        seen = self.priors > 0
        p = self.priors[seen]
        centre = math.fsum(p * losses.mean[seen]) / unit
        half = z * math.sqrt(self._variance(losses, centre, reference)) / unit
        least, most = self._range(reference)
        return Interval(max(centre - half, least / unit), min(centre + half, most / unit), level)

    def _range(self, reference: FloatArray) -> tuple[float, float]:
        """Return the least and the largest value that any system could have.

        With data priors the naive cost varies too, so that a normalised value has no known bound.
        """
        seen = self.priors > 0
        low, high = self.losses.low[seen], self.losses.high[seen]
        if self.priors_from_data:
            absolute = bool((reference == 1).all())
            return (float(low.min()), float(high.max())) if absolute else (0.0, math.inf)
        p = self.priors[seen]
        return math.fsum(p * low), math.fsum(p * high)

    @property
    def _bounded(self) -> bool:
        """Whether no loss can be infinite."""
        return bool(np.isfinite(self.losses.high[self.priors > 0]).all())

    def _pseudo_samples(self, z: float) -> FloatArray:
        """Return z^2 samples in all, the same for each class that can occur.

        Spread by prior they would miss a rare class whose errors are dear: coverage fell to 0.86
        where this gives 0.95 or more.
        """
        seen = self.priors > 0
        return z * z * seen / seen.sum()

    def _variance(self, losses: ClassLosses, value: float, reference: FloatArray) -> float:
        """Variance of the mean of loss - value * reference, which has mean 0 over the data."""
        seen = self.priors > 0
        about = losses.spread_about(value * reference) if self.priors_from_data else losses.variance
        spread = np.square(self.priors[seen]) / losses.size[seen] * about[seen]
        return math.fsum(spread)

    def __float__(self) -> float:
        return self.value

    def __str__(self) -> str:
        band = self.interval()
        answer = plain(self.naive_answer)
        lines = [
            f"{self.name:<22} {number(self.value)}  (95 % interval {band})",
            f"{'  naive system':<22} {number(self.naive)}  (always answers {answer})",
        ]
        if self.undefined is None:
            band = self.normalized_interval()
            lines.append(f"{'  normalised':<22} {number(self.normalized)}  (95 % interval {band})")
        else:
            lines.append(f"{'  normalised':<22} undefined: {self.undefined.text}")
        if self.infinite_rows.size:
            lines.append(self._why_infinite())
        return "\n".join(lines)

    def _why_infinite(self) -> str:
        """Say which samples make the value infinite."""
        n = self.infinite_rows.size
        rows = quoted(self.infinite_rows.tolist(), most=5)
        return f"{'  infinite':<22} {n} sample(s) had posterior 0 for their true class: row {rows}"

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return the record as plain values, fit for JSON."""
        return {
            "name": self.name,
            "value": json_number(self.value),
            "standard_error": json_number(self.standard_error),
            "interval": [json_number(end) for end in self.interval(level)],
            "naive": json_number(self.naive),
            "naive_answer": self.naive_answer,
            "normalized": json_number(self.normalized),
            "normalized_interval": [json_number(x) for x in self.normalized_interval(level)],
            "undefined": None if self.undefined is None else vars(self.undefined),
            "infinite_samples": int(self.infinite_rows.size),
            "level": level,
            "priors": dict(zip(map(str, self.classes), self.priors.tolist(), strict=True)),
            "priors_from_data": self.priors_from_data,
        }


@dataclass(frozen=True)
class MetricValue:
    """A traditional metric: its value, that of the best constant answer, and which way is up."""

    name: str
    value: float
    naive: float
    better: Direction
    undefined: Undefined | None = None
    positive: Label | None = None  # the class of interest, for metrics that have one

    @property
    def beats_naive(self) -> bool:
        """Whether the value is better than that of the best constant answer."""
        gain = self.value - self.naive if self.better == "higher" else self.naive - self.value
        return gain > 0

    def __float__(self) -> float:
        return as_float(self.value, self.undefined)

    def __str__(self) -> str:
        if self.undefined is not None:
            return f"{self.name} is undefined: {self.undefined.text}"
        value, naive = number(self.value), number(self.naive)
        of = "" if self.positive is None else f"for class {plain(self.positive)}; "
        return f"{self.name} {value} ({of}naive {naive}, {self.better} is better)"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, fit for JSON."""
        return {
            "name": self.name,
            "value": json_number(self.value),
            "naive": json_number(self.naive),
            "better": self.better,
            "positive": self.positive,
            "undefined": None if self.undefined is None else vars(self.undefined),
        }


def _quantile(level: float) -> float:
    """Return how many standard errors an interval of this level reaches to either side."""
    return NormalDist().inv_cdf((1 + read_level(level)) / 2)


def json_number(value: float) -> float | str | None:
    """Return a number that JSON can hold: null for NaN, a text for an infinity."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")
