"""What the order of scores tells of two classes, from one column of scores and one of classes."""

from typing import Any, NamedTuple

import numpy as np

from stakes._kernels.definitions import order
from stakes._kernels.kernel_arrays import check_lengths, contiguous, sample_arrays
from stakes._kernels.kernel_records import Blocks, Levels, Pairs, Places, Precisions
from stakes._kernels.library import KERNELS, kernel
from stakes._typing import Counts, FloatArray, IntArray, NDArray

_FEWEST_SORTED = 4096  # below, numpy is quicker on every processor
_EXPONENT = 1 << 52
_LARGEST = (0x3FF8 << 48) - 2  # bits of the largest size that has a key, less the shift
_USUAL = 10 * _EXPONENT  # a shift that leaves bits for sizes from 2**-1011 to 1536

_level_places = kernel("level_places", "aaiaaa")
_keys, _sort = kernel("keys", "cciuaaa"), kernel("sort_doubles", "ai")
_key_pairs, _key_places = kernel("key_pairs", "aia"), kernel("key_places", "aiaaaa")
_key_precision, _key_levels = kernel("key_precision", "aia"), kernel("key_levels", "aiuaaa")
_key_blocks = kernel("key_blocks", "aiuaaaaa")
_pav_whole, _pav_real = kernel("pav_whole", "aaiaaaa"), kernel("pav_real", "aaiaaaa")


class _Keys(NamedTuple):
    key: FloatArray
    shift: int
    first: int
    second: int
    limits: tuple[float, float]


def score_places(scores: NDArray[Any], y: NDArray[Any], most: int) -> tuple[Pairs, Levels | Places]:
    """Return the pairs in which the second class scores more, and how samples lie in them.

    Classes are 0 and 1, scores any numbers but NaN; anything else is a ValueError. Up to so many
    distinct scores, the levels tell how samples lie; beyond them, places in cells.
    """
    found = _sorted_keys(scores, y)
    if found is None:
        return order.score_places(*_checked(scores, y), most)
    key, total = found.key, np.zeros(1, dtype=np.uint64)
    _key_pairs(key, key.size, total)
    pairs = Pairs(int(total[0]), found.first, found.second)
    if key.size > most:
        number, sums = np.zeros((2, 2 * order.PLACE_CELLS))
        ends = np.zeros(3, dtype=np.int64)
        _key_places(key, key.size, np.array(order.mean_places(pairs)), number, sums, ends)
        if ends[2] > most:
            return pairs, order.places_of(pairs, number, sums, (int(ends[0]), int(ends[1])))
    return pairs, _levels(found)


def level_places(first: IntArray, second: IntArray, pairs: Pairs) -> Places:
    """Return in cells how many of the other class are below a sample of levels."""
    if KERNELS is None:
        return order.level_places(first, second, pairs)
    a, b = (contiguous(part, np.int64) for part in (first, second))
    check_lengths(a.size, first=a, second=b)
    number, sums = np.zeros((2, 2 * order.PLACE_CELLS))
    _level_places(a, b, a.size, np.array(order.mean_places(pairs)), number, sums)
    return order.places_of(pairs, number, sums, (int(b[0]), int(a[-1])))


def score_precision(scores: NDArray[Any], y: NDArray[Any]) -> Precisions:
    """Return the sum of the precision at the score of each sample of the second class.

    It is the share of the second class among all samples that score no less.
    """
    found = _sorted_keys(scores, y)
    if found is None:
        return order.score_precision(*_checked(scores, y))
    limbs = np.zeros(4, dtype=np.int64)
    _key_precision(found.key, found.key.size, limbs)
    total = sum(limb << 26 * (3 - place) for place, limb in enumerate(limbs.tolist()))
    return Precisions(total, found.first, found.second)


def score_levels(scores: NDArray[Any], y: NDArray[Any]) -> Levels:
    """Return distinct scores in rising order, and how many samples of either class have each."""
    found = _sorted_keys(scores, y)
    if found is None:
        return order.score_levels(*_checked(scores, y))
    return _levels(found)


def _levels(found: _Keys) -> Levels:
    """Return the levels of sorted keys, in their memory."""
    level = found.key
    low, high = (np.empty(level.size, dtype=np.int64) for _ in range(2))
    size = np.zeros(1, dtype=np.int64)
    _key_levels(level, level.size, found.shift, low, high, size)
    used: list[NDArray[Any]] = [part[: size[0]] for part in (level, low, high)]
    sparse = 2 * size[0] < level.size  # ties left much of the memory empty: let go of it
    return Levels(*(part.copy() if sparse else part for part in used))


def score_blocks(scores: NDArray[Any], y: NDArray[Any]) -> Blocks:
    """Return the blocks of pool-adjacent-violators: their ends and how many of either class.

    From block to block the share of the second class rises strictly; comparisons are exact.
    """
    found = _sorted_keys(scores, y)
    if found is None:
        levels = order.score_levels(*_checked(scores, y))
        return order.blocks_at(levels, pav_blocks(levels.first, levels.second))
    n = found.key.size
    most = int(3 * n ** (2 / 3)) + 16  # more steps than so many samples can make a hull of
    stop, below = (np.empty(most, dtype=np.int64) for _ in range(2))
    low, high = np.empty(most), np.empty(most)
    size = np.zeros(1, dtype=np.int64)
    _key_blocks(found.key, n, found.shift, stop, below, low, high, size)
    m = int(size[0])
    second = np.diff(below[: m + 1])
    return Blocks(
        low[:m].copy(), high[:m].copy(), np.diff(stop[: m + 1]) - second, second, found.limits
    )


def pav_blocks(first: Counts, second: Counts) -> IntArray:
    """Return where the blocks of pool-adjacent-violators begin.

    Within a block the levels are taken as one; from block to block the share of the second class
    rises strictly. Whole numbers are compared exactly.
    """
    whole = first.dtype.kind == "i" and second.dtype.kind == "i"
    kind: type[np.generic] = np.int64 if whole else np.float64
    a, b = (contiguous(part, kind) for part in (first, second))
    if a.shape != b.shape or a.ndim != 1:
        msg = f"first and second must be columns of one length: got {a.shape} and {b.shape}."
        raise ValueError(msg)
    if KERNELS is None:
        return order.pav_blocks(a, b)
    starts = np.empty(a.size, dtype=np.int64)
    x, y = np.empty_like(a), np.empty_like(a)
    size = np.zeros(1, dtype=np.int64)
    (_pav_whole if whole else _pav_real)(a, b, a.size, starts, x, y, size)
    return starts[: size[0]].copy()


def _sorted_keys(scores: NDArray[Any], y: NDArray[Any]) -> _Keys | None:
    """Return keys in rising order; None without kernels, and of scores too far apart for keys.

    Scores that lie far from 1 get a shift of their own.
    """
    if KERNELS is None:
        return None
    values, codes = _columns(scores, y)
    key = np.empty(values.size)
    shift = _USUAL
    limits, size, outside, second = _written(values, codes, shift, key)
    if outside:
        shift = max(int(np.float64(size).view(np.int64)) - _LARGEST, 0)
        outside = _written(values, codes, shift, key)[2]
    if outside:
        return None
    sort_doubles(key)
    return _Keys(key, shift, values.size - second, second, limits)


def sort_doubles(values: FloatArray) -> None:
    """Sort numbers, none of which is NaN, in place; by numpy where that is quicker."""
    if KERNELS is None or not KERNELS.sorts or values.size < _FEWEST_SORTED:
        values.sort()
    else:
        _sort(values, values.size)


def _written(
    values: NDArray[Any], codes: NDArray[Any], shift: int, key: FloatArray
) -> tuple[tuple[float, float], float, int, int]:
    """Return limits, the largest size, how many have no key, and those of the second class."""
    limits, counts = np.empty(3), np.empty(4, dtype=np.uint64)
    _keys(values, codes, values.size, shift, key, limits, counts)
    second, unknown, outside, other = counts.tolist()
    if unknown or other:
        raise _odd(unknown)
    least, largest, size = limits.tolist()
    return (least, largest), size, outside, second


def _checked(scores: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    values, codes = _columns(scores, y)
    unknown = bool(np.isnan(values).any())
    if unknown or (codes.size and (codes.min() < 0 or codes.max() > 1)):
        raise _odd(unknown)
    return values, codes


def _columns(scores: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    values, codes, _ = sample_arrays(scores, y)
    check_lengths(values.size, scores=values, y=codes)
    return values, codes


def _odd(unknown: object) -> ValueError:
    return ValueError("scores must not be NaN." if unknown else "y must hold 0 and 1 alone.")
