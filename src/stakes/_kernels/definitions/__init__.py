"""What each kernel computes, written in numpy: the meaning, and the way without a compiler."""

from stakes._kernels.definitions.affine import affine_answers, affine_binary_pass, affine_pass
from stakes._kernels.definitions.draws import multinomial_counts, multinomial_dot
from stakes._kernels.definitions.exact import exact_add
from stakes._kernels.definitions.passes import binary_pass, cells, rows_pass
from stakes._kernels.definitions.ranks import (
    auc_pairs,
    blocks_at,
    level_precision,
    mean_places,
    pav_blocks,
    places,
    score_blocks,
    score_levels,
    score_pairs,
    score_precision,
    score_spread,
    sorted_by_class,
    sorted_merge,
    sorted_spread,
)
from stakes._kernels.definitions.reweighted import Ranking, reweighted_ranks
from stakes._kernels.definitions.score_cells import score_cells, score_limits
from stakes._kernels.score_grid import CellGrid, cell_grid
