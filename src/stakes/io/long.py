"""Long tables: a row for each sample and class, laid out as one row for each sample."""

__all__ = ["LongColumns"]

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from stakes._check import InputError, Place
from stakes._text import plain
from stakes._typing import FloatArray, NDArray
from stakes.io.columns import Columns


class LongColumns(Columns):
    """A long table seen as one row for each sample; every row keeps its place in the file.

    Scores differ from class to class; all other columns must be alike within a sample.
    """

    def __init__(self, table: Columns, sample: str, kind: str) -> None:
        names, code = np.unique(table.texts(sample), return_inverse=True)
        first = np.full(names.size, len(table))
        np.minimum.at(first, code, np.arange(len(table)))
        order = np.argsort(first, kind="stable")  # samples as they come in the file
        rank = np.empty_like(order)
        rank[order] = np.arange(order.size)
        self._table = table
        self.source: str = table.source
        self._first, self._sample = first[order], rank[code]
        self.classes: NDArray[Any]
        self.classes, column = np.unique(table.texts(kind), return_inverse=True)
        n, k = names.size, self.classes.size
        cell = self._sample * k + column
        twice = np.bincount(cell, minlength=n * k) > 1
        if twice.any():
            row = int(np.flatnonzero(cell == int(twice.argmax()))[1])
            what, who = (plain(table.texts(name)[row]) for name in (kind, sample))
            raise InputError(f"{table.place(row)}: {sample} {who!r} has class {what!r} twice.")
        self._rows = np.full((n, k), -1)  # which row of the file holds each sample and class
        self._rows[self._sample, column] = np.arange(len(table))
        if (self._rows < 0).any():
            i, j = (int(x) for x in np.argwhere(self._rows < 0)[0])
            who = plain(table.texts(sample)[int(self._first[i])])
            msg = f"{self.place(i)}: {sample} {who!r} has no row for class {self.classes[j]!r}."
            raise InputError(f"{msg} Each sample needs a row for each class.")

    def __len__(self) -> int:
        return self._first.size

    def texts(self, name: str) -> Any:  # noqa: ANN401
        """Return a column of texts, one for each sample."""
        return self._alike(self._table.texts(name), name)

    def numbers(self, name: str) -> FloatArray:
        """Return a column of numbers, one for each sample."""
        values: FloatArray = self._alike(self._table.numbers(name), name)
        return values

    def matrix(self, names: Sequence[str]) -> FloatArray:
        """Return the scores, a row for each sample and a column for each class, sorted by name."""
        if len(names) != 1:
            msg = f"a long table has one column of scores for all classes: got {list(names)}."
            raise InputError(msg)
        return np.asarray(self._table.numbers(names[0])[self._rows], dtype=np.float64)

    def _alike(self, values: Any, name: str) -> Any:  # noqa: ANN401
        """Return the value of each sample, which all its rows must share."""
        kept = values[self._first]
        odd = values != kept[self._sample]
        if odd.any():
            row = int(np.argmax(odd))
            rule, place = "must be alike in all rows of a sample", self._table.place(row)
            got = repr(plain(values[row]))
            raise InputError(None, rule, got, place=replace(place, column=name))
        return kept

    def place(self, row: int) -> Place:
        """Return where a sample begins."""
        return self._table.place(int(self._first[row]))
