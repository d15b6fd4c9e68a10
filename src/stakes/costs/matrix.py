"""What each decision costs for each true class."""

from __future__ import annotations

__all__ = ["CostMatrix"]

import math
import os
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn, Self

import numpy as np

from stakes._check import (
    InputError,
    UndefinedMetricError,
    read_array,
    read_costs,
    read_names,
    read_priors,
)
from stakes._files import read_text, write_text
from stakes._foreign_calls import answered
from stakes._text import MOST_SHOWN, html_table, matrix_rows, matrix_text, quoted
from stakes._typing import (
    CostValues,
    FloatArray,
    IntArray,
    Label,
    Names,
    NamesLike,
    PriorsLike,
)
from stakes.costs.cost_files import FORMS
from stakes.costs.cost_tables import TIE, CostTable, DenseTable, ErrorTable
from stakes.costs.named_costs import DecidingCosts, is_frame, names_of, read_price, reordered
from stakes.costs.price_words import is_prices, price_entries
from stakes.scores import Scores

if TYPE_CHECKING:
    from stakes._kernels.kernel_records import CostColumns

_MOST_LISTED = 10_000
_MOST_RIVALS = 20  # constant decisions beside the best one
_LARGEST_GAIN = 1e300  # so that differences stay finite


class CostMatrix(DecidingCosts):
    """The cost of each decision for each true class: c_ij, truth in rows, decision in columns.

    The decisions need not be the classes: a doctor may operate, send home or ask for more tests.
    Costs are finite and at least 0, in any unit (money, days, harm); only their ratios matter for
    decisions and for the normalised expected cost. A cost matrix never changes.

    Parameters
    ----------
    values : array of shape (K, M), data frame with names, or dict
        Cost of decision j when the truth is class i. For two classes also a dict,
        {"miss": 5, "false_alarm": 1}, with "abstain" for one more decision; the class of interest
        comes last.
    classes : sequence of K names, optional
        By default 0, ..., K-1 (or the index of the data frame).
    decisions : sequence of M names, optional
        By default the classes if M equals K and 0, ..., M-1 for unnamed classes.

    See Also
    --------
    CostsByCase, SampleCosts : costs that differ from case to case.
    expected_cost : what decisions cost.
    decide : the decisions of least cost.

    Examples
    --------
    A missed tumour costs five times as much as a needless operation, and one patient in ten has a
    tumour. Without any further information, send everybody home:

    >>> costs = CostMatrix(
    ...     [[0, 1], [5, 0]], classes=["healthy", "tumour"], decisions=["send home", "operate"]
    ... )
    >>> costs
    truth in rows, decision in columns
             send home  operate
    healthy          0        1
    tumour           5        0
    >>> decision, cost = costs.naive([0.9, 0.1])
    >>> costs.decisions[decision], cost
    ('send home', 0.5)
    """

    __slots__ = ("_table",)

    _table: CostTable

    @answered
    def __init__(
        self,
        values: Any,  # noqa: ANN401  data frames have no common type
        *,
        classes: NamesLike | None = None,
        decisions: NamesLike | None = None,
    ) -> None:
        if is_prices(values):
            values, classes, decisions = price_entries(values, classes, decisions)
            _refuse_columns(values)
        framed = is_frame(values)
        array = read_costs(values.to_numpy() if framed else values)
        rows, columns = (list(values.index), list(values.columns)) if framed else (None, None)
        array = np.array(array, dtype=np.float64)  # a copy of our own, which nobody else can change
        named = names_of(array.shape, rows or classes, columns or decisions)
        if rows is not None:
            array, named = reordered(array, named, classes, decisions)
        array.setflags(write=False)
        self._set(DenseTable(array), *named)

    def _set(self, *fields: object) -> None:
        """Fill a new matrix; nothing sets these fields again."""
        for name, value in zip(("_table", "_classes", "_decisions"), fields, strict=True):
            object.__setattr__(self, name, value)

    @classmethod
    def _from_table(cls, costs: CostTable, classes: Names, decisions: Names) -> Self:
        matrix = cls.__new__(cls)
        matrix._set(costs, classes, decisions)
        return matrix

    @classmethod
    @answered
    def zero_one(cls, classes: NamesLike, *, abstain: float | None = None) -> Self:
        """Return 0-1 costs: 1 for any error, 0 if right; their expected cost is the error rate.

        Parameters
        ----------
        classes : sequence of names, or how many
            The classes.
        abstain : float, optional
            Cost of the further decision "abstain", the same for every class.

        Examples
        --------
        >>> CostMatrix.zero_one(["cat", "dog"], abstain=0.1)
        truth in rows, decision in columns
             cat  dog  abstain
        cat    0    1   0.1000
        dog    1    0   0.1000
        """
        names = read_names(classes, "classes")
        costs = cls._errors(np.ones(len(names)), names)
        return costs if abstain is None else costs.with_abstention(abstain)

    def with_abstention(self, price: float, name: Label = "abstain") -> Self:
        """Return the costs with one more decision, which costs the same for every class.

        >>> CostMatrix.zero_one(3).with_abstention(0.2).decisions
        (0, 1, 2, 'abstain')

        Parameters
        ----------
        price : float
            Cost of the further decision, the same for every class.
        name : name, default "abstain"
            Name of the further decision.
        """
        wider = self._table.with_column(np.full((self.shape[0], 1), read_price(price)))
        decisions = read_names([*self.decisions, name], "decisions", mixed=True)
        return self._from_table(wider, self.classes, decisions)

    @classmethod
    @answered
    def balanced(cls, classes: NamesLike, priors: PriorsLike) -> Self:
        """Return costs 1/(K P_i) for errors of class i; their EC is the balanced error rate.

        Parameters
        ----------
        classes : sequence of K names, or how many
            The classes.
        priors : float, array of K, or mapping by class
            How often each class occurs.
        """
        names = read_names(classes, "classes")
        p = read_priors(priors, names)
        if p is None or not p.all():
            fault = "data" if p is None else f"0 for class {quoted([names[int(p.argmin())]])}"
            raise InputError("priors", "must be numbers above 0 for balanced costs", fault)
        return cls._errors(1 / (len(names) * p), names)

    @classmethod
    def _errors(cls, error: FloatArray, classes: Names) -> Self:
        return cls._from_table(ErrorTable(error, np.empty((error.size, 0))), classes, classes)

    @classmethod
    @answered
    def binary(cls, *, miss: float, false_alarm: float, classes: NamesLike = 2) -> Self:
        """Return the costs of the two errors of a detector; the class of interest comes last.

        Parameters
        ----------
        miss : float
            Cost of deciding the first class when the truth is the second.
        false_alarm : float
            Cost of deciding the second class when the truth is the first.
        classes : two names, or 2, default 2
            The class of interest comes last.

        Examples
        --------
        >>> CostMatrix.binary(miss=5, false_alarm=1, classes=["healthy", "tumour"]).threshold()
        0.16666666666666666
        """
        return cls([[0, false_alarm], [miss, 0]], classes=classes)

    @classmethod
    @answered
    def from_utilities(
        cls,
        values: Any,  # noqa: ANN401  data frames have no common type
        *,
        classes: NamesLike | None = None,
        decisions: NamesLike | None = None,
    ) -> Self:
        """Return costs from utilities: how far each decision falls short of the best in its row.

        Decisions are the same as with the utilities themselves, which may be negative.

        Parameters
        ----------
        values : array of shape (K, M)
            What decision j gains when the truth is class i; it may be negative.
        classes : sequence of K names, optional
            As in `CostMatrix`.
        decisions : sequence of M names, optional
            As in `CostMatrix`.
        """
        framed = is_frame(values)
        gains = read_array(values.to_numpy() if framed else values, "values")
        if gains.ndim != 2 or not gains.size or not (np.abs(gains) < _LARGEST_GAIN).all():
            rule = "must be a finite 2-D table of utilities"
            raise InputError("values", rule, f"shape {gains.shape}")
        costs = gains.max(axis=1, keepdims=True) - gains
        if framed:
            costs = type(values)(costs, index=values.index, columns=values.columns)
        return cls(costs, classes=classes, decisions=decisions)

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Self:
        """Read a cost file, .toml or .csv; docs/cost-files.md describes the two formats.

        Parameters
        ----------
        path : str or path
            The file; its name ends in .toml or .csv.
        """
        read, _ = _form(path)
        values, classes, decisions = read(read_text(path), str(path))
        try:
            return cls(values, classes=classes, decisions=decisions)
        except InputError as error:
            raise error.moved(source=repr(str(path))) from error

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write a cost file, .toml or .csv; reading it gives an equal matrix.

        Parameters
        ----------
        path : str or path
            The file; its name ends in .toml or .csv.
        """
        _, write = _form(path)
        write_text(path, write(self.values, self.classes, self.decisions))

    @property
    def values(self) -> FloatArray:
        """All costs c_ij as a read-only array, classes in rows."""
        return self._table.dense()

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes and number of decisions."""
        return self._table.shape

    def to_lists(self) -> list[list[float]] | None:
        """Return the costs as lists, ready for JSON; None if there are too many to write out."""
        k, m = self.shape
        return self.values.tolist() if k * m <= _MOST_LISTED else None

    def to_dict(self) -> dict[str, Any]:
        """Return the costs as plain values, ready for JSON, in compact form."""
        return {name: part.tolist() for name, part in vars(self._table).items() if name[0] != "_"}

    @classmethod
    def from_dict(cls, data: Mapping[str, Any], classes: Names, decisions: Names) -> Self:
        """Return the costs read from plain values.

        Parameters
        ----------
        data : mapping
            What `to_dict` returned.
        classes : tuple of K names
            The classes.
        decisions : tuple of M names
            The decisions.
        """
        if "values" in data:
            return cls(data["values"], classes=classes, decisions=decisions)
        error, further = (np.array(data[name], dtype=np.float64) for name in ("error", "further"))
        further = further.reshape(error.size, -1)
        named = len(classes) == error.size and len(decisions) == error.size + further.shape[1]
        every = np.concatenate([error, further.ravel()])
        if not named or not np.isfinite(every).all() or (every < 0).any():
            rule = "must be finite and at least 0, one for each class, each decision named"
            raise InputError("costs", rule)
        return cls._from_table(ErrorTable(error, further), classes, decisions)

    def at(self, y: IntArray, d: IntArray) -> FloatArray:
        """Return the cost of each sample, from the indices of its class and its decision.

        Parameters
        ----------
        y : array of N ints
            The index of each sample's class.
        d : array of N ints
            The index of each sample's decision.
        """
        return self._table.at(y, d)

    def column(self, decision: int) -> FloatArray:
        """Return the costs of one decision for each class.

        Parameters
        ----------
        decision : int
            Index of the decision.
        """
        return self._table.column(decision)

    def ranges(self, taken: IntArray | None = None) -> tuple[FloatArray, FloatArray]:
        """Return the least and the largest cost of each class.

        Decisions that are never optimal are left out, unless they are among those `taken`.

        Parameters
        ----------
        taken : array of ints, optional
            Indices of decisions that count in any case.
        """
        kept = self._table.optimal()
        if taken is not None:
            kept[taken] = True
        return self._table.ranges(kept)

    def columns(self) -> CostColumns:
        """Return the costs as the kernels take them."""
        from stakes._kernels.kernel_records import CostColumns  # noqa: PLC0415  not needed to write costs down

        return CostColumns(*self._table.columns(), self._table.tie)

    def posterior_intervals(self) -> tuple[tuple[int, ...], tuple[float, ...]]:
        """Return the Bayes decisions of two classes in rising order of P(H_2), and their limits.

        Each decision but the first is made above the threshold before it. Expected costs are lines
        in the posterior, so each decision is best on one interval. Costs that differ only by
        rounding count as equal, and the lowest index wins.
        """
        low, high = self.values.tolist()
        slope = [b - a for a, b in zip(low, high, strict=True)]
        tie = TIE * max(map(abs, low + high))
        least = min(low) + tie
        best = next(j for j, cost in enumerate(low) if cost <= least)
        order, ends = [best], [0.0]
        while steeper := [j for j, fall in enumerate(slope) if fall < slope[best]]:
            crossing = [
                (low[j] - low[best] + (-tie if j < best else tie)) / (slope[best] - slope[j])
                for j in steeper
            ]
            first = min(crossing)
            if max(first, ends[-1]) >= 1:
                break
            ends.append(max(first, ends[-1]))
            near = first + 4 * math.ulp(first)
            met = (j for j, at in zip(steeper, crossing, strict=True) if at <= near)
            best = min(met, key=lambda j: (slope[j], j))  # the lowest of all beyond
            order.append(best)
        return tuple(order), tuple(ends[1:])

    def least_expected(self, p: FloatArray) -> IntArray:
        """Return the decision of least expected cost for each row of posteriors.

        Parameters
        ----------
        p : array of shape (N, K)
            Posteriors that are already checked.
        """
        return self._table.least_expected(p)

    def _check_scores(self, scores: Scores) -> None:
        if scores.n_classes != self.shape[0]:
            rule = f"must have one column per class {quoted(self.classes)}"
            raise InputError("posteriors", rule, f"{scores.n_classes} columns")

    def naive(self, priors: PriorsLike) -> tuple[int, float]:
        """Return the best constant decision and its expected cost: min_j sum_i c_ij P_i.

        This is the cost of a system that sees no input (eq:ecn). On a tie the lowest index wins.

        Parameters
        ----------
        priors : float, array of K, or mapping by class
            How often each class occurs.
        """
        return self.naive_at(self._priors(priors))

    def naive_at(self, p: FloatArray) -> tuple[int, float]:
        """Return the best constant decision and its expected cost, at checked priors.

        Parameters
        ----------
        p : array of K
            Priors that are already checked.
        """
        best = self._table.best_constant(p)
        return best, math.fsum((p * self._table.column(best)).tolist())

    def rivals(self, p: FloatArray, best: int) -> IntArray:
        """Return the other decisions that could be the best constant one at nearby priors.

        If there are very many, only those of the lowest cost are kept, the lowest first.

        Parameters
        ----------
        p : array of K
            Priors that are already checked.
        best : int
            Index of the best constant decision.
        """
        others = self._table.optimal()
        others[best] = False
        places = np.flatnonzero(others)
        costs = self._table.constants(p)[places]
        return places[np.argsort(costs, kind="stable")[:_MOST_RIVALS]]

    def rival_columns(self, p: FloatArray) -> tuple[FloatArray, ...]:
        """Return what the other decisions that could be the best constant one cost each class.

        Parameters
        ----------
        p : array of K
            Priors that are already checked.
        """
        columns = (self.column(int(j)) for j in self.rivals(p, self.naive_at(p)[0]))
        return tuple(np.asarray(column, dtype=np.float64) for column in columns)

    def odds(self, priors: PriorsLike) -> float:
        """Return c12 P1 / (c21 P2), the one free number of a binary problem (eq:alpha).

        Parameters
        ----------
        priors : float, array of two, or mapping by class
            How often each class occurs.
        """
        p = self._priors(priors)
        false_alarm, miss = self._errors_of_two("odds")
        above, below = false_alarm * p[0], miss * p[1]
        if above == below == 0:
            found = "both errors cost nothing at these priors"
            raise UndefinedMetricError("odds", "need a cost and a prior above 0", found=found)
        return float(above / below) if below > 0 else math.inf

    def threshold(self) -> float:
        """Return the threshold on P(classes[-1]) above which to decide for it.

        It is c12 / (c12 + c21).
        """
        false_alarm, miss = self._errors_of_two("threshold")
        if false_alarm == miss == 0:
            rule = "needs an error that costs something"
            raise UndefinedMetricError("threshold", rule, "costs of 0 only")
        return false_alarm / 2 / (false_alarm / 2 + miss / 2)

    def llr_threshold(self, priors: PriorsLike) -> float:
        """Return the threshold on the natural log likelihood ratio: log(c12 P1 / (c21 P2)).

        Parameters
        ----------
        priors : float, array of two, or mapping by class
            How often each class occurs.
        """
        odds = self.odds(priors)
        return math.log(odds) if odds > 0 else -math.inf

    def effective_prior(self, priors: PriorsLike) -> float:
        """Return the prior of classes[-1] that poses the same problem with equal costs.

        It is c21 P2 / (c12 P1 + c21 P2), the x axis of a cost curve. In speech, the costs of the
        DCF are folded into the prior of a target in this way.

        Parameters
        ----------
        priors : float, array of two, or mapping by class
            How often each class occurs.
        """
        return 1 / (1 + self.odds(priors))

    def regret(self) -> Self:
        """Return the costs minus the least of their row: what could have been saved.

        Decisions stay the same; the expected cost falls by sum_i P_i min_j c_ij.
        """
        values = self.values
        shifted = values - values.min(axis=1, keepdims=True)
        return type(self)(shifted, classes=self.classes, decisions=self.decisions)

    def _priors(self, priors: PriorsLike) -> FloatArray:
        """Read priors that must be told: a cost matrix has no data to take them from."""
        p = read_priors(priors, self.classes)
        if p is None:
            rule = f"must be given for the classes {quoted(self.classes)}"
            raise InputError("priors", rule, repr(priors))
        return p

    def _errors_of_two(self, asked: str) -> tuple[float, float]:
        """Return c12 and c21 of a square binary matrix whose right answers cost nothing."""
        if self.shape != (2, 2):
            found = f"this cost matrix is {self.shape}"
            raise InputError(asked, "needs two classes and two decisions", found=found)
        values = self.values
        if values[0, 0] or values[1, 1]:
            got = f"{values[0, 0]}, {values[1, 1]}"
            hint = "costs.regret() sets them to 0 where they are the row's least."
            raise InputError(asked, "needs right answers that cost 0", got, hint=hint)
        return float(values[0, 1]), float(values[1, 0])

    def _rows(self) -> list[list[str]]:
        """Return the table to show, cut where it is too large to read."""
        columns = map(self.column, range(min(self.shape[1], MOST_SHOWN)))
        return matrix_rows(self.classes, self.decisions[:MOST_SHOWN], columns)

    def __str__(self) -> str:
        return matrix_text(self._rows(), self.shape)

    def _repr_html_(self) -> str:
        return html_table(self._rows(), "Costs: truth in rows, decision in columns")

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, CostMatrix):
            return NotImplemented
        if (self.classes, self.decisions) != (other.classes, other.decisions):
            return False
        columns = range(self.shape[1])
        return all((self.column(j) == other.column(j)).all() for j in columns)

    def __hash__(self) -> int:
        first = self.column(0) + 0.0  # so that 0.0 and -0.0, which are equal, hash alike
        return hash((self.classes, self.decisions, first.tobytes()))

    def __setattr__(self, name: str, value: object) -> NoReturn:
        msg = f"a CostMatrix never changes: make a new one to set {name} to {value!r}."
        raise AttributeError(msg)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self)._from_table, (self._table, self._classes, self._decisions)


def _form(path: str | os.PathLike[str]) -> tuple[Callable[..., Any], Callable[..., str]]:
    if form := FORMS.get(Path(path).suffix.lower()):
        return form
    raise InputError(f"a cost file must end in .toml or .csv: got {str(path)!r}.")


def _refuse_columns(entries: list[list[Any]]) -> None:
    """Refuse prices that differ from case to case."""
    for price in (each for row in entries for each in row if not isinstance(each, float)):
        rule = "must be one number for each error here"
        shown = f"the column {price!r}" if isinstance(price, str) else "a number for each case"
        hint = "Costs by case are for bayes_cost, expected_cost, decide, evaluate and compare."
        raise InputError("costs", rule, shown, hint=hint)


def declared_classes(
    classes: NamesLike | None, *costs: object, positive: Label | None = None
) -> NamesLike | None:
    """Return the classes that were declared, or else those of the first named costs.

    Where `positive` says which class comes last, the costs need not say the order.
    """
    if classes is not None or positive is not None:
        return classes
    return next((one.classes for one in costs if isinstance(one, CostMatrix)), None)


def as_cost_matrix(costs: CostMatrix | CostValues | None, classes: Names) -> CostMatrix:
    """Return costs as a matrix, that of these classes where it has no names; None: 0-1 costs."""
    if costs is None:
        return CostMatrix.zero_one(classes)
    return costs if isinstance(costs, CostMatrix) else CostMatrix(costs, classes=classes)


def check_order(costs: CostMatrix, classes: Names) -> None:
    """Refuse costs of other classes than those of the scores, or in another order.

    Costs whose classes have no names, 0 to K - 1, are in the order of any K classes.
    """
    if costs.classes not in (classes, tuple(range(len(classes)))):
        rule = f"must have the classes of the scores, {quoted(classes)}, in their order"
        raise InputError("costs", rule, quoted(costs.classes))
