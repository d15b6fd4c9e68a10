"""Responses to questions, checked once; everything inside trusts them."""

from __future__ import annotations

__all__ = ["Responses"]

from dataclasses import dataclass
from functools import cached_property
from typing import Self

import numpy as np

from stakes._check import (
    UNKNOWN,
    Action,
    InputError,
    group_codes_of,
    listed,
    read_number,
    read_truths,
    read_weights,
)
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._typing import BoolArray, Column, FloatArray, IntArray
from stakes.responses.confidence_kinds import Confidence, as_confidence

_MOST_COUNTED = 10**7


@dataclass(frozen=True, eq=False, init=False, repr=False)
class Responses(Record):
    """Responses of a system to questions: answers, right or wrong, and abstentions.

    Parameters
    ----------
    right : column of booleans
        Whether each answer is right. For an abstention it may be missing (None, NaN), or say
        whether the withheld answer is right.
    confidence : column of numbers, or a kind of confidence, optional
        The stated probability that each answer is right: plain numbers are probabilities; other
        kinds are `StatedPercent`, `VerbalConfidence`, `AnswerLogProbability` and `Agreement`. It
        may be missing for an abstention.
    abstained : column of booleans, optional
        Whether the system gave no answer; by default it always answered.
    groups : column of names, optional
        What varies independently: the question, if it was asked several times; the document, if
        several questions are about one.
    sample_weight : column of numbers, optional

    See Also
    --------
    evaluate_responses : evaluates them.
    OptionScores : for multiple-choice questions.

    Examples
    --------
    >>> import stakes
    >>> said = stakes.Responses(
    ...     right=[True, False, None], confidence=[0.9, 0.6, None], abstained=[False, False, True]
    ... )
    >>> said
    3 responses: 1 right, 1 wrong, 1 abstained
    """

    right: IntArray  # 1, 0, or -1 where it is not known
    abstained: BoolArray
    confidence: FloatArray | None  # NaN where none was stated
    weights: FloatArray | None
    groups: IntArray | None
    row: IntArray | None  # where each response stood, if some had weight 0
    n_given: int

    @answered
    def __init__(
        self,
        right: Column,
        confidence: Confidence | Column | None = None,
        abstained: Column | None = None,
        *,
        groups: Column | None = None,
        sample_weight: Column | None = None,
    ) -> None:
        truth = read_truths(right, "right")
        n = truth.size
        silent = _read_abstentions(abstained, n)
        _refuse_unknown(truth, silent)
        sure = None if confidence is None else _read_confidence(confidence, silent, n)
        codes = group_codes_of(groups, n)
        weights, kept = read_weights(sample_weight, n), None
        if weights is not None and not weights.all():
            kept = np.flatnonzero(weights)
            truth, silent, weights = truth[kept], silent[kept], weights[kept]
            sure = None if sure is None else sure[kept]
            codes = None if codes is None else codes[kept]
        _refuse_one_group(codes)
        fields: dict[str, object] = {
            "right": truth,
            "abstained": silent,
            "confidence": sure,
            "weights": weights,
        }
        fields |= {"groups": codes, "row": kept, "n_given": n}
        for name, value in fields.items():
            object.__setattr__(self, name, value)

    @classmethod
    def from_outcomes(
        cls,
        outcomes: Column,
        confidence: Confidence | Column | None = None,
        *,
        right: str = "right",
        wrong: str = "wrong",
        abstained: str = "abstained",
        groups: Column | None = None,
        sample_weight: Column | None = None,
    ) -> Self:
        """Return responses from one column that says right, wrong or abstained.

        Parameters
        ----------
        outcomes : column of strings
        confidence : column of numbers, or a kind of confidence, optional
            As in `Responses`.
        right : str, default "right"
            The word for it in the column.
        wrong : str, default "wrong"
            What the column calls them.
        abstained : str, default "abstained"
            What the column calls them.
        groups : column of names, optional
            As in `Responses`.
        sample_weight : column of numbers, optional
            As in `Responses`.

        Examples
        --------
        The words of SimpleQA:

        >>> import stakes
        >>> stakes.Responses.from_outcomes(
        ...     ["CORRECT", "INCORRECT", "NOT_ATTEMPTED"],
        ...     right="CORRECT", wrong="INCORRECT", abstained="NOT_ATTEMPTED",
        ... )
        3 responses: 1 right, 1 wrong, 1 abstained
        """
        known = {right: True, wrong: False, abstained: None}
        if len(known) < 3:
            rule = "must be three different words"
            raise InputError("right, wrong and abstained", rule, f"{right}, {wrong}, {abstained}")
        column = listed(outcomes, "outcomes")
        for row, value in enumerate(column):
            if value not in known:
                rule = f"must hold {right!r}, {wrong!r} or {abstained!r}"
                hint = Action("name_outcomes")
                raise InputError("outcomes", rule, repr(value), row=row, hint=hint)
        truth = [known[value] for value in column]
        silent = [value is None for value in truth]
        return cls(truth, confidence, silent, groups=groups, sample_weight=sample_weight)

    @classmethod
    def from_counts(cls, *, right: int, wrong: int, abstained: int = 0) -> Self:
        """Return responses from counts alone.

        Parameters
        ----------
        right : int
            Number of right answers.
        wrong : int
            Number of wrong answers.
        abstained : int, default 0
            Number of abstentions.

        Examples
        --------
        >>> import stakes
        >>> stakes.Responses.from_counts(right=53, wrong=41, abstained=6)
        100 responses: 53 right, 41 wrong, 6 abstained
        """
        counts = {"right": right, "wrong": wrong, "abstained": abstained}
        read = {name: read_number(k, name, 0, _MOST_COUNTED) for name, k in counts.items()}
        for name, k in read.items():
            if k != int(k):
                raise InputError(name, "must be a whole number", repr(counts[name]))
        if not sum(read.values()):
            raise InputError("right, wrong and abstained", "must not all be 0")
        number = [int(k) for k in read.values()]
        truth = np.repeat([1.0, 0.0, np.nan], number)
        return cls(truth, None, np.repeat([False, False, True], number))

    def __len__(self) -> int:
        return self.right.size

    @property
    def is_right(self) -> BoolArray:
        """Which responses are right answers."""
        return (self.right == 1) & ~self.abstained

    @property
    def is_wrong(self) -> BoolArray:
        """Which responses are wrong answers."""
        return (self.right == 0) & ~self.abstained

    @cached_property
    def open(self) -> BoolArray:
        """Whether truth and confidence are known, so that a rule could answer or abstain."""
        if self.confidence is None:
            return np.zeros(len(self), dtype=np.bool_)
        return (self.right != UNKNOWN) & ~np.isnan(self.confidence)

    @property
    def unknown(self) -> int:
        """Number of abstentions whose withheld answer may be right or wrong."""
        return int((self.right == UNKNOWN).sum())

    @cached_property
    def shares(self) -> FloatArray:
        """The weight of each response in a mean; they sum to 1."""
        if self.weights is None:
            return np.full(len(self), 1 / len(self))
        scaled = self.weights / self.weights.max()
        return np.asarray(scaled / scaled.sum(), dtype=np.float64)

    def assumed(self) -> Responses:
        """Return the responses as if every withheld answer of unknown truth were right."""
        out = self.part(np.arange(len(self)))
        object.__setattr__(out, "right", np.where(self.right == UNKNOWN, 1, self.right))
        return out

    def in_order(self) -> Responses:
        """Return the responses in an order that depends only on their values.

        Folds depend on positions, and rounding depends on order; in this order, results do not
        depend on the order of the rows.
        """
        columns = (self.right, self.abstained, self.confidence, self.weights, self.groups)
        return self.part(np.lexsort([column for column in columns if column is not None]))

    def part(self, kept: IntArray) -> Responses:
        """Return some of the responses.

        Parameters
        ----------
        kept : array of ints
            Indices of the responses.
        """
        out = object.__new__(type(self))
        some = {
            name: None if (value := getattr(self, name)) is None else value[kept]
            for name in ("right", "abstained", "confidence", "weights", "groups")
        }
        row = kept if self.row is None else self.row[kept]
        for name, value in {**some, "row": row, "n_given": self.n_given}.items():
            object.__setattr__(out, name, value)
        return out

    def __str__(self) -> str:
        right, wrong = int(self.is_right.sum()), int(self.is_wrong.sum())
        parts = [f"{right} right", f"{wrong} wrong", f"{len(self) - right - wrong} abstained"]
        more = [f"{np.unique(self.groups).size} groups"] if self.groups is not None else []
        return f"{len(self)} responses: {', '.join(parts + more)}"


def _read_abstentions(abstained: Column | None, n: int) -> BoolArray:
    if abstained is None:
        return np.zeros(n, dtype=np.bool_)
    silent = read_truths(abstained, "abstained")
    _check_length(silent.size, n, "abstained")
    if (silent == UNKNOWN).any():
        row = int((silent == UNKNOWN).argmax())
        rule = "must say of every response whether it is an abstention"
        raise InputError("abstained", rule, "a missing value", row=row)
    return silent == 1


def _refuse_unknown(truth: IntArray, silent: BoolArray) -> None:
    missing = (truth == UNKNOWN) & ~silent
    if missing.any():
        rule = "must say whether each answer is right"
        hint = Action("say_abstained")
        raise InputError("right", rule, "a missing value", row=int(missing.argmax()), hint=hint)


def _read_confidence(given: Confidence | Column, silent: BoolArray, n: int) -> FloatArray:
    sure = as_confidence(given).probabilities()
    _check_length(sure.size, n, "confidence")
    missing = np.isnan(sure) & ~silent
    if missing.any():
        rule = "must be stated for every answer"
        hint = "State one, leave the row out of every column, or count it as an abstention."
        row = int(missing.argmax())
        raise InputError("confidence", rule, "a missing value", row=row, hint=hint)
    return sure


def _refuse_one_group(codes: IntArray | None) -> None:
    if codes is not None and (codes == codes[0]).all():
        rule = "must hold at least two groups"
        hint = "Leave groups out if responses vary independently of each other."
        raise InputError(
            "groups", rule, found="with one group the spread between groups is unknown", hint=hint
        )


def _check_length(size: int, n: int, argument: str) -> None:
    if size != n:
        rule = "must hold one value per response"
        raise InputError(argument, rule, f"{size} for {n} responses")
