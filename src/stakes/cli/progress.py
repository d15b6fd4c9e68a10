"""Progress on standard error: only where somebody looks, and only when it takes long."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_PATIENCE = 0.5  # seconds before anything is shown
_STEP = 0.1


@contextmanager
def hurry(what: str = "reading") -> Iterator[Callable[[int, int | None], None] | None]:
    """Give a callback that shows how much is done; None where nobody would see it."""
    stream = sys.stderr
    if stream is None or not stream.isatty():
        yield None
        return
    start = last = time.monotonic()
    shown = False

    def show(done: int, total: int | None) -> None:
        nonlocal last, shown
        now = time.monotonic()
        if now - start < _PATIENCE or now - last < _STEP:
            return
        last, shown = now, True
        part = f"{100 * done / total:3.0f} %" if total else f"{done}"
        stream.write(f"\r{what} {part} ")
        stream.flush()

    try:
        yield show
    finally:
        if shown:
            stream.write("\r" + " " * (len(what) + 16) + "\r")
            stream.flush()
