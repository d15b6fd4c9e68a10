"""Tables read unit by unit, in any thread: row groups of Parquet files, chunks of text."""

__all__ = ["read_batches"]

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TypeVar

from stakes._check import InputError
from stakes.io.batches import Ask, Batch, Part
from stakes.io.columns import (
    Columns,
    Gathering,
    asked_columns,
    begin_part,
    damage_named,
    with_folders,
)
from stakes.io.gather import Kinds
from stakes.io.sources import Source, find_parts
from stakes.io.streams import Limits

T = TypeVar("T")
ROWS = 1024 * 1024  # of a unit of a Parquet file, at most
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
        return self.batch.table.num_rows

    def cut(self, start: int, stop: int) -> "Piece":
        """Return some of the rows."""
        return replace(self, batch=self.batch.cut(start, stop), row=self.row + start)

    def columns(self) -> Columns:
        """Return the rows as columns, each value looked at."""
        gathered = Gathering(self.ask, self.kinds, views=True)
        gathered.begin(self.part, self.row)
        with damage_named(self.part):
            gathered.add(self.batch)
        return gathered.columns(self.source)

    def checked(self, check: Callable[["Piece"], T]) -> T:
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

    def _fault(self, check: Callable[["Piece"], object]) -> InputError | None:
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
    """Read columns as `read_columns` does, but hand them over batch by batch."""
    shown, parts = find_parts(source, kind)
    limits = Limits.read(max_bytes, patience, None)
    for unit in units_of(shown, parts, asked_columns(texts, numbers, finite), limits, rows):
        piece = unit.read()
        if len(piece):
            yield piece.checked(Piece.columns)


def units_of(
    source: str, parts: Sequence[Part], ask: Ask, limits: Limits, rows: int = ROWS
) -> Iterator[Unit]:
    """Go through the units of a table in the order of its rows."""
    kinds: Kinds = {}
    for at, part in enumerate(parts):
        first = 0
        with damage_named(part):
            inner = begin_part(part, ask, limits)
            for number, (count, read) in enumerate(part.reader.chunks(part, inner, limits, rows)):
                yield Unit(at, number, partial(_piece, read, (source, part, first, ask, kinds)))
                first += count


def _piece(read: Callable[[], Batch], place: tuple[str, Part, int, Ask, Kinds]) -> Piece:
    source, part, row, ask, kinds = place
    with damage_named(part):
        return Piece(source, part, with_folders(read(), part, ask), row, ask, kinds)


@dataclass(frozen=True)
class TableSize:
    """Bytes in memory and number of rows, as far as they are known beforehand."""

    n_bytes: int
    rows: int | None


def size_in_memory(parts: Sequence[Part], ask: Ask, limits: Limits) -> TableSize:
    """Estimate how much memory columns take: from the rows that files declare, or their sizes.

    Packed text takes ten times its bytes; nothing is known of a pipe.
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
    return TableSize(total, rows if known else None)
