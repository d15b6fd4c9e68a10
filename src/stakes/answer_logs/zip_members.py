"""Members of a zip archive one by one, those that are packed with Zstandard too.

`zipfile` knows Zstandard from Python 3.14 on; Arrow unpacks it here, whatever the version.
"""

import os
import struct
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

from stakes._check import FileError, InputError, ResourceError
from stakes._text import plain
from stakes.io.arrow_library import pa
from stakes.io.streams import cannot_read

_ZSTANDARD = 93
_LOCAL_HEADER = struct.Struct("<4s22xHH")  # signature, lengths of the name and of what follows it
_LARGEST_MEMBER = 1024**3
_DAMAGES = (zipfile.BadZipFile, zlib.error, EOFError, struct.error, NotImplementedError)


class Archive:
    """An archive that is read member by member, which names the file in errors."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self.name = name
        self._file = file
        try:
            self._zip = zipfile.ZipFile(file)
        except (*_DAMAGES, ValueError, OSError) as error:
            raise InputError(f"'{name}' must be a whole zip file: {plain(error, 100)}.") from error
        self._members = {member.filename: member for member in self._zip.infolist()}

    @property
    def members(self) -> list[str]:
        """The names of the members, in the order in which they were written; the last of a name."""
        return list(self._members)

    def place(self, member: str) -> str:
        """Return what messages call a member."""
        return f"'{self.name}', member '{plain(member, 200)}'"

    def read(self, member: str) -> bytes:
        """Return a member, unpacked and checked."""
        entry = self._members[member]
        if entry.file_size > _LARGEST_MEMBER:
            rule = f"must have at most {_LARGEST_MEMBER} bytes: it has {entry.file_size}"
            raise ResourceError(f"{self.place(member)} {rule}.")
        try:
            data = self._unpack(entry)
        except (*_DAMAGES, OSError) as error:  # those of Arrow are OSErrors
            raise self._damaged(member, plain(error, 100)) from error
        if len(data) != entry.file_size or zlib.crc32(data) != entry.CRC:
            raise self._damaged(member, "its checksum does not agree")
        return data

    def _unpack(self, entry: zipfile.ZipInfo) -> bytes:
        if entry.compress_type != _ZSTANDARD:
            with self._zip.open(entry) as stream:
                return stream.read(entry.file_size + 1)
        self._file.seek(entry.header_offset)
        sign, name, more = _LOCAL_HEADER.unpack(self._file.read(_LOCAL_HEADER.size))
        if sign != b"PK\x03\x04":
            raise zipfile.BadZipFile("no local header where the directory points to")
        self._file.seek(name + more, os.SEEK_CUR)
        packed = self._file.read(entry.compress_size)
        if len(packed) < entry.compress_size:
            raise EOFError("it ends too early")
        with pa.CompressedInputStream(pa.BufferReader(packed), "zstd") as stream:
            data: bytes = stream.read(entry.file_size + 1)
        return data

    def _damaged(self, member: str, why: str) -> InputError:
        return InputError(f"{self.place(member)} must be whole: {why}.")


@contextmanager
def open_archive(path: str, name: str) -> Iterator[Archive]:
    """Open a zip archive."""
    try:
        file = open(path, "rb")  # noqa: PTH123, SIM115  closed below
    except OSError as error:
        raise cannot_read(name, error) from error
    with file:
        yield Archive(file, name)


def starts_as_zip(path: str, name: str) -> bool:
    """Tell whether a file begins as a zip archive does."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(4) == b"PK\x03\x04"
    except IsADirectoryError as error:
        raise FileError(f"cannot read '{name}': it is a directory; name one log.") from error
    except OSError as error:
        raise cannot_read(name, error) from error
