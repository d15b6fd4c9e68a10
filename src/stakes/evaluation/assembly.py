"""The evaluation of checked samples: every part of it, put together."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from stakes._check import InputError, UndefinedMetricError, read_level
from stakes._math import times
from stakes._text import key_of, quoted
from stakes._typing import Column, FloatArray, IntArray, PriorsLike
from stakes.calibration import Calibrator
from stakes.calibration.base import ImpossibleTruthError
from stakes.calibration.crossfit import Folds
from stakes.calibration.slope import calibration_slope
from stakes.curves import RocCurve
from stakes.evaluation.applications import (
    Applications,
    ApplicationSamples,
    adapted,
    read_applications,
    read_training,
)
from stakes.evaluation.findings import DataSummary, Evaluation
from stakes.evaluation.least_cost import curve_of, least_cost
from stakes.evaluation.loss_results import rule_result
from stakes.evaluation.parts import (
    application_result,
    calibration_errors_of,
    class_results,
    count_replicates,
    rounding_notes,
)
from stakes.evaluation.ranking_results import ranking_of
from stakes.evaluation.sketch import Sketch, Source, sketch_of
from stakes.evaluation.slice_results import (
    SliceDecisions,
    decide_slices,
    read_slices,
    slice_results,
)
from stakes.evaluation.systems import SumsOfAll, System, read_units, with_calibration
from stakes.evaluation.verdicts import evidence_of, verdicts_of
from stakes.intervals import Progress, check_resamples, seed_of
from stakes.metrics.scores import expectation
from stakes.metrics.traditional import metrics_for_report
from stakes.results import Estimate
from stakes.samples import Samples
from stakes.scoring import BrierLoss, LogLoss, ScoringRule

RULES: tuple[ScoringRule, ...] = (LogLoss(), BrierLoss())


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
    been judged before. `of_all` are sums
    of all samples, where those given are only some of them; `curve` is that of single samples,
    where rows stand for cells of the score.
    """
    samples = adapted(given, training_priors)
    uses = read_applications(costs, given, training_priors)
    read_level(level)
    check_resamples(resamples)
    seed = seed_of(rng)
    unit = read_units(groups, samples)
    parts = _slices(slices, samples, uses[0], unit)
    notes = rounding_notes({"": given})
    plain = System(samples, uses, read_rules(rules), None, of_all=of_all)
    system = make_system(plain, (calibrator, folds, groups, seed), notes)
    metrics = [metrics_for_report(j.in_use, j.use.costs) for j in system.shown]
    drawn = count_replicates(system, metrics, unit, (resamples, seed), progress)
    of_rows = curve_of(samples)
    curve = of_rows if curve is None else curve
    ranking = ranking_of(samples, curve, level, unit)
    least = [(least_cost(use, curve), least_cost(use, of_rows)) for use in system.uses]
    del curve, of_rows  # they hold as much as the samples
    evaluation = Evaluation(
        data=_summary(
            given if of_all is None else of_all.samples,
            system.shown[0].unit(unit),
            adapted_scores=training_priors is not None,
        ),
        applications=tuple(
            application_result(system, i, drawn[i], level, metrics[i], least[i], unit)
            for i in range(len(system.uses))
        ),
        rules=tuple(rule_result(system, i, level, unit) for i in range(len(system.rules))),
        ranking=ranking,
        calibration_errors=calibration_errors_of(system, samples, unit),
        by_class=class_results(system, level, unit),
        slices=slice_results(parts, level),
        level=level,
        calibrator=None if system.stage is None else system.stage.calibrator.name,
        fitted="" if system.stage is None else system.stage.text,
        resamples=resamples,
        seed=seed,
        slope=_slope(samples, unit, level),
        notes=(*notes, *system.notes),
        sketch=_sketch(given, read_training(given, training_priors), system, unit),
    )
    evidence = evidence_of(system, evaluation.applications, unit, level)
    return replace(evaluation, verdicts=verdicts_of(evaluation, evidence))


def _slices(
    slices: "Mapping[str, Column] | Column | Sequence[SliceDecisions] | None",
    samples: Samples,
    use: ApplicationSamples,
    unit: IntArray | None,
) -> "Iterable[SliceDecisions]":
    """Return the slices as they are decisions, those of columns in the main application."""
    if isinstance(slices, tuple) and all(isinstance(part, SliceDecisions) for part in slices):
        return slices
    return decide_slices(use, read_slices(slices, samples), unit)


def _slope(samples: Samples, unit: IntArray | None, level: float) -> Estimate:
    """Return the calibration slope; of many classes it is left out."""
    codes = None if unit is None else np.unique(unit, return_inverse=True)[1]
    return calibration_slope(samples, codes).estimate(level)


def _sketch(
    given: Samples, training: FloatArray | None, system: System, unit: IntArray | None
) -> Sketch:
    """Return the sketch of the scores; it states how many samples there are in all."""
    sources = _sources(given, training, system)
    sketch = sketch_of(sources, adapted=training is not None, grouped=unit is not None)
    if system.of_all is None:
        return sketch
    every = system.of_all.samples
    return replace(sketch, counts=every.counts, priors=every.data_priors(), total=every.n)


def _sources(given: Samples, training: FloatArray | None, system: System) -> list[Source]:
    """Return the system uncalibrated, and calibrated where it was."""
    raw = Source.given("uncalibrated", system.parted(given), training, system)
    return [raw] if system.stage is None else [raw, Source.calibrated("calibrated", system)]


def make_system(
    plain: System,
    stage: tuple[Calibrator | None, Folds, Column | None, int],
    notes: list[str],
) -> System:
    """Return a system with its calibration stage, unless that cannot be fitted."""
    check_names(plain.uses, plain.rules)
    system = plain
    try:
        system = with_calibration(system, *stage)
        if system.stage is not None:
            _ = system.after, system.calibrated_decisions
    except UndefinedMetricError as error:  # the data are too few or too odd to fit on
        if isinstance(error, ImpossibleTruthError):  # of all samples, not those of one fold
            loss = expectation(LogLoss(), plain.samples)
            error = ImpossibleTruthError(loss.infinite_rows, loss.infinite_samples)
        notes.append(error.note("Calibration was left out: "))
        return replace(system, stage=None, _fits={}, _whole={})
    return system


def check_names(uses: tuple[ApplicationSamples, ...], rules: tuple[ScoringRule, ...]) -> None:
    """Refuse rules that are none, and two things of one name: their numbers could not be told."""
    for rule in rules:
        if not isinstance(rule, ScoringRule):
            raise InputError("rules", "must be scoring rules, such as [LogLoss()]", repr(rule))
    names = [*(key_of(rule.name) for rule in rules), *(use.name for use in uses)]
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice:
        found = f"{quoted(twice)} stands for several"
        raise InputError("rules and costs", "must have names of their own", found=found)


def _summary(samples: Samples, unit: IntArray | None, *, adapted_scores: bool) -> DataSummary:
    """Return what was judged."""
    w = (
        np.ones(len(samples))
        if samples.weights is None
        else samples.weights / samples.weights.max()
    )
    mass = times(w, samples.copies)
    weights: FloatArray = np.bincount(samples.y, mass, len(samples.classes))  # type: ignore[assignment]
    return DataSummary(
        n=samples.n,
        classes=samples.classes,
        counts=tuple(samples.counts.tolist()),
        priors=weights / weights.sum(),
        weighted=samples.weights is not None,
        groups=None if unit is None else int(np.unique(unit).size),
        scores=type(samples.scores).__name__,
        adapted=adapted_scores,
    )


def read_rules(rules: Sequence[ScoringRule]) -> tuple[ScoringRule, ...]:
    """Read several scoring rules."""
    if isinstance(rules, ScoringRule | str) or not isinstance(rules, Sequence):
        rule = "must be a list of scoring rules, such as [LogLoss()]"
        raise InputError("rules", rule, repr(rules))
    return tuple(rules)
