"""Several statements at once: p-values adjusted for how many there are."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values adjusted by Holm's step-down method, in their order; NaN stays NaN.

    Where those below 0.05 are acted upon, any false action has a probability of at most 5 %,
    whatever the dependence of the tests.

    Examples
    --------
    >>> [round(p, 3) for p in holm([0.03, 0.01, 0.5])]
    [0.06, 0.03, 0.5]
    """
    p = np.asarray(p_values, dtype=np.float64)
    known = np.flatnonzero(~np.isnan(p))
    order = known[np.argsort(p[known], kind="stable")]
    factors = np.arange(order.size, 0, -1)
    out = p.copy()
    out[order] = np.minimum(np.maximum.accumulate(p[order] * factors), 1.0)
    return [float(x) for x in out]


def level_among(claims: int, level: float) -> float:
    """Return the level at which each of several claims is made, after Bonferroni."""
    return 1 - (1 - level) / claims
