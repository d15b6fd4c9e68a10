"""Numbers of at least 0 that are summed exactly by their size: weights, and prices of cases.

A double is a whole number of 53 bits times a power of two. Numbers of one power are summed as whole
numbers, in two parts, so that no order changes a sum. Within a size, which is a power of two and
some bits more, numbers differ so little that their mean stands for each.
"""

import numpy as np

from stakes._typing import FloatArray, IntArray

_BITS = 53
_LOW = 27  # bits of the lower part
_OFFSET = 1075  # so that the least double has an exponent of at least 1
OCTAVES = _OFFSET + 1025  # exponents that there are


def split(amount: FloatArray, bits: int) -> tuple[IntArray, IntArray, IntArray]:
    """Return the size of each amount, 0 for 0, and two whole numbers, summed within a size.

    Sizes are 2^bits in an octave.
    """
    fraction, exponent = np.frexp(amount)
    whole = (fraction * 2.0**_BITS).astype(np.int64)
    size = (exponent.astype(np.int64) + _OFFSET) << bits
    size += (whole >> (_BITS - 1 - bits)) & ((1 << bits) - 1)
    return np.where(amount > 0, size, 0), whole >> _LOW, whole & ((1 << _LOW) - 1)


def total(size: IntArray, bits: int, high: IntArray, low: IntArray) -> FloatArray:
    """Return the sums of amounts of some sizes, which have `bits` left in an octave."""
    found = total_of_units(size, bits, high.astype(np.float64) * 2.0**_LOW + low, _BITS)
    return np.where(size > 0, found, 0.0)


def total_of_units(size: IntArray, bits: int, units: FloatArray, below: int = 0) -> FloatArray:
    """Return sums of parts of the power of two of their size, or of one that is so much less."""
    return np.ldexp(units, ((size >> bits) - _OFFSET - below).astype(np.int32))
