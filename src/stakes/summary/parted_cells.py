"""Scores of two classes in cells that are parted by group and by size of weight.

A cell holds its samples of each class, group and size of weight, with the mean of their log odds.
While they are few, cells are as fine as those of samples without groups and weights, and each group
is by itself; see `tally` for what happens then.
"""

from typing import NamedTuple, Self

import numpy as np

from stakes._kernels.score_grid import ScoreIntervals, from_ordered_bits, ordered_bits
from stakes._math import log
from stakes._typing import FloatArray, IntArray
from stakes.summary.amounts import amount_field, parts, sizes, total
from stakes.summary.form import Reader, Writer, damaged
from stakes.summary.group_hashes import BITS
from stakes.summary.members import CheckedBatch
from stakes.summary.tally import Field, Layout, Tally

_WEIGHT_BITS = 3
# At most 1024 cells in an octave of the odds, then down to 32, with 2^20 parts down to 256; the
# last steps are for weights of very many sizes.
_CELL_DROPS = (0, 1, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 6, 7, 8)
_PART_DROPS = (0, 0, 0, 0, 4, 8, 10, 10, 11, 11, 12, 12, 12, 12, 12, 12, 12)
_SIZE_DROPS = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3)
_NEAR, _UNITS = 64.0, 2.0**20  # log odds up to 64 are summed in units of 2^-20
_FAR = 30  # beyond, these low bits of a double are dropped
_NEAR_PLACE = int(_NEAR * _UNITS)
_FAR_ORDER = int(ordered_bits(np.array([_NEAR]))[0])


class PartedRows(NamedTuple):
    """Samples of one cell, class, group and size of weight: their score, and how many."""

    y: IntArray
    score: FloatArray
    copies: IntArray
    weights: FloatArray | None
    part: IntArray | None


class PartedCells:
    """Samples of two classes in cells of their scores, by group and by size of weight."""

    def __init__(self, intervals: ScoreIntervals, *, weighted: bool, grouped: bool) -> None:
        self.intervals, self.weighted, self.grouped = intervals, weighted, grouped
        fields = [Field(2), Field(intervals.number), Field(intervals.n_cells, _CELL_DROPS)]
        if grouped:
            fields.append(Field(2**BITS, _PART_DROPS))
        if weighted:
            fields.append(amount_field(_WEIGHT_BITS, _SIZE_DROPS))
        self.tally = Tally(Layout(tuple(fields), 2 + 2 * weighted))

    def update(self, new: CheckedBatch, scores: FloatArray) -> None:
        """Add samples whose scores were checked."""
        interval, cell = self.intervals.of(scores)
        fields = [new.y, interval, cell]
        numbers = [new.ones, _places(self._log_odds(scores))]
        if self.grouped:
            fields.append(new.parts)  # type: ignore[arg-type]
        if self.weighted:
            fields.append(sizes(new.weights, _WEIGHT_BITS))  # type: ignore[arg-type]
            numbers += parts(new.weights)  # type: ignore[arg-type]
        self.tally.add(fields, numbers)

    def _log_odds(self, scores: FloatArray) -> FloatArray:
        """Return the finite log odds of scores, 0 for those that are certain."""
        if self.intervals.log_odds:
            return np.where(np.isfinite(scores), scores, 0.0)
        certain = (scores == 0) | (scores == 1)
        p = np.where(certain, 0.5, scores)
        return np.asarray(log(p) - np.log1p(-p), dtype=np.float64)

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        y, copies = self.tally.values()[0], self.tally.sums[0]
        return np.array([copies[y == k].sum() for k in (0, 1)], dtype=np.int64)

    def rows(self) -> PartedRows:
        """Return the samples of each cell, class, group and size of weight as one row."""
        y, interval, _, *rest = self.tally.values()
        copies, places, *weights = self.tally.sums
        z = _from_places(places / copies)
        score = z if self.intervals.log_odds else np.exp(-np.logaddexp(0.0, -z))
        part = rest[0] if self.grouped else None
        if not self.weighted:
            return PartedRows(y, self.intervals.within(score, interval), copies, None, part)
        bits = _WEIGHT_BITS - self.tally.drop(len(self.tally.layout.fields) - 1)
        weight = total(rest[-1], bits, *weights) / copies
        return PartedRows(y, self.intervals.within(score, interval), copies, weight, part)

    def by_cell(self) -> FloatArray:
        """Return the weight of either class in each cell in use, in the order of the scores."""
        y, interval, cell, *_ = self.tally.values()
        rows = self.rows()
        weight = rows.copies if rows.weights is None else rows.copies * rows.weights
        found, place = np.unique(interval * self.intervals.n_cells + cell, return_inverse=True)
        sums = [np.bincount(place[y == k], weight[y == k], found.size) for k in (0, 1)]
        return np.array(sums, dtype=np.float64)

    def __add__(self, other: Self) -> Self:
        out = type(self)(self.intervals, weighted=self.weighted, grouped=self.grouped)
        out.tally = self.tally + other.tally
        return out

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PartedCells):
            return NotImplemented
        return self.intervals == other.intervals and self.tally == other.tally

    __hash__ = None  # type: ignore[assignment]

    def write(self, writer: Writer) -> None:
        """Write the cells."""
        self.tally.write(writer)

    def read_from(self, reader: Reader) -> None:
        """Read cells."""
        self.tally = Tally.read(reader, self.tally.layout)
        if (self.tally.sums[0] < 1).any():
            raise damaged("cells without samples")


def _places(z: FloatArray) -> IntArray:
    """Return log odds as whole numbers, which rise with them."""
    size = np.abs(z)
    near = np.rint(np.minimum(size, _NEAR) * _UNITS).astype(np.int64)
    far = (ordered_bits(np.maximum(size, _NEAR)) - _FAR_ORDER) >> _FAR
    return np.where(z < 0, -1, 1) * (near + far)


def _from_places(places: FloatArray) -> FloatArray:
    """Return the log odds of places, which may lie between whole numbers."""
    size = np.abs(places)
    far = np.maximum(size - _NEAR_PLACE, 0.0).astype(np.int64) << _FAR
    z = np.where(size <= _NEAR_PLACE, size / _UNITS, from_ordered_bits(_FAR_ORDER + far))
    return np.copysign(z, places)
