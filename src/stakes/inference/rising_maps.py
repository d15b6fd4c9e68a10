"""The least log loss of any rising map of scores, refitted to every reweighting of the rows.

The best map on some rows does too well on them: what maps from other folds cost more is added to
the upper end. Half of it is not enough, since the fit gains more on its own rows than it loses on
others: steps follow the rows where a formula with few parameters cannot.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from stakes._counting import bincount
from stakes._kernels.group_sums import sum_by
from stakes._kernels.keys import pav_blocks
from stakes._typing import FloatArray, IntArray
from stakes.inference.cells import HALF, Cells, Unseen
from stakes.inference.law import Problem
from stakes.inference.scored_rows import ScoredRows

_MOST_LEVELS = 2**11  # beyond which neighbours on a step of the map are one


@dataclass(frozen=True, eq=False)
class RisingMap:
    """Rows whose scores are mapped, and the priors at which losses count."""

    rows: ScoredRows
    priors: FloatArray

    def interval(self, level: float) -> tuple[float, float]:
        """Return the interval of the loss, in nats."""
        low, high = self.problem.intervals(level)[0].tolist()
        used = self.priors[self.priors > 0]
        most = float(-(used * np.log(used)).sum())  # a constant map rises too
        return max(low, 0.0), min(high + self.optimism, most)

    @cached_property
    def problem(self) -> Problem:
        """The least loss: a row may come at the ends of its class, or amid the other class."""
        rows = self._few
        own = [np.flatnonzero(of) for of in rows.mass]
        amid = [int(np.searchsorted(of.cumsum(), of.sum() / 2)) for of in rows.mass]
        level = np.array([at for k in (0, 1) for at in (own[k][0], own[k][-1], amid[1 - k])])
        y, weight = np.repeat([0, 1], 3), np.full(6, rows.heavy)
        if rows.unit is None:
            unit, count, each = np.arange(rows.y.size), rows.number.astype(np.float64), rows.weight
            stratum, unseen = rows.y, Unseen.candidates(np.empty((6, 0)), y)
        else:
            unit, count = rows.code, np.ones(int(rows.code.max()) + 1)
            each, stratum = rows.number * rows.weight, np.zeros(count.size, dtype=np.int64)
            unseen = Unseen.candidates(np.empty((6, 0)))
            unseen += Unseen.candidates(np.empty((count.size, 0)), kind=1)
        n = count.size
        parts = [(rows.level, rows.y, each, unit), (level, y, weight, n + np.arange(6))]
        if rows.unit is not None:  # a group may come again
            parts.append((rows.level, rows.y, each, n + 6 + unit))
        cells = Cells(np.empty((n, 0)), count, stratum, unseen, rows.groups)
        at, k, mass, unit = (np.concatenate(of) for of in zip(*parts, strict=True))
        fits = LeastLogLoss(at, k, mass, unit, self.priors)
        return Problem.single(cells, fits)

    @cached_property
    def optimism(self) -> float:
        """How much more the loss of rows is after maps that were fitted to other folds."""
        rows = self.rows.alike()[0]
        share = rows.weight * (self.priors / sum_by(rows.y, rows.number * rows.weight, 2))[rows.y]
        every = np.arange(rows.y.size)
        fits = LeastLogLoss(rows.level, rows.y, rows.weight, every, self.priors)
        seen = fits.values(rows.number[None].astype(np.float64), every[:1])[0]
        beyond = 0.0
        for own in rows.folds():
            rest = (rows.number - own).astype(np.float64)
            known = sum_by(rows.y, rest, 2).all()  # else there is no map but the priors
            losses = fits.losses(rest) if known else -np.log(self.priors[rows.y])
            beyond += float((own * share) @ losses)
        return max(beyond - float(seen), 0.0)

    @cached_property
    def _few(self) -> ScoredRows:
        """The rows in an order of their own, those that are alike as one."""
        return replace(self.rows, level=self._coarse).alike()[0]

    @property
    def _coarse(self) -> IntArray:
        """The level of each row; of many, neighbours on a step of the map are one."""
        rows = self.rows
        if rows.n_levels <= _MOST_LEVELS:
            return rows.level
        starts, every = pav_blocks(*rows.mass), np.arange(rows.n_levels)
        start = starts[np.searchsorted(starts, every, side="right") - 1]
        new = (every - start) % -(-rows.n_levels // _MOST_LEVELS) == 0
        return np.asarray((np.cumsum(new) - 1)[rows.level])


class LeastLogLoss:
    """The least log loss at some priors, as a function of the weights of units of rows."""

    size = 1

    def __init__(
        self, level: IntArray, y: IntArray, mass: FloatArray, unit: IntArray, priors: FloatArray
    ) -> None:
        used, self._level = np.unique(level, return_inverse=True)
        self._y, self._mass, self._unit, self._priors = y, mass, unit, priors
        self._code, self._n_levels = 2 * self._level + y, used.size

    def values(self, weights: FloatArray, which: IntArray) -> FloatArray:  # noqa: ARG002  one metric
        """Return the value (problems) for rows of weights (problems x rows)."""
        return np.array([self._priors @ self._fitted(w)[2] for w in weights])

    def slopes(self, weights: FloatArray, which: IntArray) -> FloatArray:  # noqa: ARG002
        """Return the derivative of the value by each weight (problems x rows)."""
        return np.stack([self._slope(w) for w in weights])

    def losses(self, weights: FloatArray) -> FloatArray:
        """Return the loss of each row after the best map; a row of no weight may count half."""
        return self._fitted(weights)[0]

    def _slope(self, weights: FloatArray) -> FloatArray:
        """Return it at the best map, whose own change is of no effect."""
        losses, size, mean = self._fitted(weights)
        pull = self._mass * ((losses - mean[self._y]) * (self._priors / size)[self._y])
        return np.asarray(bincount(self._unit, pull, weights.size), dtype=np.float64)

    def _fitted(self, weights: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return the loss of each row after the best map, and size and mean of both classes."""
        mass = self._mass * weights[self._unit]
        sums = bincount(self._code, mass, 2 * self._n_levels).reshape(-1, 2)
        size = sums.sum(axis=0)
        share = np.ascontiguousarray((sums * (self._priors / size)).T)
        starts = pav_blocks(*share)
        steps = np.stack([np.add.reduceat(of, starts) for of in share], axis=1)
        place = (np.searchsorted(starts, self._level, side="right") - 1, self._y)
        own = np.where(steps[place] > 0, 0.0, HALF * self._mass * (self._priors / size)[self._y])
        whole, right = steps.sum(axis=1)[place[0]] + own, steps[place] + own
        losses = np.log(whole / np.maximum(right, 1e-300))
        held = mass > 0
        mean = bincount(self._y[held], (mass * losses)[held], 2) / size
        return losses, size, mean
