"""Read named columns of a CSV, TSV or Parquet file; texts stay texts."""

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from stakes._check import FileError, InputError
from stakes._text import plain
from stakes._typing import FloatArray

if TYPE_CHECKING:
    import pyarrow as pa

_DELIMITERS = {".csv": ",", ".tsv": "\t"}


def table_kind(path: str | Path) -> str:
    """Return the kind of a table by its ending: .csv, .tsv or .parquet."""
    if "://" in str(path):
        msg = f"{str(path)!r} must be a file on this machine: addresses are not supported."
        raise InputError(msg)
    suffixes = [s.lower() for s in Path(path).suffixes]
    packed = suffixes[-1:] == [".gz"] and len(suffixes) > 1
    kind = suffixes[-2] if packed else "".join(suffixes[-1:])
    kind = ".parquet" if kind == ".pq" else kind
    if kind not in {*_DELIMITERS, ".parquet"}:
        got = kind or "no ending"
        msg = f"{plain(path)!r} must end in .csv, .csv.gz, .tsv or .parquet: got {got!r}."
        raise InputError(msg)
    return kind


def read_columns(path: str | Path, columns: Sequence[str]) -> "pa.Table":
    """Read columns by name; values of a CSV file come as texts, so that '007' stays itself."""
    file, kind = Path(path), table_kind(path)
    try:
        if kind == ".parquet":
            return _read_parquet(file, columns)
        return _read_text_table(file, columns, _DELIMITERS[kind])
    except FileError:
        raise
    except OSError as error:
        msg = f"cannot read {plain(path)!r}: {error.strerror or error}."
        raise FileError(msg) from error


def _read_text_table(file: Path, columns: Sequence[str], delimiter: str) -> "pa.Table":
    """Read columns of a CSV or TSV file as texts."""
    import pyarrow as pa  # noqa: PLC0415  only where a file is read
    from pyarrow import csv  # noqa: PLC0415

    _refuse_other_kinds(file)
    convert = csv.ConvertOptions(
        column_types=dict.fromkeys(columns, pa.string()),
        strings_can_be_null=False,
        include_columns=None,
    )
    parse = csv.ParseOptions(delimiter=delimiter, newlines_in_values=True)
    try:
        compression = "gzip" if file.suffix.lower() == ".gz" else None
        with pa.input_stream(str(file), compression=compression) as stream:
            table = csv.read_csv(stream, parse_options=parse, convert_options=convert)
    except pa.ArrowInvalid as error:
        msg = f"{file.name!r} must be a table of {delimiter!r}-separated UTF-8 text: {error}"
        raise InputError(msg) from error
    return _chosen(table, file, columns)


def _read_parquet(file: Path, columns: Sequence[str]) -> "pa.Table":
    """Read columns of a Parquet file; damaged pages are found by their checksums."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    try:
        with parquet.ParquetFile(file, page_checksum_verification=True) as source:
            present = set(source.schema_arrow.names)
            table = source.read(columns=[c for c in columns if c in present])
            names = source.schema_arrow.names
    except pa.ArrowInvalid as error:
        msg = f"{file.name!r} must be a whole Parquet file: {error}"
        raise InputError(msg) from error
    return _chosen(table, file, columns, names)


def _chosen(
    table: "pa.Table", file: Path, columns: Sequence[str], present: Sequence[str] | None = None
) -> "pa.Table":
    """Return the columns asked for, or say which are there."""
    names = table.column_names if present is None else present
    for column in columns:
        if list(names).count(column) != 1:
            fault = "twice" if column in names else "not at all"
            listed = ", ".join(plain(n) for n in names)
            msg = f"{file.name!r} must have the column {column!r} once: it is there {fault}."
            raise InputError(f"{msg} Its columns are: {listed}.")
    if table.num_rows == 0:
        msg = f"{file.name!r} must hold samples: it has a header but no rows."
        raise InputError(msg)
    return table.select(list(columns))


def _refuse_other_kinds(file: Path) -> None:
    """Say so where a text table is really something else."""
    with file.open("rb") as stream:
        start = stream.read(512)
    if not start:
        msg = f"{file.name!r} must be a table: it is empty."
        raise InputError(msg)
    if start[:4] == b"PAR1":
        msg = f"{file.name!r} is a Parquet file: rename it to end in .parquet."
        raise InputError(msg)
    if start[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        msg = f"{file.name!r} must be UTF-8: it is UTF-16. Save it again as UTF-8."
        raise InputError(msg)
    if start.lstrip()[:9].lower().startswith((b"<!doctype", b"<html")):
        msg = f"{file.name!r} must be a table: it is an HTML page."
        raise InputError(msg)


def read_texts(table: "pa.Table", column: str, source: str) -> list[str]:
    """Return a column of labels as texts, whatever whole numbers or truth values it holds."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import compute  # noqa: PLC0415

    values = _column(table, column, source)
    kind = values.type
    simple = (
        pa.types.is_integer(kind)
        or pa.types.is_boolean(kind)
        or pa.types.is_string(kind)
        or pa.types.is_large_string(kind)
        or pa.types.is_string_view(kind)
        or pa.types.is_dictionary(kind)
    )
    if not simple:
        msg = f"{source}: column {column!r} must hold whole numbers or texts: got {kind}."
        raise InputError(msg)
    if values.null_count:
        row = compute.index(compute.is_null(values), True).as_py()
        msg = f"{source}: column {column!r} must hold a label in every row: row {row} is null."
        raise InputError(msg)
    texts: list[str] = values.cast(pa.string()).to_pylist()
    if "" in texts:
        row = texts.index("")
        msg = f"{source}: column {column!r} must hold a label in every row: row {row} is empty."
        raise InputError(msg)
    return texts


def read_numbers(table: "pa.Table", column: str, source: str) -> FloatArray:
    """Return a column of numbers, which may be written as texts."""
    import pyarrow as pa  # noqa: PLC0415

    values = _column(table, column, source)
    try:
        return np.asarray(values.cast(pa.float64()).to_numpy(), dtype=np.float64)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError) as error:
        msg = f"{source}: column {column!r} must hold numbers: {error}."
        raise InputError(msg) from error


def _column(table: "pa.Table", column: str, source: str) -> "pa.ChunkedArray":
    """Return a column by name, or say which there are."""
    if column not in table.column_names:
        listed = ", ".join(plain(n) for n in table.column_names)
        msg = f"{Path(source).name!r} must have the column {column!r}. Its columns are: {listed}."
        raise InputError(msg)
    return table.column(column)
