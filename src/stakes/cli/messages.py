"""What commands say on standard error, beside the errors of the library.

Progress is shown only where somebody looks, and only when it takes long.
"""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import NoReturn

import click

from stakes._text import plain

_PATIENCE = 0.5  # seconds before any progress is shown
_STEP = 0.1


def refuse(text: str) -> NoReturn:
    """Refuse what was typed."""
    raise click.UsageError(text)


def note(text: object) -> None:
    """Say what was chosen, or taken for granted; None is nothing to say."""
    if text is not None:
        click.echo(f"Note: {text}", err=True)


def wrote(path: str, what: str = "") -> None:
    """Say what was written."""
    click.echo(f"wrote {plain(path)}{what}", err=True)


@contextmanager
def progress_bar(what: str = "reading") -> Iterator[Callable[[int, int | None], None] | None]:
    """Give a callback that shows how much is done; None where nobody would see it."""
    with _line() as write:

        def show(done: int, total: int | None) -> None:
            write(f"{what} {100 * done / total:3.0f} %" if total else f"{what} {done}")

        yield show if _seen() else None


@contextmanager
def row_progress(total: int | None, before: int = 0) -> Iterator[Callable[[int], None]]:
    """Give a callback that shows how many rows are read, and how many each second.

    An earlier run may have read some before; they do not count for the rate.
    """
    start = time.monotonic()
    with _line() as write:

        def show(rows: int) -> None:
            rate = rows / max(time.monotonic() - start, 1e-3) / 1e6
            done = rows + before
            part = f"{100 * done / total:3.0f} %, " if total else ""
            write(f"reading {part}{done:,} rows, {rate:.1f} million rows/s")

        yield show


def _seen() -> bool:
    return sys.stderr is not None and sys.stderr.isatty()


@contextmanager
def _line() -> Iterator[Callable[[str], None]]:
    """Give a way to write a line over the one before; nothing is written where nobody looks."""
    stream, seen = sys.stderr, _seen()
    start = last = time.monotonic()
    longest = 0

    def write(text: str) -> None:
        nonlocal last, longest
        now = time.monotonic()
        if not seen or now - start < _PATIENCE or now - last < _STEP:
            return
        last, longest = now, max(longest, len(text) + 1)
        stream.write(f"\r{text.ljust(longest)}")
        stream.flush()

    try:
        yield write
    finally:
        if longest:
            stream.write("\r" + " " * longest + "\r")
            stream.flush()
