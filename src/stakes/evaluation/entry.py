"""Everything about a system at once: the one entry point behind the command line and the report."""

__all__ = ["evaluate"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from stakes._check import read_level
from stakes._math import times
from stakes._typing import Column, FloatArray, NamesLike, PriorsLike
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.calibration.crossfit import Folds
from stakes.calibration.slope import calibration_slope
from stakes.curves import RocCurve
from stakes.evaluation.application_results import (
    application_result,
    binned_calibration_errors,
    class_results,
    count_replicates,
)
from stakes.evaluation.applications import (
    Applications,
    adapted,
    classes_of,
    columns_of_costs,
    read_applications,
    read_training,
    with_columns,
)
from stakes.evaluation.findings import DataSummary, Evaluation
from stakes.evaluation.loss_results import rule_result
from stakes.evaluation.ranking_results import ranking_of
from stakes.evaluation.sketch import Sketch, Source, sketch_of
from stakes.evaluation.slice_results import (
    SliceDecisions,
    decide_slices,
    read_slices,
    slice_results,
)
from stakes.evaluation.systems import (
    SumsOfAll,
    System,
    curve_of,
    least_cost,
    read_rules,
    with_calibration,
    with_groups,
)
from stakes.evaluation.verdicts import evidence_of, verdicts_of
from stakes.intervals import Progress, check_resamples, seed_of
from stakes.metrics.traditional import metrics_for_report
from stakes.samples import Samples, read_samples
from stakes.scores import Posteriors, Scores
from stakes.scoring import BrierLoss, LogLoss, ScoringRule

RULES: tuple[ScoringRule, ...] = (LogLoss(), BrierLoss())
_FEW = 2**18  # samples times classes, up to which every sample is looked at by itself


def evaluate(  # noqa: PLR0913  the data, the applications, the calibration stage, the intervals
    y_true: Column,
    scores: Scores | Column,
    *,
    label: str | None = None,
    kind: type[Scores] = Posteriors,
    costs: Applications | None = None,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    calibrator: Calibrator | None = AffineCalibrator(),  # noqa: B008  never fitted itself
    folds: Folds = 5,
    level: float = 0.95,
    resamples: int = 1000,
    groups: "Column | str | None" = None,
    slices: "Mapping[str, Column] | Column | Sequence[str] | None" = None,
    sample_weight: "Column | str | None" = None,
    classes: NamesLike | None = None,
    rules: Sequence[ScoringRule] = RULES,
    rng: "int | np.random.Generator" = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate a system: what it costs, whether it is any use, how good its probabilities are.

    Parameters
    ----------
    y_true, scores, priors, sample_weight, classes
        As for `expected_loss`; or a table in place of `y_true`, with the names of its columns as
        `label` and `scores`, and as `sample_weight`, `groups` and `slices`.
    label, kind : name of a column, kind of scores; optional
        For a table (of pyarrow, polars, pandas, DuckDB): its column of labels, and what its scores
        are.
    costs : CostMatrix, SampleCosts, array, or mapping from name to these or Application, optional
        By default 1 for each error. Several applications are judged side by side. With a table,
        `CostsByCase` name columns of it.
    training_priors : array of K, mapping by class, or "data", optional
        The priors that posteriors were trained with, if not those of use: they are then adapted
        to the priors of each application.
    calibrator : Calibrator or None
        Calibrator used to measure calibration loss; None leaves it out.
    folds, groups
        As for `cross_calibrate`; groups are also drawn whole in the intervals.
    level : float
        Of the intervals.
    resamples : int
        Number of bootstrap resamples, for intervals that have no closed form; 0 leaves those out.
    slices : column, or mapping from name to column, optional
        Results for each value of these: site, sex, language.
    rules : scoring rules
    rng : int or Generator
        Seed of folds and resamples.
    progress : callable, optional
        Called with how many resamples are done, and of how many.

    Returns
    -------
    Evaluation
        With `applications`, `rules`, `ranking`, `slices`, `verdicts`, `metrics()`, `to_dict()`.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw = data.posteriors([0.1, 0.9])
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> result = stakes.evaluate(data.y, raw, costs=costs, resamples=100)
    >>> round(result.main.cost.normalized.value, 2)
    1.04
    >>> [verdict.code for verdict in result.verdicts]
    ['not_distinguishable', 'calibration_would_help', 'few_errors']
    """
    if label is not None:
        y_true, (scores,), costs, sample_weight, groups, slices = columns_of(
            y_true, label, [scores], kind, costs, sample_weight, groups, slices
        )
    named = classes if classes is not None else classes_of(costs)
    given = read_samples(y_true, scores, priors=priors, sample_weight=sample_weight, classes=named)
    cells = curve = None
    if _gathers(given, folds, groups, slices):
        from stakes.evaluation.summaries.two_classes import samples_in_cells  # noqa: PLC0415  for many samples

        cells = samples_in_cells(given, costs, training_priors, rules)
        curve = None if cells is None else curve_of(adapted(given, training_priors))
    found = evaluate_samples(
        given if cells is None else cells,
        costs=costs,
        training_priors=training_priors,
        calibrator=calibrator,
        folds=folds,
        level=level,
        resamples=resamples,
        groups=groups,
        slices=slices,
        rules=rules,
        rng=rng,
        progress=progress,
        curve=curve,
    )
    if cells is None:
        return found
    data = replace(found.data, scores=type(given.scores).__name__)
    return replace(found, data=data, notes=(*rounding_notes({"": given}), *found.notes))


def _gathers(given: Samples, folds: Folds, groups: object, slices: object) -> bool:
    """Whether samples are so many that intervals and calibrators take the cells of their scores."""
    if len(given) * len(given.classes) <= _FEW or len(given.classes) != 2:
        return False
    plain = slices is None or (isinstance(slices, Mapping) and not slices)
    return given.weights is None and isinstance(folds, int) and groups is None and plain


def evaluate_samples(  # noqa: PLR0913  as for evaluate
    given: Samples,
    *,
    costs: Applications | None,
    training_priors: PriorsLike | None,
    calibrator: Calibrator | None,
    folds: Folds,
    level: float,
    resamples: int,
    groups: Column | None,
    slices: "Mapping[str, Column] | Column | Sequence[SliceDecisions] | None",
    rules: Sequence[ScoringRule],
    rng: "int | np.random.Generator",
    progress: Progress | None,
    of_all: SumsOfAll | None = None,
    curve: RocCurve | None = None,
) -> Evaluation:
    """Evaluate checked samples, whose rows may stand for several; arguments as for `evaluate`.

    Groups, slices and folds that are given as columns have a value for each row; slices may have
    been judged before. `of_all` are sums of all samples, where those given are only some of them;
    `curve` is that of single samples, where rows stand for cells of the score.
    """
    given = with_groups(given, groups)
    samples = adapted(given, training_priors)
    uses = read_applications(costs, given, training_priors)
    read_level(level)
    check_resamples(resamples)
    seed, notes = seed_of(rng), rounding_notes({"": given})
    if isinstance(slices, tuple) and all(isinstance(part, SliceDecisions) for part in slices):
        parts: Iterable[SliceDecisions] = slices
    else:
        parts = decide_slices(uses[0], read_slices(slices, samples))
    plain = System(samples, uses, read_rules(rules, uses), of_all=of_all)
    system = with_calibration(plain, calibrator, folds, groups, seed, notes)
    metrics = [metrics_for_report(d.in_use, d.use.costs) for d in system.decisions_of_all]
    drawn = count_replicates(system, metrics, resamples, seed, progress)
    of_rows = curve_of(samples)
    curve = of_rows if curve is None else curve
    ranking = ranking_of(samples, curve, level)
    least = [(least_cost(use, curve), least_cost(use, of_rows)) for use in system.uses]
    del curve, of_rows  # they hold as much as the samples
    evaluation = Evaluation(
        data=_summary(given, system, adapted_scores=training_priors is not None),
        applications=tuple(
            application_result(system, i, drawn[i], level, metrics[i], least[i])
            for i in range(len(system.uses))
        ),
        rules=tuple(rule_result(system, i, level) for i in range(len(system.rules))),
        ranking=ranking,
        calibration_errors=binned_calibration_errors(system, samples),
        by_class=class_results(system, level),
        slices=slice_results(parts, level),
        level=level,
        calibrator=None if system.stage is None else system.stage.calibrator.name,
        fitted="" if system.stage is None else system.stage.text,
        resamples=resamples,
        seed=seed,
        slope=calibration_slope(samples, samples.groups).estimate(level),
        notes=(*notes, *system.notes),
        sketch=_sketch(given, read_training(given, training_priors), system),
    )
    evidence = evidence_of(system, evaluation.applications, level)
    return replace(evaluation, verdicts=verdicts_of(evaluation, evidence))


def _sketch(given: Samples, training: FloatArray | None, system: System) -> Sketch:
    """Return the sketch of the scores; it states how many samples there are in all."""
    sources = [Source.given("uncalibrated", system.parted(given), training, system)]
    if system.stage is not None:
        sources.append(Source.calibrated("calibrated", system))
    grouped = given.groups is not None
    sketch = sketch_of(sources, adapted=training is not None, grouped=grouped)
    if system.of_all is None:
        return sketch
    every = system.of_all.samples
    return replace(sketch, counts=every.counts, priors=every.data_priors(), total=every.n)


def _summary(given: Samples, system: System, *, adapted_scores: bool) -> DataSummary:
    samples = given if system.of_all is None else system.of_all.samples
    groups = system.decisions_of_all[0].samples.groups
    mass = times(samples.scaled_weights(), samples.copies)
    weights: FloatArray = np.bincount(samples.y, mass, len(samples.classes))  # type: ignore[assignment]
    return DataSummary(
        n=samples.n,
        classes=samples.classes,
        counts=tuple(samples.counts.tolist()),
        priors=weights / weights.sum(),
        weighted=samples.weights is not None,
        groups=None if groups is None else int(np.unique(groups).size),
        scores=type(samples.scores).__name__,
        adapted=adapted_scores,
    )


def columns_of(  # noqa: PLR0913, PLR0917  the arguments that may be columns
    table: Any,  # noqa: ANN401  anything with an Arrow stream
    label: str,
    scores: Sequence[Any],
    kind: type[Scores],
    costs: Applications | None = None,
    sample_weight: Any = None,  # noqa: ANN401  a column, or its name
    groups: Any = None,  # noqa: ANN401
    slices: Any = None,  # noqa: ANN401
) -> tuple[Any, list[Scores], Applications | None, Any, Any, Any]:
    """Return labels, scores, costs, weights, groups and slices as columns of a table.

    `scores` names a column, or several, of each system. Weights, groups and slices may be names of
    columns too; costs by case name theirs.
    """
    named = [slices] if isinstance(slices, str) else slices
    if not isinstance(named, list | tuple) or not all(isinstance(s, str) for s in named):
        named = []  # slices are columns themselves
    texts = [name for name in (groups, *named) if isinstance(name, str)]
    numbers = [n for n in (sample_weight, *columns_of_costs(costs)) if isinstance(n, str)]
    found = import_module("stakes.io").table_columns(table, label, scores, texts, numbers)
    return (
        found.y,
        [kind(each) for each in found.scores],
        with_columns(costs, found.numbers),
        found.numbers[sample_weight] if isinstance(sample_weight, str) else sample_weight,
        found.texts[groups] if isinstance(groups, str) else groups,
        {name: found.texts[name] for name in named} if named else slices,
    )


def rounding_notes(read: Mapping[str, Samples]) -> list[str]:
    """Say for each system by name whether the rows of its scores were rounded, and to what."""
    found = {name: samples.scores.rounding for name, samples in read.items()}
    return [f"{name}: {r}" if name else str(r) for name, r in found.items() if r is not None]
