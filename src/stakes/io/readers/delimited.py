"""CSV and TSV: parsed by Arrow chunk by chunk; a chunk that fails is read again to say why."""

import csv
import io
import math
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO

import numpy as np

from stakes._check import InputError, Place
from stakes._text import plain
from stakes.io.arrow_library import arrow_csv, pa
from stakes.io.batches import Ask, Batch, Part
from stakes.io.readers.base_reader import LazyBatch, Reader, Write
from stakes.io.streams import Limits, Stream, count_lines, open_stream
from stakes.io.text_rows import Chunk, check_quotes, cut_rows, first_row_end, lines_of, records

_BLOCK = 1024 * 1024
NUMBER = re.compile(r"[ \t]*[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?[ \t]*")
SPECIAL = re.compile(r"[ \t]*[+-]?(nan|inf|infinity)[ \t]*", re.IGNORECASE)
_MISSING = {"", "na", "n/a", "null", "none", "nan", "-", "?", "#n/a"}


class Csv(Reader):
    """Fields parted by commas."""

    name, endings = "csv", (".csv",)
    columns = "named in the first line"
    packable = written = True
    delimiter = ","

    def header(self, part: Part, limits: Limits) -> list[str]:
        """Read the first line."""
        with open_stream(part, limits) as stream:
            return next(self._headed(stream, part))[0]

    def chunks(self, part: Part, ask: Ask, limits: Limits, most: int) -> Iterator[LazyBatch]:  # noqa: ARG002
        """Cut the text into chunks of whole rows, by bytes."""
        with open_stream(part, limits) as stream:
            layout = None
            for header, chunk in self._headed(stream, part):
                if layout is None:
                    ask.chosen(header, part.name)
                    layout = _Layout(part.name, self.delimiter, header, ask)
                if chunk.data.strip(b"\r\n") or (len(header) == 1 and chunk.data):
                    yield 0, partial(_parse, chunk, layout)

    def _headed(self, stream: Stream, part: Part) -> Iterator[tuple[list[str], Chunk]]:
        """Split the header from the rows; lines left blank above it are none."""
        header: list[str] | None = None
        for chunk in cut_rows(stream):
            rows = chunk
            if header is None:
                blank = chunk.data[: len(chunk.data) - len(chunk.data.lstrip(b"\r\n"))]
                end = len(blank) + first_row_end(chunk.data[len(blank) :])
                head = Chunk(chunk.data[len(blank) : end], chunk.line + count_lines(blank))
                check_quotes(head, self.delimiter, part.name)
                header = next((f for _, f in records(head, self.delimiter, part.name, 0)), None)
                rows = Chunk(chunk.data[end:], head.line + count_lines(head.data))
            if header is not None:
                yield header, rows
        if header is None:
            raise part.wrong("must be a table: it is empty, or holds blank lines only")

    @contextmanager
    def writer(self, stream: BinaryIO, schema: "pa.Schema") -> Iterator[Write]:
        """Write rows; only what needs quotes gets them."""
        nested = [f.name for f in schema if pa.types.is_nested(f.type)]
        if nested:
            msg = f"column {nested[0]!r} holds lists, which text cannot: write a .parquet file."
            raise InputError(msg)
        text = io.TextIOWrapper(stream, encoding="utf-8", newline="")
        writer = csv.writer(text, delimiter=self.delimiter, lineterminator="\n")
        writer.writerow(schema.names)

        def write(table: "pa.Table") -> None:
            for batch in table.to_batches(max_chunksize=65_536):
                columns = (column.to_pylist() for column in batch.columns)
                writer.writerows(zip(*columns, strict=True))

        try:
            yield write
        finally:
            text.detach()


class Tsv(Csv):
    """Fields parted by tabs."""

    name, endings = "tsv", (".tsv",)
    delimiter = "\t"


@dataclass(frozen=True)
class _Layout:
    """How the rows of a file are to be read."""

    name: str
    delimiter: str
    header: list[str]
    ask: Ask

    def types(self) -> "dict[str, pa.DataType]":
        """Return the Arrow type of each column asked for, by its place in the header."""
        if not self.ask.names:
            return {str(i): pa.string() for i in range(len(self.header))}
        coded = pa.dictionary(pa.int32(), pa.string())
        return {
            str(self.header.index(name)): coded if name in self.ask.texts else pa.float64()
            for name in self.ask.names
        }


def _parse(chunk: Chunk, layout: _Layout) -> Batch:
    """Parse a chunk; where Arrow fails, find the line and the reason."""
    quoted = check_quotes(chunk, layout.delimiter, layout.name)
    width, types = len(layout.header), layout.types()
    read = arrow_csv.ReadOptions(
        column_names=[str(i) for i in range(width)],
        # a quoted line end must not meet a block's end
        block_size=len(chunk.data) + 1 if quoted else _BLOCK,
        use_threads=False,  # Arrow's threads can abort a process that ends while they still run
    )
    parse = arrow_csv.ParseOptions(
        delimiter=layout.delimiter,
        newlines_in_values=quoted,
        ignore_empty_lines=width > 1,  # in a table of one column a blank line is a missing value
    )
    convert = arrow_csv.ConvertOptions(
        column_types=types, include_columns=list(types), null_values=[], strings_can_be_null=False
    )
    try:
        table = arrow_csv.read_csv(pa.BufferReader(chunk.data), read, parse, convert)
        table = table.rename_columns([layout.header[int(i)] for i in table.column_names])
        for name in set(layout.ask.texts) & set(layout.ask.numbers):  # they must be both
            table.column(name).cast(pa.string()).cast(pa.float64())
    except pa.ArrowInvalid as error:
        _check_fields(chunk, layout, error)
    names = set(layout.ask.numbers) - set(layout.ask.texts)
    if any(np.isinf(c.to_numpy()).any() for n in names for c in table.column(n).chunks):
        _check_fields(chunk, layout)
    return Batch(table, lines_of(chunk, table.num_rows, layout.delimiter, layout.name, width))


def _check_fields(chunk: Chunk, layout: _Layout, error: Exception | None = None) -> None:
    """Refuse the first row that is no row of this table, or a number that would become infinite.

    An error of Arrow's is raised as it is where no row explains it.
    """
    width = len(layout.header)
    for line, fields in records(chunk, layout.delimiter, layout.name, width):
        if len(fields) != width:
            msg = f"'{layout.name}', line {line} has {len(fields)} fields where the header has"
            more = "A field that holds the separator must be quoted."
            hint = more if len(fields) > width else ""
            raise InputError(f"{msg} {width}.", hint=hint, code="fields_differ")
        for name in layout.ask.numbers:
            field = fields[layout.header.index(name)]
            fault = _fault(field)
            if fault is not None:
                rule, found, hint = fault
                place = Place(file=layout.name, line=line, column=name)
                code = "missing_score" if _is_missing(field) else "not_a_number"
                raise InputError(None, rule, found=found, place=place, hint=hint, code=code)
    if error is not None:
        msg = f"'{layout.name}', after line {chunk.line}: {plain(error, 200)}."
        raise InputError(msg) from error


def _is_missing(field: str) -> bool:
    return field.strip().lower() in _MISSING


def _fault(field: str) -> tuple[str, str, str] | None:
    """Return the rule that a field breaks, what it holds and what to do; None for a number."""
    rule, found = "must hold numbers", f"got '{plain(field)}'"
    if NUMBER.fullmatch(field):
        large = f"'{plain(field)}' is larger than any"
        return ("must hold doubles", large, "") if math.isinf(float(field)) else None
    if SPECIAL.fullmatch(field):
        return None
    if _is_missing(field):
        found = "the value is missing" + (f" ('{plain(field)}')" if field else "")
        return rule, found, "Leave such rows out, or fill them."
    if field.rstrip().endswith("%") and NUMBER.fullmatch(share := field.rstrip().rstrip("% ")):
        return rule, found, f"Write percentages as shares: {float(share) / 100:g}."
    if NUMBER.fullmatch(field.replace(",", "")):
        return rule, found, "Write it without thousands separators and with a decimal point."
    return rule, found, ""
