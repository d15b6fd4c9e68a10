"""Log loss of scaled and shifted scores, with its gradient and Hessian, in one pass."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels import definitions
from stakes._kernels.arrays import (
    Column,
    Table,
    as_codes,
    as_numbers,
    check_lengths,
    chunk_rows,
    column,
    over_chunks,
    pointer,
    summed,
    table,
    useful_threads,
)
from stakes._kernels.library import KERNELS, check
from stakes._kernels.records import Slopes
from stakes._typing import FloatArray


class _AffineJob(ctypes.Structure):
    _fields_ = (
        ("values", Table),
        ("y", Column),
        ("weights", Column),
        ("n", ctypes.c_int64),
        ("k", ctypes.c_int64),
        ("chunk", ctypes.c_int64),
        ("hessian", ctypes.c_int64),
        ("scale", ctypes.c_double),
        ("shift", ctypes.c_void_p),
        ("width", ctypes.c_int64),
        ("sums", ctypes.c_void_p),
    )


_BINARY_SUMS = 7

if KERNELS is not None:
    _binary = KERNELS.function("affine_binary", ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    _many = KERNELS.function("affine", ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def affine_binary_pass(
    z: NDArray[Any],
    y: NDArray[Any],
    weights: FloatArray | None,
    scale: float,
    shift: float,
    *,
    threads: int = 1,
) -> Slopes:
    """Return the log loss of sigmoid(scale * z + shift), and its slopes in scale and shift.

    A sample that is certain and right adds nothing, even where its log odds are infinite.

    Examples
    --------
    >>> import numpy as np
    >>> found = affine_binary_pass(np.array([-2.0, 2.0]), np.array([0, 1]), None, 0.0, 0.0)
    >>> round(found.loss, 4), found.gradient
    (1.3863, array([-2.,  0.]))
    """
    x, codes, w = as_numbers(z), as_codes(y), None if weights is None else as_numbers(weights)
    check_lengths(x.size, z=x, y=codes, weights=w)
    if KERNELS is None:
        return definitions.affine_binary_pass(x, codes, w, scale, shift)
    sums, job, kept = _prepared(x[:, None], codes, w, scale, np.array([shift]), _BINARY_SUMS, 1)
    over_chunks(
        lambda first, last: check(_binary(ctypes.byref(job), first, last)),
        len(sums),
        useful_threads(threads, 5 * x.size),
    )
    del kept
    loss, g1, g0, h2, h1, h0 = summed(sums)[1:].tolist()
    hessian = np.array([[h2, h1], [h1, h0]])
    return Slopes(loss, np.array([g1, g0]), hessian, float(sums[:, 0].max()))


def affine_pass(
    log_p: NDArray[Any],
    y: NDArray[Any],
    weights: FloatArray | None,
    scale: float,
    shift: FloatArray,
    *,
    hessian: bool = True,
    threads: int = 1,
) -> Slopes:
    """Return the log loss of softmax(scale * log_p + shift), and its slopes in scale and shifts.

    The gradient holds the scale first, then the K shifts. A class of log posterior minus infinity
    stays impossible, and has no say. Without `hessian` only the gradient is computed, which for
    hundreds of classes is most of the time saved.

    Examples
    --------
    >>> import numpy as np
    >>> log_p = np.log([[0.5, 0.25, 0.25], [0.2, 0.2, 0.6]])
    >>> found = affine_pass(log_p, np.array([0, 2]), None, 1.0, np.zeros(3))
    >>> round(found.loss, 4), found.gradient.shape, found.hessian.shape
    (1.204, (4,), (4, 4))
    """
    x, codes, w = as_numbers(log_p), as_codes(y), None if weights is None else as_numbers(weights)
    n, k = x.shape
    check_lengths(n, y=codes, weights=w)
    check_lengths(k, shift=np.asarray(shift))
    if KERNELS is None:
        return definitions.affine_pass(x, codes, w, scale, shift, hessian=hessian)
    width = 2 + 3 * k + 2 + (k * k if hessian else 0)
    sums, job, kept = _prepared(x, codes, w, scale, shift, width, int(hessian))
    over_chunks(
        lambda first, last: check(_many(ctypes.byref(job), first, last)),
        len(sums),
        useful_threads(threads, n * k * (4 + k / 8 * hessian)),
    )
    del kept
    total = summed(sums[:, 1:])
    loss, gradient, row, diagonal = np.split(total[: 3 * k + 3], [1, k + 2, 2 * k + 3])
    matrix = np.empty((0, 0))
    if hessian:
        lower = total[3 * k + 3 :].reshape(k, k)
        matrix = np.empty((k + 1, k + 1))
        matrix[0], matrix[:, 0] = row, row
        matrix[1:, 1:] = np.diag(diagonal) - (np.tril(lower) + np.tril(lower, -1).T)
    return Slopes(float(loss[0]), gradient, matrix, float(sums[:, 0].max()))


def _prepared(
    x: NDArray[Any],
    y: NDArray[Any],
    w: FloatArray | None,
    scale: float,
    shift: FloatArray,
    width: int,
    hessian: int,
) -> tuple[FloatArray, _AffineJob, list[Any]]:
    """Return room for the sums of each chunk, the job, and what must be kept alive."""
    n, k = x.shape
    chunk = chunk_rows(k)
    sums = np.zeros((max(1, -(-n // chunk)), width))
    moved = np.ascontiguousarray(shift, dtype=np.float64)
    job = _AffineJob(
        table(x),
        column(y),
        column(w),
        n,
        k,
        chunk,
        hessian,
        scale,
        pointer(moved),
        width,
        pointer(sums),
    )
    return sums, job, [x, y, w, moved]
