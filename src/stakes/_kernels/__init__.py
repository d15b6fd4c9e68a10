"""One-pass loops over the data: numpy definitions, and the same in C.

`compiled` says which is in use. STAKES_KERNELS=numpy in the environment asks for the definitions.
After a change to the C sources `python -m stakes._kernels` builds them in place; until then the
library is stale, and not used.
"""

from stakes._kernels.affine import affine_binary_pass, affine_pass
from stakes._kernels.draws import multinomial_auc, multinomial_counts, multinomial_dot
from stakes._kernels.folds import affine_answers, grouped_rows
from stakes._kernels.library import COMPILED as compiled  # noqa: N811  a sentence, not a constant
from stakes._kernels.passes import binary_pass, rows_pass
from stakes._kernels.ranks import auc_pairs, pav_blocks, places, sorted_merge
from stakes._kernels.records import CostColumns

__all__ = [
    "CostColumns",
    "affine_answers",
    "affine_binary_pass",
    "affine_pass",
    "auc_pairs",
    "binary_pass",
    "compiled",
    "grouped_rows",
    "multinomial_auc",
    "multinomial_counts",
    "multinomial_dot",
    "pav_blocks",
    "places",
    "rows_pass",
    "sorted_merge",
]
