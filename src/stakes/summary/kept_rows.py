"""Some rows of very many: those of least hash within each class, whatever order they come in.

The hash is that of the row itself, so that equal rows are kept together, with their number, and
no order of rows, batches or sums changes which are kept.
"""

from typing import Self

import numpy as np

from stakes._counting import bincount, repeat
from stakes._typing import FloatArray, IntArray, NDArray
from stakes.summary.form import Part, Reader, Writer, damaged

_ODD = np.uint64(0x9E3779B97F4A7C15)  # of the golden ratio: multiples spread over all bits
_MIX = (np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB))
_HASHED_AT_ONCE = 2**14  # numbers, whose temporary arrays need no fresh pages
_FEWEST_JOINED = 2048  # rows that wait before they are joined to those kept
Hashes = NDArray[np.uint64]


class KeptRows(Part):
    """At most `quota` distinct rows of each class, with how often each occurred."""

    def __init__(self, n_classes: int, width: int, quota: int) -> None:
        self.n_classes, self.width, self.quota = n_classes, width, quota
        self.hash: Hashes = np.empty(0, dtype=np.uint64)
        self.y: IntArray = np.empty(0, dtype=np.int64)
        self.values: FloatArray = np.empty((0, width))
        self.copies: IntArray = np.empty(0, dtype=np.int64)
        self.full = np.zeros(n_classes, dtype=np.bool_)  # rows of the class were left out
        self._limits = np.full(n_classes, np.iinfo(np.uint64).max, dtype=np.uint64)
        self._waiting: list[tuple[Hashes, IntArray, FloatArray]] = []  # to be joined together
        self._n_waiting = 0

    def add(self, y: IntArray, values: FloatArray) -> None:
        """Take rows of least hash."""
        hashes = hash_of(y, values)
        near = np.flatnonzero(hashes <= self._limits[y])
        if near.size:
            rows = values[near] + 0.0  # 0 and -0 are the same number
            self._waiting.append((hashes[near], y[near], rows))
            self._n_waiting += near.size
        if self._n_waiting > max(_FEWEST_JOINED, self.y.size // 2):
            self.settled()

    def settled(self) -> Self:
        """Return the rows after those that wait were joined to them."""
        if self._waiting:
            hashes, y, values = (np.concatenate(part) for part in zip(*self._waiting, strict=True))
            self._waiting, self._n_waiting = [], 0
            self._take(hashes, y, values, np.ones(y.size, dtype=np.int64))
        return self

    def _take(self, hashes: Hashes, y: IntArray, values: FloatArray, copies: IntArray) -> None:
        """Join rows to those kept, and leave out what is beyond the quota of a class."""
        if not y.size:
            return
        hashes, y = np.concatenate([self.hash, hashes]), np.concatenate([self.y, y])
        copies = np.concatenate([self.copies, copies])
        order = np.lexsort((hashes, y))
        fresh = np.append(True, (np.diff(y[order]) != 0) | (np.diff(hashes[order]) != 0))
        starts = np.flatnonzero(fresh)
        first = order[starts]  # of the rows that are equal
        together = np.add.reduceat(copies[order], starts)
        own = y[first]
        rank = np.arange(own.size) - np.searchsorted(own, own)
        kept = rank < self.quota
        self.full[own[~kept]] = True
        first, self.copies = first[kept], together[kept]
        self.hash, self.y = hashes[first], y[first]
        late, old = first >= len(self.values), self.values
        self.values = np.empty((first.size, self.width))
        self.values[~late] = old[first[~late]]
        self.values[late] = values[first[late] - len(old)]
        self._limit()

    def _limit(self) -> None:
        """Note above which hash rows of each class are no longer kept."""
        largest = np.zeros(self.n_classes, dtype=np.uint64)
        np.maximum.at(largest, self.y, self.hash)
        self._limits[self.full] = largest[self.full]

    def __add__(self, other: Self) -> Self:
        parts = self.settled(), other.settled()
        out = type(self)(self.n_classes, self.width, self.quota)
        out.full = self.full | other.full
        limits = np.minimum(self._limits, other._limits)
        for part in parts:
            near = part.hash <= limits[part.y]
            out._take(part.hash[near], part.y[near], part.values[near], part.copies[near])
        out._limit()
        return out

    def samples(self) -> FloatArray:
        """Return how many samples of each class the rows stand for; large numbers are rounded."""
        return np.asarray(bincount(self.y, self.copies, self.n_classes), dtype=np.float64)

    @property
    def all_there(self) -> bool:
        """Whether no row was left out."""
        return not self.settled().full.any()

    def write(self, writer: Writer) -> None:
        """Write the rows."""
        self.settled()
        writer.array([self.y.size])
        writer.array(bincount(self.y, minlength=self.n_classes))
        writer.array(self.copies)
        writer.array(self.full.astype(np.int64))
        writer.raw(self.values.astype("<f8").tobytes())

    def read(self, reader: Reader) -> Self:
        """Read rows."""
        k, width, quota = self.n_classes, self.width, self.quota
        n = reader.number(k * quota)
        each = reader.array(k)
        if each.sum() != n or each.max(initial=0) > quota:
            raise damaged("more rows than it may")
        self.y = repeat(np.arange(k), each)
        self.copies = reader.array(n)
        self.full = reader.array(k) > 0
        values = np.frombuffer(reader.raw(8 * n * width), dtype="<f8")
        if np.isnan(values).any():
            raise damaged("scores of NaN")
        self.values = values.astype(np.float64).reshape(n, width)
        self.hash = hash_of(self.y, self.values)
        same, rising = np.diff(self.y) == 0, self.hash[1:] > self.hash[:-1]
        if (same & ~rising).any() or (self.copies < 1).any() or (each[self.full] != quota).any():
            raise damaged("rows that are not those of least hash")
        self._limit()
        return self


def hash_of(y: IntArray, values: FloatArray) -> Hashes:
    """Return a hash of each row and its class; 0 and -0 are the same number."""
    total = np.empty(len(values), dtype=np.uint64)
    step = max(_HASHED_AT_ONCE // max(values.shape[1], 1), 1)
    with np.errstate(over="ignore"):
        odd = _ODD * (2 * np.arange(values.shape[1], dtype=np.uint64) + np.uint64(1))
        for start in range(0, len(values), step):
            rows = slice(start, start + step)
            bits = np.ascontiguousarray(values[rows] + 0.0).view(np.uint64)
            total[rows] = (mixed(bits) * odd).sum(axis=1, dtype=np.uint64)
        return mixed(total + _ODD * (y.astype(np.uint64) + np.uint64(1)))


def mixed(x: Hashes) -> Hashes:
    """Return numbers whose every bit depends on all bits (splitmix64)."""
    x = x ^ (x >> np.uint64(30))
    x *= _MIX[0]
    x ^= x >> np.uint64(27)
    x *= _MIX[1]
    x ^= x >> np.uint64(31)
    return x
