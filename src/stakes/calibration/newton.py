"""The convex fit behind the affine family: damped Newton with exact gradient and Hessian."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, Self

import numpy as np

from stakes._kernels.affine import affine_binary_pass, affine_pass
from stakes._kernels.kernel_records import Slopes
from stakes._math import log_softmax
from stakes._typing import BoolArray, FloatArray, IntArray
from stakes.calibration.blas import one_thread

_STEPS = 200
_FEWEST = 2000  # samples, and 10 for each class, that are enough to give others a start
_THINNED = 5  # times as many samples from one start to the next
_WORK = 50_000  # per block: small enough for the cache, and for BLAS to stay in one thread
_GRADIENT = 1e-10  # per sample, below the 1e-8 that is promised
_NEAR = 1e-5  # expected gain per sample from which a full step leads to the optimum
_FEW_STEPS = 10
_BOUND = 1e-9  # the same for a gradient that is not seen, but known to be less
_SURE = 0.1  # reach of a step up to which its bound is asked: separable classes go farther
_FLAT = 1e-14  # expected gain at which the loss cannot be told from its rounding
_LOOSE = 1e-8  # least over largest curvature at which a parameter counts as not held by the data
MOST_CLASSES = 150  # up to which a Hessian is worth its time in the kernel
_CERTAIN = 1e-6  # largest loss of any sample at which the classes count as separable


@dataclass(frozen=True, eq=False)
class Problem:
    """Log posteriors (finite where they count), labels, and weights that sum to 1."""

    log_p: FloatArray
    possible: BoolArray | None  # where a class has a posterior above 0; None if it has everywhere
    y: IntArray
    weights: FloatArray
    held_scale: float = 0.0
    size: float = math.inf  # largest distance of a finite log posterior from 0, where it is known
    unit: float = 1.0  # what log posteriors were divided by

    @cached_property
    def log_odds(self) -> FloatArray:
        """Log odds of the second of two classes."""
        return self.log_p[:, 1] - self.log_p[:, 0]

    def scores(self, theta: FloatArray, part: slice = slice(None)) -> FloatArray:
        """Return the logits of K scales and K biases."""
        k = self.log_p.shape[1]
        logits = self.log_p[part] * (self.held_scale + theta[:k]) + theta[k:]
        return logits if self.possible is None else np.where(self.possible[part], logits, -np.inf)

    def thinned(self, size: int) -> "Problem":
        """Return the problem of about this many samples, spread evenly over all."""
        step = -(-self.y.size // size)
        possible = None if self.possible is None else self.possible[::step]
        w = self.weights[::step]
        return Problem(
            self.log_p[::step],
            possible,
            self.y[::step],
            w / w.sum(),
            self.held_scale,
            self.size,
            self.unit,
        )

    def blocks(self) -> Iterator[slice]:
        """Yield some hundred or thousand samples at a time."""
        size = min(8192, max(256, _WORK // self.log_p.shape[1] ** 2))
        for start in range(0, self.y.size, size):
            yield slice(start, start + size)


class Objective(Protocol):
    """A loss to be minimised."""

    @property
    def units(self) -> FloatArray:
        """How many of the user's units each parameter counts in, at least 1."""

    def slopes(self, x: FloatArray, *, hessian: bool = True) -> Slopes:
        """Return loss, gradient and Hessian, or without it its diagonal."""

    def reach(self, direction: FloatArray) -> float:
        """Return how far at most a step moves the log odds of any two classes of any sample."""

    def thinner(self) -> Iterator[tuple[int, Self]]:
        """Yield the losses of some of the samples and how many, few samples first."""


@dataclass(frozen=True, eq=False)
class Along:
    """A problem as a function of x, where theta = basis @ x."""

    problem: Problem
    basis: FloatArray

    @property
    def units(self) -> FloatArray:
        """How many of the user's units each parameter counts in, at least 1."""
        return units_of(self.basis, self.problem.unit)

    def slopes(self, x: FloatArray, *, hessian: bool = True) -> Slopes:  # noqa: ARG002
        """Return loss, gradient and Hessian."""
        return _slopes(self.problem, self.basis, x)

    def reach(self, direction: FloatArray) -> float:
        """Return how far at most a step moves the log odds of any two classes of any sample."""
        k = self.problem.log_p.shape[1]
        moved = self.basis @ direction
        return 2 * self.problem.size * float(np.abs(moved[:k]).max()) + float(np.ptp(moved[k:]))

    def thinner(self) -> Iterator[tuple[int, "Along"]]:
        """Yield the losses of some of the samples and how many, few samples first."""
        for size in thin_sizes(self.problem.y.size, self.problem.log_p.shape[1]):
            yield size, Along(self.problem.thinned(size), self.basis)


def units_of(basis: FloatArray, unit: float) -> FloatArray:
    """Return the unit of each parameter that moves a scale, 1 for biases."""
    scales = np.any(basis[: len(basis) // 2], axis=0)
    return np.where(scales, max(unit, 1.0), 1.0)


def thin_sizes(n: int, k: int) -> list[int]:
    """Return how many samples are enough for a start, a better one, and so on."""
    sizes = []
    while (n := n // _THINNED) >= max(_FEWEST, 10 * k):
        sizes.append(n)
    return sizes[::-1]


@dataclass(frozen=True, eq=False)
class Solution:
    """The parameters of least loss, and how the fit ended."""

    x: FloatArray
    theta: FloatArray
    loss: float
    gradient: float
    steps: int
    separable: bool


@dataclass(frozen=True, eq=False)
class Descent:
    """Where Newton steps have led: slopes at the last point seen, the gradient left at `x`."""

    x: FloatArray
    here: Slopes
    gradient: float
    steps: int

    @property
    def separable(self) -> bool:
        """Whether the data do not hold a parameter, or all samples are certain and right."""
        second = self.here.hessian
        with one_thread(len(second)):
            curvature = np.linalg.eigvalsh(second) if second.ndim > 1 else np.sort(second)
        loose = bool(curvature[0] < _LOOSE * max(curvature[-1], _LOOSE))
        return loose or self.here.worst < _CERTAIN


def minimise(problem: Problem, basis: FloatArray, start: FloatArray) -> Solution:
    """Minimise the weighted cross-entropy over theta = basis @ x.

    K scales and K biases are the full parameters; the columns of the basis say which of them may
    move, and together with which. The problem is convex, so that any start will do.
    """
    found = solve(Along(problem, basis), start)
    return Solution(
        found.x, basis @ found.x, found.here.loss, found.gradient, found.steps, found.separable
    )


def solve(objective: Objective, start: FloatArray) -> Descent:
    """Descend from the better of `start` and 0, or for many samples from the fit to some of them.

    Some of the samples may be separable where all are not: then `start` may be the better one.
    """
    starts = [start, np.zeros_like(start)]
    for size, some in objective.thinner():
        found = descend(some, *_better(some, starts), enough=0.05 * start.size / size)
        starts = [start, found.x] if found.separable else [found.x]
    return descend(objective, *_better(objective, starts))


def _better(objective: Objective, starts: list[FloatArray]) -> tuple[FloatArray, Slopes]:
    """Return the start of least loss, and the slopes there."""
    return min(((x, objective.slopes(x)) for x in starts), key=lambda pair: pair[1].loss)


def descend(objective: Objective, x: FloatArray, here: Slopes, enough: float = 0.0) -> Descent:
    """Take Newton steps until the gradient is as good as 0, or the gain still to come `enough`.

    The last step is taken without a look back where it is sure what it leaves; where that is
    little, the look back does without the Hessian.
    """
    steps, away, units = 0, 0.0, objective.units  # away: how far from where the Hessian is from
    while (size := float(np.abs(here.gradient).max(initial=0.0))) >= _GRADIENT and steps < _STEPS:
        steps += 1
        direction = _direction(here.hessian, here.gradient)
        reach, gain = objective.reach(direction), -float(here.gradient @ direction)
        left = _left(reach, away, here, direction, units)
        if left < _BOUND or gain * min(1.0, reach * reach) < enough:
            return Descent(x + direction, here, min(size, left), steps)
        simple = left < math.inf and math.expm1(reach + away) * left < 10 * _BOUND
        moved = search(objective, x, direction, here, hessian=not simple)
        if moved is None:
            break
        away = away + reach if simple else 0.0
        x, here = moved
    return Descent(x, here, size, steps)


def stepped(objective: Objective, x: FloatArray, here: Slopes) -> FloatArray:
    """Return the end of a Newton step, if it is a short one; else the point itself."""
    direction = _direction(here.hessian, here.gradient)
    return x + direction if objective.reach(direction) < _SURE else x


def _left(
    reach: float, away: float, here: Slopes, direction: FloatArray, units: FloatArray
) -> float:
    """Return a bound of the gradient after a step, by a Hessian from a point that is `away`.

    Third derivatives are third moments of posteriors: along the step d and a parameter j at most
    reach * sqrt(d'Hd * H_jj), and up to exp(reach) times that on the way. Hessians change by a
    factor of at most exp(away).
    """
    if not reach + away < _SURE:
        return math.inf
    bent = here.hessian @ direction
    along = math.sqrt(max(0.0, float(direction @ bent)))
    widest = float((np.sqrt(np.maximum(np.diagonal(here.hessian), 0.0)) * units).max())
    missed = float(np.abs((here.gradient + bent) * units).max())  # flat directions are not taken
    turned = math.expm1(away) + 0.5 * math.exp(reach + away) * reach
    return turned * along * widest + missed


def refine(problem: Problem, basis: FloatArray, x: FloatArray) -> FloatArray:
    """Return parameters that were near the least loss, moved there by a Newton step or two.

    A step that promises little is taken without a look back: what it misses is the square of it.
    """
    here = _slopes(problem, basis, x)
    for _ in range(_FEW_STEPS):
        direction = _direction(here.hessian, here.gradient)
        if -float(here.gradient @ direction) < _NEAR:
            return x + direction
        moved = search(Along(problem, basis), x, direction, here)
        if moved is None:
            break
        x, here = moved
    return x


def sample_slopes(
    problem: Problem, basis: FloatArray, x: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return the slope of each sample's own loss, unweighted, and the curvature of the whole."""
    theta = basis @ x
    k = problem.log_p.shape[1]
    slopes = np.empty((problem.y.size, x.size))
    for part in problem.blocks():
        excess = np.exp(log_softmax(problem.scores(theta, part)))
        y = problem.y[part]
        excess[np.arange(y.size), y] -= 1
        slopes[part] = (excess * problem.log_p[part]) @ basis[:k] + excess @ basis[k:]
    return slopes, _slopes(problem, basis, x).hessian


def _slopes(problem: Problem, basis: FloatArray, x: FloatArray) -> Slopes:
    """Return loss, gradient and Hessian along the basis, in one pass over the data."""
    k = problem.log_p.shape[1]
    shared = bool((basis[:k] == basis[0]).all())
    if not shared or problem.possible is not None or k > MOST_CLASSES:
        return _full_slopes(problem, basis, basis @ x)
    theta = basis @ x
    scale = problem.held_scale + float(theta[0])
    if k == 2:
        found = affine_binary_pass(
            problem.log_odds, problem.y, problem.weights, scale, float(theta[3] - theta[2])
        )
        moved = np.vstack([basis[0], basis[3] - basis[2]])
    else:
        found = affine_pass(problem.log_p, problem.y, problem.weights, scale, theta[k:])
        moved = np.vstack([basis[0], basis[k:]])
    gradient, hessian = along(moved, chosen(moved), found.gradient, found.hessian)
    return Slopes(found.loss, gradient, hessian, found.worst)


def chosen(basis: FloatArray) -> IntArray | None:
    """Return the row that each column of a basis chooses; None where they do more than that."""
    if (basis.sum(axis=0) == 1).all() and ((basis == 0) | (basis == 1)).all():
        return np.asarray(basis.argmax(axis=0), dtype=np.int64)
    return None


def along(
    basis: FloatArray, kept: IntArray | None, gradient: FloatArray, hessian: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """Return derivatives along the columns of a basis; where these just choose, no product is."""
    if kept is not None:
        return gradient[kept], hessian[np.ix_(kept, kept)] if hessian.ndim > 1 else hessian[kept]
    second = basis.T @ hessian @ basis if hessian.ndim > 1 else np.square(basis).T @ hessian
    return basis.T @ gradient, second


def _full_slopes(problem: Problem, basis: FloatArray, theta: FloatArray) -> Slopes:
    """Return the same where each class has a scale of its own, or posteriors of 0 are there."""
    k = problem.log_p.shape[1]
    losses, worst = [], 0.0
    gradient, hessian = np.zeros(2 * k), np.zeros((2 * k, 2 * k))
    for part in problem.blocks():
        log_q = log_softmax(problem.scores(theta, part))
        y, w, lp = problem.y[part], problem.weights[part], problem.log_p[part]
        true = -log_q[np.arange(y.size), y]
        losses.append(float(w @ np.where(w > 0, true, 0.0)))  # weight 0 may meet posterior 0
        worst = max(worst, float(true.max()))
        q = np.exp(log_q)
        both = np.hstack([q * lp, q])
        weighted = both * w[:, None]
        excess = weighted[:, k:].copy()
        excess[np.arange(y.size), y] -= w
        gradient[:k] += (excess * lp).sum(axis=0)
        gradient[k:] += excess.sum(axis=0)
        hessian -= both.T @ weighted
        hessian[np.arange(k), np.arange(k)] += (weighted[:, :k] * lp).sum(axis=0)
        shared = weighted[:, :k].sum(axis=0)
        hessian[np.arange(k), k + np.arange(k)] += shared
        hessian[k + np.arange(k), np.arange(k)] += shared
        hessian[k + np.arange(k), k + np.arange(k)] += weighted[:, k:].sum(axis=0)
    return Slopes(math.fsum(losses), basis.T @ gradient, basis.T @ hessian @ basis, worst)


def _direction(hessian: FloatArray, slope: FloatArray) -> FloatArray:
    """Return the Newton step, a little damped where the curvature is nearly flat."""
    damping = 1e-12 * max(float(np.trace(hessian)), 1e-300)
    with one_thread(slope.size):
        curvature, axes = np.linalg.eigh(hessian)
    curvature += damping
    held = np.abs(curvature) > np.finfo(np.float64).eps * slope.size * np.abs(curvature).max()
    along = np.divide(axes.T @ slope, curvature, out=np.zeros(slope.size), where=held)
    return np.asarray(-(axes @ along), dtype=np.float64)


def search(
    objective: Objective,
    x: FloatArray,
    direction: FloatArray,
    here: Slopes,
    *,
    hessian: bool = True,
) -> tuple[FloatArray, Slopes] | None:
    """Take the step, or half of it and so on, until the loss has fallen as it should.

    Without `hessian` the one that is known is kept.
    """
    expected = float(here.gradient @ direction)
    size = 1.0
    for _ in range(60):
        trial = x + size * direction
        there = objective.slopes(trial, hessian=hessian)
        if there.hessian.ndim < here.hessian.ndim:
            there = replace(there, hessian=here.hessian)
        if there.loss <= here.loss + 1e-4 * size * expected:
            return trial, there
        if abs(expected) < _FLAT:  # rounding alone decides now: the step is as good as taken
            return (trial, there) if there.loss <= here.loss + _FLAT else None
        size /= 2
    return None
