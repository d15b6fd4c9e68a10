"""Columns of slices: any values as texts, in an order of their own, with a place for none."""

import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, NamedTuple

import numpy as np

from stakes._check.containers import check_container
from stakes._check.frames import columns_by_name, is_masked, is_table
from stakes._check.labels import is_missing
from stakes._check.tensors import as_one_array
from stakes._counting import bincount
from stakes._errors import InputError
from stakes._typing import IntArray

MISSING = ""  # the text of a missing value: an empty cell of a file is one too
_NAMES = ("missing", "missing (no value)")  # the second where a value is called like the first
_MOST_NUMBERS = 200  # different ones; nobody reads more slices of numbers
_RULE = "must hold texts, whole numbers, truth values, dates or ranges, all of one kind"
_RANGES = (
    "Cut numbers into ranges first, such as pandas.cut(age, [0, 40, 65, 120]), or into quantiles,"
    " such as pandas.qcut(age, 4)."
)
_MONTHS = "Take months, quarters or years of them first."
_NUMBER = r"[-+]?(?:\d+\.?\d*(?:[eE][-+]?\d+)?|\.\d+|inf)"
_DATE = r"\d{4}-\d\d-\d\d(?:[ T].*)?"
_INTERVAL = re.compile(rf"[\[(]\s*({_NUMBER})\s*,\s*({_NUMBER})\s*[\])]")


class SliceColumn(NamedTuple):
    """Values in their order, each once, as texts; and which of them each sample has."""

    values: list[str]
    codes: IntArray

    def some(self, rows: IntArray) -> "SliceColumn":
        """Return the values of some samples."""
        return SliceColumn(self.values, self.codes[rows])


def slice_columns(slices: Any) -> dict[str, Any]:  # noqa: ANN401  any columns
    """Return columns by name, from a mapping, the columns of a data frame, or one column."""
    if slices is None:
        return {}
    if isinstance(slices, Mapping):
        return {str(name): column for name, column in slices.items()}
    if is_table(slices):
        return columns_by_name(slices, "slices")
    name = getattr(slices, "name", None)  # of a Series
    return {"slice" if name is None or name == "" else str(name): slices}


def read_slice(values: Any, name: str) -> SliceColumn:  # noqa: ANN401  any column
    """Read a column; missing values have the text `MISSING` and come last."""
    argument = f"slices {name!r}"
    if isinstance(values, str | bytes) or np.isscalar(values) or values is None:
        raise InputError(argument, "must hold one value per sample", repr(values))
    check_container(values, argument)
    if is_masked(values):  # where it is set, the value is missing
        values = np.where(np.ma.getmaskarray(values), None, values.data.astype(object))
    distinct, codes = distinct_values(values, argument)
    found = _merged(value_texts(distinct, argument), codes)
    check_few(argument, found.values)
    order = {text: i for i, text in enumerate(_declared_order(values))}
    if order:  # what has no place in it, such as what is missing, comes last
        return _placed(found, sorted(found.values, key=lambda text: order.get(text, len(order))))
    return _placed(found, in_order(found.values))


def value_texts(values: Sequence[Any], argument: str) -> list[str]:
    """Return distinct values of one kind as texts; those that are missing as `MISSING`."""
    kinds = {_kind(value) for value in values} - {"missing"}
    if None in kinds or len(kinds) > 1:
        names = sorted({type(value).__name__ for value in values if not is_missing(value)})
        raise InputError(argument, _RULE, ", ".join(names))
    return [MISSING if is_missing(value) else _text(value) for value in values]


def in_order(texts: Iterable[str]) -> list[str]:
    """Return texts in the order of the numbers or ranges they say, else of the texts.

    What is missing comes last.
    """
    found = set(texts)
    known = sorted(found - {MISSING})
    for key in (_as_number, _as_interval):
        keys = {text: key(text) for text in known}
        if None not in keys.values():
            known.sort(key=lambda text, keys=keys: (keys[text], text))  # type: ignore[misc]
            break
    return [*known, *(found & {MISSING})]


def shown_value(text: str, texts: Iterable[str]) -> str:
    """Return the name of a slice among those of its column: no other has that of missing values."""
    if text != MISSING:
        return text
    taken = set(texts)
    return next(name for name in _all_names() if name not in taken)


def check_few(argument: str, texts: Sequence[str]) -> None:
    """Refuse very many different numbers or dates, whose slices would say nothing."""
    if len(texts) <= _MOST_NUMBERS:
        return
    known = [text for text in texts if text != MISSING]
    for what, pattern, hint in (("numbers", _NUMBER, _RANGES), ("dates", _DATE, _MONTHS)):
        if all(re.fullmatch(pattern, text) for text in known):
            rule = f"must have at most {_MOST_NUMBERS} different values where they are {what}"
            raise InputError(argument, rule, len(texts), hint=hint)


def _all_names() -> Iterator[str]:
    yield from _NAMES
    number = 2
    while True:  # for those who have seen everything
        yield f"{_NAMES[1]} {number}"
        number += 1


def _declared_order(values: Any) -> list[str]:  # noqa: ANN401
    """Return the categories of a column as texts in their order, where it declares one."""
    if _is_categorical(values):  # of pandas
        return [_text(value) for value in _categories(values)]
    dtype = getattr(values, "dtype", None)
    if type(dtype).__name__ == "Enum":  # of polars
        return [str(value) for value in dtype.categories]  # type: ignore[union-attr]
    if getattr(getattr(values, "type", None), "ordered", False):  # a dictionary of Arrow
        return [_text(value) for value in _dictionary(values)]
    return []


def _categories(values: Any) -> Any:  # noqa: ANN401
    return values.cat.categories if hasattr(values, "cat") else values.categories


def _dictionary(values: Any) -> list[Any]:  # noqa: ANN401
    whole = values.combine_chunks() if hasattr(values, "combine_chunks") else values
    parts = whole.chunks if hasattr(whole, "chunks") else [whole]
    return list(dict.fromkeys(value for part in parts for value in part.dictionary.to_pylist()))


def distinct_values(values: Any, argument: str) -> tuple[list[Any], IntArray]:  # noqa: ANN401
    """Return the different values, and which of them each sample has."""
    if _is_categorical(values):
        codes = np.asarray(values.cat.codes if hasattr(values, "cat") else values.codes, np.int64)
        return [*_categories(values), None], codes  # -1, for a missing value, is the last
    found = _series_values(as_one_array(values, argument, ndim=1))
    if not isinstance(found, np.ndarray):
        return _distinct_objects(found, argument)
    array = found[:, 0] if found.ndim == 2 and found.shape[1] == 1 else found
    if array.ndim != 1:
        hint = "For several columns pass a data frame, or a mapping from names to columns."
        raise InputError(argument, "must be 1-D", f"{array.ndim}-D {array.shape}", hint=hint)
    if array.dtype.kind in "biuf":
        seen, codes = np.unique(array, return_inverse=True)  # NaN once, at the end
        return list(seen), codes.astype(np.int64, copy=False)
    dates = array.dtype.kind == "M"
    return _distinct_objects((array.astype("M8[us]") if dates else array).tolist(), argument)


def _distinct_objects(values: Sequence[Any], argument: str) -> tuple[list[Any], IntArray]:
    """Return the different values as they come; 1, True and "1" are three, NaN and None one."""
    if set(map(type, values)) == {str}:
        known = {value: place for place, value in enumerate(dict.fromkeys(values))}
        return list(known), np.fromiter(map(known.__getitem__, values), np.int64, len(values))
    places: dict[Any, int] = {}
    found: list[Any] = []
    codes = np.empty(len(values), dtype=np.int64)
    for row, value in enumerate(values):
        key = None if is_missing(value) else (type(value), value)
        try:
            codes[row] = place = places.setdefault(key, len(found))
        except TypeError as error:  # it cannot be one of several values
            raise InputError(argument, _RULE, type(value).__name__, row=row) from error
        if place == len(found):
            found.append(value)
    return found, codes


def _is_categorical(values: Any) -> bool:  # noqa: ANN401
    """Whether a column of pandas has categories, whose order is kept."""
    dtype = getattr(values, "dtype", None)
    return type(dtype).__name__ == "CategoricalDtype" and hasattr(dtype, "categories")


def _series_values(values: Any) -> Any:  # noqa: ANN401
    """Return a column of a data frame as an array of numbers or a list; others as they are."""
    if isinstance(values, np.ndarray | list | tuple):
        return _from_list(values) if not isinstance(values, np.ndarray) else values
    import narwhals.stable.v2 as nw  # noqa: PLC0415  only where a data frame's column comes in

    series = nw.from_native(values, series_only=True, pass_through=True)
    if not isinstance(series, nw.Series):
        return np.asarray(values)
    if series.dtype.is_float():
        array = series.to_numpy()
        return array if array.dtype.kind == "f" else array.astype(np.float64)
    plain = series.dtype.is_integer() or series.dtype == nw.Boolean
    return series.to_numpy() if plain and not series.is_null().any() else series.to_list()


def _from_list(values: Sequence[Any]) -> Any:  # noqa: ANN401
    """Return a list of lists as an array, whose shape is then told; others as they are."""
    nested = any(isinstance(value, list | tuple | np.ndarray) for value in values[:1])
    return np.asarray(values) if nested else values


def _merged(texts: list[str], codes: IntArray) -> SliceColumn:
    """Return values that occur, each once: 1 and 1.0 are one."""
    names = list(dict.fromkeys(texts))
    place = {name: i for i, name in enumerate(names)}
    codes = np.array([place[text] for text in texts], dtype=np.int64)[codes]
    seen = bincount(codes, minlength=len(names)) > 0
    return SliceColumn(
        [name for name, there in zip(names, seen, strict=True) if there],
        (np.cumsum(seen) - 1)[codes],
    )


def _placed(column: SliceColumn, values: list[str]) -> SliceColumn:
    place = {text: i for i, text in enumerate(values)}
    table = np.array([place[text] for text in column.values], dtype=np.int64)
    return SliceColumn(values, table[column.codes])


def _kind(value: Any) -> str | None:  # noqa: ANN401
    """Return what kind of value it is; None for what cannot be one of a slice."""
    if is_missing(value):
        return "missing"
    if isinstance(value, bool | np.bool_):
        return "truth"
    if isinstance(value, int | float | np.integer | np.floating | Decimal):
        return "number"
    if isinstance(value, date | np.datetime64):
        return "date"
    if isinstance(value, str):
        return "text"
    ranged = type(value).__name__ in {"Interval", "Period"}  # of pandas
    return type(value).__name__ if ranged else None


def _text(value: Any) -> str:  # noqa: ANN401
    if isinstance(value, float | np.floating | Decimal):
        whole = math.isfinite(value) and value == int(value) and abs(int(value)) < 2**53
        return str(int(value)) if whole else str(value)
    if isinstance(value, datetime):
        return value.isoformat(sep=" ").removesuffix(" 00:00:00")
    return str(value)


def _as_number(text: str) -> float | None:
    return float(text) if re.fullmatch(_NUMBER, text) else None


def _as_interval(text: str) -> tuple[float, float] | None:
    ends = _INTERVAL.fullmatch(text)
    return None if ends is None else (float(ends[1]), float(ends[2]))
