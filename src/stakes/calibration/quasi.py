"""The affine fit of so many classes that no Hessian is worth its time: a quasi-Newton descent.

Limited-memory BFGS, which begins each direction from the diagonal of the true Hessian.
"""

from collections import deque

import numpy as np

from stakes._typing import FloatArray
from stakes.calibration.newton import Descent, search
from stakes.calibration.pooled import Pooled

_PASSES = 500
_GRADIENT = 3e-9  # per sample in the user's units, below the 1e-8 that is promised
_MEMORY = 15
_LEAST = 1e-12  # curvature, over the largest, below which a direction counts as no flatter

Memory = deque[tuple[FloatArray, FloatArray]]


def solve_by_gradients(objective: Pooled, start: FloatArray) -> Descent | None:
    """Descend to the least loss, first that of some of the samples; None if it does not settle."""
    x = start
    for size, some in objective.thinner():
        found = descend_by_gradients(some, x, enough=0.05 * start.size / size)
        if found is not None and not found.separable:
            x = found.x
    return descend_by_gradients(objective, x)


def descend_by_gradients(objective: Pooled, x: FloatArray, enough: float = 0.0) -> Descent | None:
    """Descend until the gradient is as good as 0, or the gain promised is `enough`."""
    here, memory, units = (
        objective.slopes(x, hessian=False),
        Memory(maxlen=_MEMORY),
        objective.units,
    )
    for steps in range(_PASSES):
        if np.abs(here.gradient * units).max(initial=0.0) < _GRADIENT:
            return Descent(x, here, float(np.abs(here.gradient).max(initial=0.0)), steps)
        direction = -_scaled(here.gradient, here.hessian, memory)
        if -float(here.gradient @ direction) < enough:
            return Descent(x, here, float(np.abs(here.gradient).max(initial=0.0)), steps)
        moved = search(objective, x, direction, here, hessian=False)
        if moved is None:
            return None
        step, bend = moved[0] - x, moved[1].gradient - here.gradient
        if float(step @ bend) > 0:
            memory.append((step, bend))
        x, here = moved
    return None


def _scaled(gradient: FloatArray, diagonal: FloatArray, memory: Memory) -> FloatArray:
    """Return the inverse of the Hessian, as far as the last steps tell, times the gradient."""
    scale = np.maximum(diagonal, max(_LEAST * float(diagonal.max()), 1e-300))
    left, taken = gradient.copy(), []
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
    return np.asarray(left, dtype=np.float64)
