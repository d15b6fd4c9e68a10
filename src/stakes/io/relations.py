"""Tables in memory or behind a query, read batch by batch: whatever hands over an Arrow stream."""

__all__ = ["Relation", "Roles", "table_columns"]

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from stakes._check import InputError, StakesError
from stakes._text import plain, quoted
from stakes._typing import IntArray, Label, Names
from stakes.evaluation.summaries.batch import Batch as NewBatch
from stakes.evaluation.summaries.slice_sums import CodedColumn
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part, check_present
from stakes.io.columns import Columns, Gathering, no_rows
from stakes.io.gather import Kinds
from stakes.scores import Scores, class_names

if TYPE_CHECKING:
    from stakes.evaluation import Summary

_ROWS = 2**18  # at a time
_SOURCE = Part(path="", name="table", kind=None)
ScoreColumns = str | Sequence[str]


class TableColumns(NamedTuple):
    """Columns of a table in memory: labels, scores of each system, others by name."""

    y: Any
    scores: list[Any]
    texts: dict[str, Any]
    numbers: dict[str, Any]


def table_columns(
    table: Any,  # noqa: ANN401  anything with an Arrow stream
    label: str,
    scores: Sequence[ScoreColumns],
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
) -> TableColumns:
    """Return labels, the numbers of each column or list of columns, and others, all in memory."""
    listed = [_listed(columns) for columns in scores]
    ask = _ask(label, [name for columns in listed for name in columns]).also(texts, numbers)
    kinds: Kinds = {}
    gathered = Gathering(ask, kinds)
    gathered.begin(_SOURCE)
    for batch in _batches(table, ask):
        gathered.add(batch)
    found = gathered.columns(_SOURCE.name)

    def labels(name: str) -> Any:  # noqa: ANN401
        values, codes = found.coded(name)
        return np.array(_as_labels(values, kinds[name][0]))[codes]

    return TableColumns(
        labels(label),
        [found.matrix(columns) for columns in listed],
        {name: labels(name) for name in texts},
        {name: found.numbers(name) for name in numbers},
    )


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they are for."""

    label: str
    scores: ScoreColumns
    weight: str | None = None
    group: str | None = None
    slices: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()  # that costs by case name

    def ask(self) -> Ask:
        """Return the columns that are needed."""
        found = _ask(self.label, _listed(self.scores))
        for role, name in (("weight", self.weight), ("group", self.group)):
            if name is not None and not isinstance(name, str):
                raise InputError(role, "must be the name of a column", plain(name))
        return found.also((self.group, *self.slices), (self.weight, *self.amounts))


class Relation:
    """Labels and scores of a table, of which one batch is in memory at a time."""

    def __init__(self, table: Any, roles: Roles) -> None:  # noqa: ANN401
        self._roles = roles
        self._label, self._scores = roles.label, _listed(roles.scores)
        self._kinds: Kinds = {}
        self._dictionary: list[str] | None = None  # of labels whose order is declared
        self._batches = self._read(table)
        first = next(self._batches, None)
        if first is None:
            raise no_rows(_SOURCE.name)
        self._first: Columns = first

    def _read(self, table: Any) -> Iterator[Columns]:  # noqa: ANN401
        """Go through the batches that have rows, each value looked at."""
        ask, row = self._roles.ask(), 0
        for batch in _batches(table, ask):
            kind = batch.table.column(self._label).type
            if self._dictionary is None and getattr(kind, "ordered", False):
                chunk = batch.table.column(self._label).chunk(0)
                self._dictionary = [str(text) for text in chunk.dictionary.to_pylist()]
            gathered = Gathering(ask, self._kinds, views=True)
            gathered.begin(_SOURCE, row)
            gathered.add(batch)
            row += gathered.rows
            yield gathered.columns(_SOURCE.name)

    def classes(self) -> Names:
        """Return the classes where the type of the labels tells them and their order."""
        kind, width = self._kinds[self._label][0], self._first.matrix(self._scores).shape[1:]
        if self._dictionary is not None:
            return tuple(_as_labels(self._dictionary, kind))
        if kind == "truth values":
            return (False, True)
        if kind == "whole numbers":
            return tuple(range(*(width or (2,))))
        rule = "must name the classes, that of interest last"
        found = f"column {self._label!r} holds texts without an order"
        raise InputError("classes", rule, found=found, hint="Pass classes=[...].")

    def add_to(self, summary: "Summary", kind: type[Scores]) -> None:
        """Add all batches to a summary."""
        row, labels = 0, partial(_as_labels, kind=self._kinds[self._label][0])
        for columns in chain([self._first], self._batches):
            codes = columns.codes(self._label, summary.classes, labels)
            try:
                typed = kind(columns.matrix(self._scores))
                class_names(typed, summary.classes)
                summary.add_batch(self._batch(columns, codes, typed))
            except InputError as error:  # of rows and columns of this batch: say those of the table
                moved, place = error, error.place
                if place is not None and place.row is not None:
                    moved = error.moved(place=replace(place, row=row + place.row))
                if error.argument == "scores":
                    named = f"column{'s' if len(self._scores) > 1 else ''} {quoted(self._scores)}"
                    moved = moved.moved(source=_SOURCE.name, argument=named)
                raise moved from error
            row += len(columns)

    def _batch(self, columns: Columns, codes: IntArray, scores: Scores) -> "NewBatch":
        roles = self._roles
        return NewBatch(
            codes,
            scores,
            None if roles.weight is None else columns.numbers(roles.weight),
            None if roles.group is None else self._coded(columns, roles.group),
            {name: self._coded(columns, name, texts=True) for name in roles.slices},
            {name: columns.numbers(name) for name in roles.amounts},
        )

    def _coded(self, columns: Columns, name: str, *, texts: bool = False) -> CodedColumn:
        """Return a column of names, as they were before they became texts or as texts."""
        found, codes = columns.coded(name)
        labels = _as_labels(found, self._kinds[name][0])
        if texts:
            return CodedColumn([str(label) for label in labels], codes)
        return CodedColumn(np.array(labels) if type(labels[0]) is int else labels, codes)


def _listed(columns: ScoreColumns) -> list[str]:
    names = [columns] if isinstance(columns, str) else list(columns)
    if not names or not all(isinstance(name, str) for name in names):
        rule = "must be the name of a column, or the names of several, one for each class"
        raise InputError("scores", rule, plain(columns))
    return names


def _ask(label: str, scores: list[str]) -> Ask:
    if not isinstance(label, str):
        raise InputError("label", "must be the name of a column", plain(label))
    if label in scores:
        raise InputError("label", "must not be a column of scores", found=f"{label!r} is")
    return Ask(texts=(label,), numbers=tuple(scores))


def _batches(table: Any, ask: Ask) -> Iterator[Batch]:  # noqa: ANN401
    """Go through the rows of some columns of a table, some thousand at a time."""
    names = list(ask.names)
    try:
        reader = pa.RecordBatchReader.from_stream(_selected(table, names))
        check_present(names, reader.schema.names, _SOURCE.name)
        for batch in reader:
            for start in range(0, batch.num_rows, _ROWS):
                yield Batch(pa.Table.from_batches([batch.slice(start, _ROWS)]).select(names))
    except StakesError:
        raise
    except (pa.ArrowException, OSError, ValueError, TypeError) as error:  # of the table's library
        rule = "must hand over an Arrow stream"
        raise InputError("table", rule, found=plain(error, 200)) from error


def _selected(table: Any, names: list[str]) -> Any:  # noqa: ANN401
    """Return what streams the columns; no others where the source can leave them out."""
    if hasattr(type(table), "scanner"):  # a data set of pyarrow
        check_present(names, table.schema.names, _SOURCE.name)
        return table.scanner(columns=names).to_reader()
    if hasattr(type(table), "collect_schema"):  # polars
        check_present(names, table.collect_schema().names(), _SOURCE.name)
        return table.lazy().select(names).collect()
    if hasattr(type(table), "iloc"):  # pandas
        check_present(names, list(table.columns), _SOURCE.name)
        return table[names]
    if hasattr(type(table), "__arrow_c_stream__"):
        return table
    if hasattr(type(table), "to_reader"):  # a scanner of pyarrow
        return table.to_reader()
    rule = "must hand over an Arrow stream, as those of pyarrow, polars, pandas and DuckDB do"
    raise InputError("table", rule, type(table).__name__)


def _as_labels(texts: Sequence[str], kind: str) -> list[Label]:
    """Return labels as what they were before they became texts."""
    if kind == "whole numbers":
        return [int(text) for text in texts]
    return [text == "true" for text in texts] if kind == "truth values" else list(texts)
