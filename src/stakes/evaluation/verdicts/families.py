"""Several claims of one kind: all true together as often as the level states, after Holm."""

from collections.abc import Callable, Sequence

import numpy as np

from stakes.results import Interval

IntervalAt = Callable[[float], Interval | None]  # the interval of a number at any level


def holm(claims: Sequence[Callable[[float], bool]], level: float) -> list[bool]:
    """Return which claims may be made; each tells whether it is supported at a level of its own.

    The probability of any false one among them is at most 1 - level.
    """
    waiting = list(range(len(claims)))
    while waiting:
        own = level_among(len(waiting), level)
        supported = [i for i in waiting if claims[i](own)]
        if not supported:
            break
        waiting = [i for i in waiting if i not in supported]
    return [i not in waiting for i in range(len(claims))]


def adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected for how many there are, after Holm."""
    order = np.argsort(p_values)
    out = np.empty(len(p_values))
    largest = 0.0
    for rank, i in enumerate(order):
        largest = max(largest, min(1.0, (len(p_values) - rank) * p_values[i]))
        out[i] = largest
    return [float(p) for p in out]


def level_among(claims: int, level: float) -> float:
    """Return the level at which each of several claims is made, after Bonferroni."""
    return 1 - (1 - level) / claims
