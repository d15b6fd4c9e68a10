"""The bytes of a summary: a versioned form of its own, with a checksum and limits.

Whole numbers are written seven bits to a byte, so that equal summaries have equal bytes on every
machine, and nothing that is read can run code.
"""

import hashlib
import json
from collections.abc import Sequence
from copy import copy
from typing import Any, ClassVar, Self

import numpy as np

from stakes._check import ChecksumError, InputError
from stakes._counting import repeat
from stakes._kernels.exact_sums import ExactSums
from stakes._typing import IntArray

MAGIC = b"stakes summary\n"
VERSION = 4  # since applications keep their order
_CHECK = 32  # bytes of the checksum
_LARGEST = 2**28
_LARGEST_HEAD = 2**24
_LARGEST_NUMBER = 512  # bytes of a sum: 2^1024 * 2^64 samples in units of 2^-1074
_MOST_BITS = 63
_MOST_BYTES = -(-_MOST_BITS // 7)


class Writer:
    """Bytes that grow: numbers, arrays of numbers, and large whole numbers."""

    def __init__(self, head: dict[str, Any]) -> None:
        text = json.dumps(head, sort_keys=True, separators=(",", ":")).encode()
        self._parts = [MAGIC, bytes([VERSION])]
        self.array([len(text)])
        self._parts.append(text)

    def array(self, values: "IntArray | Sequence[int]") -> None:
        """Write whole numbers of at least 0 and below 2^63, seven bits to a byte."""
        numbers = np.asarray(values, dtype=np.int64)
        if not numbers.size:
            return
        length = np.ones(numbers.size, dtype=np.int64)
        for step in range(1, _MOST_BYTES):
            length += numbers >= 1 << (7 * step)
        ends = np.cumsum(length)
        place = np.arange(ends[-1]) - repeat(ends - length, length)
        digits = ((repeat(numbers, length) >> (7 * place)) & 127) | 128
        digits[ends - 1] &= 127  # all bytes of a number but its last are at least 128
        self._parts.append(digits.astype(np.uint8).tobytes())

    def listed(self, values: IntArray) -> None:
        """Write an array with its length."""
        self.array([values.size])
        self.array(values)

    def large(self, values: Sequence[int]) -> None:
        """Write whole numbers of any size and sign."""
        for value in values:
            data = value.to_bytes((value.bit_length() + 8) // 8, "little", signed=True)
            self.array([len(data)])
            self._parts.append(data)

    def raw(self, data: bytes) -> None:
        """Write bytes whose number the reader knows."""
        self._parts.append(data)

    def bytes(self) -> bytes:
        """Return everything with its checksum."""
        data = b"".join(self._parts)
        return data + hashlib.sha256(data).digest()


class Reader:
    """Bytes that were written, read back in order; whatever does not fit is refused."""

    def __init__(self, data: bytes) -> None:
        if not isinstance(data, bytes | bytearray | memoryview):
            raise InputError("data", "must be bytes of a summary", type(data).__name__)
        raw = bytes(data)
        if not raw.startswith(MAGIC) or len(raw) < len(MAGIC) + 1 + _CHECK:
            rule = "must be bytes of a summary, as to_bytes gives them"
            raise InputError("data", rule, found="these are not")
        if len(raw) > _LARGEST:
            raise InputError("data", f"must be at most {_LARGEST} bytes for a summary", len(raw))
        version = raw[len(MAGIC)]
        if version != VERSION:
            rule = f"must be of version {VERSION} of the form of summaries"
            hint = "Read it with the stakes that wrote it."
            raise InputError("data", rule, f"version {version}", hint=hint)
        body, check = raw[:-_CHECK], raw[-_CHECK:]
        if hashlib.sha256(body).digest() != check:
            rule, found = "must be a whole summary", "its checksum does not agree"
            raise ChecksumError("data", rule, found=found, hint="Write it again.")
        self._data = np.frombuffer(body, dtype=np.uint8)
        self._at = len(MAGIC) + 1
        head = self.raw(self.number(_LARGEST_HEAD))
        try:
            self.head: dict[str, Any] = json.loads(head)  # what the summary was told
        except (ValueError, RecursionError) as error:
            raise damaged("settings that cannot be read") from error
        if not isinstance(self.head, dict):
            raise damaged("settings that cannot be read")

    def number(self, most: int) -> int:
        """Read one whole number up to `most`."""
        found = int(self.array(1)[0])
        if found > most:
            raise damaged(f"a number of {found}, {most} at most")
        return found

    def array(self, count: int) -> IntArray:
        """Read so many whole numbers."""
        rest = self._data[self._at : self._at + count * _MOST_BYTES]
        ends = np.flatnonzero(rest < 128)[:count]
        if ends.size < count:
            raise damaged("fewer numbers than it says")
        if not count:
            return np.empty(0, dtype=np.int64)
        starts = np.concatenate([[0], ends[:-1] + 1])
        if int((ends - starts).max()) >= _MOST_BYTES:
            raise damaged("a number that is too large")
        used = rest[: ends[-1] + 1]
        place = np.arange(used.size) - repeat(starts, ends - starts + 1)
        digits = (used & 127).astype(np.int64) << (7 * place)
        self._at += used.size
        return np.add.reduceat(digits, starts)

    def listed(self, most: int) -> IntArray:
        """Read an array with its length."""
        return self.array(self.number(most))

    def sums(self, count: int) -> ExactSums:
        """Read exact sums, which are whole numbers of any size and sign."""
        data = [self.raw(self.number(_LARGEST_NUMBER)) for _ in range(count)]
        try:
            return ExactSums.from_integers(int.from_bytes(x, "little", signed=True) for x in data)
        except ValueError as error:
            raise damaged("a sum that is too large") from error

    @property
    def at_end(self) -> bool:
        """Whether everything was read."""
        return self._at == self._data.size

    def end(self) -> None:
        """Refuse more than was read."""
        if not self.at_end:
            raise damaged("more than it says")

    def raw(self, size: int) -> bytes:
        """Read so many bytes."""
        data = self._data[self._at : self._at + size]
        if data.size < size:
            raise damaged("fewer bytes than it says")
        self._at += size
        return data.tobytes()


class Part:
    """A part of a summary: it adds, is written and read, and equal parts have equal bytes.

    `pieces` name the attributes that it consists of, in the order of the bytes: parts, exact sums
    and arrays of whole numbers, lists of these, and None for what is not kept.
    """

    pieces: ClassVar[tuple[str, ...]] = ()

    def __add__(self, other: Self) -> Self:
        out = copy(self)
        for name in self.pieces:
            one, two = getattr(self, name), getattr(other, name)
            if isinstance(one, list):
                setattr(out, name, [a + b for a, b in zip(one, two, strict=True)])
            elif one is not None:
                setattr(out, name, one + two)
        return out

    def __eq__(self, other: object) -> bool:
        if type(other) is not type(self):
            return NotImplemented
        return _written(self) == _written(other)

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def write(self, writer: Writer) -> None:
        """Write all pieces."""
        for name in self.pieces:
            _write(writer, getattr(self, name))

    def read(self, reader: Reader) -> Self:
        """Read all pieces in the place of one's own, which are without samples, and check them."""
        for name in self.pieces:
            setattr(self, name, _read(reader, getattr(self, name)))
        self.check()
        return self

    def check(self) -> None:
        """Refuse pieces that are not of the same samples."""


def _write(writer: Writer, piece: Any) -> None:  # noqa: ANN401
    if isinstance(piece, Part):
        piece.write(writer)
    elif isinstance(piece, list):
        for each in piece:
            _write(writer, each)
    elif isinstance(piece, ExactSums):
        writer.large(piece.integers())
    elif piece is not None:
        writer.array(piece)


def _read(reader: Reader, blank: Any) -> Any:  # noqa: ANN401
    """Read a piece, of which a blank one tells the form."""
    if isinstance(blank, Part):
        return blank.read(reader)
    if isinstance(blank, list):
        return [_read(reader, each) for each in blank]
    if isinstance(blank, ExactSums):
        return reader.sums(blank.total().size)
    return None if blank is None else reader.array(blank.size)


def _written(part: Part) -> bytes:
    writer = Writer({})
    part.write(writer)
    return writer.bytes()


def damaged(what: str) -> InputError:
    """Return the error for bytes that no summary has."""
    return InputError("data", "must be bytes of a summary", found=f"they hold {what}")
