"""Sums within groups, the same bits in any order of the samples."""

import numpy as np

from stakes._counting import bincount
from stakes._kernels.kernel_arrays import contiguous
from stakes._kernels.library import KERNELS, OTHER_PATH, kernel
from stakes._math import joined, limbs, sum_by as definition
from stakes._typing import FloatArray, IntArray

_FEW = 256  # samples or groups, up to which a call costs more than the sum, or banks fit the cache
_BANKS = 4
_SLICE = 2**22  # rows at a time, so that the table of places stays small
_FIND_PEAKS, _ADD_LIMBS = 1, 2  # steps of the kernel

_sum_by, _sum_by_key = kernel("sum_by", "aaiiiiaaa"), kernel("sum_by_key", "aaiiiaaaa")


def sum_by(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Sum finite values within each group; the same bits in any order of the samples.

    Its definition is that of `stakes._math`.
    """
    if KERNELS is None or values.size <= _FEW:
        return definition(group, values, n_groups)
    sums = BlockSums(n_groups)
    if sums.run(_FIND_PEAKS | _ADD_LIMBS, group, values) == OTHER_PATH:
        return definition(group, values, n_groups)
    return sums.total()


def _columns(group: IntArray, values: FloatArray) -> tuple[IntArray, FloatArray]:
    """Return two columns as the kernels read them, without a copy where they are so."""
    code = contiguous(group, np.int64)
    x = contiguous(values, np.float64)
    if code.shape != x.shape or x.ndim != 1:
        msg = f"group and values must be columns of one length: got {code.shape} and {x.shape}."
        raise ValueError(msg)
    return code, x


class BlockSums:
    """Sums within groups of values that come in blocks: `look` at all of them, then `add` them.

    The same bits for any order and any blocks, and no memory but that of a block: what is cut off
    lies 78 bits below the largest value of a group, which the first round finds.
    """

    def __init__(self, n_groups: int) -> None:
        self._n = n_groups
        self._banks = _BANKS if n_groups <= _FEW else 1
        self._peak = np.zeros((self._banks, n_groups))
        self._scale = np.empty(n_groups)
        self._limbs = np.zeros((self._banks, n_groups, 3))

    def run(self, steps: int, group: IntArray, values: FloatArray) -> int:
        """Run some steps of the kernel, which may leave limbs to the definition."""
        code, x = _columns(group, values)
        sums = self._peak, self._scale, self._limbs
        return _sum_by(code, x, x.size, self._n, self._banks, steps, *sums)

    def look(self, group: IntArray, values: FloatArray) -> None:
        """Note the largest values of a block."""
        if KERNELS is None:
            np.maximum.at(self._peak[0], group, np.abs(values))
        else:
            self.run(_FIND_PEAKS, group, values)

    def add(self, group: IntArray, values: FloatArray) -> None:
        """Add a block that was looked at."""
        if KERNELS is None or self.run(_ADD_LIMBS, group, values) == OTHER_PATH:
            parts = limbs(np.ldexp(values, -self._exponent()[group]))
            self._limbs[0] += np.stack([bincount(group, x, self._n) for x in parts], axis=1)

    def total(self) -> FloatArray:
        """Return the sum of each group."""
        return np.ldexp(joined(list(self._limbs.sum(axis=0).T)), self._exponent())

    def _exponent(self) -> IntArray:
        """Return the scale of each group as a power of two."""
        return np.asarray(np.frexp(self._peak.max(axis=0))[1])


def sum_by_key(keys: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return each key once, in their order, and the sums of its rows; `numbers` are k x rows."""
    if not keys.size:
        return keys, numbers
    if KERNELS is None:
        return _sorted(keys, numbers)
    slices = (slice(start, start + _SLICE) for start in range(0, keys.size, _SLICE))
    found, sums = zip(*(_hashed(keys[part], numbers[:, part]) for part in slices), strict=True)
    return _sorted(np.concatenate(found), np.concatenate(sums).T)


def _sorted(keys: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return sums by key after sorting all rows: the definition of the kernel."""
    order = np.argsort(keys)
    ranked = keys[order]
    starts = np.flatnonzero(np.append(True, ranked[1:] != ranked[:-1]))
    return ranked[starts], np.add.reduceat(numbers[:, order], starts, axis=1)


def _hashed(keys: IntArray, numbers: IntArray) -> tuple[IntArray, IntArray]:
    """Return keys in the order in which they were first seen, and their sums, keys x k."""
    n, width = keys.size, len(numbers)
    bits = int(2 * n - 1).bit_length()
    places = np.full(1 << bits, -1, dtype=np.int32)
    found, sums = np.empty(n, dtype=np.int64), np.empty((n, width), dtype=np.int64)
    count = np.zeros(1, dtype=np.int64)
    rows = contiguous(keys, np.int64), contiguous(numbers, np.int64)
    _sum_by_key(*rows, n, width, bits, places, found, sums, count)
    return found[: count[0]], sums[: count[0]]
