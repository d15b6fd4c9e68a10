"""Records that tell a kernel what to do, laid out as the compiled library says."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from functools import partial
from itertools import groupby
from operator import itemgetter
from typing import Any

_TYPES = {"f8": 0, "f4": 1, "u1": 0, "i4": 1, "i8": 2}  # of numbers and labels: see common.h
_STRIDED = {"column": "c", "table": "t"}  # arrays that need not lie in one piece


class LayoutError(Exception):
    """Records cannot be made as the library describes them."""


class Record(ctypes.Structure):
    """What a kernel is told; arrays are given as they are, and live as long as the record."""

    take: dict[str, Callable[[Any], Any]]  # makes what each field holds

    def __init__(self, **values: Any) -> None:  # noqa: ANN401
        super().__init__()
        self.kept: list[Any] = []
        self.tell(**values)

    def tell(self, **values: Any) -> None:  # noqa: ANN401
        """Fill in some fields."""
        for name, value in values.items():
            setattr(self, name, self.take[name](value))
        self.kept.append(values)


def address(values: Any) -> int | None:  # noqa: ANN401
    """Return where an array begins that lies in one piece; None for none."""
    if values is None:
        return None
    try:
        return _start(values)
    except (TypeError, ValueError):  # read-only, empty, or in pieces
        if not values.flags.c_contiguous:
            msg = f"an array for a kernel must lie in one piece: got strides {values.strides}."
            raise ValueError(msg) from None
        return values.__array_interface__["data"][0]


def _start(values: Any) -> int:  # noqa: ANN401
    """Return where writable memory in one piece begins, three times as soon as numpy."""
    return ctypes.addressof(ctypes.c_char.from_buffer(values))


def strided(made: type[ctypes.Structure], values: Any) -> ctypes.Structure:  # noqa: ANN401
    """Describe a column or a table; the caller keeps the array alive."""
    if values is None:
        return made()
    try:
        start = _start(values)
    except (TypeError, ValueError):
        start = values.__array_interface__["data"][0]
    return made(start, *values.strides, _TYPES[values.dtype.str[1:]])


def read_layouts(text: str) -> dict[str, type[ctypes.Structure]]:
    """Return the records of a library by name, from a line for each field."""
    kinds: dict[str, tuple[Any, Callable[[Any], Any]]] = {
        "i": (ctypes.c_int64, int),
        "h": (ctypes.c_int32, int),
        "u": (ctypes.c_uint64, int),
        "d": (ctypes.c_double, float),
        "p": (ctypes.c_void_p, address),
    }
    found: dict[str, type[ctypes.Structure]] = {}
    lines = (line.split() for line in text.splitlines())
    for (name, size), fields in groupby(lines, itemgetter(0, 1)):
        parts = [(field, *kinds[kind], int(offset)) for _, _, field, kind, offset in fields]
        base = ctypes.Structure if name in _STRIDED else Record
        made: type[ctypes.Structure] = type(
            name,
            (base,),
            {
                "_fields_": [part[:2] for part in parts],
                "take": {field: take for field, _, take, _ in parts},
            },
        )
        for field, _, _, offset in parts:
            own = getattr(made, field).offset
            if own != offset:
                msg = f"{name}.{field} lies at {offset}, not {own}"
                raise LayoutError(msg)
        if ctypes.sizeof(made) != int(size):
            msg = f"{name} has {size} bytes, its fields {ctypes.sizeof(made)}"
            raise LayoutError(msg)
        found[name] = made
        if name in _STRIDED:
            kinds[_STRIDED[name]] = made, partial(strided, made)
    return found
