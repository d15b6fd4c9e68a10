"""Where tables come from: one file, a directory, a pattern, a list, or standard input."""

import os
import re
import stat
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fnmatch import translate
from pathlib import Path

from stakes._check import (
    Action,
    AddressError,
    FileError,
    InputError,
    ResourceError,
    UnsafeFileError,
)
from stakes._text import plain
from stakes.io.batches import Part
from stakes.io.readers import READERS, file_kinds, kind_by_ending, listed

Source = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*)::?//")
_MOST_NAMES = 100_000  # that one pattern may look at: some tenths of a second
_NULL = "__HIVE_DEFAULT_PARTITION__"  # how Hive and Spark write a missing value
_PICKLES = {
    ".pkl", ".pickle", ".p", ".joblib", ".jbl", ".pt", ".pth", ".ckpt", ".bin", ".dill", ".sav",
    ".cloudpickle", ".pck",
}  # fmt: skip
_SPREADSHEETS = {".xlsx", ".xls", ".xlsm", ".xlsb", ".ods", ".numbers"}


def is_address(source: Source) -> bool:
    """Whether a table is at an address such as s3://bucket/table, rather than in files."""
    return isinstance(source, str) and _SCHEME.match(source) is not None


def _shown(path: object) -> str:
    """Return a path in full, fit for a message: its end is what tells it from others."""
    return plain(path, 1000)


def find_parts(source: Source, kind: str | None = None) -> tuple[str, list[Part]]:
    """Return the short name of a source and its parts, in an order that never changes."""
    if not isinstance(source, str | os.PathLike):
        paths = [os.fspath(path) for path in source]
        if "-" in paths:
            msg = "standard input ('-') must be the only input: it cannot be one of several files."
            raise InputError(msg)
        parts = [part for path in paths for part in _parts_of(path, kind)]
        if not parts:
            raise InputError("the list of files must not be empty: name at least one.")
        more = f" and {len(parts) - 1} more" if len(parts) > 1 else ""
        return f"{parts[0].name}{more}", _alike(_by_path(_each_once(parts)))
    text = os.fspath(source)
    if text == "-":
        known, packed = (None, False) if kind is None else _given_kind(kind)
        part = Part("-", "standard input", known, packed=packed, streamed=True)
        _ = part.reader  # refuses none
        return part.name, [part]
    parts = _alike(_each_once(_parts_of(text, kind)))
    if os.path.isdir(text):  # noqa: PTH112  a path with a NUL byte is no error here
        return _shown(Path(text).name or text), parts
    return (_shown(text), _by_path(parts)) if _is_pattern(text) else (parts[0].name, parts)


def _parts_of(text: str, kind: str | None) -> list[Part]:
    """Return the parts that a path stands for: a file, the files of a directory or a pattern."""
    scheme = _SCHEME.match(text)
    if scheme is not None:
        msg = f"'{_shown(text)}': addresses ({scheme[1]}://) are not supported. Fetch the file"
        raise AddressError(f"{msg} first, or pipe it to standard input ('-').")
    if os.path.isdir(text):  # noqa: PTH112
        parts = _in_folder(Path(text), kind)
        if not any(part.folders for part in parts):
            return parts
        return [replace(p, name=_shown(os.path.relpath(p.path, text))) for p in parts]
    if not _is_pattern(text):
        return [_part(text, kind)]
    found = _matching(text)
    if not found:
        raise FileError(f"'{_shown(text)}' matched no files.", code="file_not_found")
    return [_part(path, kind) for path in found]


def _is_pattern(text: str) -> bool:
    """Tell whether a path is a pattern; a file of that very name is itself."""
    return any(c in text for c in "*?[") and not os.path.lexists(text)


def _matching(pattern: str) -> list[str]:
    """Return the paths that match a shell pattern, sorted; only a dot matches a leading dot."""
    seen, found = _counted(pattern), ["/" if pattern.startswith("/") else ""]
    steps = [step for step in pattern.split("/") if step]
    for i, step in enumerate(steps):
        last = i == len(steps) - 1
        found = [path for folder in found for path in _one_step(folder, step, seen, last=last)]
    return sorted(found)


def _counted(pattern: str) -> Iterator[int]:
    """Count names that are looked at; refuse more than the limit."""
    yield from range(_MOST_NAMES)
    msg = f"'{_shown(pattern)}' matches among more than {_MOST_NAMES} names:"
    raise ResourceError(f"{msg} start it with a directory closer to the files.")


def _one_step(folder: str, step: str, seen: Iterator[int], *, last: bool) -> Iterator[str]:
    """Go through what matches one part of a pattern within a directory."""
    if not any(c in step for c in "*?["):
        path = os.path.join(folder, step)  # noqa: PTH118  a text stays as it was given
        if os.path.lexists(path):
            yield path
        return
    matches = re.compile(translate(step)).match
    # A directory that is not there, or that may not be read, holds no matches.
    with suppress(OSError), os.scandir(folder or ".") as entries:
        for entry in entries:
            next(seen)
            hidden = entry.name.startswith(".") and not step.startswith(".")
            if not hidden and matches(entry.name) and (last or _is_folder(entry)):
                yield os.path.join(folder, entry.name)  # noqa: PTH118


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a directory, or a link to one."""
    with suppress(OSError):
        return entry.is_dir()
    return False


def _alike(parts: list[Part]) -> list[Part]:
    """Refuse parts whose folders give different columns."""
    first = [name for name, _ in parts[0].folders]
    for part in parts[1:]:
        names = [name for name, _ in part.folders]
        if names != first:
            told = [", ".join(_shown(n) for n in found) or "none" for found in (first, names)]
            msg = f"must lie in folders name=value for the columns of '{parts[0].name}'"
            raise part.wrong(f"{msg} ({told[0]}): got {told[1]}")
    return parts


def _each_once(parts: list[Part]) -> list[Part]:
    """Refuse a file that is there twice, under one name or several."""
    seen: dict[tuple[int, int], Part] = {}
    for part in parts:
        found = os.stat(part.path)  # noqa: PTH116
        first = seen.setdefault((found.st_dev, found.st_ino), part)
        if first is not part:
            same = os.path.abspath(first.path) == os.path.abspath(part.path)  # noqa: PTH100
            fault = "is listed twice" if same else f"is the same file as '{_shown(first.path)}'"
            msg = f"'{_shown(part.path)}' {fault}: its samples would count twice. Name it once."
            raise InputError(msg)
    return parts


def _by_path(parts: list[Part]) -> list[Part]:
    """Call files of one name in several directories by their paths."""
    names = [part.name for part in parts]
    return [
        replace(part, name=_shown(part.path)) if names.count(part.name) > 1 else part
        for part in parts
    ]


def _in_folder(
    folder: Path, kind: str | None, columns: tuple[tuple[str, str | None], ...] = ()
) -> list[Part]:
    """Return the files of a folder, sorted; hidden ones and marks such as _SUCCESS are none."""
    shown = _shown(folder.name or folder)
    try:
        found = sorted(p for p in folder.iterdir() if not p.name.startswith(("_", ".")))
    except OSError as error:
        raise FileError(f"cannot read '{shown}': {error.strerror or error}.") from error
    if not found:
        raise InputError(f"'{shown}' must hold a table in parts: there are no data files in it.")
    parts: list[Part] = []
    for path in found:
        column, sign, value = path.name.partition("=")
        if column and sign and path.is_dir():
            from urllib.parse import unquote  # noqa: PLC0415  only for such folders

            column = unquote(column)
            if column in dict(columns):
                msg = f"'{_shown(path)}' gives column {column!r} twice. Rename a folder."
                raise InputError(msg)
            given = None if value == _NULL else unquote(value)
            parts += _in_folder(path, kind, (*columns, (column, given)))
            continue
        known = path.is_file() and (kind is not None or kind_by_ending(path.name)[0] is not None)
        if not known and path.suffix.lower() not in _PICKLES:
            msg = f"'{shown}' must hold only data files: '{_shown(path.name)}' is not one."
            raise InputError(msg, hint=f"Give a pattern instead, such as '{shown}/*.parquet'.")
        parts.append(replace(_part(str(path), kind), folders=columns))
    return parts


def _part(path: str, kind: str | None) -> Part:
    """Return one file as a part, or say why it cannot be one."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
    except (OSError, ValueError) as error:
        _refuse_by_ending(path, kind)  # a wrong ending is wrong whether or not the file is there
        reason = getattr(error, "strerror", None) or str(error)
        code = "file_not_found" if isinstance(error, FileNotFoundError) else None
        raise FileError(f"cannot read '{_shown(path)}': {reason}.", code=code) from error
    if stat.S_ISDIR(mode):
        raise FileError(f"cannot read '{_shown(path)}' as a part of a table: it is a directory.")
    streamed = not stat.S_ISREG(mode)
    name = _shown(path if streamed else Path(path).name)
    known, packed = kind_by_ending(path)
    if kind is not None:
        known, packed_too = _given_kind(kind)
        packed = packed or packed_too
    elif not streamed:
        _refuse_by_ending(path, kind)
    return Part(path, name, known, packed=packed, streamed=streamed)


def _given_kind(kind: str) -> tuple[str | None, bool]:
    """Read a kind that was given, such as csv or csv.gz."""
    bare = kind.lower().removeprefix(".")
    if bare not in file_kinds():
        rule, got = f"must be one of {', '.join(READERS)}", f"'{_shown(kind)}'"
        raise InputError("kind", rule, got, code="unknown_file_kind")
    return kind_by_ending(f"table.{bare}")


def _refuse_by_ending(path: str, kind: str | None) -> None:
    """Refuse files that could run code, and kinds that are not read."""
    ending, shown = Path(path).suffix.lower(), _shown(Path(path).name)
    if kind is not None:
        return
    if ending in _PICKLES:
        msg = f"'{shown}' may hold a pickle, which can run any code: no option reads it."
        raise UnsafeFileError(f"{msg} Write the columns as Parquet, CSV or plain NPZ.")
    if ending in {".yaml", ".yml"}:
        msg = f"'{shown}' is YAML, which is not read. Write costs as TOML, tables as CSV, JSON or"
        raise InputError(f"{msg} Parquet.", code="unknown_file_kind")
    if ending in _SPREADSHEETS:
        msg = f"'{shown}' is a spreadsheet, which is not read. Save it as CSV."
        raise InputError(msg, code="unknown_file_kind")
    if kind_by_ending(path)[0] is None:
        text = [e for reader in READERS.values() if reader.packable for e in reader.endings]
        others = [e for reader in READERS.values() if not reader.packable for e in reader.endings]
        known = f"{', '.join(text)} (each also with .gz), {listed(others)}"
        msg = f"'{shown}' must end in {known}: got {ending or 'no ending'!r}."
        raise InputError(msg, hint=Action("name_any_kind"), code="unknown_file_kind")
