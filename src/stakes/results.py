"""Frozen records that answer questions: a value with its reference, its spread and its reason."""

from __future__ import annotations

__all__ = ["Estimate", "ExpectedLoss", "Interval", "MetricValue", "Undefined"]

import math
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np

from stakes._check import read_level
from stakes._codes import CodeExplanation, explain_code
from stakes._math import expectation
from stakes._quantiles import normal, skewed_ends, student
from stakes._records import NumberRecord, Record
from stakes._text import number, plain, quoted
from stakes._typing import FloatArray, IntArray, Label, Names
from stakes.class_losses import ClassLosses, Constant, Design, NaivePrices

Direction = Literal["lower", "higher"]
FEWEST_OF_CLASS = 10  # samples, below which no interval of a loss without a bound covers
FEWEST_OF_HEAVY = 30  # the same for a class whose prior is more than twice its share of samples
FEWEST_GROUPS = 5  # below which no interval is given


@dataclass(frozen=True)
class Interval(Record):
    """A confidence interval: its ends and its level.

    Attributes
    ----------
    low, high : float
        Ends of the interval.
    level : float
        Confidence level.

    See Also
    --------
    Estimate : a value with its interval.

    Examples
    --------
    >>> import stakes
    >>> interval = stakes.Interval(0.7, 0.95, level=0.95)
    >>> 1 in interval, interval.high < 1  # a normalised cost below 1: useful
    (False, True)
    """

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


@dataclass(frozen=True, eq=False)
class Estimate(NumberRecord):
    """A value with its interval, and how that was computed.

    It is a float. If there is no interval, `method` says why.

    Attributes
    ----------
    value : float
    interval : Interval or None
    method : str
        How the interval was computed, or why there is none.

    See Also
    --------
    evaluate : its numbers are estimates.

    Examples
    --------
    >>> import stakes
    >>> estimate = stakes.Estimate(0.8, stakes.Interval(0.7, 0.95, 0.95), "closed form")
    >>> print(estimate)
    0.8000 (0.7000 to 0.9500)
    >>> 1 in estimate.interval  # below 1 for sure
    False
    """

    value: float
    interval: Interval | None = None
    method: str = ""

    @property
    def _why_undefined(self) -> str:
        return (self.method or "no reason was given") if math.isnan(self.value) else ""

    def __str__(self) -> str:
        band = "" if self.interval is None else f" ({self.interval})"
        return f"{number(self.value)}{band}"

    def moved(self, by: float) -> Estimate:
        """Return a loss and its interval increased by a number, neither below 0.

        Parameters
        ----------
        by : float
            What is added to the value.
        """
        band = self.interval
        if band is not None:
            band = Interval(max(band.low + by, 0.0), max(band.high + by, 0.0), band.level)
        return Estimate(max(self.value + by, 0.0), band, self.method)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        band = None if self.interval is None else [json_number(end) for end in self.interval]
        return {"value": json_number(self.value), "interval": band, "method": self.method}


@dataclass(frozen=True)
class Undefined(Record):
    """Why a value is NaN: a code for programs and a sentence for people.

    Attributes
    ----------
    code : str
        For programs.
    text : str
        For people.

    See Also
    --------
    MetricValue : carries it.

    Examples
    --------
    >>> import stakes
    >>> found = stakes.ConfusionMatrix.from_counts([[9, 0], [1, 0]]).precision()
    >>> found.undefined.code
    'zero_over_zero'
    """

    code: str
    text: str

    def __str__(self) -> str:
        return self.text

    @property
    def explanation(self) -> CodeExplanation:
        """What the code means, when it is used, and what to do."""
        return explain_code(self.code)


@dataclass(frozen=True, eq=False)
class ExpectedLoss(NumberRecord):
    """An expected loss: sum over classes of the prior times the mean loss in the class.

    It is a float: it compares, formats and calculates as its value does. Lower is better. `naive`
    is the value of the best system that sees no input; `normalized`, the value divided by it, is
    below 1 for a useful system and above 1 for one worse than useless. If the value is infinite,
    `infinite_rows` lists the samples that made it so.

    Attributes
    ----------
    name : str
    value : float
    naive : float
    naive_answer : label
        The answer of the naive system.
    classes : tuple of names
    priors : array of K
    priors_from_data : bool
    losses : ClassLosses
        Sums of losses in each class.
    naive_losses : array of K
        Loss of the naive answer in each class.
    prices : NaivePrices or None
        If costs differ from case to case.
    design : Design or None
        If samples come in groups.
    rivals : tuple of Constant
        Other constant answers that could be the naive one.
    infinite_rows : array of int
    infinite_samples : int
    over_others : float
        The loss over all other samples, where some are infinite; NaN if that is not known.

    See Also
    --------
    expected_cost, bayes_cost, cross_entropy, brier_score, expected_loss : return it.

    Examples
    --------
    >>> import stakes
    >>> y, d = [0] * 90 + [1] * 10, [0] * 88 + [1] * 11 + [0]
    >>> cost = stakes.expected_cost(y, d, costs={"miss": 5, "false_alarm": 1})
    >>> round(cost.normalized, 2), cost.normalized_interval().high < 1  # useful
    (0.14, True)
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
    prices: NaivePrices | None = field(default=None, repr=False)  # where they differ by case
    design: Design | None = field(default=None, repr=False)  # where samples come in groups
    rivals: tuple[Constant, ...] = field(default=(), repr=False)  # of the naive decision
    infinite_rows: IntArray = field(default_factory=lambda: np.empty(0, dtype=np.int64), repr=False)
    infinite_samples: int = field(default=0, repr=False)  # more than rows that stand for several
    over_others: float = field(default=math.nan, repr=False)  # where the loss is finite

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
        """The value divided by that of the naive system; NaN, with a reason, if that is 0."""
        return self.value / self.naive if self.undefined is None else math.nan

    @property
    def by_class(self) -> dict[Label, float]:
        """Mean loss of each class; NaN if a class has no samples."""
        return dict(zip(self.classes, self.losses.mean.tolist(), strict=True))

    @property
    def standard_error(self) -> float:
        """Standard error of the value; NaN if a class that counts has only one sample.

        With given priors, class sizes are fixed, so only the variation within classes counts; with
        priors from the data, the class frequencies vary too.
        """
        losses = self.losses.deflated(self._effects[0])
        return self._error(losses, self.value, np.ones_like(self.priors))

    @property
    def normalized_standard_error(self) -> float:
        """Standard error of the normalised value; with data priors the naive cost varies too."""
        if self.undefined is not None:
            return math.nan
        losses, value = self.losses.deflated(self._effects[1]), self.normalized
        if self.prices is not None:
            losses, value = self.prices.residuals(losses, value), 0.0
        return self._error(losses, value, self.naive_losses) / self.naive

    def _error(self, losses: ClassLosses, value: float, reference: FloatArray) -> float:
        """Return the standard error of the mean of loss - value * reference."""
        if math.isinf(self.value) or (self.losses.size[self.priors > 0] < 1 + 1e-9).any():
            return math.nan
        return math.sqrt(math.fsum(self._parts(losses, value, reference)))

    @property
    def _effects(self) -> tuple[float, float]:
        return (1.0, 1.0) if self.design is None else (self.design.value, self.design.normalized)

    @property
    def no_interval(self) -> str:
        """Why there is no interval; empty if there is one."""
        if math.isinf(self.value):
            return "the value is infinite"
        if self.design is not None and self.design.groups < FEWEST_GROUPS:
            return f"needs {FEWEST_GROUPS} groups: got {self.design.groups}"
        if self._bounded:
            return ""
        seen = self.priors > 0
        size = self.losses.size
        heavy = self.priors > 2 * size / size.sum()
        needed = np.where(heavy, FEWEST_OF_HEAVY, FEWEST_OF_CLASS)
        few = seen & (size < needed)
        if few.any():
            k = int(few.argmax())
            got = f"{number(float(size[k]))} of class {plain(self.classes[k])}"
            which = "a class with a prior of twice its share" if heavy[k] else "each class"
            return f"a loss without a bound needs {needed[k]} samples of {which}: got {got}"
        if not (self.losses.variance[seen] > 0).any():
            return "the loss is the same for all samples of a class, which shows no spread"
        return ""

    def interval(self, level: float = 0.95) -> Interval:
        """Return a closed-form confidence interval for the value.

        Bounded losses have the adjusted Wald interval: z^2 pseudo-samples, half at the least and
        half at the largest loss, are added before the usual formula, so a perfect score on ten
        samples does not imply certainty. Unbounded losses have Student's t, which Hall's correction
        for skewness can only widen, and no interval with few samples of a class (`no_interval` says
        why).

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return self._interval(level, np.ones_like(self.priors), normalized=False)

    def normalized_interval(self, level: float = 0.95) -> Interval:
        """Return a closed-form confidence interval for the normalised value.

        The naive cost is the least of all constant decisions. With priors from the data, the best
        constant decision in the population need not be the best on these samples, so the upper end
        is the highest over all candidates.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        if self.undefined is not None:
            return Interval(math.nan, math.nan, read_level(level))
        band = self._interval(level, self.naive_losses, normalized=True)
        if not self.priors_from_data:
            return band
        highest = band.high
        for other in self.rivals:
            record = replace(
                self, naive=other.value, naive_losses=other.losses, prices=other.prices
            )
            highest = max(highest, record._interval(level, other.losses, normalized=True).high)
        return Interval(band.low, highest, level)

    def _interval(self, level: float, reference: FloatArray, *, normalized: bool) -> Interval:
        z = normal(read_level(level))
        if math.isinf(self.value):
            return Interval(math.nan, math.inf, level)
        if self.no_interval:
            return Interval(math.nan, math.nan, level)
        losses = self.losses.deflated(self._effects[normalized])
        if not self._bounded:
            return self._skewed_interval(losses, level, reference, normalized=normalized)
        quantile = z if self.design is None else student(level, self.design.groups - 1)
        bands = [
            self._padded_interval(losses, amount, quantile, reference, normalized=normalized)
            for amount in self._pseudo_samples(z)
        ]
        return Interval(min(low for low, _ in bands), max(high for _, high in bands), level)

    def _padded_interval(
        self,
        losses: ClassLosses,
        amount: FloatArray,
        quantile: float,
        reference: FloatArray,
        *,
        normalized: bool,
    ) -> tuple[float, float]:
        prices, unit = (self.prices, self.naive) if normalized else (None, 1.0)
        padded = losses.padded(amount)
        if prices is not None:
            unit = expectation(self.priors, prices.padded_mean(losses.size, amount))
        centre = expectation(self.priors, padded.mean) / unit

        def reach(value: float) -> float:
            if prices is None:
                parts = self._parts(padded, value, reference)
            else:
                parts = self._parts(prices.residuals(losses, value).padded(amount), 0.0, reference)
            shift = np.square((value - centre) * unit) / padded.size[self.priors > 0].sum()
            return quantile * math.sqrt(max(math.fsum(parts) - shift, 0.0)) / unit

        half = above = reach(centre)
        if self.priors_from_data and (prices is not None or np.ptp(reference[self.priors > 0]) > 0):
            above = max(half, reach(centre + half))  # a ratio varies more the higher it is
        least, most = self._range(reference)
        return max(centre - half, least / unit), min(centre + above, most / unit)

    def _skewed_interval(
        self, losses: ClassLosses, level: float, reference: FloatArray, *, normalized: bool
    ) -> Interval:
        """Return the interval of a loss without a bound: Student's t, corrected for skewness.

        Degrees of freedom are those of Welch and Satterthwaite, or one less than the groups.
        """
        seen, unit = self.priors > 0, self.naive if normalized else 1.0
        centre = value = self.value / unit
        if normalized and self.prices is not None:
            losses, value = self.prices.residuals(losses, centre), 0.0
        size, p = losses.size[seen], self.priors[seen]
        parts = self._parts(losses, value, reference) * size / np.maximum(size - 1, 1)
        variance = math.fsum(parts)
        degrees = variance**2 / math.fsum(np.square(parts) / np.maximum(size - 1, 1))
        if self.design is not None:
            degrees = self.design.groups - 1.0
        about = value * reference if self.priors_from_data else losses.mean
        cubes = math.fsum(p**3 / np.square(size) * losses.cubes_about(about)[seen])
        error = math.sqrt(variance) / unit
        quantile = student(level, degrees)
        low, high = skewed_ends(quantile, cubes / variance**1.5)
        low, high = min(low, -quantile), max(high, quantile)
        least, _ = self._range(reference)
        return Interval(max(centre - high * error, least / unit), centre - low * error, level)

    def _range(self, reference: FloatArray) -> tuple[float, float]:
        """Return the least and the largest value that any system could have.

        With data priors the naive cost varies too, so that a normalised value has no known bound;
        neither has, in general, a sum of prices that differ from case to case.
        """
        seen, absolute = self.priors > 0, bool((reference == 1).all())
        low, high = self.losses.low[seen], self.losses.high[seen]
        if self.prices is not None and not (self.prices.bounded and absolute):
            return 0.0, math.inf
        if self.priors_from_data:
            return (float(low.min()), float(high.max())) if absolute else (0.0, math.inf)
        p = self.priors[seen]
        return math.fsum(p * low), math.fsum(p * high)

    @property
    def _bounded(self) -> bool:
        return bool(np.isfinite(self.losses.high[self.priors > 0]).all())

    def _pseudo_samples(self, z: float) -> list[FloatArray]:
        """Return how many pseudo-samples each class gets: z^2 in all, the same for each class.

        Spread by prior they would miss a rare class whose errors are costly. Where one class makes
        most of the uncertainty they are too few: a second interval, with z^2 times its share of
        that, is then joined to the first.
        """
        seen = self.priors > 0
        even = seen / seen.sum()
        reach = self.priors * (self.losses.high - self.losses.low)
        most = np.divide(np.square(reach), self.losses.size, out=np.zeros_like(reach), where=seen)
        share = most / total if (total := float(most.sum())) > 0 else even
        if (share <= even).all():
            return [z * z * even]
        return [z * z * even, z * z * np.maximum(share, even)]

    def _parts(self, losses: ClassLosses, value: float, reference: FloatArray) -> FloatArray:
        """Variance of the mean of loss - value * reference that each class that counts adds."""
        seen = self.priors > 0
        about = losses.spread_about(value * reference) if self.priors_from_data else losses.variance
        parts: FloatArray = np.square(self.priors[seen]) / losses.size[seen] * about[seen]
        return parts

    def __str__(self) -> str:
        band = _in_words(self.interval())
        answer = plain(self.naive_answer)
        lines = [
            f"{self.name:<22} {number(self.value)}  ({band})",
            f"{'  naive system':<22} {number(self.naive)}  (always answers {answer})",
        ]
        if self.undefined is None:
            band = _in_words(self.normalized_interval())
            lines.append(f"{'  normalised':<22} {number(self.normalized)}  ({band})")
        else:
            lines.append(f"{'  normalised':<22} undefined: {self.undefined.text}")
        if self.infinite_samples:
            rows = quoted(self.infinite_rows.tolist(), most=5)
            place, known = f": row {rows}" if rows else "", math.isfinite(self.over_others)
            others = f"; over the others it is {number(self.over_others)}" if known else ""
            n = f"{self.infinite_samples} {'sample' if self.infinite_samples == 1 else 'samples'}"
            text = f"{n} had posterior 0 for the true class{place}{others}"
            lines.append(f"{'  infinite':<22} {text}")
        elif self.no_interval:
            lines.append(f"{'  no interval':<22} {self.no_interval}")
        return "\n".join(lines)

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
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
            "infinite_samples": self.infinite_samples,
            "level": level,
            "priors": dict(zip(map(str, self.classes), self.priors.tolist(), strict=True)),
            "priors_from_data": self.priors_from_data,
        }


@dataclass(frozen=True, eq=False)
class MetricValue(NumberRecord):
    """A traditional metric: its value, that of the best constant answer, and which way is better.

    It is a float; if it is undefined, `undefined` says why, and calculating with it warns.

    Attributes
    ----------
    name : str
    value : float
    naive : float
    better : {"higher", "lower"}
    undefined : Undefined or None
    positive : label or None
        The class of interest, for metrics that have one.

    See Also
    --------
    ConfusionMatrix : its metrics return it.

    Examples
    --------
    >>> import stakes
    >>> found = stakes.ConfusionMatrix.from_counts([[90, 0], [10, 0]]).accuracy()
    >>> found.value, found.beats_naive  # 90 % right, and still useless
    (0.9, False)
    """

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

    @property
    def _why_undefined(self) -> str:
        return "" if self.undefined is None else self.undefined.text

    def __str__(self) -> str:
        if self.undefined is not None:
            return f"{self.name} is undefined: {self.undefined.text}"
        value, naive = number(self.value), number(self.naive)
        of = "" if self.positive is None else f"for class {plain(self.positive)}; "
        return f"{self.name} {value} ({of}naive {naive}, {self.better} is better)"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        return {
            "name": self.name,
            "value": json_number(self.value),
            "naive": json_number(self.naive),
            "better": self.better,
            "positive": self.positive,
            "undefined": None if self.undefined is None else vars(self.undefined),
        }


def value_of(record: ExpectedLoss, level: float) -> Estimate:
    """Return the value with its interval, or why there is none."""
    why = record.no_interval
    return Estimate(record.value, None if why else record.interval(level), why or _method(record))


def normalized_of(record: ExpectedLoss, level: float) -> Estimate:
    """Return the normalised value with its interval, or why there is none."""
    why = record.no_interval if record.undefined is None else record.undefined.text
    band = None if why else record.normalized_interval(level)
    return Estimate(record.normalized, band, why or _method(record))


def _method(record: ExpectedLoss) -> str:
    return "closed form" if record.design is None else "closed form, by group"


def _in_words(band: Interval) -> str:
    return "no interval" if math.isnan(band.low) else f"95 % interval {band}"


def json_number(value: float) -> float | str | None:
    """Return a number that JSON can hold: null for NaN, a text for an infinity."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")
