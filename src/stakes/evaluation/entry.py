"""Everything about a system at once: the one entry point behind the command line and the report."""

__all__ = ["evaluate"]

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from stakes._typing import Column, NamesLike, PriorsLike
from stakes.calibration import AffineCalibrator, Calibrator
from stakes.calibration.crossfit import Folds
from stakes.evaluation.applications import Applications, adapted, classes_of
from stakes.evaluation.assembly import RULES, evaluate_samples
from stakes.evaluation.findings import Evaluation
from stakes.evaluation.least_cost import curve_of
from stakes.evaluation.named_columns import columns_of
from stakes.evaluation.parts import rounding_notes
from stakes.intervals import Progress
from stakes.samples import Samples, read_samples
from stakes.scores import Posteriors, Scores
from stakes.scoring import ScoringRule

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
        table = columns_of(
            y_true,
            label,
            [scores],
            kind,
            costs=costs,
            sample_weight=sample_weight,
            groups=groups,
            slices=slices,
        )
        y_true, (scores,), costs = table.y_true, table.scores, table.costs
        sample_weight, groups = table.sample_weight, table.groups
        slices = table.slices
    named = classes if classes is not None else classes_of(costs)
    given = read_samples(y_true, scores, priors=priors, sample_weight=sample_weight, classes=named)
    cells = None
    if _gathers(given, folds, groups, slices):
        from stakes.evaluation.summaries.two_classes import gathered  # noqa: PLC0415  for many samples

        cells = gathered(given, costs, training_priors, rules)
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
        curve=None if cells is None else curve_of(adapted(given, training_priors)),
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
