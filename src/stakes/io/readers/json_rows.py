"""JSON: one object per line, or one list of objects; strict about names and numbers."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn

from stakes._check import InputError, Place
from stakes._text import plain
from stakes.io.arrow_library import pa
from stakes.io.batches import Ask, Batch, Part, check_present
from stakes.io.readers.base_reader import LazyBatch, Reader
from stakes.io.streams import Limits, decode, open_stream, refuse_other_kinds
from stakes.io.text_rows import text_lines

_ROWS = 64 * 1024
_LARGEST_LIST = 256 * 1024 * 1024  # a list must be held whole, and takes ten times its bytes
_Row = tuple[int | None, dict[str, Any]]  # its line where there is one per line, and its values


class JsonLines(Reader):
    """An object per line."""

    name = "jsonl"
    endings: ClassVar[tuple[str, ...]] = (".jsonl", ".ndjson")
    columns = "the names in each object, one object per line"
    packable = typed_by_values = True

    def header(self, part: Part, limits: Limits) -> list[str]:
        """Read the names in the first object."""
        _, row = next(self._rows(part, limits), (None, None))
        if row is None:
            raise part.wrong("must hold samples: it has no rows")
        return list(row)

    def chunks(self, part: Part, ask: Ask, limits: Limits, most: int) -> Iterator[LazyBatch]:  # noqa: ARG002
        """Read the objects as rows."""
        some = _Objects(part)
        for line, row in self._rows(part, limits):
            some.rows.append(row)
            some.lines.append(line)
            if len(some.rows) == _ROWS:
                yield _ROWS, some.batch(ask).itself
                some = _Objects(part, some.before + _ROWS)
        if some.rows:
            yield len(some.rows), some.batch(ask).itself

    def _rows(self, part: Part, limits: Limits) -> Iterator[_Row]:
        """Go through the objects: the lines that are not blank."""
        with open_stream(part, limits) as stream:
            for line, text in text_lines(stream):
                if text.strip():
                    place = f"{part.name}, line {line}"
                    yield line, _object(_load(text, place), place)


class Json(JsonLines):
    """One list of objects."""

    name = "json"
    endings = (".json",)
    columns = "the names in each object of one list"

    def _rows(self, part: Part, limits: Limits) -> Iterator[_Row]:
        """Go through the list, which is held whole."""
        with open_stream(part, limits) as stream:
            data = stream.read_all(min(limits.piece, _LARGEST_LIST))
        refuse_other_kinds(data[:512], part.name)
        whole = _load(decode(data.removeprefix(b"\xef\xbb\xbf"), part.name, 1), part.name)
        if not isinstance(whole, list):
            raise part.wrong(f"must be a list of objects, one per sample: got {_kind(whole)}")
        for index, row in enumerate(whole):
            yield None, _object(row, f"{part.name}, row {index}")


def _no_constant(word: str) -> NoReturn:
    """Refuse NaN and Infinity, which are not JSON."""
    raise ValueError(f"{word} is not a JSON number")


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose names are all different."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        raise ValueError(f"the name '{plain(double)}' occurs twice")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _load(text: str, place: str) -> Any:  # noqa: ANN401
    """Parse one JSON text, or say what is wrong with it and where."""
    try:
        return _DECODER.decode(text)
    except (RecursionError, ValueError) as error:
        deep = isinstance(error, RecursionError)
        why = "it is nested too deeply" if deep else plain(error, 200)
        raise InputError(f"{place} must be JSON: {why}.") from error


def _object(row: Any, place: str) -> dict[str, Any]:  # noqa: ANN401
    if isinstance(row, dict):
        return row
    raise InputError(f"{place} must be an object with a name for each value: got {_kind(row)}.")


def _kind(value: object) -> str:
    """Return what JSON calls a value."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")


def _is_number(value: object) -> bool:
    """Tell whether a value is a number that a double can hold."""
    if type(value) is int:
        return abs(value) <= 2**53 or float(int(value)) == value if abs(value) < 2**1023 else False
    return type(value) is float and math.isfinite(value)


@dataclass(frozen=True)
class _Objects:
    """Some objects of a file, as the rows of a batch."""

    part: Part
    before: int = 0  # objects of the file
    rows: list[dict[str, Any]] = field(default_factory=list)
    lines: list[int | None] = field(default_factory=list)

    def batch(self, ask: Ask) -> Batch:
        """Turn objects into columns; all of them as they are where none is named."""
        names = ask.names or tuple(self.rows[0])
        if ask.names:
            kinds = {n: self._labels if n in ask.texts else self._numbers for n in names}
            kinds |= {name: self._blanks for name in names if name in ask.blank}
        else:
            kinds = dict.fromkeys(names, self._as_is)
        columns = {name: column(self._values(name), name) for name, column in kinds.items()}
        for at, row in enumerate(self.rows if not ask.names else ()):
            if len(row) != len(names):
                place, others = self._place(at), plain(list(row), 200)
                raise InputError(None, "has other names than the first", found=others, place=place)
        return Batch(pa.table(columns), [line for line in self.lines if line is not None] or None)

    def _place(self, at: int, column: str | None = None) -> Place:
        line = self.lines[at]
        row = self.before + at if line is None else None
        return Place(file=self.part.name, row=row, line=line, column=column)

    def _values(self, name: str) -> list[Any]:
        """Return the values of one name; none may be missing."""
        try:
            return [row[name] for row in self.rows]
        except KeyError:
            at = next(i for i, row in enumerate(self.rows) if name not in row)
            check_present([name], list(self.rows[at]), str(self._place(at)))
            raise

    def _wrong(self, at: int, value: object, name: str, what: str) -> InputError:
        got = "null, a missing value" if value is None else f"{_kind(value)}, {plain(repr(value))}"
        return InputError(None, f"must hold {what}", got, place=self._place(at, name))

    def _labels(self, values: list[Any], name: str) -> "pa.Array":
        """Return labels: all texts, all whole numbers or all truth values."""
        kinds = {str: "texts", int: "whole numbers", bool: "truth values"}
        kind = type(values[0]) if type(values[0]) in kinds else str
        for at, value in enumerate(values):
            if type(value) is not kind:
                what = f"{kinds[kind]} as before" if at else "labels, texts or whole numbers"
                raise self._wrong(at, value, name, what)
        try:
            return pa.array(values)
        except (pa.ArrowException, OverflowError, UnicodeEncodeError) as error:
            place, found = Place(file=self.part.name, column=name), plain(error, 200)
            rule, hint = "holds a label that cannot be kept", "Write labels as strings."
            raise InputError(None, rule, found=found, place=place, hint=hint) from error

    def _blanks(self, values: list[Any], name: str) -> "pa.Array":
        """Return texts, numbers or truth values, some of which may be missing."""
        first = next((value for value in values if value is not None), None)
        kind = _kind(first)
        for at, value in enumerate(values):
            if value is not None and (_kind(value) != kind or isinstance(value, dict | list)):
                what = "texts, numbers or truth values, all of one kind"
                raise self._wrong(at, value, name, what)
        return self._as_is(values, name)

    def _numbers(self, values: list[Any], name: str) -> "pa.Array":
        lists = isinstance(values[0], list)
        for at, value in enumerate(values):
            inner = value if lists and isinstance(value, list) else [value]
            if lists != isinstance(value, list) or not all(_is_number(v) for v in inner):
                raise self._wrong(at, value, name, "lists of numbers" if lists else "numbers")
        return pa.array(values, type=pa.list_(pa.float64()) if lists else pa.float64())

    def _as_is(self, values: list[Any], name: str) -> "pa.Array":
        """Return a column of whatever one kind it holds."""
        try:
            return pa.array(values)
        except (pa.ArrowException, OverflowError, UnicodeEncodeError, TypeError) as error:
            msg = f"{self._place(0)} and after: column {name!r} must hold values of one kind:"
            raise InputError(f"{msg} {plain(error, 200)}.") from error
