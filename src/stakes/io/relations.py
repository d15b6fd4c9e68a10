"""Tables in memory or behind a query, read batch by batch: data frames and Arrow streams."""

from __future__ import annotations

__all__ = ["Relation", "Roles", "table_columns"]

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, Self

import numpy as np

from stakes._check import InputError, StakesError, words_may_be_decisions
from stakes._errors import told_of
from stakes._text import plain, quoted
from stakes._typing import Label, Names
from stakes.evaluation.summaries.batch import Batch as NewBatch
from stakes.evaluation.summaries.slice_sums import CodedColumn
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part, check_present
from stakes.io.columns import Columns, Gathering, no_rows
from stakes.io.frame_columns import frame_of
from stakes.io.gather import Kinds
from stakes.io.units import Piece
from stakes.scores import Scores, as_scores, class_names

if TYPE_CHECKING:
    from stakes.evaluation.summaries.compared_rows import ScoreForm

_ROWS = 2**18  # at a time
_SOURCE = Part(path="", name="table", kind=None)
ScoreColumns = str | Sequence[str]


class TableColumns(NamedTuple):
    """Columns of a table in memory: labels, scores of each system, others by name."""

    y: Any
    scores: list[Any]
    texts: dict[str, Any]
    numbers: dict[str, Any]
    slices: dict[str, Any]


def table_columns(
    table: Any,  # noqa: ANN401  anything with an Arrow stream
    label: str,
    scores: Sequence[ScoreColumns],
    texts: Sequence[str] = (),
    numbers: Sequence[str] = (),
    slices: Sequence[str] = (),
) -> TableColumns:
    """Return labels, scores and other columns of a table, in memory.

    Parameters
    ----------
    table : anything with an Arrow stream
        A table of pyarrow, polars, pandas or DuckDB.
    label : str
        Column of labels.
    scores : sequence of names, or of lists of names
        Columns of numbers; a list becomes one table.
    texts, numbers, slices : sequences of names, optional
        Further columns, by what they hold.

    Returns
    -------
    TableColumns
        With `y`, `scores`, `texts`, `numbers` and `slices`.

    See Also
    --------
    read_columns : the same from a file.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from stakes.io import table_columns
    >>> found = table_columns(pa.table({"y": [0, 1], "p": [0.2, 0.7]}), "y", ["p"])
    >>> found.scores[0].tolist()
    [0.2, 0.7]
    """
    listed = [_listed(columns) for columns in scores]
    every = [name for columns in listed for name in columns]
    ask = _ask(label, every).also(texts, numbers).with_slices(slices)
    kinds: Kinds = {}
    gathered = Gathering(ask, kinds)
    gathered.begin(_SOURCE)
    with words_may_be_decisions(every):
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
        {name: _slice_values(found, name, kinds) for name in slices},
    )


def _slice_values(found: Columns, name: str, kinds: Kinds) -> Any:  # noqa: ANN401
    texts, codes = found.coded(name)
    return np.array(_slice_texts(texts, kinds.get(name)), dtype=object)[codes]


@dataclass(frozen=True)
class Roles:
    """The columns of a table by what they are used for.

    Parameters
    ----------
    label : str
        Column of labels.
    systems : mapping from name to columns of scores
    weight : str, optional
        Column of weights.
    group : str, optional
        Column of groups.
    slices : tuple of str, optional
    amounts : tuple of str, optional
        Columns that `CostsByCase` names.

    See Also
    --------
    table_columns : reads the columns of a table in memory.

    Examples
    --------
    >>> from stakes.io import Roles
    >>> roles = Roles("diagnosis", {"model": "p"}, slices=("site",))
    >>> roles.scores, roles.slices
    (['p'], ('site',))
    """

    label: str
    systems: Mapping[str, ScoreColumns]  # columns of scores by the name of a system
    weight: str | None = None
    group: str | None = None
    slices: tuple[str, ...] = ()
    amounts: tuple[str, ...] = ()  # that costs by case name

    @property
    def scores(self) -> list[str]:
        """The columns of scores of the first system."""
        return _listed(next(iter(self.systems.values())))

    def named(self) -> Self:
        """Return the roles with one name each, slices several; anything else raises an error."""
        named = [("label", self.label), ("sample_weight", self.weight), ("groups", self.group)]
        slices = (self.slices,) if isinstance(self.slices, str) else tuple(self.slices or ())
        for role, name in (*named, *(("slices", name) for name in slices)):
            if name is not None and (not isinstance(name, str) or not name):
                raise InputError(role, "must be the name of a column", plain(name) or "nothing")
        return replace(self, slices=slices)

    def ask(self) -> Ask:
        """Return the columns that are needed."""
        scores = [name for columns in self.systems.values() for name in _listed(columns)]
        found = _ask(self.label, scores)
        for role, name in (("weight", self.weight), ("group", self.group)):
            if name is not None and not isinstance(name, str):
                raise InputError(role, "must be the name of a column", plain(name))
        return found.also((self.group,), (self.weight, *self.amounts)).with_slices(self.slices)


def pieces_of(table: Any, ask: Ask, part: Part = _SOURCE) -> Iterator[Piece]:  # noqa: ANN401
    """Go through the rows of a table that hands over an Arrow stream, piece by piece."""
    row, kinds = part.row, Kinds()
    for batch in _batches(table, ask, part.name):
        if len(batch):
            yield Piece(_SOURCE.name, part, batch, row, ask, kinds)
            row += len(batch)


class Total(Protocol):
    """What rows are added to: a summary, or rows kept of several systems."""

    @property
    def classes(self) -> Names:
        """The names of the classes."""

    def add_batch(self, batch: NewBatch) -> None:
        """Add rows."""


@dataclass(frozen=True)
class Relation:
    """Adds the rows of a table, read piece by piece, to a summary.

    Parameters
    ----------
    roles : Roles
        The columns.
    kind : type of scores
        What the scores are.

    See Also
    --------
    Roles : the columns.
    table_columns : a table in memory.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import stakes
    >>> from stakes.io import Relation, Roles
    >>> relation = Relation(Roles("y", {"": "p"}), stakes.Posteriors)
    >>> first, pieces = relation.begun(pa.table({"y": [0, 1, 1, 0], "p": [0.1, 0.7, 0.4, 0.2]}))
    >>> total = stakes.Summary(classes=relation.classes(first))
    >>> for piece in pieces:
    ...     _ = relation.add(total, piece)
    >>> total
    Summary(4 samples, 2 classes)
    """

    roles: Roles
    kind: type[Scores]

    def begun(self, table: Any) -> tuple[Piece, Iterator[Piece]]:  # noqa: ANN401
        """Return the first rows of a table, and all of them; a table without rows raises an error.

        Parameters
        ----------
        table : anything with an Arrow stream
            A table of pyarrow, polars, pandas or DuckDB.
        """
        pieces = pieces_of(table, self.roles.ask())
        first = next(pieces, None)
        if first is None:
            raise no_rows(_SOURCE.name)
        return first, chain([first], pieces)

    def classes(self, piece: Piece) -> Names:
        """Return the classes, if the type of the labels determines them and their order.

        Parameters
        ----------
        piece : Piece
            Rows of the table.
        """
        label, columns = self.roles.label, piece.columns()
        found, width = piece.kinds[label][0], columns.matrix(self.roles.scores).shape[1:]
        order = piece.batch.column(label).order()
        if order is not None:
            return tuple(_as_labels(order, found))
        if found == "truth values":
            return (False, True)
        if found == "whole numbers":
            return tuple(range(*(width or (2,))))
        rule = "must name the classes, that of interest last"
        told = f"column {label!r} holds texts without an order"
        raise InputError("classes", rule, found=told, hint="Pass classes=[...].")

    def forms(self, piece: Piece) -> dict[str, ScoreForm]:
        """Return the kind of each system's scores and the number of their columns.

        Parameters
        ----------
        piece : Piece
            Rows of the table.
        """
        from stakes.evaluation.summaries.compared_rows import ScoreForm  # noqa: PLC0415  slow to load

        columns, systems = piece.columns(), self.roles.systems
        widths = {
            name: sum(columns.matrix(_listed(each)).shape[1:]) for name, each in systems.items()
        }
        return {name: ScoreForm(self.kind, width) for name, width in widths.items()}

    def add(self, total: Total, piece: Piece) -> Mapping[str, Scores]:
        """Return the scores of rows after adding these to a summary or to kept rows.

        Parameters
        ----------
        total : Summary, or kept rows
            What the rows are added to.
        piece : Piece
            Rows of the table.
        """
        batch = piece.checked(partial(self._read, total.classes))
        with _of_columns(piece, self.roles.scores):
            total.add_batch(batch)
        return batch.systems

    def _read(self, classes: Names, piece: Piece) -> NewBatch:
        """Return rows that are ready to be added."""
        columns, roles = piece.columns(), self.roles
        labels = partial(_as_labels, kind=piece.kinds[roles.label][0])
        codes = columns.codes(roles.label, classes, labels)
        systems = {}
        for name, named in roles.systems.items():
            several = f"system {name!r}" if len(roles.systems) > 1 else ""
            with told_of(several), _of_columns(piece, _listed(named)):
                systems[name] = as_scores(columns.matrix(_listed(named)), self.kind)
                class_names(systems[name], classes)

        def coded(name: str, *, texts: bool = False) -> CodedColumn:
            """Return a column of names in their original type, if it is known, or as strings."""
            found, codes = columns.coded(name)
            if texts:
                return CodedColumn(_slice_texts(found, piece.kinds.get(name)), codes)
            labels = _as_labels(found, piece.kinds[name][0])
            return CodedColumn(np.array(labels) if type(labels[0]) is int else labels, codes)

        return NewBatch(
            codes,
            next(iter(systems.values())),
            None if roles.weight is None else columns.numbers(roles.weight),
            None if roles.group is None else coded(roles.group),
            {name: coded(name, texts=True) for name in roles.slices},
            {name: columns.numbers(name) for name in roles.amounts},
            systems,
        )


@contextmanager
def _of_columns(piece: Piece, scores: list[str]) -> Iterator[None]:
    """Say rows of the table, and columns of scores, where an error names those of a piece."""
    try:
        yield
    except InputError as error:
        moved, place = error, error.place
        if place is not None and place.row is not None:
            file = None if piece.part is _SOURCE else piece.part.name
            moved = error.moved(place=replace(place, row=piece.row + place.row, file=file))
        if error.argument == "scores":
            named = f"column{'s' if len(scores) > 1 else ''} {quoted(scores)}"
            moved = moved.moved(source=_SOURCE.name, argument=named)
        raise moved from error


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


def _batches(table: Any, ask: Ask, name: str = _SOURCE.name) -> Iterator[Batch]:  # noqa: ANN401
    """Go through the rows of some columns of a table, some thousand at a time."""
    names = list(ask.names)
    try:
        frame = frame_of(table, names, name)
        yield from _streamed(table, names, name) if frame is None else frame.cuts(_ROWS)
    except StakesError:
        raise
    except (OSError, ValueError, TypeError) as error:  # of the table's library
        rule = "must provide an Arrow stream"
        raise InputError(name, rule, found=plain(error, 200)) from error


def _streamed(table: Any, names: list[str], name: str) -> Iterator[Batch]:  # noqa: ANN401
    """Go through the rows of what streams them."""
    stream = _stream(table, names, name)
    try:
        reader = pa.RecordBatchReader.from_stream(stream)
        check_present(names, reader.schema.names, name)
        for rows in _put_together(reader):
            for start in range(0, rows.num_rows, _ROWS):
                yield Batch(rows.slice(start, _ROWS).select(names))
    except pa.ArrowException as error:
        raise OSError(plain(error, 200)) from error


def _put_together(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    """Go through batches, of which small ones are put together: each addition has its cost."""
    waiting: list[Any] = []
    for batch in batches:
        waiting.append(batch)
        if sum(each.num_rows for each in waiting) >= _ROWS // 2:
            yield pa.Table.from_batches(waiting)
            waiting = []
    if waiting:
        yield pa.Table.from_batches(waiting)


def _stream(table: Any, names: list[str], shown: str) -> Any:  # noqa: ANN401
    """Return what streams the columns; no others where the source can leave them out."""
    if hasattr(type(table), "scanner"):  # a data set of pyarrow
        check_present(names, table.schema.names, shown)
        return table.scanner(columns=names).to_reader()
    if hasattr(type(table), "__arrow_c_stream__"):
        return table
    if hasattr(type(table), "to_reader"):  # a scanner of pyarrow
        return table.to_reader()
    rule = "must provide an Arrow stream, as tables of pyarrow, polars, pandas and DuckDB do"
    hints: dict[type, str] = {
        str: "Read the file first: frame = pandas.read_csv(path).",
        dict: "Make a data frame of it: pandas.DataFrame(columns).",
    }
    raise InputError(shown, rule, type(table).__name__, hint=hints.get(type(table), ""))


def _slice_texts(texts: list[str], kind: tuple[str, str] | None) -> list[str]:
    """Return values of a slice as Python shows them: truth values are True and False."""
    truth = kind is not None and kind[0] == "truth values"
    return [text.title() for text in texts] if truth else texts


def _as_labels(texts: Sequence[str], kind: str) -> list[Label]:
    """Return labels as what they were before they became texts."""
    if kind == "whole numbers":
        return [int(text) for text in texts]
    return [text == "true" for text in texts] if kind == "truth values" else list(texts)
