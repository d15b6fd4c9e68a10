"""Named columns of a table: labels as texts, numbers as doubles, each row with its place."""

from __future__ import annotations

__all__ = ["Columns", "LongColumns"]

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from stakes._check import InputError, Place
from stakes._counting import bincount
from stakes._text import plain, plain_list, quoted
from stakes._typing import FloatArray, IntArray, Label, NDArray
from stakes.io.batches import Ask, Batch, Part, Places
from stakes.io.gather import Kinds, Numbers, Texts, recoded

T = TypeVar("T")


class Columns:
    """Columns of the same rows, by name.

    Parameters
    ----------
    source : str
        Name of the table, for messages.
    places : Places
        Where each row came from.
    texts : mapping from name to texts
    numbers : mapping from name to numbers

    See Also
    --------
    read_columns, read_batches : return it.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from stakes.io import read_columns
    >>> table = read_columns(files("stakes") / "data" / "breast.csv", ["diagnosis"], ["log_odds"])
    >>> str(table.place(3)).endswith("line 5")  # where to look for a suspicious row
    True
    """

    def __init__(
        self, source: str, places: Places, texts: Mapping[str, Texts], numbers: Mapping[str, Any]
    ) -> None:
        self.source = source
        self._places, self._texts, self._numbers = places, texts, numbers

    def __len__(self) -> int:
        return self._places.rows

    def texts(self, name: str) -> Any:  # noqa: ANN401
        """Return a column as strings.

        Parameters
        ----------
        name : str
            Name of the column.
        """
        return self._known(self._texts, name).values()

    def coded(self, name: str) -> tuple[list[str], Any]:
        """Return the distinct labels of a column, and the index of each row's label among them.

        Parameters
        ----------
        name : str
            Name of the column.
        """
        return self._known(self._texts, name).coded()

    def codes(
        self,
        name: str,
        classes: Sequence[Label],
        as_labels: Callable[[list[str]], Sequence[Label]] = list,
    ) -> IntArray:
        """Return labels as indices of the classes; other labels raise an error.

        Parameters
        ----------
        name : str
            Name of the column.
        classes : sequence of labels
            The classes.
        as_labels : callable, optional
            Turns the texts of a column into labels.
        """
        texts, places = self.coded(name)
        labels, known = as_labels(texts), {label: code for code, label in enumerate(classes)}
        kind: Any = np.int8 if len(known) <= 127 else np.int64
        table = np.array([known.get(label, -1) for label in labels], dtype=kind)
        codes: IntArray = recoded(places, table).astype(kind, copy=False)
        if codes.min() < 0:
            row = int(np.argmax(codes < 0))
            rule, got = f"must hold labels of the classes {quoted(classes)}", labels[places[row]]
            shown, place, code = f"column {plain(name)!r}", self.place(row), "unknown_label"
            wrong = InputError(shown, rule, repr(got), place=place, code=code)
            raise wrong.moved(source=plain(self.source))
        return codes

    def numbers(self, name: str) -> FloatArray:
        """Return the numbers of a column as doubles.

        Parameters
        ----------
        name : str
            Name of the column.
        """
        return np.asarray(self._known(self._numbers, name), dtype=np.float64)

    def matrix(self, names: Sequence[str]) -> Any:  # noqa: ANN401
        """Return columns side by side; a single one, which may hold lists, as it is.

        Numbers in half or single precision keep it, since it shows how their sums were rounded.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.
        """
        values = [self._known(self._numbers, name) for name in names]
        if len(values) == 1:
            return values[0]
        for name, each in zip(names, values, strict=True):
            if each.ndim != 1:
                msg = f"{self.source}: column {name!r} holds lists: name it alone, or leave it out."
                raise InputError(msg)
        return np.column_stack(values)

    def place(self, row: int) -> Place:
        """Return where a row came from: 'scores.csv, line 7' or 'part1.parquet, row 0'.

        Parameters
        ----------
        row : int
            Index of the row, from 0.
        """
        return self._places.place(row)

    def _known(self, columns: Mapping[str, T], name: str) -> T:
        if name not in columns:
            msg = f"column {name!r} was not read for this use; those that were:"
            raise InputError(f"{msg} {plain_list(columns)}.")
        return columns[name]


class LongColumns(Columns):
    """A table with one row per sample and class, seen as one row per sample.

    Scores differ from class to class; all other columns must be the same within a sample. Every row
    keeps its place in the file.

    Parameters
    ----------
    table : Columns
        One row for each sample and class.
    sample : str
        Column that names the sample.
    kind : str
        Column that names the class.

    See Also
    --------
    read_columns : reads the table.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> from stakes.io import LongColumns, read_columns
    >>> rows = "id,class,y,p", "a,cat,cat,0.8", "a,dog,cat,0.2", "b,cat,dog,0.4", "b,dog,dog,0.6"
    >>> with TemporaryDirectory() as folder:
    ...     path = Path(folder, "long.csv")
    ...     _ = path.write_text(chr(10).join(rows))
    ...     table = LongColumns(read_columns(path, ["id", "class", "y"], ["p"]), "id", "class")
    >>> table.matrix(["p"]).tolist()  # ready for `evaluate`
    [[0.8, 0.2], [0.4, 0.6]]
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
        twice = bincount(cell, minlength=n * k) > 1
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
        """Return a column of strings, one for each sample.

        Parameters
        ----------
        name : str
            Name of the column.
        """
        return self._alike(self._table.texts(name), name)

    def numbers(self, name: str) -> FloatArray:
        """Return a column of numbers, one for each sample.

        Parameters
        ----------
        name : str
            Name of the column.
        """
        values: FloatArray = self._alike(self._table.numbers(name), name)
        return values

    def matrix(self, names: Sequence[str]) -> FloatArray:
        """Return the scores, one row per sample and one column per class, sorted by name.

        Parameters
        ----------
        names : sequence of str
            Names of the columns.
        """
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
            rule, place = "must be the same in all rows of a sample", self._table.place(row)
            got = repr(plain(values[row]))
            raise InputError(None, rule, got, place=replace(place, column=name))
        return kept

    def place(self, row: int) -> Place:
        """Return the place where a sample begins.

        Parameters
        ----------
        row : int
            Index of the sample, from 0.
        """
        return self._table.place(int(self._first[row]))


def no_rows(shown: str) -> InputError:
    """Return the error for a table without rows."""
    return InputError(f"'{shown}' must hold samples: it has no rows.", code="empty_table")


class Gathering:
    """Batches gathered into columns, each value looked at once."""

    def __init__(self, ask: Ask, kinds: Kinds | None = None, *, views: bool = False) -> None:
        if not ask.names:
            raise InputError("texts or numbers", "must name a column", found="both are empty")
        self._ask, self._places = ask, Places()
        self._texts = {
            name: Texts(name, self._places, kinds, blank=name in ask.blank) for name in ask.texts
        }
        self._numbers = {
            name: Numbers(name, self._places, finite=name in ask.finite, views=views)
            for name in ask.numbers
        }

    @property
    def rows(self) -> int:
        """How many rows there are so far."""
        return self._places.rows

    def begin(self, part: Part, row: int = 0) -> None:
        """Note that the batches to come are those of another part, from a row of it on."""
        self._places.begin(part.name, row)

    def add(self, batch: Batch) -> None:
        """Take the rows of a batch."""
        first = self.rows
        self._places.add(batch)
        for name, text in self._texts.items():
            text.add(batch.column(name), first)
        for name, number in self._numbers.items():
            from_text = batch.lines is not None and name in self._ask.texts
            number.add(batch.column(name), first, from_text=from_text)

    def columns(self, source: str) -> Columns:
        """Return what was gathered, which must be something."""
        if not self.rows:
            raise no_rows(source)
        numbers = {name: each.values() for name, each in self._numbers.items()}
        return Columns(source, self._places, self._texts, numbers)
