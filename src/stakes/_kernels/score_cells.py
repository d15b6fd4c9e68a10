"""Scores of two classes in cells: data of any size in little memory, the same bits in any order."""

import math
from typing import Any, ClassVar

import numpy as np

from stakes._counting import bincount
from stakes._errors import InputError
from stakes._kernels.definitions import sample_sums
from stakes._kernels.exact_sums import ExactSums, add_defined
from stakes._kernels.kernel_arrays import as_codes, as_numbers, check_lengths
from stakes._kernels.kernel_records import Levels, Limits
from stakes._kernels.library import KERNELS, kernel, record
from stakes._kernels.score_grid import CellGrid, from_ordered_bits, ordered_bits
from stakes._typing import FloatArray, IntArray, NDArray

_POWERS = 3  # of losses that are summed
_BLOCK = 65536  # samples of the definition at a time
_SLICE = 2**26  # samples at a time
_MOST = 2**38  # samples of a cell

_limits, _add = kernel("score_limits", "r"), kernel("score_cells", "r")
_CellsJob = record("cells_job")


class ScoreCells:
    """Samples of two classes in the cells of a grid, and exact sums of their losses.

    `shift` is added to the log odds for the losses alone. Equal samples give equal cells in any
    order, in any batches, and added up from any parts.
    """

    def __init__(self, grid: CellGrid, shift: float = 0.0) -> None:
        if not math.isfinite(shift):
            msg = f"shift must be finite: got {shift}."
            raise ValueError(msg)
        self.grid = grid
        self.shift = float(shift)
        self.sums = ExactSums(4 * _POWERS)
        self.infinite: IntArray = np.zeros((_POWERS, 2), dtype=np.int64)
        self._tally: IntArray = np.zeros((grid.n_cells, 3), dtype=np.int64)
        self._fullest = 0  # samples of a cell, at most

    @classmethod
    def from_parts(
        cls,
        grid: CellGrid,
        count: IntArray,
        place: IntArray,
        sums: ExactSums,
        infinite: IntArray,
        shift: float = 0.0,
    ) -> "ScoreCells":
        """Return the cells whose `count`, `place`, `sums` and `infinite` these are."""
        cells = cls(grid, shift)
        cells._tally[:, :2], cells._tally[:, 2] = np.asarray(count).T, place
        cells.infinite[:] = infinite
        cells.sums = cells.sums + sums
        cells._check_fullest()
        return cells

    @property
    def count(self) -> IntArray:
        """Samples of each class in each cell, 2 x cells."""
        return self._tally[:, :2].T

    @property
    def place(self) -> IntArray:
        """Sum over the samples of each cell of their place above its least score."""
        return self._tally[:, 2]

    def update(self, values: NDArray[Any], y: NDArray[Any]) -> Limits:
        """Add samples, if all values are scores of the grid's kind; return the limits of all.

        Where `grid.accepts` refuses the limits, nothing was added. Labels other than 0 and 1 raise
        ValueError, and more than 2^38 samples in a cell InputError; nothing is added then.
        """
        x, codes = as_numbers(values), as_codes(_unsigned(y))
        check_lengths(x.size, values=x, y=codes)
        limits = score_limits(x, codes)
        if not self.grid.accepts(limits):
            return limits
        if self._fullest + x.size > _MOST:
            self._fullest = int(self.count.sum(axis=0).max())
        if self._fullest + x.size > _MOST:
            batch = ScoreCells(self.grid, self.shift)
            batch._add(x, codes)
            self.__dict__.update((self + batch).__dict__)
        else:
            self._add(x, codes)
        return limits

    def _add(self, x: NDArray[Any], codes: NDArray[Any]) -> None:
        for start in range(0, x.size, _SLICE):
            part = slice(start, start + _SLICE)
            limbs = self.sums.reserve(x[part].size)
            if KERNELS is None:
                self._add_defined(x[part], codes[part], limbs)
            else:
                grid, n = self.grid, x[part].size
                job = _CellsJob(values=x[part], y=codes[part], n=n, kind=grid.log_odds)
                job.tell(shift=self.shift, base=grid.base, least=grid.least, bits=grid.bits)
                job.tell(edges=grid.edges, n_edges=grid.edges.size)
                job.tell(tally=self._tally, limbs=limbs, infinite=self.infinite)
                _add(job)
        self._fullest += x.size

    def _add_defined(self, values: NDArray[Any], y: NDArray[Any], limbs: IntArray) -> None:
        """Add samples to the tallies, the limbs of 12 sums, and the infinite losses of classes."""
        grid = self.grid
        for start in range(0, values.size, _BLOCK):
            part = slice(start, start + _BLOCK)
            x, code = values[part].astype(np.float64), y[part].astype(np.int64)
            cell = grid.cells(x)
            place = (ordered_bits(x) - grid.least[cell]) >> grid.bits[cell]
            for second in (0, 1):
                self._tally[:, second] += bincount(cell[code == second], minlength=grid.n_cells)
            self._tally[:, 2] += bincount(cell, place, grid.n_cells).astype(np.int64)
            log, brier = _losses(x, code, self.shift, log_odds=grid.log_odds)
            with np.errstate(over="ignore", under="ignore"):
                powers = [p for one in (log, brier) for p in (one, one * one, one * one * one)]
            for row, loss in enumerate(powers):
                finite = loss < np.inf
                add_defined(limbs, 2 * row + code[finite], loss[finite])
                if not finite.all():
                    self.infinite[row] += bincount(code[~finite], minlength=2)

    def _check_fullest(self) -> None:
        """Refuse more samples in a cell than their places can be summed of."""
        self._fullest = int(self.count.sum(axis=0).max())
        if self._fullest > _MOST:
            raise InputError("a cell", "must hold at most 2**38 samples", self._fullest)

    def __add__(self, other: "ScoreCells") -> "ScoreCells":
        if self.grid != other.grid or self.shift != other.shift:
            msg = "cells must have one grid and one shift to be added: got two."
            raise ValueError(msg)
        both = ScoreCells(self.grid, self.shift)
        both._tally = self._tally + other._tally
        both.infinite = self.infinite + other.infinite
        both._check_fullest()
        both.sums = self.sums + other.sums
        return both

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ScoreCells):
            return NotImplemented
        return (
            self.grid == other.grid
            and self.shift == other.shift
            and np.array_equal(self._tally, other._tally)
            and np.array_equal(self.infinite, other.infinite)
            and self.sums == other.sums
        )

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def levels(self) -> Levels:
        """Return one score within each cell in use, and its samples of either class.

        Decisions and bins whose thresholds are edges of the grid are those of all samples.
        """
        total = self._tally[:, 0] + self._tally[:, 1]
        used = np.flatnonzero(total)
        mean = self._tally[used, 2] // total[used]
        level = from_ordered_bits(self.grid.least[used] + (mean << self.grid.bits[used]))
        return Levels(level, self._tally[used, 0], self._tally[used, 1])

    def losses(self) -> FloatArray:
        """Return the finite sums by class, 6 x 2: log loss, square, cube; Brier, square, cube."""
        return self.sums.total().reshape(2 * _POWERS, 2)


def _unsigned(y: NDArray[Any]) -> NDArray[Any]:
    """Return int8 as uint8, without a copy: what is negative is still no label."""
    array = np.asarray(y)
    return array.view(np.uint8) if array.dtype == np.int8 else array


def score_limits(values: NDArray[Any], y: NDArray[Any]) -> Limits:
    """Return what a batch holds; labels other than 0 and 1 raise ValueError."""
    x, codes = as_numbers(values), as_codes(_unsigned(y))
    if KERNELS is None:
        sample_sums.check_codes(codes, 2)
        return sample_sums.limits_of(x.astype(np.float64))
    found = np.empty(3)
    _limits(_CellsJob(values=x, y=codes, n=x.size, limits=found))
    least, largest, unknown = found.tolist()
    return Limits(least, largest, int(unknown))


def _losses(
    x: FloatArray, y: IntArray, shift: float, *, log_odds: bool
) -> tuple[FloatArray, FloatArray]:
    if log_odds or shift != 0:
        with np.errstate(divide="ignore"):
            z = x if log_odds else np.log(x) - np.log1p(-x)
        _, loss, wrong = sample_sums.from_log_odds(z + shift, y)
    else:
        _, loss, wrong = sample_sums.from_second(x, y)
    return loss, wrong * wrong
