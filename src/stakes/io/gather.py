"""Batches of one column gathered into one array, each value looked at once."""

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from stakes._check import InputError
from stakes._check.slice_columns import MISSING
from stakes._counting import bincount
from stakes.io.batches import Places
from stakes.io.faults import Faults

Kinds = dict[str, tuple[str, str]]  # what labels of a column are, and in which part they were


class Column(Protocol):
    """A column of a batch: of Arrow, or of a data frame in memory."""

    @property
    def shown(self) -> str:
        """The type of its values."""

    @property
    def kind(self) -> str | None:
        """What its labels are: texts, whole numbers or truth values."""

    def order(self) -> list[str] | None:
        """Return the categories as texts, where they are declared with an order."""

    def missing(self) -> int | None:
        """Return the first row without a value."""

    def labels(self) -> Iterator[tuple[list[str | None], Any]]:
        """Go through distinct labels as texts, and the place of each row's label among them."""

    def values(self, faults: Faults) -> Iterator[tuple[list[str], Any]]:
        """Go through distinct values as texts, and the places; missing ones are `MISSING`."""

    def numbers(self, faults: Faults, *, from_text: bool) -> Iterator[Any]:
        """Go through numbers as floats of their own width, or lists of numbers as rows."""


def _joined(arrays: list[Any]) -> Any:  # noqa: ANN401
    """Return arrays as one; a single one is not copied."""
    return arrays[0] if len(arrays) == 1 else np.concatenate(arrays)


class Texts:
    """Labels, kept as codes with a text for each."""

    def __init__(
        self, name: str, places: Places, kinds: Kinds | None = None, *, blank: bool = False
    ) -> None:
        self.name, self._places = name, places
        self._blank = blank  # whether labels may be missing, and be made from any values
        self._codes: list[Any] = []
        self._known: dict[str, int] = {}
        self._kinds: Kinds = {} if kinds is None else kinds

    def values(self) -> Any:  # noqa: ANN401
        """Return the labels as an array of texts."""
        texts, codes = self.coded()
        return np.array(texts, dtype=object)[codes]

    def coded(self) -> tuple[list[str], Any]:
        """Return the distinct labels, and the place of each row's label among them."""
        self._codes = [_joined(self._codes)]
        return list(self._known), self._codes[0]

    def add(self, column: Column, first: int) -> None:
        """Take the labels of a batch, whose first row is the table's row `first`."""
        faults = Faults(self.name, self._places, first)
        if self._blank:
            self._add_slices(column, faults)
            return
        row = column.missing()
        if row is not None:
            raise faults.unlabelled(row, "null")
        found, place = column.kind, self._places.column(self.name)
        if found is None:
            raise InputError(None, "must hold integers or strings", column.shown, place=place)
        before, where = self._kinds.setdefault(self.name, (found, str(place.file)))
        if before != found:
            rule = f"must hold {before} as in {where}"
            raise InputError(None, rule, f"{found} ({column.shown})", place=place)
        row = 0
        for texts, codes in column.labels():
            self._codes.append(self._codes_of(texts, codes, row, faults))
            row += len(codes)

    def _add_slices(self, column: Column, faults: Faults) -> None:
        """Take values of a slice; one that is missing is an empty text."""
        self._kinds.setdefault(self.name, (column.kind or "values", ""))
        plain = column.kind is not None and column.missing() is None
        for texts, codes in column.labels() if plain else column.values(faults):
            known = [self._known.setdefault(text or MISSING, len(self._known)) for text in texts]
            table = np.array(known or [0], dtype=np.int32)
            self._codes.append(table[codes])

    def _codes_of(self, texts: list[str | None], codes: Any, row: int, faults: Faults) -> Any:  # noqa: ANN401
        """Return the codes of labels; new ones are added to those known."""
        for text in ("", None):
            here = codes == texts.index(text) if text in texts else np.zeros(0, dtype=bool)
            if here.any():
                what = "empty" if text == "" else "null"
                raise faults.unlabelled(row + int(here.argmax()), what)
        known = [self._known.setdefault(t, len(self._known)) if t else -1 for t in texts]
        table = np.array(known, dtype=np.int32)
        return recoded(codes, table) if len(table) else np.zeros(0, dtype=np.int32)


def recoded(codes: Any, table: Any) -> Any:  # noqa: ANN401
    """Return the entry of a table for each code; codes that stay what they are are not copied."""
    return codes if (table == np.arange(len(table))).all() else table[codes]


def told_apart(values: Any) -> tuple[list[int], Any]:  # noqa: ANN401
    """Return distinct whole numbers, and the place of each among them; a wide range is sorted."""
    if values.dtype.itemsize == 1:
        return _bytes_told_apart(values)
    low, high = values.min(), values.max()
    if int(high) - int(low) > 4 * values.size + 1024:
        found, codes = np.unique(values, return_inverse=True)
        return found.tolist(), codes
    wide = values if values.dtype == np.uint64 else values.astype(np.int64, copy=False)
    offset = (wide - wide.dtype.type(low)).astype(np.int64, copy=False)
    seen = bincount(offset) > 0
    place = np.cumsum(seen, dtype=np.int32) - 1
    return [int(low) + step for step in np.flatnonzero(seen).tolist()], place[offset]


def _bytes_told_apart(values: Any) -> tuple[list[int], Any]:  # noqa: ANN401
    """Return distinct numbers of one byte; mostly the first rows show them all."""
    keys = values.view(np.uint8)
    for some in (keys[:4096], keys):
        seen = np.flatnonzero(bincount(some)).astype(np.uint8)
        if seen[-1] < seen.size and keys.max() < seen.size:  # 0, 1, ...: their own places
            codes = keys
            break
        table = np.full(256, -1, dtype=np.int16)
        table[seen] = np.arange(seen.size)
        codes = table[keys]
        if codes.min() >= 0:
            break
    return seen.view(values.dtype).tolist(), codes


class Numbers:
    """Numbers, or lists of as many numbers in each row."""

    def __init__(self, name: str, places: Places, *, finite: bool, views: bool = False) -> None:
        self.name, self._places, self._finite = name, places, finite
        self._views = views  # whether arrays may be those of the batch, which they keep alive
        self._arrays: list[Any] = []

    def values(self) -> Any:  # noqa: ANN401
        """Return all numbers in the widest type that came."""
        whole = _joined(self._arrays)
        self._arrays = []
        return whole

    def add(self, column: Column, first: int, *, from_text: bool = False) -> None:
        """Take the numbers of a batch, whose first row is the table's row `first`."""
        faults, row = Faults(self.name, self._places, first, self._finite), 0
        for array in column.numbers(faults, from_text=from_text):
            if self._arrays and array.shape[1:] != self._arrays[0].shape[1:]:
                widths = [a.shape[1] if a.ndim == 2 else "no" for a in (self._arrays[0], array)]
                rule, place = f"must hold lists of {widths[0]}", self._places.column(self.name)
                got = f"lists of {widths[1]}"
                raise InputError(None, f"{rule} numbers as before", got, place=place)
            self._check_values(array, row, faults)
            self._arrays.append(array if self._views else np.array(array))
            row += len(array)

    def _check_values(self, array: Any, first: int, faults: Faults) -> None:  # noqa: ANN401
        """Refuse NaN, and infinite numbers where they make no sense."""
        if self._finite and np.isfinite(array).all():
            return
        bad = ~np.isfinite(array) if self._finite else np.isnan(array)
        if not bad.any():
            return
        row = int(bad.argmax()) if bad.ndim == 1 else int(bad.any(axis=1).argmax())
        value = array[row] if bad.ndim == 1 else array[row][bad[row]][0]
        raise faults.at(first + row, "NaN" if np.isnan(value) else str(float(value)))
