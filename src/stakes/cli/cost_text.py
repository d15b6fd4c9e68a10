"""Costs as they are typed: numbers, names of columns, files, detection costs."""

import json
import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._check import InputError
from stakes._text import quoted
from stakes.cli.messages import refuse
from stakes.cli.places import said
from stakes.costs import CostMatrix, CostsByCase, SampleCosts
from stakes.costs.price_words import in_our_words
from stakes.io import Columns

Entry = float | str  # a price, or the column that holds it


@dataclass(frozen=True)
class CostText:
    """What was typed for costs: it may name classes and columns that are not known yet."""

    read: CostMatrix | None = None  # from a file
    matrix: Sequence[Sequence[Entry]] | None = None
    binary: bool = False  # the matrix was typed as miss= and false_alarm=
    decisions: Sequence[str] | None = None  # of the matrix, where they are not the classes
    rows: Sequence[str] | None = None  # classes of the matrix, where they are named
    abstain: Entry | None = None
    prior: str | None = None  # as typed, for the application with these costs

    @property
    def columns(self) -> list[str]:
        """The columns of the table that hold prices."""
        entries = [*(e for row in self.matrix or [] for e in row), self.abstain]
        return list(dict.fromkeys(entry for entry in entries if isinstance(entry, str)))

    @property
    def classes(self) -> list[str] | None:
        """The classes that a cost file names."""
        return None if self.read is None else [str(c) for c in self.read.classes]

    def build(self, classes: Sequence[str], table: Columns) -> CostMatrix | SampleCosts:
        """Return the costs for these classes; `table` gives columns of prices."""
        found = self.named(classes)
        if isinstance(found, CostMatrix):
            return found
        with _understood():
            return found.with_columns({name: table.numbers(name) for name in found.columns})

    def named(self, classes: Sequence[str]) -> CostMatrix | CostsByCase:
        """Return the costs for these classes, with the names of columns of prices."""
        if self.read is not None and self.abstain is None:
            return self.read
        entries, decisions = self._entries(classes)
        if self.abstain is not None:
            entries = [[*row, self.abstain] for row in entries]
            decisions = [*(decisions or classes), "abstain"]
        with _understood():
            if not self.columns:
                return CostMatrix(np.array(entries), classes=list(classes), decisions=decisions)
            return CostsByCase(entries, classes=list(classes), decisions=decisions)

    def _entries(self, classes: Sequence[str]) -> tuple[list[list[Entry]], list[str] | None]:
        """Return the matrix of prices in the order of the classes, and its decisions."""
        if self.read is not None:
            return self.read.values.tolist(), [str(d) for d in self.read.decisions]
        if self.matrix is None:
            return [[float(row != column) for column in classes] for row in classes], None
        if self.binary and len(classes) != 2:
            msg = f"--cost miss=,false_alarm= needs two classes: got {quoted(classes)}."
            refuse(f"{msg} Give a cost file or a matrix.")
        decisions = None if self.decisions is None else list(self.decisions)
        if self.rows is None:
            return [list(row) for row in self.matrix], decisions
        if sorted(self.rows) != sorted(classes):
            msg = f"--cost must have a row for each of the classes {quoted(classes)}: its rows are"
            refuse(f"{msg} {quoted(self.rows)}.")
        order = [list(self.rows).index(name) for name in classes]
        if decisions is None and len(self.matrix[0]) == len(order):  # they are the classes
            return [[self.matrix[i][j] for j in order] for i in order], None
        return [list(self.matrix[i]) for i in order], decisions


@contextmanager
def _understood() -> Iterator[None]:
    """Say which option costs were typed for, where they are refused."""
    try:
        yield
    except (InputError, ValueError) as error:
        shown = said(error) if isinstance(error, InputError) else error
        refuse(f"--cost cannot be read: {shown}")


def read_costs(cost: str | None, abstain: str | None) -> CostText | None:
    """Read what was typed for costs."""
    price = None if abstain is None else _entry(abstain)
    if isinstance(price, float) and not 0 <= price < math.inf:
        refuse(f"--abstain must be a price of at least 0, or a column: got {abstain}.")
    if cost is None:
        return None if price is None else CostText(abstain=price)
    if cost.lower().endswith((".toml", ".csv")):
        try:
            read = CostMatrix.read(cost)
        except InputError as error:
            refuse(f"--cost: {said(error)}")
        classes, decisions = ([str(n) for n in part] for part in (read.classes, read.decisions))
        texts = CostMatrix(read.values, classes=classes, decisions=decisions)  # as labels are here
        found = CostText(read=texts)
    elif cost.lstrip().startswith("["):
        found = CostText(matrix=_matrix(_json(cost), cost))
    elif cost.lstrip().startswith("{"):
        found = _named_matrix(cost)
    elif "=" in cost:
        found = _binary(cost)
    else:
        msg = "--cost must be miss=PRICE,false_alarm=PRICE, a matrix '[[0,1],[5,0]]' or the name"
        refuse(f"{msg} of a .toml or .csv file: got {cost!r}. Try miss=5,false_alarm=1.")
    if price is None:
        return found
    if found.abstain is not None:
        refuse("--abstain and --cost both give the price of abstaining: leave one out.")
    return replace(found, abstain=price)


def read_application(
    cost: str | None, dcf: str | None, abstain: str | None, prior: str | None
) -> CostText:
    """Read costs and prior of an application; a detection cost of speech holds both."""
    if dcf is None:
        return replace(read_costs(cost, abstain) or CostText(), prior=prior)
    if cost is not None or prior is not None:
        what, name = ("costs and a prior", "cost") if cost is not None else ("a prior", "prior")
        refuse(f"--dcf includes {what}: leave --{name} out.")
    found = read_costs(None, abstain) or CostText()
    try:
        miss, alarm, target = (float(part) for part in dcf.split(":"))
    except ValueError:
        refuse(f"--dcf must be miss:false_alarm:prior, such as 10:1:0.01: got {dcf!r}.")
    if not (miss >= 0 and alarm >= 0 and 0 < target < 1):
        refuse(f"--dcf must have prices of at least 0 and a prior between 0 and 1: got {dcf!r}.")
    return replace(found, matrix=[[0.0, alarm], [miss, 0.0]], binary=True, prior=str(target))


def _named_matrix(text: str) -> CostText:
    """Read a matrix with names, {"matrix": [[...]], "classes": [...], "decisions": [...]}."""
    parts = _json(text)
    known = {"matrix", "classes", "decisions"}
    if not isinstance(parts, dict) or not {"matrix"} < set(parts) <= known:
        msg = "--cost must hold matrix, and classes, decisions or both, and nothing else:"
        refuse(f"{msg} got {text!r}.")
    matrix = _matrix(parts["matrix"], json.dumps(parts["matrix"]))
    for key in ("classes", "decisions"):
        names = parts.setdefault(key, None)
        listed = isinstance(names, list) and all(isinstance(name, str) for name in names)
        if names is not None and not (listed and len(set(names)) == len(names)):
            refuse(f"--cost must list {key} as strings, each once: got {names!r}.")
    rows = parts["classes"]
    if rows is not None and len(rows) != len(matrix):
        msg = f"--cost must have one row for each of its classes {quoted(rows)}: got {len(matrix)}."
        refuse(msg)
    return CostText(matrix=matrix, decisions=parts["decisions"], rows=rows)


def _json(text: str) -> Any:  # noqa: ANN401
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        refuse(f"--cost {text!r} cannot be read: {error}")


def _matrix(rows: Any, text: str) -> list[list[Entry]]:  # noqa: ANN401
    """Read a matrix such as [[0,1],[5,0]]; entries in quotes are columns."""
    fits = isinstance(rows, list) and rows and all(isinstance(r, list) and r for r in rows)
    if fits and len({len(row) for row in rows}) > 1:
        refuse(f"--cost must be a matrix with rows of one length: got {text!r}.")
    entries = [e for row in rows for e in row] if fits else [None]
    if not all(isinstance(e, str | int | float) and not isinstance(e, bool) for e in entries):
        refuse(f"--cost must be a matrix of numbers or of columns in quotes: got {text!r}.")
    return [[e if isinstance(e, str) else float(e) for e in row] for row in rows]


def _binary(text: str) -> CostText:
    """Read miss=price,false_alarm=price; a price may be the name of a column."""
    pairs: dict[str, Entry] = {}
    for item in text.split(","):
        name, sign, value = (part.strip() for part in item.partition("="))
        if not sign or not value or name in pairs:
            fault = f"{name!r} twice" if name in pairs else repr(item)
            refuse(f"--cost must hold name=price pairs, each name once: got {fault}.")
        pairs[name] = _entry(value)
    try:
        prices = in_our_words(pairs, argument="--cost")
    except InputError as error:
        refuse(said(error))
    matrix = [[0.0, prices["false_alarm"]], [prices["miss"], 0.0]]
    return CostText(matrix=matrix, binary=True, abstain=prices.get("abstain"))


def _entry(text: str) -> Entry:
    try:
        return float(text)
    except ValueError:
        return text
