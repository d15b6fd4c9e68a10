"""Ranking metrics under weights: samples are sorted once, and never again."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from stakes._typing import FloatArray, IntArray

_HALVINGS = 40  # of the odds, in the search for the equal error rate


@dataclass(frozen=True, eq=False)
class Odds:
    """Costs of two classes as a name, prices of errors and priors (None: as in the weights)."""

    name: str
    costs: FloatArray  # 2 x 2
    priors: FloatArray | None


@dataclass(frozen=True, eq=False)
class RankStatistic:
    """AUC, equal error rate, and the least normalised cost of any threshold for some costs."""

    scores: FloatArray
    y: IntArray
    applications: Sequence[Odds]
    prefix: str = ""
    smooth = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the values."""
        return (
            f"{self.prefix}auc",
            f"{self.prefix}eer",
            *(f"{a.name}.minimum_nec" for a in self.applications),
        )

    @cached_property
    def _order(self) -> IntArray:
        """Samples from the lowest score to the highest."""
        return np.argsort(self.scores, kind="stable")

    @cached_property
    def _second(self) -> FloatArray:
        """1 for the class of interest and 0 for the other, in that order."""
        return self.y[self._order].astype(np.float64)

    @cached_property
    def _starts(self) -> IntArray:
        """Where each distinct score begins in that order."""
        ordered = self.scores[self._order]
        return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))

    def of(self, weights: FloatArray) -> FloatArray:
        """Return the values, one row for each row of weights."""
        return np.stack([self._row(row) for row in weights])

    def _row(self, weights: FloatArray) -> FloatArray:
        """Return the values of one row of weights."""
        ordered = weights[self._order]
        up = ordered * self._second
        if self._starts.size < ordered.size:
            ordered, up = (np.add.reduceat(part, self._starts) for part in (ordered, up))
        down = ordered - up
        alarm, miss = np.empty(up.size + 1), np.zeros(up.size + 1)
        alarm[0] = 0
        np.cumsum(down, out=alarm[1:])
        np.cumsum(up, out=miss[1:])
        n1, n2 = float(alarm[-1]), float(miss[-1])
        if n1 == 0 or n2 == 0:
            return np.full(len(self.names), np.nan)
        auc = (float(up @ alarm[1:]) - float(up @ down) / 2) / (n1 * n2)
        alarm *= -1 / n1
        alarm += 1
        miss *= 1 / n2
        least = [_least(a, alarm, miss, n2 / (n1 + n2)) for a in self.applications]
        return np.array([auc, _equal_error(alarm, miss), *least])


def _least(odds: Odds, alarm: FloatArray, miss: FloatArray, share: float) -> float:
    """Return the least normalised cost of any threshold."""
    p = np.array([1 - share, share]) if odds.priors is None else odds.priors
    c = odds.costs
    naive = float((p @ c).min())
    if naive == 0:
        return float("nan")
    rise_1, rise_2 = p[0] * (c[0, 1] - c[0, 0]), p[1] * (c[1, 0] - c[1, 1])
    base = p[0] * c[0, 0] + p[1] * c[1, 1]
    return float(base + (rise_1 * alarm + rise_2 * miss).min()) / naive


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
