"""Two systems on the same rows as a problem of the law: rows seen, rows that may occur, a test.

Half a row is unseen. Half of that are rows on which the two systems differ, with their losses
exchanged, shared out by size: the systems may as well have changed places. The other half is where
it would do most harm, a row of some class that only one system gets wrong.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._kernels.definitions.reweighting import indicators, numbered
from stakes._math import sum_by
from stakes._quantiles import outside
from stakes._typing import BoolArray, FloatArray, IntArray, NDArray
from stakes.inference.cells import HALF, OWN, Cells, Unseen
from stakes.inference.law import Problem
from stakes.inference.merging import MOST_ROWS, merged_alike
from stakes.inference.tilting import radius_at
from stakes.inference.totals import Totals

_MOST_ROUNDS, _MOST_STEPS, _MOST_HALVINGS = 40, 300, 40
_REACHED = 1e-9  # of the way from the value to the null
_SETTLED, _STALLED = 1e-20, 1e-9  # of the likelihood that a step of Newton's may gain
_NEAREST = 0.95  # of the way to a weight without bound


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of a difference: its parts, already multiplied by the weight of the row.

    `parts` (rows x 2 or 3) are the gap of the losses; the weight, where the value divides by it;
    and what the difference is in units of, if anything. `y` is the class of each row.
    """

    parts: FloatArray
    y: IntArray
    counts: FloatArray

    def part(self, used: BoolArray) -> Rows:
        """Return the rows that are used."""
        return self if used.all() else Rows(self.parts[used], self.y[used], self.counts[used])

    def merged(self, value: float) -> Rows:
        """Return fewer rows with the same sums, where there are many: those that are alike as one.

        They have to agree to 5 bits in how far they pull the value, which alone makes its
        interval, and to 2 bits in the rest. The same rows in any order give the same bits.
        """
        if len(self.y) <= MOST_ROWS:
            return self
        pull = self.parts[:, 0] - value * self.parts[:, -1]
        y, parts, counts = merged_alike(self.y, self.parts, self.counts, [pull], 1)
        return Rows(parts, y, counts)

    def by_group(self, unit: IntArray, n_classes: int) -> FloatArray:
        """Return the sums of each group, by class, in the order of `Plan.columns`."""
        groups, code = np.unique(unit, return_inverse=True)
        number = groups.size * n_classes
        key = code.ravel() * n_classes + self.y
        sums = [
            sum_by(key, self.counts * column, number).reshape(groups.size, n_classes)
            for column in self.parts.T
        ]
        return np.concatenate(sums, axis=1)


@dataclass(frozen=True, eq=False)
class Plan:
    """How sums of parts become the value: with `priors` each class is a mean of its own."""

    priors: FloatArray | None
    scaled: bool  # whether there is a part that the difference is in units of

    @property
    def weighs(self) -> bool:
        """Whether weights are a part: all but a ratio of two sums divides by them."""
        return self.priors is not None or not self.scaled

    @property
    def n_classes(self) -> int:
        """How many classes have columns of their own."""
        return 1 if self.priors is None else self.priors.size

    def columns(self, rows: Rows) -> FloatArray:
        """Return what is added up of each row: parts, each in the column of its class."""
        k = self.n_classes
        if self.priors is None:
            return rows.parts
        out = np.zeros((len(rows.y), rows.parts.shape[1] * k))
        each = np.arange(len(rows.y))
        for part, column in enumerate(rows.parts.T):
            out[each, part * k + rows.y] = column
        return out

    def value(self, totals: NDArray[Any]) -> NDArray[Any]:
        """Return the difference from totals."""
        k = self.n_classes
        if self.priors is None:
            return np.asarray(totals[..., 0] / totals[..., -1])
        above = self._mean(totals[..., :k], totals[..., k : 2 * k])
        if not self.scaled:
            return above
        return np.asarray(above / self._mean(totals[..., 2 * k :], totals[..., k : 2 * k]))

    def _mean(self, sums: NDArray[Any], sizes: NDArray[Any]) -> NDArray[Any]:
        assert self.priors is not None  # noqa: S101  classes have columns of their own
        used = self.priors > 0
        return np.asarray((sums[..., used] / sizes[..., used] * self.priors[used]).sum(axis=-1))

    def sizes(self, columns: FloatArray, totals: FloatArray) -> FloatArray:
        """Return by how much each row moves the difference."""
        k = self.n_classes
        if self.priors is None:
            return np.abs(columns[:, 0])
        with np.errstate(divide="ignore", invalid="ignore"):
            scale = np.where(self.priors > 0, self.priors / totals[k : 2 * k], 0.0)
        return np.asarray(np.abs(columns[:, :k] @ scale))

    def exchanged(self, columns: FloatArray, *, turns: bool) -> FloatArray:
        """Return rows with the two systems exchanged; what is divided by may turn with them."""
        k, out = self.n_classes, columns.copy()
        out[:, :k] *= -1
        if turns:  # what is divided by is the loss of the second system
            out[:, -k:] += columns[:, :k]
        return out


class _Halved(Cells):
    """Rows seen and unseen: the worst of the rare ones counts a quarter, exchanged ones another."""

    def augmented(self, harm: FloatArray) -> FloatArray:
        """Return the weights of all rows for each problem, its worst unseen rows among them."""
        weights = super().augmented(harm)
        unseen = weights[:, len(self.counts) :]
        unseen[:, self.unseen.kind != OWN] /= 2
        return weights


def _worst(rare: Unseen, sizes: FloatArray) -> Unseen:
    """Keep, for either system, the one rare row that moves the difference most as a candidate.

    So it does not depend on what the difference is in units of.
    """
    half, kind = len(sizes) // 2, np.full(len(sizes), OWN)
    kind[[int(sizes[:half].argmax()), half + int(sizes[half:].argmax())]] = 0
    return replace(rare, kind=kind)


def problem_of(
    rows: Rows,
    plan: Plan,
    rare: Rows,
    *,
    turns: bool = False,
    unit: IntArray | None = None,
    effective: float = math.nan,
    shift: float = 0.0,
) -> Problem:
    """Return the problem of a difference.

    `rare` are the rows that one system alone may get wrong. The `effective` number of groups
    (`unit`) belongs to their sizes.
    """
    if unit is None:
        columns, counts, groups = plan.columns(rows), rows.counts, None
        stratum = rows.y if plan.priors is not None else np.zeros(len(rows.y), dtype=np.int64)
    else:
        together = rows if plan.priors is not None else replace(rows, y=np.zeros_like(rows.y))
        columns = together.by_group(unit, plan.n_classes)
        counts, stratum = np.ones(len(columns)), np.zeros(len(columns), dtype=np.int64)
        groups = float(len(columns)), effective
    none = Unseen.candidates(np.empty((0, columns.shape[1])))
    cells = Cells.from_rows(columns, none, stratum, counts, groups)
    sums = cells.counts @ cells.columns
    share = cells.counts * plan.sizes(cells.columns, sums)
    some = share > 0
    strata = rare.y if plan.priors is not None and unit is None else 0
    unseen, kind = Unseen.candidates(plan.columns(rare), strata), Cells
    if some.any():
        kind, unseen = _Halved, _worst(unseen, plan.sizes(unseen.columns, sums))
        turned = plan.exchanged(cells.columns[some], turns=turns)
        mass = HALF / 2 * share[some] / share[some].sum()
        unseen += Unseen(turned, cells.stratum[some], np.full(mass.size, OWN), mass)
    cells = kind(cells.columns, cells.counts, cells.stratum, unseen, groups)
    statistic = Totals(cells.all_columns, [plan.value])
    return replace(Problem.single(cells, statistic), shift=shift)


@np.errstate(over="ignore", invalid="ignore")  # of parts that cannot sum to 0
def balanced(
    parts: FloatArray, counts: FloatArray, stratum: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Return the likeliest weights (problems x rows) whose weighted parts sum to 0; their radius.

    The weights are counts / t, t = mu + lambda * part with a mu for each stratum, which keeps its
    sum: the least of a convex function of mu and lambda, by Newton's method with steps that are
    halved until they lower it. The radius is infinite where parts cannot sum to 0.
    """
    stratum = numbered(stratum)
    strata = indicators(stratum)
    size = _by_stratum(counts, strata)
    tops = np.stack([parts[:, of > 0].max(axis=1) for of in strata.T], axis=1)
    bottoms = np.stack([parts[:, of > 0].min(axis=1) for of in strata.T], axis=1)
    within = ((size * tops).sum(axis=1) > 0) & ((size * bottoms).sum(axis=1) < 0)
    scale = np.where(within, np.abs(parts).max(axis=1), 1.0)
    a = np.where(within[:, None], parts / scale[:, None], 0.0)
    t, left, before = np.ones_like(a), np.flatnonzero(within), np.full(len(a), np.inf)
    for _ in range(_MOST_STEPS):
        if not left.size:
            break
        move, gain, slope = _newton(a[left], counts[left], t[left], size[left], (stratum, strata))
        step = np.minimum(1.0, _NEAREST / np.maximum(-(move / t[left]).min(axis=1), 1e-300))
        for _ in range(_MOST_HALVINGS):
            rise = step * slope
            rise -= (counts[left] * np.log1p(step[:, None] * move / t[left])).sum(axis=1)
            poor = rise > -1e-4 * step * gain
            poor &= gain > 1e-12  # below it, differences are rounding
            if not poor.any():
                break
            step[poor] /= 2
        t[left] += step[:, None] * move
        stalled = (gain < _STALLED) & (gain > before[left] / 4)  # rounding is all that is left
        before[left] = gain
        left = left[(gain > _SETTLED) & ~stalled]
    weights = counts / t
    return weights, np.where(within, radius_at(weights, counts), np.inf)


def _newton(
    a: FloatArray,
    counts: FloatArray,
    t: FloatArray,
    size: FloatArray,
    strata: tuple[IntArray, FloatArray],
) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return how t moves in a step, what the step gains, and the slope of the linear part."""
    stratum, of = strata
    w = counts / t
    u = w / t
    ua = u * a
    off, tilt = size - _by_stratum(w, of), -(w * a).sum(axis=1)
    own, cross, all_ = _by_stratum(u, of), _by_stratum(ua, of), (ua * a).sum(axis=1)
    schur = np.maximum(all_ - (cross * cross / own).sum(axis=1), 1e-300)
    by = -(tilt - (cross * off / own).sum(axis=1)) / schur
    mu = -(off + cross * by[:, None]) / own
    gain = -(tilt * by + (off * mu).sum(axis=1))
    return mu[:, stratum] + by[:, None] * a, gain, (size * mu).sum(axis=1)


def _by_stratum(values: FloatArray, of: FloatArray) -> FloatArray:
    """Return sums of each stratum; of a single one without a product, which starts threads."""
    return values.sum(axis=1, keepdims=True) if of.shape[1] == 1 else values @ of


def band_radius(angles: FloatArray, level: float) -> float:
    """Return the radius at which a whole curve stays within its intervals, from angles along it.

    Angles between the influences of neighbours bound how often a normal process leaves [-q, q]
    (Hotelling's tube): tail + sum of min(tail, angle / pi exp(-q^2 / 2)), tail = 2 (1 - Phi(q)).
    """
    low, high = 0.0, 40.0
    for _ in range(60):
        q = (low + high) / 2
        beyond = outside(q, math.inf)
        crossed = np.minimum(beyond, angles / math.pi * math.exp(-q * q / 2)).sum()
        low, high = (q, high) if beyond + crossed > 1 - level else (low, q)
    return high
