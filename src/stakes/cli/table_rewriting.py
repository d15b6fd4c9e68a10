"""Tables written again with new columns, in the order of their rows: whole, or in batches."""

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, TypeVar

from stakes._check import InputError, RoundedRowsError, Rounding, joined_rounding
from stakes._files import read_text
from stakes._text import quoted
from stakes.calibration import Calibrator, calibrator_from_dict
from stakes.cli.messages import note, refuse
from stakes.cli.options import Options
from stakes.cli.outputs import check_output
from stakes.cli.parsing import parse_priors, system_scores
from stakes.cli.read_mode import choose, say_rounded
from stakes.cli.table_request import WHOLE
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
from stakes.io.whole import table_writer
from stakes.scores import Scores

T = TypeVar("T")
ROWS = 128 * 1024  # of a batch, at most; all columns of it are in memory


@dataclass(eq=False)
class TableRows:
    """A table that is read whole or in batches, and how its scores were rounded."""

    options: Options
    ask: Ask
    source: str
    read: str
    rounding: Rounding | None = None

    def columns(self) -> Iterator[Columns]:
        """Go through the columns that are asked for, all of them checked."""
        file, ask = self.options.file, self.ask
        told = {"finite": ask.finite, **self.options.reading}
        if self.read == WHOLE:
            yield read_columns(file, ask.texts, ask.numbers, **told)
        else:
            yield from read_batches(file, ask.texts, ask.numbers, rows=ROWS, **told)

    def pairs(self) -> Iterator[tuple[Columns, Any]]:
        """Go through the same columns, each with all columns of its rows as they are."""
        file, told = str(self.options.file), self.options.reading
        if self.read == WHOLE:
            for columns in self.columns():
                yield columns, read_whole(file, **told)
        else:
            yield from read_pairs(file, self.ask, rows=ROWS, **told)

    def scores(self, table: Columns, names: list[str], wanted: list[str]) -> Scores:
        """Return the scores of some rows in the order of the classes, and note their rounding."""
        scores = system_scores(table, str(self.options.scores), self.options, names)
        found = scores.rounding
        if self.read != WHOLE:
            found = joined_rounding(self.rounding, found, renormalize=self.options.renormalize)
        self.rounding = found
        if names == wanted:
            return scores
        if scores.values.ndim == 1 or sorted(names) != sorted(wanted):
            ours, theirs = quoted(names), quoted(wanted)
            refuse(f"the classes of the score columns must be {theirs}: got {ours}.")
        return scores.named(tuple(names)).ordered(tuple(wanted))

    def write(self, made: Callable[[Columns], Mapping[str, Any]]) -> None:
        """Write all rows with the columns that are made for them, whole or not at all."""
        output, force = str(self.options.output), self.options.force
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


def check(options: Options) -> None:
    """Refuse what cannot be read twice, its scores and then all of it, or not be written."""
    if options.file == "-":
        refuse("FILE must not be standard input here: it is read twice. Save it to a file first.")
    check_output(str(options.output), options)


def rewrite(options: Options, ask: Ask, job: Callable[[TableRows], T]) -> tuple[TableRows, T]:
    """Do a job on a table that it writes again, in batches where it is larger than memory."""
    every = column_names(options.file, options.input_format, max_bytes=options.max_bytes)
    choice = choose(options, Ask(texts=tuple(every)))
    rows = TableRows(options, ask, choice.source, choice.read)
    try:
        found = job(rows)
    except RoundedRowsError:
        say_rounded()
        rows = TableRows(options, ask, choice.source, WHOLE)
        found = job(rows)
    note(rows.rounding)
    return rows, found


def read_calibrator(path: str) -> Calibrator:
    """Read a calibrator file."""
    try:
        return calibrator_from_dict(json.loads(read_text(path)))
    except (ValueError, RecursionError) as error:
        if isinstance(error, InputError):
            raise error.moved(source=repr(path)) from error
        msg = f"{path!r} must be a calibrator's JSON file: {error}."
        raise InputError(msg) from error


def priors_of_use(text: str, names: list[str], option: str = "--prior") -> list[float]:
    """Return priors in the order of the classes; there are no labels to take them from."""
    priors = parse_priors(text, names, option)
    if priors is None:
        refuse(f"{option} must be numbers here: there are no labels to take priors from.")
    return [priors[name] for name in names]
