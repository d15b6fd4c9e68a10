"""Columns in binary files: Arrow with bounds checked, Parquet with checksums verified."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from itertools import accumulate
from typing import Any, BinaryIO

from stakes._check import Action, ChecksumError, InputError, ResourceError
from stakes._text import plain
from stakes.io.arrow_library import ipc, pa, parquet
from stakes.io.batches import Ask, Batch, Part
from stakes.io.readers.base_reader import LazyBatch, Reader, Write
from stakes.io.streams import Limits, open_anywhere, too_long


class Arrow(Reader):
    """Arrow's own format, in a file or as a stream; Feather is its other name."""

    name, endings = "arrow", (".arrow", ".feather", ".ipc")
    columns = "those of the schema; a list column is a matrix"
    sign = (b"ARROW1", "an Arrow file")

    def header(self, part: Part, limits: Limits) -> list[str]:
        """Read the names in the schema."""
        with _open_binary(part, limits) as source, _whole(part, "a whole Arrow"):
            return list(_open_arrow(source, part).schema.names)

    def chunks(self, part: Part, ask: Ask, limits: Limits, most: int) -> Iterator[LazyBatch]:  # noqa: ARG002
        """Read batch by batch, which a file has numbered and a stream has not."""
        with _open_binary(part, limits) as source, _whole(part, "a whole Arrow"):
            file = _open_arrow(source, part)
            columns = ask.chosen(file.schema.names, part.name)
            numbered = range(getattr(file, "num_record_batches", 0))
            for batch in map(file.get_batch, numbered) if hasattr(file, "get_batch") else file:
                table = pa.Table.from_batches([batch]).select(columns)
                table.validate(full=True)  # offsets of an unknown file may point anywhere
                if limits.progress is not None:
                    limits.progress(min(source.tell(), source.size()), source.size())
                yield table.num_rows, Batch(table).itself


class Parquet(Reader):
    """Columns in row groups, whose footer says what there is."""

    name, endings = "parquet", (".parquet", ".pq")
    columns = "those of the schema; a list column is a matrix"
    sign = (b"PAR1", "a Parquet file")
    written = True

    def header(self, part: Part, limits: Limits) -> list[str]:
        """Read the names in the footer."""
        with _open_binary(part, limits) as source:
            return list(_open_parquet(source, part).schema_arrow.names)

    def chunks(self, part: Part, ask: Ask, limits: Limits, most: int) -> Iterator[LazyBatch]:
        """Cut a file into runs of row groups; a larger row group is read here, in pieces."""
        with _open_binary(part, limits) as source:
            file, columns = _chosen(source, ask, part, limits)
            if part.groups and part.groups[-1] >= file.metadata.num_row_groups:
                raise part.wrong("has changed while it was read: it has fewer row groups now")
            size, done = source.size(), 0
            for groups, rows in _runs(file.metadata, most, part.groups):
                if rows <= most and not part.streamed:
                    yield rows, partial(_read_groups, part, limits, file.metadata, groups, columns)
                else:
                    for group in groups:
                        for batch in _row_group(file, group, columns, part, most):
                            yield batch.table.num_rows, batch.itself
                done += rows
                if limits.progress is not None:
                    limits.progress(size * done // max(file.metadata.num_rows, 1), size)

    def split(self, part: Part, limits: Limits, most: int) -> list[Part]:
        """Return runs of row groups; one that is larger is a part by itself."""
        with _open_binary(part, limits) as source:
            runs = list(_runs(_open_parquet(source, part).metadata, most, part.groups))
        ends = accumulate((rows for _, rows in runs), initial=part.row)
        return [
            replace(part, groups=tuple(groups), row=row)
            for (groups, _), row in zip(runs, ends, strict=False)
        ]

    def rows(self, part: Part, limits: Limits) -> int | None:
        """Return how many rows the footer declares."""
        with _open_binary(part, limits) as source:
            return int(_open_parquet(source, part).metadata.num_rows)

    @contextmanager
    def writer(self, stream: BinaryIO, schema: "pa.Schema") -> Iterator[Write]:
        """Write row groups."""
        with parquet.ParquetWriter(stream, schema) as writer:
            yield writer.write_table


def _open_arrow(source: "pa.NativeFile", part: Part) -> Any:  # noqa: ANN401
    """Open an Arrow file, or a stream of Arrow batches in a file."""
    start = source.read(6)
    source.seek(0)
    if start[:4] == b"FEA1":
        raise part.wrong("is Feather version 1, which is not read: write it again")
    return ipc.open_file(source) if start == b"ARROW1" else ipc.open_stream(source)


@contextmanager
def _open_binary(part: Part, limits: Limits) -> "Iterator[pa.NativeFile]":
    """Open a file of bearable size that is not empty."""
    with open_anywhere(part, limits, pa.OSFile, pa.BufferReader) as source:
        size = source.size()
        if size > limits.batches:
            raise too_long(part.name, limits.batches)
        if not size:
            raise part.wrong("must be a table: it is empty")
        yield source


@contextmanager
def _whole(part: Part, what: str) -> Iterator[None]:
    """Refuse a file that Arrow cannot read to its end."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise part.wrong(f"must be {what} file: {plain(error, 200)}") from error


def _open_parquet(source: "pa.NativeFile", part: Part, metadata: Any = None) -> Any:  # noqa: ANN401
    """Open a file by its footer, which may be known."""
    with _whole(part, "a whole Parquet"):
        return parquet.ParquetFile(
            source, metadata=metadata, page_checksum_verification=True, pre_buffer=False
        )


def _chosen(source: "pa.NativeFile", ask: Ask, part: Part, limits: Limits) -> tuple[Any, list[str]]:
    """Open a file of bearable size, and return the columns to read."""
    file = _open_parquet(source, part)
    columns = ask.chosen(file.schema_arrow.names, part.name)
    rows = file.metadata.num_rows
    if 8 * rows * len(columns) > limits.batches:
        msg = f"'{part.name}' declares {rows} rows, {8 * rows * len(columns)} bytes in memory:"
        raise ResourceError(f"{msg} more than {limits.batches}.", hint=Action("add_bytes"))
    return file, columns


def _runs(
    metadata: Any,  # noqa: ANN401
    most: int,
    some: Sequence[int] | None = None,
) -> Iterator[tuple[list[int], int]]:
    """Put row groups, all or some, that follow each other together, up to so many rows."""
    run: list[int] = []
    total = 0
    for group in range(metadata.num_row_groups) if some is None else some:
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
    metadata: "parquet.FileMetaData",
    groups: list[int],
    names: list[str],
) -> Batch:
    """Read some row groups of a file whose footer is known."""
    with _open_binary(part, limits) as source:
        file = _open_parquet(source, part, metadata)
        # Arrow's threads can abort a process that ends while they still run
        told = {"columns": names, "use_threads": False}
        try:
            return Batch(file.read_row_groups(groups, **told).select(names))
        except (pa.ArrowException, OSError):
            for group in groups:  # to name the one that is damaged
                with _damage_in(part, group):
                    file.read_row_group(group, **told)
            raise


def _row_group(
    file: "parquet.ParquetFile", group: int, columns: list[str], part: Part, most: int
) -> Iterator[Batch]:
    with _damage_in(part, group):
        asked = {"row_groups": [group], "columns": columns, "use_threads": False}  # as above
        for batch in file.iter_batches(most, **asked):
            yield Batch(pa.Table.from_batches([batch]).select(columns))


@contextmanager
def _damage_in(part: Part, group: int) -> Iterator[None]:
    """Name the row group that cannot be read."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        where = f"'{part.name}', row group {group}"
        if "crc" in str(error).lower() or "checksum" in str(error).lower():
            msg = f"{where} is damaged: its checksum does not agree. Copy or write the file again."
            raise ChecksumError(msg) from error
        raise InputError(f"{where} cannot be read: {plain(error, 200)}.") from error
