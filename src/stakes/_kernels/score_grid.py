"""Cells of scores of two classes: which cell a score lies in, and what each cell holds.

A base cell follows from the bits of a score, or of its odds, and rises with it. Edges cut base
cells: the cell of x is its base cell plus the number of edges of at most x.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar

import numpy as np

from stakes._kernels.kernel_records import Limits
from stakes._typing import FloatArray, IntArray, NDArray

_NEGATIVE = np.int64(-(2**63))
_PLACE = 24  # bits of a place within a cell, so that 2^38 of them sum to less than 2^63
_FAR, _NEAR = 48, 42  # bits that are dropped: 16 or 1024 cells in an octave
_EVEN = 65536  # cells of odds from 2^-32 to 2^32, and of log odds from -32 to 32
_FAR_ODDS = 15856  # cells of odds above 0 and below 2^-32
_FAR_LOGS = 16304  # cells of finite log odds below -32, and from 32
_ODDS_CELLS = 1 + _FAR_ODDS + _EVEN + 336 + 1  # finite odds end at 2^53
_BASE = np.dtype([("least", np.int64), ("cell", np.int32), ("bits", np.int32)])


def ordered_bits(x: FloatArray) -> IntArray:
    """Return whole numbers in the order of the doubles; 0 for both zeros."""
    bits = x.view(np.int64)
    return np.where(bits < 0, _NEGATIVE - bits, bits)


def from_ordered_bits(order: IntArray) -> FloatArray:
    """Return the doubles of ordered bits."""
    return np.where(order < 0, _NEGATIVE - order, order).view(np.float64)


def base_cells(x: FloatArray, *, log_odds: bool) -> IntArray:
    """Return the base cell of each score, which rises with it."""
    if log_odds:
        return _base_of_log_odds(x)
    with np.errstate(divide="ignore"):
        odds = x / (1 - x)
    bits = odds.view(np.int64)
    far, above = bits >> _FAR, 1 + _FAR_ODDS + _EVEN
    near = (bits >> _NEAR) + (1 + _FAR_ODDS - (0x3DF << 10))
    found = np.where(odds < 2.0**-32, far + 1, near)
    found = np.where(odds < 2.0**32, found, far + (above - 0x41F0))
    return np.where(x == 0, 0, np.where(x == 1, _ODDS_CELLS - 1, found))


def _base_of_log_odds(z: FloatArray) -> IntArray:
    """Return base cells; those of 2^-10 are exact, since products with 2^10 are."""
    far, even = ordered_bits(z) >> _FAR, 1 + _FAR_LOGS
    near = np.floor(np.clip(z, -32, 32) * 1024).astype(np.int64) + (even + _EVEN // 2)
    found = np.where(z < -32, far + (1 + 0x7FF0), near)
    found = np.where(z < 32, found, far + (even + _EVEN - 0x4040))
    return np.where(z == -np.inf, 0, found)


@dataclass(frozen=True, eq=False)
class _Edges:
    """Edges between probabilities, or between log odds: these say whether two grids are equal."""

    log_odds: bool
    edges: FloatArray

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, type(self)):
            return NotImplemented
        return self.log_odds == other.log_odds and np.array_equal(self.edges, other.edges)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]


@dataclass(frozen=True, eq=False)
class CellGrid(_Edges):
    """Cells of probabilities, or of log odds, with further edges; made by `cell_grid`.

    `least` holds the ordered bits of the least score of each cell, and `bits` how many bits a
    place within the cell drops; both are 0 for the cells that no score lies in.
    """

    least: IntArray
    bits: IntArray
    base: NDArray[np.void]  # of each base cell: least score, its cell, bits; -1 if an edge cuts it

    @property
    def n_cells(self) -> int:
        """How many cells there are."""
        return self.least.size

    def cells(self, x: FloatArray) -> IntArray:
        """Return the cell of each score."""
        return base_cells(x, log_odds=self.log_odds) + np.searchsorted(self.edges, x, "right")

    def accepts(self, limits: Limits) -> bool:
        """Whether values within these limits are scores of this kind."""
        return limits.unknown == 0 and (
            self.log_odds or (limits.least >= 0 and limits.largest <= 1)
        )


def cell_grid(edges: Sequence[float] | FloatArray = (), *, log_odds: bool = False) -> CellGrid:
    """Return cells of P(H_2), or of its log odds, cut at further edges.

    A score that equals an edge lies in the cell above it.
    """
    cuts = np.asarray(edges, dtype=np.float64)
    if cuts.ndim != 1 or not (np.diff(cuts) > 0).all() or np.isnan(cuts).any():
        msg = f"edges must be increasing numbers: got {np.array2string(cuts, threshold=9)}."
        raise ValueError(msg)
    return _grid(tuple(cuts.tolist()), log_odds)


def _ends(*, log_odds: bool) -> tuple[int, int]:
    """Return the ordered bits of the least and the largest score."""
    low, high = ordered_bits(np.array([-np.inf, np.inf] if log_odds else [0.0, 1.0])).tolist()
    return low, high


def _likely_starts(*, log_odds: bool) -> IntArray:
    """Return ordered bits within some units of where base cells begin."""
    whole = np.arange(_EVEN)
    if log_odds:
        below = np.arange(-0x7FF0, -0x7FF0 + _FAR_LOGS) << _FAR
        above = np.arange(0x4040, 0x4040 + _FAR_LOGS + 1) << _FAR
        return np.concatenate([below[:1], below, ordered_bits(whole / 1024 - 32), above])
    below, above = np.arange(_FAR_ODDS) << _FAR, np.arange(0x41F0, 0x41F0 + 336) << _FAR
    near = (whole + (0x3DF << 10)) << _NEAR
    odds = np.concatenate([below[:1], below, near, above]).view(np.float64)
    return ordered_bits(np.append(odds / (1 + odds), 1.0))


@lru_cache(maxsize=2)
def _base_starts(log_odds: bool) -> IntArray:  # noqa: FBT001  lru_cache
    """Return the ordered bits of the least score in or above each base cell, by bisection."""
    (first, last), likely = _ends(log_odds=log_odds), _likely_starts(log_odds=log_odds)

    def below(order: IntArray, cells: IntArray) -> NDArray[np.bool_]:
        return base_cells(from_ordered_bits(order), log_odds=log_odds) < cells

    wanted = np.arange(likely.size)
    low, high = np.maximum(likely - 9, first), np.minimum(likely + 9, last)
    low = np.where(below(low, wanted), low, first)
    high = np.where(below(high, wanted), last, high)
    while (left := np.flatnonzero(low < high)).size:
        a, b = low[left], high[left]
        middle = (a >> 1) + (b >> 1) + (a & b & 1)
        less = below(middle, wanted[left])
        low[left], high[left] = np.where(less, middle + 1, a), np.where(less, b, middle)
    return low


@lru_cache(maxsize=4)
def _grid(cuts: tuple[float, ...], log_odds: bool) -> CellGrid:  # noqa: FBT001  lru_cache
    """Return the cells that begin where a base cell or an edge does."""
    edges, starts, (first, last) = np.array(cuts), _base_starts(log_odds), _ends(log_odds=log_odds)
    places = ordered_bits(edges)
    begin = np.sort(np.append(starts, places[(places >= first) & (places <= last)]))
    begin = begin[np.append(True, np.diff(begin) > 0)]
    base = base_cells(from_ordered_bits(begin), log_odds=log_odds)
    cell = base + np.searchsorted(places, begin, "right")
    span = np.append(begin[1:] - 1, last) - begin
    least, bits = np.zeros((2, starts.size + edges.size), dtype=np.int64)
    least[cell], bits[cell] = begin, np.maximum(np.frexp(span)[1] - _PLACE, 0)
    table = np.zeros(starts.size, dtype=_BASE)
    head = np.flatnonzero(np.append(True, np.diff(base) > 0))  # base cells rise with scores
    used, parts = base[head], np.diff(np.append(head, base.size))
    table["least"][used], table["cell"][used] = begin[head], cell[head]
    table["bits"][used] = np.where(parts > 1, -1, bits[cell[head]])
    for array in (edges, least, bits, table):
        array.setflags(write=False)
    return CellGrid(log_odds, edges, least, bits, table)


@dataclass(frozen=True, eq=False)
class ScoreIntervals(_Edges):
    """Intervals of scores between edges, and base cells within them; certain scores are apart."""

    @property
    def number(self) -> int:
        """How many intervals there are."""
        return self.edges.size + 3

    @property
    def n_cells(self) -> int:
        """How many base cells there are."""
        return _base_starts(self.log_odds).size

    def places(self, x: FloatArray) -> tuple[IntArray, IntArray]:
        """Return the interval and the base cell of each score; both rise with it."""
        least, largest = (-np.inf, np.inf) if self.log_odds else (0.0, 1.0)
        interval = np.searchsorted(self.edges, x, "right") + 1
        interval = np.where(x == least, 0, np.where(x == largest, self.number - 1, interval))
        return interval, base_cells(x, log_odds=self.log_odds)

    def within(self, x: FloatArray, interval: IntArray) -> FloatArray:
        """Return scores that were rounded, brought back into their intervals."""
        ends = _ends(log_odds=self.log_odds)
        least, largest = from_ordered_bits(np.array(ends)).tolist()
        inner = from_ordered_bits(np.array([ends[0] + 1, ends[1] - 1])).tolist()
        low = np.concatenate([[least, inner[0]], self.edges, [largest]])
        last = from_ordered_bits(ordered_bits(self.edges) - 1)
        high = np.concatenate([[least], last, [inner[1], largest]])
        return np.clip(x, low[interval], high[interval])
