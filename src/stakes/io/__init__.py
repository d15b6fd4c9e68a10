"""Tables of samples from files of many kinds, read in batches; nothing is lost or guessed."""

from typing import TYPE_CHECKING

from stakes._lazy import names_of_package
from stakes.io.columns import Columns, column_names, read_columns
from stakes.io.long import LongColumns

if TYPE_CHECKING:
    from stakes.io.relations import Relation, Roles, table_columns
    from stakes.io.tables import with_columns, write_table
    from stakes.io.trials import join_keys
    from stakes.io.units import read_batches
    from stakes.io.whole import read_pairs, read_whole
else:
    __getattr__ = names_of_package(
        __name__,
        {
            "relations": ("Relation", "Roles", "table_columns"),
            "tables": ("with_columns", "write_table"),
            "trials": ("join_keys",),
            "units": ("read_batches",),
            "whole": ("read_pairs", "read_whole"),
        },
    )

__all__ = [
    "Columns",
    "LongColumns",
    "Relation",
    "Roles",
    "column_names",
    "join_keys",
    "read_batches",
    "read_columns",
    "read_pairs",
    "read_whole",
    "table_columns",
    "with_columns",
    "write_table",
]
