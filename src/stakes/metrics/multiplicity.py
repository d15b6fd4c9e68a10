"""Several statements at once: p-values adjusted for how many there are."""

from collections.abc import Sequence


def holm_adjusted(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method, in their order.

    Where those below 0.05 are acted upon, any false action has a probability of at most 5 %,
    whatever the dependence of the tests.

    Examples
    --------
    >>> [round(p, 3) for p in holm_adjusted([0.03, 0.01, 0.5])]
    [0.06, 0.03, 0.5]
    """
    n, least = len(p_values), 0.0
    adjusted = [1.0] * n
    for rank, i in enumerate(sorted(range(n), key=lambda i: p_values[i])):
        least = max(least, min(1.0, (n - rank) * p_values[i]))
        adjusted[i] = least
    return adjusted
