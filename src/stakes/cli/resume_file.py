"""The file of --resume: a summary of what was read so far, and which units that was."""

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from stakes._check import FileError, InputError
from stakes._text import plain
from stakes.io.batches import Part

_MARK, _VERSION = b"stakes resume ", b"2\n"
_LARGEST = 1024**3
_SUM = hashlib.sha256().digest_size
_ANEW = "Delete it to start again"


PartState = tuple[str, int, int]  # a file as it was when it was read: path, size, time


def part_state(part: Part) -> PartState:
    """Return the state of a part now."""
    found = os.stat(part.path)  # noqa: PTH116
    return os.path.abspath(part.path), found.st_size, found.st_mtime_ns  # noqa: PTH100


@dataclass(frozen=True)
class Bookmark:
    """How far a run has come."""

    options: Mapping[str, str]  # what the summary depends on, by name
    parts: Sequence[PartState]
    done: Sequence[set[int]] = field(default_factory=list)  # the units read of each part
    summary: bytes = b""

    def to_bytes(self) -> bytes:
        """Return the file: a mark, a line of JSON, the summary, a checksum."""
        parts = [
            {"path": path, "size": size, "mtime_ns": when, "done": sorted(done)}
            for (path, size, when), done in zip(self.parts, self.done, strict=True)
        ]
        header = json.dumps({"options": self.options, "parts": parts}).encode()
        data = b"".join((_MARK, _VERSION, header, b"\n", self.summary))
        return data + hashlib.sha256(data).digest()

    @classmethod
    def from_bytes(cls, data: bytes) -> "Bookmark":
        """Read a file; a ValueError says what is wrong with it."""
        begin = len(_MARK) + len(_VERSION)
        body, checksum = data[:-_SUM], data[-_SUM:]
        faults = {
            f"it is longer than {_LARGEST} bytes": len(data) > _LARGEST,
            "it is not a file that --resume wrote": not data.startswith(_MARK),
            "another version of stakes wrote it": data[len(_MARK) : begin] != _VERSION,
            "it is damaged, its checksum does not agree": hashlib.sha256(body).digest() != checksum,
        }
        for fault, there in faults.items():
            if there:
                raise ValueError(fault)
        header, _, summary = body[begin:].partition(b"\n")
        try:
            told = json.loads(header)
            parts = [(e["path"], e["size"], e["mtime_ns"]) for e in told["parts"]]
            done = [set(e["done"]) for e in told["parts"]]
            found = cls(dict(told["options"]), parts, done, summary)
            same = found.to_bytes() == data  # that values have the types they must have
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            msg = f"its header cannot be read ({plain(error, 100)})"
            raise ValueError(msg) from error
        if not same:
            msg = "its header cannot be read (unknown form)"
            raise ValueError(msg)
        return found


def read_bookmark(path: str, now: Bookmark) -> Bookmark | None:
    """Read the file if it is there; refuse one that does not belong to this run."""
    try:
        with Path(path).open("rb") as stream:
            data = stream.read(_LARGEST + 1)
    except FileNotFoundError:
        return None
    except (OSError, ValueError) as error:
        msg = f"cannot read '{plain(path, 1000)}': {getattr(error, 'strerror', None) or error}."
        raise FileError(msg) from error
    try:
        found = Bookmark.from_bytes(data)
    except ValueError as error:
        raise refused(path, str(error), ours=data.startswith(_MARK)) from error
    if difference := _difference(found, now):
        raise refused(path, difference)
    return found


def refused(path: str, reason: str, *, ours: bool = True) -> InputError:
    """Return the error for a file that this run cannot go on from; one of others is kept."""
    way = f"{_ANEW}, or name another file" if ours else "Name another file"
    msg = f"--resume must be a file of this run: got '{plain(path, 1000)}', and {reason}."
    return InputError(f"{msg} {way}.")


def _difference(found: Bookmark, now: Bookmark) -> str:
    """Say in what a file differs from the run at hand; nothing where it does not."""
    for name in {**found.options, **now.options}:
        before, after = (b.options.get(name, "nothing") for b in (found, now))
        if before != after:
            return f"it was written for {plain(name)} {plain(before)}, not {plain(after)}"
    before_paths, paths = ([part[0] for part in b.parts] for b in (found, now))
    if before_paths != paths:
        other = next((p for p in paths if p not in before_paths), None)
        other = other or next((p for p in before_paths if p not in paths), paths[0])
        return f"it was written for other files, '{plain(Path(other).name)}' is in only one of them"
    for before_part, part in zip(found.parts, now.parts, strict=True):
        if before_part != part:
            return f"'{plain(Path(part[0]).name)}' has changed since it was written"
    return ""
