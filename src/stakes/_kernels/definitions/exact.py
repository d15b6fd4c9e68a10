"""Exact sums of doubles by class, as whole numbers of units of 2^-1074 in limbs of 32 bits."""

from typing import Any

import numpy as np

from stakes._kernels.definitions.passes import check_codes
from stakes._typing import FloatArray, IntArray, NDArray

LIMBS = 68
_LIMB = 32  # bits
_LOW = 2**_LIMB - 1
_BLOCK = 2**19  # samples whose limbs, each below 2^33, sum to less than 2^53
_DIGIT = 10  # bits of copies at a time, so that products with a mantissa fit 63 bits


def exact_add(
    limbs: IntArray, code: IntArray, values: NDArray[Any], copies: IntArray | None = None
) -> None:
    """Add finite values to the limbs of their classes, each as often as `copies` says."""
    check_codes(code, len(limbs))
    if not np.isfinite(values).all():
        msg = "values must be finite: got NaN or an infinity."
        raise ValueError(msg)
    for start in range(0, values.size, _BLOCK):
        part = slice(start, start + _BLOCK)
        group, x = code[part].astype(np.int64), values[part].astype(np.float64)
        mantissa, power = _whole(x)
        if copies is None:
            _add_units(limbs, group, mantissa, power, x < 0)
            continue
        times = copies[part].astype(np.int64)
        while times.any():
            _add_units(limbs, group, mantissa * (times & (2**_DIGIT - 1)), power, x < 0)
            times, power = times >> _DIGIT, power + _DIGIT


def _whole(values: FloatArray) -> tuple[IntArray, IntArray]:
    """Return the size of each value as a whole number times a power of two, in units of 2^-1074."""
    bits = values.view(np.int64)
    exponent = (bits >> 52) & 2047
    normal = (exponent > 0).astype(np.int64)
    return (bits & (2**52 - 1)) | (normal << 52), exponent - normal


def _add_units(
    limbs: IntArray, group: IntArray, whole: IntArray, power: IntArray, negative: NDArray[np.bool_]
) -> None:
    """Add whole numbers times powers of two; they reach into three limbs."""
    shift, sign = power % _LIMB, np.where(negative, -1.0, 1.0)
    low, high = (whole & _LOW) << shift, (whole >> _LIMB) << shift
    place = group * LIMBS + power // _LIMB
    for step, part in enumerate([low & _LOW, (low >> _LIMB) + (high & _LOW), high >> _LIMB]):
        found = np.bincount(place + step, sign * part, limbs.size)
        limbs += found.astype(np.int64).reshape(limbs.shape)


def carried(limbs: IntArray) -> IntArray:
    """Return limbs of the same sums in 0..2^32-1, the last ones with any sign."""
    out = limbs.copy()
    for place in range(LIMBS - 1):
        carry = out[:, place] >> _LIMB
        out[:, place] &= _LOW
        out[:, place + 1] += carry
    return out
