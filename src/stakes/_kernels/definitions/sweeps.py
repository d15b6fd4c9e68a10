"""Metrics of two classes and two decisions, from the four counts of one or many thresholds."""

import numpy as np

from stakes._math import difference_of_products
from stakes._typing import FloatArray, Floats, IntArray

FourCounts = tuple[FloatArray, FloatArray, FloatArray, FloatArray]


def ratio(above: Floats, below: Floats) -> FloatArray:
    """Return above / below: infinite for x/0, NaN for 0/0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(above, below)


def f_score(n12: FloatArray, n21: FloatArray, n22: FloatArray, beta: float) -> FloatArray:
    """Return (1+b^2) N_22 / ((1+b^2) N_22 + b^2 N_21 + N_12)."""
    small = beta if beta <= 1 else 1 / beta
    square = small * small  # at most 1, so that no beta overflows
    often, seldom = (n21, n12) if beta <= 1 else (n12, n21)
    errors = (square * often + seldom) / (1 + square)
    return ratio(n22, n22 + errors)


def matthews(n11: FloatArray, n12: FloatArray, n21: FloatArray, n22: FloatArray) -> FloatArray:
    """Return (N_11 N_22 - N_12 N_21) / sqrt(N_1* N_2* N_*1 N_*2)."""
    determinant = difference_of_products(n11, n22, n12, n21)
    spread = np.sqrt(n11 + n12) * np.sqrt(n21 + n22) * np.sqrt(n11 + n21) * np.sqrt(n12 + n22)
    return ratio(determinant, spread)


def net_benefit(n12: FloatArray, n22: FloatArray, total: Floats, threshold: float) -> FloatArray:
    """Return N_22/N - p/(1-p) N_12/N for the threshold probability p."""
    p = threshold
    q = 1 - p
    lost = (1 - q) - p  # what the rounding of 1 - p took away; it shows when terms cancel
    benefit = difference_of_products(n22, q, p, n12) + n22 * lost
    return ratio(benefit, total * q)


def precision(n12: FloatArray, n22: FloatArray) -> FloatArray:
    """Return N_22 / N_*2."""
    return ratio(n22, n12 + n22)


def costs(
    counts: FourCounts, totals: tuple[float, float], table: FloatArray, priors: FloatArray
) -> FloatArray:
    """Return P_1 (c_12 R_12 + c_11 R_11) + P_2 (c_21 R_21 + c_22 R_22)."""
    n11, n12, n21, n22 = counts
    (c11, c12), (c21, c22) = table.tolist()
    first, second = n12 / totals[0] * c12, n21 / totals[1] * c21
    if c11:
        first += c11 * (n11 / totals[0])
    if c22:
        second += c22 * (n22 / totals[1])
    first *= priors[0]
    second *= priors[1]
    first += second
    return first


def four(first: IntArray, second: IntArray) -> FourCounts:
    """Return N_11, N_12, N_21 and N_22 at every threshold, from those at each score."""
    n11, n21 = (np.concatenate([[0], np.cumsum(at)]).astype(np.float64) for at in (first, second))
    return n11, n11[-1] - n11, n21, n21[-1] - n21
