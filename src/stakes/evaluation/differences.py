"""Differences between systems: paired, in closed form where there is one, and relative costs."""

from __future__ import annotations

__all__ = ["Difference", "RelativeCost"]

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from stakes._math import times
from stakes._records import Record
from stakes._text import key_of, number, percent, plain
from stakes._typing import FloatArray
from stakes.curves.area_difference import AreaDifference
from stakes.curves.placements import Placements
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.evaluation.findings import plain_values
from stakes.evaluation.rates import is_share, likelihood_intervals
from stakes.evaluation.systems import System
from stakes.evaluation.tracking import unique
from stakes.metrics import BalancedAccuracy, DecisionMetric
from stakes.metrics.expected_losses import sample_losses
from stakes.metrics.multiplicity import holm
from stakes.metrics.paired import PairedDifference, paired_losses, sample_shares
from stakes.results import Direction, Estimate, Interval
from stakes.samples import Samples

Pair = tuple[str, str]
Found = PairedDifference | AreaDifference
_HALVINGS = 24
_FAR = 1e6  # times the cost of the reference


@dataclass(frozen=True, eq=False)
class Difference(Record):
    """A metric of a system minus that of the reference, on the same samples.

    `p_value` is two-sided, for no difference; `adjusted_p_value` is corrected for all pairs of
    systems and, for costs, for all applications (Holm). Both are NaN for values whose difference
    has no interval, such as the least cost of any threshold.

    Costs of two systems are compared by a sign-flip test, which assumes that systems of equal cost
    are exchangeable. `allowing` is the same difference without that assumption: it allows for
    costly errors that only one system makes and that were not seen.

    Attributes
    ----------
    system : str
    metric : str
    value : float
        The value of the system.
    reference : float
        The value of the reference.
    better : {"higher", "lower"}
    difference : Estimate
        Value minus reference, with its interval.
    level : float
    p_value, adjusted_p_value : float
    allowing : Estimate or None

    See Also
    --------
    compare : returns it for each metric.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> poor = data.posteriors([0.5, 0.5])
    >>> result = stakes.compare(data.y, {"poor": poor, "good": good})
    >>> found = result.of("good", "cost.nec")
    >>> found.wins, found.distinguishable  # better, and not by chance: switch
    (True, True)
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
        """Whether the system differs from the reference, corrected for all comparisons."""
        return self.adjusted_p_value < 1 - self.level

    @property
    def rests_on_seen(self) -> bool:
        """Whether errors that were not seen could reverse the claim."""
        band = None if self.allowing is None else self.allowing.interval
        return self.distinguishable and band is not None and 0 in band

    @property
    def wins(self) -> bool:
        """Whether the system's value is better than the reference's."""
        gap = self.difference.value
        return gap < 0 if self.better == "lower" else gap > 0

    def __str__(self) -> str:
        found = "distinguishable" if self.distinguishable else "not distinguishable"
        tested = f"p {number(self.adjusted_p_value)}, {found} from the reference"
        said = "no test" if math.isnan(self.adjusted_p_value) else tested
        return (
            f"{plain(self.system)}: {plain(self.metric)} {number(self.value)} against "
            f"{number(self.reference)}, difference {self.difference}; {said}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        values = plain_values(self, allowing="allowing_for_unseen_errors")
        del values["level"]
        found = {"distinguishable": self.distinguishable}
        return values | found | {"rests_on_seen_errors": self.rests_on_seen}


@dataclass(frozen=True, eq=False)
class RelativeCost(Record):
    """The ratio of a system's expected cost to the reference's, compared with a margin.

    A system is non-inferior if it costs at most `margin` more than the reference, as a share of the
    reference's cost: ratio <= 1 + margin. The two are equivalent if neither costs more than
    `margin` more than the other. Both are one-sided tests at 1 - level (TOST), so the interval of
    the ratio has level 2 level - 1.

    Attributes
    ----------
    system : str
    application : str
    margin : float
    level : float
    ratio : Estimate
        Cost of the system divided by that of the reference.
    p_non_inferior, p_equivalent : float
        P-value, corrected for all systems and applications.

    See Also
    --------
    compare : returns it if a margin is given.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> systems = {"old": good, "new": data.posteriors([0.88, 0.12])}
    >>> (found,) = stakes.compare(data.y, systems, margin=0.5).relative_costs
    >>> found.non_inferior  # the new system costs at most 50 % more
    True
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

    def __str__(self) -> str:
        within = f"within a margin of {percent(self.margin, 1)} %"
        said = "equivalent" if self.equivalent else "non-inferior"
        if not (self.equivalent or self.non_inferior):
            said = "not shown to be non-inferior"
        where = f"in application {plain(self.application)!r}"
        return (
            f"{plain(self.system)} costs {self.ratio} times the reference {where}: {said} {within}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        found = {"non_inferior": self.non_inferior, "equivalent": self.equivalent}
        return plain_values(self) | {"level": 2 * self.level - 1} | found


@dataclass(frozen=True, eq=False)
class LossColumn:
    """The loss of each sample under one system, and what turns a sum of them into a metric."""

    samples: Samples
    losses: FloatArray
    naive: FloatArray | None = None  # of each sample, for a normalised metric
    largest: FloatArray | None = None  # possible difference of each sample, for decisions
    constant: bool = False  # every sample gets the same decision

    @property
    def expectation(self) -> float:
        """The expected loss."""
        s = self.samples
        share = sample_shares(s.y, len(s.classes), s.given_priors, s.weights, s.copies)
        return float(times(share, s.copies) @ self.losses)

    def minus(self, other: LossColumn, factor: float = 1.0) -> PairedDifference:
        """Return the expected loss less a multiple of another's; unseen errors are allowed for."""
        return self._paired(other, largest=self.largest, factor=factor)

    def against(self, other: LossColumn) -> PairedDifference:
        """Return the difference to another system, tested as between exchangeable systems.

        A constant decision is not exchangeable with a system that looks at its input, and neither
        are losses of probabilities, whose t-test needs no such assumption.
        """
        robust = self.minus(other)
        if self.largest is None or self.constant or other.constant:
            return robust
        alike = self._paired(other, exchangeable=True)
        return robust if alike.spread is None else replace(alike, allowing=robust)

    def _paired(self, other: LossColumn, **how: Any) -> PairedDifference:  # noqa: ANN401
        return paired_losses(self.samples, self.losses, other.losses, naive=self.naive, **how)


def loss_columns(system: System) -> dict[str, LossColumn]:
    """Return every metric of a system that is a sum of losses."""
    out: dict[str, LossColumn] = {}
    for i, before in enumerate(system.decisions):
        after = None if system.stage is None else system.calibrated_decisions[i]
        column = LossColumn(
            before.samples,
            before.losses(),
            before.naive(),
            before.largest_difference(),
            constant=any((d.indices == d.indices[:1]).all() for d in (before, after) if d),
        )
        out |= _columns(before.use.name, "nec", column, None if after is None else after.losses())
    for i, rule in enumerate(system.rules):
        losses, samples = sample_losses(rule, system.samples), system.samples
        loss = system.expected_losses[i]
        seen = loss.priors > 0
        mean = float(loss.priors[seen] @ loss.naive_losses[seen])
        scale = loss.naive / mean if mean > 0 else 1.0  # so that the mean is the naive loss
        naive = (np.where(seen, loss.naive_losses, 0.0) * scale)[samples.y]
        later = None if system.stage is None else sample_losses(rule, system.calibrated)
        column = LossColumn(samples, losses, naive)
        out |= _columns(key_of(rule.name), "normalized", column, later)
    return out


def _columns(
    name: str, short: str, column: LossColumn, after: FloatArray | None
) -> dict[str, LossColumn]:
    out = {f"{name}.value": replace(column, naive=None), f"{name}.{short}": column}
    if after is not None:
        largest = None if column.largest is None else 2 * column.largest
        with np.errstate(invalid="ignore"):  # of two infinite losses
            gain = replace(column, losses=column.losses - after, largest=largest)
        out[f"{name}.calibrated_{short}"] = replace(column, losses=after)
        out[f"{name}.calibration_loss"] = gain
    return out


@dataclass(frozen=True, eq=False)
class Contrasts:
    """The differences of all pairs of systems, in every metric that has a closed form."""

    systems: Mapping[str, System]

    @cached_property
    def columns(self) -> dict[str, dict[str, LossColumn]]:
        """The sums of losses by system and metric."""
        return {name: loss_columns(system) for name, system in self.systems.items()}

    @cached_property
    def pairs(self) -> list[Pair]:
        """Each pair of systems once."""
        return list(combinations(self.systems, 2))

    @cached_property
    def found(self) -> dict[str, dict[Pair, Found]]:
        """The differences by metric, the first system of a pair less the second."""
        pairs, out = self.pairs, dict[str, dict[Pair, Found]]()
        for a, b in pairs:
            first, second = self.columns[a], self.columns[b]
            for metric in (m for m in first if m in second):
                out.setdefault(metric, {})[a, b] = first[metric].against(second[metric])
        samples = next(iter(self.systems.values())).samples
        if len(samples.classes) == 2 and samples.counts.all():
            own = {name: system.as_given.samples for name, system in self.systems.items()}
            placed = {
                name: Placements.from_scores(s.scores.ranks(), s.y, s.weights, s.groups, s.copies)
                for name, s in own.items()
            }
            out["auc"] = {(a, b): AreaDifference(placed[a].less(placed[b])) for a, b in pairs}
        turned = {m: {(b, a): d.turned() for (a, b), d in own.items()} for m, own in out.items()}
        return {metric: own | turned[metric] for metric, own in out.items()}

    def of_tables(
        self, reference: str, level: float
    ) -> dict[tuple[str, str], tuple[Estimate, float, float]]:
        """Return metrics of decisions less those of the reference, by system and metric.

        Each has its p-value, and that corrected for all systems by Holm.
        """
        first, out = self.systems[reference], dict[tuple[str, str], tuple[Estimate, float, float]]()
        for i, base in enumerate(first.decisions):
            systems = [name for name in self.systems if name != reference]
            rows = [_less(self.systems[name].decisions[i], base, level) for name in systems]
            for k, metric in enumerate(base.metrics):
                p_values = [row[k][1] for row in rows]
                for name, row, corrected in zip(systems, rows, holm(p_values), strict=True):
                    key = name, f"{base.use.name}.{key_of(metric.name)}"
                    out[key] = (*row[k], corrected)
        return out

    def adjusted(
        self, metrics: Sequence[str], *, unseen: bool = False
    ) -> dict[tuple[str, Pair], float]:
        """Return the p-values of all pairs in some metrics, corrected as one family by Holm."""
        keys = [(m, pair) for m in metrics for pair in self.pairs if pair in self.found.get(m, {})]
        found = [self.found[m][pair] for m, pair in keys]
        if unseen:  # errors that were not seen are allowed for
            found = [f if f.allowing is None else f.allowing for f in found]
        out = dict(zip(keys, holm([f.p_value for f in found]), strict=True))
        return out | {(m, (b, a)): p for (m, (a, b)), p in out.items()}


def _less(
    mine: ApplicationDecisions, base: ApplicationDecisions, level: float
) -> list[tuple[Estimate, float]]:
    """Return each metric of decisions less that of others, with its p-value."""
    metrics, two = base.metrics, len(base.samples.classes) == 2
    found = dict[int, tuple[Estimate, float]]()
    left = []
    for k, metric in enumerate(metrics):
        gap = metric.evaluate(mine.in_use).value - metric.evaluate(base.in_use).value
        if not math.isfinite(gap):
            found[k] = Estimate(gap, None, "a value is undefined or infinite"), math.nan
        elif is_share(metric) and not two:
            paired = _shares_less(mine, base, metric)
            found[k] = paired.estimate(level), paired.p_value
        else:
            left.append((k, gap))
    if left:
        problem = mine.rows.difference(base.rows, [metrics[k] for k, _ in left])
        bands = likelihood_intervals(problem, level)
        for i, ((k, gap), band) in enumerate(zip(left, bands, strict=True)):
            found[k] = replace(band, value=gap), problem.p_value(i)
    return [found[k] for k in range(len(metrics))]


def _shares_less(
    mine: ApplicationDecisions, base: ApplicationDecisions, metric: DecisionMetric
) -> PairedDifference:
    """Return the share of any number of classes that is decided rightly, less that of others."""
    samples = base.samples
    if isinstance(metric, BalancedAccuracy):
        k = len(samples.classes)
        samples = replace(samples, priors=np.full(k, 1 / k), priors_from_data=False)
    wrong = [(d.indices != samples.y).astype(np.float64) for d in (base, mine)]
    return paired_losses(samples, *wrong, largest=np.ones(len(samples)))


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


def allowing_unseen(paired: PairedDifference, level: float) -> Estimate | None:
    """Return the difference that allows for errors not seen, where there is another."""
    if paired.allowing is None:
        return None
    found, plain_band = paired.allowing.estimate(level), paired.estimate(level).interval
    if found.interval is None or plain_band is None:
        return found
    # to allow for more makes no interval narrower
    low, high = min(found.interval.low, plain_band.low), max(found.interval.high, plain_band.high)
    return replace(found, interval=Interval(low, high, level))


def flat_comparison(
    values: Mapping[str, Mapping[str, float]],
    differences: Sequence[Difference],
    relative_costs: Sequence[RelativeCost],
) -> dict[str, Estimate]:
    """Return the numbers of a comparison by system and metric, differences with intervals."""
    bare = "the interval is that of the difference"
    pairs = [
        (f"{s}/{m}", Estimate(v, None, bare)) for s, row in values.items() for m, v in row.items()
    ]
    for d in differences:
        name = f"{d.system}/{d.metric}.difference"
        pairs.append((name, d.difference))
        if not math.isnan(d.adjusted_p_value):
            test = "of no difference, corrected for all pairs"
            pairs.append((f"{name}.adjusted_p_value", Estimate(d.adjusted_p_value, None, test)))
    pairs += [(f"{r.system}/{r.application}.relative_cost", r.ratio) for r in relative_costs]
    return unique(pairs)
