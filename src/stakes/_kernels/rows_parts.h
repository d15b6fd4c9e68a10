/* Tables of scores: what is asked, what is kept of a block, and what both ways of reading share. */

#define LANES 128
#define MOST_TURNED 32

enum { POSTERIORS, LOG_POSTERIORS, LOGITS };
/* Order of the quick sums, the ones without weights first. */
enum {
    Q_LOG, Q_BRIER, Q_LOG2, Q_BRIER2, Q_COUNT, Q_INF, Q_LOG3, Q_W, Q_W2, Q_LOG_W2, Q_BRIER_W2, QUICK
};

struct cost_table {
    const double *error;    /* K, or none: `columns` is the whole table */
    int64_t same;           /* whether every error costs 1 */
    int64_t n_columns;
    const double *columns;  /* n_columns x K */
    const double *constant; /* the cost of a column that is the same for all classes, else NaN */
    double tie;
    int64_t n_decisions;
    int64_t counted; /* whether to count in `sums`; if not, decisions are written out */
};

struct rows_job {
    struct table values;
    struct column y, weights;
    int64_t n, k, kind, chunk, n_costs;
    const struct cost_table *costs;
    int32_t *decisions; /* for each cost table that is not counted, one per sample */
    const double *edges;
    int64_t bins, width;
    const double *factors; /* K, of the weights in the bins */
    double *sums;   /* per chunk: K x CLASS_FIELDS, bins x 2 x 3, and K x decisions per cost table */
    double *limits; /* per chunk: least, largest, how many NaN, largest gap and its row */
};

struct rows_block {
    double *x;    /* scores, then posteriors or what is proportional to them */
    double *part; /* K numbers of scratch */
    double w[LANES], yd[LANES], loss[LANES], brier[LANES], total[LANES], confidence[LANES];
    double top[LANES], best[LANES], at[LANES], sum[LANES], square[LANES], truth[LANES];
    double peak[LANES];
    int near; /* whether all logits lie within NEAR of each other */
    int32_t y[LANES], bin[LANES];
};

struct rows_state {
    int copies;
    int64_t since;
    double *quick, *bins;
    struct total *class_totals, *bin_totals;
    double *counts;
    struct total *tables;
    int64_t n_cells;
};

/* Log losses of the posteriors of the truth. */
static void log_losses(struct rows_block *b, int64_t n)
{
    double least = 1.0, unknown = 0.0;
    _Pragma("omp simd reduction(min : least) reduction(+ : unknown)")
    for (int64_t i = 0; i < n; i++) {
        double p = b->truth[i];
        b->loss[i] = -log_normal(p, p - 1.0);
        least = p < least ? p : least;
        unknown += p - p; /* infinite or NaN */
    }
    if ((least >= 0x1p-1022) & (unknown == 0.0)) return;
    for (int64_t i = 0; i < n; i++) b->loss[i] = -any_log(b->truth[i], b->truth[i] - 1.0);
}

static void rows_gaps(const struct rows_block *b, int64_t n, int64_t start, double *limits)
{
    for (int64_t i = 0; i < n; i++) {
        double gap = fabs(b->sum[i] - 1.0);
        if (gap > limits[3]) limits[3] = gap, limits[4] = (double)(start + i);
    }
}

typedef float four_single __attribute__((vector_size(16)));

INLINE double number_at(const char *x, int64_t j, int single)
{
    return single ? ((const float *)(const void *)x)[j] : ((const double *)(const void *)x)[j];
}

INLINE void load_four(four *v, const char *x, int64_t j, int single)
{
    four_single narrow;
    if (single) LOAD(narrow, (const float *)(const void *)x + j);
    if (single) *v = __builtin_convertvector(narrow, four);
    else LOAD(*v, (const double *)(const void *)x + j);
}
