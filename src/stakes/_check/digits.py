"""Numbers of few bits or few decimal digits: what tells them, and how far rounding moved them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stakes._typing import BoolArray, FloatArray, IntArray, NDArray

FORMATS = {"bfloat16": 8, "float16": 11, "float32": 24}  # significant bits
MARGIN = 1e-6  # of a bound, for the rounding of the bound itself
MOST_DIGITS_OF_SINGLE = 6  # every float32 has few digits beyond
MOST_DIGITS = 15  # beyond, digits are those of a double
_EXACT_POWERS = 22  # powers of ten that a double holds exactly
_POWERS = 10.0 ** np.arange(_EXACT_POWERS + 1)
_LEAST_HALF = 2.0**-24  # the least number of float16, and the least distance of two
_TRIED = 64  # rows that a test is tried on first
_CELLS = 2**18  # that a check works on at a time

Test = Callable[[FloatArray], BoolArray]


def parts(values: FloatArray) -> Iterator[FloatArray]:
    """Yield some rows at a time, so that temporary arrays stay small."""
    size = max(1024, _CELLS // values.shape[1])
    for start in range(0, len(values), size):
        yield values[start : start + size]


def every(values: FloatArray, test: Test) -> bool:
    """Whether all values pass a test; some rows from all over the table fail most tests alone."""
    some = values[:: max(1, len(values) // _TRIED)]
    return bool(test(some).all()) and all(bool(test(part).all()) for part in parts(values))


def passing(values: FloatArray, rows: IntArray, test: Test) -> IntArray:
    """Return the rows whose values all pass a test; their first values fail most tests alone."""
    rows = rows[test(values[rows, 0])]
    size = max(1024, _CELLS // values.shape[1])
    some = [rows[start : start + size] for start in range(0, len(rows), size)]
    return np.concatenate([rows[:0], *(part[test(values[part]).all(axis=1)] for part in some)])


def has_bits(bits: int) -> Test:
    """Return the test for numbers of so many significant bits."""

    def test(values: FloatArray) -> BoolArray:
        scaled = np.ldexp(np.frexp(values)[0], bits)
        return np.asarray(scaled == np.rint(scaled))

    return test


def nearest(values: FloatArray, name: str) -> FloatArray:
    """Return the nearest numbers of a binary format."""
    if name != "bfloat16":
        return values.astype(name).astype(np.float64)
    fraction, exponent = np.frexp(values)
    bits = FORMATS[name]
    return np.asarray(np.ldexp(np.rint(np.ldexp(fraction, bits)), exponent - bits))


def spacing(values: FloatArray, name: str) -> FloatArray:
    """Return how far apart numbers of a binary format are at these values."""
    step = np.ldexp(1.0, np.frexp(values)[1] - FORMATS[name])
    return np.asarray(np.maximum(step, _LEAST_HALF) if name == "float16" else step)


@dataclass(frozen=True)
class Digits:
    """So many decimal digits: after the point, or significant ones."""

    count: int
    significant: bool
    format: str

    @property
    def text(self) -> str:
        """How many digits, in words."""
        kind = "significant digit" if self.significant else "decimal"
        return f"{self.count} {kind}{'s' if self.count > 1 else ''}"

    @property
    def tolerance(self) -> float:
        """How far numbers of this format are from decimals: 12.34 / 100 is not quite 0.1234."""
        return 2.0**-23 if self.format == "float32" else 2.0**-51

    def power(self, values: FloatArray) -> FloatArray:
        """Return the power of ten of the last significant digit of each value, its sign turned."""
        size = np.abs(values)
        known = np.isfinite(size) & (size > 0)
        first = np.floor(np.log10(size, out=np.full(values.shape, -1.0), where=known))
        return self.count - 1 - np.where(size == 1, -1.0, first)  # 1 was rounded from below

    def exact(self, values: FloatArray) -> BoolArray:
        """Tell which values have no further digits; ones too small for the test have none."""
        if not self.significant:
            return self._on_grid(values, _POWERS[self.count])
        power = self.power(values)
        scale = _POWERS[np.clip(power, 0, _EXACT_POWERS).astype(np.int64)]
        return np.asarray(self._on_grid(values, scale) | (power > _EXACT_POWERS))

    def _on_grid(self, values: FloatArray, scale: NDArray[Any]) -> BoolArray:
        """Tell which values are multiples of 1 / scale, up to a unit or two in the last place."""
        decimal = np.rint(values * scale) / scale
        same = decimal == values
        if not same.all():
            with np.errstate(invalid="ignore"):  # infinities are the same
                same |= np.abs(decimal - values) <= self.tolerance * np.abs(values)
        return np.asarray(same)

    def half(self, values: FloatArray) -> FloatArray:
        """Return how far rounding can have moved each value."""
        if not self.significant:
            return np.full(values.shape, 0.5 * 10.0**-self.count)
        return np.where(values == 0, 0.0, 0.5 * 10.0 ** -self.power(values))


def candidates(name: str, *, significant: bool) -> Iterator[Digits]:
    """Yield the numbers of digits that values of a format can be seen to have, fewest first."""
    most = MOST_DIGITS if name == "float64" else MOST_DIGITS_OF_SINGLE
    for count in range(1, most + 1):
        yield Digits(count, significant, name)


def fewest(values: FloatArray, *, significant: bool, name: str) -> Digits | None:
    """Return the fewest digits that all values have."""
    tried = candidates(name, significant=significant)
    return next((digits for digits in tried if every(values, digits.exact)), None)


def row_shift(values: FloatArray, moved: FloatArray, *, logs: bool) -> FloatArray:
    """Return how far the sum of each row is moved, at most, if its values are moved so far."""
    return np.asarray((np.exp(values) * np.expm1(moved) if logs else moved).sum(axis=1))
