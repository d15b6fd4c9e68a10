"""Resampled metrics of decisions on rows that stand for several samples."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from stakes._math import times
from stakes._typing import FloatArray, IntArray
from stakes.evaluation.systems import ApplicationDecisions
from stakes.intervals import Progress, Replicates, Resampling, count_statistic, replicate
from stakes.metrics import DecisionMetric
from stakes.summary.amounts import split

_BITS = 5  # sizes of weights in an octave are 2^5, so that one is within 2 % of the others


def resampled_decisions(
    decisions: ApplicationDecisions,
    metrics: Sequence[DecisionMetric],
    unit: IntArray | None,
    resampling: tuple[int, int],
    progress: Progress | None,
) -> Replicates | None:
    """Return resampled metrics where samples have weights or groups; None where there are none.

    Rows of one class, decision, group and size of weight are drawn as one.
    """
    if not metrics:
        return None
    use, (resamples, seed) = decisions.use, resampling
    rows, names = _alike(decisions, unit), (use.costs.classes, use.costs.decisions)
    given = None if use.samples.priors_from_data else use.samples.priors
    statistic = count_statistic(use.name, rows.y, rows.decided, names, metrics, given)
    n, weights, copies = rows.y.size, rows.weights, rows.copies
    if rows.unit is None:
        strata = None if given is None else rows.y
        plan = Resampling(n, seed, strata=strata, weights=weights, copies=copies)
    else:
        mass = times(np.ones(n) if weights is None else weights, copies)
        plan = Resampling(n, seed, unit=rows.unit, weights=mass / mass.max())
    return replicate([statistic], plan, resamples, progress)


class _Rows(NamedTuple):
    """Rows of one class and decision, in the order of classes: how many samples, of what weight."""

    y: IntArray
    decided: IntArray
    unit: IntArray | None
    copies: IntArray
    weights: FloatArray | None


def _alike(decisions: ApplicationDecisions, unit: IntArray | None) -> _Rows:
    """Return rows that differ in class, decision, group or size of weight."""
    samples = decisions.use.samples
    number = np.ones(len(samples), dtype=np.int64) if samples.copies is None else samples.copies
    size = None if samples.weights is None else split(samples.weights, _BITS)[0]
    keys = tuple(key for key in (size, unit, decisions.indices, samples.y) if key is not None)
    order = np.lexsort(keys)
    first = np.ones(order.size, dtype=np.bool_)
    first[1:] = np.any([np.diff(key[order]) != 0 for key in keys], axis=0)
    starts = np.flatnonzero(first)
    copies, rows = np.add.reduceat(number[order], starts), order[starts]
    weights = None
    if samples.weights is not None:
        weights = np.add.reduceat((samples.weights * number)[order], starts) / copies
        weights = weights / weights.max()
    own = None if unit is None else np.unique(unit[rows], return_inverse=True)[1]
    return _Rows(samples.y[rows], decisions.indices[rows], own, copies, weights)
