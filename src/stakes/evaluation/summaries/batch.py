"""A batch for a summary: what belongs to its samples, checked against what the summary was told."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stakes._check import InputError, read_array, read_column, read_weights
from stakes._text import plain, quoted
from stakes._typing import Column, FloatArray, IntArray
from stakes.evaluation.slice_results import slice_texts
from stakes.evaluation.summaries.slice_sums import CodedColumn
from stakes.scores import Scores
from stakes.summary.group_hashes import group_hashes
from stakes.summary.kept_rows import Hashes
from stakes.summary.members import CheckedBatch, Members

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

    def read(
        self, members: Members, slices: tuple[str, ...] = ()
    ) -> tuple[CheckedBatch, dict[str, CodedColumn], IntArray | None]:
        """Return samples of weight above 0, their slices, and which rows they are if not all."""
        n = self.codes.size
        _check_told("sample_weight", self.sample_weight is not None, "weighted", members.weighted)
        _check_told("groups", self.groups is not None, "grouped", members.grouped)
        weights = _weights(self.sample_weight, n)
        groups = None if self.groups is None else _hashes(self.groups, n)
        named = (
            _named("slices", self.slices, slices),
            _named("columns", self.columns, members.columns),
        )
        coded = {name: _coded(name, column, n) for name, column in named[0].items()}
        amounts = {name: _amounts(name, column, n) for name, column in named[1].items()}
        new = CheckedBatch(np.asarray(self.codes), weights, groups, amounts)
        if weights is None or weights.all():
            return new, coded, None
        kept = np.flatnonzero(weights)
        some = {name: CodedColumn(s.values, s.codes[kept]) for name, s in coded.items()}
        return new.some(kept), some, kept


def _check_told(argument: str, given: bool, option: str, told: bool) -> None:  # noqa: FBT001
    """Refuse what the summary was not told, and the lack of what it was."""
    if given and not told:
        msg = f"{argument} must be left out: the summary was not told of any. Make it with"
        raise InputError(f"{msg} Summary(..., {option}=True).")
    if told and not given:
        msg = f"{argument} must be given with each batch: the summary was told {option}=True."
        raise InputError(msg)


def _named(argument: str, given: Mapping[str, Any], told: tuple[str, ...]) -> dict[str, Any]:
    """Return columns in the order that the summary was told."""
    if not isinstance(given, Mapping):
        msg = f"{argument} must be a mapping from names to columns: got {type(given).__name__}."
        raise InputError(msg)
    missing = [name for name in told if name not in given]
    odd = [name for name in given if name not in told] if argument == "slices" else []
    if missing or odd:
        fault = f"{quoted(missing)} is missing" if missing else f"{quoted(odd)} is not among them"
        msg = f"{argument} must hold the columns that the summary was told, {quoted(told)}:"
        raise InputError(f"{msg} {fault}.")
    return {name: given[name] for name in told}


def _weights(column: Column | None, n: int) -> FloatArray | None:
    """Read weights, which must be plain numbers for their products to be."""
    weights = read_weights(column, n, some=False)  # other batches may have them
    if weights is None:
        return None
    extreme = (weights != 0) & ~((weights >= _LEAST) & (weights <= _LARGEST))
    if extreme.any():
        row = int(extreme.argmax())
        msg = f"sample_weight must be 0 or from {_LEAST} to {_LARGEST} for a summary: got"
        raise InputError(f"{msg} {weights[row]} at row {row}.")
    return weights


def _hashes(groups: "Column | CodedColumn", n: int) -> Hashes:
    """Return a hash of the group of each sample."""
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
    texts = slice_texts(name, column)
    _check_length(f"slices {name!r}", len(texts), n)
    values, codes = np.unique(np.array(texts, dtype=object), return_inverse=True)
    return CodedColumn(values.tolist(), codes)


def _amounts(name: str, column: Column, n: int) -> FloatArray:
    """Read the prices of a column."""
    values = read_array(column, f"column {name!r}")
    if values.ndim != 1:
        msg = f"column {plain(name)!r} must hold one number per sample: got shape {values.shape}."
        raise InputError(msg)
    _check_length(f"column {plain(name)!r}", values.size, n)
    bad = ~(np.isfinite(values) & (values >= 0))
    if bad.any():
        row = int(bad.argmax())
        msg = f"column {plain(name)!r} must hold costs that are finite and at least 0: got"
        raise InputError(f"{msg} {values[row]} at row {row}.")
    return values


def _check_length(what: str, found: int, n: int) -> None:
    """Refuse columns of other lengths."""
    if found != n:
        msg = f"{what} must hold one value per sample: got {found} for {n} samples."
        raise InputError(msg)
