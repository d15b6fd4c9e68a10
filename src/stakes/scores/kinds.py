"""The kinds of score: the kind is a type, never guessed from the values."""

from __future__ import annotations

__all__ = [
    "LogLikelihoodRatios",
    "LogLikelihoods",
    "LogPosteriors",
    "Logits",
    "Posteriors",
    "Scores",
]

import math
from abc import abstractmethod
from collections.abc import Callable
from enum import StrEnum
from importlib import import_module
from typing import ClassVar, Self

import numpy as np

from stakes._check import (
    FEWEST_UNLABELLED,
    Action,
    InputError,
    Rounding,
    check_below_infinity,
    check_no_nan,
    read_array,
    read_names,
    read_priors,
    read_table,
    refuse_decisions,
    settle_log_posteriors,
    settle_posteriors,
)
from stakes._math import log
from stakes._records import Record
from stakes._registry import words
from stakes._text import plain_list, quoted
from stakes._typing import Column, FloatArray, IntArray, Label, Names, NamesLike, PriorsLike
from stakes.scores.answers import Answers, LogProbabilities, Probabilities, SecondProbabilities

_POSSIBLE = "must leave each sample possible"


class ScoreMeaning(StrEnum):
    """What scores stand for; those of one meaning may take each other's place.

    Posteriors and their logs are the same numbers on two scales, and likelihood ratios follow from
    likelihoods. Logits stand for posteriors too, but are kept apart from them: probabilities that
    are read as logits by mistake look like any other numbers.
    """

    POSTERIORS = "posteriors"
    LOGITS = "logits"
    LIKELIHOODS = "likelihoods"


class Scores(Record):
    """Base class of scores of N samples for K classes, which are checked once.

    A table has one column per class, in the order of the classes; a data frame names them. A single
    column is for two classes: the score of the second, the class of interest.

    Parameters
    ----------
    values : table of shape (N, K), or column of N numbers
        The scores.

    See Also
    --------
    Posteriors, Logits, LogPosteriors, LogLikelihoods, LogLikelihoodRatios : its kinds.

    Examples
    --------
    Wrap an array in its kind, and every function reads it correctly:

    >>> import stakes
    >>> y, log_odds = [0, 0, 1, 1], [-2.0, 1.0, 0.5, 3.0]
    >>> stakes.bayes_cost(y, stakes.Logits(log_odds)).normalized < 1  # useful
    True
    """

    needs_priors: ClassVar[bool] = False
    meaning: ClassVar[ScoreMeaning] = ScoreMeaning.POSTERIORS

    __slots__ = ("_names", "_rounding", "_values")

    _values: FloatArray
    _names: Names | None
    _rounding: Rounding | None

    def __init__(self, values: Column) -> None:
        table, self._names, unit = read_table(values)
        self._values, self._rounding = self._settled(table, unit)

    @classmethod
    def trusted(cls, values: FloatArray, names: Names | None = None) -> Self:
        """Return scores from numbers that are known to be valid.

        Parameters
        ----------
        values : array
            Scores in double precision.
        names : tuple of names, optional
            Names of the columns.
        """
        scores = cls.__new__(cls)
        scores._values, scores._names, scores._rounding = values, names, None
        return scores

    @classmethod
    def readers(cls) -> dict[str, Callable[[Column], Self]]:
        """Return the ways to read numbers as these scores, by their names in files."""
        return {words(cls.__name__, "-"): cls}

    @abstractmethod
    def _settled(self, values: FloatArray, unit: float) -> tuple[FloatArray, Rounding | None]:
        """Return values that this kind of score can have, and their rounding; refuse others."""

    @abstractmethod
    def answers(self, priors: FloatArray | None) -> Answers:
        """Return the posteriors at checked priors.

        Parameters
        ----------
        priors : float, array of K, or None
            Priors that are already checked. Likelihoods need them; posteriors ignore them.
        """

    def ranks(self) -> FloatArray:
        """Return one number per sample of two classes, higher for the second class."""
        if self._values.ndim == 1:
            return self._values
        first, second = self._values.T
        with np.errstate(invalid="ignore"):  # equal infinities differ by nothing
            return np.where(first == second, 0.0, second - first)

    @property
    def values(self) -> FloatArray:
        """The scores in double precision; rounded rows are divided by their sums."""
        return self._values

    @property
    def rounding(self) -> Rounding | None:
        """The precision of rows that did not sum to 1 exactly; None if they did."""
        return self._rounding

    @property
    def names(self) -> Names | None:
        """Names of the columns, if the scores came with names."""
        return self._names

    @property
    def n_classes(self) -> int:
        """Number of classes."""
        return 2 if self._values.ndim == 1 else self._values.shape[1]

    def __len__(self) -> int:
        return self._values.shape[0]

    def posteriors(self, priors: PriorsLike | None = None) -> FloatArray:
        """Return the posteriors as an array of shape (N, K).

        >>> Logits([[0.0, 0.0], [1.0, 3.0]]).posteriors().round(3)
        array([[0.5  , 0.5  ],
               [0.119, 0.881]])
        >>> LogLikelihoodRatios([0.0, 3.0]).posteriors([0.9, 0.1]).round(3)
        array([[0.9  , 0.1  ],
               [0.309, 0.691]])

        Parameters
        ----------
        priors : float, array of K, or mapping by class, optional
            Likelihoods need them; posteriors ignore them.
        """
        return np.array(self._answers_at(priors).p)

    def log_posteriors(self, priors: PriorsLike | None = None) -> FloatArray:
        """Return the log posteriors as an array of shape (N, K).

        Likelihoods need priors; posteriors do not change with the priors that a metric uses.

        Parameters
        ----------
        priors : float, array of K, or mapping by class, optional
            Likelihoods need them; posteriors ignore them.
        """
        return self._answers_at(priors).log_p

    def _answers_at(self, priors: PriorsLike | None) -> Answers:
        names = self._names if self._names is not None else tuple(range(self.n_classes))
        return self.answers(read_priors(priors, names))

    def lacks_priors(self) -> InputError:
        """Return the error for likelihoods without priors."""
        rule = f"must be given for {type(self).__name__}"
        hint = 'Pass priors=[...], or priors="data" for those of the data.'
        return InputError("priors", rule, found="posteriors depend on them", hint=hint)

    def named(self, names: Names) -> Self:
        """Return the scores with names for their columns.

        Parameters
        ----------
        names : tuple of names
            One for each column.
        """
        return self._replaced(self._values, names)

    def ordered(self, names: Names) -> Self:
        """Return the scores with columns in the order of these names.

        Parameters
        ----------
        names : tuple of names
            Names of the columns, in the order wanted.
        """
        if self._names is None or self._names == names:
            return self
        said = names_as(self._names, names)
        if said != self._names:
            return self.named(said).ordered(names)
        if set(self._names) != set(names):
            rule = f"must be the classes {quoted(names)}"
            hint = "Rename them, or pass scores.to_numpy(), with columns in the order of the"
            got = quoted(self._names)
            raise InputError("columns of scores", rule, got, hint=f"{hint} classes.")
        if self._values.ndim == 1:  # one column is the score of the last class
            return self.swapped()
        order = [self._names.index(name) for name in names]
        return self._replaced(self._values[:, order], names)

    def swapped(self) -> Self:
        """Return the scores of two classes in the reverse order.

        >>> Posteriors([0.9, 0.2]).swapped().values.round(3)
        array([[0.9, 0.1],
               [0.2, 0.8]])
        """
        if self.n_classes != 2:
            rule = "must be of two classes to be swapped"
            raise InputError("scores", rule, found=f"these are of {self.n_classes}")
        names = None if self._names is None else self._names[::-1]
        turned = self._turned() if self._values.ndim == 1 else self._values[:, ::-1]
        return self._replaced(turned, names)

    def _turned(self) -> FloatArray:
        """Return one column for the other order of classes: log odds change their sign."""
        return -self._values

    def part(self, kept: slice | IntArray) -> Self:
        """Return the scores of some samples.

        Parameters
        ----------
        kept : slice or array of ints
            Which samples.
        """
        return self._replaced(self._values[kept], self._names)

    def _replaced(self, values: FloatArray, names: Names | None) -> Self:
        scores = type(self).trusted(values, names)
        scores._rounding = self._rounding
        return scores

    def __str__(self) -> str:
        names = "" if self._names is None else f": {plain_list(self._names, 8)}"
        return f"{type(self).__name__}({len(self)} samples, {self.n_classes} classes{names})"


class PosteriorScores(Scores):
    """Scores that stand for posteriors at the priors the system was trained with."""

    __slots__ = ()

    def at_priors(self, training: PriorsLike, target: PriorsLike) -> LogPosteriors:
        """Return the posteriors at other priors than those of training.

        By Bayes' rule, for any number of classes: each posterior is multiplied by the target prior
        over the training prior, and rows are renormalised.

        Parameters
        ----------
        training : array of K, or mapping by class
            The priors that the posteriors are for.
        target : array of K, or mapping by class
            The priors to move them to.

        Examples
        --------
        Trained on balanced data, deployed where one in a hundred is positive:

        >>> Posteriors([0.9]).at_priors([0.5, 0.5], [0.99, 0.01]).log_posteriors().round(4)
        array([[-0.087 , -2.4849]])
        """
        names = self.names if self.names is not None else tuple(range(self.n_classes))
        old, new = (read_priors(priors, names) for priors in (training, target))
        if old is None or new is None or not old.all():
            rule, got = "must be numbers, training ones above 0", f"{training!r} and {target!r}"
            raise InputError("training and target priors", rule, got)
        shifted = self.answers(None).log_p + (log(new) - log(old))
        _refuse_impossible(shifted)
        answers = LogProbabilities.normalised(shifted)
        return LogPosteriors.trusted(answers.log_p, self.names)


class Posteriors(PosteriorScores):
    """Posterior probabilities: rows that sum to 1, or P(classes[-1]) as one column.

    The precision of the rows is found from their values: rows that were rounded to decimal digits
    are divided by their sums, numbers in float32 or float16 are used unchanged, values a few units
    in the last place beyond 0 or 1 are taken as 0 or 1, and `rounding` says so.

    Parameters
    ----------
    values : table of shape (N, K), or column of P(classes[-1])
    renormalize : bool, default False
        Whether to divide rows by their sums, even if these are far from 1.

    See Also
    --------
    Logits, LogPosteriors, LogLikelihoods, LogLikelihoodRatios : other kinds of scores.

    Examples
    --------
    >>> Posteriors([[0.9, 0.1], [0.2, 0.8]]).log_posteriors().round(3)
    array([[-0.105, -2.303],
           [-1.609, -0.223]])
    >>> print(Posteriors([[0.3333, 0.3333, 0.3333]]).rounding)
    rows of scores sum to 1 within 0.0001 (4 decimals); each row was divided by its sum.
    >>> Posteriors([[2, 6]], renormalize=True).values
    array([[0.25, 0.75]])
    """

    __slots__ = ("_renormalize",)

    def __init__(self, values: Column, *, renormalize: bool = False) -> None:
        self._renormalize = renormalize
        super().__init__(values)

    def _settled(self, values: FloatArray, unit: float) -> tuple[FloatArray, Rounding | None]:
        return settle_posteriors(values, unit, renormalize=self._renormalize)

    def _turned(self) -> FloatArray:  # two columns, as 1 - p keeps nothing of a small p
        return np.column_stack([self._values, 1 - self._values])

    def answers(self, priors: FloatArray | None) -> Answers:  # noqa: ARG002
        """Return the posteriors themselves.

        Parameters
        ----------
        priors : float, array of K, or None
            Priors that are already checked. Likelihoods need them; posteriors ignore them.
        """
        kind = Probabilities if self._values.ndim == 2 else SecondProbabilities
        return kind(self._values)

    def ranks(self) -> FloatArray:
        """Return P(classes[-1])."""
        return self._values if self._values.ndim == 1 else self._values[:, -1]


class LogPosteriors(PosteriorScores):
    """Natural logs of posteriors, at most 0; minus infinity is a posterior of 0.

    Parameters
    ----------
    values : table of shape (N, K), or column of log P(classes[-1])

    See Also
    --------
    Posteriors : the probabilities.
    Logits : up to a constant per sample.

    Examples
    --------
    >>> import stakes
    >>> stakes.LogPosteriors([[-0.1, -2.35]]).posteriors().round(2).tolist()
    [[0.9, 0.1]]
    """

    __slots__ = ()

    def _settled(self, values: FloatArray, unit: float) -> tuple[FloatArray, Rounding | None]:
        return settle_log_posteriors(values, unit)

    def answers(self, priors: FloatArray | None) -> Answers:  # noqa: ARG002
        """Return the posteriors themselves.

        Parameters
        ----------
        priors : float, array of K, or None
            Priors that are already checked. Likelihoods need them; posteriors ignore them.
        """
        if self._values.ndim == 2:
            return LogProbabilities(self._values)
        return LogProbabilities(np.column_stack([self._of_first(), self._values]))

    def _turned(self) -> FloatArray:
        return np.column_stack([self._values, self._of_first()])

    def _of_first(self) -> FloatArray:
        """Return log P(classes[0]) from one column of log P(classes[1])."""
        with np.errstate(divide="ignore"):  # each form is exact where the other loses digits
            near = np.log(-np.expm1(self._values))
            return np.where(self._values > -math.log(2), near, np.log1p(-np.exp(self._values)))


class Logits(PosteriorScores):
    """Log posteriors up to a constant per sample, as before a softmax.

    One column holds the log odds of the second class, as before a sigmoid.

    Parameters
    ----------
    values : table of shape (N, K), or column of log odds

    See Also
    --------
    Posteriors : probabilities.
    LogPosteriors : logs of probabilities.

    Examples
    --------
    >>> import stakes
    >>> stakes.Logits([0.0, 2.0]).posteriors().round(2).tolist()
    [[0.5, 0.5], [0.12, 0.88]]
    """

    meaning = ScoreMeaning.LOGITS

    __slots__ = ()

    def _settled(self, values: FloatArray, unit: float) -> tuple[FloatArray, Rounding | None]:  # noqa: ARG002
        check_below_infinity(values)
        return values, None

    def answers(self, priors: FloatArray | None) -> Answers:  # noqa: ARG002
        """Return the softmax of the scores.

        Parameters
        ----------
        priors : float, array of K, or None
            Priors that are already checked. Likelihoods need them; posteriors ignore them.
        """
        if self._values.ndim == 1:
            return LogProbabilities.from_log_odds(self._values)
        return LogProbabilities.normalised(self._values)


class LogLikelihoods(Scores):
    """Log likelihoods log p(x|H_i), up to a constant per sample, valid at any priors.

    Parameters
    ----------
    values : table of shape (N, K)

    See Also
    --------
    LogLikelihoodRatios : two classes, in one column.
    Posteriors : probabilities.

    Examples
    --------
    >>> import stakes
    >>> scores = stakes.LogLikelihoods([[-1.0, -3.0], [-4.0, -2.0]])
    >>> scores.posteriors([0.9, 0.1]).round(2).tolist()
    [[0.99, 0.01], [0.55, 0.45]]
    """

    needs_priors = True
    meaning = ScoreMeaning.LIKELIHOODS

    __slots__ = ()

    def _settled(self, values: FloatArray, unit: float) -> tuple[FloatArray, Rounding | None]:  # noqa: ARG002
        if values.ndim == 1:
            rule = "must have one column per class for LogLikelihoods"
            raise InputError("scores", rule, "one column", hint=Action("use_ratios"))
        check_below_infinity(values)
        return values, None

    def answers(self, priors: FloatArray | None) -> Answers:
        """Return the posteriors by Bayes' rule (eq:post_from_lks).

        Parameters
        ----------
        priors : float, array of K, or None
            Priors that are already checked. Likelihoods need them; posteriors ignore them.
        """
        if priors is None:
            raise self.lacks_priors()
        joint = self._values + log(priors)
        _refuse_impossible(joint)
        return LogProbabilities.normalised(joint)


class LogLikelihoodRatios(Scores):
    """Natural log of the likelihood ratio p(x|H_2) / p(x|H_1), one number per sample.

    Plus and minus infinity are certain answers.

    Parameters
    ----------
    values : column of N numbers

    See Also
    --------
    cllr : how good they are.
    LogLikelihoods : more than two classes.

    Examples
    --------
    >>> LogLikelihoodRatios([0.0, 3.0]).log_posteriors([0.9, 0.1]).round(3)
    array([[-0.105, -2.303],
           [-1.173, -0.37 ]])
    """

    needs_priors = True
    meaning = ScoreMeaning.LIKELIHOODS

    __slots__ = ()

    @classmethod
    def readers(cls) -> dict[str, Callable[[Column], Self]]:
        """Return the ways to read ratios: as natural logs, base-10 logs or plain ratios."""
        return {"llr": cls, "log10-lr": cls.from_log10, "lr": cls.from_ratio}

    @classmethod
    def from_log10(cls, values: Column) -> Self:
        """Return the ratios from their base-10 logs, as in forensic reports.

        Parameters
        ----------
        values : column of N numbers
            Base-10 logs of the ratios.
        """
        return cls(read_array(values, "values") * math.log(10))

    @classmethod
    def from_ratio(cls, values: Column) -> Self:
        """Return the ratios from plain ratios; 0 and infinity are certain answers.

        Parameters
        ----------
        values : column of N numbers
            The ratios, at least 0.
        """
        ratios = np.atleast_1d(read_array(values, "values"))
        if ratios.ndim > 1:
            raise InputError("values", "must be one ratio per sample", f"shape {ratios.shape}")
        bad = ~(ratios >= 0)
        if bad.any():
            row = int(np.argmax(bad))
            rule = "must be likelihood ratios of at least 0"
            raise InputError("values", rule, ratios[row], row=row)
        return cls(log(ratios))

    def _settled(self, values: FloatArray, unit: float) -> tuple[FloatArray, Rounding | None]:  # noqa: ARG002
        if values.ndim != 1:
            k = values.shape[1]
            rule = "must be one column for LogLikelihoodRatios, which are binary"
            hint = Action("use_likelihoods", {"k": k})
            raise InputError("scores", rule, f"{k} columns", hint=hint)
        check_no_nan(values)
        return values, None

    def answers(self, priors: FloatArray | None) -> Answers:
        """Return the posteriors at these priors (eq:post_from_llrs).

        Parameters
        ----------
        priors : float, array of K, or None
            Priors that are already checked. Likelihoods need them; posteriors ignore them.
        """
        if priors is None:
            raise self.lacks_priors()
        first, second = log(priors)
        with np.errstate(invalid="ignore"):
            log_odds = self._values + (second - first)
        if np.isnan(log_odds).any():
            row = int(np.isnan(log_odds).argmax())
            certain = f"is certain of a class of prior 0 ({priors.tolist()})"
            more = f" (ratio {self._values[row]}) {certain}"
            raise InputError("priors", _POSSIBLE, found="", row=row, more=more)
        return LogProbabilities.from_log_odds(log_odds)


def _refuse_impossible(joint: FloatArray) -> None:
    """Refuse samples that no class with a prior above 0 can have produced."""
    impossible = np.isneginf(joint).all(axis=1)
    if impossible.any():
        row = int(impossible.argmax())
        more = " every class with a prior above 0 has likelihood 0"
        raise InputError("priors", _POSSIBLE, found="at", row=row, more=more)


def as_scores(
    scores: Scores | Column,
    kind: type[Scores] | None = None,
    *,
    fewest: int = FEWEST_UNLABELLED,
    argument: str = "scores",
) -> Scores:
    """Return scores of a declared kind; a plain array means posteriors, and is no decisions.

    `fewest` is how many rows of exact zeros and ones are not chance.
    """
    if kind is not None:
        kind = import_module("stakes.scores").read_kind(kind)
    if isinstance(scores, Scores):
        if kind is not None and kind is not type(scores):
            got = f"{kind.__name__} for {type(scores).__name__}"
            raise InputError("kind", "must be that of typed scores", got, hint="Leave kind out.")
        return scores
    typed = (kind or Posteriors)(scores)
    if isinstance(typed, Posteriors):
        refuse_decisions(scores, typed.values, fewest, argument)
    return typed


def names_as(columns: Names, labels: Names) -> Names:
    """Return names of columns as the labels that they say: texts, as polars has, as numbers.

    >>> names_as(("1", "0"), (0, 1)), names_as(("p0", "p1"), (0, 1))
    ((1, 0), ('p0', 'p1'))
    """
    texts = all(isinstance(name, str) for name in columns)
    if not texts or any(isinstance(label, str) for label in labels):
        return columns
    known: dict[Label, Label] = {str(label): label for label in labels}
    return tuple(known[name] for name in columns) if set(columns) <= set(known) else columns


def class_names(scores: Scores, classes: NamesLike | None) -> Names | None:
    """Return the names of the columns: as declared, or as the scores came with."""
    if classes is None:
        return scores.names
    names = read_names(classes, "classes")
    if len(names) != scores.n_classes:
        if scores.values.ndim == 1:
            found = f"a 1-D array is binary, it cannot distinguish {len(names)} classes"
            rule, code = "must have one column per class", "columns_per_class"
            raise InputError("scores", rule, found=found, code=code)
        rule = "must name the columns of scores"
        raise InputError("classes", rule, f"{len(names)} names for {scores.n_classes} columns")
    return names
