"""Losses after calibration as numbers of the law, with the calibrator fitted inside it.

A calibrator with a smooth fit is fitted again to every reweighting of the rows; beyond 2^13 numbers
of derivatives each row has one influence, that at the fit. Isotonic and histogram maps are means of
blocks, which are best for every proper rule at once, so a row's influence is its own loss; other
maps are taken to be. The middle between the loss in sample and that of rows left out is what a map
fitted to unlimited data would have.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes._counting import bincount
from stakes._math import log_softmax
from stakes._typing import BoolArray, FloatArray, IntArray, NDArray
from stakes.calibration.calibrators import Calibrator
from stakes.calibration.class_scales import ClassScales
from stakes.calibration.floor import Floor
from stakes.calibration.maps import CalibrationMap
from stakes.calibration.softmax_fit import SoftmaxFit
from stakes.inference.cells import effective_number
from stakes.inference.law import Problem
from stakes.inference.refitted import (
    AFTER,
    NAIVE,
    PARAMETER,
    RAW,
    Number,
    Refitted,
    Reported,
    Shares,
    left_out,
    problem_of,
    solved,
)
from stakes.samples import Samples

MOST_DERIVATIVES = 2**9  # of all rows, up to which a fit is made again within the law of a loss
MOST_OF_PARAMETER = 2**13  # the same for a parameter, which is farther from linear
_MOST_PARAMETERS = 32  # whose effects on a loss that is not fitted are found one by one
_FLATTEST = 1e12  # condition of a curvature, above which the data leave a direction open
_BLOCK = 2**20
_EVEN = math.log(2)  # the loss of an answer that is right as often as wrong
_NEAR = 1e-4  # of a parameter, to either side of it, for the slope of a smooth loss

Losses = Callable[[FloatArray], FloatArray]  # log posteriors of all rows to their losses


@dataclass(frozen=True, eq=False)
class Prices:
    """The least and the largest cost of each row, and its naive cost."""

    low: FloatArray
    high: FloatArray
    naive: FloatArray


@dataclass(frozen=True, eq=False)
class Refit:
    """A calibrator fitted to all samples, ready to be fitted to any weights of them.

    Rows stand in an order of their own: those seen, then those that may occur, which are of each
    class the lowest and the highest score seen, and the mean score of the other classes.
    """

    samples: Samples  # with the scores as given
    order: IntArray  # a sample that each row stands for; of a row that may occur, one like it
    place: IntArray  # the row of each sample
    copies: FloatArray  # how many samples a row seen stands for
    log_p: FloatArray
    y: IntArray
    map: CalibrationMap
    problem: tuple[ClassScales, FloatArray] | None  # whose least is the map, where it is smooth
    kept: bool = False  # the map stays as it is: it was fitted to other samples
    alone: bool = False  # a parameter is asked for, no loss

    @classmethod
    def from_samples(
        cls,
        samples: Samples,
        calibrator: Calibrator,
        found: CalibrationMap,
        floor: Floor,
        keys: Sequence[FloatArray] = (),
        *,
        kept: bool = False,
    ) -> Refit:
        """Return the fit to samples, whose scores and priors are those it was fitted at.

        Samples that are alike share a row, unless some of the `keys` differ.
        """
        log_p = floor.samples(samples).scores.answers(samples.priors).log_p
        given = samples.scores.answers(samples.priors).log_p
        groups = () if samples.groups is None else (samples.groups,)
        columns = (*groups, samples.y, samples.scaled_weights(), *log_p.T, *given.T, *keys)
        order, first = _alike(columns)
        place = np.empty(order.size, dtype=np.int64)
        place[order] = np.cumsum(first) - 1
        starts = np.flatnonzero(first)
        number = np.ones(order.size) if samples.copies is None else samples.copies[order]
        copies = np.add.reduceat(number, starts).astype(np.float64)
        order = order[starts]
        log_p, y = log_p[order], samples.y[order]
        mass = samples.balanced_weights()[order] * copies
        rare, like, of = _rare_rows(log_p, y, mass, samples.priors)
        every, labels = np.concatenate([log_p, rare]), np.concatenate([y, of])
        order = np.append(order, order[like])
        problem = None
        if not kept and np.isfinite(every).all():
            share = np.append(mass, np.zeros(of.size))
            problem = calibrator.smooth(found, every, labels, share, samples.n)
        out = cls(samples, order, place, copies, every, labels, found, problem, kept)
        smooth = problem is not None and not (out.separable or _loose(out.curvature))
        return out if smooth else replace(out, problem=None)

    @property
    def separable(self) -> bool:
        """Whether the map is right about each row, so that a larger scale would be better."""
        seen = np.flatnonzero(self.share > 0)
        right = self.log_q[seen, self.y[seen]]
        scaled = self.problem is None or self.problem[0].held_scale == 0
        return scaled and bool((right > -_EVEN).all())

    @property
    def n(self) -> int:
        """How many rows were seen."""
        return self.copies.size

    @property
    def method(self) -> str:
        """How intervals are found."""
        if self.kept:
            return "likelihood, the calibrator taken as fixed"
        if self.problem is None:
            return "likelihood, with half of the optimism of fitting"
        return "likelihood, the calibrator refitted"

    @cached_property
    def share(self) -> FloatArray:
        """The share of one sample of each row seen."""
        return self.samples.balanced_weights()[self.order[: self.n]]

    @cached_property
    def whole(self) -> FloatArray:
        """The share of all samples of each row; 0 of those unseen."""
        return np.append(self.share * self.copies, np.zeros(self.y.size - self.n))

    @cached_property
    def log_q(self) -> FloatArray:
        """Log posteriors of the map fitted to all samples."""
        return self.map(self.log_p)

    @cached_property
    def model(self) -> SoftmaxFit | None:
        """The fit with its derivatives by row, where there are few enough of them."""
        if self.problem is None:
            return None
        problem, start = self.problem
        most = MOST_OF_PARAMETER if self.alone else MOST_DERIVATIVES
        if self.y.size * (self.log_p.shape[1] - 1) * start.size > most:
            return None
        fit = SoftmaxFit.from_problem(problem, start, np.ones(self.y.size))
        return replace(fit, start=fit.fitted(self.whole[None])[0])

    @cached_property
    def curvature(self) -> FloatArray:
        """The second derivatives of the fitted loss."""
        if self.model is not None:
            return self.model.curvature(self.whole, self.model.start)
        assert self.problem is not None  # noqa: S101  the fit is smooth
        problem, at = self.problem
        return problem.slopes(at, hessian=True).hessian

    @cached_property
    def scores(self) -> FloatArray:
        """The slopes of the fitted loss of each row, less the mean of its class at given priors."""
        if self.model is not None:
            found = self.model.scores(self.model.start)
        else:
            assert self.problem is not None  # noqa: S101  the fit is smooth
            found = row_scores(*self.problem)
        priors = self.samples.given_priors
        if priors is None:
            return found
        classes = np.equal.outer(self.y, np.arange(priors.size)).astype(np.float64)
        sums = (classes * self.whole[:, None]).T @ found
        return np.asarray(found - classes @ (sums / np.where(priors > 0, priors, 1.0)[:, None]))

    @cached_property
    def _without(self) -> tuple[FloatArray, FloatArray] | None:
        """How far the fit without each sample, or group, lies away; its part of the curvature."""
        model = self.model
        if model is None:
            return None
        own = model.curvatures(model.start, self.n)
        slopes, each = self.share[:, None] * self.scores[: self.n], self.share
        if self.samples.groups is None:
            return left_out(self.curvature, slopes, each[:, None, None] * own)
        code, whole = self._group, each * self.copies
        number = int(code.max()) + 1
        parts = (whole[:, None, None] * own).reshape(self.n, -1)
        sums = np.stack([bincount(code, of, number) for of in parts.T], axis=1).astype(float)
        pulls = slopes * self.copies[:, None]
        both = np.stack([bincount(code, of, number) for of in pulls.T], axis=1).astype(float)
        moved, part = left_out(self.curvature, both, sums.reshape(number, *own.shape[1:]))
        return moved[code], part

    @cached_property
    def largest_part(self) -> float:
        """The largest part of the curvature that one sample has; 0 where it is not known."""
        if self.model is None:
            return 0.0
        own = self.share[:, None, None] * self.model.curvatures(self.model.start, self.n)
        part = np.einsum("pq,rqp->r", np.linalg.pinv(self.curvature), own)
        return float(part.max()) / (self.log_p.shape[1] - 1)

    @cached_property
    def _group(self) -> IntArray:
        groups = self.samples.groups
        assert groups is not None  # noqa: S101  samples come in groups
        return np.unique(groups[self.order[: self.n]], return_inverse=True)[1].astype(np.int64)

    @cached_property
    def _groups(self) -> tuple[float, float] | None:
        """The number of groups, and how many of equal size would be as precise for some class."""
        if self.samples.groups is None:
            return None
        number, mass = int(self._group.max()) + 1, self.share * self.copies
        seen = self.y[: self.n]
        sizes = [
            bincount(self._group[seen == k], mass[seen == k], number).astype(np.float64)
            for k in np.flatnonzero(bincount(seen, mass))
        ]
        return float(number), min(effective_number(np.sort(of[of > 0])) for of in sizes)

    # -- a loss

    def loss(
        self,
        raw: FloatArray,
        naive: FloatArray,
        losses: Losses,
        *,
        own: bool = False,
        prices: Prices | None = None,
        folds: float = math.nan,
    ) -> RefittedLoss:
        """Return a loss before and after calibration as numbers of the law.

        `raw` and `naive` are losses of samples, `losses` those of log posteriors of all rows. `own`
        where the loss is the one that is fitted, `prices` where it is the cost of decisions.
        `folds` is the loss on samples of other folds, which shows how optimistic the loss in sample
        is where the fit is not smooth.
        """
        n, first = self.n, losses(self.log_q)
        seen = self.order[:n]
        raw_rows = np.concatenate([raw[seen], losses(self.log_p)[n:]])
        naive_rows = naive[self.order]
        rates = None if own else self._rates(losses, decisions=prices is not None)
        middle, through = 0.0, np.zeros(self.y.size)
        if self.problem is None and not self.kept and math.isfinite(folds):
            middle = max(folds - float(self.whole @ first), 0.0) / 2
        if rates is not None and self.problem is not None:
            pull = self.whole @ rates
            through = self.scores @ solved(self.curvature, pull[:, None])[:, 0]
            middle = self._half_optimism(losses, first, rates)
        elif self.problem is not None and own:
            middle = self._half_optimism(losses, first, self.scores)
        influence = first - through
        columns = np.stack([raw_rows, naive_rows, influence, np.zeros(self.y.size)], axis=1)
        numbers: list[Number] = [_normalized, _gain, _relative]
        reported, model = None, self.model
        if model is not None:
            reported = self._reported(losses, first, rates, own=own, fixed=prices is not None)
        statistic = (columns, numbers, reported, middle)
        problem = self._problem(*statistic, prices)
        back = influence[:n][self.place] + middle
        best = own and self.problem is not None
        return RefittedLoss(problem, back, self.largest_part, self.method, best=best)

    def _half_optimism(self, losses: Losses, first: FloatArray, rates: FloatArray) -> float:
        """Return half of what the loss of samples, each left out of the fit, exceeds theirs."""
        n = self.n
        if self._without is None:
            along = solved(self.curvature, self.scores[:n].T).T
            square = np.square(self.share) * self.copies
            return float(square @ (rates[:n] * along).sum(axis=1)) / 2
        assert self.model is not None  # noqa: S101  it has derivatives by row
        moved, _ = self._without
        x = self.model.start + np.concatenate([moved, np.zeros((self.y.size - n, moved.shape[1]))])
        later = losses(self.model.log_q(x))
        return float(self.whole[:n] @ (later - first)[:n]) / 2

    def _rates(self, losses: Losses, *, decisions: bool) -> FloatArray | None:
        """Return the slopes of a reported loss of each row (rows x p); None without a smooth fit.

        Costs of decisions have steps: their slopes are taken over what the fit itself is uncertain
        by, along each parameter.
        """
        if self.problem is None or self._at.size > _MOST_PARAMETERS:
            return None
        steps = np.diag(self._spread if decisions else _NEAR * self._spread)
        out = np.zeros((self.y.size, len(steps)))
        for j, step in enumerate(steps):
            if step[j] > 0:
                up, down = (losses(self._log_q_at(self._at + x)) for x in (step, -step))
                out[:, j] = (up - down) / (2 * step[j])
        return out

    @property
    def _at(self) -> FloatArray:
        """The parameters of the fit to all samples."""
        if self.model is not None:
            return self.model.start
        assert self.problem is not None  # noqa: S101  the fit is smooth
        return self.problem[1]

    @cached_property
    def _spread(self) -> FloatArray:
        """What each parameter is uncertain by."""
        moved = self.scores[: self.n] @ np.linalg.pinv(self.curvature)
        return np.sqrt((np.square(self.share) * self.copies) @ np.square(moved))

    def _log_q_at(self, x: FloatArray) -> FloatArray:
        if self.model is not None:
            return self.model.log_q(x)
        assert self.problem is not None  # noqa: S101  the fit is smooth
        problem, _ = self.problem
        return problem._log_posteriors(problem.table(x), slice(None))

    def _reported(
        self,
        losses: Losses,
        first: FloatArray,
        rates: FloatArray | None,
        *,
        own: bool,
        fixed: bool,
    ) -> Reported | None:
        """Return the loss as a function of parameters; slopes of decisions are those at the fit."""
        model = self.model
        assert model is not None  # noqa: S101  it has derivatives by row
        start, penalty = model.start, model.penalty
        if own:
            return Reported(model.losses, lambda _, x: -penalty * x * np.ones(x.size))
        if rates is None:
            return None
        bend = np.zeros((start.size, start.size)) if fixed else self._bend(losses, first, rates)
        return Reported(
            lambda x: losses(model.log_q(x)),
            lambda share, x: share @ rates + bend @ (x - start),
        )

    def _bend(self, losses: Losses, first: FloatArray, rates: FloatArray) -> FloatArray:
        """Return the second derivatives of the mean reported loss, by differences."""
        model = self.model
        assert model is not None  # noqa: S101  it has derivatives by row
        size = self._spread
        p, mean, slope = size.size, float(self.whole @ first), self.whole @ rates
        out = np.zeros((p, p))

        def at(step: FloatArray) -> float:
            return float(self.whole @ losses(model.log_q(model.start + step)))

        if p > 6 or not (size > 0).all():
            return out
        unit = np.diag(size)
        single = [at(e) - mean - float(slope @ e) for e in unit]
        for i in range(p):
            out[i, i] = 2 * single[i] / size[i] ** 2
            for j in range(i):
                both = at(unit[i] + unit[j]) - mean - float(slope @ (unit[i] + unit[j]))
                out[i, j] = out[j, i] = (both - single[i] - single[j]) / (size[i] * size[j])
        return out

    # -- the slope of the calibration

    def parameter(self, place: int, unit: float) -> Problem:
        """Return a parameter of the fit as a number of the law, over a unit."""
        assert self.problem is not None  # noqa: S101  the fit is smooth
        columns = np.zeros((self.y.size, 4))
        if self.model is None:
            inverse = np.linalg.pinv(self.curvature)[:, place]
            columns[:, PARAMETER] = self.problem[1][place] - self.scores @ inverse
        numbers: list[Number] = [lambda t: t[..., PARAMETER] / unit]
        return self._problem(columns, numbers, None, 0.0, None, place)

    # -- the law

    def _problem(
        self,
        columns: FloatArray,
        numbers: list[Number],
        reported: Reported | None,
        middle: float,
        prices: Prices | None,
        place: int = 0,
    ) -> Problem:
        """Return the problem of numbers about all rows."""
        model, y, samples, n = self.model, self.y, self.samples, self.n
        if prices is not None:  # errors that may occur whatever the map decides
            rows, of = self._errors(prices)
            columns, y = np.concatenate([columns, rows]), np.concatenate([y, of])
            if model is not None:
                model, reported = _with_rows(model, reported, rows[:, AFTER], of)
        w = samples.scaled_weights()[self.order[:n]]
        whole = w * self.copies
        heavy = float(whole @ w) / float(whole.sum())
        mass, rare = np.append(w, np.full(y.size - n, heavy)), y.size - n
        counts, source = self.copies, np.arange(y.size)
        unit, kind = source, np.zeros(rare, dtype=np.int64)
        stratum = y if samples.given_priors is not None else np.zeros_like(y)
        n_seen = n
        if samples.groups is not None:
            n_seen = int(self._group.max()) + 1
            source = np.concatenate([self._group, n_seen + np.arange(rare)])
            unit = np.concatenate([np.arange(n_seen + rare), np.arange(n_seen)])
            kind = np.concatenate([kind, np.ones(n_seen, dtype=np.int64)])
            stratum, counts = np.zeros_like(unit), np.ones(n_seen)
            mass[:n] *= self.copies
        shares = Shares(y, mass, source, unit, samples.given_priors)
        statistic = Refitted(shares, columns, numbers, model, reported, middle, place)
        return problem_of(statistic, n_seen, counts, stratum, kind, self._groups)

    def _errors(self, prices: Prices) -> tuple[FloatArray, IntArray]:
        """Return four rows of each class: right or wrong, before and after calibration.

        Where costs differ from case to case the cost is that of rows of all classes, each counted
        by its cost; the naive cost is as much of it as in the class.
        """
        seen = self.order[: self.n]
        low, high, naive = (each[seen] for each in (prices.low, prices.high, prices.naive))
        weight, y = self.share * self.copies, self.y[: self.n]
        often = weight * np.abs(high)
        common = float(often @ high) / max(float(often.sum()), 1e-300)
        rows, of = [], []
        for k in np.flatnonzero(bincount(y, weight)):
            mine = y == k
            varied = bool((high[mine] != high[mine][0]).any())
            highest, lowest = (common if varied else float(high[mine][0])), float(low[mine].min())
            spent = float(weight[mine] @ high[mine])
            base = highest * float(weight[mine] @ naive[mine]) / spent if spent > 0 else 0.0
            rows += [[a, base, b, 0.0] for a in (lowest, highest) for b in (lowest, highest)]
            of += [k] * 4
        return np.array(rows), np.array(of, dtype=np.int64)


@dataclass(frozen=True, eq=False)
class RefittedLoss:
    """Three numbers of the law: a loss after calibration, what it recovers, and its share.

    The first two are in units of the naive loss, the last in those of the loss before calibration.
    `influence` is what each sample adds to the loss after calibration, itself and through the fit;
    its mean is the loss. `largest_part` is the largest part of the curvature of one sample.
    """

    problem: Problem
    influence: FloatArray
    largest_part: float
    method: str
    best: bool = False  # no map of the population loses: it is the least of what is fitted


def _normalized(t: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(t[..., AFTER] / t[..., NAIVE])


def _gain(t: NDArray[Any]) -> NDArray[Any]:
    return np.asarray((t[..., RAW] - t[..., AFTER]) / t[..., NAIVE])


def _relative(t: NDArray[Any]) -> NDArray[Any]:
    return np.asarray((t[..., RAW] - t[..., AFTER]) / t[..., RAW])


def _with_rows(
    model: SoftmaxFit, reported: Reported | None, after: FloatArray, of: IntArray
) -> tuple[SoftmaxFit, Reported | None]:
    """Return a model and its loss with rows of given losses that have no part in the fit."""
    zeros = (np.zeros((of.size, *part.shape[1:])) for part in (model.fixed, model.design))
    fixed, design = (
        np.concatenate(pair) for pair in zip((model.fixed, model.design), zeros, strict=True)
    )
    takes = np.append(model.takes_part, np.zeros(of.size))
    more = replace(model, fixed=fixed, design=design, y=np.append(model.y, of), takes_part=takes)
    if reported is None:
        return more, None
    n, losses, drift = len(model.y), reported.losses, reported.drift
    return more, Reported(
        lambda x: np.append(losses(x), after), lambda share, x: drift(share[:n], x)
    )


def _alike(columns: Sequence[NDArray[Any]]) -> tuple[IntArray, BoolArray]:
    """Return the order of rows, and which rows in this order are unlike the one before."""
    order = np.lexsort(columns[::-1])
    first = np.zeros(order.size, dtype=np.bool_)
    first[0] = True
    for column in columns:
        first[1:] |= column[order[1:]] != column[order[:-1]]
    return order, first


def _loose(curvature: FloatArray) -> bool:
    """Return whether the data leave some direction of the parameters open."""
    scale = np.sqrt(np.maximum(np.diagonal(curvature), 0))
    return not scale.all() or bool(np.linalg.cond(curvature / np.outer(scale, scale)) > _FLATTEST)


def row_scores(problem: ClassScales, x: FloatArray) -> FloatArray:
    """Return the slopes of each row's loss in the parameters of a table (rows x p)."""
    row, column = problem._places
    n, table = problem.y.size, problem.table(x)
    owner = np.arange(row.size) if problem.owner is None else problem.owner
    moves = np.equal.outer(owner, np.arange(x.size)).astype(np.float64)
    out = np.empty((n, x.size))
    size = max(1, _BLOCK // row.size)
    for i in range(0, n, size):
        part = slice(i, i + size)
        excess = np.exp(problem._log_posteriors(table, part))
        excess[np.arange(len(excess)), problem.y[part]] -= 1
        features = np.column_stack([problem.log_p[part], np.ones(len(excess))])
        out[part] = (excess[:, row] * features[:, column]) @ moves
    return out


def _rare_rows(
    log_p: FloatArray, y: IntArray, mass: FloatArray, priors: FloatArray
) -> tuple[FloatArray, IntArray, IntArray]:
    """Return log posteriors of rows that may occur, a row of the class like each, its class."""
    rows, like, of = [], [], []
    for k in np.flatnonzero((bincount(y, minlength=priors.size) > 0) & (priors > 0)):
        mine = np.flatnonzero(y == k)
        others = (y != k) & (mass > 0) & np.isfinite(log_p).all(axis=1)
        ends = [mine[log_p[mine, k].argmin()], mine[log_p[mine, k].argmax()]]
        rows += [log_p[i] for i in ends]
        if others.any():
            rows.append(log_softmax((mass[others] / mass[others].sum() @ log_p[others])[None])[0])
            ends.append(ends[-1])
        like += ends
        of += [k] * len(ends)
    return np.array(rows), np.array(like, dtype=np.int64), np.array(of, dtype=np.int64)
