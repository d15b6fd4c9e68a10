"""Differences between systems: paired, by one law where there is no resample, and ratios."""

from __future__ import annotations

__all__ = ["Difference", "RelativeCost"]

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np

from stakes._records import Record
from stakes._text import key_of, number, percent, plain
from stakes._typing import FloatArray
from stakes.curves.area_difference import AreaDifference
from stakes.curves.placements import Placements
from stakes.evaluation.application_decisions import ApplicationDecisions
from stakes.evaluation.findings import plain_values
from stakes.evaluation.rates import is_share, likelihood_intervals, with_value
from stakes.evaluation.systems import System
from stakes.evaluation.tracking import unique
from stakes.inference.law import Problem
from stakes.metrics import BalancedAccuracy, DecisionMetric
from stakes.metrics.expected_losses import sample_losses
from stakes.metrics.multiplicity import holm
from stakes.metrics.paired import PairedDifference, paired_losses
from stakes.results import Direction, Estimate, Interval
from stakes.samples import Samples

Pair = tuple[str, str]
Found = PairedDifference | AreaDifference


@dataclass(frozen=True, eq=False)
class Difference(Record):
    """A metric of a system minus that of the reference, on the same samples.

    `p_value` is two-sided, for no difference; `adjusted_p_value` is corrected for all pairs of
    systems and, for costs, for all applications (Holm). Both are NaN for values whose difference
    has no interval, such as the least cost of any threshold.

    The test and the interval make no assumption about how the systems err. `p_value_if_alike` is
    that of a sign-flip test, corrected for all comparisons of costs: it presupposes that errors of
    the two are alike in size. NaN unless it alone finds a difference.

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
    p_value_if_alike : float

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
    p_value_if_alike: float = math.nan

    @property
    def distinguishable(self) -> bool:
        """Whether the system differs from the reference, corrected for all comparisons."""
        return self.adjusted_p_value < 1 - self.level

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
        values = plain_values(self)
        del values["level"]
        return values | {"distinguishable": self.distinguishable}


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
    shown: FloatArray | None = None  # what makes the value, where `losses` make the interval

    def minus(self, other: LossColumn) -> PairedDifference:
        """Return the expected loss less that of another system."""
        losses = self.losses, other.losses
        found = paired_losses(self.samples, *losses, naive=self.naive, largest=self.largest)
        if self.shown is None or other.shown is None or found.pair is None:
            return found
        value = float(found.pair.mass @ (self.shown - other.shown))
        return replace(found, value=value)


def loss_columns(system: System) -> dict[str, LossColumn]:
    """Return every metric of a system that is a sum of losses."""
    out: dict[str, LossColumn] = {}
    for i, before in enumerate(system.decisions):
        after = None
        if system.stage is not None:
            influence = system.calibrated_cost(i).influence
            after = _shown(influence, system.calibrated_decisions[i].losses())
        column = LossColumn(
            before.samples,
            before.losses(),
            before.naive(),
            before.largest_difference(),
        )
        out |= _columns(before.use.name, "nec", column, after)
    for i, rule in enumerate(system.rules):
        losses, samples = sample_losses(rule, system.samples), system.samples
        loss = system.expected_losses[i]
        seen = loss.priors > 0
        mean = float(loss.priors[seen] @ loss.naive_losses[seen])
        scale = loss.naive / mean if mean > 0 else 1.0  # so that the mean is the naive loss
        naive = (np.where(seen, loss.naive_losses, 0.0) * scale)[samples.y]
        later = None
        if system.stage is not None:
            influence = system.calibrated_rule(i).influence
            later = _shown(influence, sample_losses(rule, system.calibrated))
        column = LossColumn(samples, losses, naive)
        out |= _columns(key_of(rule.name), "normalized", column, later)
    return out


def _shown(influence: FloatArray, losses: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Return what each sample adds to a loss after calibration, and the loss that is shown.

    An infinite loss has no interval.
    """
    return (influence if np.isfinite(losses).all() else losses), losses


def _columns(
    name: str, short: str, column: LossColumn, after: tuple[FloatArray, FloatArray] | None
) -> dict[str, LossColumn]:
    out = {f"{name}.value": replace(column, naive=None), f"{name}.{short}": column}
    if after is not None:
        adds, shown = after
        largest = None if column.largest is None else 2 * column.largest
        with np.errstate(invalid="ignore"):  # of two infinite losses
            less, seen = column.losses - adds, column.losses - shown
        out[f"{name}.calibrated_{short}"] = replace(column, losses=adds, shown=shown)
        out[f"{name}.calibration_loss"] = replace(column, losses=less, shown=seen, largest=largest)
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
        out = dict[str, dict[Pair, Found]]()
        for a, b in self.pairs:
            first, second, plain_ones = self.columns[a], self.columns[b], dict[int, Any]()
            for metric in (m for m in first if m in second):
                one, two = first[metric], second[metric]
                if id(one.losses) not in plain_ones:  # of one p-value in whatever units
                    plain_ones[id(one.losses)] = replace(one, naive=None).minus(two)
                gap = plain_ones[id(one.losses)]
                out.setdefault(metric, {})[a, b] = gap if one.naive is None else gap.over(one.naive)
        samples = next(iter(self.systems.values())).samples
        if len(samples.classes) == 2 and samples.counts.all():
            own = {name: system.as_given.samples for name, system in self.systems.items()}
            placed = {
                name: Placements.from_scores(s.scores.ranks(), s.y, s.weights, s.groups, s.copies)
                for name, s in own.items()
            }
            out["auc"] = {(a, b): AreaDifference(placed[a].less(placed[b])) for a, b in self.pairs}
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

    def adjusted(self, metrics: Sequence[str]) -> dict[tuple[str, Pair], float]:
        """Return the p-values of all pairs in some metrics, corrected as one family by Holm."""
        keys = [(m, pair) for m in metrics for pair in self.pairs if pair in self.found.get(m, {})]
        found = holm([self.found[m][pair].p_value for m, pair in keys])
        out = dict(zip(keys, found, strict=True))
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
            found[k] = with_value(band, gap), problem.p_value(i)
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


def relative_cost(
    system: LossColumn, reference: LossColumn, margin: float, level: float
) -> tuple[Estimate, float, float]:
    """Return the cost of a system over that of another, and one-sided p-values.

    The first is that of no margin being kept by the system, the second by either. They are of the
    same problem as the interval, the cost ratio less 1.
    """
    problem = system.minus(reference).ratio()
    if problem is None:
        return Estimate(math.nan, None, "the reference costs nothing"), 1.0, 1.0
    value, (low, high) = float(problem.values[0]), problem.intervals(2 * level - 1)[0].tolist()
    above = _one_sided(problem, margin, above=True)
    below = _one_sided(problem, 1 / (1 + margin) - 1, above=False)
    if math.isnan(low):
        return Estimate(1 + value, None, "too few groups"), above, max(above, below)
    band = Interval(max(1 + low, 0.0), 1 + high, 2 * level - 1)
    return Estimate(1 + value, band, "paired likelihood"), above, max(above, below)


def _one_sided(problem: Problem, null: float, *, above: bool) -> float:
    """Return the p-value of a ratio that is on the other side of the null."""
    p, value = problem.p_value(0, null), float(problem.values[0])
    return p / 2 if (value < null) == above else 1 - p / 2


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
