"""Exact sums of doubles by class: no order, batching or merging of the samples changes a bit."""

import math
from collections.abc import Iterable
from typing import Any, ClassVar

import numpy as np

from stakes._counting import bincount
from stakes._kernels.definitions.sample_sums import check_codes
from stakes._kernels.kernel_arrays import as_codes, as_numbers, check_lengths, contiguous
from stakes._kernels.library import KERNELS, kernel
from stakes._typing import FloatArray, IntArray, NDArray

LIMBS = 68
_LIMB = 32  # bits
_LOW = 2**_LIMB - 1
_BLOCK = 2**19  # samples whose limbs, each below 2^33, sum to less than 2^53
_DIGIT = 10  # bits of copies at a time, so that products with a mantissa fit 63 bits
_UNIT = 2**1074  # units of the whole numbers in 1
_BELOW_LAST = 32 * (LIMBS - 1)  # bits of all limbs but the last
_MOST_COPIES = 2**44
_MOST_ADDITIONS = 2**29  # additions of less than 2^33 to a limb, with its carry within int64
_SLICE = 2**26  # samples at a time
_A_SAMPLE = 8  # additions to a limb for each sample, at most

_exact_add = kernel("exact_add", "ccaiia")


class ExactSums:
    """Exact sums of finite doubles within each of `n` classes.

    `total` rounds each sum once. Equal samples give equal sums in any order, in any batches, and
    added up from any parts.
    """

    def __init__(self, n: int) -> None:
        self._limbs: IntArray = np.zeros((n, LIMBS), dtype=np.int64)
        self._additions = 0  # since limbs were carried

    @classmethod
    def from_integers(cls, integers: Iterable[int]) -> "ExactSums":
        """Return the sums that `integers` returned."""
        whole = list(integers)
        sums = cls(len(whole))
        for row, value in zip(sums._limbs, whole, strict=True):
            last = value >> _BELOW_LAST
            if abs(last) >= 2**31:
                msg = f"integers must have at most 2175 bits: got one of {value.bit_length()}."
                raise ValueError(msg)
            low = (value - (last << _BELOW_LAST)).to_bytes(_BELOW_LAST // 8, "little")
            row[:-1], row[-1] = np.frombuffer(low, dtype="<u4"), last
        return sums

    def add(
        self, code: NDArray[Any], values: NDArray[Any], copies: NDArray[Any] | None = None
    ) -> None:
        """Add values to the sums of their classes, each as often as `copies` says, or once.

        A code that is not a class, a value that is not finite, and copies that are not in
        0..2^44-1 raise ValueError, and nothing is added.
        """
        x, y = as_numbers(values), as_codes(code)
        times = None if copies is None else contiguous(as_codes(copies), np.int64)
        check_lengths(x.size, values=x, code=y, copies=times)
        if times is not None and times.size and not 0 <= times.min() <= times.max() < _MOST_COPIES:
            msg = f"copies must be in 0..2**44-1: got {times.min()} to {times.max()}."
            raise ValueError(msg)
        part = ExactSums(len(self._limbs)) if x.size > _SLICE else self
        for start in range(0, x.size, _SLICE):
            rows = slice(start, start + _SLICE)
            sample = y[rows], x[rows], None if times is None else times[rows]
            limbs = part.reserve(sample[0].size)
            if KERNELS is None:
                add_defined(limbs, *sample)
            else:
                _exact_add(*sample, sample[0].size, len(limbs), limbs)
        if part is not self:
            self._limbs, self._additions = carried(self._limbs) + carried(part._limbs), 2

    def reserve(self, samples: int) -> IntArray:
        """Return the limbs, classes x 68, ready for a kernel to add at most 2^26 samples."""
        self._additions += _A_SAMPLE * samples
        if self._additions > _MOST_ADDITIONS:
            self._limbs = carried(self._limbs)
            self._additions = _A_SAMPLE * samples
        return self._limbs

    def __add__(self, other: "ExactSums") -> "ExactSums":
        if len(self._limbs) != len(other._limbs):
            msg = f"sums must have as many classes: got {len(self._limbs)} and {len(other._limbs)}."
            raise ValueError(msg)
        both = ExactSums(0)
        both._limbs, both._additions = carried(self._limbs) + carried(other._limbs), 2
        return both

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ExactSums):
            return NotImplemented
        return np.array_equal(carried(self._limbs), carried(other._limbs))

    __hash__: ClassVar[None] = None  # type: ignore[assignment]

    def __len__(self) -> int:
        return len(self._limbs)

    def integers(self) -> list[int]:
        """Return each sum as a whole number of units of 2^-1074."""
        limbs = carried(self._limbs)
        low, last = limbs[:, :-1].astype("<u4"), limbs[:, -1].tolist()
        return [
            int.from_bytes(row.tobytes(), "little") + (top << _BELOW_LAST)
            for row, top in zip(low, last, strict=True)
        ]

    def total(self) -> FloatArray:
        """Return each sum, rounded once to the nearest double; too large a sum is infinite."""
        return np.array([_rounded(value) for value in self.integers()], dtype=np.float64)


def _rounded(units: int) -> float:
    """Return the double nearest to a whole number of units."""
    try:
        return units / _UNIT
    except OverflowError:
        return math.inf if units > 0 else -math.inf


def add_defined(
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
        found = bincount(place + step, sign * part, limbs.size)
        limbs += found.astype(np.int64).reshape(limbs.shape)


def carried(limbs: IntArray) -> IntArray:
    """Return limbs of the same sums in 0..2^32-1, the last ones with any sign."""
    out = limbs.copy()
    for place in range(LIMBS - 1):
        carry = out[:, place] >> _LIMB
        out[:, place] &= _LOW
        out[:, place + 1] += carry
    return out
