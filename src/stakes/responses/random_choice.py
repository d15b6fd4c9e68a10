"""Whether the rows that people labelled can be a random choice of all rows."""

import math

import numpy as np

from stakes._quantiles import outside
from stakes.responses.judged_rows import JudgedRows
from stakes.responses.powered_means import group_effect
from stakes.results import FEWEST_GROUPS
from stakes.statistics.group_effects import effective_groups

CHOICE_LEVEL = 0.01  # of the test, which only warns


def choice_p_value(rows: JudgedRows) -> float:
    """Return the p-value of a random choice; NaN where it cannot be tested or was not random.

    The mean of the judge's values where people looked is compared with that elsewhere: by Fisher's
    exact test for a judge of two values without weights, else by Student's t. In groups, which may
    have been chosen as a whole, Student's t takes their sums, and the larger p-value counts.
    """
    if rows.chance is not None or not 0 < rows.n_human < rows.n or np.ptp(rows.judge) == 0:
        return math.nan
    values = np.unique(rows.judge)
    found = []
    if np.ptp(rows.weights) == 0 and values.size == 2:
        high = rows.judge == values[1]
        hits = int(high[rows.seen].sum())
        found.append(fisher_p_value(hits, rows.n_human, int(high.sum()), rows.n))
    if rows.unit is not None or not found:
        found.append(_student_p_value(rows))
    return math.nan if any(map(math.isnan, found)) else max(found)


def fisher_p_value(hits: int, drawn: int, marked: int, total: int) -> float:
    """Return the two-sided p-value of that many hits among those drawn, after Fisher.

    Examples
    --------
    >>> round(fisher_p_value(hits=8, drawn=10, marked=9, total=17), 4)
    0.0152
    """
    low, high = max(0, drawn - (total - marked)), min(drawn, marked)
    k = np.arange(low, high + 1)
    log = np.array(
        [_log_choose(marked, int(i)) + _log_choose(total - marked, drawn - int(i)) for i in k]
    )
    p = np.exp(log - _log_choose(total, drawn))
    return min(float(p[p <= p[hits - low] * (1 + 1e-7)].sum()), 1.0)


def _log_choose(n: int, k: int) -> float:
    return math.lgamma(n + 1) - math.lgamma(k + 1) - math.lgamma(n - k + 1)


def _student_p_value(rows: JudgedRows) -> float:
    seen, f = rows.seen, rows.judge
    share = np.empty(rows.n)
    share[seen] = rows.human_share
    share[~seen] = -rows.share[~seen] / rows.unseen_share
    gap = float(share @ f)
    spread = f - rows.judge_mean  # the same on both sides, if it was chance
    variance = float(rows.share @ np.square(spread)) * float(np.square(share).sum())
    variance *= group_effect(rows, share * spread)
    degrees = 1 / float(np.square(rows.human_share).sum()) - 1
    if rows.unit is not None:
        if rows.human_units < FEWEST_GROUPS:
            return math.nan
        degrees = effective_groups(rows.unit[seen], rows.human_share) - 1
    if degrees <= 0 or variance <= 0:
        return math.nan
    return outside(abs(gap) / math.sqrt(variance), degrees)
