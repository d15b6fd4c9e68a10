"""Several systems on the same samples: paired differences, and which is best at which odds."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from stakes._check import InputError, read_level
from stakes._text import key_of, number, plain, quoted
from stakes._typing import Column, IntArray, NamesLike, PriorsLike
from stakes.calibration import Calibrator
from stakes.calibration.crossfit import Folds
from stakes.evaluation.applications import (
    Applications,
    adapted,
    classes_of,
    read_tasks,
    read_training,
)
from stakes.evaluation.decisions import suited_metrics
from stakes.evaluation.evaluate import RULES, make_system, read_rules
from stakes.evaluation.odds import OddsRange, best_by_odds
from stakes.evaluation.pages import Paged
from stakes.evaluation.parts import rounding_notes
from stakes.evaluation.sketch import Sketch, Source, sketch_of
from stakes.evaluation.systems import System, read_units
from stakes.intervals import (
    Progress,
    Replicates,
    Statistic,
    auc_difference,
    check_resamples,
    replicate,
    seed_of,
)
from stakes.metrics import DecisionMetric
from stakes.results import Direction, Estimate, json_number
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.scoring import ScoringRule

_SEPARATOR = "\x1f"  # between a system and a metric; no name on a screen can hold it


@dataclass(frozen=True, eq=False)
class Difference:
    """A metric of a system less that of the reference, on the same samples."""

    system: str
    metric: str
    value: float
    reference: float
    better: Direction
    difference: Estimate
    probability: float  # that the system is better than the reference, over resamples

    @property
    def told_apart(self) -> bool:
        """Whether the interval of the difference leaves out 0."""
        band = self.difference.interval
        return band is not None and not band.low <= 0 <= band.high

    @property
    def wins(self) -> bool:
        """Whether the system is better than the reference by its value."""
        gap = self.difference.value
        return gap < 0 if self.better == "lower" else gap > 0

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values."""
        return {
            "system": self.system,
            "metric": self.metric,
            "value": json_number(self.value),
            "reference": json_number(self.reference),
            "better": self.better,
            "difference": self.difference.to_dict(),
            "probability_better": json_number(self.probability),
        }


@dataclass(frozen=True, eq=False)
class Comparison(Paged):
    """Systems side by side, each against one reference."""

    systems: tuple[str, ...]
    reference: str
    n: int
    values: Mapping[str, Mapping[str, float]]  # by system, then metric
    differences: tuple[Difference, ...]
    odds: tuple[OddsRange, ...]
    level: float
    resamples: int
    seed: int
    costs: tuple[str, ...]  # the normalised cost of each application, by which verdicts go
    notes: tuple[str, ...] = field(default=())
    sketch: Sketch | None = field(default=None, repr=False)  # of the scores, for a page

    def of(self, system: str, metric: str) -> Difference:
        """Return one difference."""
        for difference in self.differences:
            if (difference.system, difference.metric) == (system, metric):
                return difference
        known = sorted({d.metric for d in self.differences})
        msg = f"no difference of {system!r} in {metric!r}: systems are {quoted(self.systems)},"
        raise InputError(f"{msg} metrics {quoted(known, most=20)}.")

    @property
    def verdicts(self) -> tuple[str, ...]:
        """Say for each system whether it is told apart from the reference by each cost."""
        costs = [d for d in self.differences if d.metric in self.costs]
        several = len(self.costs) > 1
        return tuple(_verdict(d, self.reference, several=several) for d in costs)

    def to_dict(self) -> dict[str, Any]:
        """Return the comparison as plain values, fit for JSON."""
        return {
            "systems": list(self.systems),
            "reference": self.reference,
            "samples": self.n,
            "level": self.level,
            "resamples": self.resamples,
            "seed": self.seed,
            "values": {
                name: {k: json_number(v) for k, v in row.items()}
                for name, row in self.values.items()
            },
            "differences": [d.to_dict() for d in self.differences],
            "odds": [r.to_dict() for r in self.odds],
            "verdicts": list(self.verdicts),
            "notes": list(self.notes),
        }

    def __str__(self) -> str:
        return "\n".join(self.verdicts)


def compare(  # noqa: PLR0913  the data, the systems, the applications, the intervals
    y_true: Column,
    systems: Mapping[str, Scores | Column],
    *,
    reference: str | None = None,
    costs: Applications | None = None,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    calibrator: Calibrator | None = None,
    folds: Folds = 5,
    level: float = 0.95,
    resamples: int = 1000,
    groups: Column | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    rules: Sequence[ScoringRule] = RULES,
    rng: "int | np.random.Generator" = 0,
    progress: Progress | None = None,
) -> Comparison:
    """Compare systems on the same samples: differences of every metric, with intervals.

    Parameters
    ----------
    y_true : column of N labels
    systems : mapping from name to scores
        As for `expected_loss`; all speak of the same samples in the same order.
    reference : name, optional
        The system that the others are compared with; by default the first.
    calibrator : Calibrator, optional
        If given, the calibrated losses are compared too.
    costs, priors, training_priors, folds, level, resamples, groups, sample_weight, classes, rules,
    rng, progress
        As for `evaluate`.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> good, bad = data.posteriors([0.9, 0.1]), data.posteriors([0.5, 0.5])
    >>> result = stakes.compare(data.y, {"plain": good, "balanced": bad}, resamples=200)
    >>> difference = result.of("balanced", "cost.nec")
    >>> difference.told_apart, difference.wins
    (True, False)
    """
    read_level(level)
    check_resamples(resamples)
    names = _names(systems, reference)
    seed = seed_of(rng)
    named = classes if classes is not None else classes_of(costs)
    read = {
        name: read_samples(
            y_true, systems[name], priors=priors, sample_weight=sample_weight, classes=named
        )
        for name in names
    }
    _check_alike(read)
    notes = rounding_notes(read)
    made = {
        name: make_system(
            adapted(samples, training_priors),
            read_tasks(costs, samples, training_priors),
            read_rules(rules),
            (calibrator, folds, groups, seed),
            notes,
        )
        for name, samples in read.items()
    }
    notes += _infinite_notes(made)
    unit = read_units(groups, made[names[0]].samples)
    compared = _compared(made, unit, (level, resamples, seed), progress, notes)
    sources = [
        Source.given(name, samples, read_training(samples, training_priors), made[name])
        for name, samples in read.items()
    ]
    sketch = sketch_of(sources, adapted=training_priors is not None, grouped=unit is not None)
    return replace(compared, sketch=sketch)


def _compared(
    made: Mapping[str, System],
    unit: IntArray | None,
    drawing: tuple[float, int, int],
    progress: Progress | None,
    notes: Sequence[str],
) -> Comparison:
    """Draw all systems again on the same samples; the first is the reference."""
    level, resamples, seed = drawing
    names, first = list(made), next(iter(made.values()))
    statistics = [s for name in names for s in _statistics(made[name], name)]
    drawn = replicate(statistics, first.resampling(unit, seed), resamples, progress)
    drawn = _with_fits(drawn, made)
    areas = DeLong(made, unit is None and first.samples.weights is None)
    higher = _higher_is_better(first)
    return Comparison(
        systems=tuple(names),
        reference=names[0],
        n=len(first.samples),
        values={name: _values(drawn, name) for name in names},
        differences=tuple(
            difference
            for name in names[1:]
            for difference in _differences(drawn, (names[0], name), level, areas, higher)
        ),
        odds=best_by_odds({name: s.samples for name, s in made.items()}, level, unit),
        level=level,
        resamples=resamples,
        seed=seed,
        costs=tuple(f"{task.name}.nec" for task in first.tasks),
        notes=tuple(dict.fromkeys(notes)),
    )


@dataclass(frozen=True, eq=False)
class DeLong:
    """The difference of two areas in closed form, where samples are alike and stand alone."""

    systems: Mapping[str, System]
    fits: bool

    def of(self, system: str, reference: str, level: float) -> Estimate | None:
        """Return the difference of the areas, or None where resamples have to do."""
        a, b = (self.systems[name].samples for name in (system, reference))
        if not self.fits or np.bincount(a.y, minlength=2).min() < 2:
            return None
        return auc_difference(a.scores.ranks(), b.scores.ranks(), a.y, level)


def _names(systems: Mapping[str, Scores | Column], reference: str | None) -> list[str]:
    """Return the names of the systems, the reference first."""
    if not isinstance(systems, Mapping) or len(systems) < 2:
        msg = "systems must map at least two names to scores, such as {'A': p_a, 'B': p_b}."
        raise InputError(msg)
    names = list(systems)
    if not all(isinstance(name, str) for name in names):
        msg = f"systems must have texts for names: got {quoted(names)}."
        raise InputError(msg)
    if reference is None:
        return names
    if reference not in names:
        msg = f"reference must be one of the systems {quoted(names)}: got {reference!r}."
        raise InputError(msg)
    return [reference, *(name for name in names if name != reference)]


def _check_alike(read: Mapping[str, Samples]) -> None:
    """Refuse systems of other classes."""
    (first, samples), *others = read.items()
    for name, other in others:
        if other.classes != samples.classes:
            msg = f"systems must speak of the same classes: {first!r} has"
            raise InputError(f"{msg} {quoted(samples.classes)}, {name!r} {quoted(other.classes)}.")


def _statistics(system: System, name: str) -> list[Statistic]:
    """Return all that is compared, under the name of the system; the main cost comes first."""
    return system.statistics(_suited(system), f"{name}{_SEPARATOR}")


def _suited(system: System) -> list[tuple[DecisionMetric, ...]]:
    """Return the traditional metrics of each application."""
    return [suited_metrics(j.in_use, j.task.costs) for j in system.judgements]


def _with_fits(drawn: Replicates, systems: Mapping[str, System]) -> Replicates:
    """Put what calibration gives in place of what quick refits made of it."""
    fits: dict[str, float] = {}
    for name, system in systems.items():
        fits |= system.calibrated_values(f"{name}{_SEPARATOR}")
    pairs = zip(drawn.names, drawn.observed.tolist(), strict=True)
    return replace(drawn, observed=np.array([fits.get(name, value) for name, value in pairs]))


def _infinite_notes(systems: Mapping[str, System]) -> list[str]:
    """Say which losses are infinite, and so left out."""
    return [
        f"The {loss.name} of {plain(name)} is infinite, so that it is not compared."
        for name, system in systems.items()
        for loss in system.raw
        if loss.infinite_rows.size
    ]


def _higher_is_better(system: System) -> set[str]:
    """Return the metrics for which higher is better."""
    found = {"auc"}
    for task, metrics in zip(system.tasks, _suited(system), strict=True):
        found |= {f"{task.name}.{key_of(m.name)}" for m in metrics if m.better == "higher"}
    return found


def _values(drawn: Replicates, system: str) -> dict[str, float]:
    """Return the values of a system by metric."""
    prefix = f"{system}{_SEPARATOR}"
    pairs = zip(drawn.names, drawn.observed, strict=True)
    return {n.removeprefix(prefix): float(v) for n, v in pairs if n.startswith(prefix)}


def _differences(
    drawn: Replicates, pair: tuple[str, str], level: float, areas: DeLong, higher: set[str]
) -> list[Difference]:
    """Return every metric of a system less that of the reference, the main cost first."""
    reference, system = pair
    mine, theirs = _values(drawn, system), _values(drawn, reference)
    out = []
    for metric in sorted(mine.keys() & theirs.keys(), key=list(mine).index):
        full = f"{system}{_SEPARATOR}{metric}", f"{reference}{_SEPARATOR}{metric}"
        better: Direction = "higher" if metric in higher else "lower"
        gap = drawn.difference(*full, level)
        if metric == "auc":
            gap = areas.of(system, reference, level) or gap
        below = drawn.share_below(*full)
        share = below if better == "lower" else 1 - below
        out.append(Difference(system, metric, mine[metric], theirs[metric], better, gap, share))
    return out


def _verdict(difference: Difference, reference: str, *, several: bool) -> str:
    """Say who is better, if that can be told."""
    name, other = plain(difference.system), plain(reference)
    of = f"{plain(difference.metric.removesuffix('.nec'))}: " if several else ""
    gap, sure = difference.difference, f"{100 * difference.probability:.0f} %"
    if gap.interval is None:
        return (
            f"{of}No verdict on {name} and {other}: the normalised cost differs by"
            f" {number(gap.value)}, without an interval ({gap.method})."
        )
    if not difference.told_apart:
        return (
            f"{of}{name} and {other} are not told apart: the normalised cost differs by"
            f" {number(gap.value)} ({gap.interval}); {name} is better in {sure} of resamples."
        )
    best, worst = (name, other) if difference.wins else (other, name)
    return (
        f"{of}{best} is better than {worst}: the normalised cost differs by"
        f" {number(abs(gap.value))} (interval of {name} less {other}: {gap.interval})."
    )
