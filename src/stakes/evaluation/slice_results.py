"""Slices: the samples that share a value of a column, each with its cost and its verdict."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._check import (
    InputError,
    SliceColumn,
    StakesError,
    read_slice,
    shown_value,
    slice_columns,
)
from stakes._counting import bincount
from stakes._text import plain
from stakes.evaluation.application_decisions import ApplicationDecisions, bayes_decisions
from stakes.evaluation.applications import ApplicationSamples
from stakes.evaluation.findings import SliceResult, Verdict
from stakes.evaluation.slice_measures import ScoresOfSlice, SliceMeasures, traditional_of
from stakes.evaluation.verdicts.usefulness import CostClaim, slice_verdicts
from stakes.metrics.expected_losses import expectation
from stakes.results import ExpectedLoss, normalized_of
from stakes.samples import Samples
from stakes.scoring import LogLoss


def read_slices(slices: Any, samples: Samples) -> dict[str, SliceColumn]:  # noqa: ANN401
    """Return the value of each column for each sample, as texts in an order of their own."""
    out = {}
    for name, values in slice_columns(slices).items():
        column = read_slice(values, name)
        if column.codes.size != samples.n_given:
            number = f"{column.codes.size} for {samples.n_given} samples"
            raise InputError(f"slices {name!r}", "must hold one value per sample", number)
        out[name] = column if samples.row is None else column.some(samples.row)
    return out


@dataclass(frozen=True, eq=False)
class SliceDecisions:
    """The samples of one value of a column: decisions and cross-entropy, or why there are none."""

    column: str
    value: str
    counts: tuple[int, ...]
    decisions: ApplicationDecisions | None = None
    entropy: ExpectedLoss | None = None  # with groups, where there are any
    why: str = ""
    scored: bool = True  # the scores of the samples are known, not only what was decided
    scores: ScoresOfSlice | None = None  # what else is known of them


def decide_slices(
    use: ApplicationSamples, slices: Mapping[str, SliceColumn]
) -> Iterator[SliceDecisions]:
    """Go through the values of each column, with the main application on their samples."""
    for column, (values, codes) in slices.items():
        seen = np.flatnonzero(bincount(codes, minlength=len(values)))
        for k in seen.tolist():
            part = use.part(np.flatnonzero(codes == k))
            groups = part.samples.groups  # those of a slice are numbered from 0
            own = None if groups is None else np.unique(groups, return_inverse=True)[1]
            samples = replace(part.samples, groups=own)
            shown = shown_value(values[k], values)
            name = column, shown, tuple(samples.counts.tolist())
            try:
                decisions = bayes_decisions(replace(part, samples=samples))
                entropy = expectation(LogLoss(), samples)
                yield SliceDecisions(*name, decisions, entropy)
            except StakesError as error:
                yield SliceDecisions(*name, why=str(error))


def slice_results(slices: Iterable[SliceDecisions], level: float) -> tuple[SliceResult, ...]:
    """Return the results of each slice, with verdicts that allow for how many there are."""
    results, claims = [], []
    for part in slices:
        name, n = (part.column, part.value), sum(part.counts)
        where = f"{plain(part.column)} {plain(part.value)}: "
        if part.decisions is None or part.entropy is None:
            none = Verdict("no_verdict", f"{where}No verdict: {part.why}")
            results.append(SliceResult(*name, n, part.counts, None, None, part.why, none))
            continue
        record = part.decisions.cost
        cost, losses = normalized_of(record, level), normalized_of(part.entropy, level)
        why = "" if record.undefined is None else record.undefined.text
        measures = SliceMeasures(traditional=traditional_of(part.decisions, level))
        if part.scored:
            measures = SliceMeasures.from_decisions(part.decisions, level)
        elif part.scores is not None:
            measures = SliceMeasures.from_cells(part.decisions, part.scores, level)
        results.append(
            SliceResult(*name, n, part.counts, cost, losses, why, None, **vars(measures))
        )
        claims.append(CostClaim(record, cost, where))
    said = iter(slice_verdicts(claims, level))
    return tuple(r if r.verdict else replace(r, verdict=next(said)) for r in results)
