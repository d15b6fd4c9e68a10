"""Several claims of one kind, corrected so that all are true together (Holm, Bonferroni)."""

from collections.abc import Callable, Sequence

from stakes.results import Interval

IntervalAt = Callable[[float], Interval | None]  # the interval of a number at any level


def supported_claims(claims: Sequence[Callable[[float], bool]], level: float) -> list[bool]:
    """Return which claims may be made, after Holm; each tells whether a level supports it.

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


def level_among(claims: int, level: float) -> float:
    """Return the level at which each of several claims is made, after Bonferroni."""
    return 1 - (1 - level) / claims
