"""What the order of scores tells of two classes, from one column of scores and one of classes."""

import ctypes
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._kernels import definitions
from stakes._kernels.arrays import as_codes, as_numbers, check_lengths, column, contiguous, pointer
from stakes._kernels.kernel_records import Blocks, Levels, Pairs, Precisions
from stakes._kernels.library import KERNELS, check
from stakes._typing import Counts, FloatArray, IntArray, NDArray

_WHOLE, _BITS, _AT = ctypes.c_int64, ctypes.c_uint64, ctypes.c_void_p
_FEWEST_SORTED = 4096  # below, numpy is quicker on every processor
_EXPONENT = 1 << 52
_LARGEST = (0x3FF8 << 48) - 2  # bits of the largest size that has a key, less the shift
_USUAL = 10 * _EXPONENT  # a shift that leaves room for sizes from 2**-1011 to 1536

if KERNELS is not None:
    _keys = KERNELS.function("keys", _AT, _AT, _WHOLE, _BITS, _AT, _AT, _AT)
    _sort = KERNELS.function("sort_doubles", _AT, _WHOLE)
    _pav_whole = KERNELS.function("pav_whole", _AT, _AT, _WHOLE, _AT, _AT, _AT, _AT)
    _pav_real = KERNELS.function("pav_real", _AT, _AT, _WHOLE, _AT, _AT, _AT, _AT)
    _key_pairs = KERNELS.function("key_pairs", _AT, _WHOLE, _AT)
    _key_spread = KERNELS.function("key_spread", _AT, _WHOLE, _AT, _AT)
    _key_precision = KERNELS.function("key_precision", _AT, _WHOLE, _AT)
    _key_levels = KERNELS.function("key_levels", _AT, _WHOLE, _BITS, _AT, _AT, _AT)
    _key_blocks = KERNELS.function("key_blocks", _AT, _WHOLE, _BITS, _AT, _AT, _AT, _AT, _AT)


@dataclass(frozen=True, eq=False)
class _Keys:
    """Sorted keys of scores and classes; none where the scores are too far apart for them."""

    key: FloatArray | None
    shift: int
    first: int
    second: int
    limits: tuple[float, float]


def score_pairs(scores: NDArray[Any], y: NDArray[Any]) -> Pairs:
    """Return twice the pairs in which the second class scores more, plus those of equal score.

    Classes are 0 and 1, scores any numbers but NaN; anything else is a ValueError.

    Examples
    --------
    >>> import numpy as np
    >>> score_pairs(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0, 0, 1, 1]))
    Pairs(total=7, first=2, second=2)
    """
    if KERNELS is None:
        return definitions.score_pairs(*_checked(scores, y))
    found = _sorted_keys(scores, y)
    if found.key is None:
        return Pairs(definitions.auc_pairs(*_by_class(scores, y)), found.first, found.second)
    return _pairs(found.key, found)


def score_spread(scores: NDArray[Any], y: NDArray[Any]) -> tuple[Pairs, tuple[float, float]]:
    """Return pairs as `score_pairs` does, and how far samples differ in them.

    For each class: the squared distances from their mean of how many of the other class score
    less than a sample, ties counted one half. DeLong's variance of the area follows.

    Examples
    --------
    >>> import numpy as np
    >>> score_spread(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0, 0, 1, 1]))
    (Pairs(total=7, first=2, second=2), (0.125, 0.125))
    """
    if KERNELS is None:
        return definitions.score_spread(*_checked(scores, y))
    found = _sorted_keys(scores, y)
    if found.key is None:
        return definitions.sorted_spread(*_by_class(scores, y))
    pairs = _pairs(found.key, found)
    mean, spread = np.array(definitions.mean_places(pairs)), np.empty(2)
    check(_key_spread(pointer(found.key), found.key.size, pointer(mean), pointer(spread)))
    return pairs, (float(spread[0]), float(spread[1]))


def _pairs(key: FloatArray, found: _Keys) -> Pairs:
    """Return the pairs of sorted keys."""
    total = ctypes.c_uint64()
    check(_key_pairs(pointer(key), key.size, ctypes.byref(total)))
    return Pairs(total.value, found.first, found.second)


def score_precision(scores: NDArray[Any], y: NDArray[Any]) -> Precisions:
    """Return the sum of the precision at the score of each sample of the second class.

    It is the share of the second class among all samples that score no less.

    Examples
    --------
    >>> import numpy as np
    >>> score_precision(np.array([0.1, 0.5, 0.5, 0.9]), np.array([0, 0, 1, 1])).mean
    0.8333333333333333
    """
    if KERNELS is None:
        return definitions.score_precision(*_checked(scores, y))
    found = _sorted_keys(scores, y)
    if found.key is None:
        levels = definitions.sorted_merge(*_by_class(scores, y))
        return definitions.level_precision(levels.first, levels.second)
    limbs = np.zeros(4, dtype=np.int64)
    check(_key_precision(pointer(found.key), found.key.size, pointer(limbs)))
    total = sum(limb << 26 * (3 - place) for place, limb in enumerate(limbs.tolist()))
    return Precisions(total, found.first, found.second)


def score_levels(scores: NDArray[Any], y: NDArray[Any]) -> Levels:
    """Return distinct scores in rising order, and how many samples of either class have each.

    Examples
    --------
    >>> import numpy as np
    >>> found = score_levels(np.array([0.9, 0.5, 0.1, 0.5]), np.array([1, 1, 0, 0]))
    >>> found.level, found.first, found.second
    (array([0.1, 0.5, 0.9]), array([1, 1, 0]), array([0, 1, 1]))
    """
    if KERNELS is None:
        return definitions.score_levels(*_checked(scores, y))
    found = _sorted_keys(scores, y)
    if found.key is None:
        return definitions.sorted_merge(*_by_class(scores, y))
    level = found.key
    low, high = (np.empty(level.size, dtype=np.int64) for _ in range(2))
    size = ctypes.c_int64()
    outputs = (pointer(low), pointer(high), ctypes.byref(size))
    check(_key_levels(pointer(level), level.size, found.shift, *outputs))
    return Levels(*(_trimmed(part, size.value) for part in (level, low, high)))


def score_blocks(scores: NDArray[Any], y: NDArray[Any]) -> Blocks:
    """Return the blocks of pool-adjacent-violators: their ends and how many of either class.

    From block to block the share of the second class rises strictly; comparisons are exact.

    Examples
    --------
    >>> import numpy as np
    >>> found = score_blocks(np.array([0.1, 0.2, 0.3, 0.4]), np.array([0, 1, 0, 1]))
    >>> found.low, found.high, found.first, found.second
    (array([0.1, 0.2, 0.4]), array([0.1, 0.3, 0.4]), array([1, 1, 0]), array([0, 1, 1]))
    """
    if KERNELS is None:
        return definitions.score_blocks(*_checked(scores, y))
    found = _sorted_keys(scores, y)
    if found.key is None:
        levels = definitions.sorted_merge(*_by_class(scores, y))
        return definitions.blocks_at(levels, pav_blocks(levels.first, levels.second))
    n = found.key.size
    most = int(3 * n ** (2 / 3)) + 16  # more steps than so many samples can make a hull of
    stop, below = (np.empty(most, dtype=np.int64) for _ in range(2))
    low, high = np.empty(most), np.empty(most)
    size = ctypes.c_int64()
    outputs = [pointer(part) for part in (stop, below, low, high)]
    check(_key_blocks(pointer(found.key), n, found.shift, *outputs, ctypes.byref(size)))
    m = size.value
    second = np.diff(below[: m + 1])
    return Blocks(
        low[:m].copy(), high[:m].copy(), np.diff(stop[: m + 1]) - second, second, found.limits
    )


def pav_blocks(first: Counts, second: Counts) -> IntArray:
    """Return where the blocks of pool-adjacent-violators begin.

    Within a block the levels are taken as one; from block to block the share of the second class
    rises strictly. Whole numbers are compared exactly.

    Examples
    --------
    >>> import numpy as np
    >>> pav_blocks(np.array([2, 1, 1, 0]), np.array([1, 0, 1, 3]))
    array([0, 2, 3])
    """
    whole = first.dtype.kind == "i" and second.dtype.kind == "i"
    kind: type[np.generic] = np.int64 if whole else np.float64
    a, b = (contiguous(part, kind) for part in (first, second))
    if a.shape != b.shape or a.ndim != 1:
        msg = f"first and second must be columns of one length: got {a.shape} and {b.shape}."
        raise ValueError(msg)
    if KERNELS is None:
        return definitions.pav_blocks(a, b)
    starts = np.empty(a.size, dtype=np.int64)
    x, y = np.empty_like(a), np.empty_like(a)
    size = ctypes.c_int64()
    run = _pav_whole if whole else _pav_real
    parts = [part.ctypes.data for part in (a, b)]
    scratch = [part.ctypes.data for part in (starts, x, y)]
    check(run(*parts, a.size, *scratch, ctypes.byref(size)))
    return starts[: size.value].copy()


def _sorted_keys(scores: NDArray[Any], y: NDArray[Any]) -> _Keys:
    """Return keys in rising order; scores that lie far apart get a shift of their own."""
    values, codes = as_numbers(scores), as_codes(y)
    check_lengths(values.size, scores=values, y=codes)
    key = np.empty(values.size)
    shift = _USUAL
    limits, size, outside, second = _written(values, codes, shift, key)
    if outside:
        shift = max(int(np.float64(size).view(np.int64)) - _LARGEST, 0)
        outside = _written(values, codes, shift, key)[2]
    first = values.size - second
    if outside:
        return _Keys(None, 0, first, second, limits)
    sort_doubles(key)
    return _Keys(key, shift, first, second, limits)


def sort_doubles(values: FloatArray) -> None:
    """Sort numbers, none of which is NaN, in place; by numpy where that is quicker."""
    if KERNELS is None or not KERNELS.sorts or values.size < _FEWEST_SORTED:
        values.sort()
    else:
        check(_sort(pointer(values), values.size))


def _written(
    values: NDArray[Any], codes: NDArray[Any], shift: int, key: FloatArray
) -> tuple[tuple[float, float], float, int, int]:
    """Return limits, the largest size, how many have no key, and those of the second class."""
    limits, counts = np.empty(3), np.empty(4, dtype=np.uint64)
    columns = [column(part) for part in (values, codes)]
    outputs = [pointer(part) for part in (key, limits, counts)]
    check(_keys(*map(ctypes.byref, columns), values.size, shift, *outputs))
    second, unknown, outside, other = counts.tolist()
    if unknown or other:
        raise _odd(unknown)
    least, largest, size = limits.tolist()
    return (least, largest), size, outside, second


def _checked(scores: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return what the definitions can take."""
    values, codes = as_numbers(scores), as_codes(y)
    check_lengths(values.size, scores=values, y=codes)
    unknown = bool(np.isnan(values).any())
    if unknown or (codes.size and (codes.min() < 0 or codes.max() > 1)):
        raise _odd(unknown)
    return values, codes


def _odd(unknown: object) -> ValueError:
    """Return the error for what is no score or no class."""
    return ValueError("scores must not be NaN." if unknown else "y must hold 0 and 1 alone.")


def _by_class(scores: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores of either class in rising order."""
    return definitions.sorted_by_class(as_numbers(scores), as_codes(y))


def _trimmed(part: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the part in use; let go of the memory where ties left much of it empty."""
    return part[:size].copy() if 2 * size < part.size else part[:size]
