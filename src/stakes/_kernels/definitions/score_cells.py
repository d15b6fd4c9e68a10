"""Cells of the scores of two classes, and exact sums of their losses."""

from typing import Any

import numpy as np

from stakes._kernels.definitions.exact import exact_add
from stakes._kernels.definitions.passes import (
    check_codes,
    from_log_odds,
    from_second,
    limits_of,
)
from stakes._kernels.kernel_records import Limits
from stakes._kernels.score_grid import CellGrid, ordered_bits
from stakes._typing import FloatArray, IntArray, NDArray

_BLOCK = 65536  # samples


def score_limits(values: NDArray[Any], y: NDArray[Any]) -> Limits:
    """Return what a batch holds; refuse labels that are not 0 or 1."""
    check_codes(y, 2)
    return limits_of(values.astype(np.float64))


def score_cells(
    grid: CellGrid,
    values: NDArray[Any],
    y: NDArray[Any],
    shift: float,
    tally: IntArray,
    limbs: IntArray,
    infinite: IntArray,
) -> None:
    """Add samples to tallies of cells x 3, limbs of 12 sums, and infinite losses x classes."""
    for start in range(0, values.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        x, code = values[part].astype(np.float64), y[part].astype(np.int64)
        cell = grid.cells(x)
        place = (ordered_bits(x) - grid.least[cell]) >> grid.bits[cell]
        for second in (0, 1):
            tally[:, second] += np.bincount(cell[code == second], minlength=grid.n_cells)
        tally[:, 2] += np.bincount(cell, place, grid.n_cells).astype(np.int64)
        log, brier = _losses(x, code, shift, log_odds=grid.log_odds)
        for row, loss in enumerate(_powers(log) + _powers(brier)):
            finite = loss < np.inf
            exact_add(limbs, 2 * row + code[finite], loss[finite])
            if not finite.all():
                infinite[row] += np.bincount(code[~finite], minlength=2)


def _powers(loss: FloatArray) -> list[FloatArray]:
    """Return losses, their squares and their cubes."""
    with np.errstate(over="ignore", under="ignore"):
        return [loss, loss * loss, loss * loss * loss]


def _losses(
    x: FloatArray, y: IntArray, shift: float, *, log_odds: bool
) -> tuple[FloatArray, FloatArray]:
    """Return log losses and Brier scores, with `shift` added to the log odds."""
    if log_odds or shift != 0:
        with np.errstate(divide="ignore"):
            z = x if log_odds else np.log(x) - np.log1p(-x)
        _, loss, wrong = from_log_odds(z + shift, y)
    else:
        _, loss, wrong = from_second(x, y)
    return loss, wrong * wrong
