"""What a comparison finds of each system: differences to the reference, and relative costs."""

__all__ = ["Difference", "RelativeCost"]

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from stakes.evaluation.contrasts import LossColumn
from stakes.evaluation.findings import plain_values
from stakes.metrics.paired import PairedDifference
from stakes.results import Direction, Estimate, Interval

_HALVINGS = 24
_FAR = 1e6  # times the cost of the reference


@dataclass(frozen=True, eq=False)
class Difference:
    """A metric of a system less that of the reference, on the same samples.

    `p_value` is two-sided, for no difference; `adjusted_p_value` is corrected for all pairs of
    systems, and for costs for all applications (Holm). Both are NaN for metrics whose interval
    comes from resamples: those are shown, but no claim is made from them.

    Costs of two systems are tested by sign-flips, as if systems of equal cost were exchangeable.
    `allowing` is the same difference without that assumption: it allows for costly errors that
    only one of the systems makes and that were not seen.
    """

    system: str
    metric: str
    value: float
    reference: float
    better: Direction
    difference: Estimate
    level: float
    p_value: float = math.nan
    adjusted_p_value: float = math.nan
    allowing: Estimate | None = None

    @property
    def distinguishable(self) -> bool:
        """Whether the system differs from the reference, all comparisons allowed for."""
        return self.adjusted_p_value < 1 - self.level

    @property
    def rests_on_seen(self) -> bool:
        """Whether errors that were not seen could reverse what is claimed."""
        band = None if self.allowing is None else self.allowing.interval
        return self.distinguishable and band is not None and 0 in band

    @property
    def wins(self) -> bool:
        """Whether the system is better than the reference by its value."""
        gap = self.difference.value
        return gap < 0 if self.better == "lower" else gap > 0

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        values = plain_values(self, allowing="allowing_for_unseen_errors")
        del values["level"]
        found = {"distinguishable": self.distinguishable}
        return values | found | {"rests_on_seen_errors": self.rests_on_seen}


@dataclass(frozen=True, eq=False)
class RelativeCost:
    """The expected cost of a system over that of the reference, compared with a margin.

    A system is non-inferior if it costs at most `margin` more than the reference, as a share of
    the reference's cost: ratio <= 1 + margin. The two are equivalent if neither costs more than
    `margin` more than the other. Both are one-sided tests at 1 - level (TOST), so that the
    interval of the ratio has level 2 level - 1.
    """

    system: str
    application: str
    margin: float
    level: float
    ratio: Estimate
    p_non_inferior: float  # corrected for all systems and applications
    p_equivalent: float

    @property
    def non_inferior(self) -> bool:
        """Whether the system costs at most `margin` more than the reference."""
        return self.p_non_inferior < 1 - self.level

    @property
    def equivalent(self) -> bool:
        """Whether neither system costs more than `margin` more than the other."""
        return self.p_equivalent < 1 - self.level

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        found = {"non_inferior": self.non_inferior, "equivalent": self.equivalent}
        return plain_values(self) | {"level": 2 * self.level - 1} | found


def margin_tests(system: LossColumn, reference: LossColumn, margin: float) -> tuple[float, float]:
    """Return one-sided p-values: that the system costs no more, and that neither does."""
    one = _p_below(system.minus(reference, 1 + margin))
    two = _p_below(reference.minus(system, 1 + margin))
    return one, max(one, two)


def cost_ratio(system: LossColumn, reference: LossColumn, level: float) -> Estimate:
    """Return the cost of a system over that of another, with the ratios that no test rejects."""
    value, base = system.expectation, reference.expectation
    if base <= 0:
        return Estimate(math.nan, None, "the reference costs nothing")
    ratio, alpha = value / base, 1 - level

    def above(factor: float) -> bool:  # is the ratio surely above it?
        return _p_below(reference.minus(system, 1 / factor)) < alpha

    def below(factor: float) -> bool:
        return _p_below(system.minus(reference, factor)) < alpha

    high = _end(below, max(ratio, 1 / _FAR), _FAR) if below(_FAR) else math.inf
    low = 0.0
    if ratio > 1 / _FAR and above(1 / _FAR):
        low = _end(above, ratio, 1 / _FAR)
    return Estimate(ratio, Interval(low, high, 2 * level - 1), "one-sided paired tests")


def _end(rejected: Callable[[float], bool], inside: float, outside: float) -> float:
    """Return where ratios begin to be rejected, between one inside and one outside."""
    for _ in range(_HALVINGS):
        middle = math.sqrt(inside * outside)
        inside, outside = (inside, middle) if rejected(middle) else (middle, outside)
    return outside


def _p_below(found: PairedDifference) -> float:
    """Return the one-sided p-value that a difference is below 0."""
    return found.p_value / 2 if found.value < 0 else 1 - found.p_value / 2
