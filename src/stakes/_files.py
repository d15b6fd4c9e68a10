"""Small text files: read with a limit, written whole or not at all."""

import os
from pathlib import Path

from stakes._errors import FileError, InputError
from stakes._text import plain

_LARGEST_TEXT = 64 * 1024 * 1024


def read_text(path: str | os.PathLike[str]) -> str:
    """Read a UTF-8 text file of 64 megabytes at most."""
    file = Path(path)
    try:
        with file.open("rb") as stream:
            data = stream.read(_LARGEST_TEXT + 1)
    except OSError as error:
        msg = f"cannot read {str(path)!r}: {error.strerror or error}."
        raise FileError(msg) from error
    if len(data) > _LARGEST_TEXT:
        msg = f"{str(path)!r} must be at most {_LARGEST_TEXT} bytes for a file of this kind."
        raise InputError(msg)
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
    import tempfile  # noqa: PLC0415  only where something is written

    file = Path(path)
    temporary: str | None = None
    try:
        handle, temporary = tempfile.mkstemp(dir=file.parent, prefix=f".{file.name}.")
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
        os.chmod(temporary, 0o666 & ~_umask())  # noqa: PTH101
        Path(temporary).replace(file)
    except OSError as error:
        msg = f"cannot write {str(path)!r}: {error.strerror or error}."
        raise FileError(msg) from error
    finally:
        if temporary is not None:
            Path(temporary).unlink(missing_ok=True)


def _umask() -> int:
    """Return the mask for new files; it can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def refuse_taken(path: str | os.PathLike[str], *, force: bool) -> None:
    """Refuse to write over a directory, or over a file where that was not asked for."""
    file = Path(path)
    if str(path) in {"-", ""}:
        msg = "the output must be named: standard output does not take it."
        raise FileError(msg)
    if not file.parent.is_dir():
        folder = plain(file.parent, 1000)
        msg = f"cannot write '{plain(path, 1000)}': there is no directory '{folder}'."
        raise FileError(msg)
    if file.is_dir() and not file.is_symlink():
        msg = f"cannot write '{plain(path, 1000)}': it is a directory."
        raise FileError(msg)
    if not force and os.path.lexists(path):
        msg = f"'{plain(path, 1000)}' exists already: give --force to replace it."
        raise FileError(msg)
