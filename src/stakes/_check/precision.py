"""The precision that a table shows, and how far rounding to it moves the sums of its rows from 1.

It is found from the values, so that the same numbers mean the same as float32, as doubles, as lists
and as text. Rounding never moves a probability beyond 0 or 1, which every precision can write.
"""

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from stakes._check.digits import (
    FORMATS,
    MARGIN,
    MOST_DIGITS_OF_SINGLE,
    Digits,
    every,
    fewest,
    has_bits,
    nearest,
    parts,
    row_shift,
)
from stakes._check.written import bound_of_text, is_text_of, rows_of_text, written_from_single
from stakes._typing import BoolArray, FloatArray

_HALF = 1e-4  # units above are of half precision, computed in single and rounded at the end
_SINGLE = float(np.finfo(np.float32).eps)
_FLOOR = 1e-12  # how far a row may be from summing to 1, at least
NEVER = 0.01  # a gap of this size is not rounding, however few digits there are


@dataclass(frozen=True)
class Rounding:
    """Why rows do not sum to 1 exactly, and how far from it they were."""

    precision: str  # "float32", "4 decimals", "6 digits"; empty where the rows say nothing
    gap: float  # largest distance of a row from summing to 1
    renormalized: bool
    mixed: bool = False  # rows show several precisions; those of a binary format stay as they are
    outside: float = 0.0  # largest distance of a value from [0, 1] before it was taken as 0 or 1

    def __str__(self) -> str:
        said = []
        way = "used as they are"
        if self.renormalized:
            every = "each row was divided by its sum"
            way = "rows rounded to digits were divided by their sums" if self.mixed else every
        if self.gap or self.renormalized or not self.outside:
            found = f" ({self.precision})" if self.precision else ""
            said.append(f"rows of scores sum to 1 within {self.gap:.2g}{found}; {way}")
        if self.outside:
            said.append(f"scores up to {self.outside:.2g} outside [0, 1] were taken as 0 or 1")
        return f"{'; '.join(said)}."


@dataclass(frozen=True, eq=False)
class Shown:
    """A precision, and the bound that it sets to the gap of each row."""

    precision: str
    bound: FloatArray = field(repr=False)
    rounded: bool  # to decimal digits, rather than to numbers of a binary format


def slack(unit: float, n_classes: int) -> float:
    """Return how far a row of probabilities computed with this rounding unit may be from 1."""
    return _limit(unit if unit > _HALF else 8 * unit * math.sqrt(n_classes))


def log_slack(unit: float, n_classes: int) -> float:
    """Return the same for the exponentials of log probabilities, which are larger numbers."""
    return _limit(4 * unit if unit > _HALF else 64 * unit * math.sqrt(n_classes))


def _limit(most: float) -> float:
    """Return a limit that no rounding in double precision exceeds, and that is never 1 %."""
    return min(max(most, _FLOOR), NEVER * (1 - MARGIN))


def format_name(unit: float) -> str:
    """Return the name of the binary format with this rounding unit."""
    bits = 1 - round(math.log2(unit))
    return next((name for name, known in FORMATS.items() if known == bits), f"{bits} bits")


def shown_precisions(
    values: FloatArray, *, logs: bool = False, significant: bool | None = None
) -> Iterator[Shown]:
    """Yield the precisions that all values of a table show, those that are quick to find first.

    Numbers of a binary format are known by their bits. Decimals are known by being multiples of
    a power of ten, or by their significant digits. Digits may be text of a binary format. A few
    rows of a table may look like that by chance: for these look at `significant` digits or at
    decimals only, and text must be so beyond chance.
    """
    k = values.shape[1]
    name = next((n for n, bits in FORMATS.items() if every(values, has_bits(bits))), "float64")
    unit = 2.0 ** (1 - FORMATS.get(name, 53))
    limit = (log_slack if logs else slack)(unit, k)
    yield Shown(name, np.full(len(values), limit), rounded=False)
    if name in {"bfloat16", "float16"}:
        return
    computed = _computed(k, logs=logs)
    some = significant is not None
    kinds = (significant,) if significant is not None else (False, True)
    found: list[Digits] = []
    single: FloatArray | None = None
    for digits, bound in _digit_bounds(values, name, kinds, logs=logs):
        found.append(digits)
        # All errors at their largest at once would be ties, which round half to even avoids.
        yield Shown(digits.text, _capped(bound * (1 - MARGIN)), rounded=True)
        chance = some and not is_text_of(values, digits, "float32")
        if name == "float32" or (not chance and written_from_single(values, digits)):
            wider = _capped(bound * (1 + MARGIN) + computed)
            yield Shown(digits.text, wider, rounded=True)
            if name != "float32" and digits.count > MOST_DIGITS_OF_SINGLE:
                single = nearest(values, "float32")
    if single is not None:  # of which 12.34 / 100 is written as 0.12340001
        for digits, bound in _digit_bounds(single, "float32", kinds, logs=logs):
            yield Shown(digits.text, _capped(bound * (1 + MARGIN) + computed), rounded=True)
    for source in ("float16", "bfloat16"):
        for digits in found:
            moved = bound_of_text(values, digits, source, logs=logs, sure=some)
            if moved is not None:
                yield Shown(source, _capped(moved + computed), rounded=True)


def shown_by_text(values: FloatArray, *, logs: bool = False) -> Iterator[tuple[BoolArray, Shown]]:
    """Yield the formats that rows are the shortest text of, with these rows."""
    for name in ("float32", "float16", "bfloat16"):
        found = rows_of_text(values, name, logs=logs)
        if found is not None:
            fits, bound = found
            bound = _capped(bound[fits] + _computed(values.shape[1], logs=logs))
            yield fits, Shown(name, bound, rounded=True)


def _computed(k: int, *, logs: bool) -> float:
    """Return how far computing in single precision can move the sum of a row before rounding."""
    return log_slack(_SINGLE, k) if logs else _SINGLE * (k / 2 + 2)


def _digit_bounds(
    values: FloatArray, name: str, kinds: Iterable[bool], *, logs: bool
) -> Iterator[tuple[Digits, FloatArray]]:
    """Yield the fewest digits of each kind, and how far rounding to them moves sums of rows."""
    for significant in kinds:
        digits = fewest(values, significant=significant, name=name)
        if digits is not None:
            moved = [row_shift(part, digits.half(part), logs=logs) for part in parts(values)]
            yield digits, np.concatenate(moved)


def _capped(bound: FloatArray) -> FloatArray:
    """Return bounds below what is never rounding."""
    return np.minimum(bound, NEVER * (1 - MARGIN))
