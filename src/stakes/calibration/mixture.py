"""The most likely shares of known distributions in a mixture, and how well they are known."""

import math

import numpy as np

from stakes._check import UndefinedMetricError
from stakes._typing import FloatArray

_STEPS = 500  # a Newton step each; a dozen is usual
_SMALLEST_STEP = 1e-6
_SETTLED = 1e-13  # of the mean log likelihood, which no other priors can exceed by more
_LEAST_RISE = 1e-12  # of the mean log likelihood; one more step then squares the error


def most_likely_priors(
    ratio: FloatArray, start: FloatArray, counts: FloatArray | None = None
) -> FloatArray:
    """Return the priors P that maximise the mean of log sum_k P_k ratio_k, some of them maybe 0.

    A row may count for several.

    The likelihood is concave. Each step maximises its quadratic approximation over x >= 0, after
    Kim, Carbonetto, Stephens and Anitescu (2018): mean log(ratio x) - sum x has its maximum where x
    sums to 1. A step of EM follows, which brings back what a Newton step made too small. No other
    priors have a mean log likelihood that is higher by more than max_k slope_k - 1.
    """
    from scipy.optimize import nnls  # noqa: PLC0415  slow to import

    p = start.copy()
    share = np.ones(len(ratio)) if counts is None else counts
    share = share / share.sum()
    for _ in range(_STEPS):
        relative = ratio / (ratio @ p)[:, None]
        slope = share @ relative
        if slope.max() - 1 <= _SETTLED:
            return p
        curvature = (share[:, None] * relative).T @ relative
        curvature[np.diag_indices_from(curvature)] += 1e-12 * np.trace(curvature)
        root = np.linalg.cholesky(curvature)
        target = np.asarray(nnls(root.T, np.linalg.solve(root, 2 * slope - 1))[0])
        if (slope - 1) @ (target - p) < _LEAST_RISE:
            return target / target.sum()
        p = _along(ratio, share, p, target)
        p = p * (share @ (ratio / (ratio @ p)[:, None]))
        p /= p.sum()
    rule, found = "must allow an estimate of the priors", f"after {_STEPS} steps it still moves"
    raise UndefinedMetricError("scores", rule, found=found, hint="Calibrate the scores first.")


def _along(
    ratio: FloatArray, share: FloatArray, start: FloatArray, target: FloatArray
) -> FloatArray:
    """Return a better point on the way to a target; the start where none is found.

    No weight shrinks to less than a tenth in one step: at 0 it could not come back.
    """
    size, value = 1.0, _penalised(ratio, share, start)
    while size > _SMALLEST_STEP:
        tried = np.maximum(start + size * (target - start), start / 10)
        if _penalised(ratio, share, tried) > value:
            return tried
        size /= 2
    return start


def _penalised(ratio: FloatArray, share: FloatArray, weights: FloatArray) -> float:
    with np.errstate(divide="ignore"):
        return float(share @ np.log(ratio @ weights) - weights.sum())


def priors_by_rates(rates: FloatArray, share: FloatArray) -> FloatArray:
    """Return the priors for which rates R_ij give each decision its share, or nearly; NaN: none."""
    from scipy.optimize import nnls  # noqa: PLC0415  slow to import

    found = np.asarray(nnls(rates.T, share)[0])
    return found / found.sum() if found.any() else np.full(found.size, math.nan)
