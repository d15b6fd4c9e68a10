"""One pass over scores: losses, Bayes decisions, bins and limits, compiled where it can be."""

import ctypes
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, Literal

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
    summed,
    table,
)
from stakes._kernels.kernel_records import (
    BinaryPass,
    Bins,
    Cells,
    CostColumns,
    Limits,
    RowsPass,
    class_parts,
)
from stakes._kernels.library import KERNELS, check
from stakes._kernels.threads import over_chunks, useful_threads
from stakes._typing import FloatArray, NDArray

Kind = Literal["posteriors", "log_posteriors", "logits"]
_KINDS = {"posteriors": 0, "log_posteriors": 1, "logits": 2}
_FIELDS = 11  # sums of a class
_MOST_COUNTED = 2**14  # cells of a table of counts; above, decisions are written out
_LIMITS_OF_ROWS = 5


class _BinaryJob(ctypes.Structure):
    _fields_ = (
        ("values", Column),
        ("y", Column),
        ("weights", Column),
        ("n", ctypes.c_int64),
        ("kind", ctypes.c_int64),
        ("chunk", ctypes.c_int64),
        ("thresholds", ctypes.c_void_p),
        ("n_thresholds", ctypes.c_int64),
        ("edges", ctypes.c_void_p),
        ("bins", ctypes.c_int64),
        ("sums", ctypes.c_void_p),
        ("limits", ctypes.c_void_p),
    )


class _CostTable(ctypes.Structure):
    _fields_ = (
        ("error", ctypes.c_void_p),
        ("same", ctypes.c_int64),
        ("n_columns", ctypes.c_int64),
        ("columns", ctypes.c_void_p),
        ("constant", ctypes.c_void_p),
        ("tie", ctypes.c_double),
        ("n_decisions", ctypes.c_int64),
        ("counted", ctypes.c_int64),
    )


class _RowsJob(ctypes.Structure):
    _fields_ = (
        ("values", Table),
        ("y", Column),
        ("weights", Column),
        ("n", ctypes.c_int64),
        ("k", ctypes.c_int64),
        ("kind", ctypes.c_int64),
        ("chunk", ctypes.c_int64),
        ("n_costs", ctypes.c_int64),
        ("costs", ctypes.POINTER(_CostTable)),
        ("decisions", ctypes.c_void_p),
        ("edges", ctypes.c_void_p),
        ("bins", ctypes.c_int64),
        ("width", ctypes.c_int64),
        ("factors", ctypes.c_void_p),
        ("sums", ctypes.c_void_p),
        ("limits", ctypes.c_void_p),
    )


if KERNELS is not None:
    _binary = KERNELS.function("binary", ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)
    _rows = KERNELS.function("rows", ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


@lru_cache(maxsize=16)
def _edges(bins: int) -> FloatArray:
    """Return the inner edges of bins of equal width."""
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
) -> BinaryPass:
    """Sum over samples of two classes, from P(H_2) or its log odds.

    Log losses and Brier scores (w*loss, w^2*loss, w^2*loss^2 by class), weight with P(H_2) above
    each threshold, bins of P(H_2), and the limits that a check needs, all in one read. NaN makes
    the sums it enters NaN; `limits.unknown` counts it.

    Examples
    --------
    >>> import numpy as np
    >>> found = binary_pass(np.array([0.25, 0.5, 1.0]), np.array([0, 1, 0]), thresholds=[0.5])
    >>> found.log.loss.round(4), found.log.infinite, found.above
    (array([0.2877, 0.6931]), array([1, 0]), array([[1., 0.]]))
    """
    x, codes, w = as_numbers(values), as_codes(y), None if weights is None else as_numbers(weights)
    check_lengths(x.size, values=x, y=codes, weights=w)
    limits_at = contiguous(thresholds, np.float64)
    if KERNELS is None:
        return definitions.binary_pass(x, codes, limits_at, w, bins, log_odds=log_odds)
    chunk = chunk_rows(1)
    n_chunks = max(1, -(-x.size // chunk))
    sums = np.zeros((n_chunks, 2 * _FIELDS + 4 * limits_at.size + 6 * bins))
    limits = np.empty((n_chunks, 3))
    edges = _edges(bins)
    job = _BinaryJob(
        column(x),
        column(codes),
        column(w),
        x.size,
        int(log_odds),
        chunk,
        pointer(limits_at),
        limits_at.size,
        pointer(edges),
        bins,
        pointer(sums),
        pointer(limits),
    )
    over_chunks(
        lambda first, last: check(_binary(ctypes.byref(job), first, last)),
        n_chunks,
        useful_threads(threads, 3 * x.size),
    )
    return _binary_record(summed(sums), limits, limits_at.size, bins)


def _binary_record(sums: FloatArray, limits: FloatArray, n_above: int, bins: int) -> BinaryPass:
    """Split the sums of a binary pass."""
    above = 2 * _FIELDS + 4 * n_above
    high = sums[2 * _FIELDS : above].reshape(n_above, 2, 2)
    return BinaryPass(
        *class_parts(sums[: 2 * _FIELDS].reshape(2, _FIELDS)),
        high[:, :, 0],
        high[:, :, 1],
        _bins(sums[above:], bins),
        _limits(limits),
    )


def _bins(sums: FloatArray, bins: int) -> Bins:
    """Split the sums of bins: for each, of what did not come true and of what did."""
    return Bins(*sums.reshape(bins, 2, 3).transpose(2, 1, 0))


def _limits(parts: FloatArray) -> Limits:
    """Return the limits of all chunks; of equal gaps the first row."""
    rows = parts.tolist()
    least, largest = min(row[0] for row in rows), max(row[1] for row in rows)
    unknown = sum(int(row[2]) for row in rows)
    if parts.shape[1] < _LIMITS_OF_ROWS:
        return Limits(least, largest, unknown)
    widest = max(rows, key=lambda row: row[3])
    return Limits(least, largest, unknown, widest[3], int(widest[4]))


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
) -> RowsPass:
    """Sum over samples of K classes, from posteriors, their logs, or logits.

    Log losses and Brier scores by class, the Bayes decisions of any number of cost tables counted
    by class, bins of the largest posterior, and the limits that a check needs, all in one read.
    In the bins a sample weighs `factors[y]` times as much, where there are any. The largest of
    equal posteriors is the first; NaN counts as none.

    Examples
    --------
    >>> import numpy as np
    >>> p, y = np.array([[0.6, 0.4], [0.5, 0.5], [0.1, 0.9]]), np.array([0, 1, 1])
    >>> miss = CostColumns(np.array([1.0, 5.0]), np.empty((2, 0)), 0.0)
    >>> cells = rows_pass(p, y, costs=[miss]).decided[0]
    >>> list(zip(cells.row.tolist(), cells.column.tolist(), cells.weight.tolist()))
    [(0, 1, 1.0), (1, 1, 2.0)]
    """
    x, codes, w = as_numbers(values), as_codes(y), None if weights is None else as_numbers(weights)
    n, k = x.shape
    check_lengths(n, y=codes, weights=w)
    if KERNELS is None:
        return definitions.rows_pass(x, codes, kind, costs, w, bins, factors)
    tables, kept = _cost_tables(costs, k)
    unwritten = [t for t in range(len(costs)) if not tables[t].counted]
    decisions = np.empty((len(unwritten), n), dtype=np.int32)
    cells = sum(k * c.n_decisions for t, c in enumerate(costs) if t not in unwritten)
    head = k * _FIELDS + 6 * bins
    width = head + cells * (1 if w is None else 2)
    job = _RowsJob(table(x), column(codes), column(w), n, k, _KINDS[kind])
    job.n_costs, job.costs, job.decisions = len(costs), tables, pointer(decisions)
    units = np.ones(k) if factors is None else contiguous(factors, np.float64)
    check_lengths(k, factors=units)
    job.factors = pointer(units)
    total, limits = _run_rows(job, bins, width, threads)
    del kept
    counted = _counted(total[head:], costs, k, unwritten, weighted=w is not None)
    for place, t in enumerate(unwritten):
        counted[t] = definitions.cells(codes, decisions[place], w, costs[t])
    return RowsPass(
        *class_parts(total[: k * _FIELDS].reshape(k, _FIELDS)),
        tuple(counted[t] for t in range(len(costs))),
        _bins(total[k * _FIELDS : head], bins),
        _limits(limits),
    )


def _run_rows(job: _RowsJob, bins: int, width: int, threads: int) -> tuple[FloatArray, FloatArray]:
    """Go over all chunks; return their sums, `width` of them, and the limits of each."""
    chunk = chunk_rows(job.k)
    n_chunks = max(1, -(-job.n // chunk))
    sums, limits = np.zeros((n_chunks, width)), np.empty((n_chunks, _LIMITS_OF_ROWS))
    edges = _edges(bins)
    job.chunk, job.bins, job.width = chunk, bins, width
    job.edges, job.sums, job.limits = pointer(edges), pointer(sums), pointer(limits)
    over_chunks(
        lambda first, last: check(_rows(ctypes.byref(job), first, last)),
        n_chunks,
        useful_threads(threads, job.n * (30 + 2 * job.k)),
    )
    return summed(sums), limits


def _cost_tables(costs: Sequence[CostColumns], k: int) -> tuple[Any, list[Any]]:
    """Describe cost tables to the kernel; also the arrays that must be kept alive."""
    tables, kept = (_CostTable * max(1, len(costs)))(), []
    for place, c in enumerate(costs):
        error = None if c.error is None else contiguous(c.error, np.float64)
        columns = contiguous(c.columns.T, np.float64)
        if columns.shape[1:] != (k,) or (error is not None and error.shape != (k,)):
            msg = f"costs must have a row for each of {k} classes: got {c.columns.shape}."
            raise ValueError(msg)
        alike = (columns == columns[:, :1]).all(axis=1)
        constant = np.where(alike, columns[:, 0], np.nan)
        kept += [error, columns, constant]
        tables[place] = _CostTable(
            pointer(error),
            int(error is not None and bool((error == 1).all())),
            len(columns),
            pointer(columns),
            pointer(constant),
            c.tie,
            c.n_decisions,
            int(k * c.n_decisions <= _MOST_COUNTED),
        )
    return tables, kept


def _counted(
    sums: FloatArray, costs: Sequence[CostColumns], k: int, unwritten: list[int], *, weighted: bool
) -> dict[int, Cells]:
    """Return the cells in use of each table that was counted."""
    found = {}
    for t, c in enumerate(costs):
        if t in unwritten:
            continue
        size = k * c.n_decisions * (2 if weighted else 1)
        cells, sums = sums[:size].reshape(k * c.n_decisions, -1), sums[size:]
        used = np.flatnonzero(cells[:, 0])
        row, col = np.divmod(used, c.n_decisions)
        found[t] = Cells(row, col, cells[used, 0], cells[used, -1])
    return found
