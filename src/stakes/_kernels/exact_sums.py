"""Exact sums of doubles by class: no order, batching or merging of the samples changes a bit."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from stakes._kernels import definitions
from stakes._kernels.definitions.exact import LIMBS, carried
from stakes._kernels.kernel_arrays import as_codes, as_numbers, check_lengths, contiguous
from stakes._kernels.library import KERNELS, kernel
from stakes._typing import FloatArray, IntArray, NDArray

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

    Examples
    --------
    >>> import numpy as np
    >>> sums = ExactSums(2)
    >>> sums.add(np.array([0, 1, 0, 0]), np.array([1e300, 0.1, 2.5, -1e300]))
    >>> sums.total()
    array([2.5, 0.1])
    >>> (sums + sums).total()
    array([5. , 0.2])
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
            part._add(y[rows], x[rows], None if times is None else times[rows])
        if part is not self:
            self._limbs, self._additions = carried(self._limbs) + carried(part._limbs), 2

    def _add(self, y: NDArray[Any], x: NDArray[Any], copies: IntArray | None) -> None:
        """Add few enough samples for the limbs."""
        limbs = self.reserve(x.size)
        if KERNELS is None:
            definitions.exact_add(limbs, y, x, copies)
        else:
            _exact_add(y, x, copies, x.size, len(limbs), limbs)

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

    __hash__ = None  # type: ignore[assignment]

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
