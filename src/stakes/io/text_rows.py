"""Text cut into chunks of whole rows, each of which knows its first line."""

import csv
import io
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from stakes._check import Action, InputError, ResourceError
from stakes.io.streams import Stream, count_lines, decode, refuse_other_kinds

CHUNK = 4 * 1024 * 1024
_LONGEST_ROW = 64 * 1024 * 1024
_QUOTE, _LINE_ENDS = 34, (10, 13)


@dataclass(frozen=True)
class Chunk:
    """Whole rows of a text file, and the number of their first line."""

    data: bytes
    line: int

    def line_at(self, place: int) -> int:
        """Return the line of a byte."""
        return self.line + count_lines(self.data[:place])


def cut_rows(stream: Stream, *, quotes: bool = True) -> Iterator[Chunk]:
    """Cut a text file into chunks of whole rows, all of it valid UTF-8."""
    line, rest, size, begun = 1, b"", CHUNK, False
    while True:
        data = stream.read(size)
        buffer = rest + data
        if not begun:
            refuse_other_kinds(buffer[:512], stream.name)
            buffer, begun = buffer.removeprefix(b"\xef\xbb\xbf"), True
        cut = _last_row_end(buffer, quotes=quotes) if data else len(buffer)
        if cut:
            chunk = Chunk(buffer[:cut], line)
            zero = chunk.data.find(b"\0")
            if zero >= 0:
                msg = f"'{stream.name}' must be UTF-8 text: line {chunk.line_at(zero)} holds a zero"
                raise InputError(f"{msg} byte. Is it UTF-16, or not text at all?")
            if not chunk.data.isascii():
                decode(chunk.data, stream.name, chunk.line)
            yield chunk
            line += count_lines(chunk.data)
        rest, size = buffer[cut:], CHUNK if cut else max(CHUNK, len(buffer))
        if not data:
            return
        if len(rest) > _LONGEST_ROW:
            msg = f"'{stream.name}', line {line} is longer than {_LONGEST_ROW} bytes, the most that"
            raise ResourceError(f"{msg} a row may have.", hint=Action("limit_file"))


def text_lines(stream: Stream) -> Iterator[tuple[int, str]]:
    """Go through the lines of a text, with their numbers."""
    for chunk in cut_rows(stream, quotes=False):
        text = decode(chunk.data, stream.name, chunk.line).replace("\r\n", "\n")
        yield from enumerate(text.replace("\r", "\n").split("\n"), chunk.line)


def _last_row_end(data: bytes, *, quotes: bool) -> int:
    """Return where the last whole row ends, 0 where none does; quoted line ends end no row."""
    end = _line_end(data, len(data))
    if not quotes or b'"' not in data:
        return end
    open_ = data.count(b'"', 0, end) % 2
    while open_ and end:
        before = _line_end(data, data.rfind(b'"', 0, end))
        open_ = (open_ + data.count(b'"', before, end)) % 2
        end = before
    return end


def _line_end(data: bytes, stop: int) -> int:
    """Return the place after the last line end before `stop`."""
    end = data.rfind(b"\n", 0, stop) + 1
    # A CR in the last place may be half of a CR LF.
    return end or data.rfind(b"\r", 0, max(stop - 1, 0)) + 1


def first_row_end(data: bytes) -> int:
    """Return where the first row ends."""
    end = 0
    while end < len(data):
        ends = [p for p in (data.find(b"\n", end), data.find(b"\r", end)) if p >= 0]
        if not ends:
            return len(data)
        end = min(ends) + 1
        if data[end - 1 : end + 1] == b"\r\n":
            end += 1
        if data.count(b'"', 0, end) % 2 == 0:
            return end
    return end


def check_quotes(chunk: Chunk, delimiter: str, name: str) -> bool:
    """Tell whether there are quotes; refuse those that do not enclose a whole field."""
    if b'"' not in chunk.data:
        return False
    data = np.frombuffer(chunk.data, dtype=np.uint8)
    at = np.flatnonzero(data == _QUOTE)
    around = np.concatenate([[10], data, [10]])
    borders = (ord(delimiter), *_LINE_ENDS, _QUOTE)
    opening, closing = at[::2], at[1::2]
    stray = ~np.isin(around[opening], borders)  # the byte before
    torn = ~np.isin(around[closing + 2], borders)  # the byte after
    first_stray = int(opening[stray.argmax()]) if stray.any() else len(data)
    first_torn = int(opening[torn.argmax()]) if torn.any() else len(data)
    if first_torn < first_stray or (first_stray == len(data) and at.size % 2):
        place = min(first_torn, int(opening[-1]))
        msg = f"'{name}', line {chunk.line_at(place)}: the quote that opens here must be closed"
        raise InputError(f"{msg} at the end of its field; a quote within is written twice.")
    if first_stray < len(data):
        msg = f"'{name}', line {chunk.line_at(first_stray)}: a quote within a field must be"
        raise InputError(f"{msg} written twice, and the whole field be put in quotes.")
    return True


def records(chunk: Chunk, delimiter: str, name: str, width: int) -> Iterator[tuple[int, list[str]]]:
    """Go through the rows of a chunk one by one, with the line where each begins; this is slow.

    A blank line is no row, except in a table of one column, where it is an empty field.
    """
    text = io.StringIO(decode(chunk.data, name, chunk.line), newline="")
    reader = csv.reader(text, delimiter=delimiter)
    before = 0
    try:
        for fields in reader:
            if fields or width == 1:
                yield chunk.line + before, fields or [""]
            before = reader.line_num
    except csv.Error as error:
        raise InputError(f"'{name}', line {chunk.line + reader.line_num}: {error}.") from error


def lines_of(chunk: Chunk, rows: int, delimiter: str, name: str, width: int) -> Sequence[int]:
    """Return the lines of the rows of a chunk; they are counted one by one only where needed."""
    ends = count_lines(chunk.data) + (chunk.data[-1:] not in {b"\n", b"\r"})
    if ends == rows:
        return range(chunk.line, chunk.line + rows)
    return array("q", (line for line, _ in records(chunk, delimiter, name, width)))
