"""Resampled metrics of decisions on rows that stand for several samples."""

from collections.abc import Sequence

import numpy as np

from stakes._math import times
from stakes._typing import FloatArray, IntArray
from stakes.evaluation.systems import Judgement
from stakes.intervals import Progress, Replicates, Resampling, count_statistic, replicate
from stakes.metrics import DecisionMetric


def resampled_decisions(
    judged: Judgement,
    metrics: Sequence[DecisionMetric],
    unit: IntArray | None,
    resampling: tuple[int, int],
    progress: Progress | None,
) -> Replicates | None:
    """Return resampled metrics where samples have weights or groups; None where there are none.

    Rows of one class, decision, weight and group are drawn as one.
    """
    if not metrics:
        return None
    task, (resamples, seed) = judged.task, resampling
    samples = task.samples
    rows, copies = _alike(judged, unit)
    y, decided = samples.y[rows], judged.decided[rows]
    given = None if samples.priors_from_data else samples.priors
    names = task.costs.classes, task.costs.decisions
    statistic = count_statistic(task.name, y, decided, names, metrics, given)
    weights = None if samples.weights is None else samples.weights[rows] / samples.weights.max()
    if unit is None:
        strata = None if given is None else y
        plan = Resampling(rows.size, seed, strata=strata, weights=weights, copies=copies)
    else:
        plain: FloatArray = np.ones(rows.size) if weights is None else weights
        code = np.unique(unit[rows], return_inverse=True)[1]
        mass = times(plain, copies)
        plan = Resampling(rows.size, seed, unit=code, weights=mass / mass.max())
    return replicate([statistic], plan, resamples, progress)


def _alike(judged: Judgement, unit: IntArray | None) -> tuple[IntArray, IntArray]:
    """Return one of the rows that are alike, in the order of classes, and their samples."""
    samples = judged.task.samples
    further = [key for key in (samples.weights, unit) if key is not None]
    keys = (*further, judged.decided, samples.y)
    order = np.lexsort(keys)
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = False
    for key in keys:
        first[1:] |= np.diff(key[order]) != 0
    starts = np.flatnonzero(first)
    number = np.ones(order.size, dtype=np.int64) if samples.copies is None else samples.copies
    return order[starts], np.add.reduceat(number[order], starts)
