"""How many samples were decided wrongly, by kind."""

import numpy as np

from stakes._typing import Counts, IntArray
from stakes.costs import CostMatrix, SampleCosts

_MOST_CLASSES = 1000  # up to which a table of costs is laid out


def count_errors(
    costs: CostMatrix | SampleCosts,
    y: IntArray,
    decided: IntArray,
    number: Counts | None = None,
) -> dict[str, int]:
    """Return how many samples got the answer of another class: misses and false alarms, or errors.

    An answer is a decision that is the cheapest for some class; to abstain is none. `number` says
    how many samples each pair of class and decision stands for.
    """
    right = _right_decisions(costs)
    if right is None or len(set(right.tolist())) < right.size:
        return {}
    wrong = np.isin(decided, right) & (decided != right[y])
    each = wrong.astype(np.float64) if number is None else wrong * number
    if len(costs.classes) > 2:
        return {"errors": round(each.sum())}
    return {"misses": round(each[y == 1].sum()), "false alarms": round(each[y == 0].sum())}


def _right_decisions(costs: CostMatrix | SampleCosts) -> IntArray | None:
    """Return the decision that is right for each class, where that is known."""
    own = np.arange(len(costs.classes))
    if isinstance(costs, SampleCosts):
        return own if len(costs.decisions) >= len(costs.classes) else None
    if len(costs.classes) <= _MOST_CLASSES:
        return costs.values.argmin(axis=1)
    return own if costs.decisions == costs.classes else None
