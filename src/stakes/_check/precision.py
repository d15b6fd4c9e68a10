"""The precision that a table shows, and how far rounding to it moves the sums of its rows from 1.

It is found from the values, so that the same numbers mean the same as float32, as doubles, as lists
and as text. Rounding never moves a probability beyond 0 or 1, which every precision can write.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from stakes._typing import BoolArray, FloatArray, NDArray

_FORMATS = {"bfloat16": 8, "float16": 11, "float32": 24}  # significant bits
_MOST_DIGITS = 15  # beyond, digits are those of a double
_EXACT_POWERS = 22  # powers of ten that a double holds exactly
_POWERS = 10.0 ** np.arange(_EXACT_POWERS + 1)
_SHORTEST_SINGLE = (8, 9)  # digits that tell any two float32 apart; seven do for many
_HALF = 1e-4  # units above are of half precision, computed in single and rounded at the end
_SINGLE = float(np.finfo(np.float32).eps)
_FLOOR = 1e-12  # how far a row may be from summing to 1, at least
_CELLS = 2**18  # that a check works on at a time
NEVER = 0.01  # a gap of this size is not rounding, however few digits there are
_MARGIN = 1e-6  # of a bound, for the rounding of the bound itself


@dataclass(frozen=True)
class Rounding:
    """Why rows do not sum to 1 exactly, and how far from it they were."""

    precision: str  # "float32", "4 decimals", "6 digits"; empty where the rows say nothing
    gap: float  # largest distance of a row from summing to 1
    renormalized: bool

    def __str__(self) -> str:
        found = f" ({self.precision})" if self.precision else ""
        way = "each row was divided by its sum" if self.renormalized else "used as they are"
        return f"rows of scores sum to 1 within {self.gap:.2g}{found}; {way}."


@dataclass(frozen=True, eq=False)
class Shown:
    """A precision, and the bound that it sets to the gap of each row."""

    precision: str
    bound: FloatArray = field(repr=False)
    rounded: bool  # to decimal digits, rather than to numbers of a binary format

    def explains(self, gap: FloatArray) -> bool:
        """Whether rounding explains the gaps of all rows."""
        return bool((gap <= self.bound).all())


def slack(unit: float, n_classes: int) -> float:
    """Return how far a row of probabilities computed with this rounding unit may be from 1."""
    return _limit(unit if unit > _HALF else 8 * unit * math.sqrt(n_classes))


def log_slack(unit: float, n_classes: int) -> float:
    """Return the same for the exponentials of log probabilities, which are larger numbers."""
    return _limit(4 * unit if unit > _HALF else 64 * unit * math.sqrt(n_classes))


def _limit(most: float) -> float:
    """Return a limit that no rounding in double precision exceeds, and that is never 1 %."""
    return min(max(most, _FLOOR), NEVER * (1 - _MARGIN))


def format_name(unit: float) -> str:
    """Return the name of the binary format with this rounding unit."""
    bits = 1 - round(math.log2(unit))
    return next((name for name, known in _FORMATS.items() if known == bits), f"{bits} bits")


def parts(values: FloatArray) -> Iterator[FloatArray]:
    """Yield some rows at a time, so that temporary arrays stay small."""
    size = max(1024, _CELLS // values.shape[1])
    for start in range(0, len(values), size):
        yield values[start : start + size]


def shown_precisions(values: FloatArray, *, logs: bool = False) -> Iterator[Shown]:
    """Yield the precisions that all values of a table show, those that are quick to find first.

    Numbers of a binary format are known by their bits. Decimals are known by being multiples of
    a power of ten, or by their significant digits.
    """
    k = values.shape[1]
    name = next((n for n, bits in _FORMATS.items() if _every(values, _has_bits(bits))), "float64")
    unit = 2.0 ** (1 - _FORMATS.get(name, 53))
    limit = (log_slack if logs else slack)(unit, k)
    yield Shown(name, np.full(len(values), limit), rounded=False)
    if name in {"bfloat16", "float16"}:
        return
    computed = log_slack(_SINGLE, k) if logs else _SINGLE * (k / 2 + 2)
    for significant in (False, True):
        digits = _fewest(values, significant=significant, name=name)
        if digits is None:
            continue
        bound = np.concatenate([_moved(part, digits, logs=logs) for part in parts(values)])
        # All errors at their largest at once would be ties, which round half to even avoids.
        yield Shown(digits.text, _capped(bound * (1 - _MARGIN)), rounded=True)
        if name == "float32" or _written_from_single(values, digits):
            wider = _capped(bound * (1 + _MARGIN) + computed)
            yield Shown(digits.text, wider, rounded=True)


def _capped(bound: FloatArray) -> FloatArray:
    """Return bounds below what is never rounding."""
    return np.minimum(bound, NEVER * (1 - _MARGIN))


Test = Callable[[FloatArray], BoolArray]


def _every(values: FloatArray, test: Test) -> bool:
    """Whether all values pass a test; the first rows fail most tests alone."""
    head = values[:64]
    return bool(test(head).all()) and all(bool(test(part).all()) for part in parts(values))


def _has_bits(bits: int) -> Test:
    """Return the test for numbers of so many significant bits."""

    def test(values: FloatArray) -> BoolArray:
        scaled = np.ldexp(np.frexp(values)[0], bits)
        return np.asarray(scaled == np.rint(scaled))

    return test


@dataclass(frozen=True)
class _Digits:
    """So many decimal digits: after the point, or significant ones."""

    count: int
    significant: bool
    format: str

    @property
    def text(self) -> str:
        """How many digits, in words."""
        kind = "significant digit" if self.significant else "decimal"
        return f"{self.count} {kind}{'s' if self.count > 1 else ''}"

    def power(self, values: FloatArray) -> FloatArray:
        """Return the power of ten of the last significant digit of each value, its sign turned."""
        size = np.abs(values)
        known = np.isfinite(size) & (size > 0)
        first = np.floor(np.log10(size, out=np.full(values.shape, -1.0), where=known))
        return self.count - 1 - np.where(size == 1, -1.0, first)  # 1 was rounded from below

    def exact(self, values: FloatArray) -> BoolArray:
        """Tell which values have no further digits; ones too small for the test have none."""
        if not self.significant:
            return np.asarray(self._rounded(values, _POWERS[self.count]) == values)
        power = self.power(values)
        scale = _POWERS[np.clip(power, 0, _EXACT_POWERS).astype(np.int64)]
        return np.asarray((self._rounded(values, scale) == values) | (power > _EXACT_POWERS))

    def _rounded(self, values: FloatArray, scale: NDArray[Any]) -> FloatArray:
        """Return the numbers of this format that are nearest to decimals."""
        nearest = np.rint(values * scale) / scale
        if self.format == "float32":
            nearest = nearest.astype(np.float32).astype(np.float64)
        return np.asarray(nearest)

    def half(self, values: FloatArray) -> FloatArray:
        """Return how far rounding can have moved each value."""
        if not self.significant:
            return np.full(values.shape, 0.5 * 10.0**-self.count)
        return np.where(values == 0, 0.0, 0.5 * 10.0 ** -self.power(values))


def _fewest(values: FloatArray, *, significant: bool, name: str) -> _Digits | None:
    """Return the fewest digits that all values have."""
    most = _MOST_DIGITS if name == "float64" else 6  # every float32 has few digits beyond
    for count in range(1, most + 1):
        digits = _Digits(count, significant, name)
        if _every(values, digits.exact):
            return digits
    return None


def _moved(values: FloatArray, digits: _Digits, *, logs: bool) -> FloatArray:
    """Return how far rounding can have moved the sum of each row."""
    half = digits.half(values)
    return np.asarray((np.exp(values) * np.expm1(half) if logs else half).sum(axis=1))


def _written_from_single(values: FloatArray, digits: _Digits) -> bool:
    """Whether all digits are those of single-precision numbers, and most values use all digits.

    Single precision is then where the digits came from, or cannot be excluded. A number may be
    written with fewer digits than others, where fewer are enough to find it again.
    """
    fewer = _Digits(digits.count - 1, digits.significant, digits.format)
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


def _near_single(values: FloatArray, half: FloatArray, digits: _Digits) -> BoolArray:
    """Tell which values are as near to a single-precision number as their digits allow."""
    moved = np.abs(values - values.astype(np.float32).astype(np.float64))
    allowed = half
    if digits.significant and digits.count in _SHORTEST_SINGLE:
        eight, seven = (_Digits(n, significant=True, format=digits.format) for n in (8, 7))
        allowed = np.where(eight.exact(values), eight.half(values), allowed)
        allowed = np.where(seven.exact(values), np.inf, allowed)
    return np.asarray(moved <= (1 + _MARGIN) * allowed + 2.0**-52 * np.abs(values))
