"""Which decisions some posterior makes optimal: the others are dominated and never taken."""

import numpy as np

from stakes._typing import BoolArray, FloatArray

_MOST_STEPS = 10_000  # of the simplex method, which needs about as many as there are classes
MOST_COMPARED = 2**14  # cells of a table above which only single decisions are compared


def optimal_decisions(values: FloatArray, tie: float) -> BoolArray:
    """Return for each decision whether some posterior gives it the least expected cost.

    Costs that differ by `tie` count as equal, and on a tie the first decision is taken: so a
    decision that costs no less than an earlier one for every class is never taken.
    """
    k, m = values.shape
    least = values.min(axis=1, keepdims=True)
    cheapest = values <= least + tie
    alone = cheapest & (cheapest.sum(axis=1, keepdims=True) == 1)
    found = alone.any(axis=0)  # optimal where that class is certain
    if found.all():
        return found
    centre = values.sum(axis=0)
    best = centre <= centre.min() + tie
    found |= best & (np.cumsum(best) == 1)  # optimal where all classes are equally likely
    for j in np.flatnonzero(~found):
        others = np.delete(np.arange(m), j)
        gaps = values[:, others] - values[:, [j]]
        below = (gaps < -tie).all(axis=0) | ((gaps <= tie).all(axis=0) & (others < j))
        small = k * m <= MOST_COMPARED
        found[j] = not below.any() and (not small or game_value(gaps) >= -tie)
    return found


def game_value(gaps: FloatArray) -> float:
    """Return the largest margin max_p min_k sum_i p_i gaps_ik over all posteriors p.

    It is the value of a matrix game, by the simplex method with Bland's rule. It is below 0 where
    a mixture of the other decisions costs less than this one for every class.
    """
    if not gaps.size:
        return 0.0
    scale = float(np.abs(gaps).max()) or 1.0
    shift = 1.0 - float(gaps.min()) / scale
    k, m = gaps.shape
    table = np.hstack([gaps / scale + shift, np.eye(k), np.ones((k, 1))])
    target = np.concatenate([np.ones(m), np.zeros(k + 1)])
    basis = m + np.arange(k)
    for _ in range(_MOST_STEPS):
        rising = np.flatnonzero(target[:-1] > 1e-12)
        if not rising.size:
            break
        column = int(rising[0])
        up = table[:, column] > 1e-12
        ratios = np.where(up, table[:, -1] / np.where(up, table[:, column], 1.0), np.inf)
        ties = np.flatnonzero(ratios <= ratios.min() + 1e-12)
        row = int(ties[np.argmin(basis[ties])])
        table[row] /= table[row, column]
        for other in range(k):
            if other != row:
                table[other] -= table[other, column] * table[row]
        target = target - target[column] * table[row]
        basis[row] = column
    return (1.0 / -float(target[-1]) - shift) * scale
