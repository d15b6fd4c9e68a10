"""CSV and TSV: parsed by Arrow chunk by chunk; a chunk that fails is read again to say why."""

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from stakes._check import InputError
from stakes._text import plain
from stakes.io.batches import Ask, Batch, check_present, refuse_doubled
from stakes.io.rows import Chunk, check_quotes, cut_rows, first_row_end, lines_of, records
from stakes.io.sources import Part
from stakes.io.streams import Limits, Stream, count_lines, open_stream

if TYPE_CHECKING:
    import pyarrow as pa

_BLOCK = 1024 * 1024
NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t]*")
SPECIAL = re.compile(r"[ \t]*[+-]?(nan|inf|infinity)[ \t]*", re.IGNORECASE)
_MISSING = {"", "na", "n/a", "null", "none", "nan", "-", "?", "#n/a"}


@dataclass(frozen=True)
class _Layout:
    """How the rows of a file are to be read."""

    name: str
    delimiter: str
    header: list[str]
    ask: Ask

    def types(self) -> "dict[str, pa.DataType]":
        """Return the Arrow type of each column asked for, by its place in the header."""
        import pyarrow as pa  # noqa: PLC0415

        if not self.ask.names:
            return {str(i): pa.string() for i in range(len(self.header))}
        coded = pa.dictionary(pa.int32(), pa.string())
        return {
            str(self.header.index(name)): coded if name in self.ask.texts else pa.float64()
            for name in self.ask.names
        }


def delimiter_of(kind: str) -> str:
    """Return what parts the fields of a text table."""
    return "\t" if kind == "tsv" else ","


def text_header(part: Part, limits: Limits) -> list[str]:
    """Read the names of the columns."""
    with open_stream(part, limits) as stream:
        return next(_headed(stream, part))[0]


def text_batches(part: Part, ask: Ask, limits: Limits) -> Iterator[Batch]:
    """Read the rows of a CSV or TSV file."""
    for parse in text_chunks(part, ask, limits):
        yield parse()


def text_chunks(part: Part, ask: Ask, limits: Limits) -> Iterator[Callable[[], Batch]]:
    """Cut a CSV or TSV file into chunks of rows, each with how to parse it, in any thread."""
    with open_stream(part, limits) as stream:
        layout = None
        for header, chunk in _headed(stream, part):
            if layout is None:
                (check_present(ask.names, header, part.name) if ask.names
                 else refuse_doubled(header, part.name))  # fmt: skip
                layout = _Layout(part.name, delimiter_of(part.need_kind()), header, ask)
            if chunk.data.strip(b"\r\n") or (len(header) == 1 and chunk.data):
                yield partial(_parse, chunk, layout)


def _headed(stream: Stream, part: Part) -> Iterator[tuple[list[str], Chunk]]:
    """Split the header from the rows; lines left blank above it are none."""
    header: list[str] | None = None
    for chunk in cut_rows(stream):
        rows = chunk
        if header is None:
            blank = chunk.data[: len(chunk.data) - len(chunk.data.lstrip(b"\r\n"))]
            end = len(blank) + first_row_end(chunk.data[len(blank) :])
            head = Chunk(chunk.data[len(blank) : end], chunk.line + count_lines(blank))
            delimiter = delimiter_of(part.need_kind())
            check_quotes(head, delimiter, part.name)
            header = next((fields for _, fields in records(head, delimiter, part.name, 0)), None)
            rows = Chunk(chunk.data[end:], head.line + count_lines(head.data))
        if header is not None:
            yield header, rows
    if header is None:
        msg = f"'{part.name}' must be a table: it is empty, or holds blank lines only."
        raise InputError(msg)


def _parse(chunk: Chunk, layout: _Layout) -> Batch:
    """Parse a chunk; where Arrow fails, find the line and the reason."""
    import pyarrow as pa  # noqa: PLC0415
    from pyarrow import csv  # noqa: PLC0415

    quoted = check_quotes(chunk, layout.delimiter, layout.name)
    width, types = len(layout.header), layout.types()
    read = csv.ReadOptions(
        column_names=[str(i) for i in range(width)],
        block_size=_BLOCK,
        use_threads=False,  # Arrow's threads can abort a process that ends while they still run
    )
    parse = csv.ParseOptions(
        delimiter=layout.delimiter,
        newlines_in_values=quoted,
        ignore_empty_lines=width > 1,  # in a table of one column a blank line is a missing value
    )
    convert = csv.ConvertOptions(
        column_types=types, include_columns=list(types), null_values=[], strings_can_be_null=False
    )
    if quoted:
        read.block_size = len(chunk.data) + 1  # a quoted line end must not meet a block's end
    try:
        table = csv.read_csv(pa.BufferReader(chunk.data), read, parse, convert)
        table = table.rename_columns([layout.header[int(i)] for i in table.column_names])
        table = _numbers_of_texts(table, layout.ask)
    except pa.ArrowInvalid as error:
        _explain(chunk, layout, error)
    if _has_infinity(table, layout.ask):
        _check_overflow(chunk, layout)
    return Batch(table, lines_of(chunk, table.num_rows, layout.delimiter, layout.name, width))


def _numbers_of_texts(table: "pa.Table", ask: Ask) -> "pa.Table":
    """Check that columns asked for both as texts and as numbers can be both."""
    import pyarrow as pa  # noqa: PLC0415

    for name in set(ask.texts) & set(ask.numbers):
        table.column(name).cast(pa.string()).cast(pa.float64())
    return table


def _has_infinity(table: "pa.Table", ask: Ask) -> bool:
    """Tell whether a column of numbers holds an infinite one."""
    names = set(ask.numbers) - set(ask.texts)
    return any(np.isinf(c.to_numpy()).any() for n in names for c in table.column(n).chunks)


def _explain(chunk: Chunk, layout: _Layout, error: Exception) -> NoReturn:
    """Find the first row that is no row of this table, and say why."""
    width = len(layout.header)
    numbers = [(layout.header.index(name), name) for name in layout.ask.numbers]
    for line, fields in records(chunk, layout.delimiter, layout.name, len(layout.header)):
        if len(fields) != width:
            fault = f"line {line} has {len(fields)} fields"
            msg = f"'{layout.name}', {fault} where the header has {width}."
            hint = (
                " A field that holds the separator must be quoted." if len(fields) > width else ""
            )
            raise InputError(msg + hint)
        for at, name in numbers:
            if not (NUMBER.fullmatch(fields[at]) or SPECIAL.fullmatch(fields[at])):
                raise InputError(_no_number(layout.name, line, name, fields[at]))
    msg = f"'{layout.name}', after line {chunk.line}: {plain(error, 200)}."
    raise InputError(msg) from error


def _no_number(source: str, line: int, column: str, value: str) -> str:
    """Say that a field is no number, and what may be meant."""
    msg = f"{source}, line {line}: column {column!r} must hold numbers:"
    if value.strip().lower() in _MISSING:
        shown = f" ('{plain(value)}')" if value else ""
        return f"{msg} the value is missing{shown}. Leave such rows out, or fill them."
    hint = ""
    if NUMBER.fullmatch(value.replace(",", "")):
        hint = " Write it without thousands separators and with a decimal point."
    return f"{msg} got '{plain(value)}'.{hint}"


def _check_overflow(chunk: Chunk, layout: _Layout) -> None:
    """Refuse numbers too large for a double, which would become infinite unseen."""
    columns: list[tuple[int, str]] = [(layout.header.index(n), n) for n in layout.ask.numbers]
    rows: Any = records(chunk, layout.delimiter, layout.name, len(layout.header))
    for line, fields in rows:
        for at, name in columns:
            if NUMBER.fullmatch(fields[at]) and math.isinf(float(fields[at])):
                msg = f"{layout.name}, line {line}: column {name!r} must hold doubles:"
                raise InputError(f"{msg} '{plain(fields[at])}' is larger than any.")
