"""Multiple choice: scores of the options of each question, of which there may be any number."""

from __future__ import annotations

__all__ = ["OptionScores"]

from functools import cached_property
from typing import Any, Self

import numpy as np

from stakes._check import (
    InputError,
    LongRows,
    RaggedRows,
    check_right_flags,
    group_codes_of,
    read_lengths,
    read_like,
    read_ragged,
    read_right_options,
    read_weights,
    unpadded,
)
from stakes._foreign_calls import answered
from stakes._records import Record
from stakes._typing import BoolArray, Column, FloatArray, IntArray
from stakes.costs.confidence_target import ConfidenceTarget, as_target
from stakes.metrics.calibration_errors import CalibrationError
from stakes.metrics.probability_bins import Bins
from stakes.responses.option_losses import (
    OptionAccuracy,
    QuestionLosses,
    confidence_error,
    mean_over_questions,
    question_samples,
    share_of,
)
from stakes.responses.option_rows import (
    SUMMED_BRIER,
    kind_of,
    option_tables,
    table_of,
)
from stakes.responses.response_samples import Responses
from stakes.results import ExpectedLoss
from stakes.samples import Samples
from stakes.scores import Logits, LogLikelihoods, Posteriors, Scores, read_kind
from stakes.scoring import LogLoss, ScoringRule


class OptionScores(Record):
    """Scores of the options of multiple-choice questions, and which options are right.

    Each question has its own number of options K. The chosen option is the one with the highest
    score (on a tie the first). The naive system gives all options of a question the same
    probability: it is right in 1/K of the cases, and its loss differs from question to question. No
    number depends on the order of the options, unless the highest score is tied.

    Parameters
    ----------
    scores : list of N rows of numbers, table of shape (N, K), or column of lists
        One number for each option, at least two for each question. For a table padded with NaN
        use `from_padded`, for one row per option `from_long`.
    right : column of N indices, or list of lists of them
        The index of each question's right option, from 0. If several are right, any of them counts
        as right, and rules score the sum of their probabilities.
    kind : class of scores, optional
        `Posteriors` (rows sum to 1), `LogPosteriors`, `Logits` or `LogLikelihoods`, as language
        models give them. For likelihoods, all options have the same prior, so posteriors are
        their softmax.
    lengths : rows like those of scores, optional
        Length of each option, in characters, bytes or tokens, above 0: see `per_length`.
    groups : column of N names, optional
        Questions of one group, such as those on one text, vary together; intervals allow for it.
    sample_weight : column of N weights, optional

    See Also
    --------
    Responses : for answers without scores of options.
    evaluate_responses : the value of the answers.

    Examples
    --------
    Four questions with two to four options, scored by log likelihoods:

    >>> import stakes
    >>> scores = stakes.OptionScores(
    ...     [[-1.0, -3.0], [-9.0, -4.0, -7.0], [-2.0, -2.5, -6.0, -4.0], [-5.0, -1.0]],
    ...     right=[0, 1, 1, 1],
    ...     kind=stakes.LogLikelihoods,
    ... )
    >>> accuracy = scores.accuracy()
    >>> accuracy.value, round(accuracy.naive, 3), round(accuracy.skill, 3)
    (0.75, 0.396, 0.586)
    >>> loss = scores.log_score()
    >>> round(loss.value, 3), round(loss.naive, 3), round(loss.normalized, 3)
    (0.316, 0.968, 0.327)

    A third of the loss of guessing. If wrong answers must be rare, answer only what is likely to be
    right, and abstain from the rest:

    >>> scores.answers(0.75).tolist()
    [True, True, False, True]
    >>> round(scores.cost_at(0.75).value, 4), scores.cost_at(0.75).naive
    (0.0625, 0.25)

    At this target, answering three of four costs a quarter of answering none.
    """

    weights: FloatArray | None
    groups: IntArray | None
    lengths: FloatArray | None

    @answered
    def __init__(
        self,
        scores: Scores | Column,
        right: Column,
        *,
        kind: type[Scores] | None = None,
        lengths: Column | None = None,
        groups: Column | None = None,
        sample_weight: Column | None = None,
    ) -> None:
        kind = None if kind is None else read_kind(kind)
        if isinstance(scores, Scores):
            kind, scores = kind_of(scores, kind), table_of(scores)
        rows = read_ragged(scores, "scores")
        flags = read_right_options(right, rows)
        self._set(rows, flags, kind or Posteriors)
        self._add(len(rows), lengths, groups, sample_weight)

    def _set(self, rows: RaggedRows, flags: BoolArray, kind: type[Scores]) -> None:
        self._rows, self._flags, self._kind = rows, flags, kind
        self._tables = option_tables(rows, flags, kind)

    def _add(
        self, n: int, lengths: Column | None, groups: Column | None, weights: Column | None
    ) -> None:
        self.weights, self.groups = read_weights(weights, n), group_codes_of(groups, n)
        self.lengths = None if lengths is None else read_lengths(lengths, self._rows)

    @classmethod
    def from_padded(
        cls,
        scores: Column,
        right: Column,
        *,
        lengths: Column | None = None,
        **more: Any,  # noqa: ANN401  further arguments
    ) -> Self:
        """Return the scores of a table with NaN after the last option of each question.

        Parameters
        ----------
        scores : table of shape (N, K)
            NaN after the last option of each question.
        right : column of N indices, or list of lists of them
            As in `OptionScores`.
        lengths : table of shape (N, K), optional
            Length of each option, padded in the same way.
        **more
            As in `OptionScores`.

        Examples
        --------
        >>> import math, stakes
        >>> table = [[0.7, 0.3, math.nan], [0.2, 0.5, 0.3]]
        >>> stakes.OptionScores.from_padded(table, right=[0, 2]).accuracy().value
        0.5
        """
        rows = unpadded(scores, "scores")
        long = None if lengths is None else unpadded(lengths, "lengths", like=rows)
        return cls(rows, right, lengths=long, **more)

    @classmethod
    def from_long(
        cls,
        question: Column,
        scores: Column,
        right: Column,
        *,
        kind: type[Scores] = Posteriors,
        lengths: Column | None = None,
        groups: Column | None = None,
        sample_weight: Column | None = None,
    ) -> Self:
        """Return the scores of a table with one row per option.

        Questions are numbered in order of appearance, and so are the options of each. Groups and
        weights are the same for all options of a question.

        Parameters
        ----------
        question : column of names
            The question that an option belongs to.
        scores : column of numbers
            The score of each option.
        right : column of booleans
            Whether the option is right.
        kind : type of scores, default Posteriors
            As in `OptionScores`.
        lengths : column of numbers, optional
            Length of each option.
        groups : column of names, optional
            As in `OptionScores`, with one value for each option.
        sample_weight : column of weights, optional
            As in `OptionScores`, with one value for each option.

        Examples
        --------
        >>> import stakes
        >>> stakes.OptionScores.from_long(
        ...     ["q7", "q7", "q9", "q9", "q9"], [0.7, 0.3, 0.2, 0.5, 0.3], [1, 0, 0, 0, 1]
        ... ).accuracy().value
        0.5
        """
        long = LongRows.from_questions(question)
        rows, flags = long.rows(scores, "scores"), long.flags(right, "right")
        check_right_flags(flags, rows)
        made = cls.__new__(cls)
        made._set(rows, flags, kind)
        split = None
        if lengths is not None:
            split = np.split(long.rows(lengths, "lengths").values, long.starts[1:-1])
        group, weight = (
            None if values is None else long.of_questions(values, argument)
            for values, argument in ((groups, "groups"), (sample_weight, "sample_weight"))
        )
        made._add(len(rows), split, group, weight)
        return made

    def __len__(self) -> int:
        """Return the number of questions."""
        return len(self._rows)

    @property
    def kind(self) -> type[Scores]:
        """What the scores are."""
        return self._kind

    @property
    def n_options(self) -> IntArray:
        """The number of options of each question."""
        return self._rows.sizes

    def chosen(self) -> IntArray:
        """Return the index of the option with the highest score; on a tie the first."""
        top = self._is_top
        place = np.where(top, np.arange(top.size), top.size)
        return np.minimum.reduceat(place, self._rows.starts[:-1]) - self._rows.starts[:-1]

    @cached_property
    def _is_top(self) -> BoolArray:
        values, starts = self._rows.values, self._rows.starts[:-1]
        return np.asarray(values == np.maximum.reduceat(values, starts)[self._rows.row])

    def tied(self) -> BoolArray:
        """Return whether several options of each question share the highest score."""
        return np.add.reduceat(self._is_top.astype(np.int64), self._rows.starts[:-1]) > 1

    def right(self) -> BoolArray:
        """Return whether the chosen option of each question is right."""
        return self._flags[self._rows.starts[:-1] + self.chosen()]

    def confidence(self) -> FloatArray:
        """Return the posterior of the chosen option of each question."""
        out = np.empty(len(self))
        for table in self._tables:
            out[table.questions] = table.largest_posterior()
        return out

    def answers(self, target: ConfidenceTarget | float) -> BoolArray:
        """Return which questions to answer at a confidence target.

        A right answer scores 1, a wrong one -t/(1-t), none 0: answering pays on average if the
        posterior of the chosen option is at least t.

        Parameters
        ----------
        target : ConfidenceTarget or float
            The confidence target t, at least 0 and below 1.
        """
        return as_target(target).answers(self.confidence())

    def responses(self, target: ConfidenceTarget | float | None = None) -> Responses:
        """Return the choices as responses: right or wrong, with the confidence of each.

        Parameters
        ----------
        target : ConfidenceTarget or float, optional
            Abstain if the confidence is below it; by default every question is answered.

        Examples
        --------
        >>> import stakes
        >>> scores = stakes.OptionScores([[0.9, 0.1], [0.4, 0.35, 0.25]], [0, 2])
        >>> scores.responses(0.5)
        2 responses: 1 right, 0 wrong, 1 abstained
        """
        abstained = None if target is None else ~self.answers(target)
        more = {"groups": self.groups, "sample_weight": self.weights}
        return Responses(self.right(), self.confidence(), abstained, **more)

    def per_length(self) -> Self:
        """Return the scores divided by the lengths of the options, as logits.

        The chosen option is then that of `acc_norm` in lm-evaluation-harness if lengths are
        characters, and that of `acc_bytes` if they are bytes.

        Examples
        --------
        >>> import stakes
        >>> scores = stakes.OptionScores(
        ...     [[-4.0, -6.0]], [1], kind=stakes.LogLikelihoods, lengths=[[2, 6]]
        ... )
        >>> scores.accuracy().value, scores.per_length().accuracy().value
        (0.0, 1.0)
        """
        if self.lengths is None:
            hint = "Pass lengths=[[len(option) for option in options] for options in questions]."
            raise InputError("lengths", "must be given for scores per length", "none", hint=hint)
        if self._kind is not LogLikelihoods:
            rule = "must be LogLikelihoods to be divided by lengths"
            why = "a constant for each question, which other kinds leave open, would matter"
            raise InputError("kind", rule, self._kind.__name__, more=f": {why}")
        return self._with_logits(self._rows.values / self.lengths)

    def relative_to(self, unconditional: Column) -> Self:
        """Return the scores minus those of the options without the question, as logits.

        Options are then ranked by their mutual information with the question, as in
        `acc_mutual_info` of lm-evaluation-harness.

        Parameters
        ----------
        unconditional : rows like those of scores
            Log likelihood of each option without its question.
        """
        if self._kind is Posteriors:
            rule = "must be on a log scale, such as LogLikelihoods"
            raise InputError("kind", rule, self._kind.__name__)
        without = read_like(unconditional, self._rows, "unconditional")
        return self._with_logits(self._rows.values - without)

    def _with_logits(self, values: FloatArray) -> Self:
        made = type(self).__new__(type(self))
        made.weights, made.groups, made.lengths = self.weights, self.groups, self.lengths
        made._set(RaggedRows(values, self._rows.starts), self._flags, Logits)
        return made

    def accuracy(self) -> OptionAccuracy:
        """Return the share of questions whose chosen option is right, and that of guessing."""
        chance, samples = 1 - self._chance_of_error, self._samples
        tied = int(np.count_nonzero(self.tied()[self._used]))
        value = share_of(self.right()[self._used].astype(np.float64), samples)
        return OptionAccuracy(value, share_of(chance[self._used], samples), self.error_rate(), tied)

    def error_rate(self) -> ExpectedLoss:
        """Return one minus the accuracy, as an expected loss; the naive system guesses."""
        wrong = (~self.right()).astype(np.float64)
        return self._mean("error rate", wrong, self._chance_of_error, "at random", 1.0)

    def log_score(self) -> ExpectedLoss:
        """Return the mean of -log of the posterior of the right option, in nats.

        Lower is better, 0 is perfect; the naive value is the mean of log K.
        """
        return self.expected_loss(LogLoss(), name="log score")

    def brier_score(self) -> ExpectedLoss:
        """Return the mean squared distance to the truth, summed over options, from 0 to 2.

        The naive value is the mean of 1 - 1/K. It is K times `stakes.brier_score`, which is a mean
        over classes; use `expected_loss(BrierLoss())` for that.
        """
        return self.expected_loss(SUMMED_BRIER)

    def expected_loss(self, rule: ScoringRule, *, name: str | None = None) -> ExpectedLoss:
        """Return the mean loss by any scoring rule that treats all options equally.

        Parameters
        ----------
        rule : ScoringRule
            Such as `LogLoss()`, `BrierLoss()`, `SphericalLoss()`.
        name : str, optional
            By default that of the rule.
        """
        if not isinstance(rule, ScoringRule):
            raise InputError("rule", "must be a scoring rule, such as LogLoss()", repr(rule))
        naive, losses, high = np.empty(len(self)), np.empty(len(self)), 0.0
        for table in self._tables:
            naive[table.questions] = table.naive_loss(rule)
            losses[table.questions] = table.losses(rule)
            most = rule.bounds(table.n_options - table.n_right + 1)[1]
            high = max(high, float(most.max()))
        return self._mean(name or rule.name, losses, naive, "all options alike", high)

    def cost_at(self, target: ConfidenceTarget | float) -> ExpectedLoss:
        """Return the expected cost of answering if the confidence reaches a target.

        A wrong answer costs 1, none costs 1 - t, a right one 0; the mean score is 1 - cost/(1-t).
        The naive system guesses if 1/K reaches the target, and else gives no answer.

        Parameters
        ----------
        target : ConfidenceTarget or float
            The confidence target t, at least 0 and below 1.
        """
        t = as_target(target).t
        cost = np.where(self.answers(t), ~self.right(), 1 - t)
        naive = np.minimum(self._chance_of_error, 1 - t)
        name = f"expected cost at target {t:g}"
        return self._mean(name, cost, naive, "at random or not at all", 1.0)

    def calibration_error(self, bins: Bins = 15, *, norm: float = 1) -> CalibrationError:
        """Return the calibration error of the confidence in the chosen option.

        Parameters
        ----------
        bins : int, EqualWidth(n) or EqualMass(n), default 15
            An int is a number of bins of equal width.
        norm : {1, 2, inf}, default 1
            As in `stakes.calibration_error`. There is an interval for norm 1 without groups.
        """
        p, hit = self.confidence()[self._used], self.right()[self._used]
        return confidence_error(p, hit, self._samples, bins, norm)

    @cached_property
    def _chance_of_error(self) -> FloatArray:
        out = np.empty(len(self))
        for table in self._tables:
            out[table.questions] = 1 - table.share_right
        return out

    @cached_property
    def _used(self) -> IntArray:
        """The questions of a weight above 0."""
        return np.arange(len(self)) if self.weights is None else np.flatnonzero(self.weights)

    @cached_property
    def _samples(self) -> Samples:
        weights = None if self.weights is None else self.weights[self._used]
        groups = None if self.groups is None else self.groups[self._used]
        return question_samples(self._used.size, weights, groups, self._used)

    def _mean(
        self, name: str, losses: FloatArray, naive: FloatArray, answer: str, high: float
    ) -> ExpectedLoss:
        each = QuestionLosses(name, losses[self._used], naive[self._used], answer, high)
        return mean_over_questions(each, self._samples)

    def __str__(self) -> str:
        low, high = int(self.n_options.min()), int(self.n_options.max())
        options = f"{low}" if low == high else f"{low} to {high}"
        return f"OptionScores({len(self)} questions, {options} options, {self._kind.__name__})"
