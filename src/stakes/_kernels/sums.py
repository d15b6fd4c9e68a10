"""Sums within groups, the same bits in any order of the samples."""

import ctypes

import numpy as np

from stakes._kernels.arrays import pointer
from stakes._kernels.library import KERNELS, check
from stakes._math import joined, sum_by as definition
from stakes._typing import FloatArray, IntArray

_WHOLE, _AT = ctypes.c_int64, ctypes.c_void_p
_FEW = 256  # samples or groups, up to which a call costs more than the sum, or banks fit the cache
_BANKS = 4
_OTHER_ROAD = 3

if KERNELS is not None:
    _sum_by = KERNELS.function("sum_by", _AT, _AT, _WHOLE, _WHOLE, _WHOLE, _AT, _AT, _AT)


def sum_by(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Sum finite values within each group; the same bits in any order of the samples.

    Its definition is that of `stakes._math`.

    Examples
    --------
    >>> import numpy as np
    >>> sum_by(np.array([0, 1, 0]), np.array([1e16, 2.5, 1.0]), 2) - [1e16, 0]
    array([0. , 2.5])
    """
    if KERNELS is None or values.size <= _FEW:
        return definition(group, values, n_groups)
    code = np.ascontiguousarray(group, dtype=np.int64)
    x = np.ascontiguousarray(values, dtype=np.float64)
    if code.shape != x.shape or x.ndim != 1:
        msg = f"group and values must be columns of one length: got {code.shape} and {x.shape}."
        raise ValueError(msg)
    banks = _BANKS if n_groups <= _FEW else 1
    peak, scale = np.zeros((banks, n_groups)), np.empty(n_groups)
    limbs = np.zeros((banks, n_groups, 3))
    scratch = (pointer(part) for part in (peak, scale, limbs))
    status = _sum_by(pointer(code), pointer(x), x.size, n_groups, banks, *scratch)
    if status == _OTHER_ROAD:
        return definition(group, values, n_groups)
    check(status)
    parts = list(limbs.sum(axis=0).T)
    return np.ldexp(joined(parts), np.frexp(peak[0])[1])
