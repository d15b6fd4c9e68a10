"""The bytes of a summary: a versioned form of its own, with a checksum and limits.

Whole numbers are written seven bits to a byte, so that equal summaries have equal bytes on every
machine, and nothing that is read can run code.
"""

import hashlib
import json
from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes._check import ChecksumError, InputError
from stakes._kernels.exact_sums import ExactSums
from stakes._typing import IntArray

MAGIC = b"stakes summary\n"
VERSION = 2
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
        """Write whole numbers of at least 0, each below 2^63."""
        self._parts.append(_packed(np.asarray(values, dtype=np.int64)))

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
        self.head = self._head()

    def _head(self) -> dict[str, Any]:
        """Read what the summary was told."""
        size = self.number(_LARGEST_HEAD)
        try:
            found = json.loads(self.raw(size))
        except (ValueError, RecursionError) as error:
            raise damaged("what it was told") from error
        if not isinstance(found, dict):
            raise damaged("what it was told")
        return found

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
        place = np.arange(used.size) - np.repeat(starts, ends - starts + 1)
        digits = (used & 127).astype(np.int64) << (7 * place)
        self._at += used.size
        return np.add.reduceat(digits, starts)

    def listed(self, most: int) -> IntArray:
        """Read an array with its length."""
        return self.array(self.number(most))

    def large(self, count: int) -> list[int]:
        """Read whole numbers of any size and sign."""
        return [
            int.from_bytes(self.raw(self.number(_LARGEST_NUMBER)), "little", signed=True)
            for _ in range(count)
        ]

    def sums(self, count: int) -> ExactSums:
        """Read exact sums."""
        try:
            return ExactSums.from_integers(self.large(count))
        except ValueError as error:
            raise damaged("a sum that is too large") from error

    def end(self) -> None:
        """Refuse more than was read."""
        if self._at != self._data.size:
            raise damaged("more than it says")

    def raw(self, size: int) -> bytes:
        """Read so many bytes."""
        data = self._data[self._at : self._at + size]
        if data.size < size:
            raise damaged("fewer bytes than it says")
        self._at += size
        return data.tobytes()


def _packed(values: IntArray) -> bytes:
    """Return whole numbers, seven bits to a byte; all bytes of a number but its last are >= 128."""
    if not values.size:
        return b""
    length = np.ones(values.size, dtype=np.int64)
    for step in range(1, _MOST_BYTES):
        length += values >= 1 << (7 * step)
    ends = np.cumsum(length)
    place = np.arange(ends[-1]) - np.repeat(ends - length, length)
    digits = (np.repeat(values, length) >> (7 * place)) & 127
    digits[:] |= 128
    digits[ends - 1] &= 127
    return digits.astype(np.uint8).tobytes()


def damaged(what: str) -> InputError:
    """Return the error for bytes that no summary has."""
    return InputError("data", "must be bytes of a summary", found=f"they hold {what}")
