"""Numbers that follow from the order of scores, with their naive value and their interval."""

__all__ = ["RankingValue"]

import math
from dataclasses import dataclass, field
from typing import Any

from stakes._check import read_level
from stakes._records import NumberRecord
from stakes._text import number, plain
from stakes._typing import Label, Names
from stakes.curves.delong import area_interval
from stakes.results import Direction, Estimate, Interval, json_number


@dataclass(frozen=True, eq=False)
class RankingValue(NumberRecord):
    """A number of how scores rank two classes: its value, that of a naive system, its interval.

    It is a float, so that it compares, formats and calculates as its value does.
    """

    value: float
    name: str
    naive: float
    better: Direction
    classes: Names
    variance: float = field(default=math.nan, repr=False)
    sizes: tuple[float, float] = field(default=(math.nan, math.nan), repr=False)
    why_no_interval: str = ""

    @property
    def positive(self) -> Label:
        """The class of interest."""
        return self.classes[-1]

    @property
    def beats_naive(self) -> bool:
        """Whether the value is better than that of a system that knows nothing."""
        gain = self.value - self.naive if self.better == "higher" else self.naive - self.value
        return gain > 0

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return value, interval, and how that was computed, or why there is none."""
        read_level(level)
        if math.isnan(self.variance):
            return Estimate(self.value, None, self.why_no_interval)
        return area_interval(self.value, self.variance, self.sizes, level)

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return a confidence interval; None where `method` says why."""
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
        """Return the record as plain values, fit for JSON."""
        return {
            "name": self.name,
            **self.estimate(level).to_dict(),
            "naive": json_number(self.naive),
            "better": self.better,
            "positive": self.positive,
        }
