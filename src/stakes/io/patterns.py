"""Files by a pattern, in sorted order; a pattern that looks at too many names is refused."""

import os
import re
from collections.abc import Iterator
from fnmatch import translate

from stakes._check import ResourceError
from stakes._text import plain

_MOST_NAMES = 100_000  # that one pattern may look at: some tenths of a second


def matching(pattern: str) -> list[str]:
    """Return the paths that match a shell pattern; a leading dot is matched only by a dot."""
    head = "/" if pattern.startswith("/") else ""
    steps = [step for step in pattern.split("/") if step]
    seen = _counted(pattern)
    found = [head]
    for i, step in enumerate(steps):
        last = i == len(steps) - 1
        found = [path for folder in found for path in _one_step(folder, step, seen, last=last)]
    return sorted(found)


def _counted(pattern: str) -> Iterator[int]:
    """Count names that are looked at; refuse more than the limit."""
    yield from range(_MOST_NAMES)
    msg = f"'{plain(pattern, 1000)}' looks at more than {_MOST_NAMES} names:"
    raise ResourceError(f"{msg} begin it with a directory nearer to the files.")


def _one_step(folder: str, step: str, seen: Iterator[int], *, last: bool) -> Iterator[str]:
    """Go through what matches one part of a pattern within a directory."""
    if not any(c in step for c in "*?["):
        path = os.path.join(folder, step)  # noqa: PTH118  a text stays as it was given
        if os.path.lexists(path):
            yield path
        return
    matches = re.compile(translate(step)).match
    try:
        with os.scandir(folder or ".") as entries:
            for entry in entries:
                next(seen)
                hidden = entry.name.startswith(".") and not step.startswith(".")
                if not hidden and matches(entry.name) and (last or _is_folder(entry)):
                    yield os.path.join(folder, entry.name)  # noqa: PTH118
    except OSError:
        return  # a directory that is not there, or that may not be read, holds no matches


def _is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a directory, or a link to one."""
    try:
        return entry.is_dir()
    except OSError:
        return False
