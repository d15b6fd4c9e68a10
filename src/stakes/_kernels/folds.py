"""Samples in the order of their groups, and answers by an affine map for each group."""

import ctypes
from typing import Any

import numpy as np

from stakes._kernels import definitions
from stakes._kernels.arrays import (
    Column,
    Table,
    as_codes,
    as_numbers,
    check_lengths,
    chunk_rows,
    column,
    contiguous,
    pointer,
    table,
)
from stakes._kernels.library import KERNELS, check
from stakes._kernels.threads import over_chunks, useful_threads
from stakes._typing import FloatArray, IntArray, NDArray


class _GroupsJob(ctypes.Structure):
    _fields_ = (
        ("code", Column),
        ("n", ctypes.c_int64),
        ("groups", ctypes.c_int64),
        ("bounds", ctypes.c_void_p),
        ("order", ctypes.c_void_p),
    )


class _AnswersJob(ctypes.Structure):
    _fields_ = (
        ("values", Table),
        ("group", Column),
        ("n", ctypes.c_int64),
        ("k", ctypes.c_int64),
        ("groups", ctypes.c_int64),
        ("chunk", ctypes.c_int64),
        ("scale", ctypes.c_void_p),
        ("shift", ctypes.c_void_p),
        ("out", ctypes.c_void_p),
    )


if KERNELS is not None:
    _grouped = KERNELS.function("grouped_rows", ctypes.c_void_p)
    _answers = KERNELS.function("affine_answers", ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


def grouped_rows(codes: NDArray[Any], n_groups: int) -> tuple[IntArray, IntArray]:
    """Return all rows, those of group 0 first, and where each group begins and the last ends.

    Examples
    --------
    >>> import numpy as np
    >>> order, bounds = grouped_rows(np.array([1, 0, 1, 0]), 2)
    >>> order.tolist(), bounds.tolist()
    ([1, 3, 0, 2], [0, 2, 4])
    """
    group = as_codes(codes)
    check_lengths(group.size, codes=group)
    if KERNELS is None:
        return definitions.grouped_rows(group, n_groups)
    bounds, order = np.zeros(n_groups + 1, np.int64), np.empty(group.size, np.int64)
    job = _GroupsJob(column(group), group.size, n_groups, pointer(bounds), pointer(order))
    check(_grouped(ctypes.byref(job)))
    return order, bounds


def affine_answers(
    values: NDArray[Any],
    groups: NDArray[Any],
    scale: FloatArray,
    shift: FloatArray,
    *,
    threads: int = 1,
) -> FloatArray:
    """Return log posteriors log softmax(scale * values + shift), by the map of each row's group.

    `values` are log posteriors with K shifts for each group, or the log odds of two classes with
    one. A class of log posterior minus infinity stays impossible.

    Examples
    --------
    >>> import numpy as np
    >>> found = affine_answers(np.zeros(2), np.array([0, 1]), np.ones(2), np.array([0.0, 1.0]))
    >>> found.round(2).tolist()
    [[-0.69, -0.69], [-1.31, -0.31]]
    """
    x, group = as_numbers(values), as_codes(groups)
    slope, moved = (contiguous(a, np.float64) for a in (scale, shift))
    check_lengths(x.shape[0], groups=group)
    wanted = (slope.size,) if x.ndim == 1 else (slope.size, x.shape[1])
    if moved.shape != wanted:
        msg = f"shift must be of shape {wanted}: got {moved.shape}."
        raise ValueError(msg)
    if KERNELS is None:
        return definitions.affine_answers(x, group, slope, moved)
    flat = x[:, None] if x.ndim == 1 else x
    n, k = flat.shape
    out, chunk = np.empty((n, max(k, 2))), chunk_rows(k)
    job = _AnswersJob(
        table(flat),
        column(group),
        n,
        k,
        slope.size,
        chunk,
        pointer(slope),
        pointer(moved),
        pointer(out),
    )
    over_chunks(
        lambda first, last: check(_answers(ctypes.byref(job), first, last)),
        -(-n // chunk),
        useful_threads(threads, 3 * n * k),
    )
    return out
