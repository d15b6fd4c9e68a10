"""Loads the compiled kernels, or says why the numpy definitions must do."""

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from stakes._kernels.build import FOLDER, LIBRARY, source_number

_LEVELS = {1: ("base", "baseline"), 3: ("v3", "x86-64-v3"), 4: ("v4", "x86-64-v4")}
_FAULTS = {
    1: "y must hold class codes from 0 up to the number of classes.",
    4: "values must be finite: got NaN or an infinity.",
}


@dataclass(frozen=True)
class Kernels:
    """The functions of a loaded library for the vectors of this machine."""

    library: ctypes.CDLL
    suffix: str
    sorts: bool = False  # quicker than numpy on this processor

    def function(self, name: str, *arguments: Any) -> Callable[..., int]:  # noqa: ANN401
        """Return a function by its name in the sources."""
        found = getattr(self.library, f"stakes_{name}_{self.suffix}")
        found.argtypes = list(arguments)
        found.restype = ctypes.c_int
        return found


def load(folder: Path = FOLDER) -> tuple[Kernels | None, str]:
    """Return the kernels that were built from these very sources, and what is in use."""
    if os.environ.get("STAKES_KERNELS", "") == "numpy":
        return None, "numpy definitions: STAKES_KERNELS is set to numpy"
    path = folder / LIBRARY
    if not path.exists():
        return None, "numpy definitions: the kernels were not compiled when stakes was installed"
    try:
        library = ctypes.CDLL(str(path))
        built_from = library.stakes_source
        built_from.restype = ctypes.c_uint32
        number = built_from()
    except (OSError, AttributeError) as error:
        return None, f"numpy definitions: {LIBRARY} does not load ({error})"
    if number != source_number(folder):
        return None, f"numpy definitions: {LIBRARY} is stale, built from other sources"
    suffix, level = _LEVELS[library.stakes_level()]
    library.stakes_compiler.restype = ctypes.c_char_p
    sorts = bool(library.stakes_sorts())
    return Kernels(
        library, suffix, sorts
    ), f"compiled ({library.stakes_compiler().decode()}, {level})"


def check(status: int) -> None:
    """Turn what a kernel returned into an error, if it is one."""
    if status:
        if status in _FAULTS:
            raise ValueError(_FAULTS[status])
        raise MemoryError


KERNELS, COMPILED = load()
