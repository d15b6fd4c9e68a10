"""Questions with the same number of options as one table, whatever the order of the options."""

from dataclasses import dataclass
from itertools import repeat

import numpy as np

from stakes._check import InputError, Place, RaggedRows
from stakes._counting import bincount
from stakes._math import rows_by_code
from stakes._typing import BoolArray, FloatArray, IntArray
from stakes.scores import (
    Answers,
    Logits,
    LogLikelihoods,
    LogPosteriors,
    LogProbabilities,
    Posteriors,
    Probabilities,
    Scores,
)
from stakes.scoring import BrierLoss, ScoringRule

_FEWEST_ULPS = 1e-12  # relative; losses that differ by more are not those of equals
_KINDS = (Posteriors, LogPosteriors, Logits, LogLikelihoods)
_SAY_KIND = "For other scores say what they are: kind=stakes.LogLikelihoods, stakes.Logits, ..."
_OUTSIDE = 1e-6  # of [0, 1], beyond which no rounding is


class _SummedBrier(BrierLoss):
    """Squared distance to the truth, summed over options: sum_i (s_i - I(h = H_i))^2."""

    def losses(self, y: IntArray, answers: Answers) -> FloatArray:
        """Return the squared distance of each sample."""
        return self.squared_distances(y, answers)

    def bounds(self, n_classes: int) -> tuple[FloatArray, FloatArray]:
        """Return 0 and 2, whatever the number of options."""
        return np.zeros(n_classes), np.full(n_classes, 2.0)


SUMMED_BRIER = _SummedBrier()


@dataclass(frozen=True, eq=False)
class OptionTable:
    """Questions with K options of which m are right: these first, the others by falling score.

    In that order no number depends on how options were labelled.
    """

    questions: IntArray
    n_right: int
    scores: Scores

    @property
    def n_options(self) -> int:
        """The number of options of each question."""
        return self.scores.n_classes

    @property
    def share_right(self) -> float:
        """The chance that one option, drawn at random, is right."""
        return self.n_right / self.n_options

    def largest_posterior(self) -> FloatArray:
        """Return the posterior of the most probable option of each question, 1 at most."""
        p = self.scores.answers(None).p
        return np.minimum(np.maximum(p[:, 0], p[:, 1]) if self.n_options == 2 else p.max(axis=1), 1)

    def losses(self, rule: ScoringRule) -> FloatArray:
        """Return the loss of each question by a rule; several right options count as one."""
        return rule.losses(np.zeros(self.questions.size, dtype=np.int64), self._judged())

    def _judged(self) -> Answers:
        m, values = self.n_right, self.scores.values
        if m == 1:
            return self.scores.answers(None)
        right, wrong = values[:, :m], values[:, m:]
        if isinstance(self.scores, Posteriors):
            return Probabilities(np.column_stack([right.sum(axis=1), wrong]))
        top = right[:, :1]  # the largest, by their order
        with np.errstate(invalid="ignore"):
            rest = np.where(np.isneginf(top), 0.0, np.exp(right[:, 1:] - top)).sum(axis=1)
        return LogProbabilities.normalised(np.column_stack([top[:, 0] + np.log1p(rest), wrong]))

    def naive_loss(self, rule: ScoringRule) -> float:
        """Return the loss of answering that all options are as probable."""
        k, n = self.n_options, self.n_options - self.n_right + 1
        rule.check(tuple(range(n)))
        alike = rule.naive_losses(np.full(n, 1 / n))
        if np.ptp(alike) > _FEWEST_ULPS * np.abs(alike).max():
            rule_of = "must be a rule that treats all options alike, such as LogLoss()"
            raise InputError("rule", rule_of, repr(rule))
        shares = np.array([[self.share_right, *repeat(1 / k, n - 1)]])
        return float(rule.losses(np.zeros(1, dtype=np.int64), Probabilities(shares))[0])


def option_tables(
    rows: RaggedRows, right: BoolArray, kind: type[Scores]
) -> tuple[OptionTable, ...]:
    """Check the scores as those of a kind, in tables of one number of options and right ones."""
    _check_kind(kind)
    _check_values(rows, kind)
    row, sizes = rows.row, rows.sizes
    ordered = rows.values[np.lexsort((-rows.values, ~right, row))]
    number = bincount(row[right], minlength=len(rows))
    code = sizes * (int(number.max()) + 1) + number
    codes, place = np.unique(code, return_inverse=True)
    found = []
    for questions in rows_by_code(place, codes.size):
        first = questions[0]
        cells = rows.starts[questions][:, None] + np.arange(sizes[first])
        scores = _settled(ordered[cells], kind, questions)
        found.append(OptionTable(questions, int(number[first]), scores))
    return tuple(found)


def _check_kind(kind: type[Scores]) -> None:
    if kind not in _KINDS:
        names = ", ".join(known.__name__ for known in _KINDS)
        shown = getattr(kind, "__name__", repr(kind))
        raise InputError("kind", f"must be one of the kinds {names}", shown)


def _check_values(rows: RaggedRows, kind: type[Scores]) -> None:
    values = rows.values
    rows.refuse(np.isnan(values), "scores", "must hold numbers")
    if kind is Posteriors:
        bad = ~((values >= -_OUTSIDE) & (values <= 1 + _OUTSIDE))
        rows.refuse(bad, "scores", "must be posteriors, from 0 to 1", _SAY_KIND)
    elif kind is LogPosteriors:
        rows.refuse(values > 0, "scores", "must be log posteriors, at most 0", _SAY_KIND)
    rows.refuse(np.isposinf(values), "scores", "must be below infinity")
    top = np.maximum.reduceat(values, rows.starts[:-1])
    if np.isneginf(top).any():
        row = int(np.isneginf(top).argmax())
        rule = "must leave some option possible"
        raise InputError("scores", rule, "-inf for every option", row=row)


def _settled(table: FloatArray, kind: type[Scores], questions: IntArray) -> Scores:
    """Return scores of a kind; likelihoods of options that are as probable before are logits."""
    try:
        return (Logits if kind is LogLikelihoods else kind)(table)
    except InputError as error:
        if error.place is None or error.place.row is None:
            raise
        place = Place(row=int(questions[error.place.row]))
        raise error.moved(place=place, hint=_SAY_KIND) from None


def kind_of(scores: Scores, kind: type[Scores] | None) -> type[Scores]:
    """Return the kind of typed scores; refuse another one beside it."""
    _check_kind(type(scores))
    if kind is not None and kind is not type(scores):
        rule = f"must be that of the scores, {type(scores).__name__}"
        raise InputError("kind", rule, getattr(kind, "__name__", repr(kind)), hint="Leave it out.")
    return type(scores)


def table_of(scores: Scores) -> FloatArray:
    """Return typed scores as a table, a column for each option."""
    if scores.values.ndim == 2:
        return scores.values
    answers = scores.answers(None)
    return answers.p if isinstance(scores, Posteriors) else answers.log_p
