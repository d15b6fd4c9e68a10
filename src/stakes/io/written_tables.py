"""Tables that are written: with new columns, in the order of their rows, whole or not at all."""

import gzip
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any, BinaryIO, cast

from stakes._check import Action, FileError, InputError
from stakes._files import refuse_taken, whole_file
from stakes._text import plain
from stakes.io.arrow_library import pa
from stakes.io.readers import READERS, endings, kind_by_ending, listed
from stakes.io.readers.base_reader import Write

__all__ = ["with_columns", "write_table"]


def with_columns(table: "pa.Table", columns: Mapping[str, Any]) -> "pa.Table":
    """Return the table with new columns at its end; a name that is taken is refused."""
    for name, values in columns.items():
        if name in table.column_names:
            msg = f"the table must not have a column {name!r} yet: the result is written there."
            raise InputError(msg, hint=Action("choose_prefix"))
        table = table.append_column(name, pa.array(values))
    return table


def write_table(table: "pa.Table", path: str | Path, *, force: bool = False) -> None:
    """Write a table whole or not at all, by its ending; a file that is there needs `force`."""
    with table_writer(path, table.schema, force=force) as write:
        write(table)


@contextmanager
def table_writer(path: str | Path, schema: "pa.Schema", *, force: bool = False) -> Iterator[Write]:
    """Give a function that writes the next rows of a table; the file is there at the end, whole."""
    refuse_taken(path, force=force)
    if "://" in str(path):
        raise FileError(f"cannot write '{plain(path, 1000)}': addresses are not supported.")
    kind, packed = kind_by_ending(str(path))
    if kind is None or not READERS[kind].written:
        written = [e for r in READERS.values() if r.written for e in endings(r)]
        got = repr("".join(Path(path).suffixes[-1:]).lower() or "no ending")
        raise InputError(f"'{plain(path, 1000)}' must end in {listed(written)}: got {got}.")
    with whole_file(path) as raw:
        # without a name and a time, so that the same table has the same bytes
        opened = gzip.GzipFile("", "wb", fileobj=raw, mtime=0) if packed else nullcontext(raw)
        with opened as stream, READERS[kind].writer(cast("BinaryIO", stream), schema) as write:
            yield write
