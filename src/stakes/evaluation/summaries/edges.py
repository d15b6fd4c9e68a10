"""Where decisions and bins change along a score: further edges of the cells of a summary."""

from collections.abc import Callable

import numpy as np

from stakes._kernels.score_grid import from_ordered_bits, ordered_bits
from stakes._typing import FloatArray, IntArray

Codes = Callable[[FloatArray], IntArray]  # of scores, such as decisions


def changes(codes: Codes, at: FloatArray) -> FloatArray:
    """Return each least score, between the first and the last of `at`, with another code.

    `at` are rising scores so near to each other that codes change once between neighbours, or
    change again beyond the first change only; each change is then found to the last bit.
    """
    low, high = ordered_bits(at[:-1]), ordered_bits(at[1:])
    found = []
    code = codes(at)
    low, high = low[code[1:] != code[:-1]], high[code[1:] != code[:-1]]
    while low.size:
        edge = _first_change(codes, low, high)
        found.append(edge)
        again = codes(from_ordered_bits(edge)) != codes(from_ordered_bits(high))
        low, high = edge[again], high[again]
    return from_ordered_bits(np.unique(np.concatenate([np.empty(0, dtype=np.int64), *found])))


def _first_change(codes: Codes, low: IntArray, high: IntArray) -> IntArray:
    """Return between each low and high score one where the code changes from that of the low."""
    start = codes(from_ordered_bits(low))
    while (high - low > 1).any():
        middle = low + (high - low) // 2
        same = codes(from_ordered_bits(middle)) == start
        low, high = np.where(same, middle, low), np.where(same, high, middle)
    return high
