"""Many rows as few cells that have nearly the same intervals."""

from collections.abc import Sequence

import numpy as np

from stakes._counting import bincount
from stakes._kernels.group_sums import sum_by
from stakes._typing import FloatArray, IntArray

MOST_ROWS = 2**14  # beyond which rows of nearly equal influence share a cell
_DROPPED = 46  # bits of a double; its sign, its exponent and 64 steps an octave remain
_CODES = 2 ** (64 - _DROPPED)
_FINE, _COARSE, _EXPONENT = 5, 2, 9  # bits of a number by which rows differ
_DIRECT = 2**22  # keys that are counted instead of sorted
_STEPS = 16  # of an octave, to which parts are alike


def merged(
    columns: FloatArray, counts: FloatArray, stratum: IntArray, influence: FloatArray
) -> tuple[FloatArray, FloatArray, IntArray]:
    """Return the mean columns, counts and strata of cells of rows; the same bits in any order.

    `influence` is what a row adds to the metric at the weights observed. Rows of one cell agree in
    its sign, and to 1/64 in its size, so they move nearly alike: sums of columns are kept, sums of
    squares to 1e-5 of themselves.
    """
    bits = (influence + 0.0).view(np.uint64)  # no -0
    code = stratum * _CODES + (bits >> np.uint64(_DROPPED)).astype(np.int64)
    used = np.flatnonzero(bincount(code))
    number = np.zeros(int(used[-1]) + 1, dtype=np.int64)
    number[used] = np.arange(used.size)
    place = number[code]
    total = sum_by(place, counts, used.size)
    means = [sum_by(place, counts * column, used.size) / total for column in columns.T]
    return np.column_stack(means), total, used // _CODES


def merged_alike(
    y: IntArray, table: FloatArray, counts: FloatArray, pulls: Sequence[FloatArray], rough: int
) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return the classes, mean rows of the table and counts of fewer rows with the same sums.

    Rows of a cell agree to 5 bits in each of `pulls`, how far they pull a value, which alone makes
    its interval, and to 2 bits in the columns of the table from `rough` on. The same rows in any
    order give the same bits.
    """
    code = y
    for pull in pulls:
        code = _numbered((code << (_FINE + _EXPONENT)) + _leading(pull, _FINE))
    for column in table.T[rough:]:
        if (column != column[0]).any():
            like = _numbered(_leading(column, _COARSE))
            code = _numbered(code * (int(like.max()) + 1) + like)
    number = int(code.max()) + 1
    total = sum_by(code, counts, number)
    sums = [sum_by(code, counts * column, number) for column in table.T]
    classes = np.zeros(number, dtype=np.int64)
    classes[code] = y
    return classes, np.stack(sums, axis=1) / total[:, None], total


def _numbered(keys: IntArray) -> IntArray:
    """Return keys as numbers from 0 up, in their order."""
    most = int(keys.max()) + 1
    if most > _DIRECT:
        return np.unique(keys, return_inverse=True)[1].ravel().astype(np.int64)
    return np.asarray((np.cumsum(bincount(keys, minlength=most) > 0) - 1)[keys], dtype=np.int64)


def _leading(column: FloatArray, bits: int) -> IntArray:
    """Return sign, exponent and the leading bits of numbers, as whole numbers."""
    single = np.ascontiguousarray(column / max(np.abs(column).max(), 1e-300), dtype=np.float32)
    whole = (single + np.float32(0)).view(np.uint32) >> np.uint32(23 - bits)  # -0 is 0
    return whole.astype(np.int64)


def alike(parts: FloatArray) -> IntArray:
    """Return a number for rows (rows x parts) that are alike: in sign, octave and its step."""
    cell = np.zeros(len(parts), dtype=np.int64)
    for part in parts.T:
        share, octave = np.frexp(part)
        place = octave.astype(np.int64) * 4 * _STEPS + np.trunc(share * 2 * _STEPS).astype(np.int64)
        place = np.unique(place, return_inverse=True)[1]
        both = cell * (int(place.max()) + 1) + place
        cell = np.unique(both, return_inverse=True)[1].astype(np.int64)
    return cell
