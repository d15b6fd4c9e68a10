"""Everything about a system at once: the one entry point behind the command line and the report."""

from __future__ import annotations

__all__ = ["evaluate"]

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any

import numpy as np

from stakes._check import FEWEST_DECIDED, columns_in_memory
from stakes._counting import bincount
from stakes._errors import told_of
from stakes._foreign_calls import answered
from stakes._math import times
from stakes._typing import Column, FloatArray, Label, NamesLike, PriorsLike
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.calibration.crossfit import Folds
from stakes.calibration.slope import calibration_slope
from stakes.curves import RocCurve
from stakes.evaluation.application_decisions import curve_of, least_cost
from stakes.evaluation.application_results import (
    application_result,
    binned_calibration_errors,
    class_results,
    rule_result,
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
from stakes.evaluation.ranking_results import ranking_of
from stakes.evaluation.sketch import sketch_of
from stakes.evaluation.sketch_sources import Source
from stakes.evaluation.slice_results import (
    SliceDecisions,
    decide_slices,
    read_slices,
    slice_results,
)
from stakes.evaluation.systems import Settings, SumsOfAll, System, read_system
from stakes.evaluation.verdicts.evaluation_verdicts import verdicts_of
from stakes.evaluation.verdicts.suspicions import (
    odd_costs,
    odd_rows,
    odd_scores,
    out_of_step,
)
from stakes.evaluation.verdicts.usefulness import evidence_of
from stakes.samples import Samples, read_samples
from stakes.scores import Scores, as_scores
from stakes.scoring import BrierLoss, LogLoss, ScoringRule

RULES: tuple[ScoringRule, ...] = (LogLoss(), BrierLoss())
_FEW = 2**18  # samples times classes, up to which every sample is looked at by itself


@answered
def evaluate(  # noqa: PLR0913  the data, the applications, the calibration stage, the intervals
    y_true: Column,
    scores: Scores | Column,
    *,
    label: str | None = None,
    kind: type[Scores] | None = None,
    costs: Applications | None = None,
    priors: PriorsLike | None = None,
    training_priors: PriorsLike | None = None,
    calibrator: Calibrator | None = AffineCalibrator(),  # noqa: B008  never fitted itself
    folds: Folds = 5,
    level: float = 0.95,
    groups: Column | str | None = None,
    slices: Mapping[str, Column] | Column | Sequence[str] | None = None,
    sample_weight: Column | str | None = None,
    classes: NamesLike | None = None,
    ignore_index: Label | None = None,
    rules: Sequence[ScoringRule] = RULES,
    rng: int | np.random.Generator = 0,
) -> Evaluation:
    """Evaluate a system: what it costs, whether it is useful, how good its probabilities are.

    Parameters
    ----------
    y_true : column of N labels, or a table
        The true class of each sample; or a table, and then `label`, `scores`, `sample_weight`,
        `groups` and `slices` are names of its columns.
    scores : array of posteriors, typed scores, or names of columns
        As in `expected_loss`.
    label : str, optional
        For a table (of pyarrow, polars, pandas or DuckDB): its column of labels.
    kind : type of scores, optional
        What a plain array or the columns of a table hold, such as `Logits`; by default posteriors.
    costs : CostMatrix, SampleCosts, array, or mapping from name to these or Application, optional
        By default 1 for each error. For two classes also {"miss": 5, "false_alarm": 1}. A mapping
        from names gives several applications, which are evaluated side by side. With a table, costs
        may name its columns: {"miss": "amount", "false_alarm": 3}, or `CostsByCase`.
    priors : float, array of K, mapping by class, or "data", optional
        How often each class will occur in deployment; by default as often as in the data.
    training_priors : float, array of K, mapping by class, "data" or "deployment", optional
        The priors that the posteriors are at, required where posteriors meet `priors`: "data" if
        they come from a model trained on data like these, and are to be adapted to the priors of
        each application; "deployment" if they already are for `priors`; or numbers.
    calibrator : Calibrator or None, default AffineCalibrator()
        Calibrator used to measure calibration loss; None leaves it out.
    folds : int, splitter, array of N fold numbers, HeldOut or TrainOnTest, default 5
        As in `cross_calibrate`.
    level : float, default 0.95
        Confidence level of the intervals.
    groups : column of N names, optional
        Samples of one group vary together, and stay together in folds: patients, speakers.
    slices : data frame, mapping from name to column, or one column, optional
        Columns for whose values to give results: site, sex, ranges of `pandas.cut`. Values are
        sorted as numbers, ranges, categories or strings; missing values are the last slice.
    sample_weight : column of N weights, optional
        How much each sample counts; by default all count the same.
    classes : sequence of K names, optional
        In the order of the columns of scores; the class of interest comes last.
    ignore_index : label, optional
        Rows with this label, such as -100 in torch's losses, are left out; `notes` say how many.
    rules : sequence of ScoringRule, optional
        By default `LogLoss()` and `BrierLoss()`.
    rng : int or Generator, default 0
        Seed of the folds.

    Returns
    -------
    Evaluation
        With `applications`, `rules`, `ranking`, `slices`, `verdicts`, `metrics()`, `to_dict()`.

    See Also
    --------
    compare : several systems on the same samples.
    evaluate_decisions : for decisions without scores.
    evaluate_model : for a scikit-learn model.
    Summary : for scores in batches.

    Examples
    --------
    >>> import stakes
    >>> data = stakes.simulation.simulate(2, n=2000)
    >>> raw = data.posteriors([0.1, 0.9])
    >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1)
    >>> result = stakes.evaluate(data.y, raw, costs=costs)
    >>> round(result.main.cost.normalized.value, 2)
    1.04
    >>> [verdict.code for verdict in result.verdicts]
    ['not_distinguishable', 'calibration_would_help', 'few_errors']

    At a cost of 1.04 times the naive cost it is not useful; calibrate it first.
    """
    if label is not None:
        y_true, systems, costs, sample_weight, groups, slices = columns_of(
            y_true, label, {"": scores}, kind, costs, sample_weight, groups, slices
        )
        scores = systems[""]
    named = classes if classes is not None else classes_of(costs)
    given = read_samples(
        y_true, scores, priors, sample_weight, named, kind=kind, ignore_index=ignore_index
    )
    cells = curve = None
    if _gathers(given, folds, groups, slices):
        from stakes.evaluation.summaries.two_classes import samples_in_cells  # noqa: PLC0415  for many samples

        cells = samples_in_cells(given, costs, training_priors, rules)
        if cells is not None:
            old = read_training(given, read_applications(costs, given), training_priors)
            curve = curve_of(adapted(given, old))
    applied = costs, training_priors, calibrator, folds, level
    settings = Settings(*applied, groups, slices, rules, rng)
    found = evaluate_samples(given if cells is None else cells, settings, curve=curve)
    if cells is None:
        return found
    data = replace(found.data, scores=type(given.scores).__name__)
    notes, verdicts = reading_notes({"": given}), (*found.verdicts, *out_of_step(given))
    return replace(found, data=data, verdicts=verdicts, notes=(*notes, *found.notes))


def _gathers(given: Samples, folds: Folds, groups: object, slices: object) -> bool:
    """Whether samples are so many that intervals and calibrators take the cells of their scores."""
    if len(given) * len(given.classes) <= _FEW or len(given.classes) != 2:
        return False
    plain = slices is None or (isinstance(slices, Mapping) and not slices)
    return given.weights is None and isinstance(folds, int) and groups is None and plain


def evaluate_samples(
    given: Samples,
    settings: Settings,
    *,
    of_all: SumsOfAll | None = None,  # where the samples are only some of all
    curve: RocCurve | None = None,  # of single samples, where rows stand for cells of the score
) -> Evaluation:
    """Evaluate checked samples, whose rows may stand for several."""
    level, slices = settings.level, settings.slices
    system = read_system(given, settings, of_all)
    samples = system.as_given.samples
    if isinstance(slices, tuple) and all(isinstance(part, SliceDecisions) for part in slices):
        parts: Iterable[SliceDecisions] = slices
    else:
        parts = decide_slices(system.as_given.uses[0], read_slices(slices, samples))
    of_rows = curve_of(samples)
    curve = of_rows if curve is None else curve
    ranking = ranking_of(samples, curve, level)
    least = [(least_cost(use, curve), least_cost(use, of_rows)) for use in system.uses]
    doubts = [*odd_costs(system.uses)]
    if of_all is None:
        doubts += [*odd_scores(samples, curve), *odd_rows(samples, curve), *out_of_step(samples)]
    del curve, of_rows  # they hold as much as the samples
    sources = [Source.given("uncalibrated", system)]
    if system.stage is not None:
        sources.append(Source.calibrated("calibrated", system))
    evaluation = Evaluation(
        data=_summary(system),
        applications=tuple(
            application_result(system, i, level, least[i]) for i in range(len(system.uses))
        ),
        rules=tuple(rule_result(system, i, level) for i in range(len(system.rules))),
        ranking=ranking,
        calibration_errors=binned_calibration_errors(system, samples),
        by_class=class_results(system, level),
        slices=slice_results(parts, level),
        level=level,
        calibrator=None if system.stage is None else system.stage.calibrator.name,
        fitted="" if system.stage is None else system.stage.text,
        seed=settings.seed,
        slope=calibration_slope(samples, samples.groups).estimate(level),
        notes=(*reading_notes({"": given}), *system.notes),
        sketch=sketch_of(sources),
    )
    evidence = evidence_of(system, evaluation.applications, level)
    return replace(evaluation, verdicts=(*verdicts_of(evaluation, evidence), *doubts))


def _summary(system: System) -> DataSummary:
    samples = system.as_given.given if system.of_all is None else system.of_all.samples
    groups = system.decisions_of_all[0].samples.groups
    mass = times(samples.scaled_weights(), samples.copies)
    weights: FloatArray = bincount(samples.y, mass, len(samples.classes))  # type: ignore[assignment]
    return DataSummary(
        n=samples.n,
        classes=samples.classes,
        counts=tuple(samples.counts.tolist()),
        priors=weights / weights.sum(),
        weighted=samples.weights is not None,
        groups=None if groups is None else int(np.unique(groups).size),
        scores=type(samples.scores).__name__,
        adapted=system.training is not None,
    )


def columns_of(  # noqa: PLR0913, PLR0917  the arguments that may be columns
    table: Any,  # noqa: ANN401  anything with an Arrow stream
    label: str,
    systems: Mapping[str, Any],  # of each system a column, or several; "" is the only one
    kind: type[Scores] | None,
    costs: Applications | None = None,
    sample_weight: Any = None,  # noqa: ANN401  a column, or its name
    groups: Any = None,  # noqa: ANN401
    slices: Any = None,  # noqa: ANN401
) -> tuple[Any, dict[str, Scores], Applications | None, Any, Any, Any]:
    """Return labels, scores, costs, weights, groups and slices as columns of a table."""
    named = [slices] if isinstance(slices, str) else slices
    if not isinstance(named, list | tuple) or not all(isinstance(s, str) for s in named):
        named = []  # slices are columns themselves
    texts = [name for name in (groups,) if isinstance(name, str)]
    numbers = [n for n in (sample_weight, *columns_of_costs(costs)) if isinstance(n, str)]
    here = columns_in_memory(table, named) if named else None  # with the order of categories
    read = named if here is None else ()
    scores = list(systems.values())
    found = import_module("stakes.io").table_columns(table, label, scores, texts, numbers, read)
    typed = {}
    for name, each in zip(systems, found.scores, strict=True):
        with told_of(f"system {name!r}" if name else ""):
            typed[name] = as_scores(each, kind, fewest=FEWEST_DECIDED)
    return (
        found.y,
        typed,
        with_columns(costs, found.numbers),
        found.numbers[sample_weight] if isinstance(sample_weight, str) else sample_weight,
        found.texts[groups] if isinstance(groups, str) else groups,
        (here or found.slices) if named else slices,
    )


def reading_notes(read: Mapping[str, Samples]) -> list[str]:
    """Say how many rows were left out, and by system whether its scores were rounded to what."""
    ignored = next(iter(read.values())).ignored
    notes = [ignored_note(ignored)] if ignored else []
    found = {name: samples.scores.rounding for name, samples in read.items()}
    rounded = ((name, r) for name, r in found.items() if r is not None)
    return [*notes, *(f"{name}: {r}" if name else str(r) for name, r in rounded)]


def ignored_note(count: int) -> str:
    """Say how many rows were left out for their label."""
    rows = "1 row was" if count == 1 else f"{count} rows were"
    return f"{rows} left out: the label is that of ignore_index."
