"""Tables written again with new columns, in the order of their rows: whole, or in batches."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from stakes._check import Rounding
from stakes.cli.read_mode import WHOLE, choose_table
from stakes.cli.rounding import RoundedRowsError, joined, say_rounded
from stakes.cli.score_columns import reading, say_rounding
from stakes.io import (
    Columns,
    column_names,
    read_batches,
    read_columns,
    read_pairs,
    read_whole,
    with_columns,
)
from stakes.io.batches import Ask
from stakes.io.columns import no_rows
from stakes.io.written_tables import table_writer

T = TypeVar("T")
ROWS = 128 * 1024  # of a batch, at most; all columns of it are in memory


@dataclass(eq=False)
class TableRows:
    """A table that is read whole or in batches, and how its scores were rounded."""

    file: str
    ask: Ask
    options: Mapping[str, Any]
    source: str
    read: str
    rounding: Rounding | None = None

    def columns(self) -> Iterator[Columns]:
        """Go through the columns that are asked for, all of them checked."""
        told = {"finite": self.ask.finite, **reading(self.options)}
        if self.read == WHOLE:
            yield read_columns(self.file, self.ask.texts, self.ask.numbers, **told)
        else:
            yield from read_batches(self.file, self.ask.texts, self.ask.numbers, rows=ROWS, **told)

    def pairs(self) -> Iterator[tuple[Columns, Any]]:
        """Go through the same columns, each with all columns of its rows as they are."""
        if self.read == WHOLE:
            for columns in self.columns():
                yield columns, read_whole(self.file, **reading(self.options))
        else:
            yield from read_pairs(self.file, self.ask, rows=ROWS, **reading(self.options))

    def note(self, found: Rounding | None) -> None:
        """Note how the rows of a batch were rounded."""
        if self.read != WHOLE:
            found = joined(self.rounding, found, renormalize=self.options["renormalize"])
        self.rounding = found

    def write(self, made: Callable[[Columns], Mapping[str, Any]]) -> None:
        """Write all rows with the columns that are made for them, whole or not at all."""
        output, force = self.options["output"], self.options["force"]
        with ExitStack() as opened:
            write = None
            for columns, rows in self.pairs():
                table = with_columns(rows, made(columns))
                if write is None:
                    writer = table_writer(output, table.schema, force=force)
                    write = opened.enter_context(writer)
                write(table)
            if write is None:
                raise no_rows(self.source)


def rewrite(
    file: str, ask: Ask, options: Mapping[str, Any], job: Callable[[TableRows], T]
) -> tuple[TableRows, T]:
    """Do a job on a table that it writes again, in batches where it is larger than memory."""
    kind = options["input_format"]
    every = column_names(file, kind, max_bytes=options["max_bytes"])
    choice = choose_table(file, kind, Ask(texts=tuple(every)), options)
    rows = TableRows(file, ask, options, choice.source, choice.read)
    try:
        found = job(rows)
    except RoundedRowsError:
        say_rounded()
        rows = TableRows(file, ask, options, choice.source, WHOLE)
        found = job(rows)
    say_rounding(rows.rounding)
    return rows, found
