"""Means of bounded values, with their intervals, also by group."""

import numpy as np

from stakes._math import quotient
from stakes._typing import FloatArray, IntArray
from stakes.loss_rows import LossRows
from stakes.results import ExpectedLoss


def bounded_mean(
    name: str,
    values: FloatArray,
    share: FloatArray,
    bounds: tuple[float, float],
    unit: IntArray | None = None,
) -> ExpectedLoss:
    """Return the mean of values between two bounds as an expected loss of one class.

    `share` is how much each sample counts, `unit` the group of each. The naive system always has
    the largest value.
    """
    one, weight = np.ones(1), share / share.max()
    mean = quotient(weight @ values, weight.sum()) * one
    y = np.zeros(values.size, dtype=np.int64)
    rows = LossRows(mean, y, values, weight, np.ones(values.size), unit=unit)
    low, high = (one * end for end in bounds)
    return ExpectedLoss(
        name=name,
        value=float(mean[0]),
        naive=bounds[1],
        naive_answer="none",
        classes=("all",),
        priors=one,
        priors_from_data=True,
        losses=rows.between(low, high),
        naive_losses=high,
    )
