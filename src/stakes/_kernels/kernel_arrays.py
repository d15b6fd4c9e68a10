"""Arrays as the kernels take them, and the sums of chunks that they give."""

from typing import Any

import numpy as np

from stakes._typing import FloatArray, NDArray

_CHUNK = 65536  # samples
_CHUNK_CELLS = 2**22  # samples times classes, where classes are many
_NUMBERS = {np.dtype(np.float64), np.dtype(np.float32)}
_CODES = {np.dtype(np.uint8), np.dtype(np.int32), np.dtype(np.int64)}


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


def sample_arrays(
    values: NDArray[Any], y: NDArray[Any], weights: NDArray[Any] | None = None
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any] | None]:
    """Return scores, class codes and weights as kernels take them."""
    return as_numbers(values), as_codes(y), None if weights is None else as_numbers(weights)


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


def chunks(n: int, n_classes: int) -> tuple[int, int]:
    """Return how many samples make a chunk, and how many chunks there are, at least one.

    The number of samples is fixed, so that no thread changes a bit.
    """
    rows = max(2048, min(_CHUNK, _CHUNK_CELLS // n_classes))
    return rows, max(1, -(-n // rows))


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
