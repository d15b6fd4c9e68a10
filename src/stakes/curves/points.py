"""Points on a curve, and what is best there."""

from __future__ import annotations

__all__ = ["MinimumCost", "OperatingPoint", "TargetOdds"]

import math
from dataclasses import dataclass
from typing import Any

from stakes._records import NumberRecord, Record
from stakes._text import number, plain
from stakes._typing import FloatArray, Names
from stakes.results import json_number


@dataclass(frozen=True)
class OperatingPoint(Record):
    """A threshold and its error rates; the class of interest is decided for greater scores.

    Attributes
    ----------
    threshold : float
    sensitivity : float
    specificity : float
    misses : float
        Number of misses, by weight.
    false_alarms : float
        Number of false alarms, by weight.

    See Also
    --------
    roc_curve : all points.
    choose_threshold : the one to use.

    Examples
    --------
    >>> import stakes
    >>> point = stakes.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]).specificity_at(1.0)
    >>> point.threshold, point.specificity
    (0.1, 0.5)

    To miss nothing, use the threshold 0.1, and accept false alarms in half of the other class.
    """

    threshold: float
    sensitivity: float
    specificity: float
    misses: float
    false_alarms: float

    @property
    def miss_rate(self) -> float:
        """R_21, the share of the class of interest that is missed."""
        return 1 - self.sensitivity

    @property
    def false_alarm_rate(self) -> float:
        """R_12, the share of the other class that raises an alarm."""
        return 1 - self.specificity

    def __str__(self) -> str:
        return (
            f"threshold {number(self.threshold)}: sensitivity {number(self.sensitivity)}, "
            f"specificity {number(self.specificity)}"
        )


@dataclass(frozen=True, eq=False)
class MinimumCost(NumberRecord):
    """The least expected cost of any threshold, a float, and that threshold.

    Attributes
    ----------
    point : OperatingPoint
        The threshold and its rates.
    value : float
    naive : float
        The cost of the best constant decision.

    See Also
    --------
    RocCurve.minimum_cost : returns it.
    roc_curve : the curve.

    Examples
    --------
    >>> import stakes
    >>> roc = stakes.roc_curve([0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8])
    >>> least = roc.minimum_cost(stakes.CostMatrix.binary(miss=5, false_alarm=1))
    >>> least.point.threshold, least.normalized  # use this threshold: half of the naive cost
    (0.1, 0.5)
    """

    point: OperatingPoint
    value: float
    naive: float

    @property
    def normalized(self) -> float:
        """The value divided by that of the naive system; never above 1."""
        return self.value / self.naive if self.naive > 0 else math.nan

    def __str__(self) -> str:
        share = "" if math.isnan(self.normalized) else f", normalised {number(self.normalized)}"
        return (
            f"minimum cost {number(self.value)} (naive {number(self.naive)}{share}), "
            f"at {self.point}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        point = {name: json_number(value) for name, value in vars(self.point).items()}
        return {**point, "value": self.value, "naive": self.naive}


@dataclass(frozen=True, eq=False)
class TargetOdds(Record):
    """The odds that correspond to a target sensitivity, and the costs they imply.

    `range` has all odds for which the point is the best one; `odds` lies within it.

    Attributes
    ----------
    wanted : float
        The sensitivity that was requested.
    point : OperatingPoint
        The point that reaches it.
    range : tuple of two floats
        Odds for which the point is the best one.
    priors : array of two
    classes : tuple of names

    See Also
    --------
    RocCurve.odds_for : returns it.
    roc_curve : the curve.

    Examples
    --------
    >>> import stakes
    >>> roc = stakes.roc_curve([0, 0, 0, 1, 1, 1], [0.1, 0.2, 0.6, 0.4, 0.7, 0.9])
    >>> found = roc.odds_for(sensitivity=0.9)
    >>> found.point.threshold, found.cost_ratio < 1  # so a miss is implied to cost more
    (0.2, True)
    """

    wanted: float
    point: OperatingPoint
    range: tuple[float, float]
    priors: FloatArray
    classes: Names

    @property
    def odds(self) -> float:
        """Odds c12 P1 / (c21 P2): the geometric middle of the range, or inside an open range."""
        low, high = self.range
        if math.isinf(high):
            return 2 * low if low > 0 else 1.0
        return math.sqrt(low * high) if low > 0 else high / 2

    @property
    def normalized_cost(self) -> float:
        """The NEC that these odds define, at the point (eq:ec2)."""
        alpha, alarm, miss = self.odds, self.point.false_alarm_rate, self.point.miss_rate
        return alpha * alarm + miss if alpha >= 1 else alarm + miss / alpha

    @property
    def cost_ratio(self) -> float:
        """c12 / c21, the cost of a false alarm relative to a miss: odds * P2 / P1."""
        first, second = self.priors
        return self.odds * float(second / first) if first > 0 else math.inf

    @property
    def warning(self) -> str:
        """A warning if the implied costs contradict the wish for a high sensitivity; else empty."""
        if self.cost_ratio <= 1 or self.wanted < 0.5:
            return ""
        name = plain(self.classes[-1])
        return (
            f"A sensitivity of {number(self.wanted)} was requested, as if missing {name} were the "
            f"worse error; but on this system it takes costs by which a false alarm is "
            f"{number(self.cost_ratio)} times as bad as a miss. Ask for more sensitivity, or name "
            f"the costs."
        )

    def __str__(self) -> str:
        low, high = (number(end) for end in self.range)
        lines = [
            f"{self.point}",
            f"odds {number(self.odds)}, for which it is best from {low} to {high}",
            f"NEC {number(self.normalized_cost)}",
            f"a false alarm costs {number(self.cost_ratio)} times a miss",
        ]
        return "\n".join([*lines, self.warning] if self.warning else lines)
