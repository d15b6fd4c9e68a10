"""Columns of a table by name, for `evaluate` and `compare`."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any, NamedTuple

from stakes.evaluation.applications import Applications, columns_of_costs, with_columns
from stakes.scores import Scores


class TableArguments(NamedTuple):
    """Arguments of `evaluate` and `compare`, as columns of a table."""

    y_true: Any
    scores: list[Scores]
    costs: Applications | None
    sample_weight: Any
    groups: Any
    slices: Any


def columns_of(  # noqa: PLR0913, PLR0917  the arguments that may be columns
    table: Any,  # noqa: ANN401  anything with an Arrow stream
    label: str,
    scores: Sequence[Any],
    kind: type[Scores],
    costs: Applications | None = None,
    sample_weight: Any = None,  # noqa: ANN401  a column, or its name
    groups: Any = None,  # noqa: ANN401
    slices: Any = None,  # noqa: ANN401
) -> TableArguments:
    """Return columns of a table; `scores` names a column, or several, of each system.

    Weights, groups and slices may be names of columns too; costs by case name theirs.
    """
    named = [slices] if isinstance(slices, str) else slices
    if not isinstance(named, list | tuple) or not all(isinstance(s, str) for s in named):
        named = []  # slices are columns themselves
    texts = [name for name in (groups, *named) if isinstance(name, str)]
    amounts = columns_of_costs(costs)
    numbers = [name for name in (sample_weight, *amounts) if isinstance(name, str)]
    found = import_module("stakes.io").table_columns(table, label, scores, texts, numbers)
    return TableArguments(
        found.y,
        [kind(each) for each in found.scores],
        with_columns(costs, found.numbers),
        found.numbers[sample_weight] if isinstance(sample_weight, str) else sample_weight,
        found.texts[groups] if isinstance(groups, str) else groups,
        {name: found.texts[name] for name in named} if named else slices,
    )
