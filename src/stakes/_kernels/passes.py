"""One pass over scores: losses, Bayes decisions, bins and limits, compiled where it can be."""

from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from stakes._kernels.definitions import sample_sums
from stakes._kernels.kernel_arrays import check_lengths, chunks, contiguous, sample_arrays, summed
from stakes._kernels.kernel_records import Bins, Cells, CostColumns, Limits, PassSums, class_parts
from stakes._kernels.library import KERNELS, kernel, record
from stakes._kernels.threads import over_chunks
from stakes._typing import FloatArray, NDArray

Kind = Literal["posteriors", "log_posteriors", "logits"]
_KINDS = {"posteriors": 0, "log_posteriors": 1, "logits": 2}
_FIELDS = 11  # sums of a class
_MOST_COUNTED = 2**14  # cells of a table of counts; above, decisions are written out
_LIMITS, _LIMITS_OF_ROWS = 3, 5

_binary, _rows = kernel("binary", "rii"), kernel("rows", "rii")
_BinaryJob, _RowsJob, _CostTable = map(record, ("binary_job", "rows_job", "cost_table"))


@lru_cache(maxsize=16)
def _edges(bins: int) -> FloatArray:
    edges = np.arange(1, bins) / bins
    edges.setflags(write=False)
    return edges


def binary_pass(
    values: NDArray[Any],
    y: NDArray[Any],
    thresholds: Sequence[float] | FloatArray = (),
    weights: FloatArray | None = None,
    bins: int = 15,
    *,
    log_odds: bool = False,
    threads: int = 1,
) -> PassSums:
    """Sum over samples of two classes, from P(H_2) or its log odds.

    Log losses and Brier scores (w*loss, w^2*loss, w^2*loss^2 by class), weight with P(H_2) above
    each threshold, bins of P(H_2), and the limits that a check needs, all in one read. NaN makes
    the sums it enters NaN; `limits.unknown` counts it.
    """
    x, codes, w = sample_arrays(values, y, weights)
    check_lengths(x.size, values=x, y=codes, weights=w)
    cuts = contiguous(thresholds, np.float64)
    if KERNELS is None:
        return sample_sums.binary_pass(x, codes, cuts, w, bins, log_odds=log_odds)
    job = _BinaryJob(values=x, y=codes, weights=w, n=x.size, kind=log_odds)
    job.tell(thresholds=cuts, n_thresholds=cuts.size)
    head, above = 2 * _FIELDS, 2 * _FIELDS + 4 * cuts.size
    chunk, n_chunks = chunks(x.size, 1)
    parts, limits = np.zeros((n_chunks, above + 6 * bins)), np.empty((n_chunks, _LIMITS))
    job.tell(chunk=chunk, edges=_edges(bins), bins=bins, sums=parts, limits=limits)
    over_chunks(_binary, job, n_chunks, threads, 3 * x.size)
    sums = summed(parts)
    high = sums[head:above].reshape(-1, 2, 2)
    return PassSums(
        *class_parts(sums[:head].reshape(2, _FIELDS)),
        _bins(sums[above:], bins),
        _limits(limits),
        high[:, :, 0],
        high[:, :, 1],
    )


def rows_pass(  # noqa: PLR0913  the data, the costs, and how bins are filled
    values: NDArray[Any],
    y: NDArray[Any],
    kind: Kind = "posteriors",
    costs: Sequence[CostColumns] = (),
    weights: FloatArray | None = None,
    bins: int = 15,
    *,
    factors: FloatArray | None = None,
    threads: int = 1,
) -> PassSums:
    """Sum over samples of K classes, from posteriors, their logs, or logits.

    Log losses and Brier scores by class, the Bayes decisions of any number of cost tables counted
    by class, bins of the largest posterior, and the limits that a check needs, all in one read.
    In the bins a sample weighs `factors[y]` times as much, where there are any. The largest of
    equal posteriors is the first; NaN counts as none.
    """
    x, codes, w = sample_arrays(values, y, weights)
    n, k = x.shape
    check_lengths(n, y=codes, weights=w)
    if KERNELS is None:
        return sample_sums.rows_pass(x, codes, kind, costs, w, bins, factors)
    units = np.ones(k) if factors is None else contiguous(factors, np.float64)
    check_lengths(k, factors=units)
    tables = [_cost_table(c, k) for c in costs]
    written = np.empty((sum(not t.counted for t in tables), n), dtype=np.int32)
    widths = [t.counted * k * t.n_decisions * (1 if w is None else 2) for t in tables]
    job = _RowsJob(values=x, y=codes, weights=w, n=n, k=k, kind=_KINDS[kind], factors=units)
    table = (_CostTable * max(1, len(costs)))(*tables)
    job.tell(n_costs=len(costs), costs=table, decisions=written)
    classes, head = k * _FIELDS, k * _FIELDS + 6 * bins
    chunk, n_chunks = chunks(n, k)
    parts = np.zeros((n_chunks, head + sum(widths)))
    limits = np.empty((n_chunks, _LIMITS_OF_ROWS))
    job.tell(chunk=chunk, edges=_edges(bins), bins=bins, sums=parts, limits=limits)
    job.tell(width=parts.shape[1])
    over_chunks(_rows, job, n_chunks, threads, n * (30 + 2 * k))
    sums = summed(parts)
    decisions, ends = iter(written), head + np.cumsum(widths)
    decided = [
        _cells(sums[end - width : end].reshape(k * c.n_decisions, -1), c)
        if width
        else sample_sums.cells(codes, next(decisions), w, c)
        for c, width, end in zip(costs, widths, ends.tolist(), strict=True)
    ]
    return PassSums(
        *class_parts(sums[:classes].reshape(k, _FIELDS)),
        _bins(sums[classes:head], bins),
        _limits(limits),
        decided=tuple(decided),
    )


def _cost_table(costs: CostColumns, k: int) -> Any:  # noqa: ANN401  a record of the library
    error = None if costs.error is None else contiguous(costs.error, np.float64)
    columns = contiguous(costs.columns.T, np.float64)
    if columns.shape[1:] != (k,) or (error is not None and error.shape != (k,)):
        msg = f"costs must have a row for each of {k} classes: got {costs.columns.shape}."
        raise ValueError(msg)
    alike = (columns == columns[:, :1]).all(axis=1)
    return _CostTable(
        error=error,
        same=error is not None and bool((error == 1).all()),
        n_columns=len(columns),
        columns=columns,
        constant=np.where(alike, columns[:, 0], np.nan),
        tie=costs.tie,
        n_decisions=costs.n_decisions,
        counted=k * costs.n_decisions <= _MOST_COUNTED,
    )


def _cells(sums: FloatArray, costs: CostColumns) -> Cells:
    used = np.flatnonzero(sums[:, 0])
    row, column = np.divmod(used, costs.n_decisions)
    return Cells(row, column, sums[used, 0], sums[used, -1])


def _bins(sums: FloatArray, bins: int) -> Bins:
    """Split the sums of bins: for each, of what did not come true and of what did."""
    return Bins(*sums.reshape(bins, 2, 3).transpose(2, 1, 0))


def _limits(parts: FloatArray) -> Limits:
    """Return the limits of all chunks, of which some have gaps."""
    return sample_sums.joined_limits([Limits(*row) for row in parts.tolist()])
