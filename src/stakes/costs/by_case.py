"""Costs that name columns of data that are still to come."""

__all__ = ["CostsByCase"]

from collections.abc import Mapping, Sequence
from typing import Any

from stakes._typing import Column, Names, NamesLike
from stakes.costs.per_sample import SampleCosts

Entry = float | str


class CostsByCase:
    """A matrix of costs whose entries may be names of columns: the amount of a transaction.

    It is for data that come in batches, or in a table: `SampleCosts` hold the numbers themselves.

    Parameters
    ----------
    entries : K rows of M numbers or names of columns
        Cost of decision j for class i; at least one names a column.
    classes, decisions : sequences of names, optional
        As for `CostMatrix`.

    Examples
    --------
    A missed fraud costs its amount, a review costs 3:

    >>> import stakes
    >>> costs = stakes.CostsByCase([[0, 3], ["amount", 0]], classes=["fine", "fraud"])
    >>> costs.columns
    ('amount',)
    >>> costs.with_columns({"amount": [10.0, 900.0]}).bayes_decisions([[0.8, 0.2], [0.95, 0.05]])
    array([0, 1])
    """

    __slots__ = ("_checked", "entries")

    def __init__(
        self,
        entries: Sequence[Sequence[Entry]],
        *,
        classes: NamesLike | None = None,
        decisions: NamesLike | None = None,
    ) -> None:
        self.entries = tuple(tuple(row) for row in entries)
        one = {entry: [1.0] for row in self.entries for entry in row if isinstance(entry, str)}
        self._checked = SampleCosts.from_columns(
            self.entries, one, classes=classes, decisions=decisions
        )

    @property
    def classes(self) -> Names:
        """Names of the true classes."""
        return self._checked.classes

    @property
    def decisions(self) -> Names:
        """Names of the decisions."""
        return self._checked.decisions

    @property
    def shape(self) -> tuple[int, int]:
        """How many classes and decisions."""
        return len(self.classes), len(self.decisions)

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that entries name, each once, in the order of the matrix."""
        named = (entry for row in self.entries for entry in row if isinstance(entry, str))
        return tuple(dict.fromkeys(named))

    def with_columns(self, columns: Mapping[str, Column] | Any) -> SampleCosts:  # noqa: ANN401  any frame
        """Return the costs of the samples of a table, or of a mapping from name to numbers."""
        return SampleCosts.from_columns(
            self.entries, columns, classes=self.classes, decisions=self.decisions
        )

    def __repr__(self) -> str:
        rows = [list(row) for row in self.entries]
        return f"CostsByCase({rows}, classes={list(self.classes)})"
