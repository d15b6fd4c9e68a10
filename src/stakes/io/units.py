"""Tables read unit by unit, in any thread: row groups of Parquet files, chunks of text."""

from __future__ import annotations

__all__ = ["column_names", "read_batches", "read_columns"]

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

import numpy as np

from stakes._check import InputError, StakesError
from stakes._text import plain
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part
from stakes.io.columns import Columns, Gathering
from stakes.io.gather import Kinds
from stakes.io.sources import Source, find_parts
from stakes.io.streams import Limits, Progress, open_stream

T = TypeVar("T")
ROWS = 1024 * 1024  # of a unit of a Parquet file, at most
_FEW_ROWS = 128 * 1024  # of one whose values are copied at once
_WIDTH = 8  # bytes of a number in memory, and of a label
_PACKED = 10  # bytes in memory for a byte of packed text


@dataclass(frozen=True)
class Piece:
    """Rows of one part that are in memory, not looked at yet."""

    source: str
    part: Part
    batch: Batch
    row: int  # where they begin in the part
    ask: Ask
    kinds: Kinds

    def __len__(self) -> int:
        return len(self.batch)

    def cut(self, start: int, stop: int) -> Piece:
        """Return some of the rows."""
        return replace(self, batch=self.batch.cut(start, stop), row=self.row + start)

    def add_to(self, gathered: Gathering) -> None:
        """Add the rows to others, each value looked at."""
        gathered.begin(self.part, self.row)
        with damage_named(self.part):
            gathered.add(self.batch)

    def columns(self) -> Columns:
        """Return the rows as columns, each value looked at."""
        gathered = Gathering(self.ask, self.kinds, views=True)
        self.add_to(gathered)
        return gathered.columns(self.source)

    def checked(self, check: Callable[[Piece], T]) -> T:
        """Return what a check makes of the rows; of several bad ones it names the first."""
        try:
            return check(self)
        except InputError as error:
            piece = self
            while len(piece) > 1:
                first = piece.cut(0, len(piece) // 2)
                rest = piece.cut(len(first), len(piece))
                piece = first if first._fault(check) is not None else rest
            raise piece._fault(check) or error from error  # no single row may have one

    def _fault(self, check: Callable[[Piece], object]) -> InputError | None:
        try:
            check(self)
        except InputError as error:
            return error
        return None


@dataclass(frozen=True)
class Unit:
    """Rows that are read at once, by their place: which part, and which unit of it."""

    part: int
    number: int
    read: Callable[[], Piece]


def read_columns(  # noqa: PLR0913  one argument per promise
    source: Source,
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
    *,
    finite: Sequence[str] = (),
    blank: Sequence[str] = (),
    kind: str | None = None,
    max_bytes: int | None = None,
    patience: float = 60.0,
    progress: Progress | None = None,
) -> Columns:
    """Read columns by name; an error gives the place of a missing or invalid value.

    Missing values of columns in `blank` are empty texts.

    Parameters
    ----------
    source : path, glob, or list of paths
        A file, several files of one table, or "-" for standard input.
    texts : sequence of names, optional
        Columns to read as strings: labels, groups.
    numbers : sequence of names, optional
        Columns to read as numbers; infinity is allowed.
    finite : sequence of names, optional
        Columns to read as finite numbers.
    blank : sequence of names, optional
        Columns of strings in which values may be missing.
    kind : str, optional
        Kind of the file, such as "csv"; by default it follows from the extension.
    max_bytes : int, optional
        The most bytes to read, compressed or not.
    patience : float, default 60.0
        Seconds to wait for a pipe without data.
    progress : callable, optional
        Called with the amount read and the total.

    Returns
    -------
    Columns
        With `texts(name)`, `numbers(name)` and `place(row)`.

    Raises
    ------
    InputError
        If a column is missing, or a value is missing or not a number.
    FileError
        If a file cannot be read.

    See Also
    --------
    read_batches : in bounded memory.
    evaluate : takes labels and scores.

    Examples
    --------
    >>> from importlib.resources import files
    >>> import stakes
    >>> from stakes.io import read_columns
    >>> table = read_columns(files("stakes") / "data" / "breast.csv", ["diagnosis"], ["log_odds"])
    >>> y, scores = table.texts("diagnosis"), stakes.Logits(table.numbers("log_odds"))
    >>> round(stakes.auc(y, scores, classes=["benign", "malignant"]), 3)
    0.975
    """
    ask = Ask(tuple(texts), tuple(numbers), tuple(finite), tuple(blank))
    gathered = Gathering(ask)
    shown, parts = find_parts(source, kind)
    limits = Limits.read(max_bytes, patience, progress)
    for unit in units_of(shown, parts, ask, limits, _FEW_ROWS):
        unit.read().add_to(gathered)
    return gathered.columns(shown)


def read_batches(  # noqa: PLR0913  as for `read_columns`
    source: Source,
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
    *,
    finite: Sequence[str] = (),
    kind: str | None = None,
    max_bytes: int | None = None,
    patience: float = 60.0,
    rows: int = ROWS,
) -> Iterator[Columns]:
    """Read columns as `read_columns` does, batch by batch.

    Parameters
    ----------
    source : path, glob, or list of paths
        As in `read_columns`.
    texts : sequence of names, optional
        As in `read_columns`.
    numbers : sequence of names, optional
        As in `read_columns`.
    finite : sequence of names, optional
        As in `read_columns`.
    kind : str, optional
        As in `read_columns`.
    max_bytes : int, optional
        As in `read_columns`.
    patience : float, default 60.0
        As in `read_columns`.
    rows : int, optional
        The largest number of rows in a batch.

    Returns
    -------
    iterator of Columns

    See Also
    --------
    read_columns : all rows at once.
    Summary : takes batches.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from stakes.io import read_batches
    >>> path = files("stakes") / "data" / "breast.csv"
    >>> sum(len(batch.numbers("log_odds")) for batch in read_batches(path, numbers=["log_odds"]))
    569
    """
    shown, parts = find_parts(source, kind)
    limits = Limits.read(max_bytes, patience, None)
    ask = Ask(tuple(texts), tuple(numbers), tuple(finite))
    yield from checked_columns(units_of(shown, parts, ask, limits, rows))


def split_parts(parts: Sequence[Part], limits: Limits, rows: int = ROWS) -> list[Part]:
    """Return the parts of a table, those that can be read from any row group on in several."""
    out: list[Part] = []
    for part in parts:
        with damage_named(part):
            out += [part] if part.streamed else part.reader.split(part, limits, rows)
    return out


def checked_columns(units: Iterator[Unit]) -> Iterator[Columns]:
    """Go through the columns of units that have rows; the first bad row is refused."""
    for unit in units:
        piece = unit.read()
        if len(piece):
            yield piece.checked(Piece.columns)


def units_of(
    source: str, parts: Sequence[Part], ask: Ask, limits: Limits, rows: int = ROWS
) -> Iterator[Unit]:
    """Go through the units of a table in the order of its rows."""
    kinds: Kinds = {}
    for at, part in enumerate(parts):
        first = part.row
        with damage_named(part):
            inner = _asked_of_file(part, ask, limits)
            for number, (count, read) in enumerate(part.reader.chunks(part, inner, limits, rows)):
                yield Unit(at, number, partial(_piece, read, (source, part, first, ask, kinds)))
                first += count


def _piece(read: Callable[[], Batch], place: tuple[str, Part, int, Ask, Kinds]) -> Piece:
    source, part, row, ask, kinds = place
    with damage_named(part):
        return Piece(source, part, _with_folders(read(), part, ask), row, ask, kinds)


def _asked_of_file(part: Part, ask: Ask, limits: Limits) -> Ask:
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
    return replace(ask, texts=texts, numbers=numbers)


def _check_folders(part: Part, names: Sequence[str]) -> None:
    """Refuse a column that is both in the file and in the path."""
    double = next((name for name, _ in part.folders if name in names), None)
    if double is not None:
        both = (
            f"has a column {double!r}, which its folder gives too: it is unclear which one counts"
        )
        raise part.wrong(f"{both}. Rename the folder or the column")


def _with_folders(batch: Batch, part: Part, ask: Ask) -> Batch:
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
    """Return the names of the columns of a table, from the header of its first part.

    Parameters
    ----------
    source : path, glob, or list of paths
        As in `read_columns`.
    kind : str, optional
        As in `read_columns`.
    max_bytes : int, optional
        As in `read_columns`.

    Returns
    -------
    list of str

    See Also
    --------
    read_columns : the columns themselves.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from stakes.io import column_names
    >>> column_names(files("stakes") / "data" / "breast.csv")[:2]
    ['patient', 'diagnosis']
    """
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


def size_in_memory(parts: Sequence[Part], ask: Ask, limits: Limits) -> tuple[int, int | None]:
    """Estimate the bytes that columns take: from the rows that files declare, or their sizes.

    Also return the number of rows where it is known. Packed text takes ten times its bytes;
    nothing is known of a pipe.
    """
    total, rows = 0, 0
    known = True
    for part in parts:
        with damage_named(part):
            count = None if part.streamed else part.reader.rows(part, limits)
        if count is not None:
            rows += count
            total += count * _WIDTH * max(len(ask.names), 1)
        else:
            known = False
            factor = _PACKED if part.packed or part.kind is None else part.reader.memory
            total += 0 if part.streamed else factor * os.stat(part.path).st_size  # noqa: PTH116
    return total, rows if known else None
