"""Named columns of a table: labels as texts, numbers as doubles, each row with its place."""

__all__ = ["Columns"]

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np

from stakes._check import InputError, Place
from stakes._text import plain, quoted
from stakes._typing import FloatArray, IntArray, Label
from stakes.io.batches import Ask, Batch, Part, Places
from stakes.io.gather import Kinds, Numbers, Texts, recoded

T = TypeVar("T")


class Columns:
    """Columns of the same rows, by name."""

    def __init__(
        self, source: str, places: Places, texts: Mapping[str, Texts], numbers: Mapping[str, Any]
    ) -> None:
        self.source = source
        self._places, self._texts, self._numbers = places, texts, numbers

    def __len__(self) -> int:
        return self._places.rows

    def texts(self, name: str) -> Any:  # noqa: ANN401
        """Return the labels of a column as texts."""
        return self._known(self._texts, name).values()

    def coded(self, name: str) -> tuple[list[str], Any]:
        """Return the distinct labels of a column, and the place of each row's label among them."""
        return self._known(self._texts, name).coded()

    def codes(
        self,
        name: str,
        classes: Sequence[Label],
        as_labels: Callable[[list[str]], Sequence[Label]] = list,
    ) -> IntArray:
        """Return labels as places among the classes; others are refused."""
        texts, places = self.coded(name)
        labels, known = as_labels(texts), {label: code for code, label in enumerate(classes)}
        kind: Any = np.int8 if len(known) <= 127 else np.int64
        table = np.array([known.get(label, -1) for label in labels], dtype=kind)
        codes: IntArray = recoded(places, table).astype(kind, copy=False)
        if codes.min() < 0:
            row = int(np.argmax(codes < 0))
            rule, got = f"must hold labels of the classes {quoted(classes)}", labels[places[row]]
            wrong = InputError(f"column {plain(name)!r}", rule, repr(got), place=self.place(row))
            raise wrong.moved(source=plain(self.source))
        return codes

    def numbers(self, name: str) -> FloatArray:
        """Return the numbers of a column as doubles."""
        return np.asarray(self._known(self._numbers, name), dtype=np.float64)

    def matrix(self, names: Sequence[str]) -> Any:  # noqa: ANN401
        """Return columns side by side; a single one as it is, which may be a column of lists.

        Numbers that a file keeps as halves or singles stay so, since their sums are rounded so.
        """
        values = [self._known(self._numbers, name) for name in names]
        if len(values) == 1:
            return values[0]
        for name, each in zip(names, values, strict=True):
            if each.ndim != 1:
                msg = f"{self.source}: column {name!r} holds lists: name it alone, or not at all."
                raise InputError(msg)
        return np.column_stack(values)

    def place(self, row: int) -> Place:
        """Return where a row came from: 'scores.csv, line 7' or 'part1.parquet, row 0'."""
        return self._places.place(row)

    def _known(self, columns: Mapping[str, T], name: str) -> T:
        if name not in columns:
            listed = ", ".join(plain(n) for n in columns)
            msg = f"column {name!r} was not read for this use; those that were: {listed}."
            raise InputError(msg)
        return columns[name]


def no_rows(shown: str) -> InputError:
    """Return the error for a table without rows."""
    return InputError(f"'{shown}' must hold samples: it has no rows.")


class Gathering:
    """Batches gathered into columns, each value looked at once."""

    def __init__(self, ask: Ask, kinds: Kinds | None = None, *, views: bool = False) -> None:
        if not ask.names:
            raise InputError("texts or numbers", "must name a column", found="both are empty")
        self._ask, self._places = ask, Places()
        self._texts = {name: Texts(name, self._places, kinds) for name in ask.texts}
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
            text.add(batch.table.column(name), first)
        for name, number in self._numbers.items():
            from_text = batch.lines is not None and name in self._ask.texts
            number.add(batch.table.column(name), first, from_text=from_text)

    def columns(self, source: str) -> Columns:
        """Return what was gathered, which must be something."""
        if not self.rows:
            raise no_rows(source)
        numbers = {name: each.values() for name, each in self._numbers.items()}
        return Columns(source, self._places, self._texts, numbers)
