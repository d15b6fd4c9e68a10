"""The one function that travels to workers by value, so that any worker can run it."""

from collections.abc import Callable
from typing import Any

from stakes._check import EngineError

UNFIT = "stakes: unfit"  # first of a pair, with what is wrong with a worker


def remote_call(version: str) -> Callable[..., Any]:
    """Return what calls a function of `stakes.engines.worker` on a worker by its name.

    It is pickled by value, since it is made here. A worker without stakes, or with another version
    of it, says so instead of failing to load what it is sent: arguments are plain values or bytes.
    """

    def call(name: str, *arguments: Any) -> Any:  # noqa: ANN401
        import sys  # noqa: PLC0415
        from importlib import import_module  # noqa: PLC0415

        python = f"Python {sys.version_info[0]}.{sys.version_info[1]}"
        try:
            found = import_module("stakes._version").__version__
        except ImportError as error:
            return "stakes: unfit", f"a worker has no stakes ({python}: {error})"
        if found != version:
            return "stakes: unfit", f"a worker has stakes {found} ({python})"
        return getattr(import_module("stakes.engines.worker"), name)(*arguments)

    return call


def checked(found: Any, version: str) -> Any:  # noqa: ANN401
    """Return what a worker returned; raise what is wrong with the worker."""
    if not is_unfit(found):
        return found
    msg = f"{found[1]}, this process has {version}. Every worker must have the same version:"
    raise EngineError(f"{msg} install it there with: pip install stakes=={version}")


def is_unfit(found: object) -> bool:
    """Whether a worker could not do the work."""
    return isinstance(found, tuple) and len(found) == 2 and found[0] == UNFIT
