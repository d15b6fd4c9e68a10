"""Parquet and Arrow files: read row group by row group, with checksums and bounds checked."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from stakes._check import ChecksumError, InputError, ResourceError
from stakes._text import plain
from stakes.io.batches import Ask, Batch, check_present, refuse_doubled
from stakes.io.sources import Part
from stakes.io.streams import Limits, cannot_read, open_stream, too_long

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 128 * 1024


@contextmanager
def open_binary(part: Part, limits: Limits) -> "Iterator[pa.NativeFile]":
    """Open a file that is read here and there; a stream is held in memory for that."""
    import pyarrow as pa  # noqa: PLC0415

    if part.streamed:
        with open_stream(part, limits) as stream:
            data = stream.read_all(limits.piece)
        source = pa.BufferReader(data)
    else:
        try:
            source = pa.OSFile(part.path)
        except OSError as error:
            raise cannot_read(part.name, error) from error
    with source:
        size = source.size()
        if size > limits.batches:
            raise too_long(part.name, limits.batches)
        if not size:
            msg = f"'{part.name}' must be a table: it is empty."
            raise InputError(msg)
        yield source


def arrow_header(part: Part, limits: Limits) -> list[str]:
    """Read the names of the columns."""
    with open_binary(part, limits) as source:
        opened = _parquet(source, part) if part.kind == "parquet" else _arrow(source, part)
        schema = opened.schema_arrow if part.kind == "parquet" else opened.schema
        return list(schema.names)


def _parquet(source: "pa.NativeFile", part: Part, metadata: Any = None) -> Any:  # noqa: ANN401
    """Open a Parquet file by its footer, which may be known."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import parquet  # noqa: PLC0415

    try:
        return parquet.ParquetFile(
            source, metadata=metadata, page_checksum_verification=True, pre_buffer=False
        )
    except (pa.ArrowException, OSError) as error:
        msg = f"'{part.name}' must be a whole Parquet file: {plain(error, 200)}."
        raise InputError(msg) from error


def _columns(names: list[str], ask: Ask, part: Part) -> list[str]:
    """Return the columns to read, each there once."""
    if ask.names:
        check_present(ask.names, names, part.name)
        return list(ask.names)
    refuse_doubled(names, part.name)
    return names


def parquet_batches(part: Part, ask: Ask, limits: Limits) -> Iterator[Batch]:
    """Read the rows of a Parquet file; a damaged page is found by its checksum."""
    with open_binary(part, limits) as source:
        file, columns = _parquet_columns(source, ask, part, limits)
        rows, done = file.metadata.num_rows, 0
        for group in range(file.num_row_groups):
            for batch in _row_group(file, group, columns, part):
                done += batch.table.num_rows
                if limits.progress is not None:
                    limits.progress(source.size() * done // max(rows, 1), source.size())
                yield batch


def _parquet_columns(
    source: "pa.NativeFile", ask: Ask, part: Part, limits: Limits
) -> tuple[Any, list[str]]:
    """Open a Parquet file of bearable size, and return the columns to read."""
    file = _parquet(source, part)
    columns = _columns(list(file.schema_arrow.names), ask, part)
    rows = file.metadata.num_rows
    if 8 * rows * len(columns) > limits.batches:
        msg = f"'{part.name}' declares {rows} rows, {8 * rows * len(columns)} bytes in memory:"
        raise ResourceError(f"{msg} more than {limits.batches}, see --max-bytes.")
    return file, columns


def parquet_rows(part: Part, limits: Limits) -> int:
    """Return how many rows a Parquet file declares."""
    with open_binary(part, limits) as source:
        return int(_parquet(source, part).metadata.num_rows)


def parquet_chunks(
    part: Part, ask: Ask, limits: Limits, most: int
) -> Iterator[tuple[int, Callable[[], Batch]]]:
    """Cut a Parquet file into runs of row groups, `most` rows at most, each with how to read it.

    Runs can be read in any thread. A larger row group is read here, some rows at a time.
    """
    with open_binary(part, limits) as source:
        file, columns = _parquet_columns(source, ask, part, limits)
        for groups, rows in _runs(file.metadata, most):
            if rows <= most and not part.streamed:
                yield rows, partial(_read_groups, part, limits, file.metadata, groups, columns)
                continue
            for group in groups:
                for batch in _row_group(file, group, columns, part, most):
                    yield batch.table.num_rows, partial(_same, batch)


def _same(batch: Batch) -> Batch:
    """Return a batch that was read already."""
    return batch


def _runs(metadata: Any, most: int) -> Iterator[tuple[list[int], int]]:  # noqa: ANN401
    """Put row groups that follow each other together, up to so many rows."""
    run: list[int] = []
    total = 0
    for group in range(metadata.num_row_groups):
        rows = metadata.row_group(group).num_rows
        if run and total + rows > most:
            yield run, total
            run, total = [], 0
        run.append(group)
        total += rows
    if run:
        yield run, total


def _read_groups(
    part: Part,
    limits: Limits,
    metadata: Any,  # noqa: ANN401
    groups: list[int],
    columns: list[str],
) -> Batch:
    """Read some row groups of a Parquet file whose footer is known."""
    with open_binary(part, limits) as source:
        file = _parquet(source, part, metadata)
        with _damage_in(part, groups[0]):
            # Arrow's threads can abort a process that ends while they still run
            table = file.read_row_groups(groups, columns=columns, use_threads=False)
            return Batch(table.select(columns))


def _row_group(
    file: Any,  # noqa: ANN401
    group: int,
    columns: list[str],
    part: Part,
    most: int = _ROWS,
) -> Iterator[Batch]:
    """Read the rows of one row group."""
    import pyarrow as pa  # noqa: PLC0415

    with _damage_in(part, group):
        parts = file.iter_batches(
            most,
            row_groups=[group],
            columns=columns,
            use_threads=False,  # Arrow's threads can abort a process that ends while they still run
        )
        for batch in parts:
            yield Batch(pa.Table.from_batches([batch]).select(columns))


@contextmanager
def _damage_in(part: Part, group: int) -> Iterator[None]:
    """Name the row group that cannot be read."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        yield
    except (pa.ArrowException, OSError) as error:
        where = f"'{part.name}', row group {group}"
        if "crc" in str(error).lower() or "checksum" in str(error).lower():
            msg = f"{where} is damaged: its checksum does not agree. Copy or write the file again."
            raise ChecksumError(msg) from error
        msg = f"{where} cannot be read: {plain(error, 200)}."
        raise InputError(msg) from error


def _arrow(source: "pa.NativeFile", part: Part) -> Any:  # noqa: ANN401
    """Open an Arrow file, or a stream of Arrow batches in a file."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import ipc  # noqa: PLC0415

    start = source.read(6)
    source.seek(0)
    if start[:4] == b"FEA1":
        msg = f"'{part.name}' is of Feather's first version, which is not read: write it again."
        raise InputError(msg)
    try:
        return ipc.open_file(source) if start == b"ARROW1" else ipc.open_stream(source)
    except (pa.ArrowException, OSError) as error:
        msg = f"'{part.name}' must be a whole Arrow file: {plain(error, 200)}."
        raise InputError(msg) from error


def arrow_batches(part: Part, ask: Ask, limits: Limits) -> Iterator[Batch]:
    """Read the rows of an Arrow file, batch by batch."""
    import pyarrow as pa  # noqa: PLC0415

    with open_binary(part, limits) as source:
        file = _arrow(source, part)
        columns = _columns(list(file.schema.names), ask, part)
        try:
            for batch in _arrow_parts(file):
                table = pa.Table.from_batches([batch]).select(columns)
                table.validate(full=True)  # offsets of an unknown file may point anywhere
                if limits.progress is not None:
                    limits.progress(min(source.tell(), source.size()), source.size())
                yield Batch(table)
        except (pa.ArrowException, OSError) as error:
            msg = f"'{part.name}' must be a whole Arrow file: {plain(error, 200)}."
            raise InputError(msg) from error


def _arrow_parts(file: Any) -> "Iterator[pa.RecordBatch]":  # noqa: ANN401
    """Go through the batches of an Arrow file, which has them numbered, or of a stream."""
    if hasattr(file, "num_record_batches"):
        for index in range(file.num_record_batches):
            yield file.get_batch(index)
    else:
        yield from file
