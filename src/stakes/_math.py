"""Sums and products that keep their digits: pure functions, no checks."""

import numpy as np

from stakes._typing import FloatArray, Floats, IntArray

_LIMB = 26  # bits; a sum of 2**27 such whole numbers is still exact in a double
_SPLIT = float(2**27 + 1)
_SAFE_EXPONENT = 400  # squares and sums of numbers within 2**±400 stay finite and normal


def sum_by(group: IntArray, values: FloatArray, n_groups: int) -> FloatArray:
    """Sum finite values within each group; the same bits in any order of the samples.

    Each value is cut into three whole-number limbs on the scale of its group's largest value.
    Sums of whole numbers are exact, so no order can change them; what is cut off lies 78 bits
    below that largest value.
    """
    peak = np.zeros(n_groups)
    np.maximum.at(peak, group, np.abs(values))
    exponent = np.frexp(peak)[1]
    rest = np.ldexp(values, -exponent[group])
    parts = []
    for _ in range(3):
        rest = np.ldexp(rest, _LIMB)
        limb = np.trunc(rest)
        rest -= limb
        parts.append(np.bincount(group, weights=limb, minlength=n_groups))
    high, middle, low = parts
    total = np.ldexp(np.ldexp(np.ldexp(low, -_LIMB) + middle, -_LIMB) + high, -_LIMB)
    return np.ldexp(total, exponent)


def weight_exponents(y: IntArray, weights: FloatArray, n_classes: int) -> IntArray:
    """Return a power of two for each class that brings extreme weights back to a safe range.

    Zero for all classes unless some weight is so large or so small that sums or squares would
    leave the range of a double.
    """
    peak = np.zeros(n_classes)
    np.maximum.at(peak, y, weights)
    exponent = np.frexp(peak)[1].astype(np.int64)
    return exponent if (np.abs(exponent) > _SAFE_EXPONENT).any() else np.zeros_like(exponent)


def difference_of_products(a: Floats, b: Floats, c: Floats, d: Floats) -> FloatArray:
    """Return a*b - c*d to within two units in the last place, also when the two nearly cancel."""
    high_1, low_1 = _product(a, b)
    high_2, low_2 = _product(c, d)
    return (high_1 - high_2) + (low_1 - low_2)


def _product(a: Floats, b: Floats) -> tuple[FloatArray, FloatArray]:
    """Return the product rounded, and what the rounding took away (Dekker, Veltkamp)."""
    high = np.multiply(a, b)
    a_high, a_low = _split(a)
    b_high, b_low = _split(b)
    low = ((a_high * b_high - high) + a_high * b_low + a_low * b_high) + a_low * b_low
    return high, low


def _split(a: Floats) -> tuple[FloatArray, FloatArray]:
    """Return two halves of 26 bits each that add up to `a`."""
    scaled = np.multiply(_SPLIT, a)
    high = scaled - (scaled - a)
    return high, a - high
