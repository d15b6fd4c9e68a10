"""One pass over scores: losses, Bayes decisions, bins and limits."""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from stakes._kernels.kernel_arrays import summed
from stakes._kernels.kernel_records import Bins, Cells, CostColumns, Limits, PassSums, class_parts
from stakes._math import sum_by
from stakes._typing import FloatArray, IntArray, NDArray

_BLOCK = 65536  # samples times classes


class Rows(NamedTuple):
    """Posteriors of some samples, in the form in which they are exact.

    `p` may lack a factor of 1/total. Where a value is NaN, so are the loss and the Brier score.
    """

    p: FloatArray
    total: FloatArray | None
    loss: FloatArray
    brier: FloatArray
    sums: FloatArray | None  # of each row, where they should be 1


def check_codes(y: IntArray, n_classes: int) -> None:
    """Refuse labels that are no class codes, as the compiled loops do."""
    if y.size and not 0 <= int(y.min()) <= int(y.max()) < n_classes:
        msg = "y must hold class codes from 0 up to the number of classes."
        raise ValueError(msg)


def binary_pass(
    values: NDArray[Any],
    y: IntArray,
    thresholds: FloatArray,
    weights: FloatArray | None,
    bins: int,
    *,
    log_odds: bool,
) -> PassSums:
    """Sum over samples of two classes, from P(H_2) or its log odds."""
    check_codes(y, 2)
    sums, above, cells, limits = [], [], [], []
    for part in _blocks(y.size, 1):
        x, code = values[part].astype(np.float64), y[part].astype(np.int64)
        w = np.ones(code.size) if weights is None else weights[part].astype(np.float64)
        p, loss, wrong = (from_log_odds if log_odds else from_second)(x, code)
        sums.append(_class_sums(code, w, loss, wrong * wrong, 2))
        above.append(_above(p, code, w, thresholds))
        cells.append(_bin_sums(p, code == 1, w, bins))
        limits.append(limits_of(x))
    high = summed(np.array(above))
    return PassSums(
        *class_parts(summed(np.array(sums))),
        Bins(*summed(np.array(cells))),
        joined_limits(limits),
        high[0],
        high[1],
    )


def rows_pass(
    values: NDArray[Any],
    y: IntArray,
    kind: str,
    costs: Sequence[CostColumns],
    weights: FloatArray | None,
    bins: int,
    factors: FloatArray | None = None,
) -> PassSums:
    """Sum over samples of K classes, from posteriors, their logs, or logits."""
    check_codes(y, values.shape[1])
    n, k = values.shape
    sums, binned, limits, chosen = [], [], [], [[np.empty(0, np.int64)] for _ in costs]
    for part in _blocks(n, k):
        x, code = values[part].astype(np.float64), y[part].astype(np.int64)
        w = np.ones(code.size) if weights is None else weights[part].astype(np.float64)
        with np.errstate(invalid="ignore", over="ignore", divide="ignore"):
            rows = _ROWS[kind](x, code)
        sums.append(_class_sums(code, w, rows.loss, rows.brier, k))
        top = _first_largest(rows.p)
        confidence = rows.p[np.arange(code.size), top]
        if rows.total is not None:
            confidence = confidence / rows.total
        units = w if factors is None else w * factors[code]
        binned.append(_bin_sums(confidence, top == code, units, bins))
        limits.append(limits_of(x, rows.sums, part.start))
        for table, found in zip(costs, chosen, strict=True):
            found.append(_decisions(rows, table))
    decided = (np.concatenate(found) for found in chosen)
    return PassSums(
        *class_parts(summed(np.array(sums))),
        Bins(*summed(np.array(binned))),
        joined_limits(limits),
        decided=tuple(cells(y, d, weights, c) for d, c in zip(decided, costs, strict=True)),
    )


def _blocks(n: int, k: int) -> Iterator[slice]:
    """Yield some samples at a time; one empty block where there are none."""
    size = max(1, _BLOCK // k)
    for start in range(0, max(n, 1), size):
        yield slice(start, min(start + size, n))


def from_second(p: FloatArray, y: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return P(H_2), the log loss, and the posterior of the wrong class."""
    with np.errstate(divide="ignore", invalid="ignore"):
        loss = -np.where(y == 0, np.log1p(-p), np.log(p))
    return p, loss, np.where(y == 0, p, 1 - p)


def from_log_odds(z: FloatArray, y: IntArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return the same from log odds."""
    small = np.exp(-np.abs(z))
    less, more = small / (1 + small), 1 / (1 + small)
    against = np.where(y == 0, z, -z)
    loss = np.maximum(against, 0) + np.log1p(small)
    return np.where(z > 0, more, less), loss, np.where(against > 0, more, less)


def _posteriors(p: FloatArray, y: IntArray) -> Rows:
    at = np.arange(y.size), y
    distance = p.copy()
    distance[at] = 1 - p[at]
    brier = np.square(distance).sum(axis=1) / p.shape[1]
    return Rows(p, None, -np.log(p[at]), brier, p.sum(axis=1))


def _log_posteriors(log_p: FloatArray, y: IntArray) -> Rows:
    at = np.arange(y.size), y
    p = np.exp(log_p)
    return Rows(p, None, -log_p[at], _brier(p, y), p.sum(axis=1))


def _logits(x: FloatArray, y: IntArray) -> Rows:
    """Take the largest out of the sum, so that a near-certain answer keeps its digits."""
    at = np.arange(y.size)
    top = _first_largest(x)
    shifted = x - x[at, top][:, None]
    p = np.exp(shifted)
    others = p.copy()
    others[at, top] = 0
    rest = np.where(np.isnan(p[at, top]), np.nan, others.sum(axis=1))
    return Rows(p, 1 + rest, np.log1p(rest) - shifted[at, y], _brier(p, y, 1 + rest), None)


_ROWS = {"posteriors": _posteriors, "log_posteriors": _log_posteriors, "logits": _logits}


def _brier(p: FloatArray, y: IntArray, total: FloatArray | None = None) -> FloatArray:
    """Return the Brier score, one minus the posterior of the truth being the sum of the others."""
    others = p.copy()
    others[np.arange(y.size), y] = 0
    rest = others.sum(axis=1)
    score = np.square(others).sum(axis=1) + np.square(rest)
    if total is not None:
        score = score / np.square(total)
    return score / p.shape[1]


def _class_sums(
    y: IntArray, w: FloatArray, loss: FloatArray, brier: FloatArray, k: int
) -> FloatArray:
    lost = np.isinf(loss)
    finite = np.where(lost, 0.0, loss)
    with np.errstate(over="ignore"):
        terms = [np.ones(y.size), w, w * w, w * finite, w * w * finite, np.square(w * finite)]
        terms += [lost.astype(np.float64), w * brier, w * w * brier, np.square(w * brier)]
        terms.append(np.square(w * finite) * finite)
    return np.stack([_sum_by(y, term, k) for term in terms], axis=1)


def _sum_by(group: IntArray, values: FloatArray, n: int) -> FloatArray:
    """Sum within groups; infinities and NaN add as they do."""
    finite = np.isfinite(values)
    if finite.all():
        return sum_by(group, values, n)
    total = sum_by(group[finite], values[finite], n)
    with np.errstate(invalid="ignore"):
        np.add.at(total, group[~finite], values[~finite])
    return total


def _above(p: FloatArray, y: IntArray, w: FloatArray, thresholds: FloatArray) -> FloatArray:
    out = np.zeros((2, thresholds.size, 2))
    for i, t in enumerate(thresholds):
        high = p > t
        out[0, i] = _sum_by(y[high], w[high], 2)
        out[1, i] = _sum_by(y[high], np.square(w[high]), 2)
    return out


def _bin_sums(p: FloatArray, hit: NDArray[np.bool_], w: FloatArray, bins: int) -> FloatArray:
    """Sum samples into bins [m/M, (m+1)/M), the last one closed; NaN goes there too."""
    inside = np.minimum(p, 1.0)
    code = np.searchsorted(np.arange(1, bins) / bins, inside, side="right") + bins * hit
    terms = (w, w * w, w * inside)
    return np.stack([_sum_by(code, term, 2 * bins).reshape(2, bins) for term in terms])


def limits_of(x: FloatArray, sums: FloatArray | None = None, start: int = 0) -> Limits:
    """Return least and largest value, how many are NaN, and the largest gap of a row."""
    least = float(np.fmin.reduce(x, axis=None, initial=np.inf))
    largest = float(np.fmax.reduce(x, axis=None, initial=-np.inf))
    unknown = int(np.isnan(x).sum())
    if sums is None or not sums.size:
        return Limits(least, largest, unknown)
    gap = np.nan_to_num(np.abs(sums - 1), nan=0.0, posinf=np.inf)
    row = int(gap.argmax())
    return Limits(least, largest, unknown, float(gap[row]), start + row if gap[row] > 0 else -1)


def joined_limits(parts: Sequence[Limits]) -> Limits:
    """Return the limits of several blocks together; of equal gaps the first row."""
    widest = max(parts, key=lambda part: part.gap)
    return Limits(
        min(part.least for part in parts),
        max(part.largest for part in parts),
        int(sum(part.unknown for part in parts)),
        widest.gap,
        int(widest.gap_row),
    )


def _first_largest(x: FloatArray) -> IntArray:
    """Return the first largest value of each row; NaN is no value, 0 where there is none."""
    return np.where(np.isnan(x), -np.inf, x).argmax(axis=1)


def _decisions(rows: Rows, costs: CostColumns) -> IntArray:
    """Return the decision of least expected cost; ties, up to rounding, to the lowest index."""
    p, columns = rows.p, costs.columns
    with np.errstate(invalid="ignore"):
        if costs.error is None:
            chosen = np.zeros(len(p), dtype=np.int64)
            best = _expected(rows, columns[:, 0])
            further = range(1, columns.shape[1])
        else:
            weighted = p * costs.error
            chosen = _first_largest(weighted)
            if not columns.shape[1]:
                return chosen
            weighted[np.arange(chosen.size), chosen] = 0
            best = weighted.sum(axis=1)
            best = best if rows.total is None else best / rows.total
            further = range(columns.shape[1])
        before = costs.n_decisions - columns.shape[1]
        for j in further:
            cost = _expected(rows, columns[:, j])
            lower = cost < best - costs.tie
            best[lower] = cost[lower]
            chosen[lower] = before + j
    return chosen


def _expected(rows: Rows, costs: FloatArray) -> FloatArray:
    """Return the expected cost of a decision; what costs the same for all costs just that."""
    if (costs == costs[0]).all():
        return np.full(len(rows.p), costs[0])
    total = np.zeros(len(rows.p))
    for k in np.flatnonzero(costs):  # in column order, as the library does
        total += rows.p[:, k] * costs[k]
    return total if rows.total is None else total / rows.total


def cells(y: IntArray, d: NDArray[Any], weights: FloatArray | None, costs: CostColumns) -> Cells:
    """Return the weight of each class and decision that occurs."""
    m = costs.n_decisions
    cell = y.astype(np.int64) * m + d
    if weights is None:  # counts need a sort, but not to know where each sample went
        used, count = np.unique(cell, return_counts=True)
        weight = square = count.astype(np.float64)
    else:
        w = weights.astype(np.float64)
        used, code = np.unique(cell, return_inverse=True)
        weight, square = (_sum_by(code, term, used.size) for term in (w, np.square(w)))
    row, column = np.divmod(used, m)
    return Cells(row, column, weight, square)
