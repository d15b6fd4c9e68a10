"""Numbers that follow from the share answered and the accuracy of answers, with intervals."""

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from stakes._counting import bincount
from stakes._quantiles import normal, student, wilson
from stakes._typing import BoolArray
from stakes.responses.judge import JudgedMean
from stakes.responses.judged_rows import JudgedRows, mean_by
from stakes.results import FEWEST_GROUPS, Estimate, Interval
from stakes.statistics.group_effects import design_effect, effective_groups


@dataclass(frozen=True, eq=False)
class AnsweredShare:
    """The share of rows that were answered, and how it goes with the accuracy of answers."""

    estimate: Estimate
    correlation: float = 0.0  # with the accuracy, over groups

    @property
    def value(self) -> float:
        """The share."""
        return self.estimate.value


def answered_share(rows: JudgedRows, level: float) -> AnsweredShare:
    """Return the share of answered rows; without groups it varies apart from their accuracy."""
    answered = ~np.isnan(rows.judge)
    return AnsweredShare(share_estimate(rows, answered, level), _correlation(rows, answered))


def share_estimate(
    rows: JudgedRows, hits: BoolArray, level: float, among: BoolArray | None = None
) -> Estimate:
    """Return the share of hits among rows, by weight, with Wilson's interval."""
    chosen = np.ones(rows.n, dtype=np.bool_) if among is None else among
    part = rows.part(chosen)
    if not part.n:
        return Estimate(math.nan, None, "there are no such rows")
    weights = part.weights if part.chance is None else part.weights / part.chance
    share, hit = weights / weights.sum(), hits[chosen].astype(np.float64)
    value = mean_by(weights, hit)
    size, quantile, method = 1 / float(np.square(share).sum()), normal(level), "Wilson"
    if part.unit is not None:
        groups = np.unique(part.unit).size
        if groups < FEWEST_GROUPS:
            return Estimate(value, None, f"needs {FEWEST_GROUPS} groups: got {groups}")
        size /= design_effect(share * (hit - value), part.unit, share)
        quantile = student(level, max(effective_groups(part.unit, share) - 1, 1.0))
        method = "Wilson, by group"
    return Estimate(value, Interval(*wilson(value, size, quantile), level), method)


def _correlation(rows: JudgedRows, answered: BoolArray) -> float:
    """Return the correlation over groups of the share answered with what people found right."""
    seen = rows.seen & answered
    if rows.unit is None or not seen.any():
        return 0.0
    share, right = rows.share, rows.human[seen]
    first = bincount(rows.unit, share * (answered - share @ answered))
    mine = share[seen] / share[seen].sum()
    second = bincount(rows.unit[seen], mine * (right - mine @ right), first.size)
    scale = math.sqrt(float(first @ first) * float(second @ second))
    return float(first @ second) / scale if scale > 0 else 0.0


def combined(
    formula: Callable[[float, float], float], share: AnsweredShare, mean: JudgedMean
) -> tuple[Interval | None, str]:
    """Return the interval of a number that follows from both, by squares that add (MOVER).

    What either adds below and above the value is squared and summed; a correlation over groups
    may widen the interval, not narrow it.
    """
    ours, theirs = mean.interval, share.estimate.interval
    if ours is None or theirs is None:
        return None, mean.method if ours is None else share.estimate.method
    a, q = share.value, mean.value
    value = formula(a, q)
    if math.isnan(value):
        return None, mean.method
    along_q = [formula(a, end) - value for end in ours]
    along_a = [formula(end, q) - value for end in theirs]
    rising = math.copysign(1, along_q[1] - along_q[0]) * math.copysign(1, along_a[1] - along_a[0])
    product = max(rising * share.correlation, 0.0)
    low, high = (
        math.sqrt(x * x + y * y + 2 * product * x * y)
        for x, y in (
            (max(0.0, *(-d for d in along_q)), max(0.0, *(-d for d in along_a))),
            (max(0.0, *along_q), max(0.0, *along_a)),
        )
    )
    corners = [formula(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]
    known = [c for c in corners if not math.isnan(c)]
    return Interval(
        max(value - low, min(known)), min(value + high, max(known)), ours.level
    ), mean.method
