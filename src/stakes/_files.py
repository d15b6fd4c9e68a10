"""Small text files, read with a limit; and the one way in which anything is written."""

import errno
import os
import re
import stat
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Self, cast

from stakes._errors import Action, FileError, InputError, Place, StakesError
from stakes._text import plain

_LARGEST_TEXT = 64 * 1024 * 1024
PATIENCE = 60.0  # seconds to wait for a reader of a pipe
_IN_MEMORY = 64 * 1024 * 1024  # of what goes to a device or a pipe
_MOST_LINKS = 40
_ACCESS_LIST = "system.posix_acl_access"
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
    """Write a text as `whole_file` does."""
    write_bytes(path, text.encode("utf-8"))


def write_bytes(path: str | os.PathLike[str], data: bytes) -> None:
    """Write bytes as `whole_file` does."""
    with whole_file(path) as stream:
        stream.write(data)


@contextmanager
def whole_file(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """Give a file to write to; at the end, and only without an error, all of it is at `path`.

    Everything that is written goes through here. A plain file is written under a temporary name
    and renamed: readers see all of it or none. It keeps the permissions of the file it replaces,
    and no temporary file is more readable; a new file follows the umask. A link stays a link, and
    the file that it leads to is replaced. Devices and pipes are written to, never replaced.
    """
    try:
        target = Target.from_path(path)
        with _replaced(target) if target.plain else _passed_on(target) as stream:
            yield stream
    except StakesError:  # of what was to be written
        raise
    except (OSError, ValueError) as error:  # a path with a NUL byte is a ValueError
        raise _cannot_write(path, error) from error


@dataclass(frozen=True)
class Target:
    """What the path of an output leads to: a plain file, perhaps a new one, a device or a pipe."""

    path: Path  # of the file itself, links followed
    there: os.stat_result | None = None
    descriptor: int | None = None  # of this process, for a path such as /dev/stdout

    @classmethod
    def from_path(cls, path: str | os.PathLike[str]) -> Self:
        """Look at a path; what can be neither replaced nor written to is refused."""
        descriptor, shown = _descriptor(os.fspath(path)), plain(path, 1000)
        if descriptor is not None:
            _check_writable(descriptor, shown)
            return cls(Path(path), os.fstat(descriptor), descriptor)
        if shown.endswith("/"):
            raise FileError(f"cannot write '{shown}': it is a directory. Name another output.")
        real = Path(os.path.realpath(path))
        try:
            there = os.stat(path)  # noqa: PTH116  a path with a NUL byte is a ValueError
        except FileNotFoundError:
            if not real.parent.is_dir():
                folder = plain(real.parent if os.path.islink(path) else Path(path).parent, 1000)  # noqa: PTH114
                msg = f"cannot write '{shown}': there is no directory '{folder}'."
                raise FileError(msg) from None
            return cls(real)
        kind = stat.S_IFMT(there.st_mode)
        if kind not in _WRITTEN:
            what = _REFUSED.get(kind, "neither a file nor a device nor a pipe")
            raise FileError(f"cannot write '{shown}': it is {what}. Name another output.")
        return cls(real, there)

    @property
    def plain(self) -> bool:
        """Whether it is a plain file, which is replaced as a whole."""
        if self.descriptor is not None:
            return False
        return self.there is None or stat.S_ISREG(self.there.st_mode)


_WRITTEN = {stat.S_IFREG, stat.S_IFCHR, stat.S_IFIFO}
_REFUSED = {
    stat.S_IFDIR: "a directory",
    stat.S_IFSOCK: "a socket",
    stat.S_IFBLK: "a block device, whose contents would be lost",
}


def _descriptor(path: str) -> int | None:
    """Return the descriptor of this process that a path such as /dev/stdout or /dev/fd/3 names."""
    own = re.compile(rf"/dev/fd|/proc/{os.getpid()}(/task/\d+)?/fd")
    for _ in range(_MOST_LINKS):
        folder, name = os.path.split(path)
        folder = os.path.realpath(folder or ".")
        if name.isdecimal() and own.fullmatch(folder):
            return int(name)
        path = f"{folder}/{name}"
        if not os.path.islink(path):  # noqa: PTH114
            return None
        path = os.path.join(folder, os.readlink(path))  # noqa: PTH115, PTH118
    return None


def _check_writable(descriptor: int, shown: str) -> None:
    import fcntl  # noqa: PLC0415  seldom needed

    if fcntl.fcntl(descriptor, fcntl.F_GETFL) & os.O_ACCMODE == os.O_RDONLY:
        raise FileError(f"cannot write '{shown}': it is open for reading only.")


@contextmanager
def _replaced(target: Target) -> Iterator[BinaryIO]:
    """Give a temporary file, which takes the place of a plain file at the end."""
    import secrets  # noqa: PLC0415  only where something is written

    temporary = target.path.parent / f".stakes-{secrets.token_hex(8)}"
    mode = 0o666 if target.there is None else stat.S_IMODE(target.there.st_mode) & 0o600
    _temporary.add(temporary)  # before it exists, so that no signal comes in between
    try:
        handle = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, mode)
        with os.fdopen(handle, "wb") as stream:
            yield stream
            if target.there is not None:
                stream.flush()
                _keep_permissions(stream.fileno(), target.path, target.there)
        temporary.replace(target.path)
    finally:
        _discard(temporary)


def _keep_permissions(handle: int, path: Path, there: os.stat_result) -> None:
    """Give a new file the owner, group and permissions of the one it replaces, or fewer."""
    for owner in ((there.st_uid, there.st_gid), (-1, there.st_gid)):
        with suppress(OSError):
            os.fchown(handle, *owner)
            break
    with suppress(OSError, AttributeError):  # a list of further users, which the directory gives
        os.removexattr(handle, _ACCESS_LIST)
    mode = stat.S_IMODE(there.st_mode) & 0o777
    if os.fstat(handle).st_gid != there.st_gid:  # another group would get what the old one had
        os.fchmod(handle, mode & ~0o070)
        return
    os.fchmod(handle, mode)
    with suppress(OSError, AttributeError):  # that of the file
        os.setxattr(handle, _ACCESS_LIST, os.getxattr(path, _ACCESS_LIST))


@contextmanager
def _passed_on(target: Target) -> Iterator[BinaryIO]:
    """Give a file without a name, whose contents go to a device or a pipe at the end."""
    import shutil  # noqa: PLC0415  seldom needed
    import tempfile  # noqa: PLC0415

    with tempfile.SpooledTemporaryFile(_IN_MEMORY) as whole:
        yield cast("BinaryIO", whole)
        whole.seek(0)
        with suppress(BrokenPipeError), os.fdopen(_opened(target), "wb") as stream:
            shutil.copyfileobj(whole, stream)  # a reader that has gone away is no failure


def _opened(target: Target) -> int:
    """Return a new descriptor of a device, or of a pipe that somebody reads."""
    if target.descriptor is not None:
        for stream in (sys.stdout, sys.stderr):  # what was printed comes first
            if stream is not None:
                stream.flush()
        return os.dup(target.descriptor)
    end = time.monotonic() + PATIENCE
    while True:
        try:
            handle = os.open(target.path, os.O_WRONLY | os.O_NONBLOCK | os.O_NOCTTY)
        except OSError as error:
            fifo = target.there is not None and stat.S_ISFIFO(target.there.st_mode)
            if error.errno != errno.ENXIO or not fifo:
                raise
            if time.monotonic() > end:
                msg = f"no process has read from this pipe within {PATIENCE:g} seconds"
                raise OSError(errno.ENXIO, msg) from error
            time.sleep(0.05)
        else:
            os.set_blocking(handle, True)
            return handle


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
    """Refuse what cannot be written, and to replace a plain file where that was not asked for."""
    if str(path) in {"-", ""}:
        raise FileError("the output must be named: standard output does not take it.")
    try:
        target = Target.from_path(path)
    except (OSError, ValueError) as error:
        if isinstance(error, StakesError):
            raise
        raise _cannot_write(path, error) from error
    if target.plain and target.there is not None and not force:
        raise FileError(
            f"'{plain(path, 1000)}' already exists.",
            hint=Action("replace_file"),
            code="file_exists",
        )
