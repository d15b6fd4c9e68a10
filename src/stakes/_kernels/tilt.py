"""Weights of rows at the tilt that reaches a goal, for many problems about the same rows."""

import numpy as np

from stakes._kernels.definitions import reweighting
from stakes._kernels.kernel_arrays import contiguous
from stakes._kernels.library import KERNELS, kernel
from stakes._typing import FloatArray, IntArray

_tilt = kernel("tilt", "aaaaiiiia")


def tilted(
    slopes: FloatArray, counts: FloatArray, stratum: IntArray, goal: FloatArray, *, of_radius: bool
) -> FloatArray:
    """Return the weights (problems x rows) that move the sum of weights * slopes most.

    The goal of each problem is a radius, or how far its sum is ahead of that of the counts. Each
    of the strata 0, 1, ... has rows, and all rows count more than 0.
    """
    if slopes.ndim != 2 or counts.shape != slopes.shape:
        msg = f"counts must be problems x rows like slopes: got shape {counts.shape}."
        raise ValueError(msg)
    problems, rows = slopes.shape
    if stratum.shape != (rows,) or goal.shape != (problems,):
        msg = f"stratum and goal must fit {problems} x {rows}: got {stratum.shape}, {goal.shape}."
        raise ValueError(msg)
    if KERNELS is None:
        return reweighting.tilted(slopes, counts, stratum, goal, of_radius=of_radius)
    d, m, target = (contiguous(x, np.float64) for x in (slopes, counts, goal))
    codes, weights = contiguous(stratum, np.int64), np.empty((problems, rows))
    strata = int(codes.max(initial=0)) + 1
    _tilt(d, m, codes, target, problems, rows, strata, int(of_radius), weights)
    return weights
