"""Names of rows and columns of costs: given, from a data frame, or by default."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import Any

import numpy as np

from stakes._check import Action, InputError, read_names, read_number, read_priors
from stakes._records import Record
from stakes._text import quoted
from stakes._typing import Column, FloatArray, IntArray, Names, NamesLike, NDArray, PriorsLike
from stakes.scores import Scores, as_scores


def is_frame(values: Any) -> bool:  # noqa: ANN401
    """Tell a pandas data frame, which has names for its rows, without importing pandas."""
    return all(hasattr(values, name) for name in ("index", "columns", "to_numpy"))


def names_of(
    shape: tuple[int, ...], classes: NamesLike | None, decisions: NamesLike | None
) -> tuple[Names, Names]:
    """Return names for rows and columns, as given or by default."""
    k, m = shape
    rows = read_names(k if classes is None else classes, "classes")
    if len(rows) != k:
        rule = f"must have one row per class {quoted(rows)}, {len(rows)} in all"
        got = f"{k} rows for {len(rows)} classes; rows are classes, columns are decisions"
        raise InputError("costs", rule, got, code="cost_matrix_shape")
    if decisions is None:
        decisions = default_decisions(classes, rows, m)
    columns = rows if decisions is rows else read_names(decisions, "decisions", mixed=True)
    if len(columns) != m:
        got = f"{m} columns for {len(columns)} decisions; columns are decisions"
        rule = f"must have one column per decision {quoted(columns)}"
        raise InputError("costs", rule, got, code="cost_matrix_shape")
    return rows, columns


def default_decisions(classes: NamesLike | None, rows: Names, m: int) -> NamesLike:
    """Return the decisions where none are named: the classes, or numbers for unnamed classes."""
    if m == len(rows):
        return rows
    if classes is None or rows == tuple(range(len(rows))):
        return m
    rule = "must be named where they are not the classes"
    got, hint = f"{m} columns for the classes {quoted(rows)}", Action("name_decisions")
    raise InputError("decisions", rule, got, hint=hint, code="cost_matrix_shape")


def reordered(
    array: FloatArray,
    named: tuple[Names, Names],
    classes: NamesLike | None,
    decisions: NamesLike | None,
) -> tuple[FloatArray, tuple[Names, Names]]:
    """Put the rows and columns of a data frame into the order asked for."""
    if decisions is None and set(named[0]) == set(named[1]):
        decisions = classes
    rows = _order(named[0], classes, "classes")
    columns = _order(named[1], decisions, "decisions")
    places = ([*map(named[0].index, rows)], [*map(named[1].index, columns)])
    return array[np.ix_(*places)], (rows, columns)


def _order(own: Names, asked: NamesLike | None, argument: str) -> Names:
    order = own if asked is None else read_names(asked, argument, mixed=argument == "decisions")
    if set(order) != set(own):
        rule = "must be those of the cost table"
        raise InputError(argument, rule, f"{quoted(order)} where the table has {quoted(own)}")
    return order


def read_price(price: float) -> float:
    """Read the price of abstaining."""
    return read_number(price, "abstain", 0, math.inf, closed=(True, False))


class NamedCosts(Record):
    """Costs with names for their classes and decisions."""

    __slots__ = ("_classes", "_decisions")

    _classes: Names
    _decisions: Names

    @property
    def classes(self) -> Names:
        """Names of the true classes, in the order of the rows."""
        return self._classes

    @property
    def decisions(self) -> Names:
        """Names of the decisions, in the order of the columns."""
        return self._decisions

    def _in_a_line(self) -> str:
        return f"{len(self.classes)} classes, {len(self.decisions)} decisions"

    def named(self, indices: IntArray) -> NDArray[Any]:
        """Return decisions by name: integers if all names are integers, else objects.

        Parameters
        ----------
        indices : array of N ints
            Indices of decisions.
        """
        whole = all(type(name) is int for name in self.decisions)
        known = np.empty(len(self.decisions), dtype=np.int64 if whole else object)
        known[:] = self.decisions
        return known[indices]


class DecidingCosts(NamedCosts, ABC):
    """Costs that say which decision is best for each sample."""

    __slots__ = ()

    @abstractmethod
    def _check_scores(self, scores: Scores) -> None:
        """Refuse scores of other classes or samples."""

    @abstractmethod
    def least_expected(self, p: FloatArray) -> IntArray:
        """Return the decision of least expected cost for each row of posteriors.

        Parameters
        ----------
        p : array of shape (N, K)
            Posteriors that are already checked.
        """

    def bayes_decisions(
        self,
        posteriors: Scores | Column,
        priors: PriorsLike | None = None,
        *,
        indices: bool = False,
    ) -> NDArray[Any]:
        """Return the decision of least expected cost for each sample, by name.

        d_B = argmin_j sum_i c_ij P(H_i|x) (eq:bayes_decisions). On a tie the lowest index wins.

        Parameters
        ----------
        posteriors : array of shape (N, K), or any type of scores
            One column holds P(classes[-1]) of two classes.
        priors : float, array of K or mapping by class, optional
            Needed for likelihoods only.
        indices : bool, default False
            Whether to return indices instead of names.

        Examples
        --------
        A tumour of probability 0.2 is worth an operation, if missing it costs five times as much:

        >>> import stakes
        >>> costs = stakes.CostMatrix.binary(miss=5, false_alarm=1, classes=["healthy", "tumour"])
        >>> costs.bayes_decisions([[0.9, 0.1], [0.8, 0.2]]).tolist()
        ['healthy', 'tumour']
        """
        scores = as_scores(posteriors).ordered(self.classes)
        self._check_scores(scores)
        found = self.least_expected(scores.answers(read_priors(priors, self.classes)).p)
        return found if indices else self.named(found)
