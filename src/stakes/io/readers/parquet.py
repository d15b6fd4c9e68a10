"""Parquet files: read row group by row group, with checksums verified."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any, BinaryIO

from stakes._check import Action, ChecksumError, InputError, ResourceError
from stakes._text import plain
from stakes.io.arrow_library import pa, parquet
from stakes.io.batches import Ask, Batch, Part
from stakes.io.readers.arrow import open_binary, whole
from stakes.io.readers.base_reader import LazyBatch, Reader, Write
from stakes.io.streams import Limits


class Parquet(Reader):
    """Columns in row groups, whose footer says what there is."""

    name, endings = "parquet", (".parquet", ".pq")
    columns = "those of the schema; a list column is a matrix"
    sign = (b"PAR1", "a Parquet file")
    written = True

    def header(self, part: Part, limits: Limits) -> list[str]:
        """Read the names in the footer."""
        with open_binary(part, limits) as source:
            return list(_opened(source, part).schema_arrow.names)

    def chunks(self, part: Part, ask: Ask, limits: Limits, most: int) -> Iterator[LazyBatch]:
        """Cut a file into runs of row groups; a larger row group is read here, in pieces."""
        with open_binary(part, limits) as source:
            file, columns = _chosen(source, ask, part, limits)
            size, done = source.size(), 0
            for groups, rows in _runs(file.metadata, most):
                if rows <= most and not part.streamed:
                    yield rows, partial(_read_groups, part, limits, file.metadata, groups, columns)
                else:
                    for group in groups:
                        for batch in _row_group(file, group, columns, part, most):
                            yield batch.table.num_rows, batch.itself
                done += rows
                if limits.progress is not None:
                    limits.progress(size * done // max(file.metadata.num_rows, 1), size)

    def rows(self, part: Part, limits: Limits) -> int | None:
        """Return how many rows the footer declares."""
        with open_binary(part, limits) as source:
            return int(_opened(source, part).metadata.num_rows)

    @contextmanager
    def writer(self, stream: BinaryIO, schema: "pa.Schema") -> Iterator[Write]:
        """Write row groups."""
        with parquet.ParquetWriter(stream, schema) as writer:
            yield writer.write_table


def _opened(source: "pa.NativeFile", part: Part, metadata: Any = None) -> Any:  # noqa: ANN401
    """Open a file by its footer, which may be known."""
    with whole(part, "a whole Parquet"):
        return parquet.ParquetFile(
            source, metadata=metadata, page_checksum_verification=True, pre_buffer=False
        )


def _chosen(source: "pa.NativeFile", ask: Ask, part: Part, limits: Limits) -> tuple[Any, list[str]]:
    """Open a file of bearable size, and return the columns to read."""
    file = _opened(source, part)
    columns = ask.chosen(file.schema_arrow.names, part.name)
    rows = file.metadata.num_rows
    if 8 * rows * len(columns) > limits.batches:
        msg = f"'{part.name}' declares {rows} rows, {8 * rows * len(columns)} bytes in memory:"
        raise ResourceError(f"{msg} more than {limits.batches}.", hint=Action("add_bytes"))
    return file, columns


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
    metadata: "parquet.FileMetaData",
    groups: list[int],
    names: list[str],
) -> Batch:
    """Read some row groups of a file whose footer is known."""
    with open_binary(part, limits) as source:
        file = _opened(source, part, metadata)
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
