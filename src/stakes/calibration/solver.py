"""One descent for all fits: Newton steps, or quasi-Newton ones where a Hessian costs too much.

A problem gives loss, gradient and a Hessian: dense, or its diagonal alone.
"""

import math
from collections import deque
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from functools import cache
from typing import Any, Protocol, Self

import numpy as np

from stakes._kernels.kernel_records import Slopes
from stakes._typing import FloatArray

_STEPS = {True: 200, False: 500}  # at most, with a dense Hessian and without
_GRADIENT = {True: 1e-10, False: 3e-9}  # per sample, below the 1e-8 that is promised
PROMISED = 1e-8  # slope of the loss per sample at which a fit counts as solved
_BOUND = 1e-9  # the same for a gradient that is not seen, but known to be less
_SURE = 0.1  # reach of a step up to which its bound is asked: separable classes go farther
_FARTHEST = 10.0  # reach of a step, or that of all steps before if they went farther
_FLAT = 1e-14  # expected gain at which the loss cannot be told from its rounding
_FEWEST = 2000  # samples, and 10 for each class, that are enough to give others a start
_THINNED = 5  # times as many samples from one start to the next
_LOOSE = 1e-8  # least over largest curvature at which a parameter counts as not held by the data
_CERTAIN = 1e-6  # largest loss of any sample at which the classes count as separable
_MEMORY = 15  # steps that a quasi-Newton direction looks back on
_LEAST = 1e-12  # curvature, over the largest, below which a direction counts as no flatter
_LARGE = 32  # rows from which BLAS libraries start threads, which burn time and win none

Memory = deque[tuple[FloatArray, FloatArray]]  # steps, and by how much the gradient changed


class Objective(Protocol):
    """A loss to be minimised."""

    @property
    def shape(self) -> tuple[int, int]:
        """How many samples and classes there are."""

    @property
    def dense(self) -> bool:
        """Whether a whole Hessian is worth its time."""

    @property
    def units(self) -> FloatArray:
        """How many of the user's units each parameter counts in, at least 1."""

    def slopes(self, x: FloatArray, *, hessian: bool) -> Slopes:
        """Return loss, gradient and Hessian, or without it its diagonal."""

    def reach(self, direction: FloatArray) -> float:
        """Return how far at most a step moves the log odds of any two classes of any sample."""

    def thinned(self, step: int) -> Self:
        """Return the loss of every n-th sample."""


@dataclass(frozen=True, eq=False)
class Descent:
    """Where steps have led: slopes at the last point seen, the gradient left at `x`."""

    x: FloatArray
    here: Slopes
    gradient: float
    steps: int

    @property
    def settled(self) -> bool:
        """Whether the gradient is as small as promised."""
        return self.gradient <= PROMISED

    @property
    def separable(self) -> bool:
        """Whether the data do not hold a parameter, or all samples are certain and right."""
        second = self.here.hessian
        with one_thread(len(second)):
            curvature = np.linalg.eigvalsh(second) if second.ndim > 1 else np.sort(second)
        loose = bool(curvature[0] < _LOOSE * max(curvature[-1], _LOOSE))
        return loose or self.here.worst < _CERTAIN


def solve(objective: Objective, start: FloatArray) -> Descent:
    """Descend from the better of `start` and 0, or for many samples from the fit to some of them.

    Some of the samples may be separable where all are not: then `start` may be the better one.
    """
    starts = [start, np.zeros_like(start)]
    n, k = objective.shape
    sizes: list[int] = []
    while (some := (sizes[-1] if sizes else n) // _THINNED) >= max(_FEWEST, 10 * k):
        sizes.append(some)
    for size in reversed(sizes):
        thin = objective.thinned(n // size)
        found = descend(thin, *_better(thin, starts), enough=0.05 * start.size / size)
        starts = [start, found.x] if found.separable else [found.x]
    return descend(objective, *_better(objective, starts))


def _better(objective: Objective, starts: list[FloatArray]) -> tuple[FloatArray, Slopes]:
    """Return the start of least loss, and the slopes there."""
    pairs = [(x, objective.slopes(x, hessian=objective.dense)) for x in starts]
    return min(pairs, key=lambda pair: pair[1].loss)


def descend(objective: Objective, x: FloatArray, here: Slopes, enough: float = 0.0) -> Descent:
    """Take steps until the gradient is as good as 0, or what a step may miss is `enough`.

    The last step is taken without a look back where it is sure what it leaves; where that is
    little, the look back does without the Hessian.
    """
    dense, units, memory = here.hessian.ndim > 1, objective.units, Memory(maxlen=_MEMORY)
    steps, away = 0, 0.0  # away: how far from where the Hessian is from
    steep = 1.0 if dense else units  # Newton steps are sure enough to ask for it in any units
    while _largest(here.gradient * steep) >= _GRADIENT[dense] and steps < _STEPS[dense]:
        steps += 1
        direction = newton_step(here) if dense else _quasi_newton_step(here, memory)
        reach, most = objective.reach(direction), max(_FARTHEST, objective.reach(x))
        if reach > most:  # a level without events falls step by step, not to 1e-40 at once
            direction, reach = direction * (most / reach), most
        gain = -float(here.gradient @ direction)
        if gain * min(1.0, reach * reach) < enough:
            return Descent(x + direction, here, _largest(here.gradient), steps)
        left = gradient_bound(reach, away, here, direction, units) if dense else math.inf
        if left < _BOUND:
            return Descent(x + direction, here, min(_largest(here.gradient), left), steps)
        simple = left < math.inf and math.expm1(reach + away) * left < 10 * _BOUND
        moved = _search(objective, x, direction, here, hessian=dense and not simple)
        if moved is None:
            break
        away = away + reach if simple else 0.0
        step, bend = moved[0] - x, moved[1].gradient - here.gradient
        if not dense and float(step @ bend) > 0:
            memory.append((step, bend))
        x, here = moved
    return Descent(x, here, _largest(here.gradient), steps)


def _largest(values: FloatArray) -> float:
    return float(np.abs(values).max(initial=0.0))


def gradient_bound(
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
    missed = _largest((here.gradient + bent) * units)  # flat directions are not taken
    turned = math.expm1(away) + 0.5 * math.exp(reach + away) * reach
    return turned * along * widest + missed


def short_step(objective: Objective, x: FloatArray, here: Slopes) -> FloatArray:
    """Return the end of a Newton step, if it is a short one; else the point itself."""
    direction = newton_step(here)
    return x + direction if objective.reach(direction) < _SURE else x


def newton_step(here: Slopes) -> FloatArray:
    """Return the Newton step, a little damped where the curvature is nearly flat."""
    hessian, slope = here.hessian, here.gradient
    damping = 1e-12 * max(float(np.trace(hessian)), 1e-300)
    with one_thread(slope.size):
        curvature, axes = np.linalg.eigh(hessian)
    curvature += damping
    held = np.abs(curvature) > np.finfo(np.float64).eps * slope.size * np.abs(curvature).max()
    along = np.divide(axes.T @ slope, curvature, out=np.zeros(slope.size), where=held)
    return np.asarray(-(axes @ along), dtype=np.float64)


def _quasi_newton_step(here: Slopes, memory: Memory) -> FloatArray:
    """Return the step of limited-memory BFGS, which begins from the diagonal of the Hessian."""
    diagonal = here.hessian
    scale = np.maximum(diagonal, max(_LEAST * float(diagonal.max()), 1e-300))
    left, taken = -here.gradient, []
    for step, bend in reversed(memory):
        share = float(step @ left) / float(step @ bend)
        left -= share * bend
        taken.append(share)
    left /= scale
    if memory:
        step, bend = memory[-1]
        left *= float(step @ bend) / float(bend @ (bend / scale))
    for (step, bend), share in zip(memory, reversed(taken), strict=True):
        left += (share - float(bend @ left) / float(step @ bend)) * step
    return left


def _search(
    objective: Objective, x: FloatArray, direction: FloatArray, here: Slopes, *, hessian: bool
) -> tuple[FloatArray, Slopes] | None:
    """Take the step, or half of it and so on, until the loss has fallen as it should.

    Without `hessian` a dense one that is known is kept.
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


def one_thread(rows: int) -> AbstractContextManager[Any]:
    """Keep BLAS to one thread for a matrix of so many rows.

    That takes threadpoolctl, which whoever has scikit-learn has; without it OPENBLAS_NUM_THREADS=1
    in the environment does the same.
    """
    controller = _controller() if rows >= _LARGE else None
    return nullcontext() if controller is None else controller.limit(limits=1, user_api="blas")


@cache
def _controller() -> Any:  # noqa: ANN401
    """Return what can limit the threads of the libraries that are loaded, or None."""
    try:
        from threadpoolctl import ThreadpoolController  # noqa: PLC0415  not everyone has it
    except ImportError:
        return None
    return ThreadpoolController()
