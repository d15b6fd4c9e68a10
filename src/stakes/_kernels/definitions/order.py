"""Two sorted columns of scores: levels, pairs in order, and pool-adjacent-violators."""

from typing import Any

import numpy as np

from stakes._kernels.kernel_records import Blocks, Levels, Pairs, Precisions
from stakes._math import limbs
from stakes._typing import Counts, IntArray, NDArray

_MOST_IN_LIMBS = 2**37  # samples whose limbs of 26 bits add up within 64 bits


def sorted_merge(first: NDArray[Any], second: NDArray[Any]) -> Levels:
    """Return distinct scores in rising order, and how many samples of either class have each."""
    level, code = np.unique(np.concatenate([first, second]), return_inverse=True)
    low, high = (
        np.bincount(part, minlength=level.size) for part in (code[: first.size], code[first.size :])
    )
    return Levels(level.astype(np.float64), low.astype(np.int64), high.astype(np.int64))


def auc_pairs(first: NDArray[Any], second: NDArray[Any]) -> int:
    """Return twice the pairs in which the second class scores more, plus those of equal score."""
    below, upto = places(first, second)
    return int(below.sum()) + int(upto.sum())


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


def sorted_by_class(scores: NDArray[Any], y: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the scores of either class in rising order."""
    second = y == 1
    parts = scores[~second], scores[second]
    for part in parts:
        part.sort()
    return parts


def score_pairs(scores: NDArray[Any], y: NDArray[Any]) -> Pairs:
    """Return twice the pairs in which the second class scores more, plus those of equal score."""
    first, second = sorted_by_class(scores, y)
    return Pairs(auc_pairs(first, second), first.size, second.size)


def score_spread(scores: NDArray[Any], y: NDArray[Any]) -> tuple[Pairs, tuple[float, float]]:
    """Return pairs, and for each class how far samples differ in those below them."""
    return sorted_spread(*sorted_by_class(scores, y))


def sorted_spread(first: NDArray[Any], second: NDArray[Any]) -> tuple[Pairs, tuple[float, float]]:
    """Return the same from the sorted scores of either class."""
    pairs = Pairs(auc_pairs(first, second), first.size, second.size)
    below = ((a + b) / 2 for a, b in (places(second, first), places(first, second)))
    gaps = (x - mean for x, mean in zip(below, mean_places(pairs), strict=True))
    low, high = (float(np.square(gap).sum()) for gap in gaps)
    return pairs, (low, high)


def mean_places(pairs: Pairs) -> tuple[float, float]:
    """Return how many of the other class score less than a sample of either one on average."""
    lost = 2 * pairs.first * pairs.second - pairs.total
    return lost / (2 * max(pairs.first, 1)), pairs.total / (2 * max(pairs.second, 1))


def score_levels(scores: NDArray[Any], y: NDArray[Any]) -> Levels:
    """Return distinct scores in rising order, and how many samples of either class have each."""
    return sorted_merge(*sorted_by_class(scores, y))


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


def score_blocks(scores: NDArray[Any], y: NDArray[Any]) -> Blocks:
    """Return the blocks of pool-adjacent-violators: their ends and how many of either class."""
    levels = score_levels(scores, y)
    return blocks_at(levels, pav_blocks(levels.first, levels.second))


def blocks_at(levels: Levels, starts: IntArray) -> Blocks:
    """Return the blocks of levels that begin at some of them."""
    stops = np.append(starts[1:], levels.level.size) - 1
    first, second = (np.add.reduceat(part, starts) for part in (levels.first, levels.second))
    limits = float(levels.level[0]), float(levels.level[-1])
    return Blocks(levels.level[starts], levels.level[stops], first, second, limits)
