"""A job: one thing to compute, by us and by peers, with a check that all computed the same."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from benchmarks.inputs import Maker, Shape

Thunk = Callable[[], Any]
Values = dict[str, float]


@dataclass(frozen=True)
class Side:
    """One way of doing a job.

    `prepare` turns the input into what this side reads, outside the time, and returns the call
    that is timed. `read` turns what the call returned into named numbers, also outside the time.
    """

    name: str
    prepare: Callable[[Any], Thunk]
    read: Callable[[Any, Any], Values]
    peer: str = ""  # in PEERS; empty for ours
    wanted: Mapping[Shape, float] = field(default_factory=dict)  # times our CPU time, at least
    tolerance: float = 1e-9
    tolerances: Mapping[str, float] = field(default_factory=dict)
    scaled_from: int = 0  # of how many resamples the time was taken, where the job wants more
    scaled_to: int = 0
    shapes: tuple[Shape, ...] | None = None  # where it can be run; None for all

    @property
    def scale(self) -> float:
        """By how much the measured time is multiplied."""
        return self.scaled_to / self.scaled_from if self.scaled_from else 1.0

    def within(self, name: str) -> float:
        """How far a number may be from ours, relative to it."""
        return self.tolerances.get(name, self.tolerance)


@dataclass(frozen=True)
class Job:
    """One thing to compute, at several sizes."""

    name: str
    family: str
    title: str
    shapes: tuple[Shape, ...]
    make: Maker
    ours: Side
    peers: tuple[Side, ...]
    quick: tuple[Shape, ...]
    unit: str = "row"  # of growth: time per row or per cell
    noted: tuple[str, ...] = ()  # numbers that are told and not compared
    limits: Mapping[str, float] = field(default_factory=dict)  # that our own numbers must keep

    @property
    def sides(self) -> tuple[Side, ...]:
        """Ours first."""
        return (self.ours, *self.peers)
