"""The border: the only package that complains about what users hand over."""

from stakes._check.frames import columns_by_name, is_table
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
from stakes._check.precision import Rounding, slack
from stakes._check.tables import (
    check_below_infinity,
    check_no_nan,
    check_rows,
    read_table,
    settle_log_posteriors,
    settle_posteriors,
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
    "Rounding",
    "StakesError",
    "UndefinedMetricError",
    "UndefinedMetricWarning",
    "UnsafeFileError",
    "check_below_infinity",
    "check_no_nan",
    "check_rows",
    "check_seen",
    "columns_by_name",
    "encode",
    "is_table",
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
    "settle_log_posteriors",
    "settle_posteriors",
    "slack",
]
