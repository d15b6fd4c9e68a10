"""Everything about a system at once: the one road behind the command line and the report."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stakes._check import InputError, read_level
from stakes._typing import Column, FloatArray, IntArray, NamesLike, PriorsLike
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.calibration.crossfit import Folds, group_codes
from stakes.curves import RocCurve
from stakes.evaluation.applications import Applications, classes_of, read_tasks
from stakes.evaluation.decisions import suited_metrics
from stakes.evaluation.parts import (
    application_result,
    class_results,
    loss_result,
    ranking_of,
    read_slices,
    slice_results,
)
from stakes.evaluation.records import DataSummary, Evaluation
from stakes.evaluation.systems import System, read_stage
from stakes.evaluation.verdicts import verdicts_of
from stakes.intervals import Progress, replicate, seed_of
from stakes.metrics.reliability import binned_errors
from stakes.samples import Samples, read_samples
from stakes.scores import Scores
from stakes.scoring import BrierLoss, LogLoss, ScoringRule
from stakes.statistics import ScoreLevels

RULES: tuple[ScoringRule, ...] = (LogLoss(), BrierLoss())


def evaluate(  # noqa: PLR0913  the data, the applications, the calibration stage, the intervals
    y_true: Column,
    scores: Scores | Column,
    *,
    costs: Applications | None = None,
    priors: PriorsLike | None = None,
    calibrator: Calibrator | None = AffineCalibrator(),  # noqa: B008  never fitted itself
    folds: Folds = 5,
    level: float = 0.95,
    resamples: int = 1000,
    groups: Column | None = None,
    slices: "Mapping[str, Column] | Column | None" = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    rules: Sequence[ScoringRule] = RULES,
    rng: int | np.random.Generator = 0,
    progress: Progress | None = None,
) -> Evaluation:
    """Evaluate a system: what it costs, whether it is any use, how good its probabilities are.

    Parameters
    ----------
    y_true, scores, priors, sample_weight, classes
        As for `expected_loss`.
    costs : CostMatrix, SampleCosts, array, or mapping from name to these or Application, optional
        By default 1 for each error. Several applications are judged side by side.
    calibrator : Calibrator or None
        The stage that tells how much calibration would give back; None leaves it out.
    folds, groups
        As for `cross_calibrate`; groups are also drawn whole in the intervals.
    level : float
        Of the intervals.
    resamples : int
        How often samples are drawn again for intervals that have no closed form; 0 for none.
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
    ['not_told_apart', 'calibration_would_help', 'few_errors']
    """
    named = classes if classes is not None else classes_of(costs)
    samples = read_samples(
        y_true, scores, priors=priors, sample_weight=sample_weight, classes=named
    )
    read_level(level)
    check_resamples(resamples)
    seed = seed_of(rng)
    unit = None if groups is None else group_codes(groups, samples)
    notes: list[str] = []
    system = make_system(samples, costs, tuple(rules), (calibrator, folds, groups, seed), notes)
    metrics = [suited_metrics(j.in_use, j.task.costs) for j in system.judgements]
    drawn = None
    if resamples:
        plan = system.resampling(unit, seed)
        drawn = replicate(system.statistics(metrics), plan, resamples, progress)
    kept = read_slices(slices, samples)
    curve = _curve(samples)
    evaluation = Evaluation(
        data=_summary(samples, unit),
        applications=tuple(
            application_result(system, i, drawn, level, metrics[i], curve, unit)
            for i in range(len(system.tasks))
        ),
        rules=tuple(loss_result(system, i, drawn, level, unit) for i in range(len(rules))),
        ranking=ranking_of(samples, curve, drawn, level, unit),
        calibration_errors=binned_errors(samples),
        by_class=class_results(system, level),
        slices=slice_results(system.tasks[0], kept, level, unit, (resamples, seed)),
        level=level,
        calibrator=None if system.stage is None else system.stage.calibrator.name,
        fitted="" if system.stage is None else system.stage.text,
        resamples=resamples,
        seed=seed,
        notes=(*notes, *system.notes),
    )
    return replace(evaluation, verdicts=verdicts_of(evaluation))


def make_system(
    samples: Samples,
    costs: Applications | None,
    rules: tuple[ScoringRule, ...],
    stage: tuple[Calibrator | None, Folds, Column | None, int],
    notes: list[str],
) -> System:
    """Return the system, with its calibration stage unless that cannot be fitted."""
    tasks = read_tasks(costs, samples)
    calibrator, folds, groups, seed = stage
    try:
        system = System(samples, tasks, rules, read_stage(calibrator, samples, folds, groups, seed))
        if system.stage is not None:
            _ = system.after, system.judgements_after
    except InputError as error:
        if calibrator is not None and not isinstance(calibrator, Calibrator):
            raise
        notes.append(f"Calibration was left out: {error}")
        return System(samples, tasks, rules, None)
    return system


def _curve(samples: Samples) -> RocCurve | None:
    """Return the ROC curve of two classes that both occur."""
    if len(samples.classes) != 2:
        return None
    levels = ScoreLevels.of(samples.scores.ranks(), samples.y, samples.weights)
    return RocCurve(levels, samples.classes) if all(levels.totals) else None


def _summary(samples: Samples, unit: IntArray | None) -> DataSummary:
    """Return what was judged."""
    counts = np.bincount(samples.y, minlength=len(samples.classes))
    weights: FloatArray = counts.astype(np.float64)
    if samples.weights is not None:
        weights = np.bincount(samples.y, samples.weights, len(samples.classes))  # type: ignore[assignment]
    return DataSummary(
        n=len(samples),
        classes=samples.classes,
        counts=tuple(counts.tolist()),
        priors=weights / weights.sum(),
        weighted=samples.weights is not None,
        groups=None if unit is None else int(np.unique(unit).size),
        scores=type(samples.scores).__name__,
    )


def check_resamples(resamples: int) -> None:
    """Refuse anything but a whole number: 0, or enough for an interval."""
    whole = isinstance(resamples, int | np.integer) and not isinstance(resamples, bool)
    if not whole or (resamples != 0 and resamples < 50):
        msg = f"resamples must be 0 or a whole number of at least 50: got {resamples!r}."
        raise InputError(msg)
