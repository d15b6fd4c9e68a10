"""Scores of two classes in cells: counts alone, or parted by group and by size of weight.

Cells are fixed, with further edges wherever the decision of an application or a bin of the
calibration error changes. So costs, counts and bins are those of all samples; what depends on the
order within a cell lies between bounds. A parted cell holds its samples of each class, group and
size of weight, with the mean of their log odds. While they are few, parted cells are as fine as
others, and each group is by itself; see `tally` for what happens then.
"""

from typing import Self

import numpy as np

from stakes._counting import bincount
from stakes._kernels.score_cells import ScoreCells, score_limits
from stakes._kernels.score_grid import ScoreIntervals, cell_grid, from_ordered_bits, ordered_bits
from stakes._math import log
from stakes._typing import FloatArray, IntArray
from stakes.scoring import BrierLoss, LogLoss, ScoringRule
from stakes.statistics import LossSums, ScoreLevels
from stakes.summary.decision_sums import exact_loss_sums
from stakes.summary.form import Part, Reader, Writer, damaged
from stakes.summary.members import AlikeRows, CheckedBatch, Members
from stakes.summary.tally import Field, Layout, Tally

_MOST_IN_CELL = 2**38
# At most 1024 cells in an octave of the odds, then down to 32, with 2^20 parts down to 256; the
# last steps are for weights of very many sizes.
_CELL_DROPS = (0, 1, 2, 3, 3, 3, 3, 4, 4, 5, 5, 5, 5, 5, 6, 7, 8)
_PART_DROPS = (0, 0, 0, 0, 4, 8, 10, 10, 11, 11, 12, 12, 12, 12, 12, 12, 12)
_SIZE_DROPS = (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 3, 3, 3)
_NEAR, _UNITS = 64.0, 2.0**20  # log odds up to 64 are summed in units of 2^-20
_FAR = 30  # beyond, these low bits of a double are dropped
_NEAR_PLACE = int(_NEAR * _UNITS)
_FAR_ORDER = int(ordered_bits(np.array([_NEAR]))[0])


class PlainCells(Part):
    """Samples of two classes in cells of their scores, and exact sums of two losses."""

    pieces = ("cells",)
    RULES = (LogLoss(), BrierLoss())  # summed by the kernel as it counts

    def __init__(self, edges: FloatArray, *, log_odds: bool, shift: float) -> None:
        self.cells = ScoreCells(cell_grid(edges, log_odds=log_odds), shift)

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        return self.cells.count.sum(axis=1)

    def update(self, new: CheckedBatch, scores: FloatArray) -> bool:
        """Add samples; return whether all scores were such, as otherwise nothing is added."""
        return self.cells.grid.accepts(self.cells.update(scores, new.y))

    def rows(self) -> AlikeRows:
        """Return the samples of each cell and class as one row, with their score."""
        found = self.cells.levels()
        count = np.stack([found.first, found.second])
        y, cell = np.nonzero(count)
        return AlikeRows(y, count[y, cell], found.level[cell])

    def by_cell(self) -> IntArray:
        """Return the number of either class in each cell, in the order of the scores."""
        return self.cells.count

    def loss_sums(self) -> dict[ScoringRule, LossSums]:
        """Return the exact sums of either rule; cubes are unknown where one overflowed."""
        sums, lost = self.cells.losses().reshape(2, 3, 2), self.cells.infinite
        sums[0, 2, lost[2] > lost[0]] = np.nan
        infinite = lost[0], np.zeros_like(lost[0])
        return {
            rule: exact_loss_sums(self.counts, *own)
            for rule, *own in zip(self.RULES, sums, infinite, strict=True)
        }

    def write(self, writer: Writer) -> None:
        """Write the cells in use, and the sums of all."""
        cells = self.cells
        used = np.flatnonzero(cells.count.any(axis=0))
        writer.listed(np.diff(used, prepend=0))
        for values in (*cells.count, cells.place):
            writer.array(values[used])
        writer.large(cells.sums.integers())
        writer.array(cells.infinite.ravel())

    def read(self, reader: Reader) -> Self:
        """Read cells, and refuse those that no samples make."""
        grid, n = self.cells.grid, self.cells.grid.n_cells
        used = np.cumsum(reader.listed(n))
        if used.size and (used[-1] >= n or (np.diff(used) < 1).any()):
            raise damaged("cells that there are not")
        numbers = np.zeros((3, n), dtype=np.int64)
        for values in numbers:
            values[used] = reader.array(used.size)
        count, place = numbers[:2], numbers[2]
        sums, lost = reader.sums(12), reader.array(6).reshape(3, 2)
        if count.max() > _MOST_IN_CELL:
            raise damaged("too many samples")
        impossible = count[0, -1], count[1, 0]  # surely of the other class
        if (lost[0] != impossible).any() or (lost > count.sum(axis=1)).any():
            raise damaged("infinite losses that there are not")
        self.cells = ScoreCells.from_parts(grid, count, place, sums, lost, self.cells.shift)
        if not np.array_equal(grid.cells(self.cells.levels().level), used):
            raise damaged("scores that are not of their cells")
        return self


class PartedCells(Part):
    """Samples of two classes in cells of their scores, by group and by size of weight."""

    pieces = ("tally",)

    def __init__(
        self, edges: FloatArray, members: Members, *, log_odds: bool, most: int | None = None
    ) -> None:
        self.intervals, self.members = ScoreIntervals(log_odds, edges), members
        cells = Field(self.intervals.number), Field(self.intervals.n_cells, _CELL_DROPS)
        own = members.fields(_PART_DROPS, _SIZE_DROPS)
        layout = Layout((Field(2), *cells, *own), before=1)
        self.tally = Tally(layout) if most is None else Tally(layout, most=most)

    def update(self, new: CheckedBatch, scores: FloatArray) -> bool:
        """Add samples; return whether all scores were such, as otherwise nothing is added."""
        grid = cell_grid(self.intervals.edges, log_odds=self.intervals.log_odds)
        if not grid.accepts(score_limits(scores, new.y)):
            return False
        x = np.asarray(scores, dtype=np.float64)
        if self.intervals.log_odds:
            z = np.where(np.isfinite(x), x, 0.0)  # certain answers are at 0
        else:
            p = np.where((x == 0) | (x == 1), 0.5, x)
            z = np.asarray(log(p) - np.log1p(-p), dtype=np.float64)
        fields = new.y, *self.intervals.places(x), *self.members.values(new)
        self.tally.add(fields, before=[_places(z)])
        return True

    @property
    def counts(self) -> IntArray:
        """How many samples of each class there are."""
        y, copies = self.tally.values()[0], self.tally.sums[0]
        return np.array([copies[y == k].sum() for k in (0, 1)], dtype=np.int64)

    def rows(self) -> AlikeRows:
        """Return the samples of each cell, class, group and size of weight, with their score."""
        y, interval, *_ = self.tally.values()
        copies, places = self.tally.sums[:2]
        z = _from_places(places / copies)
        score = z if self.intervals.log_odds else np.exp(-np.logaddexp(0.0, -z))
        own = self.members.from_keys(self.tally, 3)
        return AlikeRows(y, copies, self.intervals.within(score, interval), *own)

    def by_cell(self) -> FloatArray:
        """Return the weight of either class in each cell in use, in the order of the scores."""
        y, interval, cell, *_ = self.tally.values()
        rows = self.rows()
        weight = rows.copies if rows.weights is None else rows.copies * rows.weights
        found, place = np.unique(interval * self.intervals.n_cells + cell, return_inverse=True)
        sums = [bincount(place[y == k], weight[y == k], found.size) for k in (0, 1)]
        return np.array(sums, dtype=np.float64)

    def check(self) -> None:
        """Refuse cells without samples."""
        if (self.tally.sums[0] < 1).any():
            raise damaged("cells without samples")


def ranked_orders(counts: "IntArray | FloatArray") -> tuple[ScoreLevels, ScoreLevels]:
    """Return levels of counts by class and cell: in the worst order within cells, in the best."""
    first, second = counts
    none = np.zeros_like(first)
    return (
        _levels(_woven(none, first), _woven(second, none)),
        _levels(_woven(first, none), _woven(none, second)),
    )


def _woven(lower: IntArray, upper: IntArray) -> IntArray:
    """Return for each cell what is in its lower and in its upper half."""
    return np.column_stack([lower, upper]).ravel()


def _levels(first: IntArray, second: IntArray) -> ScoreLevels:
    """Return the levels in use, numbered in their order."""
    used = np.flatnonzero(first + second)
    order = np.arange(used.size, dtype=np.float64)
    return ScoreLevels(order, first[used], second[used], np.zeros(2, dtype=np.int64))


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
