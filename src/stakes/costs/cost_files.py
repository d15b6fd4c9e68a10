"""The two text forms of a cost matrix: TOML, where every cost names its cell, and CSV."""

import csv
import io
import json
import re
from collections.abc import Mapping
from typing import Any

from stakes._check import InputError
from stakes._text import quoted
from stakes._typing import FloatArray, Label, Names

VERSION = 1
CORNER = "truth"
_LONGEST_FIELD = 100_000  # readers of CSV refuse longer ones
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_FORMULA = ("=", "+", "-", "@", "\t", "\r", "\0")

Parts = tuple[list[list[float]], Names, Names]


def to_toml(values: FloatArray, classes: Names, decisions: Names) -> str:
    """Return the TOML form: one table per class, one key per decision."""
    lines = [
        "# What each decision costs for each true class.",
        f"stakes-costs = {VERSION}",
        f"classes = [{', '.join(_toml_value(c) for c in classes)}]",
        f"decisions = [{', '.join(_toml_value(d) for d in decisions)}]",
    ]
    for name, row in zip(classes, values, strict=True):
        lines += ["", f"[costs.{_toml_text(_key(name))}]"]
        lines += [
            f"{_toml_text(_key(d))} = {_toml_value(_short(cost))}"
            for d, cost in zip(decisions, row, strict=True)
        ]
    return "\n".join(lines) + "\n"


def from_toml(text: str, source: str) -> Parts:
    """Read the TOML form."""
    import tomllib  # noqa: PLC0415  slow to load, and seldom asked for

    try:
        data = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(f"{source!r} must be TOML: {error}.") from error
    version = data.get("stakes-costs")
    if version != VERSION or type(version) is not int:
        raise InputError(f"{source!r} must begin with stakes-costs = {VERSION}: got {version!r}.")
    unknown = sorted(set(data) - {"stakes-costs", "classes", "decisions", "costs"})
    if unknown:
        msg = f"{source!r} must hold classes, decisions and costs alone: got {quoted(unknown)} too."
        raise InputError(msg)
    classes, decisions = (_names(data.get(key), key, source) for key in ("classes", "decisions"))
    costs = _table(data.get("costs"), "costs", classes, source)
    rows = [_table(costs[_key(c)], f"costs.{c}", decisions, source) for c in classes]
    return [[_cost(row[_key(d)], d, source) for d in decisions] for row in rows], classes, decisions


def _names(value: object, key: str, source: str) -> Names:
    whole = isinstance(value, list) and value and all(type(v) in (int, str) for v in value)
    if not whole:
        msg = f"{source!r} must list its {key} as strings or integers: got {value!r}."
        raise InputError(msg)
    return tuple(value)  # type: ignore[arg-type]


def _table(value: object, key: str, names: Names, source: str) -> Mapping[str, Any]:
    wanted = {_key(n) for n in names}
    got = set(value) if isinstance(value, dict) else set()
    if got != wanted or not isinstance(value, dict):
        lacking, unknown = quoted(sorted(wanted - got)), quoted(sorted(got - wanted))
        fault = f"lacks {lacking}" if wanted - got else f"has the undeclared {unknown}"
        msg = f"{source!r} must have in [{key}] one entry for each of {quoted(names)}: it {fault}."
        raise InputError(msg)
    return value


def _cost(value: object, decision: Label, source: str) -> float:
    if type(value) not in (int, float):
        msg = f"{source!r} must give numbers as costs: got {value!r} for decision {decision!r}."
        raise InputError(msg)
    try:
        return float(value)  # type: ignore[arg-type]
    except OverflowError as error:
        msg = f"{source!r} must give costs that a double can hold: decision {decision!r} has not."
        raise InputError(msg) from error


def to_csv(values: FloatArray, classes: Names, decisions: Names) -> str:
    """Return the CSV form: the corner says that rows are the truth."""
    for name in (*classes, *decisions):
        odd = isinstance(name, str) and (_is_whole(name) or name.startswith(_FORMULA))
        if odd or (isinstance(name, str) and ("\r" in name or len(name) > _LONGEST_FIELD)):
            msg = "names in a CSV cost file must not look like numbers or formulas, nor hold"
            msg = f"{msg} carriage returns: got {name[:40]!r}."  # type: ignore[index]
            raise InputError(f"{msg} Write the TOML form instead.")
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow([CORNER, *map(_key, decisions)])
    for name, row in zip(classes, values, strict=True):
        writer.writerow([_key(name), *(_short(cost) for cost in row)])
    return stream.getvalue()


def from_csv(text: str, source: str) -> Parts:
    """Read the CSV form."""
    reader = csv.reader(io.StringIO(text, newline=""))
    try:
        rows = [(reader.line_num, row) for row in reader if row]
    except csv.Error as error:
        raise InputError(f"{source!r} line {reader.line_num} must be CSV: {error}.") from error
    if not rows or rows[0][1][0].strip().lower() != CORNER:
        corner = rows[0][1][0] if rows else ""
        msg = f"{source!r} must have {CORNER!r} in its first cell, to say that each row is a true"
        raise InputError(f"{msg} class and each column a decision: got {corner!r}.")
    (_, head), *body = rows
    for line, row in body:
        if len(row) != len(head):
            msg = f"{source!r} line {line} must have {len(head)} fields: got {len(row)} fields."
            raise InputError(msg)
    values = [
        [_field(cell, head[c], line, source) for c, cell in enumerate(row[1:], start=1)]
        for line, row in body
    ]
    classes = _typed([row[0] for _, row in body])
    known = {_key(name): name for name in classes}
    decisions = _typed(head[1:])
    if set(known) <= set(decisions):  # numbers with a text beside them, such as "abstain"
        decisions = tuple(known.get(name, name) for name in head[1:])
    return values, classes, decisions


def _field(cell: str, column: str, line: int, source: str) -> float:
    if not _NUMBER.fullmatch(cell.strip()):
        msg = f"{source!r} line {line}, column {column!r} must be a number: got {cell!r}."
        raise InputError(msg)
    return float(cell)


def _typed(names: list[str]) -> Names:
    """Return names as whole numbers if all of them are such, as CSV has no types."""
    return tuple(int(n) for n in names) if all(_is_whole(n) for n in names) else tuple(names)


def _is_whole(text: str) -> bool:
    """Tell a whole number as Python would print it; 007 is a name."""
    digits = text.removeprefix("-")
    return digits.isascii() and digits.isdigit() and len(digits) < 19 and str(int(text)) == text


def _short(cost: float) -> float | int:
    return int(cost) if cost == int(cost) and cost < 2**53 else float(cost)


def _toml_value(value: Label | float) -> str:
    """Return a name or a number as TOML writes it; False and True are the numbers they equal."""
    return _toml_text(value) if isinstance(value, str) else repr(+value)


def _key(name: Label) -> str:
    return name if isinstance(name, str) else str(+name)


def _toml_text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


FORMS = {".toml": (from_toml, to_toml), ".csv": (from_csv, to_csv)}
