"""What each kernel computes, written in numpy: the meaning, and the way without a compiler."""

from stakes._kernels.definitions.affine import affine_binary_pass, affine_pass
from stakes._kernels.definitions.draws import multinomial_auc, multinomial_counts, multinomial_dot
from stakes._kernels.definitions.folds import affine_answers, grouped_rows
from stakes._kernels.definitions.passes import binary_pass, cells, rows_pass
from stakes._kernels.definitions.ranks import auc_pairs, pav_blocks, places, sorted_merge

__all__ = [
    "affine_answers",
    "affine_binary_pass",
    "affine_pass",
    "auc_pairs",
    "binary_pass",
    "cells",
    "grouped_rows",
    "multinomial_auc",
    "multinomial_counts",
    "multinomial_dot",
    "pav_blocks",
    "places",
    "rows_pass",
    "sorted_merge",
]
