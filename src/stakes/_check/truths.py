"""Columns of truth values, some of which may be missing."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from stakes._check.containers import check_container
from stakes._check.frames import is_masked, is_table, only_column
from stakes._check.labels import is_missing
from stakes._check.tensors import as_one_array
from stakes._errors import Action, InputError
from stakes._text import quoted
from stakes._typing import Column, IntArray, NDArray

UNKNOWN = -1
_WORDS = {
    **dict.fromkeys(("1", "1.0", "true", "yes", "right", "correct"), 1),
    **dict.fromkeys(("0", "0.0", "false", "no", "wrong", "incorrect"), 0),
    **dict.fromkeys(("", "nan", "none", "null"), UNKNOWN),
}
_RULE = "must hold true or false (also 1 or 0, yes or no, right or wrong)"


def read_truths(values: Column, argument: str) -> IntArray:
    """Return 1 for true, 0 for false and -1 where a value is missing."""
    if isinstance(values, np.ndarray) and values.dtype == np.bool_ and values.ndim == 1:
        return values.astype(np.int8)
    return np.fromiter(
        (_truth(value, argument, row) for row, value in enumerate(listed(values, argument))),
        np.int8,
    )


def _truth(value: Any, argument: str, row: int) -> int:  # noqa: ANN401  a cell of any column
    if is_missing(value):
        return UNKNOWN
    found = None
    if isinstance(value, str):
        found = _WORDS.get(value.strip().lower())
    elif isinstance(value, bool | int | float | np.bool_ | np.integer | np.floating):
        found = int(value) if value in (0, 1) else None
    if found is None:
        raise InputError(argument, _RULE, repr(value), row=row)
    return found


def read_words(
    values: Column, argument: str, meanings: Mapping[str, float], missing: float
) -> "NDArray[np.float64]":
    """Return the number that each word of a column means; upper and lower case are the same."""
    known = {word.strip().casefold(): number for word, number in meanings.items()}
    out = np.empty(len(column := listed(values, argument)))
    for row, value in enumerate(column):
        if is_missing(value) or (isinstance(value, str) and not value.strip()):
            out[row] = missing
            continue
        number = known.get(str(value).strip().casefold())
        if number is None:
            rule = f"must hold one of the declared words, {quoted(meanings, most=12)}"
            raise InputError(argument, rule, repr(value), row=row, hint="Declare it, or rename it.")
        out[row] = number
    return out


def read_shares(
    values: Column,
    argument: str,
    low: float,
    high: float,
    hint: str | Action = "",
    *,
    sign: str = "",
) -> "NDArray[np.float64]":
    """Return numbers from low to high; NaN where a value is missing.

    A `sign` such as % may follow a number that is a text.
    """
    if isinstance(values, np.ndarray) and values.dtype == np.float64 and values.ndim == 1:
        out = values
    else:
        column = listed(values, argument)
        out = np.empty(len(column))
        for row, value in enumerate(column):
            out[row] = np.nan if is_missing(value) else _number(value, argument, row, sign)
    bad = (out < low) | (out > high)
    if bad.any():
        row = int(bad.argmax())
        rule, code = f"must hold numbers from {low:g} to {high:g}", "confidence_not_probability"
        raise InputError(argument, rule, f"{out[row]:g}", row=row, hint=hint, code=code)
    return out


def _number(value: Any, argument: str, row: int, sign: str) -> float:  # noqa: ANN401  of any column
    text = value.strip() if isinstance(value, str) else ""
    if isinstance(value, str) and text.lower() in ("", "nan", "none", "null"):
        return np.nan
    try:
        return float(text.removesuffix(sign) if text else value)
    except (TypeError, ValueError) as error:
        hint = Action("say_confidence") if text.endswith("%") else ""
        raise InputError(argument, "must hold numbers", repr(value), row=row, hint=hint) from error


def listed(values: Column, argument: str) -> Sequence[Any]:
    """Return a column of any kind as a list of Python values; nulls stay None or NaN."""
    if isinstance(values, str | bytes) or np.isscalar(values) or values is None:
        raise InputError(argument, "must be a column, one value per row", repr(values))
    check_container(values, argument)
    if is_masked(values):
        raise InputError(argument, "must not be a masked array", found="its mask would be lost")
    if is_table(values):
        values = only_column(values)
    values = as_one_array(values, argument, ndim=1)
    for name in ("to_pylist", "to_list", "tolist"):  # Arrow; polars and pandas; numpy
        if hasattr(values, name):
            values = getattr(values, name)()
            break
    if not isinstance(values, Iterable):  # a model, a result
        raise InputError(argument, "must be a column, one value per row", type(values).__name__)
    column: list[Any] = list(values)
    if not column:
        raise InputError(argument, "must hold at least one value", "an empty column")
    if isinstance(column[0], list | tuple | np.ndarray):
        raise InputError(argument, "must be 1-D, one value per row", f"rows of {len(column[0])}")
    return column
