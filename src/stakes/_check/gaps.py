"""Which rows rounding explains: by what the whole table shows, then by what each row shows."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from stakes._check.digits import FORMATS, MOST_DIGITS, candidates, has_bits, passing
from stakes._check.precision import (
    NEVER,
    Rounding,
    Shown,
    format_name,
    shown_by_text,
    shown_precisions,
)
from stakes._check.written import SHORTEST
from stakes._typing import BoolArray, FloatArray, IntArray

Slack = Callable[[float, int], float]
_DOUBLE = float(np.finfo(np.float64).eps)
_ZEROS = 2  # last digits that are 0: one row in a hundred has so many by chance
_LISTED = 3  # precisions that a note lists, those of most rows


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
    values: FloatArray, gap: FloatArray, unit: float, limit: Slack, *, logs: bool = False
) -> Explained | Unexplained:
    """Return how rounding explains the gaps of rows, or the rows for which it does not."""
    most = float(gap.max(initial=0))
    least = limit(_DOUBLE, values.shape[1])
    if most <= least:
        return None, None
    if most <= limit(unit, values.shape[1]):
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
        left = (self._by == -2) & (self.gap < NEVER)
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
        by = np.bincount(self._by[self._by >= 0], minlength=len(self._kinds))
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
