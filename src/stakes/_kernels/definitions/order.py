"""What the order of scores tells of two classes: levels, pairs, pool-adjacent-violators."""

from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._kernels.kernel_records import Blocks, Levels, Pairs, Precisions
from stakes._math import limbs
from stakes._typing import Counts, IntArray, NDArray

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


def score_spread(scores: NDArray[Any], y: NDArray[Any]) -> tuple[Pairs, tuple[float, float]]:
    """Return pairs, and for each class how far samples differ in those below them."""
    first, second = (np.sort(scores[y == k]) for k in (0, 1))
    below, upto = places(first, second)
    pairs = Pairs(int(below.sum()) + int(upto.sum()), first.size, second.size)
    lower = ((a + b) / 2 for a, b in (places(second, first), (below, upto)))
    gaps = (x - mean for x, mean in zip(lower, mean_places(pairs), strict=True))
    low, high = (float(np.square(gap).sum()) for gap in gaps)
    return pairs, (low, high)


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
