"""A batch for a summary: what belongs to its samples, checked against what the summary was told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stakes._check import InputError, read_array, read_column, read_slice, read_weights
from stakes._text import plain, quoted
from stakes._typing import Column, FloatArray, IntArray
from stakes.evaluation.summaries.slice_sums import CodedColumn
from stakes.scores import Scores
from stakes.summary.kept_rows import Hashes
from stakes.summary.members import CheckedBatch, Members, group_hashes

_LEAST, _LARGEST = 1e-100, 1e100  # weights whose products and squares are plain numbers


@dataclass(frozen=True, eq=False)
class Batch:
    """Labels as numbers of classes, scores that were checked, and columns as they came."""

    codes: IntArray
    scores: Scores
    sample_weight: Column | None = None
    groups: "Column | CodedColumn | None" = None
    slices: Mapping[str, "Column | CodedColumn"] = field(default_factory=dict)
    columns: Mapping[str, Column] = field(default_factory=dict)
    systems: Mapping[str, Scores] = field(default_factory=dict)  # the scores of each, if several
    rows: IntArray | None = None  # of the columns, where labels and scores are of some rows alone
    n_given: int = 0  # how many rows the columns have then

    def read(
        self, members: Members, slices: tuple[str, ...] = ()
    ) -> tuple[CheckedBatch, dict[str, CodedColumn], IntArray | None]:
        """Return samples of weight above 0, their slices, and which rows they are if not all."""
        n = self.codes.size if self.rows is None else self.n_given
        _check_told("sample_weight", self.sample_weight is not None, "weighted", members.weighted)
        _check_told("groups", self.groups is not None, "grouped", members.grouped)
        weights = _weights(self.sample_weight, n)
        groups = None if self.groups is None else _hashes(self.groups, n)
        of_slices = _named("slices", self.slices, slices)
        of_costs = _named("columns", self.columns, members.columns)
        coded = {name: _coded(name, column, n) for name, column in of_slices.items()}
        amounts = {name: _amounts(name, column, n) for name, column in of_costs.items()}
        y, rows = np.asarray(self.codes), self.rows
        if rows is not None:  # of the others nothing is used
            y = np.zeros(n, dtype=np.int64)
            y[rows] = self.codes
        new = CheckedBatch(y, weights, groups, amounts)
        if rows is not None:
            new = new.some(rows)
            coded = {name: column.some(rows) for name, column in coded.items()}
        if new.weights is None or new.weights.all():
            return new, coded, None
        kept = np.flatnonzero(new.weights)
        return new.some(kept), {name: column.some(kept) for name, column in coded.items()}, kept


def _check_told(argument: str, given: bool, option: str, told: bool) -> None:  # noqa: FBT001
    if given and not told:
        rule = "must be left out"
        hint = f"Make it with Summary(..., {option}=True)."
        raise InputError(argument, rule, found="the summary was created without any", hint=hint)
    if told and not given:
        rule = "must be given with each batch"
        raise InputError(argument, rule, found=f"the summary was created with {option}=True")


def _named(argument: str, given: Mapping[str, Any], told: tuple[str, ...]) -> dict[str, Any]:
    """Return columns in the order that the summary was told."""
    if not isinstance(given, Mapping):
        raise InputError(argument, "must be a mapping from names to columns", type(given).__name__)
    missing = [name for name in told if name not in given]
    odd = [name for name in given if name not in told] if argument == "slices" else []
    if missing or odd:
        fault = f"{quoted(missing)} is missing" if missing else f"{quoted(odd)} is not among them"
        rule = f"must hold the columns given to the summary, {quoted(told)}"
        raise InputError(argument, rule, found=fault)
    return {name: given[name] for name in told}


def _weights(column: Column | None, n: int) -> FloatArray | None:
    """Read weights, which must be plain numbers for their products to be."""
    weights = read_weights(column, n, some=False)  # other batches may have them
    if weights is None:
        return None
    extreme = (weights != 0) & ~((weights >= _LEAST) & (weights <= _LARGEST))
    if extreme.any():
        row = int(extreme.argmax())
        rule = f"must be 0 or from {_LEAST} to {_LARGEST} for a summary"
        raise InputError("sample_weight", rule, weights[row], row=row)
    return weights


def _hashes(groups: "Column | CodedColumn", n: int) -> Hashes:
    if isinstance(groups, CodedColumn):
        return group_hashes(groups.values)[groups.codes]
    column = read_column(groups, "groups")
    _check_length("groups", len(column), n)
    if not isinstance(column.values, list):
        return group_hashes(column.values)
    names, codes = np.unique(np.array(column.values, dtype=object), return_inverse=True)
    return group_hashes(names.tolist())[codes]


def _coded(name: str, column: "Column | CodedColumn", n: int) -> CodedColumn:
    """Return the values of a column, each once, and which of them each sample has."""
    if isinstance(column, CodedColumn):
        return column
    found = read_slice(column, name)
    _check_length(f"slices {name!r}", found.codes.size, n)
    return CodedColumn(*found)


def _amounts(name: str, column: Column, n: int) -> FloatArray:
    shown = f"column {plain(name)!r}"
    values = read_array(column, f"column {name!r}")
    if values.ndim != 1:
        raise InputError(shown, "must hold one number per sample", f"shape {values.shape}")
    _check_length(shown, values.size, n)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(bad.argmax())
        rule = "must hold costs that are finite and at least 0"
        raise InputError(shown, rule, values[row], row=row)
    return values


def _check_length(what: str, found: int, n: int) -> None:
    if found != n:
        raise InputError(what, "must hold one value per sample", f"{found} for {n} samples")
