"""What the order of scores tells of two classes: levels, pairs, pool-adjacent-violators."""

from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._kernels.kernel_records import Blocks, Levels, Pairs, Places, Precisions
from stakes._math import limbs
from stakes._typing import Counts, FloatArray, IntArray, NDArray

PLACE_STEPS = 6  # bits of a distance, so that cells are 1/64 of their distance wide at most
PLACE_CELLS = 2 ** (7 + PLACE_STEPS)  # for 64 octaves from 1/4 up, and either sign
_LEAST = (1023 - 2) << PLACE_STEPS
_MOST_IN_LIMBS = 2**37  # samples whose limbs of 26 bits add up within 64 bits


def places(first: NDArray[Any], second: NDArray[Any]) -> tuple[IntArray, IntArray]:
    """Return for each score of the second class how many of the first lie below, and not above."""
    below, upto = (np.searchsorted(first, second, side=side) for side in ("left", "right"))
    return below.astype(np.int64), upto.astype(np.int64)


def pav_blocks(first: Counts, second: Counts) -> IntArray:
    """Return where the blocks of pool-adjacent-violators begin."""
    starts: list[int] = []
    stack: list[tuple[float, float]] = []
    for i, (a, b) in enumerate(zip(first.tolist(), second.tolist(), strict=True)):
        start = i
        while stack and stack[-1][1] * a >= b * stack[-1][0]:
            below = stack.pop()
            a, b, start = a + below[0], b + below[1], starts.pop()  # noqa: PLW2901
        stack.append((a, b))
        starts.append(start)
    return np.array(starts, dtype=np.int64)


def score_places(scores: NDArray[Any], y: NDArray[Any], most: int) -> tuple[Pairs, Levels | Places]:
    """Return pairs, and levels or, of more distinct scores than `most`, places in cells."""
    levels = score_levels(scores, y)
    below = np.cumsum(levels.first) - levels.first
    total = int((levels.second * (2 * below + levels.first)).sum())
    pairs = Pairs(total, int(levels.first.sum()), int(levels.second.sum()))
    if levels.level.size <= most:
        return pairs, levels
    return pairs, level_places(levels.first, levels.second, pairs)


def level_places(first: IntArray, second: IntArray, pairs: Pairs) -> Places:
    """Return in cells how many of the other class are below a sample, ties counted one half."""
    means, parts = mean_places(pairs), list[FloatArray]()
    for mean, (own, other) in zip(means, ((first, second), (second, first)), strict=True):
        samples = own.astype(np.float64)
        gap = (np.cumsum(other) - other) + 0.5 * other - mean
        bits = (np.abs(gap) + 0.25).view(np.uint64) >> np.uint64(52 - PLACE_STEPS)
        cell = bits.astype(np.int64) - _LEAST + (gap < 0) * (PLACE_CELLS // 2)
        parts += [bincount(cell, x, PLACE_CELLS) for x in (samples, samples * gap)]  # type: ignore[misc]
    number, total = (np.concatenate(parts[k::2]) for k in (0, 1))
    return places_of(pairs, number, total, (int(second[0]), int(first[-1])))


def places_of(pairs: Pairs, number: FloatArray, total: FloatArray, ends: tuple[int, int]) -> Places:
    """Return the cells that hold samples."""
    used = np.flatnonzero(number)
    y = used // PLACE_CELLS
    below = np.array(mean_places(pairs))[y] + total[used] / number[used]
    return Places(y, number[used], below, ends)


def mean_places(pairs: Pairs) -> tuple[float, float]:
    """Return how many of the other class score less than a sample of either one on average."""
    lost = 2 * pairs.first * pairs.second - pairs.total
    return lost / (2 * max(pairs.first, 1)), pairs.total / (2 * max(pairs.second, 1))


def score_levels(scores: NDArray[Any], y: NDArray[Any]) -> Levels:
    """Return distinct scores in rising order, and how many samples of either class have each."""
    level, code = np.unique(scores, return_inverse=True)
    low, high = (bincount(code[y == k], minlength=level.size) for k in (0, 1))
    return Levels(level.astype(np.float64) + 0.0, low, high)  # no -0


def score_precision(scores: NDArray[Any], y: NDArray[Any]) -> Precisions:
    """Return the sum of the precision at each sample of the second class."""
    levels = score_levels(scores, y)
    return level_precision(levels.first, levels.second)


def level_precision(first: IntArray, second: IntArray) -> Precisions:
    """Return the same from how many samples of either class have each score, in rising order."""
    n1, n2 = int(first.sum()), int(second.sum())
    used = second > 0
    hits, alarms = (np.cumsum(at[::-1])[::-1][used] for at in (second, first + second))
    copies = second[used] if n2 < _MOST_IN_LIMBS else second[used].astype(object)
    total = 0
    for limb in limbs(hits / alarms, 4):
        total = (total << 26) + int((copies * limb.astype(np.int64)).sum())
    return Precisions(total, n1, n2)


def blocks_at(levels: Levels, starts: IntArray) -> Blocks:
    """Return the blocks of levels that begin at some of them."""
    stops = np.append(starts[1:], levels.level.size) - 1
    first, second = (np.add.reduceat(part, starts) for part in (levels.first, levels.second))
    limits = float(levels.level[0]), float(levels.level[-1])
    return Blocks(levels.level[starts], levels.level[stops], first, second, limits)
