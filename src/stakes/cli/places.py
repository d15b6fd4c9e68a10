"""Errors of the library in words of a file: its columns for arguments, its lines for rows."""

import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Protocol

from stakes._check import InputError
from stakes._text import plain


class Placed(Protocol):
    """A table, or a part of one, whose rows have places."""

    @property
    def source(self) -> str:
        """Return what the table is called."""
        ...

    def __len__(self) -> int:
        """Return how many rows there are."""
        ...

    def place(self, row: int) -> str:
        """Return where a row came from."""
        ...


@dataclass(frozen=True)
class Unplaced:
    """A table whose rows were not kept."""

    source: str

    def __len__(self) -> int:
        return 0

    def place(self, row: int) -> str:
        """Return a row as it is: where it came from is not known any more."""
        return f"row {row}"


@contextmanager
def told_in_place(table: Placed, columns: Mapping[str, str | None]) -> Iterator[None]:
    """Say columns and lines of a file; `columns` are those that stand for arguments."""
    try:
        yield
    except InputError as error:
        raise type(error)(_in_words(str(error), table, columns)) from error


def _in_words(message: str, table: Placed, columns: Mapping[str, str | None]) -> str:
    """Return a message in words of the file."""
    source = plain(table.source)
    for argument, column in columns.items():
        if column is not None:
            message = _put(message, rf"^{argument}\b", f"{source}: column {plain(column)!r}")
    return with_line(message, table)


def with_line(message: str, table: Placed) -> str:
    """Return a message with the file and the line of the first row it names."""
    found = re.search(r"\brow (\d+)", message)
    if found is None or int(found[1]) >= len(table):
        return message
    return _put(message, r"\brow \d+", table.place(int(found[1])))


def _put(message: str, pattern: str, text: str) -> str:
    """Put a text in the place of the first match."""
    return re.sub(pattern, text.replace("\\", r"\\"), message, count=1)
