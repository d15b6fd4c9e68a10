"""Tables with every column: read as they are, whole or in batches, and written with new ones."""

from __future__ import annotations

__all__ = ["read_pairs", "read_whole", "with_columns", "write_table"]

import gzip
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, cast

from stakes._check import Action, FileError, InputError
from stakes._files import Target, refuse_taken, whole_file
from stakes._text import plain, plain_list
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Part
from stakes.io.columns import Columns, no_rows
from stakes.io.readers import READERS, endings, kind_by_ending, listed
from stakes.io.readers.base_reader import Write
from stakes.io.sources import Source, find_parts
from stakes.io.streams import Limits, Progress
from stakes.io.units import ROWS, Unit, checked_columns, damage_named, units_of


def read_whole(
    source: Source,
    *,
    kind: str | None = None,
    max_bytes: int | None = None,
    patience: float = 60.0,
    progress: Progress | None = None,
) -> pa.Table:
    """Read every column of a table; those of a CSV file as strings, to keep them unchanged.

    Parameters
    ----------
    source : path, glob, or list of paths
        As in `read_columns`.
    kind : str, optional
        As in `read_columns`.
    max_bytes : int, optional
        As in `read_columns`.
    patience : float, default 60.0
        As in `read_columns`.
    progress : callable, optional
        As in `read_columns`.

    Returns
    -------
    pyarrow Table

    See Also
    --------
    write_table : writes it again.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from stakes.io import read_whole
    >>> read_whole(files("stakes") / "data" / "breast.csv").num_rows
    569
    """
    shown, parts = find_parts(source, kind)
    found = _read(shown, parts, Limits.read(max_bytes, patience, progress))
    if not sum(table.num_rows for table in found):
        raise no_rows(shown)
    return _joined(found, shown)


def read_pairs(
    source: Source,
    ask: Ask,
    *,
    kind: str | None = None,
    max_bytes: int | None = None,
    patience: float = 60.0,
    rows: int = ROWS,
) -> Iterator[tuple[Columns, pa.Table]]:
    """Read a table in batches: the requested columns, checked, with all columns unchanged.

    The table is read twice, side by side. All batches have the schema of the whole table.

    Parameters
    ----------
    source : path, glob, or list of paths
        As in `read_columns`.
    ask : Ask
        Names of columns by what they hold: `texts`, `numbers`, `finite`, `blank`.
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
    iterator of Columns and pyarrow Table

    See Also
    --------
    read_batches : the columns alone.
    with_columns : adds results to a table.

    Examples
    --------
    >>> from importlib.resources import files
    >>> from stakes.io import read_pairs
    >>> from stakes.io.batches import Ask
    >>> pairs = read_pairs(files("stakes") / "data" / "breast.csv", Ask(numbers=("log_odds",)))
    >>> sum(table.num_rows for columns, table in pairs)
    569
    """
    shown, parts = find_parts(source, kind)
    limits = Limits.read(max_bytes, patience, None)
    checked = checked_columns(units_of(shown, parts, ask, limits, rows))
    return _paired(checked, _tables(shown, parts, limits, rows), shown)


def _paired(
    checked: Iterator[Columns], tables: Iterator[pa.Table], shown: str
) -> Iterator[tuple[Columns, pa.Table]]:
    """Put as many rows as they are beside columns."""
    rest: list[pa.Table] = []
    for columns in checked:
        n = len(columns)
        while sum(map(len, rest)) < n:
            following = next(tables, None)
            if following is None:
                raise _changed(shown)
            rest.append(following)
        table = pa.concat_tables(rest)
        yield columns, table.slice(0, n)
        rest = [table.slice(n)]
    if any(map(len, rest)) or next(tables, None) is not None:
        raise _changed(shown)


def _changed(shown: str) -> InputError:
    return InputError(f"'{shown}' must not change while it is read: its rows have changed.")


def _tables(shown: str, parts: Sequence[Part], limits: Limits, rows: int) -> Iterator[pa.Table]:
    """Go through the rows of a table with all columns, in one schema."""
    found = _read(shown, parts, limits, types_only=True)
    if not found:
        raise no_rows(shown)
    schema = _joined(found, shown).schema
    for unit in units_of(shown, parts, Ask(), limits, rows):
        table = _alike(unit, schema)
        if len(table):
            yield _joined([schema.empty_table(), table], shown)


def _read(
    shown: str, parts: Sequence[Part], limits: Limits, *, types_only: bool = False
) -> list[pa.Table]:
    """Read batches, or none of their rows; only JSON has to be read to the end for the types."""
    found: list[pa.Table] = []
    for part in parts:
        for unit in units_of(shown, [part], Ask(), limits):
            table = _alike(unit, found[0].schema if found else None)
            found.append(table.slice(0, 0) if types_only else table)
            if types_only and not part.reader.typed_by_values:
                break
    return found


def _joined(tables: Sequence[pa.Table], shown: str) -> pa.Table:
    """Return tables as one; columns that hold nothing take the type that they have elsewhere."""
    try:
        return pa.concat_tables(tables, promote_options="default")
    except pa.ArrowException as error:
        msg = f"'{shown}' must have columns of one kind in all parts: {plain(error, 200)}."
        raise InputError(msg) from error


def _alike(unit: Unit, before: pa.Schema | None) -> pa.Table:
    """Read a unit with its columns in the order of those before it; refuse other columns."""
    piece = unit.read()
    table = piece.batch.table
    with damage_named(piece.part):
        table.validate(full=True)  # finds text that is not UTF-8
    if before is None:
        return table
    if set(table.column_names) != set(before.names):
        names = plain_list(before.names)
        raise piece.part.wrong(f"must have the columns of the parts before it: {names}")
    return table.select(before.names)


def with_columns(table: pa.Table, columns: Mapping[str, Any]) -> pa.Table:
    """Return a table with new columns at its end; a name that exists raises an error.

    Parameters
    ----------
    table : pyarrow Table
    columns : mapping from name to values

    Returns
    -------
    pyarrow Table

    See Also
    --------
    write_table : writes it.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from stakes.io import with_columns
    >>> with_columns(pa.table({"p": [0.2, 0.7]}), {"decision": ["fine", "fraud"]}).column_names
    ['p', 'decision']
    """
    for name, values in columns.items():
        if name in table.column_names:
            msg = f"the table must not have a column {name!r} yet: the result is written there."
            raise InputError(msg, hint=Action("choose_prefix"))
        table = table.append_column(name, pa.array(values))
    return table


def write_table(table: pa.Table, path: str | Path, *, force: bool = False) -> None:
    """Write a table, by its extension; an existing file needs `force`.

    Parameters
    ----------
    table : pyarrow Table
    path : path
        Its extension gives the kind: .csv, .parquet, ...
    force : bool, default False
        Whether to replace an existing file.

    Raises
    ------
    FileError
        If the file exists and `force` is false, or if it cannot be written.

    See Also
    --------
    read_whole : reads it.

    Examples
    --------
    >>> from pathlib import Path
    >>> from tempfile import TemporaryDirectory
    >>> import pyarrow as pa
    >>> from stakes.io import write_table
    >>> with TemporaryDirectory() as folder:
    ...     write_table(pa.table({"p": [0.2, 0.7]}), Path(folder, "t.csv"))
    ...     Path(folder, "t.csv").read_text().split()
    ['p', '0.2', '0.7']
    """
    with table_writer(path, table.schema, force=force) as write:
        write(table)


@contextmanager
def table_writer(path: str | Path, schema: pa.Schema, *, force: bool = False) -> Iterator[Write]:
    """Give a function that writes the next rows of a table; the file is there at the end, whole."""
    if "://" in str(path):
        raise FileError(f"cannot write '{plain(path, 1000)}': addresses are not supported.")
    refuse_taken(path, force=force)
    kind, packed = kind_by_ending(str(path))
    if kind is None and not Target.from_path(path).plain:
        kind = "csv"  # for a device or a pipe, whose name says nothing
    if kind is None or not READERS[kind].written:
        written = [e for r in READERS.values() if r.written for e in endings(r)]
        got = repr("".join(Path(path).suffixes[-1:]).lower() or "no ending")
        raise InputError(f"'{plain(path, 1000)}' must end in {listed(written)}: got {got}.")
    with whole_file(path) as raw:
        # without a name and a time, so that the same table has the same bytes
        opened = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if packed else nullcontext(raw)
        with opened as stream, READERS[kind].writer(cast("BinaryIO", stream), schema) as write:
            yield write
