"""Whole tables: written with new columns, row order kept."""

import csv as plain_csv
import gzip
import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stakes._check import FileError, InputError
from stakes._files import refuse_taken, write_bytes
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
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    refuse_taken(path, force=force)
    delimiter = _delimiter(path)
    nested = [f.name for f in table.schema if pa.types.is_nested(f.type)]
    if nested and delimiter is not None:
        msg = f"column {nested[0]!r} holds lists, which text cannot: write a .parquet file."
        raise InputError(msg)
    if delimiter is not None:
        _finish(path, _as_text(table, delimiter))
        return
    buffer = pa.BufferOutputStream()
    parquet.write_table(table, buffer)
    _finish(path, buffer.getvalue().to_pybytes())


def _as_text(table: "pa.Table", delimiter: str) -> bytes:
    """Return a table as text; only what needs quotes gets them, as in the file it came from."""
    stream = io.StringIO(newline="")
    writer = plain_csv.writer(stream, delimiter=delimiter, lineterminator="\n")
    writer.writerow(table.column_names)
    for batch in table.to_batches(max_chunksize=65_536):
        writer.writerows(zip(*(column.to_pylist() for column in batch.columns), strict=True))
    return stream.getvalue().encode("utf-8")


def _finish(path: str | Path, data: bytes) -> None:
    """Write the bytes of a table, packed where its name says so."""
    if Path(path).suffix.lower() == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream:
            stream.write(data)
        data = packed.getvalue()
    write_bytes(path, data)


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
