"""Files of samples: columns of labels, decisions, scores and weights from CSV and Parquet."""

from stakes.io.files import read_columns, read_numbers, read_texts
from stakes.io.tables import column_names, read_whole, with_columns, write_table

__all__ = [
    "column_names",
    "read_columns",
    "read_numbers",
    "read_texts",
    "read_whole",
    "with_columns",
    "write_table",
]
