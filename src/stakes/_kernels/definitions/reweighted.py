"""Ranking metrics under weights, at every distinct score: samples are sorted once."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._typing import FloatArray, IntArray

_HALVINGS = 40  # of the odds, in the search for the equal error rate


@dataclass(frozen=True, eq=False)
class Ranking:
    """Scores of two classes (`y` 0 and 1), and prices of their errors.

    `rises` are, for each odds, what a false alarm and what a miss adds; `as_rate` says whether that
    is for the rate within the class, or for the share of all samples.
    """

    scores: FloatArray
    y: IntArray
    rises: FloatArray  # odds x 2
    as_rate: IntArray
    equal_error: bool = True  # whether it is asked for; NaN if not

    @cached_property
    def order(self) -> IntArray:
        """Samples from the lowest score to the highest."""
        return np.argsort(self.scores, kind="stable")

    @cached_property
    def second(self) -> FloatArray:
        """1 for the second class and 0 for the first, in that order."""
        return self.y[self.order].astype(np.float64)

    @cached_property
    def starts(self) -> IntArray:
        """Where each distinct score begins in that order."""
        ordered = self.scores[self.order]
        new = np.ones(ordered.size, dtype=np.bool_)
        np.not_equal(ordered[1:], ordered[:-1], out=new[1:])
        return np.flatnonzero(new)

    @cached_property
    def by_class(self) -> tuple[IntArray, IntArray]:
        """Samples of the first class by rising score, and those of the second."""
        mine = self.y[self.order]
        return self.order[mine == 0], self.order[mine == 1]


def reweighted_ranks(ranking: Ranking, weights: FloatArray) -> FloatArray:
    """Return weight of both classes, AUC, equal error rate and least costs of rows of weights."""
    return np.stack([_row(ranking, row) for row in weights])


def _row(ranking: Ranking, weights: FloatArray) -> FloatArray:
    """Return the values of one row of weights; NaN where a class has none."""
    ordered = weights[ranking.order]
    up = ordered * ranking.second
    if ranking.starts.size < ordered.size:
        ordered, up = (np.add.reduceat(part, ranking.starts) for part in (ordered, up))
    down = ordered - up
    alarm, miss = np.zeros(up.size + 1), np.zeros(up.size + 1)
    np.cumsum(down, out=alarm[1:])
    np.cumsum(up, out=miss[1:])
    n1, n2 = float(alarm[-1]), float(miss[-1])
    if n1 == 0 or n2 == 0:
        return np.array([n1, n2, *[np.nan] * (2 + len(ranking.rises))])
    auc = (float(up @ alarm[1:]) - float(up @ down) / 2) / (n1 * n2)
    alarm *= -1 / n1
    alarm += 1
    miss *= 1 / n2
    share = np.array([n1, n2]) / (n1 + n2)
    rises = np.where(ranking.as_rate[:, None], ranking.rises, ranking.rises * share)
    least = [(a * alarm + b * miss).min() for a, b in rises]
    equal = _equal_error(alarm, miss) if ranking.equal_error else np.nan
    return np.array([n1, n2, auc, equal, *least])


def _equal_error(alarm: FloatArray, miss: FloatArray) -> float:
    """Return where the convex hull has both errors alike: the largest least cost of any odds.

    As alarms get dearer the best threshold only rises, so that each halving of the odds also cuts
    the thresholds to look at.
    """
    low, high = 0.0, 1.0
    first, last = 0, alarm.size - 1
    best = 0.0
    for _ in range(_HALVINGS):
        share = (low + high) / 2
        part = slice(first, last + 1)
        at = first + int((share * alarm[part] + (1 - share) * miss[part]).argmin())
        best = max(best, share * alarm[at] + (1 - share) * miss[at])
        if alarm[at] > miss[at]:
            low, first = share, at
        else:
            high, last = share, at
    return best
