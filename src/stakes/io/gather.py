"""Batches of one column gathered into one array, each value looked at once."""

from typing import Any

import numpy as np

from stakes._check import InputError
from stakes._check.slice_columns import MISSING, value_texts
from stakes._counting import bincount
from stakes._text import plain
from stakes.io.arrow_library import pa
from stakes.io.batches import Places

Kinds = dict[str, tuple[str, str]]  # what labels of a column are, and in which part they were


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

    def add(self, column: "pa.ChunkedArray", first: int) -> None:
        """Take the labels of a batch, whose first row is the table's row `first`."""
        if self._blank:
            self._add_slices(column)
            return
        found, place = _label_kind(column.type), self._places.column(self.name)
        if found is None:
            raise InputError(None, "must hold integers or strings", column.type, place=place)
        before, where = self._kinds.setdefault(self.name, (found, str(place.file)))
        if before != found:
            rule = f"must hold {before} as in {where}"
            raise InputError(None, rule, f"{found} ({column.type})", place=place)
        if column.null_count:
            raise self._unlabelled(first + int(np.argmax(column.is_null().to_numpy())), "null")
        for chunk in column.chunks:
            self._codes.append(self._codes_of(chunk, first))
            first += len(chunk)

    def _add_slices(self, column: "pa.ChunkedArray") -> None:
        """Take values of a slice; one that is missing is an empty text."""
        kind = _label_kind(column.type)
        self._kinds.setdefault(self.name, (kind or "values", ""))
        for chunk in column.chunks:
            if kind is not None and not chunk.null_count:
                texts, codes = _dictionary(chunk)
            else:
                texts, codes = self._texts_of(chunk)
            known = [self._known.setdefault(text or MISSING, len(self._known)) for text in texts]
            table = np.array(known or [0], dtype=np.int32)
            self._codes.append(table[codes])

    def _texts_of(self, chunk: "pa.Array") -> tuple[list[str | None], Any]:
        """Return distinct values as texts, the last for those that are missing."""
        if pa.types.is_null(chunk.type):
            return [MISSING], np.zeros(len(chunk), dtype=np.int32)
        coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
        values, truth = coded.dictionary.to_pylist(), _label_kind(chunk.type) == "truth values"
        place = self._places.column(self.name)
        try:
            texts = value_texts(values, f"column {plain(self.name)!r}")
        except InputError as error:
            raise error.moved(argument=None, place=place) from error
        texts = [text.lower() for text in texts] if truth else texts  # as Arrow writes them
        indices = coded.indices.fill_null(len(values))
        return [*texts, MISSING], np.asarray(indices.to_numpy(zero_copy_only=False))

    def _codes_of(self, chunk: "pa.Array", first: int) -> Any:  # noqa: ANN401
        """Return the codes of labels; new ones are added to those known."""
        texts, codes = _dictionary(chunk)
        for text in ("", None):
            here = codes == texts.index(text) if text in texts else np.zeros(0, dtype=bool)
            if here.any():
                what = "empty" if text == "" else "null"
                raise self._unlabelled(first + int(here.argmax()), what)
        known = [self._known.setdefault(t, len(self._known)) if t else -1 for t in texts]
        table = np.array(known, dtype=np.int32)
        return recoded(codes, table) if len(table) else np.zeros(0, dtype=np.int32)

    def _unlabelled(self, row: int, what: str) -> InputError:
        rule, place = "must hold a label in every row", self._places.place(row, self.name)
        found, hint = f"this one is {what}", "Label it, or leave the row out."
        return InputError(None, rule, found=found, place=place, hint=hint, code="missing_label")


def recoded(codes: Any, table: Any) -> Any:  # noqa: ANN401
    """Return the entry of a table for each code; codes that stay what they are are not copied."""
    return codes if (table == np.arange(len(table))).all() else table[codes]


def _dictionary(chunk: "pa.Array") -> tuple[list[str | None], Any]:
    """Return distinct labels as texts, and the place of each row's label among them.

    Whole numbers are recognised here: Arrow's functions for it take long to load.
    """
    if pa.types.is_integer(chunk.type) and len(chunk):
        found, codes = _told_apart(_numbers(chunk))
        return [str(value) for value in found], codes
    coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
    found = coded.dictionary
    known = _label_kind(found.type) == "texts"  # not all versions of Arrow cast views of texts
    texts = found if known else found.cast(pa.string())
    return texts.to_pylist(), _numbers(coded.indices)


def _told_apart(values: Any) -> tuple[list[int], Any]:  # noqa: ANN401
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


def _numbers(values: "pa.Array") -> Any:  # noqa: ANN401
    """Return an Arrow array without nulls; Arrow's own `to_numpy` would load pandas for it."""
    return np.from_dlpack(values) if len(values) else values.to_numpy(zero_copy_only=False)


def _label_kind(kind: "pa.DataType") -> str | None:
    """Return what labels are: texts, whole numbers or truth values."""
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    if pa.types.is_integer(kind):
        return "whole numbers"
    if pa.types.is_boolean(kind):
        return "truth values"
    text = (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view)
    return "texts" if any(is_text(kind) for is_text in text) else None


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

    def add(self, column: "pa.ChunkedArray", first: int, *, from_text: bool = False) -> None:
        """Take the numbers of a batch, whose first row is the table's row `first`."""
        if from_text and _label_kind(column.type) == "texts":
            column = column.cast(pa.string()).cast(pa.float64())
        for chunk in column.chunks:
            array = self._array(chunk, first)
            if self._arrays and array.shape[1:] != self._arrays[0].shape[1:]:
                widths = [a.shape[1] if a.ndim == 2 else "no" for a in (self._arrays[0], array)]
                rule, place = f"must hold lists of {widths[0]}", self._places.column(self.name)
                got = f"lists of {widths[1]}"
                raise InputError(None, f"{rule} numbers as before", got, place=place)
            self._check_values(array, first)
            self._arrays.append(array if self._views else np.array(array))
            first += len(chunk)

    def _array(self, chunk: "pa.Array", first: int) -> Any:  # noqa: ANN401
        """Return numbers, or lists of numbers as rows."""
        if chunk.null_count:
            raise self._fault(first + int(np.argmax(chunk.is_null().to_numpy(False))), "null")
        kind = chunk.type
        fixed = pa.types.is_fixed_size_list(kind)
        if not fixed and not pa.types.is_list(kind) and not pa.types.is_large_list(kind):
            return self._plain(chunk)
        flat = chunk.flatten()
        if fixed:
            width = kind.list_size
        else:
            lengths = np.diff(_numbers(chunk.offsets))
            width = int(lengths[0]) if len(lengths) else 0
            if (lengths != width).any():
                row = int(np.argmax(lengths != width))
                raise self._fault(first + row, f"{lengths[row]} of them where others have {width}")
        if not width:
            raise self._fault(first, "an empty list")
        if flat.null_count:
            at = int(np.argmax(flat.is_null().to_numpy(False))) // width
            raise self._fault(first + at, "null")
        return self._plain(flat).reshape(-1, width)

    def _plain(self, values: "pa.Array") -> Any:  # noqa: ANN401
        """Return an Arrow array of numbers as floats of its own width."""
        kind, place = values.type, self._places.column(self.name)
        if pa.types.is_floating(kind):
            return _numbers(values)
        if not (pa.types.is_integer(kind) or pa.types.is_decimal(kind)):
            raise InputError(None, "must hold numbers", kind, place=place, code="not_a_number")
        try:
            return _numbers(values.cast(pa.float64()))
        except pa.ArrowException as error:
            rule, found = "must hold numbers in the range of a double", plain(error, 200)
            raise InputError(None, rule, found=found, place=place) from error

    def _check_values(self, array: Any, first: int) -> None:  # noqa: ANN401
        """Refuse NaN, and infinite numbers where they make no sense."""
        if self._finite and np.isfinite(array).all():
            return
        bad = ~np.isfinite(array) if self._finite else np.isnan(array)
        if not bad.any():
            return
        row = int(bad.argmax()) if bad.ndim == 1 else int(bad.any(axis=1).argmax())
        value = array[row] if bad.ndim == 1 else array[row][bad[row]][0]
        raise self._fault(first + row, "NaN" if np.isnan(value) else str(float(value)))

    def _fault(self, row: int, got: str) -> InputError:
        rule = f"must hold {'finite ' if self._finite else ''}numbers"
        hint = "Leave such rows out, or fill them." if got in {"NaN", "null"} else ""
        place = self._places.place(row, self.name)
        code = "missing_score" if got in {"NaN", "null"} else "not_a_number"
        return InputError(None, rule, got, place=place, hint=hint, code=code)
