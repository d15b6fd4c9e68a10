"""Numbers of at least 0 that are summed exactly by their size: weights, and prices of cases.

A double is a whole number of 53 bits times a power of two. Numbers of one power are summed as whole
numbers, in two parts, so that no order changes a sum. Within a size, which is a power of two and
some bits more, numbers differ so little that their mean stands for each.
"""

from collections.abc import Sequence

import numpy as np

from stakes._typing import FloatArray, IntArray
from stakes.summary.tally import Field

PARTS = 2  # whole numbers that an amount is summed in
_BITS = 53
_LOW = 27  # bits of the lower part
_OFFSET = 1075  # so that the least double has an exponent of at least 1


def amount_field(bits: int, drops: Sequence[int]) -> Field:
    """Return the field of a key for sizes of 2^bits in an octave, which lose bits at each step."""
    return Field((_OFFSET + 1025) << bits, tuple(min(drop, bits) for drop in drops))


def sizes(amount: FloatArray, bits: int) -> IntArray:
    """Return the size of each amount, 0 for 0."""
    exponent, whole = _whole(amount)
    found = ((exponent + _OFFSET) << bits) + ((whole >> (_BITS - 1 - bits)) & ((1 << bits) - 1))
    return np.where(amount > 0, found, 0)


def parts(amount: FloatArray) -> tuple[IntArray, IntArray]:
    """Return amounts as two whole numbers each, which are summed within a size."""
    whole = _whole(amount)[1]
    return whole >> _LOW, whole & ((1 << _LOW) - 1)


def total(size: IntArray, bits: int, high: IntArray, low: IntArray) -> FloatArray:
    """Return the sums of amounts of some sizes, which have `bits` left in an octave."""
    exponent = (size >> bits) - _OFFSET - _BITS
    found = np.ldexp(high.astype(np.float64) * 2.0**_LOW + low, exponent.astype(np.int32))
    return np.where(size > 0, found, 0.0)


def fractions(amount: FloatArray) -> FloatArray:
    """Return amounts as parts of the power of two of their size, from 1/2 to 1."""
    return np.asarray(np.frexp(amount)[0], dtype=np.float64)


def total_of_units(size: IntArray, bits: int, units: FloatArray) -> FloatArray:
    """Return sums of parts of the power of two of their size."""
    return np.ldexp(units, ((size >> bits) - _OFFSET).astype(np.int32))


def _whole(amount: FloatArray) -> tuple[IntArray, IntArray]:
    """Return each double as a power of two and a whole number of 53 bits."""
    fraction, exponent = np.frexp(amount)
    return exponent.astype(np.int64), (fraction * 2.0**_BITS).astype(np.int64)
