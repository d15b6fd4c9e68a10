"""Bytes of a file, a pipe or a device: counted, limited, and not waited for without end."""

import gzip
import io
import os
import select
import stat
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, TypeVar

from stakes._check import Action, FileError, InputError, ResourceError
from stakes._text import plain
from stakes.io.batches import Part

Progress = Callable[[int, int | None], Any]
T = TypeVar("T", bound=AbstractContextManager[Any])
_GZIP = b"\x1f\x8b"
_OTHER_KINDS = (  # first bytes of files that are not read, what they are, and what to do
    (b"PK\x03\x04", "a ZIP archive, as .npz and .xlsx files are", ": save it as CSV"),
    (b"\xd0\xcf\x11\xe0", "an old Excel file", ": save it as CSV"),
    (b"%PDF", "a PDF document", ""),
    (b"SQLite format 3", "an SQLite database", ""),
)


@dataclass(frozen=True)
class Limits:
    """How much may be read, how long a pipe is waited for, and who is told."""

    batches: int = 64 * 1024**3  # for what is read in batches
    piece: int = 1024**3  # for what must be held in one piece
    patience: float = 60.0
    progress: Progress | None = None

    @classmethod
    def read(cls, max_bytes: int | None, patience: float, progress: Progress | None) -> "Limits":
        """Return limits; a number of bytes that was asked for holds for both ways of reading."""
        if max_bytes is None:
            return cls(patience=patience, progress=progress)
        if max_bytes <= 0:
            raise InputError("max_bytes", "must be a number of bytes above 0", max_bytes)
        return cls(max_bytes, max_bytes, patience, progress)


class Stream:
    """A reader that counts its bytes, stops at the limit and names the file in errors."""

    def __init__(self, raw: BinaryIO, part: Part, limits: Limits) -> None:
        self.name = part.name
        self._raw, self._limits = raw, limits
        self._data: Any = gzip.GzipFile(fileobj=raw) if part.packed else raw
        self._count = 0
        self._total = None if part.streamed else os.fstat(raw.fileno()).st_size

    def read(self, size: int) -> bytes:
        """Read `size` bytes, fewer only at the end."""
        try:
            data: bytes = self._data.read(size)
        except (gzip.BadGzipFile, EOFError, zlib.error) as error:
            raise InputError(f"'{self.name}' must be a whole gzip file: {error}.") from error
        except OSError as error:
            raise cannot_read(self.name, error) from error
        self._count += len(data)
        if self._count > self._limits.batches:
            raise too_long(self.name, self._limits.batches)
        if self._limits.progress is not None:
            done = self._count if self._total is None else self._raw.tell()
            self._limits.progress(done, self._total)
        return data

    def read_all(self, most: int) -> bytes:
        """Read what is left, `most` bytes at most."""
        pieces = io.BytesIO()
        while data := self.read(4 * 1024 * 1024):
            pieces.write(data)
            if pieces.tell() > most:
                raise too_long(self.name, most)
        return pieces.getvalue()


def too_long(name: str, limit: int) -> ResourceError:
    """Return the error for more bytes than the limit."""
    return ResourceError(f"'{name}' is longer than {limit} bytes.", hint=Action("add_bytes"))


def cannot_read(name: str, error: OSError) -> FileError:
    """Return the error for a file that the system does not hand over."""
    return FileError(f"cannot read '{name}': {error.strerror or error}.")


@contextmanager
def open_stream(part: Part, limits: Limits) -> Iterator[Stream]:
    """Open a part for reading forward."""
    raw = _open(part, limits)
    try:
        yield Stream(raw, part, limits)
    finally:
        if part.path != "-":
            raw.close()


@contextmanager
def open_anywhere(
    part: Part, limits: Limits, of_file: Callable[[str], T], of_bytes: Callable[[bytes], T]
) -> Iterator[T]:
    """Open a part that is read here and there; a stream is held in memory for that."""
    if part.streamed:
        with open_stream(part, limits) as stream:
            source = of_bytes(stream.read_all(limits.piece))
    else:
        try:
            source = of_file(part.path)
        except OSError as error:
            raise cannot_read(part.name, error) from error
    with source:
        yield source


def _open(part: Part, limits: Limits) -> BinaryIO:
    """Open a file, a pipe, a device or standard input."""
    if part.path == "-":
        if sys.stdin is None:
            raise FileError("cannot read standard input: it is closed.")
        return sys.stdin.buffer
    try:
        if not part.streamed:
            return open(part.path, "rb")  # noqa: PTH123  closed by the caller
        handle = os.open(part.path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError as error:
        raise cannot_read(part.name, error) from error
    try:
        if stat.S_ISFIFO(os.fstat(handle).st_mode):
            _wait(handle, part.name, limits.patience)
        os.set_blocking(handle, True)
    except BaseException:
        os.close(handle)
        raise
    return os.fdopen(handle, "rb")


def _wait(handle: int, name: str, patience: float) -> None:
    """Wait for the first byte of a pipe; nobody may ever write one."""
    poll = select.poll()
    poll.register(handle, select.POLLIN)
    if not poll.poll(1000 * patience):
        msg = f"cannot read '{name}': nothing was written to it within {patience:g} seconds."
        raise FileError(msg)


def refuse_other_kinds(start: bytes, name: str) -> None:
    """Say so where a text table is really something else."""
    from stakes.io.readers import READERS  # noqa: PLC0415  readers read streams

    if not start:
        raise InputError(f"'{name}' must be a table: it is empty.", code="empty_table")
    if start.startswith(_GZIP):
        packed = f"'{name}' must be a table of text: it is compressed with gzip."
        raise InputError(packed, hint=Action("name_packed_kind"))
    signed = [reader for reader in READERS.values() if reader.sign[0]]
    ours = [(*each.sign, f": rename it to end in {each.endings[0]}") for each in signed]
    for sign, what, hint in (*ours, *_OTHER_KINDS):
        if start.startswith(sign):
            raise InputError(f"'{name}' must be a table of text: it is {what}{hint}.")
    if start[:2] in {b"\xff\xfe", b"\xfe\xff"}:
        msg = f"'{name}' must be UTF-8: it is UTF-16. Save it again as UTF-8."
        raise InputError(msg, code="not_utf_eight")
    page = start.removeprefix(b"\xef\xbb\xbf").lstrip()[:9].lower()
    if page.startswith((b"<!doctype", b"<html")):
        raise InputError(f"'{name}' must be a table: it is an HTML page, such as a login form.")


def decode(data: bytes, name: str, line: int) -> str:
    """Return bytes as text, or name the line that is not UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        at = line + count_lines(data[: error.start])
        value = plain(repr(data[error.start : error.start + 1])[2:-1])
        msg = f"'{name}' must be UTF-8: line {at} holds the byte {value}, which is not."
        raise InputError(f"{msg} Save it again as UTF-8.", code="not_utf_eight") from error


def count_lines(data: bytes) -> int:
    """Count line ends as an editor does: LF, CR, or both in a row."""
    ends = data.count(b"\n")
    if b"\r" in data:
        ends += data.count(b"\r") - data.count(b"\r\n")
    return ends
