"""Loads the compiled kernels, or says why the numpy definitions must do."""

import ctypes
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from stakes._kernels.build import FOLDER, LIBRARY, source_number
from stakes._kernels.layouts import LayoutError, address, read_layouts, strided

OTHER_PATH = 3  # a kernel leaves its task to the definition
_LEVELS = {1: ("base", "baseline"), 3: ("v3", "x86-64-v3"), 4: ("v4", "x86-64-v4")}
_FAULTS = {
    1: "y must hold class codes from 0 up to the number of classes.",
    4: "values must be finite: got NaN or an infinity.",
}


_ARGUMENTS: dict[str, Any] = {
    "a": SimpleNamespace(from_param=lambda values: ctypes.c_void_p.from_param(address(values))),
    "c": SimpleNamespace(
        from_param=lambda values: ctypes.byref(strided(record("column"), values))  # by its strides
    ),
    "r": SimpleNamespace(from_param=ctypes.byref),
    "i": ctypes.c_int64,
    "u": ctypes.c_uint64,
}


@dataclass(frozen=True)
class Kernels:
    """The functions of a loaded library for the vectors of this machine."""

    library: ctypes.CDLL
    suffix: str
    records: dict[str, Any]
    sorts: bool = False  # quicker than numpy on this processor


def load(folder: Path = FOLDER) -> tuple[Kernels | None, str]:
    """Return the kernels that were built from these very sources, and what is in use."""
    if os.environ.get("STAKES_KERNELS", "") == "numpy":
        return None, "numpy definitions: STAKES_KERNELS is set to numpy"
    path = folder / LIBRARY
    if not path.exists():
        return None, "numpy definitions: the kernels were not compiled when stakes was installed"
    try:
        library = ctypes.CDLL(str(path))
        library.stakes_source.restype = ctypes.c_uint32
        number = library.stakes_source()
    except (OSError, AttributeError) as error:
        return None, f"numpy definitions: {LIBRARY} does not load ({error})"
    if number != source_number(folder):
        return None, f"numpy definitions: {LIBRARY} is stale, built from other sources"
    library.stakes_compiler.restype = library.stakes_layouts.restype = ctypes.c_char_p
    try:
        records = read_layouts(library.stakes_layouts().decode())
    except LayoutError as error:
        return None, f"numpy definitions: {LIBRARY} has other records ({error})"
    suffix, level = _LEVELS[library.stakes_level()]
    kernels = Kernels(library, suffix, records, bool(library.stakes_sorts()))
    return kernels, f"compiled ({library.stakes_compiler().decode()}, {level})"


def kernel(name: str, arguments: str) -> Callable[..., int]:
    """Return a compiled function; arguments by their first letters.

    These are array, column, record, integer and unsigned. A fault is raised. Without a library
    the function is never called, and is not there.
    """
    if KERNELS is None:
        return _raise_fault
    found = getattr(KERNELS.library, f"stakes_{name}_{KERNELS.suffix}")
    found.argtypes = [_ARGUMENTS[kind] for kind in arguments]
    found.restype = _raise_fault  # is given the status, and gives the result
    return found


def record(name: str) -> Any:  # noqa: ANN401
    """Return the type of a record that kernels take; without a library there is none."""
    return None if KERNELS is None else KERNELS.records[name]


def _raise_fault(status: int) -> int:
    """Turn what a kernel returned into an error, if it is one."""
    if status in (0, OTHER_PATH):
        return status
    if status in _FAULTS:
        raise ValueError(_FAULTS[status])
    raise MemoryError


KERNELS, COMPILED = load()
