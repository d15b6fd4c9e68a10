"""Files that every worker can read, in parts of about a million rows."""

import os
import pickle
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from os import PathLike, fspath
from typing import Any, Self

from stakes.engines.engine import Source
from stakes.engines.partials import Job, Partial
from stakes.engines.worker import pieces_of_parts
from stakes.io.batches import Ask, Part
from stakes.io.sources import find_parts
from stakes.io.streams import Limits
from stakes.io.units import Piece, split_parts

_TASKS_PER_SLOT = 4


@dataclass(frozen=True)
class FileParts:
    """A table in files: what it is called, its parts, and the limits of reading."""

    shown: str
    parts: Sequence[Part]
    limits: Limits

    @classmethod
    def find(cls, paths: "str | PathLike[str] | Sequence[str | PathLike[str]]") -> Self:
        """Return the files of paths, folders or patterns."""
        several = isinstance(paths, list | tuple)
        named: Any = tuple(map(fspath, paths)) if several else fspath(paths)  # type: ignore[arg-type]
        return cls.split(*find_parts(named), Limits())

    @classmethod
    def split(cls, shown: str, parts: Sequence[Part], limits: Limits) -> Self:
        """Return files in parts of about a million rows, by paths that hold in any folder."""
        stream = next((part for part in parts if part.streamed), None)
        if stream is not None:
            raise stream.wrong("can be read only here and once: workers need a file")
        there = [replace(part, path=os.path.abspath(part.path)) for part in parts]  # noqa: PTH100
        return cls(shown, split_parts(there, limits), limits)

    def first(self, ask: Ask) -> Piece | None:
        """Return the first rows."""
        for part in self.parts:
            for piece in pieces_of_parts(self.shown, [part], ask, self.limits):
                if len(piece):
                    return piece
        return None

    def tasks(self, slots: int) -> list[bytes]:
        """Return what each task is told: some parts that follow each other.

        There are several tasks for each of the slots, so that none waits long for another, but no
        more, since each makes a sum that travels.
        """
        step = max(-(-len(self.parts) // (_TASKS_PER_SLOT * slots)), 1)
        some = (self.parts[at : at + step] for at in range(0, len(self.parts), step))
        return [pickle.dumps((self.shown, parts, self.limits)) for parts in some]


@dataclass(frozen=True)
class FileSource(Source):
    """Files as a table of an engine, which sums parts by what each worker is told."""

    files: FileParts
    summed: Callable[[Job, Sequence[bytes]], Partial]
    slots: int  # tasks that run at a time

    def first(self, ask: Ask) -> Piece | None:
        """Return the first rows, which are read here."""
        return self.files.first(ask)

    def total(self, job: Job) -> Partial:
        """Sum each part on a worker, and add the sums on some."""
        return self.summed(job, self.files.tasks(self.slots))


def is_paths(table: object) -> bool:
    """Whether a table is given by the path of a file, a folder or a pattern, or by several."""
    if isinstance(table, list | tuple):
        return bool(table) and all(map(is_paths, table))
    return isinstance(table, str | PathLike)
