"""Sums of whole numbers by key, of which there may be as many as rows."""

import ctypes

import numpy as np

from stakes._kernels.arrays import contiguous, pointer
from stakes._kernels.library import KERNELS, check
from stakes._typing import IntArray

_WHOLE, _AT = ctypes.c_int64, ctypes.c_void_p
_SLICE = 2**22  # rows at a time, so that the table of places stays small

if KERNELS is not None:
    _sum_by_key = KERNELS.function(
        "sum_by_key", _AT, _AT, _WHOLE, _WHOLE, _WHOLE, _AT, _AT, _AT, _AT
    )


def sum_by_key(keys: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return each key once, in their order, and the sums of its rows; `numbers` are k x rows.

    Examples
    --------
    >>> import numpy as np
    >>> found, sums = sum_by_key(np.array([7, 3, 7]), np.array([[1, 2, 4], [0, 1, 0]]))
    >>> found.tolist(), sums.tolist()
    ([3, 7], [[2, 5], [1, 0]])
    """
    if not keys.size:
        return keys, numbers
    if KERNELS is None:
        return _sorted(keys, numbers)
    found, sums = [], []
    for start in range(0, keys.size, _SLICE):
        part = slice(start, start + _SLICE)
        own, summed = _hashed(keys[part], numbers[:, part])
        found.append(own)
        sums.append(summed)
    if len(found) == 1:
        order = np.argsort(found[0])
        return found[0][order], np.ascontiguousarray(sums[0][order].T)
    return _sorted(np.concatenate(found), np.concatenate(sums).T)


def _sorted(keys: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return sums by key after sorting all rows: the definition of the kernel."""
    order = np.argsort(keys)
    ranked = keys[order]
    starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    return ranked[starts], np.add.reduceat(numbers[:, order], starts, axis=1)


def _hashed(keys: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return keys in the order in which they were first seen, and their sums, keys x k."""
    n, width = keys.size, len(numbers)
    bits = int(2 * n - 1).bit_length()
    places = np.full(1 << bits, -1, dtype=np.int32)
    found, sums = np.empty(n, dtype=np.int64), np.empty((n, width), dtype=np.int64)
    count = np.zeros(1, dtype=np.int64)
    rows = contiguous(keys, np.int64), contiguous(numbers, np.int64)
    inputs = (*(pointer(array) for array in rows), n, width, bits)
    outputs = (pointer(array) for array in (places, found, sums, count))
    check(_sum_by_key(*inputs, *outputs))
    return found[: count[0]], sums[: count[0]]
