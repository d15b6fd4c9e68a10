"""Named columns of a table: labels as texts, numbers as doubles, each row with its place."""

__all__ = ["Columns", "column_names", "read_columns"]

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from stakes._check import InputError, Place, StakesError
from stakes._text import plain
from stakes._typing import FloatArray
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part, Places
from stakes.io.gather import Kinds, Numbers, Texts
from stakes.io.sources import Source, find_parts
from stakes.io.streams import Limits, Progress, open_stream

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


def read_columns(  # noqa: PLR0913  one argument per promise
    source: Source,
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
    *,
    finite: Sequence[str] = (),
    kind: str | None = None,
    max_bytes: int | None = None,
    patience: float = 60.0,
    progress: Progress | None = None,
) -> Columns:
    """Read columns by name, in batches; what is missing or no number is refused with its place."""
    ask = asked_columns(texts, numbers, finite)
    shown, parts = find_parts(source, kind)
    gathered = Gathering(ask)
    for part in parts:
        gathered.begin(part)
        with damage_named(part):
            for batch in batches(part, ask, Limits.read(max_bytes, patience, progress)):
                gathered.add(batch)
    return gathered.columns(shown)


def asked_columns(texts: Sequence[str], numbers: Sequence[str], finite: Sequence[str]) -> Ask:
    """Return which columns are asked for; there must be one at least."""
    ask = Ask(tuple(texts), tuple(numbers), tuple(finite))
    if not ask.names:
        raise InputError("texts or numbers", "must name a column", found="both are empty")
    return ask


def no_rows(shown: str) -> InputError:
    """Return the error for a table without rows."""
    return InputError(f"'{shown}' must hold samples: it has no rows.")


class Gathering:
    """Batches gathered into columns, each value looked at once."""

    def __init__(self, ask: Ask, kinds: Kinds | None = None, *, views: bool = False) -> None:
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


def batches(part: Part, ask: Ask, limits: Limits) -> Iterator[Batch]:
    """Read a part in batches, by its kind."""
    inner = begin_part(part, ask, limits)
    for batch in part.reader.batches(part, inner, limits):
        yield with_folders(batch, part, ask)


def begin_part(part: Part, ask: Ask, limits: Limits) -> Ask:
    """Return what is asked of the file itself; its folders, as in `site=A/`, give the others."""
    if part.kind is None:
        with open_stream(part, limits):  # a pipe nobody writes to is said to be that first
            _ = part.reader
    if not part.folders:
        return ask
    _check_folders(part, part.reader.header(part, limits))
    given = dict(part.folders)
    texts, numbers = (
        tuple(n for n in names if n not in given) for names in (ask.texts, ask.numbers)
    )
    return Ask(texts, numbers, ask.finite)


def _check_folders(part: Part, names: Sequence[str]) -> None:
    """Refuse a column that is both in the file and in the path."""
    double = next((name for name, _ in part.folders if name in names), None)
    if double is not None:
        both = f"has a column {double!r}, which its folder gives too: which one counts is not known"
        raise part.wrong(f"{both}. Rename the folder or the column")


def with_folders(batch: Batch, part: Part, ask: Ask) -> Batch:
    """Return a batch with the columns that its folders give, of those that are asked for."""
    if not part.folders:
        return batch
    table = batch.table
    for name, value in part.folders:
        if name in ask.names or not ask.names:
            places = pa.array(np.zeros(len(table), dtype=np.int32))
            texts = pa.array([value], type=pa.string())
            table = table.append_column(name, pa.DictionaryArray.from_arrays(places, texts))
    return replace(batch, table=table.select(list(ask.names)) if ask.names else table)


def column_names(
    source: Source, kind: str | None = None, *, max_bytes: int | None = None
) -> list[str]:
    """Return the names of the columns of a table, from the header of its first part."""
    _, parts = find_parts(source, kind)
    part = parts[0]
    if part.streamed:
        raise part.wrong("can be read only once: its columns cannot be looked up beforehand")
    with damage_named(part):
        names = part.reader.header(part, Limits.read(max_bytes, 60.0, None))
        _check_folders(part, names)
    return [*names, *dict(part.folders)]


@contextmanager
def damage_named(part: Part) -> Iterator[None]:
    """Name the file where what it holds breaks a reader in a way that the reader cannot know."""
    try:
        yield
    except (StakesError, MemoryError):
        raise
    except (ValueError, OverflowError, NotImplementedError) as error:  # also those of Arrow
        raise part.wrong(f"cannot be read: {plain(error, 200)}. It may be damaged") from error
