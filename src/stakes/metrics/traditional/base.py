"""What a traditional metric of hard decisions must tell of itself."""

__all__ = ["DecisionMetric"]

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, Protocol

import numpy as np

from stakes._check import InputError
from stakes._kernels.definitions.sweeps import FourCounts, four
from stakes._kernels.kernel_records import ClassCounts
from stakes._text import quoted
from stakes._typing import FloatArray
from stakes.costs import CostMatrix
from stakes.results import Direction, MetricValue, Undefined
from stakes.statistics import ConfusionCounts


@dataclass(frozen=True, eq=False)
class Binary:
    """The four counts of a detector; arrays of one length give it at many thresholds.

    Each class is on a scale of its own; `level` brings both to one scale.
    """

    n11: FloatArray
    n12: FloatArray
    n21: FloatArray
    n22: FloatArray
    exponents: tuple[int, int] = (0, 0)

    @classmethod
    def of(cls, counts: ConfusionCounts) -> "Binary":
        """Read the counts of two classes and two decisions."""
        cells = np.zeros((2, 2))
        cells[counts.row, counts.column] = counts.weight
        first, second = (int(e) for e in counts.exponent)
        (n11, n12), (n21, n22) = cells
        return cls(n11, n12, n21, n22, (first, second))

    def level(self) -> "Binary":
        """Return the counts on one scale."""
        first, second = self.exponents
        if first == second:
            return self
        top = max(first, second)
        return Binary(
            np.ldexp(self.n11, first - top),
            np.ldexp(self.n12, first - top),
            np.ldexp(self.n21, second - top),
            np.ldexp(self.n22, second - top),
        )

    @property
    def n1(self) -> FloatArray:
        """Samples of the first class."""
        return self.n11 + self.n12

    @property
    def n2(self) -> FloatArray:
        """Samples of the class of interest."""
        return self.n21 + self.n22


class AtLevels(Binary):
    """The counts at every threshold, from those at each score, which the kernels can sweep.

    They are whole numbers. A metric that no kernel knows finds the four arrays all the same, made
    when they are asked for.
    """

    at: ClassCounts

    def __init__(self, at: ClassCounts) -> None:
        self.__dict__.update(at=at, exponents=(0, 0))

    @cached_property
    def _cells(self) -> FourCounts:
        """The four counts at every threshold."""
        return four(self.at.first, self.at.second)

    @property
    def n11(self) -> FloatArray:
        """First class, decided as such."""
        return self._cells[0]

    @property
    def n12(self) -> FloatArray:
        """False alarms."""
        return self._cells[1]

    @property
    def n21(self) -> FloatArray:
        """Misses."""
        return self._cells[2]

    @property
    def n22(self) -> FloatArray:
        """Second class, decided as such."""
        return self._cells[3]


class SweepMetric(Protocol):
    """A metric that can be had at many thresholds at once."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def better(self) -> Direction:
        """Which way is better."""

    def values(self, n: Binary) -> FloatArray:
        """Return the metric for arrays of the four counts."""


@dataclass(frozen=True)
class DecisionMetric(ABC):
    """A traditional metric of hard decisions."""

    better: ClassVar[Direction]
    formula: ClassVar[str]
    relation: ClassVar[str]
    rewards: ClassVar[str]

    @property
    @abstractmethod
    def name(self) -> str:
        """What people call it."""

    @abstractmethod
    def of(self, counts: ConfusionCounts) -> MetricValue:
        """Return the value for these counts."""

    @abstractmethod
    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        """Return the costs whose expected cost the metric is tied to, at the data's priors."""

    @abstractmethod
    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:
        """Return the metric from the normalised expected cost of those costs: the identity."""

    @abstractmethod
    def exchange_rate(self, counts: ConfusionCounts) -> float:
        """How many more false alarms harm the metric as much as one more miss, at these counts."""

    def _record(self, value: float, naive: float, undefined: Undefined) -> MetricValue:
        """Return the record; the reason is kept only where the value is NaN."""
        reason = undefined if math.isnan(value) else None
        return MetricValue(self.name, float(value), float(naive), self.better, reason)


def require_square(counts: ConfusionCounts, name: str) -> None:
    """Refuse decisions that are not the classes, for which right and wrong are not defined."""
    if counts.decisions != counts.classes:
        rule = f"needs decisions that are the classes {quoted(counts.classes)}"
        raise InputError(name, rule, quoted(counts.decisions), hint="Use expected_cost with costs.")


def require_binary(counts: ConfusionCounts, name: str) -> None:
    """Refuse anything but two classes and the same two decisions."""
    require_square(counts, name)
    if len(counts.classes) != 2:
        rule = "needs two classes"
        hint = "Pass positive=, or cm.detector(name), for one against the others."
        raise InputError(name, rule, f"{len(counts.classes)}, {quoted(counts.classes)}", hint=hint)


@dataclass(frozen=True)
class BinaryMetric(DecisionMetric):
    """A metric of two classes that is computed from the four counts."""

    def of(self, counts: ConfusionCounts) -> MetricValue:
        """Return the value for these counts."""
        require_binary(counts, self.name)
        value = float(self.values(Binary.of(counts)))
        record = self._record(value, self.naive(counts), self.why_undefined(counts))
        return replace(record, positive=counts.classes[-1])

    @abstractmethod
    def values(self, n: Binary) -> FloatArray:
        """Return the metric for four counts, or arrays of them."""

    @abstractmethod
    def naive(self, counts: ConfusionCounts) -> float:
        """Return the best value of a system that always gives the same answer."""

    def why_undefined(self, counts: ConfusionCounts) -> Undefined:
        """Say why the value is NaN, for counts where it is."""
        second = quoted([counts.classes[-1]])
        if not counts.aligned[counts.column == 1].any():
            return Undefined("zero_over_zero", f"no sample was decided as {second}, so it is 0/0")
        bare = quoted(
            [c for c, w in zip(counts.classes, counts.class_weight, strict=True) if not w]
        )
        return Undefined("no_samples", f"there are no samples of class {bare}")
