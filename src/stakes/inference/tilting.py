"""The reweighting of rows that moves a sum most, among those that are likely enough.

Weights w of rows that count m are as likely as exp(-r^2 / 2), r^2 = 2 sum m log(m / w), their
sum in each stratum kept.
"""

import numpy as np

from stakes._kernels.definitions.reweighting import depth_of, radius_of_ratios
from stakes._kernels.tilt import tilted
from stakes._typing import FloatArray, IntArray

__all__ = ["depth_of", "likeliest", "most", "radius_at"]


def most(
    slopes: FloatArray, counts: FloatArray, stratum: IntArray, radius: FloatArray
) -> FloatArray:
    """Return the weights (problems x rows) with the largest sum of weights * slopes at a radius."""
    return tilted(slopes, counts, stratum, radius, of_radius=True)


def likeliest(
    slopes: FloatArray, counts: FloatArray, stratum: IntArray, ahead: FloatArray
) -> FloatArray:
    """Return the likeliest weights whose sum of weights * slopes is ahead of that of the counts."""
    return tilted(slopes, counts, stratum, ahead, of_radius=False)


def radius_at(weights: FloatArray, counts: FloatArray) -> FloatArray:
    """Return the radius at which weights of the same sums are."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        return radius_of_ratios(counts / weights, counts)
