"""Functions of numpy that take the integers of the machine, for 64-bit ones on any machine.

Codes and counts are 64-bit integers everywhere. Where those of the machine have 32 bits, as in a
browser, numpy refuses to take them as places, and counts in 32 bits.
"""

from typing import Any

import numpy as np

from stakes._typing import NDArray


def bincount(
    codes: NDArray[Any], weights: NDArray[Any] | None = None, minlength: int = 0
) -> NDArray[np.intp]:
    """Return how often each code from 0 up occurs, or the sum of its weights."""
    found = np.bincount(_places(codes), weights, minlength)
    return found if weights is not None else found.astype(np.int64, copy=False)


def repeat(values: NDArray[Any], number: NDArray[Any]) -> NDArray[Any]:
    """Return each value as often as its number says."""
    return np.repeat(values, _places(number))


def distinct(values: NDArray[Any]) -> NDArray[Any]:
    """Return the different values in rising order; that of numpy loads masked arrays."""
    rising = np.sort(values, axis=None)
    return rising[np.append(True, rising[1:] != rising[:-1])[: rising.size]]


def _places(codes: NDArray[Any]) -> NDArray[np.intp]:
    """Return integers as those of the machine; anything else is left to numpy to refuse."""
    whole = np.asarray(codes)
    wide = whole.dtype == np.int64
    return whole.astype(np.intp, copy=False) if wide else whole
