"""Responses by topic or any other column: what each slice is worth."""

from __future__ import annotations

__all__ = ["ResponseSlice"]

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._check import InputError, read_slice, shown_value, slice_columns
from stakes._counting import bincount
from stakes._records import Record
from stakes.costs.confidence_target import ConfidenceTarget
from stakes.evaluation.findings import Verdict, plain_values
from stakes.metrics.multiplicity import level_among
from stakes.responses.constant_rules import beside_constants
from stakes.responses.response_measures import own_measures
from stakes.responses.response_samples import Responses
from stakes.responses.response_verdicts import worth_verdict
from stakes.results import Estimate


@dataclass(frozen=True, eq=False)
class ResponseSlice(Record):
    """The responses that share a value of a column.

    Attributes
    ----------
    column : str
    value : str
    responses : int
        Number of responses.
    numbers : mapping from name to Estimate
    verdict : Verdict

    See Also
    --------
    evaluate_responses : returns it for each value of `slices`.

    Examples
    --------
    >>> import stakes
    >>> said = stakes.Responses([True] * 50 + [True, False] * 25)
    >>> topics = ["history"] * 50 + ["physics"] * 50
    >>> found = stakes.evaluate_responses(said, 0.75, slices=topics)
    >>> [part.value for part in found.slices if part.numbers["utility"].value < 0]  # abstain there
    ['physics']
    """

    column: str
    value: str
    responses: int
    numbers: Mapping[str, Estimate]
    verdict: Verdict

    def __str__(self) -> str:
        return (
            f"{self.column} = {self.value}: {self.responses} responses, {self.numbers['utility']}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain values, ready for JSON."""
        return plain_values(self)


def response_slices(
    responses: Responses,
    slices: Any,  # noqa: ANN401  any columns
    target: ConfidenceTarget,
    level: float,
) -> tuple[ResponseSlice, ...]:
    """Return each slice with a verdict that allows for how many there are."""
    parts = list(slices_of(responses, slices))
    at = level_among(max(len(parts), 1), level)
    return tuple(_slice(*name, responses.part(kept), target, level, at) for name, kept in parts)


def slices_of(
    responses: Responses,
    slices: Any,  # noqa: ANN401  any columns
) -> Iterator[tuple[tuple[str, str], np.ndarray]]:
    """Yield column and value of each slice with the places of its responses."""
    for name, values in slice_columns(slices).items():
        column = read_slice(values, name)
        if column.codes.size != responses.n_given:
            rule = "must hold one value per response"
            got = f"{column.codes.size} for {responses.n_given} responses"
            raise InputError(f"slices {name!r}", rule, got)
        column = column if responses.row is None else column.some(responses.row)
        for k in np.flatnonzero(bincount(column.codes, minlength=len(column.values))).tolist():
            shown = shown_value(column.values[k], column.values)
            yield (name, shown), np.flatnonzero(column.codes == k)


def _slice(
    name: str, value: str, part: Responses, target: ConfidenceTarget, level: float, at: float
) -> ResponseSlice:
    own, strict = own_measures(part, level), own_measures(part, at)
    record, normalized = strict.normalized(target)
    naive = str(record.naive_answer), target.utility(record.naive)
    constants = beside_constants(own, target)
    verdict = worth_verdict(target, strict.utility(target), normalized, naive, constants, at)
    return ResponseSlice(name, value, len(part), own.all_of(target), verdict)
