"""Arrow files: read batch by batch, with bounds checked."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from stakes._text import plain
from stakes.io.arrow_library import ipc, pa
from stakes.io.batches import Ask, Batch, Part
from stakes.io.readers.base_reader import LazyBatch, Reader
from stakes.io.streams import Limits, open_anywhere, too_long


class Arrow(Reader):
    """Arrow's own format, in a file or as a stream; Feather is its other name."""

    name, endings = "arrow", (".arrow", ".feather", ".ipc")
    columns = "those of the schema; a list column is a matrix"
    sign = (b"ARROW1", "an Arrow file")

    def header(self, part: Part, limits: Limits) -> list[str]:
        """Read the names in the schema."""
        with open_binary(part, limits) as source, whole(part, "a whole Arrow"):
            return list(_opened(source, part).schema.names)

    def chunks(self, part: Part, ask: Ask, limits: Limits, most: int) -> Iterator[LazyBatch]:  # noqa: ARG002
        """Read batch by batch, which a file has numbered and a stream has not."""
        with open_binary(part, limits) as source, whole(part, "a whole Arrow"):
            file = _opened(source, part)
            columns = ask.chosen(file.schema.names, part.name)
            numbered = range(getattr(file, "num_record_batches", 0))
            for batch in map(file.get_batch, numbered) if hasattr(file, "get_batch") else file:
                table = pa.Table.from_batches([batch]).select(columns)
                table.validate(full=True)  # offsets of an unknown file may point anywhere
                if limits.progress is not None:
                    limits.progress(min(source.tell(), source.size()), source.size())
                yield table.num_rows, Batch(table).itself


def _opened(source: "pa.NativeFile", part: Part) -> Any:  # noqa: ANN401
    """Open an Arrow file, or a stream of Arrow batches in a file."""
    start = source.read(6)
    source.seek(0)
    if start[:4] == b"FEA1":
        raise part.wrong("is of Feather's first version, which is not read: write it again")
    return ipc.open_file(source) if start == b"ARROW1" else ipc.open_stream(source)


@contextmanager
def open_binary(part: Part, limits: Limits) -> "Iterator[pa.NativeFile]":
    """Open a file of bearable size that is not empty."""
    with open_anywhere(part, limits, pa.OSFile, pa.BufferReader) as source:
        size = source.size()
        if size > limits.batches:
            raise too_long(part.name, limits.batches)
        if not size:
            raise part.wrong("must be a table: it is empty")
        yield source


@contextmanager
def whole(part: Part, what: str) -> Iterator[None]:
    """Refuse a file that Arrow cannot read to its end."""
    try:
        yield
    except (pa.ArrowException, OSError) as error:
        raise part.wrong(f"must be {what} file: {plain(error, 200)}") from error
