"""The judge's own errors, on the rows that people labelled too."""

import math
from dataclasses import dataclass

import numpy as np

from stakes.inference.law import FEWEST_GROUPS
from stakes.metrics.paired import paired_difference
from stakes.responses.judged_rows import JudgedRows
from stakes.responses.judged_totals import JudgedTotals
from stakes.results import Estimate

_NOBODY = Estimate(math.nan, None, "no row has a human label")


@dataclass(frozen=True, eq=False)
class JudgeErrors:
    """How often the judge agrees with people, and the test that it passes as many as they do."""

    sensitivity: Estimate
    specificity: Estimate
    p_value: float


def judge_errors(rows: JudgedRows, level: float) -> JudgeErrors:
    """Return the judge's errors on answered rows."""
    if not rows.n_human:
        return JudgeErrors(_NOBODY, _NOBODY, math.nan)
    mine = rows.part(rows.seen)
    why = "" if _enough(mine) else f"needs {FEWEST_GROUPS} groups: got {mine.human_units}"
    found = JudgedTotals(mine, (0.0, 1.0)).estimates(
        {"sensitivity": lambda m: m.sensitivity, "specificity": lambda m: m.specificity}, level, why
    )
    return JudgeErrors(found["sensitivity"], found["specificity"], _p_value(mine))


def _enough(rows: JudgedRows) -> bool:
    return rows.unit is None or rows.human_units >= FEWEST_GROUPS


def _p_value(rows: JudgedRows) -> float:
    """Return the p-value of equal means of the judge's and the human labels, paired by row."""
    if not _enough(rows):
        return math.nan
    events = np.isin(rows.judge, (0.0, 1.0)).all()
    return paired_difference(
        np.zeros(rows.n, dtype=np.int64),
        rows.judge,
        rows.human,
        n_classes=1,
        weights=rows.weights if rows.chance is None else rows.weights / rows.chance,
        unit=rows.unit,
        largest=np.ones(rows.n) if events else None,
    ).p_value
