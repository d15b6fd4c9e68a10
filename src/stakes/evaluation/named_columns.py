"""Columns of a table by name, for `evaluate` and `compare`."""

from collections.abc import Sequence
from importlib import import_module
from typing import Any

from stakes.scores import Scores


def columns_of(
    table: Any,  # noqa: ANN401  anything with an Arrow stream
    label: str,
    scores: Sequence[Any],
    kind: type[Scores],
) -> tuple[Any, list[Scores]]:
    """Return labels and scores of a table; `scores` names a column, or several, of each system."""
    y, values = import_module("stakes.io").table_columns(table, label, scores)  # no import goes up
    return y, [kind(each) for each in values]
