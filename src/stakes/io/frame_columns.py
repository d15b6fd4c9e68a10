"""Rows of data frames in memory, read with narwhals: other libraries are not needed for them."""

from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from importlib.util import find_spec
from typing import Any

import numpy as np

from stakes._check.labels import is_missing
from stakes._check.slice_columns import distinct_values, value_texts
from stakes.io.batches import Batch, check_present
from stakes.io.faults import Faults
from stakes.io.gather import told_apart

_WHOLE = 2**53  # up to it, every whole number is a double
_KINDS = {"String": "texts", "Enum": "texts", "Boolean": "truth values"}
_LABELS = {bool: "truth values", int: "whole numbers", str: "texts"}
_NUMBERS = (int, float, Decimal, np.integer, np.floating)


@dataclass(frozen=True)
class FrameBatch(Batch):
    """Some rows of a frame of pandas or polars."""

    def __len__(self) -> int:
        return len(self.table)

    def column(self, name: str) -> "FrameColumn":
        """Return a column."""
        import narwhals.stable.v2 as nw  # noqa: PLC0415  only where a data frame comes in

        return FrameColumn(nw.from_native(self.table, eager_only=True)[name])

    def cut(self, start: int, stop: int) -> "FrameBatch":
        """Return some of the rows."""
        import narwhals.stable.v2 as nw  # noqa: PLC0415

        return FrameBatch(nw.from_native(self.table, eager_only=True)[start:stop].to_native())

    def cuts(self, most: int) -> Iterator["FrameBatch"]:
        """Go through the rows, so many at a time."""
        for start in range(0, len(self), most):
            yield self if len(self) <= most else self.cut(start, start + most)


def frame_of(table: Any, names: list[str], shown: str) -> FrameBatch | None:  # noqa: ANN401
    """Return columns of a data frame of pandas or polars; None for what streams its rows."""
    if hasattr(type(table), "collect_schema"):  # polars
        check_present(names, table.collect_schema().names(), shown)
        return FrameBatch(table.lazy().select(names).collect())
    if hasattr(type(table), "iloc"):  # pandas
        check_present(names, list(table.columns), shown)
        return FrameBatch(_with_named_ranges(table[names]))
    if hasattr(type(table), "fetchnumpy") and not find_spec("pyarrow") and find_spec("pandas"):
        check_present(names, list(table.columns), shown)
        quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
        return FrameBatch(table.project(quoted).df())
    return None


def _with_named_ranges(frame: Any) -> Any:  # noqa: ANN401  of pandas
    """Return a frame whose ranges, as those of pandas.cut, are texts."""
    ranges = [
        name
        for name in frame.columns
        if str(getattr(frame[name].dtype, "categories", frame[name]).dtype).startswith("interval")
    ]
    named = {n: frame[n].astype("category").cat.rename_categories(str) for n in ranges}
    return frame.assign(**named) if named else frame


class FrameColumn:
    """A column of a data frame, as a series of narwhals; its methods are those of `ArrowColumn`."""

    def __init__(self, series: Any) -> None:  # noqa: ANN401
        self._series = series

    @cached_property
    def _distinct(self) -> tuple[list[Any], Any]:
        """Distinct values as they come, and the place of each row's value among them."""
        whole = len(self._series) and self.missing() is None
        if whole and self._series.dtype.is_integer():
            return told_apart(self._series.to_numpy())
        if whole and self._dtype == "String":
            import narwhals.stable.v2 as nw  # noqa: PLC0415

            found = self._series.unique(maintain_order=True).to_list()
            places = self._series.replace_strict(found, range(len(found)), return_dtype=nw.Int32)
            return found, places.to_numpy()
        return distinct_values(self._series.to_native(), "values")

    @cached_property
    def _types(self) -> set[type]:
        """Types of the values of a column that says nothing of them."""
        found = set(map(type, self._series.drop_nulls().to_list()))
        return {next((t for t in _LABELS if issubclass(each, t)), each) for each in found}

    @cached_property
    def _nulls(self) -> Any:  # noqa: ANN401
        return self._series.is_null()

    @property
    def _dtype(self) -> str:
        return type(self._series.dtype).__name__

    @property
    def shown(self) -> str:
        """The type of its values."""
        loose = self._dtype in {"Object", "Unknown", "Categorical"} and self._types
        names = sorted(each.__name__ for each in self._types) if loose else []
        return " and ".join(names) or str(self._series.dtype)

    @cached_property
    def kind(self) -> str | None:
        """What its labels are: texts, whole numbers or truth values."""
        if self._series.dtype.is_integer():
            return "whole numbers"
        if self._dtype in _KINDS:
            return _KINDS[self._dtype]
        loose = self._dtype in {"Object", "Unknown", "Categorical"} and len(self._types) == 1
        return _LABELS.get(next(iter(self._types))) if loose else None

    def order(self) -> list[str] | None:
        """Return the categories as texts, where they are declared with an order."""
        native = self._series.to_native()
        dtype = native.dtype
        declared = type(dtype).__name__ == "Enum" or getattr(dtype, "ordered", False)
        if not declared:
            return None
        return [str(value) for value in self._series.cat.get_categories().to_list()]

    def missing(self) -> int | None:
        """Return the first row without a value."""
        return int(self._nulls.to_numpy().argmax()) if self._nulls.any() else None

    def labels(self) -> Iterator[tuple[list[str | None], Any]]:
        """Go through distinct labels as texts, and the place of each row's label among them."""
        values, codes = self._distinct
        texts = [None if is_missing(value) else str(value) for value in values]
        truth = self.kind == "truth values"
        yield [t.lower() if truth and t else t for t in texts], codes

    def values(self, faults: Faults) -> Iterator[tuple[list[str], Any]]:
        """Go through distinct values as texts, and the places; missing ones are `MISSING`."""
        values, codes = self._distinct
        with faults.placed():
            texts = value_texts(values, faults.column)
        yield [text.lower() for text in texts] if self.kind == "truth values" else texts, codes

    def numbers(self, faults: Faults, *, from_text: bool) -> Iterator[Any]:  # noqa: ARG002
        """Return numbers as floats of their own width, or lists of numbers as rows."""
        row = self.missing()
        if row is not None:
            raise faults.at(row, "null")
        if self._dtype in {"Categorical", "Enum"}:
            raise faults.of_type(self.shown)
        array = self._series.to_numpy()
        if array.dtype.kind == "O":
            array = self._from_objects(faults)
        elif array.dtype.kind in "iu":
            if array.size and max(-int(array.min()), int(array.max())) > _WHOLE:
                value = next(v for v in array.tolist() if abs(v) > _WHOLE)
                raise faults.out_of_range(f"{value} is beyond 2**53")
            array = array.astype(np.float64)
        elif array.dtype.kind != "f":
            raise faults.of_type(self.shown)
        yield array

    def _from_objects(self, faults: Faults) -> Any:  # noqa: ANN401
        """Return Python's numbers as doubles, and lists of numbers as rows."""
        listed = self._series.to_list()
        if not all(isinstance(value, list | tuple | np.ndarray) for value in listed):
            odd = [value for value in listed if not _is_number(value)]
            if odd:
                raise faults.of_type(self.shown)
            return np.array(listed, dtype=np.float64)
        if not faults.width([len(value) for value in listed]):
            raise faults.at(0, "an empty list")
        for row, values in enumerate(listed):
            if any(value is None for value in values):
                raise faults.at(row, "null")
            if not isinstance(values, np.ndarray) and not all(map(_is_number, values)):
                raise faults.of_type("lists of " + type(values[0]).__name__)
        import narwhals.stable.v2 as nw  # noqa: PLC0415

        single = self._series.dtype == nw.List(nw.Float32)
        found = np.array(listed, dtype=np.float32 if single else None)
        return found if found.dtype.kind == "f" else found.astype(np.float64)


def _is_number(value: object) -> bool:
    return isinstance(value, _NUMBERS) and not isinstance(value, bool)
