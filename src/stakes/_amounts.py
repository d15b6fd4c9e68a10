"""Costs and counts in units of the reader, with as many digits as their interval justifies."""

import math
import re
from dataclasses import dataclass

from stakes._errors import InputError
from stakes._text import number, plain

_MOST_DIGITS = 4
_LARGEST = 1e9
_MOST_DECIMALS = 6
_TIE = 1 + 1e-13  # what rounding may have taken from a tie
_FEW_DIGITS = 3  # of a value without an interval
_UNIT = re.compile(r"\s*(?:(\d+(?:[.,]\d+)?(?:e[+-]?\d+)?)\s*)?(\S.*?)?\s*", re.ASCII)

Band = tuple[float, float] | None


@dataclass(frozen=True)
class Unit:
    """What one unit of cost is: 250 EUR; without a name a plain number."""

    name: str = ""
    scale: float = 1.0


def read_unit(text: str) -> Unit:
    """Return the unit that a text names, with the size of one unit of cost in it.

    >>> read_unit("EUR"), read_unit("250 EUR")
    (Unit(name='EUR', scale=1.0), Unit(name='EUR', scale=250.0))
    """
    found = _UNIT.fullmatch(text)
    scale = float(((found and found[1]) or "1").replace(",", "."))
    name = plain((found and found[2]) or "", 20)
    if text.strip() and (not name or not math.isfinite(scale) or scale <= 0):
        rule = "must be a unit, such as EUR, or a number above 0 and a unit, such as '250 EUR'"
        raise InputError("unit", rule, repr(text))
    return Unit(name, scale)


def decimals_of(value: float, band: Band) -> int:
    """Return how many decimals of a value its interval justifies; below 0, round to tens or more.

    >>> decimals_of(0.6819, (0.419, 1.035)), decimals_of(681.9, (419, 1035))
    (2, -1)
    """
    size = max(abs(value), *(abs(end) for end in band)) if band else abs(value)
    if not (size > 0 and math.isfinite(size)):
        return 0
    most = _MOST_DIGITS - 1 - math.floor(math.log10(size))
    half = (band[1] - band[0]) / 2 if band else 0.0
    if not half > 0:
        return most - (_MOST_DIGITS - _FEW_DIGITS)
    return min(most, 1 - math.floor(math.log10(half)))


def amount(value: float, decimals: int) -> str:
    """Return a value with so many decimals, in groups of thousands.

    Ties, up to rounding, go away from 0, so that a cost reads the same per case and per 1,000.

    >>> amount(0.6819, 2), amount(1034.7, -1), amount(12345.6, 0), amount(float("inf"), 0)
    ('0.68', '1,030', '12,346', '∞')
    >>> amount(0.8905, 3), amount(890.5, 0)
    ('0.891', '891')
    """
    if not math.isfinite(value):
        return number(value)
    if abs(value) >= _LARGEST or decimals > _MOST_DECIMALS:
        return f"{value:.1e}".replace("-", "−")
    step = 10.0 ** abs(decimals)
    size = abs(value) * step if decimals > 0 else abs(value) / step
    steps = math.floor(size * _TIE + 0.5)
    whole, rest = divmod(steps, int(step)) if decimals > 0 else (steps * int(step), 0)
    sign = "−" if value < 0 < steps else ""
    return f"{sign}{whole:,}" + (f".{rest:0{decimals}d}" if decimals > 0 else "")


def with_unit(text: str, unit: Unit) -> str:
    """Return an amount with its unit, if it has a name."""
    return f"{text} {unit.name}" if unit.name else text
