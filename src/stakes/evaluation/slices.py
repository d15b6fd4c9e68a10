"""Slices: the samples that share a value of a column, each with its cost and its verdict."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from stakes._check import InputError, StakesError, columns_by_name, is_table, read_column
from stakes._text import plain
from stakes._typing import Column, IntArray
from stakes.costs import SampleCosts
from stakes.evaluation.applications import Task
from stakes.evaluation.records import SliceResult, Verdict
from stakes.evaluation.systems import Judgement, judge
from stakes.evaluation.verdicts.evidence import naive_p_value
from stakes.evaluation.verdicts.families import IntervalAt
from stakes.evaluation.verdicts.usefulness import CostClaim, slice_verdicts
from stakes.intervals import (
    NOT_DRAWN,
    LossStatistic,
    Priced,
    Replicates,
    Resampling,
    Weighing,
    replicate,
)
from stakes.metrics.scores import expectation, sample_losses
from stakes.results import Estimate, ExpectedLoss
from stakes.samples import Samples
from stakes.scoring import BayesCost, LogLoss


def read_slices(
    slices: "Mapping[str, Column] | Column | None", samples: Samples
) -> dict[str, list[str]]:
    """Return the value of each column for each sample, as texts."""
    if slices is None:
        return {}
    out = {}
    for name, values in _by_name(slices).items():
        column = read_column(_ranges_as_texts(values), f"slices {name!r}")
        if len(column) != samples.n_given:
            msg = f"slices {name!r} must hold one value per sample: got {len(column)}"
            raise InputError(f"{msg} for {samples.n_given} samples.")
        known = np.asarray(column.values)
        texts = [str(v) for v in (known.astype(bool) if column.truth else known).tolist()]
        rows = samples.row
        out[str(name)] = texts if rows is None else [texts[r] for r in rows.tolist()]
    return out


def _by_name(slices: "Mapping[str, Column] | Column") -> Mapping[str, Column]:
    """Return slices by name; the columns of a data frame are slices."""
    if isinstance(slices, Mapping):
        return slices
    return columns_by_name(slices) if is_table(slices) else {"slice": slices}


def _ranges_as_texts(values: Column) -> Column:
    """Return the ranges that pandas.cut makes as texts; anything else as it is."""
    categories = getattr(getattr(values, "dtype", None), "categories", None)
    ranges = str(getattr(categories, "dtype", "")).startswith("interval")
    if not ranges or bool(values.isna().any()):  # what is missing is refused with its row
        return values
    return [str(value) for value in values]


@dataclass(frozen=True)
class _Plan:
    """The level of the intervals, and how often groups are drawn, with which seed."""

    level: float
    resamples: int
    seed: int


def slice_results(
    task: Task,
    slices: Mapping[str, list[str]],
    level: float,
    unit: IntArray | None,
    drawing: tuple[int, int],
) -> tuple[SliceResult, ...]:
    """Return the results of the main application for each value of each column."""
    plan = _Plan(level, *drawing)
    found: list[tuple[SliceResult, CostClaim | None]] = []
    for column, texts in slices.items():
        values, code = np.unique(np.array(texts, dtype=object), return_inverse=True)
        for k, value in enumerate(values):
            rows = np.flatnonzero(code == k)
            group = None if unit is None else np.unique(unit[rows], return_inverse=True)[1]
            found.append(_slice((column, str(value)), task.part(rows), group, plan))
    said = iter(slice_verdicts([claim for _, claim in found if claim is not None], level))
    verdicts = [_none(s) if claim is None else next(said) for s, claim in found]
    return tuple(replace(s, verdict=v) for (s, _), v in zip(found, verdicts, strict=True))


def _none(s: SliceResult) -> Verdict:
    """Return the verdict on a slice without a cost."""
    return Verdict("no_verdict", f"{plain(s.column)} {plain(s.value)}: No verdict: {s.why}")


def _slice(
    name: tuple[str, str], task: Task, unit: IntArray | None, plan: _Plan
) -> tuple[SliceResult, CostClaim | None]:
    """Return the results for one value, and what there is to say of its cost."""
    samples = task.samples
    counts = tuple(np.bincount(samples.y, minlength=len(samples.classes)).tolist())
    try:
        judged, entropy = judge(task), expectation(LogLoss(), samples)
    except StakesError as error:
        return SliceResult(*name, len(samples), counts, None, None, str(error)), None
    if unit is None:
        cost, losses = (_closed(record, plan.level) for record in (judged.cost, entropy))
        interval_at: IntervalAt = judged.cost.normalized_interval
    else:
        cost, losses, interval_at = _grouped(judged, samples, unit, plan)
    undefined = judged.cost.undefined
    why = "" if undefined is None else undefined.text
    result = SliceResult(*name, len(samples), counts, cost, losses, why)
    where = f"{plain(name[0])} {plain(name[1])}: "
    return result, CostClaim(
        judged.cost, cost, interval_at, naive_p_value(judged, cost, unit), where
    )


def _closed(record: ExpectedLoss, level: float) -> Estimate:
    """Return a normalised loss with its interval in closed form."""
    return Estimate(record.normalized, record.normalized_interval(level), "closed form")


def _grouped(
    judged: Judgement, samples: Samples, unit: IntArray, plan: _Plan
) -> tuple[Estimate, Estimate, IntervalAt]:
    """Return the two normalised losses of a slice, its groups drawn whole."""
    rule, costs = LogLoss(), judged.task.costs
    values = judged.cost.normalized, expectation(rule, samples).normalized
    alone = unit.max() == 0
    if (
        alone
        or plan.resamples == 0
        or not np.isfinite(values).all()
        or isinstance(costs, SampleCosts)
    ):
        why = "one group cannot show how others differ" if alone else NOT_DRAWN
        bare = (Estimate(value, None, why) for value in values)
        return *bare, lambda _: None  # type: ignore[return-value]
    given = None if samples.priors_from_data else samples.priors
    priced_by = BayesCost(costs)
    priced = [
        Priced("cost", "nec", judged.losses(), rule.of, priced_by.naive),
        Priced("entropy", "nec", sample_losses(rule, samples), rule.of, rule.naive),
    ]
    statistic = LossStatistic(Weighing(samples.y, len(samples.classes), given), priced)
    how = Resampling(len(samples), plan.seed, unit=unit, weights=samples.weights)
    drawn: Replicates = replicate([statistic], how, plan.resamples)
    return (
        drawn.estimate("cost.nec", plan.level, values[0]),
        drawn.estimate("entropy.nec", plan.level, values[1]),
        lambda level: drawn.estimate("cost.nec", level, values[0]).interval,
    )
