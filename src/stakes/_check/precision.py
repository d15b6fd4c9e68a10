"""The precision that a table shows, and which rows that do not sum to 1 rounding to it explains.

It is found from the values, so that the same numbers mean the same as float32, as doubles, as lists
and as text. Rounding never moves a probability beyond 0 or 1, which every precision can write.
"""

import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np

from stakes._check.digits import (
    FORMATS,
    MARGIN,
    MOST_DIGITS,
    MOST_DIGITS_OF_SINGLE,
    SHORTEST,
    Digits,
    bound_of_text,
    candidates,
    every,
    fewest,
    has_bits,
    is_text_of,
    nearest,
    parts,
    passing,
    row_shift,
    rows_of_text,
    written_from_single,
)
from stakes._counting import bincount
from stakes._typing import BoolArray, FloatArray, IntArray

_HALF = 1e-4  # units above are of half precision, computed in single and rounded at the end
_SINGLE = float(np.finfo(np.float32).eps)
_FLOOR = 1e-12  # how far a row may be from summing to 1, at least
_DOUBLE = float(np.finfo(np.float64).eps)
_ZEROS = 2  # last digits that are 0: one row in a hundred has so many by chance
_LISTED = 3  # precisions that a note lists, those of most rows
_NEVER = 0.03  # a gap of this size is not rounding, however few digits or many classes there are
_NEVER_BINARY = 0.01  # nor is this one in a binary format


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
        way = "used unchanged"
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


def slack(unit: float, n_classes: int, *, logs: bool = False) -> float:
    """Return how far a row of probabilities computed with this rounding unit may be from 1.

    It is more for exponentials of log probabilities, which are larger numbers. No rounding in
    double precision exceeds it, and it is never 1 %.
    """
    half, factor = (4 * unit, 64) if logs else (unit, 8)
    most = half if unit > _HALF else factor * unit * math.sqrt(n_classes)
    return min(max(most, _FLOOR), _NEVER_BINARY * (1 - MARGIN))


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
    yield Shown(name, np.full(len(values), slack(unit, k, logs=logs)), rounded=False)
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
    return slack(_SINGLE, k, logs=True) if logs else _SINGLE * (k / 2 + 2)


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
    return np.minimum(bound, _NEVER * (1 - MARGIN))


# Rounding that explains the gaps of all rows, and the rows that it moved to digits.
Explained = tuple[Rounding | None, BoolArray | None]


@dataclass(frozen=True, eq=False)
class Unexplained:
    """Rows whose gaps rounding does not explain."""

    count: int
    row: int  # the one farthest off
    precision: str  # the digits that this row shows, if any
    bound: float  # the gaps that these explain


def explain_gaps(
    values: FloatArray, gap: FloatArray, unit: float, *, logs: bool = False
) -> Explained | Unexplained:
    """Return how rounding explains the gaps of rows, or the rows for which it does not."""
    most = float(gap.max(initial=0))
    least = slack(_DOUBLE, values.shape[1], logs=logs)
    if most <= least:
        return None, None
    if most <= slack(unit, values.shape[1], logs=logs):
        return Rounding(format_name(unit), most, renormalized=False), None
    tried = []
    for shown in shown_precisions(values, logs=logs):
        if (gap <= shown.bound).all():
            rounding = Rounding(shown.precision, most, renormalized=shown.rounded)
            return rounding, np.ones(len(gap), dtype=bool) if shown.rounded else None
        tried.append(shown)
    rows = _Rows(gap, least)
    for shown in tried:
        rows.enter(np.arange(len(gap)), shown)
    _explain_by_rows(values, rows, logs=logs)
    return rows.result()


@dataclass(eq=False)
class _Rows:
    """What explains each row, and the widest bound that anything sets to it."""

    gap: FloatArray
    least: float
    _kinds: list[Shown] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._by = np.where(self.gap <= self.least, -1, -2)  # -1: sums to 1, -2: not explained
        self._widest = np.full(len(self.gap), -1)
        self._bound = np.zeros(len(self.gap))
        self.decimals = np.full(len(self.gap), MOST_DIGITS + 1)

    def enter(self, rows: IntArray, shown: Shown) -> None:
        """Enter a precision that these rows show."""
        kind = len(self._kinds)
        self._kinds.append(shown)
        fits = (self._by[rows] == -2) & (self.gap[rows] <= shown.bound)
        self._by[rows[fits]] = kind
        wider = shown.bound > self._bound[rows]
        self._widest[rows[wider]] = kind
        self._bound[rows[wider]] = shown.bound[wider]

    def explained(self, rows: IntArray) -> bool:
        """Whether something explains each of these rows."""
        return bool((self._by[rows] != -2).all())

    def open(self) -> IntArray:
        """Return the rows that rounding may yet explain, and the one farthest off."""
        left = (self._by == -2) & (self.gap < _NEVER)
        left[self.gap.argmax()] |= self._by[self.gap.argmax()] == -2
        return np.flatnonzero(left)

    def result(self) -> Explained | Unexplained:
        """Return what explains the rows, or which rows nothing explains."""
        off = np.flatnonzero(self._by == -2)
        if off.size:
            row = int(off[self.gap[off].argmax()])
            widest = self._kinds[self._widest[row]]
            precision = widest.precision if widest.rounded else ""
            return Unexplained(off.size, row, precision, float(self._bound[row]))
        rounded = np.array([*(shown.rounded for shown in self._kinds), False])[self._by]
        most = float(self.gap.max())
        return Rounding(self._text(), most, bool(rounded.any()), mixed=True), rounded

    def _text(self) -> str:
        counts: Counter[str] = Counter()
        by = bincount(self._by[self._by >= 0], minlength=len(self._kinds))
        for shown, n in zip(self._kinds, by.tolist(), strict=True):
            counts[shown.precision] += n
        order = sorted(+counts, key=lambda name: (-counts[name], name))
        others = sum(counts[name] for name in order[_LISTED:])
        said = [(name, counts[name]) for name in order[:_LISTED]]
        said += [("other digits", others)] if others else []
        return ", ".join(f"{name} in {n} row{'' if n == 1 else 's'}" for name, n in said)


def _explain_by_rows(values: FloatArray, rows: _Rows, *, logs: bool) -> None:
    """Look for what explains rows among those that show the same."""
    _explain_by_text(values, rows, logs=logs)
    for significant in (False, True):
        for group in _groups(values, rows, significant=significant):
            for shown in shown_precisions(values[group], logs=logs, significant=significant):
                rows.enter(group, shown)
                if rows.explained(group):
                    break
    _explain_by_text(values, rows, logs=logs)  # among fewer others


def _explain_by_text(values: FloatArray, rows: _Rows, *, logs: bool) -> None:
    """Look for rows that are the shortest text of a binary format."""
    text = passing(values, rows.open(), SHORTEST.exact)
    if text.size:
        for fits, shown in shown_by_text(values[text], logs=logs):
            rows.enter(text[fits], shown)


def _groups(values: FloatArray, rows: _Rows, *, significant: bool) -> Iterator[IntArray]:
    """Yield rows not explained yet that show the same bits, or the same number of digits."""
    left = rows.open()
    for name, bits in FORMATS.items():
        group = passing(values, left, has_bits(bits))
        left = np.setdiff1d(left, group, assume_unique=True)
        if name == "float32":
            yield from _by_digits(values, rows, group, name, significant=significant)
        elif group.size:
            yield group
    yield from _by_digits(values, rows, left, "float64", significant=significant)


def _by_digits(
    values: FloatArray, rows: _Rows, left: IntArray, name: str, *, significant: bool
) -> Iterator[IntArray]:
    """Yield rows with the same number of decimals, or of significant digits."""
    group = left[:0]
    for digits in candidates(name, significant=significant):
        found = passing(values, left, digits.exact)
        left = np.setdiff1d(left, found, assume_unique=True)
        if not significant:
            rows.decimals[found] = digits.count
        group = np.concatenate([group, found])
        sure = not significant
        if significant:  # each last decimal that is 0 without need is one chance in ten
            some = values[group]
            zeros = np.maximum(rows.decimals[group][:, None] - digits.power(some), 0)
            sure = zeros[some != 0].sum() >= _ZEROS
        if group.size and sure:
            yield group
            group = left[:0]
    if left.size:
        yield left
