"""Resamples streamed over the rows: exact multinomial counts, their dot products, and the AUC."""

import ctypes
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stakes._kernels import definitions
from stakes._kernels.arrays import over_chunks, pointer, useful_threads
from stakes._kernels.library import KERNELS, check
from stakes._kernels.ranks import places
from stakes._typing import FloatArray, IntArray

_MOST = 2**31 - 1


class _DrawsJob(ctypes.Structure):
    _fields_ = (
        ("n", ctypes.c_int64),
        ("n_trees", ctypes.c_int64),
        ("n_segments", ctypes.c_int64),
        ("n_columns", ctypes.c_int64),
        ("trees", ctypes.c_void_p),
        ("segments", ctypes.c_void_p),
        ("columns", ctypes.c_void_p),
        ("seed", ctypes.c_uint64),
        ("first", ctypes.c_uint64),
        ("sums", ctypes.c_void_p),
        ("weights", ctypes.c_void_p),
        ("below", ctypes.c_void_p),
        ("upto", ctypes.c_void_p),
        ("pairs", ctypes.c_void_p),
    )


if KERNELS is not None:
    _RANGE = (ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    _dot = KERNELS.function("draws_dot", *_RANGE)
    _auc = KERNELS.function("draws_auc", *_RANGE)
    _counts = KERNELS.function("draws_counts", ctypes.c_void_p, ctypes.c_void_p)


def multinomial_counts(sizes: NDArray[Any] | list[int], seed: int, index: int) -> IntArray:
    """Return how often each sample occurs in resample number `index` of a seed.

    Samples come in sets of the given sizes, each of which keeps its size; one set is a plain
    resample. A count is what N uniform draws with replacement give, exactly: see draws.h.

    Examples
    --------
    >>> counts = multinomial_counts([4, 3], seed=1, index=0)
    >>> counts[:4].sum(), counts[4:].sum()
    (np.int64(4), np.int64(3))
    """
    trees = _edges(sizes)
    if KERNELS is None:
        return definitions.multinomial_counts(trees, seed, index)
    counts = np.empty(int(trees[-1]), dtype=np.int32)
    job = _DrawsJob(n=counts.size, n_trees=trees.size - 1, trees=pointer(trees))
    job.seed, job.first = seed, index
    check(_counts(ctypes.byref(job), pointer(counts)))
    return counts.astype(np.int64)


def multinomial_dot(
    columns: FloatArray,
    sizes: NDArray[Any] | list[int],
    seed: int,
    resamples: range,
    *,
    stratified: bool = False,
    threads: int = 1,
) -> tuple[FloatArray, IntArray]:
    """Return the sums of columns within each class under each resample, and how many it drew.

    Parameters
    ----------
    columns : array of C x N
        Such as losses, samples of the same class together. What is infinite counts if drawn.
    sizes : array of K
        How many samples each class has, in that order.
    stratified : bool
        Whether every class keeps its size; if not, only all together do.

    Returns
    -------
    sums : array of B x K x C
    drawn : array of B x K

    Examples
    --------
    >>> import numpy as np
    >>> sums, drawn = multinomial_dot(np.ones((1, 5)), [2, 3], 0, range(4))
    >>> drawn.sum(axis=1), bool((sums[:, :, 0] == drawn).all())
    (array([5, 5, 5, 5]), True)
    """
    edges = _edges(sizes)
    table = np.ascontiguousarray(columns, dtype=np.float64)
    n = int(edges[-1])
    if table.ndim != 2 or table.shape[1] != n:
        msg = f"columns must be C x {n}, samples in columns: got shape {table.shape}."
        raise ValueError(msg)
    trees = edges if stratified else edges[[0, -1]]
    if KERNELS is None:
        return definitions.multinomial_dot(table, edges, trees, seed, resamples)
    sums = np.zeros((len(resamples), edges.size - 1, len(table)))
    drawn = np.zeros(sums.shape[:2], dtype=np.int64)
    job = _job(edges, trees, seed, resamples)
    job.columns, job.n_columns = pointer(table), len(table)
    job.sums, job.weights = pointer(sums), pointer(drawn)
    _over(_dot, job, resamples, threads)
    return sums, drawn


def multinomial_auc(
    first: NDArray[Any],
    second: NDArray[Any],
    seed: int,
    resamples: range,
    *,
    stratified: bool = False,
    threads: int = 1,
) -> tuple[IntArray, IntArray]:
    """Return `auc_pairs` under each resample of sorted scores, and the size of each class.

    The samples are those of `multinomial_dot` with the same seed where both are in this order:
    the first class by score, then the second by score.

    Examples
    --------
    >>> import numpy as np
    >>> pairs, drawn = multinomial_auc(np.array([0.1, 0.5]), np.array([0.6, 0.9]), 0, range(2))
    >>> bool((pairs == 2 * drawn[:, 0] * drawn[:, 1]).all())
    True
    """
    edges = np.cumsum([0, len(first), len(second)])
    trees = edges if stratified else edges[[0, -1]]
    if edges[-1] > _MOST:
        msg = f"first and second must be fewer than 2**31 samples together: got {edges[-1]}."
        raise ValueError(msg)
    if KERNELS is None:
        return definitions.multinomial_auc(first, second, trees, seed, resamples)
    below, upto = (part.astype(np.int32) for part in places(first, second))
    pairs = np.zeros(len(resamples), dtype=np.int64)
    drawn = np.zeros((len(resamples), 2), dtype=np.int64)
    job = _job(edges, trees, seed, resamples)
    job.below, job.upto = pointer(below), pointer(upto)
    job.pairs, job.weights = pointer(pairs), pointer(drawn)
    _over(_auc, job, resamples, threads)
    return pairs, drawn


def _edges(sizes: NDArray[Any] | list[int]) -> IntArray:
    """Return where each set begins, and how many samples there are."""
    counts = np.asarray(sizes, dtype=np.int64)
    if counts.ndim != 1 or not counts.size or (counts < 0).any() or counts.sum() > _MOST:
        msg = f"sizes must be whole numbers of at least 0, below 2**31 together: got {sizes}."
        raise ValueError(msg)
    return np.concatenate([[0], np.cumsum(counts)])


def _job(edges: IntArray, trees: IntArray, seed: int, resamples: range) -> _DrawsJob:
    """Return what every kernel of resamples is told first; the caller keeps the arrays."""
    if resamples.step != 1 or resamples.start < 0:
        msg = f"resamples must be numbers from 0 up, one by one: got {resamples}."
        raise ValueError(msg)
    job = _DrawsJob(n=int(edges[-1]), n_trees=trees.size - 1, n_segments=edges.size - 1)
    job.trees, job.segments = pointer(trees), pointer(edges)
    job.seed, job.first = seed, resamples.start
    return job


def _over(run: Any, job: _DrawsJob, resamples: range, threads: int) -> None:  # noqa: ANN401
    """Run the resamples, several at a time where that pays."""
    over_chunks(
        lambda first, last: check(run(ctypes.byref(job), first, last)),
        len(resamples),
        useful_threads(threads, 2 * job.n * len(resamples)),
    )
