"""Memory: how much a table may take, and what to say when there is not enough."""

import errno
import math
import os
import re
import sys
from contextlib import suppress
from pathlib import Path

import click

from stakes._text import number
from stakes.cli.messages import refuse

_FORM = re.compile(r"(\d+\.?\d*|\.\d+)\s*(?:([kmgt]?)(i?)b)?", re.IGNORECASE)
_STEPS = ("", "k", "m", "g", "t")
_SHARE = 4  # by default data may take this part of the machine's memory
_LIMIT = Path("/sys/fs/cgroup/memory.max")  # of a container
_SIGNS = (
    "malloc of size",
    "cannot allocate memory",
    "failed to map segment",
    "can't start new thread",
)


def short_of_memory(error: BaseException | None) -> bool:
    """Whether an error, or what it came from, is a lack of memory."""
    while error is not None:
        if isinstance(error, MemoryError) or getattr(error, "errno", None) == errno.ENOMEM:
            return True
        if any(sign in str(error).lower() for sign in _SIGNS):
            return True
        error = error.__cause__ or error.__context__
    return False


def memory_message(error: BaseException) -> str:
    """Return what was needed, as far as the error says it, and what the process may have."""
    detail = str(error).strip().rstrip(".")
    needed = f": {detail[:1].lower()}{detail[1:]}" if detail else ""
    hint = "Read fewer rows or columns, or allow more memory"
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  not there on every system

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if 0 < limit < sys.maxsize:
            needed += f" (this process may take {limit / 2**20:.0f} MiB)"
    return f"out of memory{needed}. {hint}."


def read_size(ctx: click.Context, param: click.Parameter, value: str | None) -> int | None:  # noqa: ARG001
    """Read a number of bytes: 2GB, 500MB, 1.5GiB, or 0."""
    if value is None:
        return None
    found = _FORM.fullmatch(value.strip())
    size = math.inf
    if found is not None:
        count, prefix, binary = found.groups()
        size = float(count) * (1024 if binary else 1000) ** _STEPS.index((prefix or "").lower())
    if not math.isfinite(size):
        refuse(f"--memory must be a size such as 2GB, 500MB, 1.5GiB or 0: got {value!r}.")
    return int(size)


def size_in_words(n_bytes: int) -> str:
    """Return a size as people write it, such as 3.2 GB."""
    step = min(max(len(str(n_bytes)) - 1, 0) // 3, 4)
    return f"{number(n_bytes / 1000**step, 2)} {('B', 'kB', 'MB', 'GB', 'TB')[step]}"


def default_memory() -> int | None:
    """Return a quarter of the memory that the machine or its container has, where that is known."""
    try:
        found = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return None
    with suppress(OSError, ValueError):  # no container, or one without a limit ("max")
        found = min(found, int(_LIMIT.read_text()))
    return found // _SHARE if found > 0 else None
