"""What readers are asked for, and what they hand back: batches of rows that know their place."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from typing import TYPE_CHECKING

from stakes._check import Action, InputError, Place
from stakes._text import plain_list
from stakes.io.arrow_library import pa

if TYPE_CHECKING:
    from stakes.io.gather import Column
    from stakes.io.readers import Reader


@dataclass(frozen=True)
class Ask:
    """Columns by name and use; no names at all ask for every column as it is."""

    texts: tuple[str, ...] = ()
    numbers: tuple[str, ...] = ()
    finite: tuple[str, ...] = ()
    blank: tuple[str, ...] = ()  # texts that may be missing, and be made from other values

    @property
    def names(self) -> tuple[str, ...]:
        """Return every column once."""
        return tuple(dict.fromkeys((*self.texts, *self.numbers)))

    def also(self, texts: Iterable[str | None], numbers: Iterable[str | None]) -> "Ask":
        """Return what asks for these columns too, each once; None stands for no column."""
        both = ((*self.texts, *texts), (*self.numbers, *numbers))
        t, n = (tuple(name for name in dict.fromkeys(n) if name is not None) for n in both)
        return replace(self, texts=t, numbers=n)

    def with_slices(self, slices: Iterable[str]) -> "Ask":
        """Return what asks for columns of slices too; one that is also a label is never blank."""
        new = dict.fromkeys(slices)
        found, blank = self.also(new, ()), tuple(name for name in new if name not in self.texts)
        return replace(found, blank=(*self.blank, *blank))

    def chosen(self, present: Sequence[str], name: str) -> list[str]:
        """Return the columns to read of those that a file has, each there once."""
        check_present(self.names or tuple(dict.fromkeys(present)), present, name)
        return list(self.names or present)


@dataclass(frozen=True)
class Part:
    """One file of a table, or a stream that stands for one."""

    path: str
    name: str  # short, and fit for a message
    kind: str | None  # None: a pipe without an ending, whose kind must be given
    packed: bool = False
    streamed: bool = False  # a pipe, a device or standard input: to be read once, forward
    folders: tuple[tuple[str, str | None], ...] = ()  # columns that the folders `name=value` give
    groups: tuple[int, ...] | None = None  # the row groups that count, if not all of the file
    row: int = 0  # of the file, where they begin

    @property
    def reader(self) -> "Reader":
        """What reads files of this kind; a part of no known kind is refused."""
        from stakes.io.readers import READERS  # noqa: PLC0415  readers read parts

        if self.kind is None:
            kinds = Action("name_kind", {"kinds": ", ".join(READERS)})
            msg = f"'{self.name}' has no ending that tells its kind."
            raise InputError(msg, hint=kinds, code="unknown_file_kind")
        return READERS[self.kind]

    def wrong(self, fault: str) -> InputError:
        """Return the error for a file of which this is said."""
        return InputError(f"'{self.name}' {fault}.")


@dataclass(frozen=True)
class Batch:
    """Some rows of a file; those of a text file know their lines."""

    table: "pa.Table"
    lines: Sequence[int] | None = None  # where they begin

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def column(self, name: str) -> "Column":
        """Return a column."""
        from stakes.io.arrow_columns import ArrowColumn  # noqa: PLC0415  columns know their places

        return ArrowColumn(self.table.column(name))

    def cut(self, start: int, stop: int) -> "Batch":
        """Return some of the rows."""
        lines = None if self.lines is None else self.lines[start:]
        return Batch(self.table.slice(start, stop - start), lines)

    def itself(self) -> "Batch":
        """Return the batch: as how to read one that was read already."""
        return self


@dataclass
class Places:
    """Where each row of a table came from."""

    _starts: list[int] = field(default_factory=list)
    _batches: list[tuple[str, int, Sequence[int] | None]] = field(default_factory=list)
    rows: int = 0
    _name: str = ""
    _in_file: int = 0

    def begin(self, name: str, row: int = 0) -> None:
        """Note that the rows to come are those of another file, from a row of it on."""
        self._name, self._in_file = name, row

    def add(self, batch: Batch) -> None:
        """Note where the rows of a batch came from."""
        self._starts.append(self.rows)
        self._batches.append((self._name, self._in_file, batch.lines))
        self._in_file += len(batch)
        self.rows += len(batch)

    def column(self, column: str) -> Place:
        """Return a column of the file that rows now come from."""
        return Place(file=self._name, column=column)

    def place(self, row: int, column: str | None = None) -> Place:
        """Return the place of a row: 'scores.csv, line 7' or 'part1.parquet, row 0'."""
        if not 0 <= row < self.rows:
            raise InputError("row", f"must be one of the {self.rows} rows", row)
        at = bisect_right(self._starts, row) - 1
        (name, before, lines), offset = self._batches[at], row - self._starts[at]
        line = None if lines is None else int(lines[offset])
        return Place(before + offset if line is None else None, name, line, column)


def check_present(wanted: Sequence[str], present: Sequence[str], name: str) -> None:
    """Refuse a column that is not there, or is there more than once."""
    for column in wanted:
        count = list(present).count(column)
        if count == 1:
            continue
        fault = f"contains {count} columns named" if count else "has no column"
        near = [] if count else get_close_matches(column, present, n=1, cutoff=0.6)
        meant = f" Did you mean {near[0]!r}?" if near else ""
        msg = f"'{name}' {fault} {column!r}.{meant} Its columns are: {plain_list(present, 40)}."
        if len(present) == 1 and ";" in present[0]:
            msg = f"{msg} Its fields are separated by semicolons: save it with commas."
        elif len(present) == 1 and "\t" in present[0]:
            msg = f"{msg} Its fields are separated by tabs: rename it to end in .tsv."
        raise InputError(msg, code="column_not_found")
