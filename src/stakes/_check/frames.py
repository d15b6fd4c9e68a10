"""Columns and tables of other libraries: masked arrays, relations, lazy frames, data sets."""

import sys
from collections.abc import Sequence
from importlib.util import find_spec
from typing import Any, Literal

from stakes._errors import InputError
from stakes._text import quoted
from stakes._typing import Column


def is_masked(values: Any) -> bool:  # noqa: ANN401
    """Whether something is a masked array: there is none before numpy's module for them is here.

    Another thread may be importing that module, which then has no arrays yet.
    """
    kind = getattr(sys.modules.get("numpy.ma"), "MaskedArray", None)
    return kind is not None and isinstance(values, kind)


def is_table(values: Column) -> bool:
    """Whether something has named columns; a lazy frame is not asked for them."""
    return hasattr(type(values), "columns") or hasattr(type(values), "column_names")


def gathered(values: Any) -> Any:  # noqa: ANN401  any data frame
    """Return a lazy table (DuckDB, polars) or a Hugging Face data set as one that is in memory."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415  only where a table comes in

    if hasattr(type(values), "with_format"):
        return values.with_format("arrow")[:]
    frame = nw.from_native(values, pass_through=True)
    return frame.collect(_backend(frame)).to_native() if isinstance(frame, nw.LazyFrame) else values


def _backend(frame: Any) -> Literal["pandas"] | None:  # noqa: ANN401
    """Return what rows of a query are collected into; DuckDB's need not be pyarrow."""
    return "pandas" if frame.implementation.is_duckdb() and not find_spec("pyarrow") else None


def columns_by_name(values: Any, argument: str) -> dict[str, Any]:  # noqa: ANN401  any table
    """Return the columns of a table by their names."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415

    if hasattr(type(values), "iloc"):  # pandas, whose names may be anything
        names = [str(name) for name in values.columns]
        twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
        if twice:
            rule = "must have columns of different names"
            raise InputError(argument, rule, f"several called {quoted(twice)}")
        return {name: values.iloc[:, i] for i, name in enumerate(names)}
    frame = nw.from_native(gathered(values), eager_only=True)
    return {name: frame[name].to_native() for name in frame.columns}


def columns_in_memory(table: Any, names: Sequence[str]) -> dict[str, Any] | None:  # noqa: ANN401
    """Return columns of a table as they are; None where it is not in memory or has not all."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415

    frame = nw.from_native(table, eager_only=True, pass_through=True)
    if not isinstance(frame, nw.DataFrame) or not set(names) <= set(frame.columns):
        return None
    return {name: frame[name].to_native() for name in names}


def only_column(values: Column) -> Any:  # noqa: ANN401
    """Return the column of a table that has one, else the values themselves."""
    import narwhals.stable.v2 as nw  # noqa: PLC0415

    frame = nw.from_native(gathered(values), eager_only=True, pass_through=True)
    single = isinstance(frame, nw.DataFrame) and len(frame.columns) == 1
    return frame[frame.columns[0]].to_native() if single else values
