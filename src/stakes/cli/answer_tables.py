"""Answers to questions as they stand in tables: columns by what they say, row by row."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from stakes._check import InputError, Place
from stakes._check.slice_columns import in_order
from stakes._text import plain, plain_list
from stakes._typing import FloatArray, IntArray
from stakes.cli.answer_request import AnswerRequest
from stakes.cli.messages import progress_bar, refuse
from stakes.cli.places import told_in_place
from stakes.io import column_names, read_columns
from stakes.io.batches import Ask
from stakes.io.sources import is_address
from stakes.responses import Responses


@dataclass(frozen=True, eq=False)
class AnswerTable:
    """Rows about questions, in the order of a file or in another one."""

    source: str
    columns: Mapping[str, Any]  # arrays by what they say: right, confidence, question, ...
    slices: Mapping[str, Any]
    weights: FloatArray | None
    rows: IntArray  # of the file
    placed: Callable[[int], Place]  # a row of the file
    origin: Mapping[str, str]  # where each column was taken from
    notes: tuple[str, ...] = ()
    model: str | None = None  # where a log names it

    def __len__(self) -> int:
        return self.rows.size

    def place(self, row: int) -> Place:
        """Return where a row came from."""
        return self.placed(int(self.rows[row]))

    def some(self, rows: IntArray) -> "AnswerTable":
        """Return some rows, in that order."""
        return replace(
            self,
            columns={role: values[rows] for role, values in self.columns.items()},
            slices={name: values[rows] for name, values in self.slices.items()},
            weights=None if self.weights is None else self.weights[rows],
            rows=self.rows[rows],
        )

    def by_model(self) -> "dict[str, AnswerTable]":
        """Return the rows of each model, by its name."""
        names = self.columns["model"]
        return {name: self.some(np.flatnonzero(names == name)) for name in in_order(names)}

    def keys(self) -> list[Any]:
        """Return what rows are sorted by, so that their order in a file plays no part."""
        texts = [*self.columns.values(), *self.slices.values()]
        codes = [np.unique(values.astype(str), return_inverse=True)[1] for values in texts]
        return codes if self.weights is None else [*codes, self.weights]


def responses_of(table: AnswerTable, request: AnswerRequest, group: str | None) -> Responses:
    """Return the rows as responses, grouped by a column; errors name columns and lines."""
    found, o = table.columns, request.options
    more: dict[str, Any] = {"sample_weight": table.weights}
    more |= {} if group is None else {"groups": found[group]}
    with told_in_place(table, request.argument_columns):
        sure = found.get("confidence")
        confidence = None if sure is None else request.confidence(sure)
        if "outcome" in found:
            words = {"right": o.right_is, "wrong": o.wrong_is, "abstained": o.abstained_is}
            return Responses.from_outcomes(found["outcome"], confidence, **words, **more)
        return Responses(found["right"], confidence, found.get("abstained"), **more)


def read_table_of_answers(path: str, request: AnswerRequest) -> AnswerTable:
    """Read a table."""
    o = request.options
    request.refuse_for_table()
    if o.right is None and o.outcome is None:
        _refuse_unnamed(path, request)
    ask = _ask(request)
    with progress_bar() as progress:
        told = {"finite": ask.finite, "blank": ask.blank, "progress": progress, **o.reading}
        table = read_columns(path, ask.texts, ask.numbers, **told)
    return AnswerTable(
        source=table.source,
        columns={role: table.texts(name) for role, name in request.columns.items()},
        slices={name: table.texts(name) for name in o.slices},
        weights=None if o.weight is None else table.numbers(o.weight),
        rows=np.arange(len(table)),
        placed=table.place,
        origin=request.origin,
    )


def _ask(request: AnswerRequest) -> Ask:
    """Return the columns of a table; what may be missing is read as texts."""
    named, o = request.columns, request.options
    whole = [named[role] for role in ("question", "model", "group") if role in named]
    blank = [named[role] for role in named if role not in ("question", "model", "group")]
    numbers = () if o.weight is None else (o.weight,)
    ask = Ask(tuple(dict.fromkeys(whole)), numbers, numbers)
    return ask.with_slices([*blank, *o.slices])


def _refuse_unnamed(path: str, request: AnswerRequest) -> None:
    o = request.options
    there = ""
    if path != "-" and not is_address(path):
        found = column_names(path, o.input_format, max_bytes=o.max_bytes)
        there = f"; the columns are: {plain_list(found)}"
    refuse(
        "--right must name the column that says whether an answer is right, or --outcome the one"
        f" that says right, wrong or abstained{there}."
    )


def check_alike(tables: Mapping[str, AnswerTable], shared: Mapping[str, str]) -> None:
    """Refuse rows of models that are paired and differ in a column of the question.

    `shared` are the columns by what they say; slices and weights are among them.
    """
    first, *others = tables
    for name in others:
        for role, column in shared.items():
            one, two = (_values(tables[each], role) for each in (first, name))
            odd = np.flatnonzero(one != two)
            if odd.size:
                row = int(odd[0])
                place = tables[name].place(row)
                more = f", where {plain(first)!r} has {plain(one[row])!r}"
                rule = "must be the same for all models in rows about one question"
                wrong = InputError(
                    f"column {plain(column)!r}", rule, repr(plain(two[row])), place=place, more=more
                )
                raise wrong.moved(source=plain(tables[name].source))


def _values(table: AnswerTable, role: str) -> Any:  # noqa: ANN401  a column
    if role == "weight":
        return table.weights
    return table.columns[role] if role in table.columns else table.slices[role]
