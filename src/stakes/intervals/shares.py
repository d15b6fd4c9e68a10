"""Means of bounded values and shares of samples, with intervals in closed form, also by group."""

import numpy as np

from stakes._math import times
from stakes._quantiles import normal, student, wilson
from stakes._typing import BoolArray, FloatArray, IntArray
from stakes.class_losses import ClassLosses
from stakes.intervals.groups import with_design
from stakes.results import FEWEST_GROUPS, Estimate, ExpectedLoss, Interval
from stakes.statistics.group_effects import design_effect


def bounded_mean(
    name: str,
    values: FloatArray,
    share: FloatArray,
    bounds: tuple[float, float],
    unit: IntArray | None = None,
) -> ExpectedLoss:
    """Return the mean of values between two bounds as an expected loss of one class.

    `share` is how much each sample counts, in all 1; `unit` the group of each. Its interval is
    that of bounded losses; the naive system always has the largest value.
    """
    square = np.square(share)
    mean = float(share @ values)
    gap = values - mean
    total = float(square.sum())
    one = np.ones(1)
    losses = ClassLosses(
        size=one / total,
        mean=one * mean,
        drift=one * (float(square @ gap) / total),
        variance=one * (float(square @ np.square(gap)) / total),
        low=one * bounds[0],
        high=one * bounds[1],
    )
    record = ExpectedLoss(
        name=name,
        value=mean,
        naive=bounds[1],
        naive_answer="none",
        classes=("all",),
        priors=one,
        priors_from_data=True,
        losses=losses,
        naive_losses=one * bounds[1],
    )
    if unit is None:
        return record
    return with_design(record, np.zeros(values.size, dtype=np.int64), share, unit, values)


def share_estimate(
    hits: BoolArray,
    members: BoolArray,
    share: FloatArray,
    level: float,
    unit: IntArray | None = None,
) -> Estimate:
    """Return which share of the members are hits, with Wilson's interval; there are members."""
    own = members * share
    own = own / own.max()  # so that no square of a small share is 0
    total = float(own.sum())
    value = float((own * hits).sum() / total)
    size = total**2 / float(np.square(own).sum())
    if unit is not None:
        groups = int(np.unique(unit[members]).size)
        if groups < FEWEST_GROUPS:
            return Estimate(value, None, f"needs {FEWEST_GROUPS} groups: got {groups}")
        size = effective_size(own, hits, unit, size)
        low, high = wilson(value, size, student(level, groups - 1))
        return Estimate(value, Interval(low, high, level), "Wilson, by group")
    low, high = wilson(value, size, normal(level))
    return Estimate(value, Interval(low, high, level), "Wilson")


def effective_size(
    own: FloatArray,
    hits: BoolArray,
    unit: IntArray,
    size: float,
    copies: IntArray | None = None,
) -> float:
    """Return how many independent samples a share is worth, where members come in groups.

    `own` is the weight of each sample, 0 for those that are no members.
    """
    total = float(times(own, copies).sum())
    share = float(times(own * hits, copies).sum()) / total
    if share in (0.0, 1.0):  # no spread that could show how alike a group is
        return float(min(size, np.unique(unit[own > 0]).size))
    influence = own * (hits - share) / total
    return size / design_effect(influence, unit, own, copies=copies)
