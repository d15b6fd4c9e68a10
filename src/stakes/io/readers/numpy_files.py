"""NumPy files: headers are checked before a byte is allocated; nothing is unpickled."""

import ast
import io
import math
import os
import struct
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO

import numpy as np

from stakes._check import Action, ChecksumError, InputError, ResourceError, UnsafeFileError
from stakes._text import plain
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part, check_present
from stakes.io.readers.base_reader import LazyBatch, Reader
from stakes.io.streams import Limits, open_anywhere

if TYPE_CHECKING:
    import zipfile


_ROWS = 128 * 1024
_LAST_CHARACTER, _SURROGATES = 0x10FFFF, 0xD800 >> 11  # of Unicode; half a pair is no character
_LONGEST_HEADER = 10_000
_LONGEST_CONTENTS = 1024 * 1024  # bytes of an archive's directory: some 10,000 arrays


@dataclass(frozen=True)
class Member:
    """One array as its header declares it."""

    name: str
    place: str  # of the file, fit for a message
    entry: "zipfile.ZipInfo | None"  # None: a file of its own
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    fortran: bool
    start: int  # where the data begin

    @property
    def n_bytes(self) -> int:
        """Return the bytes of its data."""
        return math.prod(self.shape) * self.dtype.itemsize


class Npy(Reader):
    """One array."""

    name, endings = "npy", (".npy",)
    columns = "the fields of a structured array, or the name of the file"
    sign = (b"\x93NUMPY", "a NumPy file")
    memory = 1

    def header(self, part: Part, limits: Limits) -> list[str]:
        """Read the names of the arrays."""
        with _opened(part, limits) as file:
            return _names(self.members(file, part)[1])

    def chunks(self, part: Part, ask: Ask, limits: Limits, most: int) -> Iterator[LazyBatch]:  # noqa: ARG002
        """Read arrays as columns."""
        with _opened(part, limits) as file:
            arrays = _load_named(*self.members(file, part), ask, part, limits)
        lengths = {name: len(array) for name, array in arrays.items()}
        if len(set(lengths.values())) > 1:
            listed = ", ".join(f"{plain(name)} {n}" for name, n in lengths.items())
            raise part.wrong(f"must hold arrays of one length: got {listed}")
        n_rows = next(iter(lengths.values()), 0)
        for start in range(0, n_rows, _ROWS):
            some = {name: array[start : start + _ROWS] for name, array in arrays.items()}
            table = pa.table({n: _column(a, n, part) for n, a in some.items()})
            yield table.num_rows, Batch(table).itself
            if limits.progress is not None:
                limits.progress(min(start + _ROWS, n_rows), n_rows)

    def members(self, file: BinaryIO, part: Part) -> tuple[Any, list[Member]]:
        """Return what arrays are read from, and their headers."""
        size = file.seek(0, os.SEEK_END)
        file.seek(0)
        named = Path(part.path).name.split(".")[0] if not part.streamed else "values"
        return file, [_header(file, (named, part.name, None), size)]


class Npz(Npy):
    """Arrays in a ZIP archive."""

    name, endings = "npz", (".npz",)
    columns = "the arrays; `post_0` is the first column of the 2-D array `post`"
    sign = (b"", "")  # an archive may be anything

    def members(self, file: BinaryIO, part: Part) -> tuple[Any, list[Member]]:
        """Return the archive, and the headers of all its arrays."""
        import zipfile  # noqa: PLC0415  slow to load

        try:
            archive = zipfile.ZipFile(_Bounded(file, part.name))
        except ResourceError:
            raise
        except _broken() as error:
            why = f"must be a whole NPZ file, which is a ZIP archive: {error}"
            raise part.wrong(why) from error
        members: dict[str, Member] = {}
        for entry in archive.infolist():
            member = plain(entry.filename.removesuffix(".npy"), 1000)
            if member in members:
                raise part.wrong(
                    f"holds the member '{member}' twice: it is unclear which one counts"
                )
            place = f"{part.name}, member '{member}'"
            try:
                with archive.open(entry) as stream:
                    members[member] = _header(stream, (member, place, entry), entry.file_size)
            except InputError:
                raise
            except _broken() as error:
                kind = ChecksumError if "CRC" in str(error) else InputError
                raise kind(f"{place} cannot be read: {plain(error, 200)}.") from error
        if not members:
            raise part.wrong("must hold arrays: the archive is empty")
        return archive, list(members.values())


def _opened(part: Part, limits: Limits) -> AbstractContextManager[BinaryIO]:
    return open_anywhere(part, limits, lambda path: open(path, "rb"), io.BytesIO)  # noqa: PTH123


class _Bounded:
    """An archive's file that hands over its directory only if that is of a sensible size."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        self._file, self._name = file, name

    def read(self, size: int = -1) -> bytes:
        """Read some bytes; archives are read in small pieces, except for their directory."""
        if size > _LONGEST_CONTENTS:
            msg = f"'{self._name}' holds too many arrays: the directory of the archive takes {size}"
            raise ResourceError(f"{msg} bytes, where {_LONGEST_CONTENTS} are the most.")
        return self._file.read(size)

    def __getattr__(self, name: str) -> Any:  # noqa: ANN401
        return getattr(self._file, name)


def _broken() -> tuple[type[Exception], ...]:
    """Return what a damaged archive raises; OSError for a place before the start of the file."""
    import zipfile  # noqa: PLC0415
    import zlib  # noqa: PLC0415

    damaged = (zipfile.BadZipFile, zlib.error, struct.error, EOFError)
    return (*damaged, NotImplementedError, OSError, RuntimeError, ValueError)


def _header(
    stream: IO[bytes], called: tuple[str, str, "zipfile.ZipInfo | None"], size: int
) -> Member:
    """Read the header of an array, and hold it against the bytes that are there."""
    place = called[1]
    start = stream.read(8)
    if len(start) < 8 or start[:6] != b"\x93NUMPY" or start[6] not in {1, 2, 3}:
        msg = f"{place} must be a NumPy array (.npy): it does not start like one."
        raise InputError(msg)
    width, form = (2, "<H") if start[6] == 1 else (4, "<I")
    packed = stream.read(width)
    length = struct.unpack(form, packed)[0] if len(packed) == width else size
    if length > _LONGEST_HEADER or length + width + 8 > size:
        msg = f"{place} must be a whole array: its header is {length} bytes long, where"
        raise InputError(f"{msg} {_LONGEST_HEADER} are the most, and the file has {size}.")
    dtype, shape, fortran = _declared(stream.read(length), place)
    if dtype.hasobject:
        msg = f"{place} holds pickled objects, which can run any code: no option reads them"
        raise UnsafeFileError(f"{msg} (allow_pickle stays False). Save numbers or strings.")
    member = Member(*called, dtype, shape, fortran, 8 + width + length)
    there = size - member.start
    if member.n_bytes != there:
        msg = f"{place} declares shape {shape} of {dtype}, {member.n_bytes} bytes:"
        raise InputError(f"{msg} it holds {there} bytes.")
    return member


def _declared(header: bytes, place: str) -> tuple[np.dtype[Any], tuple[int, ...], bool]:
    try:
        found = ast.literal_eval(header.decode("utf-8").strip())
        shape, fortran = found["shape"], found["fortran_order"]
        dtype = np.lib.format.descr_to_dtype(found["descr"])
        whole = all(type(n) is int and n >= 0 for n in shape) and isinstance(shape, tuple)
    except (ValueError, SyntaxError, KeyError, TypeError, MemoryError, RecursionError) as error:
        msg = f"{place} must be an array: its header cannot be read ({plain(error, 100)})."
        raise InputError(msg) from error
    if not whole:
        raise InputError(f"{place} must be an array: its header declares the shape {plain(shape)}.")
    return dtype, shape, bool(fortran)


def _names(members: list[Member]) -> list[str]:
    """Return the names of the columns; the fields of a structured array are columns."""
    if len(members) == 1 and members[0].dtype.names:
        return list(members[0].dtype.names)
    return [member.name for member in members]


def _load_named(
    source: object, members: list[Member], ask: Ask, part: Part, limits: Limits
) -> dict[str, Any]:
    """Load the arrays asked for; 'post_0' is a column of the 2-D array 'post'."""
    by_name = {member.name: member for member in members}
    present, fields = _names(members), members[0].dtype.names
    arrays: dict[str, Any] = {}
    loaded: dict[str, Any] = {}
    left = limits.piece
    for name in ask.names or present:
        owner, at = (members[0].name, name) if fields else _owner(name, by_name)
        if owner is None or (fields and name not in present):
            check_present([name], present, part.name)
        if owner not in loaded:
            left -= by_name[owner].n_bytes
            loaded[owner] = _load(source, by_name[owner], left, limits.piece)
        whole = loaded[owner]
        arrays[name] = whole if at is None else whole[at] if isinstance(at, str) else whole[:, at]
    return arrays


def _owner(name: str, members: dict[str, Member]) -> tuple[Any, int | None]:
    """Return the array that holds a column, and its place there."""
    if name in members:
        return name, None
    stem, _, index = name.rpartition("_")
    shape = members[stem].shape if stem in members else ()
    inside = len(shape) == 2 and index.isdecimal() and int(index) < shape[1]
    return (stem, int(index)) if inside else (None, None)


def _load(source: Any, member: Member, left: int, limit: int) -> Any:  # noqa: ANN401
    """Load one array whose header was checked."""
    place = member.place
    if left < 0:
        msg = f"{place} takes {member.n_bytes} bytes in memory, together with the other arrays more"
        raise ResourceError(f"{msg} than {limit}.", hint=Action("add_bytes"))
    if len(member.shape) not in {1, 2}:
        msg = f"{place} must have one row per sample: it has {len(member.shape)} dimensions."
        raise InputError(msg)
    flat, done = np.empty(member.n_bytes, dtype=np.uint8), 0
    if member.entry is None:
        source.seek(0)
    try:
        with nullcontext(source) if member.entry is None else source.open(member.entry) as stream:
            stream.read(member.start)  # a member that is read without a leap is checked by its sum
            while count := stream.readinto(flat[done : done + 1024 * 1024]):
                done += count
            stream.read(1)  # of the end of the member, where its sum is compared
    except _broken() as error:
        raise ChecksumError(f"{place} is damaged: {plain(error, 200)}.") from error
    if done < len(flat):
        raise InputError(f"{place} must hold {len(flat)} bytes: it ends after {done}.")
    values = flat.view(member.dtype) if flat.size else np.empty(0, member.dtype)
    return values.reshape(member.shape, order="F" if member.fortran else "C")


def _column(array: Any, name: str, part: Part) -> "pa.Array":  # noqa: ANN401
    native = array.astype(array.dtype.newbyteorder("="), copy=False)
    if native.dtype.kind in "SU":
        return pa.array(_texts(native, f"{part.name}: {name!r}"))
    try:
        if native.ndim == 2:
            flat = pa.array(np.ascontiguousarray(native).ravel())
            return pa.FixedSizeListArray.from_arrays(flat, native.shape[1])
        return pa.array(np.ascontiguousarray(native))
    except (pa.ArrowException, TypeError, ValueError) as error:
        msg = f"{part.name}: {name!r} must hold numbers or labels: got {array.dtype}."
        raise InputError(msg) from error


def _texts(array: Any, place: str) -> list[Any]:  # noqa: ANN401
    """Return an array of texts as a list, or say that it holds something else."""
    try:
        texts = np.strings.decode(array, "utf-8") if array.dtype.kind == "S" else array
    except UnicodeError as error:
        raise InputError(f"{place} must hold text in UTF-8: {plain(error, 100)}.") from error
    codes = np.ascontiguousarray(texts).view(np.uint32) if texts.size else np.empty(0, np.uint32)
    if ((codes > _LAST_CHARACTER) | ((codes >> 11) == _SURROGATES)).any():
        msg = f"{place} must hold text: it holds numbers that are not characters."
        raise InputError(f"{msg} The file is damaged: write it again.")
    listed: list[Any] = texts.tolist()
    return listed
