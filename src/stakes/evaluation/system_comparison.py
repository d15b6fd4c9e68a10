"""Several systems on the same samples: paired differences, and which is best at which odds."""

from __future__ import annotations

__all__ = ["Comparison", "compare"]

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np

from stakes._check import InputError, read_number
from stakes._errors import kind_of, told_of
from stakes._foreign_calls import answered
from stakes._text import key_of, plain, quoted
from stakes._typing import Column, Label, NamesLike, PriorsLike
from stakes.calibration import Calibrator
from stakes.calibration.crossfit import Folds
from stakes.evaluation.application_decisions import curve_of, least_cost
from stakes.evaluation.application_results import error_counts
from stakes.evaluation.applications import Applications, classes_of
from stakes.evaluation.comparison_verdicts import few_errors_of, verdicts_of_comparison
from stakes.evaluation.differences import (
    Contrasts,
    Difference,
    Pair,
    RelativeCost,
    flat_comparison,
    relative_cost,
)
from stakes.evaluation.entry import RULES, columns_of, reading_notes
from stakes.evaluation.findings import Paged, Verdict, plain_values
from stakes.evaluation.odds import OddsRange, best_by_odds
from stakes.evaluation.sketch import Sketch, sketch_of
from stakes.evaluation.sketch_sources import Source
from stakes.evaluation.systems import Settings, System, read_system
from stakes.evaluation.tracking import Tracked
from stakes.evaluation.verdicts.cautions import Groups, few_groups, reversed_systems, small_classes
from stakes.evaluation.verdicts.suspicions import (
    odd_costs,
    odd_rows,
    odd_scores,
    out_of_step,
    same_scores,
    twins,
)
from stakes.evaluation.verdicts.wording import counted
from stakes.metrics.multiplicity import holm
from stakes.metrics.paired import PairedDifference, infinite_gap
from stakes.results import Estimate
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.scoring import ScoringRule

_NOT_SMOOTH = "the difference of two such values has no interval that covers"


@dataclass(frozen=True, eq=False)
class Comparison(Paged, Tracked):
    """Systems side by side, each against one reference.

    Attributes
    ----------
    systems : tuple of str
    reference : str
    n : int
        Number of samples.
    values : mapping from system to mapping from metric to float
    differences : tuple of Difference
    may_be_best : mapping from application to tuple of systems
        Systems that no other is shown to beat.
    relative_costs : tuple of RelativeCost
        If a margin was given.
    odds : tuple of OddsRange
    level : float
        Confidence level of the intervals.
    seed : int
        Seed of the folds.
    verdicts : tuple of Verdict
    notes : tuple of str
    sketch : Sketch or None
        The scores in little memory, for the page.

    See Also
    --------
    compare : returns it.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=500)
    >>> good = data.posteriors([0.9, 0.1])
    >>> poor = data.posteriors([0.5, 0.5])
    >>> result = stakes.compare(data.y, {"poor": poor, "good": good})
    >>> result.may_be_best["cost"]  # use this one
    ('good',)
    """

    systems: tuple[str, ...]
    reference: str
    n: int
    values: Mapping[str, Mapping[str, float]]  # by system, then metric
    differences: tuple[Difference, ...]
    may_be_best: Mapping[str, tuple[str, ...]]  # systems, by application
    relative_costs: tuple[RelativeCost, ...]  # where a margin is given
    odds: tuple[OddsRange, ...]
    level: float
    seed: int
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = field(default=())
    sketch: Sketch | None = field(default=None, repr=False)  # of the scores, for a page

    @property
    def costs(self) -> tuple[str, ...]:
        """The name of each application's normalised cost, which verdicts are about."""
        return tuple(f"{application}.nec" for application in self.may_be_best)

    def of(self, system: str, metric: str) -> Difference:
        """Return the difference of one metric between a system and the reference.

        Parameters
        ----------
        system : str
            Name of the system.
        metric : str
            Name of the metric, such as `cost.nec`.
        """
        for difference in self.differences:
            if (difference.system, difference.metric) == (system, metric):
                return difference
        known = sorted({d.metric for d in self.differences})
        msg = f"no difference of {system!r} in {metric!r}: systems are {quoted(self.systems)},"
        raise InputError(f"{msg} metrics {quoted(known, most=20)}.")

    def metrics(self) -> dict[str, Estimate]:
        """Return every number by name: `new/cost.nec`, `new/cost.nec.difference`."""
        return flat_comparison(self.values, self.differences, self.relative_costs)

    def _references(self) -> dict[str, float]:
        return {"samples": self.n}

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, ready for JSON."""
        return plain_values(self, n="samples")

    def _document(self) -> tuple[str, dict[str, Any]]:
        return "compare", self.to_dict()

    def __str__(self) -> str:
        return "\n".join([*map(str, self.verdicts), *(f"Note: {note}" for note in self.notes)])


@answered
def compare(  # noqa: PLR0913  the data, the systems, the applications, the intervals
    y_true: Column,
    systems: Mapping[str, Scores | Column],
    *,
    label: str | None = None,
    kind: type[Scores] | None = None,
    reference: str | None = None,
    margin: float | None = None,
    costs: Applications | None = None,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    calibrator: Calibrator | None = None,
    folds: Folds = 5,
    level: float = 0.95,
    groups: Column | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    ignore_index: Label | None = None,
    rules: Sequence[ScoringRule] = RULES,
    rng: int | np.random.Generator = 0,
) -> Comparison:
    """Compare systems on the same samples: differences of every metric, with intervals.

    Claims about costs are corrected for all pairs of systems and applications.

    Parameters
    ----------
    y_true : column of N labels, or a table
        The true class of each sample; or a table, as in `evaluate`.
    systems : mapping from name to scores
        As in `expected_loss`, for the same samples in the same order. With a table instead of
        `y_true`, the name of each system's column or columns.
    label : str, optional
        For a table: its column of labels.
    kind : type of scores, optional
        What plain arrays or the columns of a table hold; by default posteriors.
    reference : name, optional
        The system that the others are compared with; by default the first.
    margin : float, optional
        How much more a system may cost, as a share of the reference's cost, such as 0.02. Verdicts
        then say which systems cost at most that much more (non-inferior), and which cost the same
        for practical purposes (equivalent).
    costs : CostMatrix, SampleCosts, array, or mapping from name to these or Application, optional
        As in `evaluate`.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    training_priors : float, array of K, mapping by class, "data" or "deployment", optional
        The priors that the posteriors are at, required where posteriors meet `priors`: "data" if
        they come from a model trained on data like these, and are to be adapted; "deployment" if
        they already are for `priors`; or numbers.
    calibrator : Calibrator, optional
        If given, the calibrated losses are compared too.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, default 5
        As in `cross_calibrate`.
    level : float, default 0.95
        Confidence level of the intervals.
    groups : column of N names, optional
        As in `evaluate`.
    sample_weight : column of N weights, optional
        As in `evaluate`.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.
    ignore_index : label, optional
        Rows with this label are left out, as in `evaluate`.
    rules : sequence of ScoringRule, optional
        By default `LogLoss()` and `BrierLoss()`.
    rng : int or Generator, default 0
        Seed of the folds.

    Returns
    -------
    Comparison
        With `differences`, `may_be_best`, `odds`, `verdicts`, `metrics()`, `to_dict()`.

    See Also
    --------
    evaluate : for one system.
    compare_models : for scikit-learn models.
    ComparisonDisplay : draws the differences.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> good, bad = data.posteriors([0.9, 0.1]), data.posteriors([0.5, 0.5])
    >>> result = stakes.compare(data.y, {"plain": good, "balanced": bad})
    >>> difference = result.of("balanced", "cost.nec")
    >>> difference.distinguishable, difference.wins
    (True, False)
    >>> [verdict.code for verdict in result.verdicts]
    ['worse', 'few_errors']
    """
    names = system_names(systems, reference)
    if label is not None:
        y_true, systems, costs, sample_weight, groups, _ = columns_of(
            y_true, label, systems, kind, costs, sample_weight, groups
        )
    named = classes if classes is not None else classes_of(costs)
    read = _read_each(
        {name: systems[name] for name in names},
        lambda scores: read_samples(
            y_true, scores, priors, sample_weight, named, kind=kind, ignore_index=ignore_index
        ),
    )
    applied = costs, training_priors, calibrator, folds, level
    settings = Settings(*applied, groups, None, rules, rng)
    return compare_samples(read, settings, margin)


def _read_each(
    systems: Mapping[str, Scores | Column], read: Callable[[Scores | Column], Samples]
) -> dict[str, Samples]:
    """Read the samples of each system; an error names the system, unless it is about all alike."""
    found, errors = {}, dict[str, InputError]()
    for name, scores in systems.items():
        try:
            found[name] = read(scores)
        except InputError as error:
            errors[name] = error
    for name, first in errors.items():
        alike = len(errors) == len(systems) and len(set(map(str, errors.values()))) == 1
        with told_of("" if alike and first.argument != "scores" else f"system {name!r}"):
            raise first
    return found


def compare_samples(
    systems: Mapping[str, Samples], settings: Settings, margin: float | None
) -> Comparison:
    """Compare systems on the same checked samples with the first; rows may stand for several."""
    level = settings.level
    _check(systems, margin, level)
    made = {
        name: read_system(samples, settings.for_system(name, systems))
        for name, samples in systems.items()
    }
    notes = [
        *reading_notes(systems),
        *(why for system in made.values() for why in system.why_uncalibrated),
        *(note for name, system in made.items() for note in _infinite(name, system)),
    ]
    names, first = list(made), next(iter(made.values()))
    contrasts = Contrasts(made)
    values = {name: _values(system) for name, system in made.items()}
    applications = [use.name for use in first.uses]
    metrics = [f"{name}.nec" for name in applications]
    adjusted = contrasts.adjusted(metrics)
    best = {name: _may_be_best(name, values, adjusted, level) for name in applications}
    for metric in contrasts.found:  # costs are one family, each other metric is one by itself
        if metric not in metrics:
            adjusted = adjusted | contrasts.adjusted([metric])
    higher = {"auc"} | {
        f"{d.use.name}.{key_of(metric.name)}"
        for d in first.decisions
        for metric in d.metrics
        if metric.better == "higher"
    }
    differences = _differences(contrasts, adjusted, values, level, higher, metrics)
    margins = () if margin is None else _relative_costs(contrasts, applications, margin, level)
    same = same_scores({name: system.as_given.samples for name, system in made.items()})
    costly = {
        name: system.as_given.samples
        for name, system in made.items()
        if not any(values[name][metric] < 1 for metric in metrics)
    }
    return Comparison(
        systems=tuple(names),
        reference=names[0],
        n=first.samples.n,
        values=values,
        differences=differences,
        may_be_best=best,
        relative_costs=margins,
        odds=best_by_odds({name: s.as_given.samples for name, s in made.items()}, level),
        level=level,
        seed=settings.seed,
        verdicts=(
            *reversed_systems(costly, level, among=len(made)),
            *twins(same, first.samples.n),
            *verdicts_of_comparison(differences, margins, best, values, same),
            *_warnings(made),
            *_doubts(made),
        ),
        notes=tuple(dict.fromkeys(notes)),
        sketch=sketch_of(_sources(made)),
    )


def _infinite(name: str, system: System) -> Iterator[str]:
    """Say which losses of a system are infinite, and by how many samples."""
    for loss in system.expected_losses:
        if math.isinf(loss.value):
            count = counted(loss.infinite_samples, "samples")
            have = "has" if loss.infinite_samples == 1 else "have"
            yield (
                f"The {loss.name} of {plain(name)} is infinite, so its differences are infinite or"
                f" undefined: {count} {have} posterior 0 for the true class."
            )


def _sources(made: Mapping[str, System]) -> list[Source]:
    """Return the systems for a page; after them the calibrated ones, if all were calibrated."""
    given = [Source.given(name, system) for name, system in made.items()]
    if any(system.stage is None for system in made.values()):
        return given
    return given + [Source.calibrated(f"{n}, calibrated", system) for n, system in made.items()]


def _may_be_best(
    application: str,
    values: Mapping[str, Mapping[str, float]],
    adjusted: Mapping[tuple[str, Pair], float],
    level: float,
) -> tuple[str, ...]:
    """Return the systems that are not distinguishable from the one of the lowest cost."""
    metric = f"{application}.nec"
    costs = {name: row[metric] for name, row in values.items()}
    if any(np.isnan(cost) for cost in costs.values()):
        return ()
    best = min(costs, key=lambda name: costs[name])
    return tuple(
        name for name in costs if name == best or not adjusted[metric, (best, name)] < 1 - level
    )


def _relative_costs(
    contrasts: Contrasts, applications: Sequence[str], margin: float, level: float
) -> tuple[RelativeCost, ...]:
    """Return each cost over that of the reference, the p-values corrected for all of them."""
    reference, *others = contrasts.columns
    keys = [(a, name) for a in applications for name in others]
    pairs = [
        (contrasts.columns[name][f"{a}.value"], contrasts.columns[reference][f"{a}.value"])
        for a, name in keys
    ]
    ratios, *tests = zip(*(relative_cost(*pair, margin, level) for pair in pairs), strict=True)
    non_inferior, equivalent = (holm(p) for p in tests)
    return tuple(
        RelativeCost(
            system=name,
            application=a,
            margin=margin,
            level=level,
            ratio=ratios[i],
            p_non_inferior=non_inferior[i],
            p_equivalent=equivalent[i],
        )
        for i, (a, name) in enumerate(keys)
    )


def _warnings(made: Mapping[str, System]) -> list[Verdict]:
    first = next(iter(made.values()))
    found: list[Verdict] = []
    for i, use in enumerate(first.uses):
        where = f"{plain(use.name)}: " if len(first.uses) > 1 else ""
        counts = {name: error_counts(system.decisions[i]) for name, system in made.items()}
        found += few_errors_of(counts, where)
    samples, groups = first.samples, Groups.from_samples(first.samples)
    calibrated = [] if first.stage is None else [rule.name for rule in first.rules]
    counts = samples.counts.tolist()
    found += small_classes(samples.classes, counts, groups, calibrated=calibrated)
    found += few_groups(groups, loss=first.stage is not None)
    return found


def _doubts(made: Mapping[str, System]) -> Iterator[Verdict]:
    """Return what looks wrong in the input."""
    first = next(iter(made.values()))
    yield from odd_costs(first.uses)
    for name, system in made.items():
        samples = system.as_given.samples
        curve = curve_of(samples)
        yield from odd_scores(samples, curve, f" of {plain(name)}")
        if system is first:
            yield from odd_rows(samples, curve)
    every = {name: system.as_given.samples for name, system in made.items()}
    off = [[*out_of_step(samples, f" of {plain(name)}")] for name, samples in every.items()]
    if all(off):  # then it is the labels that are out of step
        yield from out_of_step(first.as_given.samples)
    else:
        yield from chain.from_iterable(off)


def _check(systems: Mapping[str, Samples], margin: float | None, level: float) -> None:
    if margin is not None:
        read_number(margin, "margin", 0, np.inf, closed=(False, False))
        if level <= 0.5:
            rule = "must be above 0.5 with a margin, which is tested on one side"
            raise InputError("level", rule, f"{level:g}")
    (first, samples), *others = systems.items()
    for name, other in others:
        if other.classes != samples.classes:
            found = f"{first!r} has {quoted(samples.classes)}, {name!r} {quoted(other.classes)}"
            raise InputError("systems", "must have the same classes", found=found)


def system_names(systems: Mapping[str, Any], reference: str | None) -> list[str]:
    """Return the names of the systems, the reference first."""
    if not isinstance(systems, Mapping) or len(systems) < 2:
        rule = "must map at least two names to scores, such as {'A': p_a, 'B': p_b}"
        raise InputError("systems", rule, kind_of(systems))
    names = list(systems)
    if not all(isinstance(name, str) for name in names):
        raise InputError("systems", "must have texts for names", quoted(names))
    if reference is None:
        return names
    if not isinstance(reference, str):
        kind = type(reference).__name__
        rule = f"must be the name of one of the systems {quoted(names)}"
        raise InputError("reference", rule, f"a {kind}")
    if reference not in names:
        rule = f"must be one of the systems {quoted(names)}"
        raise InputError("reference", rule, repr(reference))
    return [reference, *(name for name in names if name != reference)]


def _values(system: System) -> dict[str, float]:
    """Return the values of a system by metric, the main cost first."""
    out: dict[str, float] = {}
    for decisions in system.decisions:
        out[f"{decisions.use.name}.value"] = decisions.cost.value
        out[f"{decisions.use.name}.nec"] = decisions.cost.normalized
    for rule, loss in zip(system.rules, system.expected_losses, strict=True):
        out[f"{key_of(rule.name)}.value"] = loss.value
        out[f"{key_of(rule.name)}.normalized"] = loss.normalized
    out |= system.calibrated_values()
    for decisions in system.decisions:
        for metric in decisions.metrics:
            value = metric.evaluate(decisions.in_use).value
            out[f"{decisions.use.name}.{key_of(metric.name)}"] = value
    return out | _ranking_values(system.as_given)


def _ranking_values(system: System) -> dict[str, float]:
    """Return what follows from the order of the scores of two classes."""
    curve = curve_of(system.samples)
    if curve is None:
        return {}
    out = {"auc": curve.auc(), "eer": curve.eer()}
    for use in system.uses:
        if (least := least_cost(use, curve)) is not None:
            out[f"{use.name}.minimum_nec"] = least.normalized
    return out


def _if_alike(paired: PairedDifference | None, adjusted: float, family: int, level: float) -> float:
    """Return the p-value of a sign-flip test, corrected; NaN unless it alone finds a difference."""
    if paired is None or not adjusted >= 1 - level:
        return np.nan
    p = min(paired.if_alike() * family, 1.0)
    return p if p < 1 - level else np.nan


def _differences(
    contrasts: Contrasts,
    adjusted: Mapping[tuple[str, Pair], float],
    values: Mapping[str, Mapping[str, float]],
    level: float,
    higher: set[str],
    costs: Sequence[str],
) -> tuple[Difference, ...]:
    reference, *others = values
    tables = contrasts.of_tables(reference, level)
    family = len(costs) * len(contrasts.pairs)
    out = []
    for system, metric in ((s, m) for s in others for m in values[s] if m in values[reference]):
        paired = contrasts.found.get(metric, {}).get((system, reference))
        pair = values[system][metric], values[reference][metric]
        p_value, corrected = math.nan, math.nan
        if paired is not None:
            found = paired.estimate(level)
            p_value, corrected = paired.p_value, adjusted[metric, (system, reference)]
        elif (system, metric) in tables:
            found, p_value, corrected = tables[system, metric]
        else:
            gap, why = pair[0] - pair[1], _NOT_SMOOTH
            if not np.isfinite(pair).all():
                gap, why = infinite_gap(*pair)
            found = Estimate(gap, None, why)
        out.append(
            Difference(
                system=system,
                metric=metric,
                value=pair[0],
                reference=pair[1],
                better="higher" if metric in higher else "lower",
                difference=found,
                level=level,
                p_value=p_value,
                adjusted_p_value=corrected,
                p_value_if_alike=(
                    _if_alike(paired, corrected, family, level)
                    if isinstance(paired, PairedDifference) and metric in costs
                    else np.nan
                ),
            )
        )
    return tuple(out)
