"""One area under a ROC curve less that of another system, on the same samples."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stakes._check import read_level
from stakes.curves.placements import Placements
from stakes.results import Estimate, Interval


@dataclass(frozen=True, eq=False)
class AreaDifference:
    """The area of a first system less that of a second, with its interval and its test.

    The interval of a level excludes 0 where the two-sided p-value is below 1 - level: both are of
    one problem.
    """

    gaps: Placements  # of the first system less those of the second
    sign: float = 1.0  # -1 for the second less the first

    @property
    def value(self) -> float:
        """The difference."""
        return self.sign * self.gaps.value + 0.0

    @cached_property
    def why(self) -> str:
        """Why there is no interval; empty where there is one."""
        return self.gaps.why_none if self._differ else "the systems rank all samples alike"

    @property
    def _differ(self) -> bool:
        return bool(np.any(self.gaps.place))

    @property
    def p_value(self) -> float:
        """The two-sided p-value of no difference; NaN where there is none."""
        if not self._differ:
            return 1.0
        return math.nan if self.why else self.gaps.p_value

    def interval(self, level: float = 0.95) -> Interval | None:
        """Return the interval of the difference, which agrees with the test."""
        return self.estimate(level).interval

    def estimate(self, level: float = 0.95) -> Estimate:
        """Return the difference with its interval."""
        read_level(level)
        if self.why:
            return Estimate(self.value, None, self.why)
        ends = (self.sign * self.gaps.difference.intervals(level)[0]).tolist()
        method = "likelihood" if self.gaps.unit is None else "likelihood, by group"
        low, high = max(min(*ends, self.value), -1.0), min(max(*ends, self.value), 1.0)
        return Estimate(self.value, Interval(low, high, level), method)

    def distinguishable(self, level: float = 0.95) -> bool:
        """Whether the difference is distinguishable from 0: the interval excludes it."""
        return self.p_value < 1 - read_level(level)

    def turned(self) -> AreaDifference:
        """Return the second system less the first."""
        return replace(self, sign=-self.sign)
