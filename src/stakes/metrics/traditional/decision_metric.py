"""What a traditional metric of hard decisions must tell of itself."""

from __future__ import annotations

__all__ = ["DecisionMetric"]

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, Protocol, Self

import numpy as np

from stakes._check import InputError
from stakes._math import difference_of_products
from stakes._registry import Named, read_options
from stakes._text import quoted
from stakes._typing import FloatArray, Floats
from stakes.costs import CostMatrix
from stakes.results import Direction, MetricValue, Undefined
from stakes.statistics import ConfusionCounts

EXACT = 2.0**26  # whole numbers below it have exact products, and need not be split


def ratio(above: Floats, below: Floats) -> FloatArray:
    """Return above / below: infinite for x/0, NaN for 0/0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.divide(above, below)


@dataclass(frozen=True, eq=False)
class FourCounts:
    """The four counts of a detector; arrays of one length give it at many thresholds.

    Each class is on a scale of its own; `level` brings both to one scale. `totals` are the sizes
    of the classes where these are whole numbers below 2^26 altogether.
    """

    n11: FloatArray
    n12: FloatArray
    n21: FloatArray
    n22: FloatArray
    exponents: tuple[int, int] = (0, 0)
    totals: tuple[float, float] | None = None

    @classmethod
    def from_counts(cls, counts: ConfusionCounts) -> FourCounts:
        """Read the counts of two classes and two decisions."""
        cells = np.zeros((2, 2))
        cells[counts.row, counts.column] = counts.weight
        first, second = (int(e) for e in counts.exponent)
        (n11, n12), (n21, n22) = cells
        return cls(n11, n12, n21, n22, (first, second))

    def level(self) -> FourCounts:
        """Return the counts on one scale."""
        first, second = self.exponents
        if first == second:
            return self
        top = max(first, second)
        return FourCounts(
            np.ldexp(self.n11, first - top),
            np.ldexp(self.n12, first - top),
            np.ldexp(self.n21, second - top),
            np.ldexp(self.n22, second - top),
        )

    @property
    def n1(self) -> Floats:
        """Samples of the first class."""
        return self.n11 + self.n12 if self.totals is None else self.totals[0]

    @property
    def n2(self) -> Floats:
        """Samples of the class of interest."""
        return self.n21 + self.n22 if self.totals is None else self.totals[1]

    @property
    def determinant(self) -> FloatArray:
        """N_11 N_22 - N_12 N_21, to within two units in the last place."""
        if self.totals is not None:
            return self.totals[0] * self.n22 - self.totals[1] * self.n12
        return difference_of_products(self.n11, self.n22, self.n12, self.n21)

    def net_hits(self, gain: float, price: float) -> FloatArray:
        """Return gain N_22 - price N_12, to within two units in the last place."""
        if self.totals is None:
            return difference_of_products(self.n22, gain, price, self.n12)
        (high_1, low_1), (high_2, low_2) = _product(self.n22, gain), _product(self.n12, price)
        return (high_1 - high_2) + (low_1 - low_2)


def _product(count: FloatArray, factor: float) -> tuple[FloatArray, FloatArray]:
    """Return the product of whole numbers below 2^26, rounded, and what the rounding took away."""
    scaled = 134217729.0 * factor
    high = scaled - (scaled - factor)
    product = count * factor
    return product, (count * high - product) + count * (factor - high)


class SweepMetric(Protocol):
    """What can be computed at many thresholds at once: a metric, or one of your own."""

    @property
    def name(self) -> str:
        """What people call it."""

    @property
    def better(self) -> Direction:
        """Which way is better."""

    def values(self, n: FourCounts) -> FloatArray:
        """Return the metric for arrays of the four counts."""


@dataclass(frozen=True)
class DecisionMetric(Named, ABC):
    """Base class of traditional metrics of hard decisions.

    A subclass in a module of this package is registered: `explain`, reports, the tables of the
    documentation and the tests find it.

    See Also
    --------
    explain : which costs a metric implies.
    Accuracy, FScore : two of them.

    Examples
    --------
    Metrics are objects, so one loop covers several:

    >>> import stakes
    >>> cm = stakes.ConfusionMatrix.from_counts([[80, 10], [2, 8]])
    >>> metrics = stakes.metrics.Accuracy(), stakes.metrics.FScore()
    >>> [metric.evaluate(cm).beats_naive for metric in metrics]
    [False, True]

    They disagree, so decide by the costs of your application.
    """

    aliases: ClassVar[Mapping[str, tuple[float, ...]]] = {}  # short names, with their options
    better: ClassVar[Direction] = "higher"
    limits: ClassVar[tuple[float, float]] = (0.0, 1.0)  # that no value passes
    unbounded: ClassVar[bool] = False  # its interval is that of `inverse`, which is finite
    formula: ClassVar[str]
    relation: ClassVar[str]
    rewards: ClassVar[str]
    in_reports: ClassVar[bool] = True  # False where another one there says the same

    def __init_subclass__(cls) -> None:
        if "name" not in vars(cls):
            cls._derive_name()

    def __post_init__(self) -> None:
        read_options(self)

    @classmethod
    def for_report(cls, counts: ConfusionCounts, costs: CostMatrix | None) -> Self | None:  # noqa: ARG003
        """Return the metric for a report on these counts and costs; None if it does not exist.

        Most metrics need samples of every class.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        costs : CostMatrix or None
            The costs of the report.
        """
        return cls() if cls.in_reports and counts.class_weight.all() else None

    @abstractmethod
    def evaluate(self, counts: ConfusionCounts) -> MetricValue:
        """Return the value for these counts, with that of the best constant answer.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """

    @abstractmethod
    def values(self, n: FourCounts) -> FloatArray:
        """Return the metric for the four counts of two classes, or arrays of them.

        Parameters
        ----------
        n : FourCounts
            The four counts, or arrays of them.
        """

    def inverse(self, n: FourCounts) -> FloatArray:
        """Return 1 over the metric, without dividing by it.

        Parameters
        ----------
        n : FourCounts
            The four counts, or arrays of them.
        """
        return ratio(1.0, self.values(n))

    @abstractmethod
    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        """Return the costs whose expected cost the metric is tied to, at the data's priors.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """

    def from_normalized_cost(self, normalized: float, counts: ConfusionCounts) -> float:  # noqa: ARG002
        """Return the metric from the normalised expected cost of its costs: the identity.

        NaN if there is no such identity, for example if a constant answer costs nothing, so that no
        NEC exists.

        Parameters
        ----------
        normalized : float
            The normalised expected cost.
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        return math.nan

    @abstractmethod
    def exchange_rate(self, counts: ConfusionCounts) -> float:
        """Return how many more false alarms change the metric as much as one more miss.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """

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
        hint = "Pass positive=, or cm.detector(name), for one against the others."
        got = f"{len(counts.classes)}, {quoted(counts.classes)}"
        raise InputError(name, "needs two classes", got, hint=hint, code="two_classes_needed")


@dataclass(frozen=True)
class BinaryMetric(DecisionMetric):
    """A metric of two classes that is computed from the four counts."""

    prices: ClassVar[tuple[float, float]]  # of a miss and a false alarm, where they are fixed
    needs_alarms: ClassVar[bool] = True  # whether it is undefined without any

    @classmethod
    def for_report(cls, counts: ConfusionCounts, costs: CostMatrix | None) -> Self | None:
        return super().for_report(counts, costs) if len(counts.classes) == 2 else None

    def evaluate(self, counts: ConfusionCounts) -> MetricValue:
        require_binary(counts, self.name)
        value = float(self.values(FourCounts.from_counts(counts)))
        bare = [c for c, w in zip(counts.classes, counts.class_weight, strict=True) if not w]
        why = Undefined("no_samples", f"there are no samples of class {quoted(bare)}")
        if self.needs_alarms and not counts.aligned[counts.column == 1].any():
            second = quoted([counts.classes[-1]])
            why = Undefined(
                "zero_over_zero", f"no sample was decided as {second}, so the value is 0/0"
            )
        record = self._record(value, self.naive(counts), why)
        return replace(record, positive=counts.classes[-1])

    def naive(self, counts: ConfusionCounts) -> float:
        """Return the best value of a system that always gives the same answer.

        Parameters
        ----------
        counts : ConfusionCounts
            The counts, such as a `ConfusionMatrix`.
        """
        first, second = np.maximum(counts.priors, 1e-100)  # rates are those of any priors
        always_first, always_second = np.array([1.0, 0.0]), np.array([0.0, 1.0])
        rows = first * always_first, first * always_second, second * always_first
        values = self.values(FourCounts(*rows, second * always_second))
        best = np.nanmax if self.better == "higher" else np.nanmin
        return float(best(values))

    def costs(self, counts: ConfusionCounts) -> CostMatrix:
        miss, false_alarm = self.prices
        return CostMatrix.binary(miss=miss, false_alarm=false_alarm, classes=counts.classes)
