"""The border: the only room that complains about what users hand over."""

from stakes._check.labels import LabelColumn, encode, read_column, read_names, seen_names
from stakes._check.numbers import (
    check_seen,
    read_array,
    read_costs,
    read_level,
    read_number,
    read_priors,
    read_weights,
)
from stakes._check.tables import (
    check_below_infinity,
    check_log_posteriors,
    check_no_nan,
    check_posteriors,
    check_rows,
    read_table,
)
from stakes._errors import (
    AddressError,
    ChecksumError,
    FileError,
    InputError,
    MissingExtraError,
    ResourceError,
    StakesError,
    UndefinedMetricError,
    UndefinedMetricWarning,
    UnsafeFileError,
)

__all__ = [
    "AddressError",
    "ChecksumError",
    "FileError",
    "InputError",
    "LabelColumn",
    "MissingExtraError",
    "ResourceError",
    "StakesError",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
    "UnsafeFileError",
    "check_below_infinity",
    "check_log_posteriors",
    "check_no_nan",
    "check_posteriors",
    "check_rows",
    "check_seen",
    "encode",
    "read_array",
    "read_column",
    "read_costs",
    "read_level",
    "read_names",
    "read_number",
    "read_priors",
    "read_table",
    "read_weights",
    "seen_names",
]
