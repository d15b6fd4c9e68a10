"""Tables of samples from files of many kinds, read in batches; nothing is lost or guessed."""

from stakes.io.columns import Columns, column_names, read_columns, read_whole
from stakes.io.long import LongColumns
from stakes.io.tables import with_columns, write_table
from stakes.io.trials import join_keys

__all__ = [
    "Columns",
    "LongColumns",
    "column_names",
    "join_keys",
    "read_columns",
    "read_whole",
    "with_columns",
    "write_table",
]
