"""Small text files: read with a limit, written whole or not at all."""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from stakes._errors import Action, FileError, InputError, Place, StakesError
from stakes._text import plain

_LARGEST_TEXT = 64 * 1024 * 1024
_temporary: set[Path] = set()  # files that are being written


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a UTF-8 text file of 64 megabytes at most."""
    file = Path(path)
    try:
        with file.open("rb") as stream:
            data = stream.read(_LARGEST_TEXT + 1)
    except OSError as error:
        code = "file_not_found" if isinstance(error, FileNotFoundError) else None
        msg = f"cannot read {str(path)!r}: {error.strerror or error}."
        raise FileError(msg, code=code) from error
    if len(data) > _LARGEST_TEXT:
        rule = f"must be at most {_LARGEST_TEXT} bytes for a file of this kind"
        raise InputError(None, rule, place=Place(file=repr(str(path))))
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        msg = f"{str(path)!r} must be UTF-8 text: byte {error.start} (line {line}) is not."
        raise InputError(msg) from error


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a text file under a temporary name, then rename it: readers see all of it or none."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write a file under a temporary name, then rename it; an older file stays whole till then."""
    with whole_file(path) as stream:
        stream.write(data)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a temporary file to write to, which takes its place at the end; an error removes it."""
    import secrets  # noqa: PLC0415  only where something is written

    file = Path(path)
    temporary = file.parent / f".stakes-{secrets.token_hex(8)}"
    _temporary.add(temporary)  # before it exists, so that no signal comes in between
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as stream:
            yield stream
        mask = os.umask(0)  # it can only be read by setting it
        os.umask(mask)
        temporary.chmod(0o666 & ~mask)
        temporary.replace(file)
    except StakesError:  # of what was to be written
        raise
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        raise _cannot_write(path, error) from error
    finally:
        _discard(temporary)


def discard_temporary_files() -> None:
    """Remove files that were being written when the process was asked to end."""
    for temporary in list(_temporary):
        _discard(temporary)


def _discard(temporary: Path) -> None:
    with suppress(OSError, ValueError):
        temporary.unlink(missing_ok=True)
    _temporary.discard(temporary)


def _cannot_write(path: object, error: Exception) -> FileError:
    reason = getattr(error, "strerror", None) or str(error)
    return FileError(f"cannot write '{plain(path, 1000)}': {reason}.")


def refuse_taken(path: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse to write over a directory, or over a file where that was not asked for."""
    if str(path) in {"-", ""}:
        raise FileError("the output must be named: standard output does not take it.")
    try:
        there = os.lstat(path)
    except FileNotFoundError:
        there = None
    except (OSError, ValueError) as error:  # too long a name, a file for a directory, a NUL byte
        raise _cannot_write(path, error) from error
    shown, folder = plain(path, 1000), Path(path).parent
    if not folder.is_dir():
        raise FileError(f"cannot write '{shown}': there is no directory '{plain(folder, 1000)}'.")
    if there is not None and stat.S_ISDIR(there.st_mode):
        raise FileError(f"cannot write '{shown}': it is a directory.")
    if there is not None and not force:
        raise FileError(
            f"'{shown}' already exists.", hint=Action("replace_file"), code="file_exists"
        )
