"""Numbers of few bits or few decimal digits: what tells them, and how far rounding moved them.

Digits may have been written from numbers of a binary format. Text of float16 shows four or five
digits, but its rows are as far from 1 as those of float16.
"""

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
_SHORTEST_SINGLE = (8, 9)  # digits that tell any two float32 apart; seven do for many
_MOST_DIGITS = {"bfloat16": 4, "float16": 5, "float32": 9}  # that tell any two numbers apart
_SURE = 10.0  # bits: digits that meet a format by chance do so once in a thousand tables
_AGAINST = 4.0  # bits: a row that is not text of the format, where one in 16 may be wrong
_LOOKED_AT = 1024  # rows that are enough to be sure

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


SHORTEST = Digits(9, significant=True, format="float64")  # enough for any float32


def written_from_single(values: FloatArray, digits: Digits) -> bool:
    """Whether all digits are those of single-precision numbers, and most values use all digits.

    Single precision is then where the digits came from, or cannot be excluded. A number may be
    written with fewer digits than others, where fewer are enough to find it again.
    """
    fewer = Digits(digits.count - 1, digits.significant, digits.format)
    used = total = 0
    for part in parts(values):
        known = np.where(np.isfinite(part), part, 0.0)
        if not _near_single(known, digits.half(known), digits).all():
            return False
        between = (known != 0) & (known != 1)
        used += int((~fewer.exact(known) & between).sum())
        total += int(between.sum())
    few = digits.count < _SHORTEST_SINGLE[0]  # so few digits are near some float32 in any case
    return not few or 2 * used > total


def _near_single(values: FloatArray, half: FloatArray, digits: Digits) -> BoolArray:
    """Tell which values are as near to a single-precision number as their digits allow."""
    moved = np.abs(values - nearest(values, "float32"))
    allowed = half
    if digits.significant and digits.count in _SHORTEST_SINGLE:
        eight, seven = (Digits(n, significant=True, format=digits.format) for n in (8, 7))
        allowed = np.where(eight.exact(values), eight.half(values), allowed)
        allowed = np.where(seven.exact(values), np.inf, allowed)
    return np.asarray(moved <= (1 + MARGIN) * allowed + 2.0**-52 * np.abs(values))


@dataclass(frozen=True, eq=False)
class _Text:
    """How values are as text of the numbers of a format that are nearest to them."""

    moved: FloatArray  # by writing, and by rounding to the format at most
    by_digits: BoolArray  # the number with so many digits
    shortest: BoolArray  # the shortest digits that find the number again
    evidence: FloatArray  # bits: how rare such digits are among all of their number

    @property
    def fits(self) -> BoolArray:
        """Tell which values are numbers of the format."""
        return self.by_digits | self.shortest


def bound_of_text(
    values: FloatArray, digits: Digits, name: str, *, logs: bool = False, sure: bool = False
) -> FloatArray | None:
    """Return how far sums of rows are moved if digits are text of a format; None if they are not.

    Few values, or few digits, meet numbers of a format by chance. Then only the shortest digits
    of float16 are taken for its text, and not those where one must be `sure`.
    """
    certain = is_text_of(values, digits, name)
    if not certain and (sure or name != "float16"):
        return None
    bound = []
    for part in parts(values):
        text = _as_text(part, digits, name)
        if not (text.fits if certain else text.shortest).all():
            return None
        bound.append(row_shift(part, text.moved, logs=logs))
    return np.concatenate(bound) * (1 + MARGIN)


def is_text_of(values: FloatArray, digits: Digits, name: str) -> bool:
    """Whether values, of which it looks at some, are text of a format and not so by chance."""
    step = -(-len(values) // _LOOKED_AT)
    text = _as_text(np.unique(values[::step]), digits, name)
    return bool(text.fits.all() and text.evidence.sum() >= _SURE)


def rows_of_text(
    values: FloatArray, name: str, *, logs: bool = False
) -> tuple[BoolArray, FloatArray] | None:
    """Return which rows are the shortest text of a format, and how far their sums are moved.

    Rows are taken for such text if there are more of them than by chance, and few others.
    """
    step = max(1, -(-len(values) // _LOOKED_AT))
    some = np.unique(values[::step], axis=0)
    text = _as_text(some, SHORTEST, name)
    fit = text.fits.all(axis=1)
    if text.evidence[fit].sum() - _AGAINST * (~fit).sum() < _SURE:
        return None
    found = [(_as_text(part, SHORTEST, name), part) for part in parts(values)]
    fits = np.concatenate([text.fits.all(axis=1) for text, _ in found])
    bound = np.concatenate([row_shift(part, text.moved, logs=logs) for text, part in found])
    return fits, bound * (1 + MARGIN)


def _as_text(values: FloatArray, digits: Digits, name: str) -> _Text:
    """Compare values with the numbers of a format."""
    known = np.where(np.isfinite(values), values, 0.0)
    number, step = nearest(known, name), spacing(known, name)
    written = np.abs(known - number)
    allowed = digits.half(known)
    if name != "float32":  # numbers of half precision may be written as float32
        allowed = np.maximum(allowed, spacing(known, "float32") / 2)
    slip = digits.tolerance * np.abs(known)
    by_digits = written <= (1 + MARGIN) * allowed + slip
    text, last = _shortest(number, name)
    shortest = np.abs(known - text) <= slip
    width = np.where(shortest, np.maximum(last, 2 * allowed), 2 * allowed)
    evidence = np.log2(step, out=np.zeros(known.shape), where=known != 0)
    evidence -= np.log2(width, out=np.zeros(known.shape), where=known != 0)
    evidence = np.where((known == 0) | (known == 1), 0.0, np.maximum(evidence, 0))
    return _Text(step / 2 + written, by_digits, shortest, evidence)


def _shortest(numbers: FloatArray, name: str) -> tuple[FloatArray, FloatArray]:
    """Return the shortest decimals that find numbers of a format again, and their last units."""
    text, last = numbers.copy(), np.zeros(numbers.shape)
    for count in range(_MOST_DIGITS[name], 0, -1):
        unit = 10.0 ** -Digits(count, significant=True, format="float64").power(numbers)
        for way in (np.ceil, np.rint):  # what rounds to a power of two reaches farther above
            decimal = way(numbers / unit) * unit
            found = nearest(decimal, name) == numbers
            text, last = np.where(found, decimal, text), np.where(found, unit, last)
    return text, last
