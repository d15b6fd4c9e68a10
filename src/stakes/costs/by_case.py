"""Costs that differ from sample to sample: the amount of a transaction, the dose of a drug."""

from __future__ import annotations

__all__ = ["CostsByCase", "SampleCosts"]

from collections.abc import Mapping, Sequence
from typing import Any, Self

import numpy as np

from stakes._check import InputError, read_array, read_names
from stakes._text import MOST_SHOWN, plain_list, quoted
from stakes._typing import (
    ArrayLike,
    BoolArray,
    Column,
    CostValues,
    FloatArray,
    IntArray,
    Label,
    Names,
    NamesLike,
    Prices,
)
from stakes.costs.cost_tables import TIE, take_lower
from stakes.costs.matrix import CostMatrix
from stakes.costs.named_costs import DecidingCosts, NamedCosts, is_frame, names_of, read_price
from stakes.costs.price_words import is_column, is_prices, named_columns, price_entries
from stakes.scores import Scores

Cell = float | FloatArray
_FEW_PRICES = 20  # of a list that may be meant as several costs, not as one for each sample
_SEVERAL = (
    "A list has a cost for each sample. For several costs pass applications by name:"
    " costs={'low': {'miss': 10, 'false_alarm': 1}, 'high': {'miss': 50, 'false_alarm': 1}}."
)


class SampleCosts(DecidingCosts):
    """What each decision costs for each class, for each of N samples.

    Parameters
    ----------
    values : array of shape (N, K, M)
        Cost of decision j for sample t if its true class is i; finite and at least 0.
    classes, decisions : sequences of names, optional
        As in `CostMatrix`.

    See Also
    --------
    CostsByCase : names of columns instead of numbers.
    CostMatrix : the same costs for all cases.

    Examples
    --------
    A missed fraud costs its amount, a review costs 3. So review the large payment, even though it
    is less likely to be a fraud:

    >>> import stakes
    >>> costs = stakes.SampleCosts.from_columns(
    ...     [[0, 3], ["amount", 0]], {"amount": [10.0, 900.0]}, classes=["fine", "fraud"]
    ... )
    >>> costs.bayes_decisions([[0.8, 0.2], [0.95, 0.05]]).tolist()
    ['fine', 'fraud']
    """

    __slots__ = ("_cells", "_n")

    _cells: tuple[tuple[Cell, ...], ...]
    _n: int

    def __init__(
        self,
        values: ArrayLike,
        *,
        classes: NamesLike | None = None,
        decisions: NamesLike | None = None,
    ) -> None:
        table = read_array(values, "costs")
        if table.ndim != 3 or not table.size:
            raise InputError("costs", "must have shape (samples, classes, decisions)", table.shape)
        _, k, m = table.shape
        cells = tuple(tuple(table[:, i, j] for j in range(m)) for i in range(k))
        self._set(cells, names_of((k, m), classes, decisions), table.shape[0])

    def _set(self, cells: tuple[tuple[Cell, ...], ...], names: tuple[Names, Names], n: int) -> None:
        for i, row in enumerate(cells):
            for j, cell in enumerate(row):
                values = np.atleast_1d(cell)
                bad = ~(np.isfinite(values) & (values >= 0))
                if bad.any():
                    at, more = int(bad.argmax()), f" for (class, decision) ({i}, {j})"
                    rule = "must be finite and at least 0"
                    raise InputError("costs", rule, values[at], row=at, more=more)
        self._cells, self._n = cells, n
        self._classes, self._decisions = names

    @classmethod
    def from_columns(
        cls,
        entries: Sequence[Sequence[float | str]],
        columns: Mapping[str, Column] | Any,  # noqa: ANN401  any data frame
        *,
        classes: NamesLike | None = None,
        decisions: NamesLike | None = None,
    ) -> Self:
        """Return the costs of a table, from a matrix of numbers and names of its columns.

        Parameters
        ----------
        entries : K rows of M numbers or names
            A name stands for the numbers in that column.
        columns : mapping from name to N numbers, or a data frame
        classes : sequence of K names, optional
            As in `CostMatrix`.
        decisions : sequence of M names, optional
            As in `CostMatrix`.
        """
        for entry in (e for row in entries for e in row):
            if isinstance(entry, bool) or not isinstance(entry, str | int | float | np.number):
                raise InputError("entries", "must be numbers or names of columns", repr(entry))
        names = {e for row in entries for e in row if isinstance(e, str)}
        found = {name: read_array(_column(columns, name), f"column {name!r}") for name in names}
        for name, values in found.items():
            if values.ndim != 1:
                msg = f"column {name!r} must hold one number per sample: got shape {values.shape}."
                raise InputError(msg)
        lengths = {values.size for values in found.values()}
        if len(lengths) != 1:
            got = f"columns of {sorted(lengths)} rows" if lengths else "no entry names a column"
            rule, hint = "must name columns of one length", "For one matrix use CostMatrix."
            raise InputError("entries", rule, got, hint=hint)
        if len({len(row) for row in entries}) != 1:
            rule = "must have rows of one length"
            raise InputError("entries", rule, [len(row) for row in entries])
        cells = tuple(
            tuple(found[e] if isinstance(e, str) else float(e) for e in row) for row in entries
        )
        costs = cls.__new__(cls)
        shape = len(cells), len(cells[0])
        costs._set(cells, names_of(shape, classes, decisions), lengths.pop())
        return costs

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of samples, classes and decisions."""
        return self._n, len(self._classes), len(self._decisions)

    def with_abstention(self, price: float, name: Label = "abstain") -> Self:
        """Return the costs with one more decision, which costs the same for every case.

        Parameters
        ----------
        price : float
            Cost of the further decision, the same for every case.
        name : name, default "abstain"
            Name of the further decision.
        """
        costs = type(self).__new__(type(self))
        costs._cells = tuple((*row, read_price(price)) for row in self._cells)
        costs._classes, costs._n = self._classes, self._n
        costs._decisions = read_names([*self._decisions, name], "decisions", mixed=True)
        return costs

    def part(self, rows: IntArray) -> Self:
        """Return the costs of some samples.

        Parameters
        ----------
        rows : array of ints
            Indices of samples.
        """
        costs = type(self).__new__(type(self))
        costs._cells = tuple(
            tuple(cell if isinstance(cell, float) else cell[rows] for cell in row)
            for row in self._cells
        )
        costs._classes, costs._decisions, costs._n = self._classes, self._decisions, rows.size
        return costs

    def prices(self, i: int, j: int) -> Cell:
        """Return the cost of decision j for class i: one number, or one for each sample.

        Parameters
        ----------
        i : int
            Index of the class.
        j : int
            Index of the decision.
        """
        return self._cells[i][j]

    def constant(self) -> CostMatrix | None:
        """Return the one matrix that applies to every sample, if there is one."""
        cells = (cell for row in self._cells for cell in row)
        if not all(isinstance(cell, float) or (cell == cell[0]).all() for cell in cells):
            return None
        rows = [
            [cell if isinstance(cell, float) else float(cell[0]) for cell in row]
            for row in self._cells
        ]
        return CostMatrix(rows, classes=self._classes, decisions=self._decisions)

    def optimal(self) -> BoolArray:
        """Return, for each sample and decision, whether any posterior makes it optimal.

        With two classes, expected costs are lines in the posterior. With more, decisions are
        compared in pairs: one that costs at least as much as another for every class is never
        optimal.
        """
        k, m = len(self._classes), len(self._decisions)
        found = np.ones((self._n, m), dtype=bool)
        for j in range(m):
            low, high = np.zeros(self._n), np.ones(self._n)  # posteriors at which j is optimal
            for other in range(m):
                if other == j:
                    continue
                gaps = [
                    np.broadcast_to(np.subtract(self._cells[i][j], self._cells[i][other]), self._n)
                    for i in range(k)
                ]
                least = np.min(gaps, axis=0)
                found[:, j] &= least < 0 if other < j else least <= 0
                if k == 2:
                    _narrow(low, high, gaps[0], gaps[1])
            found[:, j] &= low <= high
        return found

    def at(self, y: IntArray, d: IntArray) -> FloatArray:
        """Return the cost of each sample, from the indices of its class and its decision.

        Parameters
        ----------
        y : array of N ints
            The index of each sample's class.
        d : array of N ints
            The index of each sample's decision.
        """
        cost = np.zeros(self._n)
        for i, row in enumerate(self._cells):
            for j, cell in enumerate(row):
                here = (y == i) & (d == j)
                cost[here] = cell if isinstance(cell, float) else cell[here]
        return cost

    def _check_scores(self, scores: Scores) -> None:
        if (len(scores), scores.n_classes) != self.shape[:2]:
            rule = f"must have {self._n} rows and one column per class {quoted(self._classes)}"
            got = f"{len(scores)} rows and {scores.n_classes} columns"
            raise InputError("posteriors", rule, got)

    def varying(self) -> list[FloatArray]:
        """Return the costs that differ from case to case, a column each."""
        return [cell for row in self._cells for cell in row if isinstance(cell, np.ndarray)]

    def least_expected(self, p: FloatArray) -> IntArray:
        """Return the decision of least expected cost for each row of posteriors.

        Parameters
        ----------
        p : array of shape (N, K)
            Posteriors that are already checked.
        """
        tie = TIE * np.maximum.reduce(
            [np.broadcast_to(cell, self._n) for row in self._cells for cell in row]
        )
        best = self.expected(p, 0)
        chosen = np.zeros(self._n, dtype=np.int64)
        for j in range(1, len(self._decisions)):
            take_lower(best, chosen, self.expected(p, j), j, tie)
        return chosen

    def expected(self, p: FloatArray, decision: int) -> FloatArray:
        """Return the expected cost of one decision for each sample.

        Parameters
        ----------
        p : array of shape (N, K)
            Posteriors that are already checked.
        decision : int
            Index of the decision.
        """
        total = np.zeros(self._n)
        for i, row in enumerate(self._cells):
            total += p[:, i] * row[decision]
        return total

    def __str__(self) -> str:
        n, k, m = self.shape
        return f"SampleCosts({n} samples, {k} classes, {m} decisions)"


class CostsByCase(NamedCosts):
    """A cost matrix whose entries may name columns, such as the amount of a transaction.

    Use it for data in batches or tables; `SampleCosts` has the numbers themselves.

    Parameters
    ----------
    entries : K rows of M numbers or names of columns
        Cost of decision j for class i; at least one names a column. For two classes also as a
        dict: {"miss": "amount", "false_alarm": 3}.
    classes, decisions : sequences of names, optional
        As in `CostMatrix`.

    See Also
    --------
    SampleCosts : numbers instead of names of columns.
    CostMatrix : the same costs for all cases.

    Examples
    --------
    A missed fraud costs its amount, a review costs 3:

    >>> import stakes
    >>> costs = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=["fine", "fraud"])
    >>> costs.columns
    ('amount',)
    >>> amounts = {"amount": [10.0, 900.0]}
    >>> costs.with_columns(amounts).bayes_decisions([[0.8, 0.2], [0.95, 0.05]]).tolist()
    ['fine', 'fraud']
    """

    __slots__ = ("entries",)

    def __init__(
        self,
        entries: Sequence[Sequence[float | str]] | Prices,
        *,
        classes: NamesLike | None = None,
        decisions: NamesLike | None = None,
    ) -> None:
        if is_prices(entries):
            entries, classes, decisions = price_entries(entries, classes, decisions)
        self.entries: tuple[tuple[float | str, ...], ...] = tuple(tuple(row) for row in entries)
        one = {name: [1.0] for name in self.columns}
        checked = SampleCosts.from_columns(self.entries, one, classes=classes, decisions=decisions)
        self._classes, self._decisions = checked.classes, checked.decisions

    @property
    def shape(self) -> tuple[int, int]:
        """Number of classes and number of decisions."""
        return len(self.classes), len(self.decisions)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that entries name, each once, in the order of the matrix."""
        named = (entry for row in self.entries for entry in row if isinstance(entry, str))
        return tuple(dict.fromkeys(named))

    def with_abstention(self, price: float, name: Label = "abstain") -> Self:
        """Return the costs with one more decision, which costs the same for every case.

        >>> costs = CostsByCase([[0, 3], ["amount", 0]], classes=["fine", "fraud"])
        >>> costs.with_abstention(1, "ask").decisions
        ('fine', 'fraud', 'ask')

        Parameters
        ----------
        price : float
            Cost of the further decision, the same for every case.
        name : name, default "abstain"
            Name of the further decision.
        """
        entries = [(*row, read_price(price)) for row in self.entries]
        decisions = [*self.decisions, name]
        return type(self)(entries, classes=self.classes, decisions=decisions)

    def with_columns(self, columns: Mapping[str, Column] | Any) -> SampleCosts:  # noqa: ANN401  any frame
        """Return the costs of the samples in a table or mapping.

        Parameters
        ----------
        columns : data frame, or mapping from name to numbers
            Has a column for each name in the costs.
        """
        return SampleCosts.from_columns(
            self.entries, columns, classes=self.classes, decisions=self.decisions
        )

    def __str__(self) -> str:
        rows, names = [list(row) for row in self.entries], plain_list(self.classes, MOST_SHOWN)
        more = "" if len(rows) <= MOST_SHOWN else f" and {len(rows) - MOST_SHOWN} rows more"
        return f"CostsByCase({rows[:MOST_SHOWN]}{more}, classes {names})"


def as_costs(
    costs: CostMatrix | SampleCosts | CostsByCase | CostValues,
    classes: NamesLike | None,
    decisions: NamesLike | None = None,
) -> CostMatrix | SampleCosts | CostsByCase:
    """Return costs as a record, that of these classes where they have no names.

    Prices by word may be columns, or their names.
    """
    if isinstance(costs, CostMatrix | SampleCosts | CostsByCase):
        return costs
    if not is_prices(costs):
        return CostMatrix(costs, classes=classes, decisions=decisions)
    if named_columns(costs):
        return CostsByCase(costs, classes=classes, decisions=decisions)
    columns = {word: price for word, price in costs.items() if is_column(price)}
    if not columns:
        return CostMatrix(costs, classes=classes, decisions=decisions)
    by_name = {word: word if word in columns else price for word, price in costs.items()}
    return CostsByCase(by_name, classes=classes, decisions=decisions).with_columns(columns)


def classes_named(costs: object) -> Names | None:
    """Return the classes that costs name, as rows of a data frame may; None where they do not."""
    if isinstance(costs, CostMatrix | SampleCosts | CostsByCase):
        return costs.classes
    if not is_frame(costs):
        return None
    names = CostMatrix(costs).classes
    return None if names == tuple(range(len(names))) else names


def check_samples(costs: SampleCosts, n: int) -> None:
    """Refuse costs of another number of samples."""
    if (given := costs.shape[0]) != n:
        few = given <= _FEW_PRICES < n
        hint = _SEVERAL if few else ""
        raise InputError("costs", "must be of the same samples", f"{given} for {n}", hint=hint)


def numbers_of(
    costs: CostMatrix | SampleCosts | CostsByCase,
) -> CostMatrix | SampleCosts:
    """Return costs that hold numbers; refuse names of columns where there is no table."""
    if isinstance(costs, CostsByCase):
        rule, found = "must hold numbers for samples", f"they name the column {costs.columns[0]!r}"
        hint = "Pass the column itself, or costs.with_columns(table)."
        raise InputError("costs", rule, found=found, hint=hint)
    return costs


def _narrow(low: FloatArray, high: FloatArray, first: FloatArray, second: FloatArray) -> None:
    """Narrow the posteriors of the second class at which (1 - p) * first + p * second <= 0."""
    slope = second - first
    with np.errstate(divide="ignore", invalid="ignore"):
        root = -first / slope
    rising, falling = slope > 0, slope < 0
    high[rising] = np.minimum(high[rising], root[rising])
    low[falling] = np.maximum(low[falling], root[falling])
    high[(slope == 0) & (first > 0)] = -1.0


def _column(columns: Any, name: str) -> Column:  # noqa: ANN401
    try:
        return columns[name]
    except (KeyError, LookupError, TypeError, ValueError) as error:
        there = list(columns if isinstance(columns, Mapping) else getattr(columns, "columns", []))
        rule = "must name columns of the table"
        raise InputError("entries", rule, f"{name!r}, the table has {quoted(there)}") from error
