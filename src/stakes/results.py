"""Frozen records that answer questions: a value with its reference, its spread and its reason."""

from __future__ import annotations

__all__ = ["Estimate", "ExpectedLoss", "Interval", "MetricValue", "Undefined"]

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from stakes._check import read_level
from stakes._codes import CodeExplanation, explain_code
from stakes._records import NumberRecord, Record
from stakes._text import number, plain, quoted
from stakes._typing import FloatArray, IntArray, Label, Names
from stakes.inference.law import FEWEST_GROUPS, Problem
from stakes.inference.means import Naive
from stakes.loss_rows import LossRows

Direction = Literal["lower", "higher"]
FEWEST_OF_CLASS = 10  # samples, below which a calibrator is not fitted


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
    >>> estimate = stakes.Estimate(0.8, stakes.Interval(0.7, 0.95, 0.95), "likelihood")
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
    losses : LossRows
        What samples lost, and could lose.
    naive_losses : array of K
        Loss of the naive answer in each class.
    rivals : tuple of arrays of K
        Losses of other constant answers, which could be the naive one.
    naive_at : callable or None
        Loss of the naive answer in each class at other priors, where it changes with them.
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
    losses: LossRows = field(repr=False)
    naive_losses: FloatArray = field(repr=False)
    rivals: tuple[FloatArray, ...] = field(default=(), repr=False)  # of the naive decision
    naive_at: Naive | None = field(default=None, repr=False)
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
        """Standard error of the value; NaN if it is infinite.

        With given priors, class sizes are fixed, so only the variation within classes counts; with
        priors from the data, the class frequencies vary too.
        """
        return math.nan if math.isinf(self.value) else float(self._problem.errors[0])

    @property
    def normalized_standard_error(self) -> float:
        """Standard error of the normalised value; with data priors the naive cost varies too."""
        if self.undefined is not None or math.isinf(self.value):
            return math.nan
        return float(self._problem.errors[1])

    @cached_property
    def _problem(self) -> Problem:
        """The problem of the value, and of the normalised value."""
        given = None if self.priors_from_data else self.priors
        if self.undefined is not None:
            return self.losses.problem(given)
        if self.naive_at is not None and not self.rivals:
            return self.losses.problem(given, naive=self.naive_at)
        return self.losses.problem(given, np.array([self.naive_losses, *self.rivals]))

    @property
    def no_interval(self) -> str:
        """Why there is no interval; empty if there is one."""
        if math.isinf(self.value):
            return "the value is infinite"
        groups = self._problem.cells.groups
        if groups is None or groups[0] >= FEWEST_GROUPS:
            return ""
        return f"needs {FEWEST_GROUPS} groups: got {groups[0]:g}"

    def interval(self, level: float = 0.95) -> Interval:
        """Return the likelihood interval of the value.

        It is the range of the value over all reweightings of the samples, together with half an
        unseen sample where it would do most harm, that are not less likely than exp(-q^2 / 2).

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return self._interval(0, self.value, level)

    def normalized_interval(self, level: float = 0.95) -> Interval:
        """Return the likelihood interval of the normalised value.

        The naive cost is the least of all constant decisions. With priors from the data it varies
        too, and another decision may be the best one, so the upper end is the highest over all.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        if self.undefined is not None:
            return Interval(math.nan, math.nan, read_level(level))
        return self._interval(1, self.normalized, level)

    def _interval(self, number: int, value: float, level: float) -> Interval:
        """Return the interval of a number of the problem, which includes its value."""
        level = read_level(level)
        if self.no_interval:
            return Interval(math.nan, math.inf if math.isinf(self.value) else math.nan, level)
        if level not in self._ends:
            self._ends[level] = self._problem.intervals(level)
        low, high = self._ends[level][number].tolist()
        return Interval(min(low, value), max(high, value), level)

    @cached_property
    def _ends(self) -> dict[float, FloatArray]:
        """The intervals that were asked for, by level."""
        return {}

    @cached_property
    def p_value(self) -> float:
        """The p-value of costing what the best constant answer does; NaN if there is no interval.

        It is the level, from 1, at which the interval of the normalised value ends at 1.
        """
        if self.no_interval or self.undefined is not None:
            return math.nan
        return self._problem.p_value(1, 1.0)

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
    return "likelihood" if record.losses.unit is None else "likelihood, by group"


def _in_words(band: Interval) -> str:
    return "no interval" if math.isnan(band.low) else f"95 % interval {band}"


def json_number(value: float) -> float | str | None:
    """Return a number that JSON can hold: null for NaN, a text for an infinity."""
    if math.isnan(value):
        return None
    return value if math.isfinite(value) else ("inf" if value > 0 else "-inf")
