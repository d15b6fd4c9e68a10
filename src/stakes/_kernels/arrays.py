"""Arrays as the kernels take them: where they lie, their strides and their type."""

import ctypes
from typing import Any

import numpy as np

from stakes._typing import FloatArray, NDArray

_CHUNK = 65536  # samples
_CHUNK_CELLS = 2**22  # samples times classes, where classes are many
_NUMBERS = {np.dtype(np.float64): 0, np.dtype(np.float32): 1}
_CODES = {np.dtype(np.uint8): 0, np.dtype(np.int32): 1, np.dtype(np.int64): 2}


class Column(ctypes.Structure):
    """One number per sample."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("stride", ctypes.c_int64),
        ("type", ctypes.c_int64),
    )


class Table(ctypes.Structure):
    """One number per sample and class."""

    _fields_ = (
        ("data", ctypes.c_void_p),
        ("row_stride", ctypes.c_int64),
        ("column_stride", ctypes.c_int64),
        ("type", ctypes.c_int64),
    )


def as_numbers(values: NDArray[Any]) -> NDArray[Any]:
    """Return float32 and float64 arrays as they are, anything else as float64."""
    array = np.asarray(values)
    if array.dtype in _NUMBERS and array.flags.aligned:
        return array
    return array.astype(np.float64)


def as_codes(y: NDArray[Any]) -> NDArray[Any]:
    """Return uint8, int32 and int64 arrays as they are, other whole numbers as int64."""
    array = np.asarray(y)
    if array.dtype == np.bool_:
        array = array.view(np.uint8)
    if array.dtype in _CODES and array.flags.aligned:
        return array
    if array.dtype.kind not in "iu":
        msg = f"y must hold whole numbers: got {array.dtype}."
        raise TypeError(msg)
    return array.astype(np.int64)


def column(values: NDArray[Any] | None) -> Column:
    """Describe a column to a kernel; the caller keeps the array alive."""
    if values is None:
        return Column(None, 0, 0)
    kind = _CODES if values.dtype.kind in "iu" else _NUMBERS
    return Column(_address(values), values.strides[0], kind[values.dtype])


def table(values: NDArray[Any]) -> Table:
    """Describe a table to a kernel; the caller keeps the array alive."""
    return Table(_address(values), *values.strides, _NUMBERS[values.dtype])


def check_lengths(n: int, **columns: NDArray[Any] | None) -> None:
    """Refuse columns of another length: a kernel would read beyond their end."""
    for name, values in columns.items():
        if values is not None and values.shape != (n,):
            msg = f"{name} must be a column of {n} samples: got shape {values.shape}."
            raise ValueError(msg)


def contiguous(values: Any, kind: Any) -> NDArray[Any]:  # noqa: ANN401
    """Return an array in one piece at a place that its type allows, without a copy if it is so."""
    array = np.ascontiguousarray(values, dtype=kind)
    return array if array.flags.aligned else array.copy()


def pointer(values: NDArray[Any] | None) -> int | None:
    """Return where a contiguous array lies; None if there is none."""
    return None if values is None else _address(values)


def _address(values: NDArray[Any]) -> int:
    """Return where an array begins; `values.ctypes` would take three times as long."""
    return values.__array_interface__["data"][0]


def chunk_rows(n_classes: int) -> int:
    """Return how many samples make a chunk: a fixed number, so that no thread changes a bit."""
    return max(2048, min(_CHUNK, _CHUNK_CELLS // n_classes))


def summed(parts: FloatArray) -> FloatArray:
    """Add the sums of all chunks, neighbours first, in their order."""
    if len(parts) == 1:
        return parts[0]
    with np.errstate(invalid="ignore"):
        while len(parts) > 1:
            pairs = len(parts) // 2
            halves = parts[: 2 * pairs : 2] + parts[1::2]
            parts = halves if len(parts) == 2 * pairs else np.concatenate([halves, parts[-1:]])
    return parts[0]
