"""A mean that people measured on some rows and a judge on all: prediction-powered estimates."""

from __future__ import annotations

__all__ = ["CorrectedEstimate", "JudgedMean", "judged_mean"]

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError, read_level, read_number
from stakes._check.partial_columns import check_within, read_partial
from stakes._foreign_calls import answered
from stakes._records import NumberRecord
from stakes._text import number
from stakes._typing import Column
from stakes.responses.judged_rows import JudgedRows, read_rows
from stakes.responses.powered_means import (
    Bounds,
    PoweredMean,
    coefficient_of,
    power_tuning,
    powered_mean,
)
from stakes.responses.random_choice import CHOICE_LEVEL, choice_p_value
from stakes.results import Estimate, Interval, json_number

NO_LABELS = "no row has a human label"


@dataclass(frozen=True, eq=False)
class JudgedMean(NumberRecord):
    """A mean over all rows, from human values of some rows and a judge's values of all.

    It is a float. `human_only` is the mean of the rows that people labelled, `judge_only` that of
    the judge over all rows, and `bias` is `judge_only` minus the value. `tuning` is the lambda of
    PPI++, the weight of the judge: 0 ignores it. `labels_gained` is how many more human labels
    would have made the interval of `human_only` as narrow. `standard_error` is that of large
    samples. `caution` is a warning if rows with human labels do not look like a random sample.

    Attributes
    ----------
    value : float
    interval : Interval or None
    method : str
    human_only : Estimate
        From the rows with human values only.
    judge_only : float
        From the judge only.
    bias : Estimate
        Bias of the judge.
    tuning : float
        Weight of the judge, from 0 to 1.
    standard_error : float
    labels_gained : float
        Number of human labels that the judge replaces.
    rows : int
    human_rows : int
    caution : str

    See Also
    --------
    judged_mean : returns it.

    Examples
    --------
    >>> import stakes
    >>> human = [1] * 10 + [0] * 10 + [None] * 80
    >>> judge = [1] * 10 + [1] * 4 + [0] * 6 + [1] * 66 + [0] * 14
    >>> found = stakes.judged_mean(human, judge)
    >>> found.judge_only > 0.7, found.interval.low > 0.7
    (True, False)

    The judge alone says more than 0.7; the human labels do not support it.
    """

    value: float
    interval: Interval | None
    method: str
    human_only: Estimate
    judge_only: float
    bias: Estimate
    tuning: float
    standard_error: float
    labels_gained: float
    rows: int
    human_rows: int
    caution: str = ""

    @property
    def _why_undefined(self) -> str:
        return self.method if math.isnan(self.value) else ""

    def __str__(self) -> str:
        value = Estimate(self.value, self.interval, self.method)
        rows = [
            ("corrected", f"{value}"),
            ("human labels only", f"{self.human_only}, {self.human_rows} of {self.rows} rows"),
            ("judge only", number(self.judge_only)),
            ("judge only − corrected", f"{self.bias}"),
            ("power tuning", number(self.tuning, 2)),
            ("human labels gained", number(self.labels_gained, 2)),
            ("method", self.method),
        ]
        if self.caution:
            rows.append(("caution", self.caution))
        width = max(len(name) for name, _ in rows)
        return "\n".join(f"{name:<{width}}  {text}" for name, text in rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        value = Estimate(self.value, self.interval, self.method)
        return {
            **value.to_dict(),
            "human_only": self.human_only.to_dict(),
            "judge_only": json_number(self.judge_only),
            "bias": self.bias.to_dict(),
            "tuning": json_number(self.tuning),
            "standard_error": json_number(self.standard_error),
            "labels_gained": json_number(self.labels_gained),
            "rows": self.rows,
            "human_rows": self.human_rows,
            "caution": self.caution,
        }


@dataclass(frozen=True, eq=False)
class CorrectedEstimate(NumberRecord):
    """A float: a number corrected for the bias of a judge.

    `judge_only` is the value from the judge alone, and `bias` is that minus the corrected value.

    Attributes
    ----------
    value : float
    interval : Interval or None
    judge_only : float
        The value from the judge alone.
    bias : Estimate
        Bias of the judge.
    method : str

    See Also
    --------
    judge_report : returns it.

    Examples
    --------
    >>> import stakes
    >>> human = [1] * 22 + [0] * 18 + [None] * 160
    >>> judge = [1] * 21 + [0] + [1] * 8 + [0] * 10 + [1] * 118 + [0] * 42
    >>> found = stakes.judge_report(human, judge, target=0.5)
    >>> found.utility.bias.interval.low > 0  # the judge is too generous: trust the corrected value
    True
    """

    value: float
    interval: Interval | None
    judge_only: float
    bias: Estimate
    method: str = ""

    @property
    def _why_undefined(self) -> str:
        return self.method if math.isnan(self.value) else ""

    def __str__(self) -> str:
        value = Estimate(self.value, self.interval)
        return f"{value}; judge only {number(self.judge_only)}, bias {self.bias}"

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        value = Estimate(self.value, self.interval, self.method)
        return {
            **value.to_dict(),
            "judge_only": json_number(self.judge_only),
            "bias": self.bias.to_dict(),
        }


@answered
def judged_mean(  # noqa: PLR0913  two columns, and how rows become a mean
    human: Column,
    judge: Column,
    *,
    groups: Column | None = None,
    sample_weight: Column | None = None,
    inclusion: Column | None = None,
    bounds: Bounds | None = None,
    tuning: float | None = None,
    level: float = 0.95,
) -> JudgedMean:
    """Return the mean over all rows, from human labels of some and a judge's labels of all.

    The mean of the human values is unbiased but rests on few rows; that of the judge rests on many
    rows but is not what people would have said. PPI++ (Angelopoulos, Duchi and Zrnic, 2023) takes
    the human mean and corrects it by how the judge's values differ between all rows and those that
    people saw: mean_L(Y) + lambda (mean_U(f) - mean_L(f)). The value is valid for any judge,
    provided that the rows given to people are a random sample of all rows, or were chosen with the
    probabilities in `inclusion`. A worthless judge gets a lambda near 0, and the value is that of
    the human labels alone.

    Parameters
    ----------
    human : column of N numbers
        Missing (None, NaN, null) for rows that nobody looked at.
    judge : column of N numbers
        On the scale of the human values: 0 or 1, or a probability of 1.
    groups : column of N names, optional
        What rows have in common, such as a document, or a question asked several times. Groups vary
        independently, rows of a group do not.
    sample_weight : column of N weights, optional
        How much each row counts.
    inclusion : column of N probabilities, optional
        The probability with which each row was given to people, if not the same for all.
    bounds : tuple of two floats, optional
        The least and the largest value that people could have given. By default 0 and 1 if all
        human values are 0 or 1, else none. The value and its interval stay within them.
    tuning : float, optional
        The lambda to use instead of that of least variance: 0 leaves the judge out, 1 is PPI
        without tuning.
    level : float, default 0.95
        Confidence level of the intervals.

    Returns
    -------
    JudgedMean
        The value with its interval, and the values from human labels only and from the judge only.

    See Also
    --------
    judge_report : for answers at a confidence target.

    Notes
    -----
    Value, lambda and `standard_error` are those of ppi-python where rows have neither weights nor
    groups. Its normal interval covers too rarely with few labels. Here the interval is Student's t;
    with bounds, z^2 pseudo-labels are added first, one fourth at each combination of the least and
    largest human and judge's value, as in the adjusted Wald interval. There is no interval with
    fewer than 10 human labels (30 without bounds), or with human labels in fewer than 5 groups.

    Examples
    --------
    A judge passed 80 of 100 answers, and people looked at 20 of the answers. The judge passed four
    that people found wrong:

    >>> import stakes
    >>> human = [1] * 10 + [0] * 4 + [0] * 6 + [None] * 80
    >>> judge = [1] * 10 + [1] * 4 + [0] * 6 + [1] * 66 + [0] * 14
    >>> found = stakes.judged_mean(human, judge)
    >>> print(found)
    corrected               0.5928 (0.4138 to 0.8197)
    human labels only       0.5000 (0.2810 to 0.7190), 20 of 100 rows
    judge only              0.8000
    judge only − corrected  0.2072 (−0.0270 to 0.3806)
    power tuning            0.74
    human labels gained     3.3
    method                  PPI++, Student's t, adjusted Wald

    The judge alone says 0.8. If 0.7 is needed, these labels cannot show it: label more rows.

    >>> found.interval.low > 0.7
    False
    """
    y = read_partial(human, "human")
    f = read_partial(judge, "judge", y.size)
    rows = read_rows(
        y, f, np.ones(y.size, dtype=np.bool_),
        groups=groups, sample_weight=sample_weight, inclusion=inclusion,
    )  # fmt: skip
    if tuning is not None:
        tuning = read_number(tuning, "tuning", 0, 1)
    return mean_of_rows(rows, _bounds(y, bounds), tuning, read_level(level))


def _bounds(human: Any, bounds: Bounds | None) -> Bounds | None:  # noqa: ANN401
    """Return the bounds of human values: given ones, or 0 and 1 where there are no others."""
    known = human[~np.isnan(human)]
    if bounds is None:
        return (0.0, 1.0) if np.isin(known, (0.0, 1.0)).all() else None
    try:
        low, high = (float(end) for end in bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise InputError("bounds", "must be two numbers, the lower one first", repr(bounds))
    check_within(human, "human", low, high, "Bounds are the least and the largest possible value.")
    return low, high


@dataclass(frozen=True, eq=False)
class JudgeEstimates:
    """The mean of rows in all its forms."""

    powered: PoweredMean
    human_only: PoweredMean
    bias: PoweredMean
    tuning: float


def estimates_of(
    rows: JudgedRows, bounds: Bounds | None, tuning: float | None = None
) -> JudgeEstimates:
    """Return the mean with the judge, without it, and what the judge adds."""
    used = power_tuning(rows) if tuning is None else tuning
    coefficient = coefficient_of(rows, used)
    fitted = 2 if tuning is None and used > 0 else 1
    powered = powered_mean(
        rows, (1.0, 0.0), coefficient, bounds=bounds, within=bounds, fitted=fitted
    )
    human = powered_mean(rows, (1.0, 0.0), 0.0, bounds=bounds, within=bounds, fitted=1)
    bias = powered_mean(
        rows, (-1.0, 1.0), 1 - coefficient, bounds=bounds, within=None, fitted=fitted
    )
    return JudgeEstimates(powered, human, bias, used if rows.unseen_share > 0 else 0.0)


def mean_of_rows(
    rows: JudgedRows, bounds: Bounds | None, tuning: float | None, level: float
) -> JudgedMean:
    """Return the record about checked rows."""
    if not rows.n_human:
        return unknown_mean(NO_LABELS, rows.n, rows.judge_mean)
    found = estimates_of(rows, bounds, tuning)
    band = found.powered.interval(level)
    why, method = found.powered.no_interval, _method(rows, bounds)
    return JudgedMean(
        found.powered.value,
        band,
        why or f"PPI++, {method}",
        Estimate(found.human_only.value, found.human_only.interval(level), why or method),
        rows.judge_mean,
        _bias(rows, found, why or f"PPI++, {method}", level),
        found.tuning,
        found.powered.standard_error,
        _gained(rows, found, level),
        rows.n,
        rows.n_human,
        _caution(rows),
    )


def unknown_mean(why: str, rows: int = 0, judge_only: float = math.nan) -> JudgedMean:
    """Return the record where nothing is known from people."""
    none, nan = Estimate(math.nan, None, why), math.nan
    return JudgedMean(nan, None, why, none, judge_only, none, nan, nan, nan, rows, 0)


def _bias(rows: JudgedRows, found: JudgeEstimates, method: str, level: float) -> Estimate:
    """Return the judge only less the value, which is what it is also where that was cut."""
    moved = rows.judge_mean - found.powered.value
    band = found.bias.interval(level)
    if band is not None and not band.low <= moved <= band.high:
        moved = min(max(moved, band.low), band.high)
    return Estimate(moved, band, method)


def _method(rows: JudgedRows, bounds: Bounds | None) -> str:
    """Return how intervals were computed."""
    kind = "Student's t, widened for skewness" if bounds is None else "Student's t, adjusted Wald"
    return kind if rows.unit is None else f"{kind}, by group"


def _gained(rows: JudgedRows, found: JudgeEstimates, level: float) -> float:
    if found.powered.no_interval:
        return math.nan
    (low, high), (lower, higher) = found.human_only.ends(level), found.powered.ends(level)
    if higher <= lower:
        return math.nan
    return rows.n_human * (((high - low) / (higher - lower)) ** 2 - 1)


def _caution(rows: JudgedRows) -> str:
    """Return a sentence where people saw rows that the judge labels otherwise than the rest."""
    p = choice_p_value(rows)
    if not p < CHOICE_LEVEL:
        return ""
    mine, others = rows.judge_human_mean, rows.judge_other_mean
    return (
        f"rows with human labels are not a random sample: the judge's mean is {number(mine, 2)} on"
        f" them and {number(others, 2)} on the others (p = {p:.1g}, tested at {CHOICE_LEVEL:g});"
        " pass inclusion, or label a random sample"
    )
