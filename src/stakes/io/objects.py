"""JSON: one object per line, or one list of objects; strict about names and numbers."""

import json
import math
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np

from stakes._check import InputError
from stakes._text import plain
from stakes.io.batches import Ask, Batch, Lines, check_present
from stakes.io.rows import cut_rows
from stakes.io.sources import Part
from stakes.io.streams import Limits, decode, open_stream, refuse_other_kinds

if TYPE_CHECKING:
    import pyarrow as pa

_ROWS = 64 * 1024
_LARGEST_LIST = 256 * 1024 * 1024  # a list must be held whole, and takes ten times its bytes


class _FaultError(ValueError):
    """Something that JSON forbids, or that would be lost."""


def _no_constant(word: str) -> NoReturn:
    """Refuse NaN and Infinity, which are not JSON."""
    msg = f"{word} is not a number that JSON knows"
    raise _FaultError(msg)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object whose names are all different."""
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        double = next(name for name in names if names.count(name) > 1)
        msg = f"the name '{plain(double)}' is there twice"
        raise _FaultError(msg)
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_unique, parse_constant=_no_constant)


def _load(text: str, place: str) -> Any:  # noqa: ANN401
    """Parse one JSON text, or say what is wrong with it and where."""
    try:
        return _DECODER.decode(text)
    except RecursionError as error:
        msg = f"{place} must be JSON: it is nested too deeply."
        raise InputError(msg) from error
    except ValueError as error:
        msg = f"{place} must be JSON: {plain(error, 200)}."
        raise InputError(msg) from error


def json_header(part: Part, limits: Limits) -> list[str]:
    """Read the names in the first object."""
    _, row = next(_rows(part, limits), (None, None))
    if row is None:
        msg = f"'{part.name}' must hold samples: it has no rows."
        raise InputError(msg)
    return list(row)


def json_batches(part: Part, ask: Ask, limits: Limits) -> Iterator[Batch]:
    """Read the objects of a JSON file as rows."""
    rows: list[dict[str, Any]] = []
    lines: list[int] = []
    before = 0
    for line, row in _rows(part, limits):
        rows.append(row)
        lines.append(-1 if line is None else line)
        if len(rows) == _ROWS:
            yield _batch(rows, lines, before, ask, part)
            before += len(rows)
            rows, lines = [], []
    if rows:
        yield _batch(rows, lines, before, ask, part)


def _rows(part: Part, limits: Limits) -> Iterator[tuple[int | None, dict[str, Any]]]:
    """Go through the objects, with their lines where there is one per line."""
    with open_stream(part, limits) as stream:
        if part.kind == "json":
            data = stream.read_all(min(limits.piece, _LARGEST_LIST))
            refuse_other_kinds(data[:512], part.name)
            whole = _load(decode(data.removeprefix(b"\xef\xbb\xbf"), part.name, 1), part.name)
            if not isinstance(whole, list):
                msg = f"'{part.name}' must be a list of objects, one per sample:"
                raise InputError(f"{msg} got {_kind(whole)}.")
            for index, row in enumerate(whole):
                yield None, _object(row, f"{part.name}, row {index}")
            return
        for chunk in cut_rows(stream, quotes=False):
            text = decode(chunk.data, part.name, chunk.line).replace("\r\n", "\n")
            for line, each in enumerate(text.replace("\r", "\n").split("\n"), chunk.line):
                if each.strip():
                    place = f"{part.name}, line {line}"
                    yield line, _object(_load(each, place), place)


def _object(row: Any, place: str) -> dict[str, Any]:  # noqa: ANN401
    """Refuse a row that is no object."""
    if not isinstance(row, dict):
        msg = f"{place} must be an object with a name for each value: got {_kind(row)}."
        raise InputError(msg)
    return row


def _kind(value: object) -> str:
    """Return what JSON calls a value."""
    names = {dict: "an object", list: "a list", str: "a string", bool: "a truth value"}
    return "null" if value is None else names.get(type(value), "a number")


def _batch(
    rows: list[dict[str, Any]], lines: list[int], before: int, ask: Ask, part: Part
) -> Batch:
    """Turn objects into columns."""
    import pyarrow as pa  # noqa: PLC0415

    names = ask.names or tuple(rows[0])
    places = _Where(part.name, lines, before)
    columns = {}
    for name in names:
        values = _values(rows, name, places)
        as_text = name in ask.texts
        if ask.names:
            columns[name] = (
                _texts(values, name, places) if as_text else _numbers(values, name, places)
            )
        else:
            columns[name] = _as_is(values, name, places)
    if not ask.names:
        odd = next((i for i, row in enumerate(rows) if len(row) != len(names)), None)
        if odd is not None:
            msg = f"{places.of(odd)} has other names than the first: {plain(list(rows[odd]), 200)}."
            raise InputError(msg)
    listed = None if lines[0] < 0 else Lines(lines[0], np.asarray(lines, dtype=np.int64))
    return Batch(pa.table(columns), listed)


class _Where:
    """Places of the rows of a batch."""

    def __init__(self, name: str, lines: list[int], before: int) -> None:
        self.name, self._lines, self._before = name, lines, before

    def of(self, row: int) -> str:
        """Return the place of a row."""
        line = self._lines[row]
        return (
            f"{self.name}, line {line}" if line >= 0 else f"{self.name}, row {self._before + row}"
        )


def _values(rows: list[dict[str, Any]], name: str, where: _Where) -> list[Any]:
    """Return the values of one name; none may be missing."""
    try:
        return [row[name] for row in rows]
    except KeyError:
        at = next(i for i, row in enumerate(rows) if name not in row)
        check_present([name], list(rows[at]), where.of(at))
        raise


def _refuse(values: Sequence[Any], at: int, name: str, what: str, where: _Where) -> NoReturn:
    """Say which value does not fit."""
    value = values[at]
    got = "null, a missing value" if value is None else f"{_kind(value)}, {plain(repr(value))}"
    msg = f"{where.of(at)}: column {name!r} must hold {what}: got {got}."
    raise InputError(msg)


def _texts(values: list[Any], name: str, where: _Where) -> "pa.Array":
    """Return labels: all texts, all whole numbers or all truth values."""
    import pyarrow as pa  # noqa: PLC0415

    kind = type(values[0])
    kind = kind if kind in {str, int, bool} else str
    for at, value in enumerate(values):
        if type(value) is not kind:
            what = {str: "texts", int: "whole numbers", bool: "truth values"}[kind]
            what = "labels, texts or whole numbers" if at == 0 else f"{what} as before"
            _refuse(values, at, name, what, where)
    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError) as error:
        msg = (
            f"{where.name}: column {name!r} holds a label that cannot be kept: {plain(error, 200)}"
        )
        raise InputError(f"{msg}. Write labels as texts.") from error


def _numbers(values: list[Any], name: str, where: _Where) -> "pa.Array":
    """Return numbers, or lists of them."""
    import pyarrow as pa  # noqa: PLC0415

    lists = isinstance(values[0], list)
    for at, value in enumerate(values):
        inner = value if lists and isinstance(value, list) else [value]
        if lists != isinstance(value, list) or not all(_is_number(v) for v in inner):
            _refuse(values, at, name, "lists of numbers" if lists else "numbers", where)
    return pa.array(values, type=pa.list_(pa.float64()) if lists else pa.float64())


def _is_number(value: object) -> bool:
    """Tell whether a value is a number that a double can hold."""
    if type(value) is int:
        return abs(value) <= 2**53 or float(int(value)) == value if abs(value) < 2**1023 else False
    return type(value) is float and math.isfinite(value)


def _as_is(values: list[Any], name: str, where: _Where) -> "pa.Array":
    """Return a column of whatever one kind it holds."""
    import pyarrow as pa  # noqa: PLC0415

    try:
        return pa.array(values)
    except (pa.ArrowException, OverflowError, UnicodeEncodeError, TypeError) as error:
        msg = f"{where.of(0)} and after: column {name!r} must hold values of one kind:"
        raise InputError(f"{msg} {plain(error, 200)}.") from error
