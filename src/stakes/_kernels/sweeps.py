"""Metrics at every threshold, from how many samples of two classes have each score.

The counts are whole numbers, of scores in rising order; each result has one value more than there
are scores, that of a threshold below all of them.
"""

import numpy as np

from stakes._kernels.definitions import sweeps as definitions
from stakes._kernels.kernel_arrays import contiguous
from stakes._kernels.kernel_records import ClassCounts
from stakes._kernels.library import KERNELS, kernel
from stakes._typing import FloatArray

_COSTS, _F, _MATTHEWS, _BENEFIT, _PRECISION = range(5)
_MOST = 2.0**52

_sweep = kernel("sweep", "iaaiaa")


def swept_costs(
    at: ClassCounts, table: FloatArray, priors: FloatArray, by: float = 1.0
) -> FloatArray:
    """Return the expected cost, divided by some number."""
    if not _quick(at):
        return (
            definitions.costs(definitions.four(at.first, at.second), at.totals, table, priors) / by
        )
    (c11, c12), (c21, c22) = table.tolist()
    return _swept(_COSTS, at, c12, c11, c21, c22, *priors.tolist(), by)


def swept_f_score(at: ClassCounts, beta: float) -> FloatArray:
    """Return the F-score."""
    if not _quick(at):
        return definitions.f_score(*definitions.four(at.first, at.second)[1:], beta)
    small = beta if beta <= 1 else 1 / beta
    return _swept(_F, at, small * small, float(beta > 1))


def swept_matthews(at: ClassCounts) -> FloatArray:
    """Return the Matthews correlation."""
    if not _quick(at):
        return definitions.matthews(*definitions.four(at.first, at.second))
    return _swept(_MATTHEWS, at)


def swept_net_benefit(at: ClassCounts, threshold: float) -> FloatArray:
    """Return the net benefit."""
    if not _quick(at):
        _, n12, _, n22 = definitions.four(at.first, at.second)
        return definitions.net_benefit(n12, n22, sum(at.totals), threshold)
    return _swept(_BENEFIT, at, threshold)


def swept_precision(at: ClassCounts) -> FloatArray:
    """Return the precision."""
    if not _quick(at):
        _, n12, _, n22 = definitions.four(at.first, at.second)
        return definitions.precision(n12, n22)
    return _swept(_PRECISION, at)


def _quick(at: ClassCounts) -> bool:
    """Whether the kernel can do it: all counts are whole numbers of 52 bits."""
    return KERNELS is not None and sum(at.totals) < _MOST


def _swept(kind: int, at: ClassCounts, *parameters: float) -> FloatArray:
    """Run the kernel."""
    a, b = (contiguous(part, np.int64) for part in (at.first, at.second))
    if a.shape != b.shape or a.ndim != 1:
        msg = f"first and second must be columns of one length: got {a.shape} and {b.shape}."
        raise ValueError(msg)
    out = np.empty(a.size + 1)
    numbers = np.array([*at.totals, *parameters], dtype=np.float64)
    _sweep(kind, a, b, a.size, numbers, out)
    return out
