"""Names of rows and columns of a cost matrix: given, from a data frame, or by default."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from stakes._check import InputError, read_costs, read_names
from stakes._text import quoted
from stakes._typing import FloatArray, Names, NamesLike


def with_names(values: Any) -> tuple[FloatArray, NamesLike | None, NamesLike | None]:  # noqa: ANN401
    """Split a data frame into its values and names; an array has no names."""
    if is_frame(values):
        return read_costs(values.to_numpy()), list(values.index), list(values.columns)
    return read_costs(values), None, None


def is_frame(values: Any) -> bool:  # noqa: ANN401
    """Tell a pandas data frame, which has names for its rows, without importing pandas."""
    return all(hasattr(values, name) for name in ("index", "columns", "to_numpy"))


def names_of(
    shape: tuple[int, ...], classes: NamesLike | None, decisions: NamesLike | None
) -> tuple[Names, Names]:
    """Return names for rows and columns, as given or by default."""
    k, m = shape
    rows = read_names(k if classes is None else classes, "classes")
    if len(rows) != k:
        rule = f"must have one row per class {quoted(rows)}, {len(rows)} in all"
        got = f"{k} rows for {len(rows)} classes; rows are classes, columns are decisions"
        raise InputError("costs", rule, got)
    if decisions is None:
        decisions = default_decisions(classes, rows, m)
    columns = rows if decisions is rows else read_names(decisions, "decisions", mixed=True)
    if len(columns) != m:
        got = f"{m} columns for {len(columns)} decisions; columns are decisions"
        raise InputError("costs", f"must have one column per decision {quoted(columns)}", got)
    return rows, columns


def default_decisions(classes: NamesLike | None, rows: Names, m: int) -> NamesLike:
    """Return the decisions where none are named: the classes, or numbers for unnamed classes."""
    if m == len(rows):
        return rows
    if classes is None or rows == tuple(range(len(rows))):
        return m
    rule = "must be named where they are not the classes"
    hint = "Pass decisions=[...]."
    raise InputError("decisions", rule, f"{m} columns for the classes {quoted(rows)}", hint=hint)


def reordered(
    array: FloatArray,
    named: tuple[Names, Names],
    classes: NamesLike | None,
    decisions: NamesLike | None,
) -> tuple[FloatArray, tuple[Names, Names]]:
    """Put the rows and columns of a data frame into the order asked for."""
    wanted = []
    orders = []
    asked: Sequence[tuple[str, NamesLike | None]] = (
        ("classes", classes),
        (
            "decisions",
            decisions if decisions is not None or set(named[0]) != set(named[1]) else classes,
        ),
    )
    for own, (argument, names) in zip(named, asked, strict=True):
        order = own if names is None else read_names(names, argument, mixed=argument == "decisions")
        if set(order) != set(own):
            rule = "must be those of the cost table"
            raise InputError(argument, rule, f"{quoted(order)} where the table has {quoted(own)}")
        wanted.append(order)
        orders.append([own.index(name) for name in order])
    return array[np.ix_(*orders)], (wanted[0], wanted[1])
