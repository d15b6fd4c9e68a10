"""Whole tables: read with every column, written with new ones, row order kept."""

import csv as plain_csv
import gzip
import io
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from stakes._check import FileError, InputError
from stakes._files import write_bytes
from stakes._text import plain
from stakes.io.files import read_columns, table_kind

if TYPE_CHECKING:
    import pyarrow as pa


def read_whole(path: str | Path) -> "pa.Table":
    """Read every column of a table; those of a CSV file as texts, so that they can be kept."""
    return read_columns(path, column_names(path))


def column_names(path: str | Path) -> list[str]:
    """Return the names of the columns of a table."""
    file = Path(path)
    kind = table_kind(path)
    try:
        if kind == ".parquet":
            from pyarrow import parquet  # noqa: PLC0415

            return list(parquet.read_schema(file).names)
        opened = gzip.open if file.suffix.lower() == ".gz" else open
        with opened(file, "rt", encoding="utf-8-sig", newline="") as stream:
            delimiter = "\t" if kind == ".tsv" else ","
            return next(plain_csv.reader(stream, delimiter=delimiter), [])
    except OSError as error:
        msg = f"cannot read {plain(path)!r}: {error.strerror or error}."
        raise FileError(msg) from error
    except (UnicodeDecodeError, ValueError, plain_csv.Error) as error:
        msg = f"{file.name!r} must be a table of UTF-8 text: {error}."
        raise InputError(msg) from error


def with_columns(table: "pa.Table", columns: Mapping[str, Any]) -> "pa.Table":
    """Return the table with new columns at its end; a name that is taken is refused."""
    import pyarrow as pa  # noqa: PLC0415

    for name, values in columns.items():
        if name in table.column_names:
            msg = f"the table must not have a column {name!r} yet: the result is written there."
            raise InputError(f"{msg} Rename it.")
        table = table.append_column(name, pa.array(values))
    return table


def write_table(table: "pa.Table", path: str | Path) -> None:
    """Write a table whole or not at all, by its ending."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import csv, parquet  # noqa: PLC0415

    buffer = pa.BufferOutputStream()
    kind = table_kind(path)
    nested = [f.name for f in table.schema if pa.types.is_nested(f.type)]
    if nested and kind != ".parquet":
        msg = f"column {nested[0]!r} holds lists, which {kind} cannot: write a .parquet file."
        raise InputError(msg)
    if kind == ".parquet":
        parquet.write_table(table, buffer)
    else:
        options = csv.WriteOptions(
            delimiter="\t" if kind == ".tsv" else ",", quoting_style="needed"
        )
        csv.write_csv(table, buffer, options)
    data = buffer.getvalue().to_pybytes()
    if Path(path).suffix.lower() == ".gz":
        packed = io.BytesIO()
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream:
            stream.write(data)
        data = packed.getvalue()
    write_bytes(path, data)
