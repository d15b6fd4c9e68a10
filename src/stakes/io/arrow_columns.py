"""Columns of Arrow, as files and streams give them: labels and numbers, chunk by chunk."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from stakes._check.slice_columns import MISSING, value_texts
from stakes._text import plain
from stakes.io.arrow_library import pa
from stakes.io.faults import Faults
from stakes.io.gather import told_apart


class ArrowColumn:
    """A column of an Arrow table."""

    def __init__(self, column: "pa.ChunkedArray") -> None:
        self._column = column

    @property
    def shown(self) -> str:
        """The type of its values."""
        return str(self._column.type)

    @property
    def kind(self) -> str | None:
        """What its labels are: texts, whole numbers or truth values."""
        return _label_kind(self._column.type)

    def order(self) -> list[str] | None:
        """Return the categories as texts, where they are declared with an order."""
        if not getattr(self._column.type, "ordered", False):
            return None
        return [str(text) for text in self._column.chunk(0).dictionary.to_pylist()]

    def missing(self) -> int | None:
        """Return the first row without a value."""
        if not self._column.null_count:
            return None
        return int(np.argmax(self._column.is_null().to_numpy()))

    def labels(self) -> Iterator[tuple[list[str | None], Any]]:
        """Go through distinct labels as texts, and the place of each row's label among them."""
        return map(_dictionary, self._column.chunks)

    def values(self, faults: Faults) -> Iterator[tuple[list[str], Any]]:
        """Go through distinct values as texts, and the places; missing ones are `MISSING`."""
        for chunk in self._column.chunks:
            if pa.types.is_null(chunk.type):
                yield [MISSING], np.zeros(len(chunk), dtype=np.int32)
                continue
            coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
            values = coded.dictionary.to_pylist()
            with faults.placed():
                texts = value_texts(values, faults.column)
            if self.kind == "truth values":
                texts = [text.lower() for text in texts]  # as Arrow writes them
            indices = coded.indices.fill_null(len(values))
            yield [*texts, MISSING], np.asarray(indices.to_numpy(zero_copy_only=False))

    def numbers(self, faults: Faults, *, from_text: bool) -> Iterator[Any]:
        """Go through numbers as floats of their own width, or lists of numbers as rows."""
        column = self._column
        if from_text and self.kind == "texts":
            column = column.cast(pa.string()).cast(pa.float64())
        first = 0
        for chunk in column.chunks:
            yield _array(chunk, first, faults)
            first += len(chunk)


def _array(chunk: "pa.Array", first: int, faults: Faults) -> Any:  # noqa: ANN401
    """Return numbers, or lists of numbers as rows."""
    if chunk.null_count:
        raise faults.at(first + int(np.argmax(chunk.is_null().to_numpy(False))), "null")
    kind = chunk.type
    fixed = pa.types.is_fixed_size_list(kind)
    if not fixed and not pa.types.is_list(kind) and not pa.types.is_large_list(kind):
        return _plain(chunk, faults)
    flat = chunk.flatten()
    width = kind.list_size if fixed else faults.width(np.diff(_numbers(chunk.offsets)), first)
    if not width:
        raise faults.at(first, "an empty list")
    if flat.null_count:
        at = int(np.argmax(flat.is_null().to_numpy(False))) // width
        raise faults.at(first + at, "null")
    return _plain(flat, faults).reshape(-1, width)


def _plain(values: "pa.Array", faults: Faults) -> Any:  # noqa: ANN401
    """Return an Arrow array of numbers as floats of its own width."""
    kind = values.type
    if pa.types.is_floating(kind):
        return _numbers(values)
    if not (pa.types.is_integer(kind) or pa.types.is_decimal(kind)):
        raise faults.of_type(str(kind))
    try:
        return _numbers(values.cast(pa.float64()))
    except pa.ArrowException as error:
        raise faults.out_of_range(plain(error, 200)) from error


def _dictionary(chunk: "pa.Array") -> tuple[list[str | None], Any]:
    """Return distinct labels as texts, and the place of each row's label among them.

    Whole numbers are recognised here: Arrow's functions for it take long to load.
    """
    if pa.types.is_integer(chunk.type) and len(chunk):
        found, codes = told_apart(_numbers(chunk))
        return [str(value) for value in found], codes
    coded = chunk if pa.types.is_dictionary(chunk.type) else chunk.dictionary_encode()
    found = coded.dictionary
    known = _label_kind(found.type) == "texts"  # not all versions of Arrow cast views of texts
    texts = found if known else found.cast(pa.string())
    return texts.to_pylist(), _numbers(coded.indices)


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
