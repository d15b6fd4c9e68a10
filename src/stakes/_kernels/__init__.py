"""One-pass loops over the data: numpy definitions, and the same in C.

`compiled` says which is in use. STAKES_KERNELS=numpy in the environment asks for the definitions.
After a change to the C sources `python -m stakes._kernels` builds them in place; until then the
library is stale, and not used.
"""

from stakes._kernels.affine import affine_binary_pass, affine_pass
from stakes._kernels.by_key import sum_by_key
from stakes._kernels.definitions import CellGrid, cell_grid
from stakes._kernels.definitions.score_grid import (
    ScoreIntervals,
    from_ordered_bits,
    ordered_bits,
)
from stakes._kernels.draws import (
    Ranking,
    multinomial_counts,
    multinomial_dot,
    multinomial_ranks,
    reweighted_ranks,
)
from stakes._kernels.exact import ExactSums
from stakes._kernels.folds import affine_answers, grouped_rows
from stakes._kernels.keys import (
    score_blocks,
    score_levels,
    score_pairs,
    score_precision,
    score_spread,
)
from stakes._kernels.library import COMPILED as compiled  # noqa: N811  a sentence, not a constant
from stakes._kernels.passes import binary_pass, rows_pass
from stakes._kernels.ranks import auc_pairs, pav_blocks, places, sorted_merge
from stakes._kernels.records import CostColumns
from stakes._kernels.score_cells import ScoreCells, score_limits
from stakes._kernels.sums import BlockSums, sum_by
from stakes._kernels.sweeps import (
    swept_costs,
    swept_f_score,
    swept_matthews,
    swept_net_benefit,
    swept_precision,
)
