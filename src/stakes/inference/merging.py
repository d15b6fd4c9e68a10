"""Many rows as few cells that have nearly the same intervals."""

import numpy as np

from stakes._counting import bincount
from stakes._kernels.group_sums import sum_by
from stakes._typing import FloatArray, IntArray

MOST_ROWS = 2**14  # beyond which rows of nearly equal influence share a cell
_DROPPED = 46  # bits of a double; its sign, its exponent and 64 steps an octave remain
_CODES = 2 ** (64 - _DROPPED)
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
