"""Ranking from sorted scores: levels, pairs in order, and pool-adjacent-violators."""

import ctypes
from typing import Any

import numpy as np

from stakes._kernels import definitions
from stakes._kernels.arrays import contiguous
from stakes._kernels.library import KERNELS, check
from stakes._kernels.records import Levels
from stakes._typing import Counts, IntArray, NDArray

_WHOLE = ctypes.c_int64
_AT = ctypes.c_void_p
_COLUMNS = (_WHOLE, _AT, _WHOLE, _AT, _WHOLE)

if KERNELS is not None:
    _merge = KERNELS.function("merge", *_COLUMNS, _AT, _AT, _AT, _AT)
    _pairs = KERNELS.function("pairs", *_COLUMNS, _AT)
    _places = KERNELS.function("places", *_COLUMNS, _AT, _AT)
    _pav_whole = KERNELS.function("pav_whole", _AT, _AT, _WHOLE, _AT, _AT, _AT, _AT)
    _pav_real = KERNELS.function("pav_real", _AT, _AT, _WHOLE, _AT, _AT, _AT, _AT)


def sorted_merge(first: NDArray[Any], second: NDArray[Any]) -> Levels:
    """Return distinct scores in rising order, and how many samples of either class have each.

    Examples
    --------
    >>> import numpy as np
    >>> found = sorted_merge(np.array([0.1, 0.5]), np.array([0.5, 0.5, 0.9]))
    >>> found.level, found.first, found.second
    (array([0.1, 0.5, 0.9]), array([1, 1, 0]), array([0, 2, 1]))
    """
    a, b = _sorted(first, second)
    if KERNELS is None:
        return definitions.sorted_merge(a, b)
    level = np.empty(a.size + b.size)
    low, high = (np.empty(level.size, dtype=np.int64) for _ in range(2))
    size = ctypes.c_int64()
    outputs = (level.ctypes.data, low.ctypes.data, high.ctypes.data, ctypes.byref(size))
    check(_merge(*_described(a, b), *outputs))
    n = size.value
    if 2 * n < level.size:  # let go of the memory that ties left empty
        return Levels(level[:n].copy(), low[:n].copy(), high[:n].copy())
    return Levels(level[:n], low[:n], high[:n])


def auc_pairs(first: NDArray[Any], second: NDArray[Any]) -> int:
    """Return twice the pairs in which the second class scores more, plus those of equal score.

    Divided by 2 * n_1 * n_2 it is the area under the ROC curve.

    Examples
    --------
    >>> import numpy as np
    >>> auc_pairs(np.array([0.1, 0.5]), np.array([0.5, 0.9]))
    7
    """
    a, b = _sorted(first, second)
    if KERNELS is None:
        return definitions.auc_pairs(a, b)
    total = ctypes.c_uint64()
    check(_pairs(*_described(a, b), ctypes.byref(total)))
    return total.value


def places(first: NDArray[Any], second: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return for each score of the second class how many of the first lie below, and not above."""
    a, b = _sorted(first, second)
    if KERNELS is None:
        return definitions.places(a, b)
    below, upto = (np.empty(b.size, dtype=np.int64) for _ in range(2))
    check(_places(*_described(a, b), below.ctypes.data, upto.ctypes.data))
    return below, upto


def pav_blocks(first: Counts, second: Counts) -> IntArray:
    """Return where the blocks of pool-adjacent-violators begin.

    Within a block the levels are taken as one; from block to block the share of the second class
    rises strictly. Whole numbers are compared exactly.

    Examples
    --------
    >>> import numpy as np
    >>> pav_blocks(np.array([2, 1, 1, 0]), np.array([1, 0, 1, 3]))
    array([0, 2, 3])
    """
    whole = first.dtype.kind == "i" and second.dtype.kind == "i"
    kind: type[np.generic] = np.int64 if whole else np.float64
    a, b = (contiguous(part, kind) for part in (first, second))
    if a.shape != b.shape or a.ndim != 1:
        msg = f"first and second must be columns of one length: got {a.shape} and {b.shape}."
        raise ValueError(msg)
    if KERNELS is None:
        return definitions.pav_blocks(a, b)
    starts = np.empty(a.size, dtype=np.int64)
    x, y = np.empty_like(a), np.empty_like(a)
    size = ctypes.c_int64()
    run = _pav_whole if whole else _pav_real
    parts = [part.ctypes.data for part in (a, b)]
    scratch = [part.ctypes.data for part in (starts, x, y)]
    check(run(*parts, a.size, *scratch, ctypes.byref(size)))
    return starts[: size.value].copy()


def _sorted(first: NDArray[Any], second: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return both columns contiguous and of one type; sorted, so that NaN would come last."""
    single = all(part.dtype == np.float32 for part in (first, second))
    kind = np.float32 if single else np.float64
    a, b = (contiguous(part, kind) for part in (first, second))
    for name, part in (("first", a), ("second", b)):
        if part.ndim != 1 or (part.size and np.isnan(part[-1])):
            msg = f"{name} must be a sorted column without NaN."
            raise ValueError(msg)
    return a, b


def _described(a: NDArray[Any], b: NDArray[Any]) -> tuple[int, int, int, int, int]:
    """Return what every kernel of two columns is told first."""
    return int(a.dtype == np.float32), a.ctypes.data, a.size, b.ctypes.data, b.size
