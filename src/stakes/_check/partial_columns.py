"""Columns of numbers that may be missing in some rows: labels of people, flags of abstentions."""

from typing import Any

import numpy as np

from stakes._check.labels import is_missing
from stakes._check.numbers import read_array
from stakes._check.tensors import as_one_array
from stakes._errors import InputError
from stakes._typing import BoolArray, Column, FloatArray


def read_partial(values: Column, argument: str, n: int | None = None) -> FloatArray:
    """Read one number per row, NaN where it is missing; of `n` rows, where that is known."""
    if values is None or isinstance(values, str | bytes) or np.isscalar(values):
        raise InputError(argument, "must be 1-D, one value per row", repr(values))
    array: Any = as_one_array(values, argument, ndim=1)
    if isinstance(array, list | tuple) and any(map(is_missing, array)):
        array = np.array([np.nan if is_missing(x) else x for x in array], dtype=object)
    elif not isinstance(array, list | tuple):
        array = array if np.ma.isMaskedArray(array) else np.asarray(array)
        if array.dtype.kind == "O":
            gone = np.frompyfunc(is_missing, 1, 1)(array).astype(np.bool_)
            array = np.where(gone, np.nan, array)
    numbers = read_array(array, argument)
    if numbers.ndim != 1:
        raise InputError(argument, "must be 1-D, one value per row", f"shape {numbers.shape}")
    if numbers.size == 0:
        raise InputError(argument, "must hold at least one value", "an empty column")
    if n is not None and numbers.size != n:
        raise InputError(argument, "must hold one value per row", f"{numbers.size} for {n} rows")
    if np.isinf(numbers).any():
        row = int(np.isinf(numbers).argmax())
        raise InputError(argument, "must be finite", numbers[row], row=row)
    return numbers


def check_within(
    numbers: FloatArray, argument: str, low: float, high: float, hint: str = ""
) -> None:
    """Refuse numbers outside a range; missing ones are none."""
    with np.errstate(invalid="ignore"):
        bad = (numbers < low) | (numbers > high)
    if bad.any():
        row = int(bad.argmax())
        rule = f"must be between {low:g} and {high:g}"
        raise InputError(argument, rule, f"{numbers[row]:g}", row=row, hint=hint)


def check_zero_one(numbers: FloatArray, argument: str) -> None:
    """Refuse numbers other than 0 and 1; missing ones are none."""
    bad = ~np.isnan(numbers) & (numbers != 0) & (numbers != 1)
    if bad.any():
        row = int(bad.argmax())
        rule = "must be 1 for right, 0 for wrong, or missing"
        raise InputError(argument, rule, f"{numbers[row]:g}", row=row)


def check_known(numbers: FloatArray, argument: str, needed: BoolArray, hint: str = "") -> None:
    """Refuse missing numbers in rows that need one."""
    bad = np.isnan(numbers) & needed
    if bad.any():
        rule = "must hold a value for every row"
        raise InputError(argument, rule, "a missing value", row=int(bad.argmax()), hint=hint)


def read_flags(values: Column | None, argument: str, n: int) -> BoolArray:
    """Read one truth value per row; none at all are all false."""
    if values is None:
        return np.zeros(n, dtype=np.bool_)
    numbers = read_partial(values, argument, n)
    check_known(numbers, argument, np.ones(n, dtype=np.bool_))
    if not np.isin(numbers, (0.0, 1.0)).all():
        row = int((~np.isin(numbers, (0.0, 1.0))).argmax())
        raise InputError(argument, "must be true or false", f"{numbers[row]:g}", row=row)
    return numbers == 1
