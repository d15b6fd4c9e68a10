"""Resamples streamed over the rows: exact counts, their dot products, and ranking metrics."""

from typing import Any

import numpy as np

from stakes._kernels.definitions import counted_draws
from stakes._kernels.kernel_arrays import contiguous
from stakes._kernels.kernel_records import Ranking
from stakes._kernels.library import KERNELS, kernel, record
from stakes._typing import FloatArray, IntArray, NDArray

Counts = NDArray[np.int32]
_MOST = 2**31 - 1

_dot, _counts = kernel("draws_dot", "rii"), kernel("draws_counts", "ra")
_weighted, _drawn = kernel("ranks_weighted", "raii"), kernel("ranks_drawn", "rrii")
_DrawsJob, _RanksJob = record("draws_job"), record("ranks_job")


def multinomial_counts(sizes: NDArray[Any] | list[int], seed: int, index: int) -> Counts:
    """Return how often each sample occurs in resample number `index` of a seed.

    Samples come in sets of the given sizes, each of which keeps its size; one set is a plain
    resample. A count is what N uniform draws with replacement give, exactly: see draws.h.
    """
    trees = _edges(sizes)
    if KERNELS is None:
        return counted_draws.multinomial_counts(trees, seed, index).astype(np.int32)
    counts = np.empty(int(trees[-1]), dtype=np.int32)
    _counts(_job(trees, trees, seed, range(index, index + 1)), counts)
    return counts


def multinomial_dot(
    columns: FloatArray,
    sizes: NDArray[Any] | list[int],
    seed: int,
    resamples: range,
    *,
    stratified: bool = False,
) -> tuple[FloatArray, IntArray]:
    """Return sums of columns within each class under each resample, and how many it drew.

    `columns` are C x N, samples of the same class together; what is infinite counts if drawn. The
    sums are B x K x C, the draws B x K. `stratified`: every class keeps its size, else only all do.
    """
    edges = _edges(sizes)
    table = contiguous(columns, np.float64)
    n = int(edges[-1])
    if table.ndim != 2 or table.shape[1] != n:
        msg = f"columns must be C x {n}, samples in columns: got shape {table.shape}."
        raise ValueError(msg)
    trees = edges if stratified else edges[[0, -1]]
    if KERNELS is None:
        return counted_draws.multinomial_dot(table, edges, trees, seed, resamples)
    sums = np.zeros((len(resamples), edges.size - 1, len(table)))
    drawn = np.zeros(sums.shape[:2], dtype=np.int64)
    job = _job(edges, trees, seed, resamples)
    job.tell(columns=table, n_columns=len(table), finite=bool(np.isfinite(table).all()))
    job.tell(sums=sums, weights=drawn)
    _dot(job, 0, len(resamples))
    return sums, drawn


def multinomial_ranks(
    ranking: Ranking,
    sizes: NDArray[Any] | list[int],
    seed: int,
    resamples: range,
    *,
    unit: IntArray | None = None,
    weights: FloatArray | None = None,
) -> FloatArray:
    """Return `reweighted_ranks` of each resample of sets that keep their sizes.

    `unit` is the unit of each sample, where units are drawn, and `weights` multiply the counts.
    """
    trees = _edges(sizes)
    if KERNELS is None or (ranking.rises < 0).any():
        drawn = np.stack([multinomial_counts(sizes, seed, b) for b in resamples]).astype(np.float64)
        rows = drawn if unit is None else drawn[:, unit]
        return counted_draws.reweighted_ranks(ranking, rows if weights is None else rows * weights)
    values, job = _ranks_job(ranking, len(resamples))
    own = None if weights is None else contiguous(weights, np.float64)
    job.tell(unit=None if unit is None else unit.astype(np.int32), weights=own)
    _drawn(job, _job(trees, trees, seed, resamples), 0, len(resamples))
    return values


def reweighted_ranks(ranking: Ranking, weights: FloatArray) -> FloatArray:
    """Return ranking metrics under each row of weights: scores are sorted once, and never again.

    Rows hold the weight of both classes, AUC, equal error rate, and for each odds the least that
    any threshold adds to the cost of no error; NaN where a class has no weight.
    """
    rows = contiguous(weights, np.float64)
    if rows.ndim != 2 or rows.shape[1] != ranking.y.size:
        msg = f"weights must be rows of {ranking.y.size} samples: got shape {rows.shape}."
        raise ValueError(msg)
    if KERNELS is None or (ranking.rises < 0).any():
        return counted_draws.reweighted_ranks(ranking, rows)
    values, job = _ranks_job(ranking, len(rows))
    _weighted(job, rows, 0, len(rows))
    return values


def _ranks_job(ranking: Ranking, rows: int) -> tuple[FloatArray, Any]:
    order, below, upto = ranking.places
    rises, as_rate = contiguous(ranking.rises, np.float64), ranking.as_rate.astype(np.int32)
    values = np.empty((rows, 4 + len(rises)))
    n1, equal = ranking.by_class[0].size, ranking.equal_error
    job = _RanksJob(n=order.size, n1=n1, n_odds=len(rises), equal=equal)
    job.tell(order=order, below=below, upto=upto, rises=rises, as_rate=as_rate, values=values)
    return values, job


def _edges(sizes: NDArray[Any] | list[int]) -> IntArray:
    """Return where each set begins, and how many samples there are."""
    counts = np.asarray(sizes, dtype=np.int64)
    if counts.ndim != 1 or not counts.size or (counts < 0).any() or counts.sum() > _MOST:
        msg = f"sizes must be whole numbers of at least 0, below 2**31 together: got {sizes}."
        raise ValueError(msg)
    return np.concatenate([[0], np.cumsum(counts)])


def _job(edges: IntArray, trees: IntArray, seed: int, resamples: range) -> Any:  # noqa: ANN401
    """Return what every kernel of resamples is told first."""
    if resamples.step != 1 or resamples.start < 0:
        msg = f"resamples must be numbers from 0 up, one by one: got {resamples}."
        raise ValueError(msg)
    job = _DrawsJob(n=edges[-1], n_trees=trees.size - 1, n_segments=edges.size - 1)
    job.tell(trees=trees, segments=edges, seed=seed, first=resamples.start)
    return job
