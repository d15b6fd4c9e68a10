"""Out of memory: what was needed, and what there is."""

import errno
import sys
from contextlib import suppress

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
    hint = "Read fewer rows or columns, ask for fewer resamples, or allow more memory"
    return f"out of memory{needed}{_allowed()}. {hint}."


def _allowed() -> str:
    """Say how much memory the process may take, where that is limited."""
    with suppress(ImportError, OSError, ValueError):
        import resource  # noqa: PLC0415  not there on every system

        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
        if 0 < limit < sys.maxsize:
            return f" (this process may take {limit / 2**20:.0f} MiB)"
    return ""
