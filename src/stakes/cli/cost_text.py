"""Costs as they are typed: numbers, names of columns, files, detection costs."""

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import click
import numpy as np

from stakes._check import InputError
from stakes._text import quoted
from stakes.cli.places import said
from stakes.costs import CostMatrix, CostsByCase, SampleCosts

Entry = float | str  # a price, or the column that holds it
_NAMES = {"miss", "false_alarm"}
_PARTS = {"matrix", "classes", "decisions"}


@dataclass(frozen=True)
class CostText:
    """What was typed for costs: it may speak of classes and columns that are not known yet."""

    read: CostMatrix | None = None  # from a file
    pairs: Mapping[str, Entry] | None = None
    matrix: Sequence[Sequence[Entry]] | None = None
    decisions: Sequence[str] | None = None  # of the matrix, where they are not the classes
    rows: Sequence[str] | None = None  # classes of the matrix, where they are named
    abstain: Entry | None = None

    @property
    def columns(self) -> list[str]:
        """The columns of the table that hold prices."""
        entries = [*(self.pairs or {}).values(), *(e for row in self.matrix or [] for e in row)]
        named = [*entries, *([] if self.abstain is None else [self.abstain])]
        return list(dict.fromkeys(entry for entry in named if isinstance(entry, str)))

    @property
    def classes(self) -> list[str] | None:
        """The classes that a cost file names."""
        return None if self.read is None else [str(c) for c in self.read.classes]

    def build(self, classes: Sequence[str], table: Any) -> CostMatrix | SampleCosts:  # noqa: ANN401
        """Return the costs for these classes; `table` gives columns of prices."""
        found = self.named(classes)
        if isinstance(found, CostMatrix):
            return found
        prices = {name: table.numbers(name) for name in found.columns}
        with _understood():
            return found.with_columns(prices)

    def named(self, classes: Sequence[str]) -> CostMatrix | CostsByCase:
        """Return the costs for these classes, with the names of columns of prices."""
        if self.read is not None and self.abstain is None:
            return self.read
        entries, decisions = self._entries(classes)
        with _understood():
            if not self.columns:
                return CostMatrix(np.array(entries), classes=list(classes), decisions=decisions)
            return CostsByCase(entries, classes=list(classes), decisions=decisions)

    def _entries(self, classes: Sequence[str]) -> tuple[list[list[Entry]], list[str] | None]:
        """Return the matrix of prices, and the names of its decisions."""
        decisions: list[str] | None = None
        if self.read is not None:
            rows: list[list[Entry]] = self.read.values.tolist()
            decisions = [str(d) for d in self.read.decisions]
        elif self.matrix is not None:
            rows = self._matrix_rows(classes)
            decisions = None if self.decisions is None else list(self.decisions)
        elif self.pairs is not None:
            if len(classes) != 2:
                msg = f"--cost miss=,false_alarm= needs two classes: they are {quoted(classes)}."
                raise click.UsageError(f"{msg} Give a cost file or a matrix.")
            rows = [[0.0, self.pairs["false_alarm"]], [self.pairs["miss"], 0.0]]
        else:
            k = len(classes)
            rows = [[float(i != j) for j in range(k)] for i in range(k)]
        if self.abstain is not None:
            rows = [[*row, self.abstain] for row in rows]
            decisions = [*(decisions or classes), "abstain"]
        return rows, decisions

    def _matrix_rows(self, classes: Sequence[str]) -> list[list[Entry]]:
        """Return the rows of the matrix in the order of the classes."""
        if self.matrix is None or self.rows is None:
            return [list(row) for row in self.matrix or []]
        if sorted(self.rows) != sorted(classes):
            msg = f"--cost must have a row for each of the classes {quoted(classes)}: its rows are"
            raise click.UsageError(f"{msg} {quoted(self.rows)}.")
        order = [list(self.rows).index(name) for name in classes]
        if self.decisions is None and len(self.matrix[0]) == len(order):  # they are the classes
            return [[self.matrix[i][j] for j in order] for i in order]
        return [list(self.matrix[i]) for i in order]


@contextmanager
def _understood() -> Iterator[None]:
    """Say which option costs were typed for, where they are refused."""
    try:
        yield
    except (InputError, ValueError) as error:
        shown = said(error) if isinstance(error, InputError) else error
        msg = f"--cost is not understood: {shown}"
        raise click.UsageError(msg) from error


def read_costs(cost: str | None, abstain: str | None) -> CostText | None:
    """Read what was typed for costs."""
    price = None if abstain is None else _entry(abstain)
    if isinstance(price, float) and not 0 <= price < math.inf:
        msg = f"--abstain must be a price of at least 0, or a column: got {abstain}."
        raise click.UsageError(msg)
    if cost is None:
        return None if price is None else CostText(abstain=price)
    if cost.lower().endswith((".toml", ".csv")):
        return CostText(read=_from_file(cost), abstain=price)
    if cost.lstrip().startswith("["):
        return CostText(matrix=_matrix(cost), abstain=price)
    if cost.lstrip().startswith("{"):
        return replace(_named_matrix(cost), abstain=price)
    if "=" not in cost:
        msg = "--cost must be miss=PRICE,false_alarm=PRICE, a matrix '[[0,1],[5,0]]' or the name"
        raise click.UsageError(f"{msg} of a .toml or .csv file: got {cost!r}.")
    pairs = _pairs(cost)
    if set(pairs) != _NAMES:
        msg = f"--cost must give miss and false_alarm: got {quoted(pairs)}."
        raise click.UsageError(msg)
    return CostText(pairs=pairs, abstain=price)


def read_detection_cost(text: str) -> tuple[CostText, float]:
    """Read the detection cost of speech: price of a miss, of a false alarm, prior of a target."""
    try:
        miss, alarm, prior = (float(part) for part in text.split(":"))
    except ValueError as error:
        msg = f"--dcf must be miss:false_alarm:prior, such as 10:1:0.01: got {text!r}."
        raise click.UsageError(msg) from error
    if not (miss >= 0 and alarm >= 0 and 0 < prior < 1):
        msg = f"--dcf must have prices of at least 0 and a prior between 0 and 1: got {text!r}."
        raise click.UsageError(msg)
    return CostText(pairs={"miss": miss, "false_alarm": alarm}), prior


def _named_matrix(text: str) -> CostText:
    """Read a matrix with names, {"matrix": [[...]], "classes": [...], "decisions": [...]}."""
    parts = _json(text)
    if not isinstance(parts, dict) or not {"matrix"} < set(parts) <= _PARTS:
        msg = "--cost must give a matrix, its classes, its decisions or both, and nothing else:"
        raise click.UsageError(f"{msg} got {text!r}.")
    matrix = _matrix(json.dumps(parts["matrix"]))
    rows, decisions = (_listed(parts.get(key), key) for key in ("classes", "decisions"))
    if rows is not None and len(rows) != len(matrix):
        msg = f"--cost must have one row for each of its classes {quoted(rows)}: got {len(matrix)}."
        raise click.UsageError(msg)
    return CostText(matrix=matrix, decisions=decisions, rows=rows)


def _listed(names: object, key: str) -> list[str] | None:
    """Read names, each once."""
    if names is None:
        return None
    fits = isinstance(names, list) and all(isinstance(name, str) for name in names)
    if not isinstance(names, list) or not fits or len(set(names)) < len(names):
        msg = f"--cost must list {key} as texts, each once: got {names!r}."
        raise click.UsageError(msg)
    return names


def _json(text: str) -> Any:  # noqa: ANN401
    """Read JSON that was typed."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        msg = f"--cost {text!r} is not understood: {error}"
        raise click.UsageError(msg) from error


def _matrix(text: str) -> list[list[Entry]]:
    """Read a matrix such as [[0,1],[5,0]]; entries in quotes are columns."""
    rows = _json(text)
    fits = isinstance(rows, list) and rows and all(isinstance(r, list) and r for r in rows)
    if fits and len({len(row) for row in rows}) > 1:
        msg = f"--cost must be a matrix with rows of one length: got {text!r}."
        raise click.UsageError(msg)
    entries = [e for row in rows for e in row] if fits else [None]
    if not all(isinstance(e, str | int | float) and not isinstance(e, bool) for e in entries):
        msg = f"--cost must be a matrix of numbers or of columns in quotes: got {text!r}."
        raise click.UsageError(msg)
    return [[e if isinstance(e, str) else float(e) for e in row] for row in rows]


def _pairs(text: str) -> dict[str, Entry]:
    """Read name=price pairs, separated by commas; a price may be the name of a column."""
    pairs: dict[str, Entry] = {}
    for item in text.split(","):
        name, sign, value = (part.strip() for part in item.partition("="))
        if not sign or not value or name in pairs:
            fault = f"{name!r} twice" if name in pairs else repr(item)
            msg = f"--cost must hold name=price pairs, each name once: got {fault}."
            raise click.UsageError(msg)
        pairs[name] = _entry(value)
    return pairs


def _entry(text: str) -> Entry:
    """Return a price, or the name of a column."""
    try:
        return float(text)
    except ValueError:
        return text


def _from_file(path: str) -> CostMatrix:
    """Read a cost file; its names become texts, as all labels of a file are here."""
    try:
        costs = CostMatrix.read(path)
    except InputError as error:
        raise click.UsageError(f"--cost: {said(error)}") from error
    names = ([str(n) for n in part] for part in (costs.classes, costs.decisions))
    classes, decisions = names
    return CostMatrix(costs.values, classes=classes, decisions=decisions)
