"""Slices: the samples that share a value of a column, each with its cost and its verdict."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._check import InputError, StakesError, columns_by_name, is_table, read_column
from stakes._text import plain
from stakes._typing import Column
from stakes.evaluation.application_decisions import ApplicationDecisions, bayes_decisions, rule_loss
from stakes.evaluation.applications import ApplicationSamples
from stakes.evaluation.findings import SliceResult, Verdict
from stakes.evaluation.slice_measures import SliceMeasures, traditional_of
from stakes.evaluation.verdicts.usefulness import CostClaim, naive_p_value, slice_verdicts
from stakes.metrics.expected_losses import expectation
from stakes.results import ExpectedLoss, normalized_of
from stakes.samples import Samples
from stakes.scoring import LogLoss


def read_slices(
    slices: "Mapping[str, Column] | Column | None", samples: Samples
) -> dict[str, list[str]]:
    """Return the value of each column for each sample, as texts."""
    if slices is None:
        return {}
    if not isinstance(slices, Mapping):  # the columns of a data frame are slices
        slices = columns_by_name(slices) if is_table(slices) else {"slice": slices}
    out = {}
    for name, values in slices.items():
        texts = slice_texts(name, values)
        if len(texts) != samples.n_given:
            number = f"{len(texts)} for {samples.n_given} samples"
            raise InputError(f"slices {name!r}", "must hold one value per sample", number)
        rows = samples.row
        out[str(name)] = texts if rows is None else [texts[r] for r in rows.tolist()]
    return out


def slice_texts(name: str, values: Any) -> list[str]:  # noqa: ANN401  any column
    """Return the value of each sample as a text."""
    categories = getattr(getattr(values, "dtype", None), "categories", None)
    ranges = str(getattr(categories, "dtype", "")).startswith("interval")  # of pandas.cut
    if ranges and not values.isna().any():  # what is missing is refused with its row
        values = [str(value) for value in values]
    column = read_column(values, f"slices {name!r}")
    known = np.asarray(column.values)
    return [str(v) for v in (known.astype(bool) if column.truth else known).tolist()]


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


def decide_slices(
    use: ApplicationSamples, slices: Mapping[str, list[str]]
) -> Iterator[SliceDecisions]:
    """Go through the values of each column, with the main application on their samples."""
    for column, texts in slices.items():
        values, code = np.unique(np.array(texts, dtype=object), return_inverse=True)
        for k, value in enumerate(values):
            part = use.part(np.flatnonzero(code == k))
            groups = part.samples.groups  # those of a slice are numbered from 0
            own = None if groups is None else np.unique(groups, return_inverse=True)[1]
            samples = replace(part.samples, groups=own)
            name = column, str(value), tuple(samples.counts.tolist())
            try:
                decisions = bayes_decisions(replace(part, samples=samples))
                entropy = rule_loss(LogLoss(), expectation(LogLoss(), samples), samples)
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
        record = part.decisions.grouped_cost
        cost, losses = normalized_of(record, level), normalized_of(part.entropy, level)
        why = "" if record.undefined is None else record.undefined.text
        measures = SliceMeasures(traditional=traditional_of(part.decisions, level))
        if part.scored:
            measures = SliceMeasures.from_decisions(part.decisions, level)
        results.append(
            SliceResult(*name, n, part.counts, cost, losses, why, None, **vars(measures))
        )
        claims.append(CostClaim(record, cost, naive_p_value(part.decisions, cost), where))
    said = iter(slice_verdicts(claims, level))
    return tuple(r if r.verdict else replace(r, verdict=next(said)) for r in results)
