"""Numbers that follow from the order of scores."""

from __future__ import annotations

__all__ = ["RankingValue"]

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from stakes._check import read_level
from stakes._records import NumberRecord
from stakes._text import number, plain
from stakes._typing import Label, Names
from stakes.inference.scored_rows import ScoredRows
from stakes.results import Direction, Estimate, Interval, json_number


def ranked_estimate(
    value: float, rows: ScoredRows, ends: Callable[[float], tuple[float, float]], level: float
) -> Estimate:
    """Return a value that follows from the order of rows with its interval, or why it has none."""
    if rows.why_none:
        return Estimate(value, None, rows.why_none)
    low, high = ends(level)
    method = "likelihood" if rows.unit is None else "likelihood, by group"
    return Estimate(value, Interval(min(low, value), max(high, value), level), method)


@dataclass(frozen=True, eq=False)
class RankingValue(NumberRecord):
    """How well scores rank two classes: a value, its naive value and its interval.

    It is a float: it compares, formats and calculates as its value does.

    Attributes
    ----------
    value : float
    name : str
    naive : float
        The value of uninformative scores.
    better : {"higher", "lower"}
    classes : tuple of names
    at_level : function or None
        Returns the value with its interval at a level.
    why_no_interval : str
        Empty if there is an interval.

    See Also
    --------
    auc, average_precision, minimum_cllr : return it.

    Examples
    --------
    >>> import stakes
    >>> area = stakes.auc([0, 0, 1, 1] * 20, [0.1, 0.4, 0.35, 0.8] * 20)
    >>> area.beats_naive, area.interval().low > area.naive  # the scores are informative
    (True, True)
    """

    value: float
    name: str
    naive: float
    better: Direction
    classes: Names
    at_level: Callable[[float], Estimate] | None = field(default=None, repr=False)
    why_no_interval: str = ""

    @property
    def _why_undefined(self) -> str:
        return self.why_no_interval if math.isnan(self.value) else ""

    @property
    def positive(self) -> Label:
        """The class of interest."""
        return self.classes[-1]

    @property
    def beats_naive(self) -> bool:
        """Whether the value is better than that of uninformative scores."""
        gain = self.value - self.naive if self.better == "higher" else self.naive - self.value
        return gain > 0

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the value, its interval, and how that was computed or why there is none.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        read_level(level)
        if self.at_level is None:
            return Estimate(self.value, None, self.why_no_interval)
        return self.at_level(level)

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return a confidence interval; None if there is none, and `method` says why.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return self.estimate(level).interval

    @property
    def method(self) -> str:
        """How the interval is computed, or why there is none."""
        return self.estimate().method

    def __str__(self) -> str:
        band = self.interval()
        span = "" if band is None else f", 95 % interval {band}"
        of = f"for class {plain(self.positive)}; naive {number(self.naive)}"
        return f"{self.name} {number(self.value)} ({of}, {self.better} is better{span})"

    def to_dict(self, level: float = 0.95) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON.

        Parameters
        ----------
        level : float, default 0.95
            Confidence level of the interval.
        """
        return {
            "name": self.name,
            **self.estimate(level).to_dict(),
            "naive": json_number(self.naive),
            "better": self.better,
            "positive": self.positive,
        }
