"""The command stakes, also as python -m stakes: signals are looked after before all else."""

import os
import sys
from contextlib import suppress
from importlib.util import find_spec
from typing import NoReturn

from stakes._signals import end_asked_for, raise_on_signals

_OUT_OF_MEMORY = 5
_MISSING_EXTRA = 3
_LIBRARIES = ("click", "pyarrow", "rich")
_INSTALL = "the command line needs click, pyarrow and rich: pip install 'stakes[cli]'"


def main() -> NoReturn:
    """Run the command line and leave with its exit code."""
    watched = _watch_libraries()
    try:
        raise_on_signals()
        if not all(map(find_spec, _LIBRARIES)):
            sys.stderr.write(f"stakes: {_INSTALL}\n")
            sys.exit(_MISSING_EXTRA)
        from stakes.cli import main as run  # noqa: PLC0415  slow to load

        run()
    except SystemExit as end:
        if watched:
            _leave(end.code if isinstance(end.code, int) else int(end.code is not None))
        raise
    except BaseException:
        asked = end_asked_for()  # while it was loading
        if asked is not None:
            sys.stderr.write(f"stakes: {asked.message}\n")
            if watched:
                _leave(asked.code)
            sys.exit(asked.code)
        if watched:
            import traceback  # noqa: PLC0415  never needed otherwise

            traceback.print_exc()
            _leave(1)
        raise


def _watch_libraries() -> bool:
    """Where memory is limited, let a library that gives up end the process as out of memory.

    OpenBLAS then calls exit(1), which would read as a gate that failed. From here on the process
    is to be left by `_leave`, as any other end has the code of running out of memory.
    """
    with suppress(ImportError, OSError, ValueError, AttributeError):
        import resource  # noqa: PLC0415  not there on every system

        if resource.getrlimit(resource.RLIMIT_AS)[0] == resource.RLIM_INFINITY:
            return False
        import ctypes  # noqa: PLC0415  slow to load, seldom needed

        library = ctypes.CDLL(None)
        leave = ctypes.cast(library._exit, ctypes.c_void_p)
        library.__cxa_atexit(leave, ctypes.c_void_p(_OUT_OF_MEMORY), None)
        return True
    return False


def _leave(code: int) -> NoReturn:
    """End at once, with what was printed."""
    for stream in (sys.stdout, sys.stderr):
        if stream is not None:
            with suppress(OSError, ValueError):
                stream.flush()
    os._exit(code)


if __name__ == "__main__":
    main()
