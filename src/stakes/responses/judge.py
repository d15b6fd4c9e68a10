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
from stakes.inference.law import FEWEST_GROUPS
from stakes.responses.judged_rows import JudgedRows, read_rows
from stakes.responses.judged_totals import Bounds, JudgedTotals, Of
from stakes.results import Estimate, Interval, json_number

CHOICE_LEVEL = 0.01  # of the test of a random choice, which only warns
NO_LABELS = "no row has a human label"
_NUMBERS: dict[str, Of] = {
    "powered": lambda m: m.powered,
    "human": lambda m: m.human,
    "bias": lambda m: m.judge - m.powered,
}


@dataclass(frozen=True, eq=False)
class JudgedMean(NumberRecord):
    """A mean over all rows, from human values of some rows and a judge's values of all.

    It is a float. `human_only` is the mean of the rows that people labelled, `judge_only` that of
    the judge over all rows, and `bias` is `judge_only` minus the value. `tuning` is the lambda of
    PPI++, the weight of the judge: 0 ignores it, also where the judge would make the interval
    wider. `labels_gained` is how many more human labels would have made the interval of
    `human_only` as narrow. `standard_error` is that of large samples. `caution` is a warning if
    rows with human labels do not look like a random sample.

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
    probabilities in `inclusion`. A judge that does not make the interval narrower gets a lambda of
    0, and the value is that of the human labels alone.

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
    groups. Its normal interval covers too rarely with few labels. Here the interval is that of all
    numbers of this library: the range over all reweightings of the rows, lambda found again for
    each, together with half an unseen row, that are likely enough (docs/intervals.md). There is no
    interval with fewer than 10 human labels (30 without bounds), or with human labels in fewer than
    5 groups.

    Examples
    --------
    A judge passed 144 of 200 answers, and people looked at 40 of the answers. The judge passed four
    that people found wrong:

    >>> import stakes
    >>> human = [1] * 20 + [0] * 4 + [0] * 16 + [None] * 160
    >>> judge = [1] * 20 + [1] * 4 + [0] * 16 + [1] * 120 + [0] * 40
    >>> found = stakes.judged_mean(human, judge)
    >>> print(found)
    corrected               0.6185 (0.4631 to 0.7479)
    human labels only       0.5000 (0.3438 to 0.6562), 40 of 200 rows
    judge only              0.7200
    judge only − corrected  0.1015 (−0.0060 to 0.2524)
    power tuning            0.79
    human labels gained     8.1
    method                  PPI++, likelihood

    The judge alone says 0.72. If 0.7 is needed, these labels cannot show it: label more rows.

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


def mean_of_rows(
    rows: JudgedRows, bounds: Bounds | None, tuning: float | None, level: float
) -> JudgedMean:
    """Return the record about checked rows."""
    if not rows.n_human:
        return unknown_mean(NO_LABELS, rows.n, rows.judge_mean)
    totals = JudgedTotals(rows, bounds, tuning)
    found = totals.estimates(_NUMBERS, level)
    if tuning is None and _gained(found) < 0:  # the judge is of no use
        totals = JudgedTotals(rows, bounds, 0.0)
        found = totals.estimates(_NUMBERS, level)
    powered, why = found["powered"], totals.no_interval
    value = _within(powered, bounds)
    return JudgedMean(
        value.value,
        value.interval,
        why or f"PPI++, {powered.method}",
        found["human"],
        rows.judge_mean,
        _bias(rows.judge_mean - value.value, found["bias"], why or f"PPI++, {powered.method}"),
        min(float(totals.means.coefficient) * rows.unseen_share, 1.0),
        totals.standard_error,
        rows.n_human * _gained(found),
        rows.n,
        rows.n_human,
        _caution(totals),
    )


def _within(found: Estimate, bounds: Bounds | None) -> Estimate:
    """Return a mean and its interval cut at the bounds."""
    if bounds is None:
        return found
    value, band = min(max(found.value, bounds[0]), bounds[1]), found.interval
    if band is not None:
        low, high = np.clip(tuple(band), *bounds).tolist()
        band = Interval(low, high, band.level)
    return Estimate(value, band, found.method)


def unknown_mean(why: str, rows: int = 0, judge_only: float = math.nan) -> JudgedMean:
    """Return the record where nothing is known from people."""
    none, nan = Estimate(math.nan, None, why), math.nan
    return JudgedMean(nan, None, why, none, judge_only, none, nan, nan, nan, rows, 0)


def _bias(moved: float, found: Estimate, method: str) -> Estimate:
    """Return the judge only less the value, which is what it is also where that was cut."""
    band = found.interval
    if band is not None:
        moved = min(max(moved, band.low), band.high)
    return Estimate(moved, band, method)


def _gained(found: dict[str, Estimate]) -> float:
    """Return how many more human labels, for each, would make their interval as narrow."""
    human, powered = found["human"].interval, found["powered"].interval
    if human is None or powered is None or powered.high <= powered.low:
        return math.nan
    return float(((human.high - human.low) / (powered.high - powered.low)) ** 2 - 1)


def _caution(totals: JudgedTotals) -> str:
    """Return a sentence where people saw rows that the judge labels otherwise than the rest."""
    rows = totals.rows
    few = rows.unit is not None and rows.human_units < FEWEST_GROUPS
    if rows.chance is not None or not rows.n_human < rows.n or np.ptp(rows.judge) == 0 or few:
        return ""
    p = totals.p_value(lambda m: m.gap)
    if not p < CHOICE_LEVEL:
        return ""
    mine, others = rows.judge_human_mean, rows.judge_other_mean
    return (
        f"rows with human labels are not a random sample: the judge's mean is {number(mine, 2)} on"
        f" them and {number(others, 2)} on the others (p = {p:.1g}, tested at {CHOICE_LEVEL:g});"
        " pass inclusion, or label a random sample"
    )
