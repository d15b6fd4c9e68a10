"""Tables that are written: with new columns, in the order of their rows, whole or not at all."""

__all__ = ["with_columns", "write_table"]

import csv as plain_csv
import gzip
import io
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from stakes._check import FileError, InputError
from stakes._files import refuse_taken, whole_file
from stakes._text import plain

if TYPE_CHECKING:
    import pyarrow as pa

_ENDINGS = {".csv": ",", ".tsv": "\t", ".parquet": None, ".pq": None}


def with_columns(table: "pa.Table", columns: Mapping[str, Any]) -> "pa.Table":
    """Return the table with new columns at its end; a name that is taken is refused."""
    import pyarrow as pa  # noqa: PLC0415

    for name, values in columns.items():
        if name in table.column_names:
            msg = f"the table must not have a column {name!r} yet: the result is written there."
            raise InputError(f"{msg} Rename it, or give --prefix.")
        table = table.append_column(name, pa.array(values))
    return table


def write_table(table: "pa.Table", path: str | Path, *, force: bool = False) -> None:
    """Write a table whole or not at all, by its ending; a file that is there needs `force`."""
    with table_writer(path, table.schema, force=force) as write:
        write(table)


@contextmanager
def table_writer(
    path: str | Path, schema: "pa.Schema", *, force: bool = False
) -> "Iterator[Callable[[pa.Table], Any]]":
    """Give a function that writes the next rows of a table; the file is there at the end, whole."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    refuse_taken(path, force=force)
    delimiter = _delimiter(path)
    nested = [f.name for f in schema if pa.types.is_nested(f.type)]
    if nested and delimiter is not None:
        msg = f"column {nested[0]!r} holds lists, which text cannot: write a .parquet file."
        raise InputError(msg)
    with whole_file(path) as raw:
        if delimiter is None:
            with parquet.ParquetWriter(raw, schema) as writer:
                yield writer.write_table
        else:
            with _packed(raw, path) as stream, _text_writer(stream, schema, delimiter) as write:
                yield write


@contextmanager
def _text_writer(
    stream: BinaryIO, schema: "pa.Schema", delimiter: str
) -> "Iterator[Callable[[pa.Table], None]]":
    """Give a function that writes rows as text; only what needs quotes gets them."""
    text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
    writer = plain_csv.writer(text, delimiter=delimiter, lineterminator="\n")
    writer.writerow(schema.names)

    def write(table: "pa.Table") -> None:
        for batch in table.to_batches(max_chunksize=65_536):
            writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))

    try:
        yield write
    finally:
        text.detach()


@contextmanager
def _packed(stream: BinaryIO, path: str | Path) -> Iterator[BinaryIO]:
    """Pack what is written, where the name of the file says so."""
    packed = Path(path).suffix.lower() == ".gz"
    # without a name and a time, so that the same table has the same bytes
    opened = gzip.GzipFile("", "wb", fileobj=stream, mtime=0) if packed else nullcontext(stream)
    with opened as found:
        yield cast("BinaryIO", found)


def _delimiter(path: str | Path) -> str | None:
    """Return what parts the fields of a table to write; None for Parquet."""
    if "://" in str(path):
        msg = f"cannot write '{plain(path, 1000)}': addresses are not supported."
        raise FileError(msg)
    suffixes = [s.lower() for s in Path(path).suffixes]
    packed = suffixes[-1:] == [".gz"]
    ending = "".join(suffixes[-2:-1] if packed else suffixes[-1:])
    if ending not in _ENDINGS or (packed and _ENDINGS[ending] is None):
        msg = f"'{plain(path, 1000)}' must end in .csv, .csv.gz, .tsv, .tsv.gz or .parquet:"
        raise InputError(f"{msg} got {ending or 'no ending'!r}.")
    return _ENDINGS[ending]
