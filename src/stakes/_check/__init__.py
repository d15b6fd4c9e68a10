"""The border: the only room that complains about what users hand over."""

from stakes._check.labels import LabelColumn, encode, read_column, read_names, seen_names
from stakes._check.numbers import (
    read_costs,
    read_level,
    read_number,
    read_priors,
    read_weights,
)
from stakes._errors import (
    FileError,
    InputError,
    MissingExtraError,
    StakesError,
    UndefinedMetricError,
    UndefinedMetricWarning,
)

__all__ = [
    "FileError",
    "InputError",
    "LabelColumn",
    "MissingExtraError",
    "StakesError",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
    "encode",
    "read_column",
    "read_costs",
    "read_level",
    "read_names",
    "read_number",
    "read_priors",
    "read_weights",
    "seen_names",
]
