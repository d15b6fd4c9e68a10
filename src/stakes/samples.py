"""Samples: labels, scores and weights, checked once; everything inside trusts them."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from stakes._check import (
    FEWEST_DECIDED,
    InputError,
    LabelColumn,
    are_decided,
    as_numpy,
    check_rows,
    check_seen,
    encode,
    read_column,
    read_priors,
    read_table,
    read_weights,
)
from stakes._counting import bincount
from stakes._kernels.group_sums import sum_by
from stakes._math import count_by, quotient, shares, times, weight_exponents
from stakes._text import quoted
from stakes._typing import (
    Column,
    FloatArray,
    IntArray,
    Label,
    Names,
    NamesLike,
    NDArray,
    PriorsLike,
)
from stakes.scores import Answers, Scores, as_scores, class_names, names_as

_WHOLE = re.compile(r"-?[0-9]+")
PLAIN = (1e-100, 1e100)  # weights whose squares and sums need no scale
_RENAME = (
    "The columns of scores name the classes: rename them, or pass scores.to_numpy() with"
    " classes=[...] in the order of its columns."
)
_SIGNS = (-1, 1)
_BLOCK = 65_536  # rows at a time, so that temporary tables stay small
_MOST_AT_ONCE = 2**18  # samples; beyond, to go over them twice costs less than fresh memory
_MOST_POSTERIORS = 2**22  # beyond, they are computed some rows at a time
_CELLS, _FEWEST_ROWS = 2**18, 1024  # the same where rows are long


@dataclass(frozen=True, eq=False)
class KnownSums:
    """Sums of losses that were added up sample by sample, at some priors or at any."""

    sums: Mapping[Any, Any]  # by scoring rule
    priors: FloatArray | None  # None: the losses do not depend on them

    def loss_sums(self, rule: Any, priors: FloatArray) -> Any:  # noqa: ANN401  both are of layers above
        """Return the sums of a rule at these priors; None where they are not known."""
        if self.priors is None or np.array_equal(priors, self.priors):
            return self.sums.get(rule)
        return None


@dataclass(frozen=True, eq=False)
class Samples:
    """Coded labels, scores and weights above 0; `row` tells where each sample stood.

    With `copies` a row stands for that many samples of its label, score and weight. Sums take
    `mass`, squares of what one sample adds take its copies, and counts take copies alone.
    """

    y: IntArray
    scores: Scores
    weights: FloatArray | None
    classes: Names
    row: IntArray | None
    priors: FloatArray
    priors_from_data: bool
    n_given: int  # how many rows there were, those of weight 0 included
    copies: IntArray | None = None  # samples that each row stands for, at least 1; None: one each
    known: "KnownSums | None" = None  # exact sums of losses, where rows are those of a summary
    groups: IntArray | None = None  # the group of each row as a number, where they come in groups
    ignored: int = 0  # rows that were left out for their label

    @classmethod
    def from_codes(
        cls,
        y: IntArray,
        scores: Scores,
        weights: FloatArray | None,
        classes: Names,
        priors: FloatArray | None,
        **more: Any,  # noqa: ANN401  further fields
    ) -> "Samples":
        """Return coded samples at some priors, or at the shares of the classes in the data."""
        more = {"row": None, "n_given": y.size, **more, "priors_from_data": priors is None}
        used = np.empty(0) if priors is None else priors
        out = cls(y, scores, weights, classes, priors=used, **more)
        return replace(out, priors=out.data_priors()) if priors is None else out

    def __len__(self) -> int:
        """Return the number of rows."""
        return self.y.size

    @cached_property
    def n(self) -> int:
        """The number of samples."""
        return len(self) if self.copies is None else int(self.copies.sum())

    @cached_property
    def counts(self) -> IntArray:
        """The number of samples of each class."""
        return count_by(self.y, self.copies, len(self.classes))

    @property
    def given_priors(self) -> FloatArray | None:
        """The priors, unless they are those of the data."""
        return None if self.priors_from_data else self.priors

    @property
    def mass(self) -> FloatArray | None:
        """The weight of all copies of each row; None where all weigh 1."""
        if self.weights is None:
            return None if self.copies is None else self.copies.astype(np.float64)
        return times(self.weights, self.copies)

    def with_copies(self, kept: IntArray, copies: IntArray | None) -> "Samples":
        """Return rows, each perhaps several times, that stand for other numbers of samples."""
        return replace(
            self,
            y=self.y[kept],
            scores=self.scores.part(kept),
            weights=None if self.weights is None else self.weights[kept],
            row=self.rows(kept),
            copies=copies,
            groups=None if self.groups is None else self.groups[kept],
        )

    def rows(self, kept: IntArray) -> IntArray:
        """Return where samples stood in the arguments."""
        return kept if self.row is None else self.row[kept]

    def part(self, kept: IntArray) -> "Samples":
        """Return some of the samples; priors from the data become those of the part."""
        copies = None if self.copies is None else self.copies[kept]
        part = replace(self.with_copies(kept, copies), known=None)
        return replace(part, priors=part.data_priors()) if self.priors_from_data else part

    def data_priors(self) -> FloatArray:
        """Return the share of each class in the data, whatever priors were given."""
        n = len(self.classes)
        if self.weights is None:
            return self.counts / self.n
        exponent = weight_exponents(self.y, self.weights, n)
        scaled = times(np.ldexp(self.weights, -exponent[self.y]), self.copies)
        return shares(sum_by(self.y, scaled, n), exponent)

    def class_factors(self) -> FloatArray | None:
        """Return prior over share in the data of each class; None where these are the same.

        A sample that counts that many times makes a file of other proportions one of these priors.
        """
        if self.priors_from_data:
            return None
        share = self.data_priors()
        check_seen(self.priors, share, self.classes)
        return quotient(self.priors, share)

    def weights_at_priors(self) -> FloatArray | None:
        """Return plain weights at the priors of use; None where all weigh 1."""
        factors, weights = self.class_factors(), self.plain_weights()
        if factors is None:
            return weights
        return factors[self.y] if weights is None else weights * factors[self.y]

    def plain_weights(self) -> FloatArray | None:
        """Return weights, extreme ones on a scale where squares are numbers; None if all are 1."""
        weights = self.weights
        if weights is None or PLAIN[0] < weights.max() < PLAIN[1]:
            return weights
        return np.ldexp(weights, -int(np.frexp(weights.max())[1]))

    def with_scores(self, scores: Scores) -> "Samples":
        """Return the same samples with other scores."""
        return replace(self, scores=scores, known=None)

    def scaled_weights(self) -> FloatArray:
        """Return the weight of one sample of each row, the largest 1."""
        return np.ones(len(self)) if self.weights is None else self.weights / self.weights.max()

    def balanced_mass(self) -> FloatArray:
        """Return the weight of all copies of each row: in all 1, of each class its prior."""
        return times(self.balanced_weights(), self.copies)

    def balanced_weights(self) -> FloatArray:
        """Return the weight of one sample of each row: in all 1, of each class its prior."""
        w = self.scaled_weights()
        totals = bincount(self.y, times(w, self.copies), len(self.classes))
        share = quotient(self.priors, totals)
        return w * share[self.y]

    @property
    def many(self) -> bool:
        """Whether there are so many, all of one weight, that a number for each is not held."""
        return self.weights is None and self.copies is None and len(self) > _MOST_AT_ONCE

    @property
    def large(self) -> bool:
        """Whether posteriors are so many that they are computed some rows at a time."""
        cells = len(self) * len(self.classes)
        return self.copies is None and (self.many or cells > _MOST_POSTERIORS)

    def blocks(self) -> Iterator[tuple[slice, IntArray, Answers]]:
        """Yield labels and posteriors of some thousand samples at a time."""
        size = max(_FEWEST_ROWS, min(_BLOCK, _CELLS // len(self.classes)))
        for start in range(0, len(self), size):
            part = slice(start, start + size)
            yield part, self.y[part], self.scores.part(part).answers(self.priors)


def read_samples(
    y_true: Column,
    scores: Scores | Column,
    priors: PriorsLike | None = None,
    sample_weight: Column | None = None,
    classes: NamesLike | None = None,
    *,
    kind: type[Scores] | None = None,
    ignore_index: Label | None = None,
) -> Samples:
    """Check labels, scores, weights and priors together; samples of weight 0 are absent.

    So are those whose label is `ignore_index`, whatever their scores are.
    """
    every = read_column(y_true, "y_true")
    column, typed, names = paired(every, scores, classes, ignore_index, kind)
    n_given, ignored = len(every), len(every) - len(column)
    weights = read_weights(sample_weight, n_given)
    if weights is not None and ignored:
        weights = read_weights(weights[column.row], len(column))
    if weights is not None and not weights.all():
        kept = np.flatnonzero(weights)
        column, weights, typed = column.part(kept), weights[kept], typed.part(kept)
    hint = _RENAME if typed.names is not None and classes is None else ""
    why = "" if typed.values.ndim == 1 else f" (scores have {len(names)} columns)"
    y = encode(column, names, "classes", why, hint)
    given = read_priors(priors, names)
    if given is None and typed.needs_priors and priors is None:
        raise typed.lacks_priors()
    more = {"row": column.row, "n_given": n_given, "ignored": ignored}
    return Samples.from_codes(y, typed, weights, names, given, **more)


def plain_arrays(
    y_true: Column, scores: Scores | Column
) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return labels and one column of scores where kernels can read them as they lie, or None."""
    y_true, scores = as_numpy(y_true, "y_true"), as_numpy(scores, "scores")
    if type(y_true) is not np.ndarray or type(scores) is not np.ndarray:
        return None
    if y_true.dtype.kind not in "iub" or scores.dtype not in (np.float64, np.float32):
        return None
    if scores.ndim != 1 or scores.shape != y_true.shape or scores.size == 0:
        return None
    if are_decided(scores):  # perhaps decisions, which are refused in words
        return None
    return y_true, scores


def plain_names(y_true: NDArray[Any]) -> Names:
    """Return the names of two classes that no one has named, for labels of 0 and 1."""
    return (False, True) if y_true.dtype.kind == "b" else (0, 1)


def read_pair(
    y_true: Column, scores: Scores | Column, classes: NamesLike | None
) -> tuple[LabelColumn, Scores, Names]:
    """Read labels and scores of the same samples, and the names of the classes."""
    return paired(read_column(y_true, "y_true"), scores, classes)


def paired(
    column: LabelColumn,
    scores: Scores | Column,
    classes: NamesLike | None,
    ignore_index: Label | None = None,
    kind: type[Scores] | None = None,
    fewest: int = FEWEST_DECIDED,
) -> tuple[LabelColumn, Scores, Names]:
    """Read scores of labels, and the names of the classes; rows of one label are left out."""
    kept = column.without(ignore_index)
    if kept is column:
        typed = as_scores(scores, kind, fewest=fewest)
        check_rows(len(typed), len(column), columns=typed.n_classes)
    else:
        typed = _some_scores(scores, kind, kept.row, len(column), fewest)
        column = kept
    if typed.names is not None and not isinstance(column.values, list):
        typed = typed.named(names_as(typed.names, _said_by(typed.names, truth=column.truth)))
    names = class_names(typed, classes)
    if names is None and column.truth and typed.n_classes == 2:
        names = (False, True)
    if names is None and typed.n_classes == 2 and _are_signs(column.values):
        names = _SIGNS
    if names is None:
        names = tuple(range(typed.n_classes))
        if typed.values.ndim == 1 and not isinstance(column.values, list):
            count = int(column.values.max()) + 1
            if count > 2 and (two := _two_numbers(column.values)):
                rule, hint = "must be named", f"Pass classes={list(two)}, the class of scores last."
                raise InputError("classes", rule, f"labels {quoted(two)}", hint=hint)
            if count > 2:
                labels = f"where y_true has labels up to {count - 1} ({count} classes)"
                got = f"a 1-D column of {type(typed).__name__}, which is binary, {labels}"
                rule = "must have one column per class"
                raise InputError("scores", rule, got, code="columns_per_class")
    return column, typed.ordered(names), names


def _two_numbers(labels: IntArray) -> tuple[int, ...]:
    """Return the labels where there are two of them; else none."""
    ends = int(labels.min()), int(labels.max())
    return ends if ends[0] < ends[1] and np.isin(labels, ends).all() else ()


def _are_signs(labels: IntArray | list[Any]) -> bool:
    """Whether labels are -1 and 1, as some libraries name two classes."""
    if isinstance(labels, list) or labels.min() != _SIGNS[0]:
        return False
    return bool(((labels == _SIGNS[0]) | (labels == _SIGNS[1])).all())


def _said_by(columns: Names, *, truth: bool) -> Names:
    """Return the numbers, or truth values, that names of columns say, where all of them do."""
    if truth:
        return (False, True)
    texts = [name for name in columns if isinstance(name, str) and _WHOLE.fullmatch(name)]
    return tuple(map(int, texts)) if len(texts) == len(columns) else ()


def _some_scores(
    scores: Scores | Column,
    kind: type[Scores] | None,
    rows: IntArray | None,
    n: int,
    fewest: int,
) -> Scores:
    """Read the scores of some rows, whatever the others are."""
    if isinstance(scores, Scores):
        check_rows(len(scores), n)
        return as_scores(scores, kind).part(rows)  # type: ignore[arg-type]
    table, names, _ = read_table(scores)
    check_rows(len(table), n)
    try:
        typed = as_scores(table[rows], kind, fewest=fewest)
    except InputError as error:
        if rows is None or error.place is None or error.place.row is None:
            raise
        place = replace(error.place, row=int(rows[error.place.row]))
        raise error.moved(place=place) from None
    return typed if names is None else typed.named(names)
