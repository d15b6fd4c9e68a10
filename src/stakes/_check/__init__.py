"""The border: the only package that complains about what users hand over."""

from stakes._check.frames import columns_in_memory, is_table
from stakes._check.labels import LabelColumn, encode, read_column, read_names, seen_names
from stakes._check.lookalikes import (
    FEWEST_DECIDED,
    FEWEST_UNLABELLED,
    are_decided,
    refuse_decisions,
    words_may_be_decisions,
)
from stakes._check.numbers import (
    MOST_BINS,
    MOST_RESAMPLES,
    check_seen,
    read_array,
    read_costs,
    read_count,
    read_level,
    read_number,
    read_priors,
    read_progress,
    read_seed,
    read_weights,
)
from stakes._check.precision import Rounding, slack
from stakes._check.ragged_rows import (
    LongRows,
    RaggedRows,
    check_right_flags,
    group_codes_of,
    read_lengths,
    read_like,
    read_ragged,
    read_right_options,
    unpadded,
)
from stakes._check.rounding import RoundedRowsError, joined_rounding
from stakes._check.score_tables import (
    check_below_infinity,
    check_no_nan,
    check_rows,
    read_table,
    settle_log_posteriors,
    settle_posteriors,
)
from stakes._check.slice_columns import SliceColumn, read_slice, shown_value, slice_columns
from stakes._check.tensors import as_numpy
from stakes._check.truths import UNKNOWN, listed, read_shares, read_truths, read_words
from stakes._errors import (
    Action,
    AddressError,
    ChecksumError,
    EngineError,
    FileError,
    InputError,
    MissingExtraError,
    Place,
    PlacedText,
    ResourceError,
    StakesError,
    UndefinedMetricError,
    UndefinedMetricWarning,
    UnsafeFileError,
)
