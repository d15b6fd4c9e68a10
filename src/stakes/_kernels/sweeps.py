"""Metrics at every threshold, from how many samples of two classes have each score.

The counts are whole numbers, of scores in rising order; each result has one value more than there
are scores, that of a threshold below all of them.
"""

import ctypes

import numpy as np

from stakes._kernels.arrays import pointer
from stakes._kernels.definitions import sweeps as definitions
from stakes._kernels.library import KERNELS, check
from stakes._typing import FloatArray, IntArray

_COSTS, _F, _MATTHEWS, _BENEFIT, _PRECISION = range(5)
_MOST = 2.0**52

if KERNELS is not None:
    _whole, _at = ctypes.c_int64, ctypes.c_void_p
    _sweep = KERNELS.function("sweep", _whole, _at, _at, _whole, _at, _at)


def swept_costs(
    first: IntArray, second: IntArray, table: FloatArray, priors: FloatArray, by: float = 1.0
) -> FloatArray:
    """Return the expected cost, divided by some number."""
    totals = float(first.sum()), float(second.sum())
    if not _quick(totals):
        return definitions.costs(definitions.four(first, second), totals, table, priors) / by
    (c11, c12), (c21, c22) = table.tolist()
    return _swept(_COSTS, first, second, *totals, c12, c11, c21, c22, *priors.tolist(), by)


def swept_f_score(first: IntArray, second: IntArray, beta: float) -> FloatArray:
    """Return the F-score."""
    totals = float(first.sum()), float(second.sum())
    if not _quick(totals):
        return definitions.f_score(*definitions.four(first, second)[1:], beta)
    small = beta if beta <= 1 else 1 / beta
    return _swept(_F, first, second, *totals, small * small, float(beta > 1))


def swept_matthews(first: IntArray, second: IntArray) -> FloatArray:
    """Return the Matthews correlation."""
    totals = float(first.sum()), float(second.sum())
    if not _quick(totals):
        return definitions.matthews(*definitions.four(first, second))
    return _swept(_MATTHEWS, first, second, *totals)


def swept_net_benefit(first: IntArray, second: IntArray, threshold: float) -> FloatArray:
    """Return the net benefit."""
    totals = float(first.sum()), float(second.sum())
    if not _quick(totals):
        _, n12, _, n22 = definitions.four(first, second)
        return definitions.net_benefit(n12, n22, sum(totals), threshold)
    return _swept(_BENEFIT, first, second, *totals, threshold)


def swept_precision(first: IntArray, second: IntArray) -> FloatArray:
    """Return the precision."""
    totals = float(first.sum()), float(second.sum())
    if not _quick(totals):
        _, n12, _, n22 = definitions.four(first, second)
        return definitions.precision(n12, n22)
    return _swept(_PRECISION, first, second, *totals)


def _quick(totals: tuple[float, float]) -> bool:
    """Whether the kernel can do it: all counts are whole numbers of 52 bits."""
    return KERNELS is not None and sum(totals) < _MOST


def _swept(kind: int, first: IntArray, second: IntArray, *parameters: float) -> FloatArray:
    """Run the kernel."""
    a, b = (np.ascontiguousarray(part, dtype=np.int64) for part in (first, second))
    if a.shape != b.shape or a.ndim != 1:
        msg = f"first and second must be columns of one length: got {a.shape} and {b.shape}."
        raise ValueError(msg)
    out = np.empty(a.size + 1)
    numbers = np.array(parameters)
    check(_sweep(kind, pointer(a), pointer(b), a.size, pointer(numbers), pointer(out)))
    return out
