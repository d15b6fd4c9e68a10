"""Files of samples: columns of labels, decisions and weights from CSV and Parquet."""

from stakes.io.files import read_columns, read_numbers, read_texts

__all__ = ["read_columns", "read_numbers", "read_texts"]
