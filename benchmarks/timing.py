"""Times of several calls in turn: A, B, A, B, ... in one process, so that noise hits all alike."""

import gc
import os
import random
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from benchmarks.jobs.base import Thunk

_SHORTEST = 0.01  # seconds of one measurement; shorter calls are repeated within it
_FEWEST = 3  # rounds
SLOW = 8.0  # seconds of a call that is not worth three rounds
SLOW_BESIDE = 2.0  # the same at a size that no figure is wanted for


@dataclass
class Times:
    """Processor and wall times of one side, a call each."""

    inner: int
    cpu: list[float] = field(default_factory=list)
    user: list[float] = field(default_factory=list)  # without what the kernel does, such as pages
    wall: list[float] = field(default_factory=list)

    @property
    def spent(self) -> float:
        """Seconds that went into it."""
        return sum(self.wall) * self.inner

    @property
    def medians(self) -> tuple[float, float, float]:
        """Processor, user and wall time of a call."""
        cpu, user, wall = (statistics.median(part) for part in (self.cpu, self.user, self.wall))
        return cpu, user, wall


def measure(call: Thunk, times: Times) -> None:
    """Add one measurement."""
    gc.collect()
    gc.disable()
    try:
        kernel, wall, cpu = os.times().system, time.perf_counter(), time.process_time()
        for _ in range(times.inner):
            call()
        cpu_spent, wall_spent = time.process_time() - cpu, time.perf_counter() - wall
        system = os.times().system - kernel
    finally:
        gc.enable()
    times.cpu.append(cpu_spent / times.inner)
    times.user.append(max(cpu_spent - system, 0.0) / times.inner)
    times.wall.append(wall_spent / times.inner)


def interleaved(
    calls: Sequence[Thunk], first: Sequence[float], budget: float, most: int, slow: float = SLOW
) -> list[Times]:
    """Time calls in turn, given what one call of each took; a budget of seconds for each.

    A call of more than `slow` seconds is timed once.

    Each round has an order of its own: the state that a call leaves the system's memory in makes
    the next one slower or faster.
    """
    order = random.Random(0)  # noqa: S311
    found = [Times(max(1, round(_SHORTEST / max(t, 1e-7)))) for t in first]
    for turn in range(most):
        for at in order.sample(range(len(calls)), len(calls)):
            fewest = 1 if first[at] > slow else _FEWEST
            if turn < fewest or found[at].spent < budget:
                measure(calls[at], found[at])
    return found
