/* K classes: losses, Bayes decisions and bins of confidence of a table of scores, in one read.
 *
 * Up to 32 classes a block of samples is turned round, so that one vector holds the same class of
 * several samples; above, one vector holds several classes of the same sample.
 */

#define LANES 128
#define MOST_TURNED 32

enum { POSTERIORS, LOG_POSTERIORS, LOGITS };
/* Order of the quick sums, the ones without weights first. */
enum { Q_LOG, Q_LOG2, Q_BRIER, Q_BRIER2, Q_COUNT, Q_INF, Q_W, Q_W2, Q_LOG_W2, Q_BRIER_W2, QUICK };

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
    double *sums;   /* per chunk: K x CLASS_FIELDS, bins x 4, and K x decisions per cost table */
    double *limits; /* per chunk: least, largest, how many NaN, largest gap and its row */
};

struct rows_block {
    double *x;    /* scores, then posteriors or what is proportional to them */
    double *part; /* K numbers of scratch */
    double w[LANES], yd[LANES], loss[LANES], brier[LANES], total[LANES], confidence[LANES];
    double top[LANES], best[LANES], at[LANES], sum[LANES], square[LANES], truth[LANES];
    double peak[LANES];
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

/* ---- several samples in a vector ---- */

static void lanes_softmax(struct rows_block *b, int64_t k, int64_t n)
{
    SIMD for (int64_t i = 0; i < n; i++) b->peak[i] = -INFINITY, b->at[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        const double *x = b->x + j * LANES;
        double code = (double)j;
        SIMD for (int64_t i = 0; i < n; i++) {
            int more = x[i] > b->peak[i];
            b->peak[i] = more ? x[i] : b->peak[i];
            b->at[i] = more ? code : b->at[i];
        }
    }
    for (int64_t i = 0; i < n; i++) b->loss[i] = b->x[b->y[i] * LANES + i] - b->peak[i];
    SIMD for (int64_t i = 0; i < n; i++) b->sum[i] = b->square[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        double *x = b->x + j * LANES, code = (double)j;
        SIMD for (int64_t i = 0; i < n; i++) {
            double e = exp_down(x[i] - b->peak[i]);
            double other = (b->yd[i] == code) | (b->at[i] == code) ? 0.0 : e;
            x[i] = e;
            b->sum[i] += other;
            b->square[i] += other * other;
        }
    }
    for (int64_t i = 0; i < n; i++) b->truth[i] = b->x[b->y[i] * LANES + i];
    double inverse = 1.0 / (double)k;
    SIMD for (int64_t i = 0; i < n; i++) {
        int right = b->at[i] == b->yd[i];
        double rest = b->sum[i] + (right ? b->peak[i] - b->peak[i] : b->truth[i]);
        double wrong = b->sum[i] + (right ? 0.0 : 1.0);
        double square = b->square[i] + (right ? 0.0 : 1.0);
        rest = b->peak[i] - b->peak[i] == 0.0 ? rest : NAN;
        b->total[i] = 1.0 + rest;
        b->loss[i] = vlog1p(rest) - b->loss[i];
        b->brier[i] = (square + wrong * wrong) / (b->total[i] * b->total[i]) * inverse;
    }
}

INLINE void lanes_posteriors(struct rows_block *b, int64_t k, int64_t n, int logs)
{
    if (logs)
        for (int64_t i = 0; i < n; i++) b->loss[i] = -b->x[b->y[i] * LANES + i];
    SIMD for (int64_t i = 0; i < n; i++) b->sum[i] = b->square[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        double *x = b->x + j * LANES, code = (double)j;
        SIMD for (int64_t i = 0; i < n; i++) {
            double p = logs ? vexp(x[i]) : x[i], other = b->yd[i] == code ? 0.0 : p;
            b->sum[i] += other;
            b->square[i] += other * other;
            if (logs) x[i] = p;
        }
    }
    for (int64_t i = 0; i < n; i++) b->truth[i] = b->x[b->y[i] * LANES + i];
    double inverse = 1.0 / (double)k;
    SIMD for (int64_t i = 0; i < n; i++) {
        double p = b->truth[i], wrong = logs ? b->sum[i] : 1.0 - p;
        b->brier[i] = (b->square[i] + wrong * wrong) * inverse;
        b->sum[i] += p;
        b->total[i] = 1.0;
    }
    if (!logs) log_losses(b, n);
}

static void lanes_largest(struct rows_block *b, int64_t k, int64_t n, const double *factor)
{
    SIMD for (int64_t i = 0; i < n; i++) b->best[i] = -INFINITY, b->at[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        const double *x = b->x + j * LANES;
        double code = (double)j, f = factor ? factor[j] : 1.0;
        SIMD for (int64_t i = 0; i < n; i++) {
            double v = x[i] * f;
            int more = v > b->best[i];
            b->best[i] = more ? v : b->best[i];
            b->at[i] = more ? code : b->at[i];
        }
    }
}

static void lanes_expected(struct rows_block *b, int64_t k, int64_t n, const double *cost,
                           double constant)
{
    if (constant == constant) {
        SIMD for (int64_t i = 0; i < n; i++) b->sum[i] = constant;
        return;
    }
    SIMD for (int64_t i = 0; i < n; i++) b->sum[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        const double *x = b->x + j * LANES;
        double c = cost[j];
        if (c != 0.0) SIMD for (int64_t i = 0; i < n; i++) b->sum[i] += x[i] * c;
    }
    SIMD for (int64_t i = 0; i < n; i++) b->sum[i] /= b->total[i];
}

/* Leave the decisions of least expected cost in `at`. */
static void lanes_decide(struct rows_block *b, const struct cost_table *c, int64_t k, int64_t n)
{
    int64_t j = 0, before = c->n_decisions - c->n_columns;
    if (c->error) {
        if (c->same) SIMD for (int64_t i = 0; i < n; i++) b->at[i] = b->top[i];
        else lanes_largest(b, k, n, c->error);
        if (!c->n_columns) return;
        SIMD for (int64_t i = 0; i < n; i++) b->best[i] = 0.0;
        for (int64_t q = 0; q < k; q++) {
            const double *x = b->x + q * LANES;
            double code = (double)q, e = c->error[q];
            SIMD for (int64_t i = 0; i < n; i++)
                b->best[i] += b->at[i] == code ? 0.0 : x[i] * e;
        }
        SIMD for (int64_t i = 0; i < n; i++) b->best[i] /= b->total[i];
    } else {
        lanes_expected(b, k, n, c->columns, c->constant[0]);
        SIMD for (int64_t i = 0; i < n; i++) b->best[i] = b->sum[i], b->at[i] = 0.0;
        j = 1;
    }
    for (; j < c->n_columns; j++) {
        double code = (double)(before + j), tie = c->tie;
        lanes_expected(b, k, n, c->columns + j * k, c->constant[j]);
        SIMD for (int64_t i = 0; i < n; i++) {
            int lower = b->sum[i] < b->best[i] - tie;
            b->best[i] = lower ? b->sum[i] : b->best[i];
            b->at[i] = lower ? code : b->at[i];
        }
    }
}

/* ---- several classes in a vector ---- */

static int64_t first_equal(const double *x, int64_t k, double v)
{
    four wanted = {v, v, v, v}, a, b, c, d;
    int64_t j = 0;
    for (; j + 16 <= k; j += 16) {
        LOAD(a, x + j), LOAD(b, x + j + 4);
        LOAD(c, x + j + 8), LOAD(d, x + j + 12);
        four_bits hit = (four_bits) ((a == wanted) | (b == wanted) | (c == wanted) | (d == wanted));
        if (hit[0] | hit[1] | hit[2] | hit[3]) break;
    }
    for (; j < k; j++)
        if (x[j] == v) return j;
    return 0;
}

static double largest(const double *x, int64_t k)
{
    double v = -INFINITY;
    _Pragma("omp simd reduction(max : v)") for (int64_t j = 0; j < k; j++) v = x[j] > v ? x[j] : v;
    return v;
}

/* Two vectors of sums, since one would wait for itself. */
static void sum_and_square(const double *x, int64_t k, double *sum, double *square)
{
    four s0 = {0}, s1 = {0}, q0 = {0}, q1 = {0};
    int64_t j = 0;
    for (; j + 8 <= k; j += 8) {
        four a, b;
        LOAD(a, x + j), LOAD(b, x + j + 4);
        s0 += a, s1 += b;
        q0 += a * a, q1 += b * b;
    }
    s0 += s1, q0 += q1;
    double s = (s0[0] + s0[2]) + (s0[1] + s0[3]), q = (q0[0] + q0[2]) + (q0[1] + q0[3]);
    for (; j < k; j++) s += x[j], q += x[j] * x[j];
    *sum = s, *square = q;
}

static void row_softmax(struct rows_block *b, double *x, int64_t k, int64_t i)
{
    int64_t y = b->y[i];
    double peak = largest(x, k), known = peak - peak, sum, square;
    int64_t at = first_equal(x, k, peak);
    double shifted = x[y] - peak;
    SIMD for (int64_t j = 0; j < k; j++) x[j] = exp_down(x[j] - peak);
    double truth = x[y], kept = x[at];
    x[y] = x[at] = 0.0;
    sum_and_square(x, k, &sum, &square);
    x[y] = truth, x[at] = kept;
    double rest = known == 0.0 ? sum + (at == y ? 0.0 : truth) : NAN;
    double wrong = sum + (at == y ? 0.0 : 1.0), total = 1.0 + rest;
    square += at == y ? 0.0 : 1.0;
    b->total[i] = total;
    b->sum[i] = rest;
    b->loss[i] = shifted;
    b->brier[i] = (square + wrong * wrong) / (total * total) / (double)k;
}

INLINE void row_posteriors(struct rows_block *b, double *x, int64_t k, int64_t i, int logs)
{
    int64_t y = b->y[i];
    double sum, square;
    b->loss[i] = -x[y];
    if (logs) SIMD for (int64_t j = 0; j < k; j++) x[j] = vexp(x[j]);
    double truth = x[y];
    x[y] = 0.0;
    sum_and_square(x, k, &sum, &square);
    x[y] = truth;
    double wrong = logs ? sum : 1.0 - truth;
    b->truth[i] = truth;
    b->brier[i] = (square + wrong * wrong) / (double)k;
    b->sum[i] = sum + truth;
    b->total[i] = 1.0;
}

static void rows_gaps(const struct rows_block *b, int64_t n, int64_t start, double *limits)
{
    for (int64_t i = 0; i < n; i++) {
        double gap = fabs(b->sum[i] - 1.0);
        if (gap > limits[3]) limits[3] = gap, limits[4] = (double)(start + i);
    }
}

/* What one sweep over a row of posteriors finds; the truth is not in the sums. */
struct sweep {
    double least, most, sum, square;
    int64_t top; /* the first largest */
};

typedef float four_single __attribute__((vector_size(16)));

INLINE double number_at(const char *x, int64_t j, int single)
{
    return single ? ((const float *)(const void *)x)[j] : ((const double *)(const void *)x)[j];
}

#define SWEEP(v, place, sum, square)                                                               \
    do {                                                                                           \
        four_bits more = (four_bits)((v) > best);                                                  \
        four other = (four)((four_bits)(v) & (four_bits)((place) != truth));                       \
        least = LESS((v), least), best = PICK(more, (v), best);                                    \
        at = (four_bits)PICK(more, (four)(place), (four)at);                                       \
        sum += other, square = FMA4(other, other, square);                                         \
    } while (0)

INLINE void load_four(four *v, const char *x, int64_t j, int single)
{
    four_single narrow;
    if (single) LOAD(narrow, (const float *)(const void *)x + j);
    if (single) *v = __builtin_convertvector(narrow, four);
    else LOAD(*v, (const double *)(const void *)x + j);
}

/* One read of a row, eight classes at a time. */
INLINE struct sweep row_sweep(const char *x, int64_t k, int64_t y, int single)
{
    four least = ALL(INFINITY), best = ALL(-INFINITY), s0 = {0}, s1 = {0}, q0 = {0}, q1 = {0}, v;
    four_bits at = {0}, here = {0, 1, 2, 3}, truth = ALL((uint64_t)y);
    int64_t j = 0;
    for (; j + 8 <= k; j += 8) {
        load_four(&v, x, j, single);
        SWEEP(v, here, s0, q0);
        load_four(&v, x, j + 4, single);
        SWEEP(v, here + 4, s1, q1);
        here += 8;
    }
    if (j + 4 <= k) {
        load_four(&v, x, j, single);
        SWEEP(v, here, s0, q0);
        j += 4;
    }
    s0 += s1, q0 += q1;
    struct sweep r = {least[0], best[0], ADDED(s0), ADDED(q0), (int64_t)at[0]};
    for (int c = 1; c < 4; c++) {
        int more = (best[c] > r.most) | ((best[c] == r.most) & ((int64_t)at[c] < r.top));
        r.most = more ? best[c] : r.most;
        r.top = more ? (int64_t)at[c] : r.top;
        r.least = least[c] < r.least ? least[c] : r.least;
    }
    for (; j < k; j++) {
        double one = number_at(x, j, single);
        if (one > r.most) r.most = one, r.top = j;
        r.least = one < r.least ? one : r.least;
        if (j != y) r.sum += one, r.square += one * one;
    }
    return r;
}

static void count_unknown(const char *x, int64_t k, int single, double *limits)
{
    for (int64_t j = 0; j < k; j++) {
        double v = number_at(x, j, single);
        limits[2] += v != v ? 1.0 : 0.0;
    }
}

/* Posteriors of many classes, each row read where it lies, once. */
INLINE void rows_in_place(const struct rows_job *job, struct rows_block *b, int64_t start,
                          int64_t n, int single, double *limits)
{
    int64_t k = job->k;
    for (int64_t i = 0; i < n; i++) {
        const char *x = job->values.data + (start + i) * job->values.row_stride;
        int64_t y = b->y[i];
        double truth = number_at(x, y, single);
        struct sweep r = row_sweep(x, k, y, single);
        double wrong = 1.0 - truth;
        if (!(fabs(r.sum + truth) < INFINITY)) count_unknown(x, k, single, limits);
        limits[0] = r.least < limits[0] ? r.least : limits[0];
        limits[1] = r.most > limits[1] ? r.most : limits[1];
        b->truth[i] = truth;
        b->brier[i] = (r.square + wrong * wrong) / (double)k;
        b->sum[i] = r.sum + truth;
        b->total[i] = 1.0;
        b->top[i] = (double)r.top;
        b->confidence[i] = r.most > -INFINITY ? r.most : number_at(x, 0, single);
    }
    log_losses(b, n);
    rows_gaps(b, n, start, limits);
}

static double row_expected(const double *x, int64_t k, const double *cost, double constant,
                           double total)
{
    double sum = 0.0;
    if (constant == constant) return constant;
    _Pragma("omp simd reduction(+ : sum)") for (int64_t j = 0; j < k; j++)
        sum += cost[j] == 0.0 ? 0.0 : x[j] * cost[j];
    return sum / total;
}

static int64_t row_decide(struct rows_block *b, const double *x, const struct cost_table *c,
                          int64_t k, int64_t i)
{
    int64_t j = 0, at = 0, before = c->n_decisions - c->n_columns;
    double best, total = b->total[i];
    if (c->error) {
        double *v = b->part, sum, square;
        if (c->same && !c->n_columns) return (int64_t)b->top[i];
        SIMD for (int64_t q = 0; q < k; q++) v[q] = x[q] * c->error[q];
        at = first_equal(v, k, largest(v, k));
        if (!c->n_columns) return at;
        v[at] = 0.0;
        sum_and_square(v, k, &sum, &square);
        best = sum / total;
    } else {
        best = row_expected(x, k, c->columns, c->constant[0], total);
        j = 1;
    }
    for (; j < c->n_columns; j++) {
        double cost = row_expected(x, k, c->columns + j * k, c->constant[j], total);
        if (cost < best - c->tie) best = cost, at = before + j;
    }
    return at;
}

/* ---- either way ---- */

INLINE void rows_add(const struct rows_block *b, int64_t k, int64_t n, int weighted,
                            struct rows_state *s, int64_t bins)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t copy = i & (s->copies - 1);
        double *q = s->quick + (copy * k + b->y[i]) * QUICK;
        double *cell = s->bins + ((i & 3) * bins + b->bin[i]) * 4;
        double w = weighted ? b->w[i] : 1.0, l = b->loss[i], hit = b->top[i] == b->yd[i] ? w : 0.0;
        if (__builtin_expect(fabs(l) == INFINITY, 0)) l = 0.0, q[Q_INF] += 1.0;
        double wl = w * l, wb = w * b->brier[i];
        q[Q_LOG] += wl;
        q[Q_LOG2] += wl * wl;
        q[Q_BRIER] += wb;
        q[Q_BRIER2] += wb * wb;
        q[Q_COUNT] += 1.0;
        cell[0] += w;
        cell[1] += w * b->confidence[i];
        cell[2] += hit;
        if (weighted) {
            q[Q_W] += w;
            q[Q_W2] += w * w;
            q[Q_LOG_W2] += w * wl;
            q[Q_BRIER_W2] += w * wb;
            cell[3] += w * w;
        }
    }
}

static void rows_flush(struct rows_state *s, int64_t k, int64_t bins, int weighted)
{
    static const int plain[CLASS_FIELDS] = {Q_COUNT, Q_COUNT, Q_COUNT, Q_LOG,   Q_LOG,
                                            Q_LOG2,  Q_INF,   Q_BRIER, Q_BRIER, Q_BRIER2};
    static const int heavy[CLASS_FIELDS] = {Q_COUNT, Q_W,   Q_W2,    Q_LOG,      Q_LOG_W2,
                                            Q_LOG2,  Q_INF, Q_BRIER, Q_BRIER_W2, Q_BRIER2};
    static const int plain_bin[4] = {0, 0, 1, 2}, heavy_bin[4] = {0, 3, 1, 2};
    const int *field = weighted ? heavy : plain, *cell = weighted ? heavy_bin : plain_bin;
    for (int copy = 0; copy < s->copies; copy++)
        for (int64_t j = 0; j < k; j++)
            for (int f = 0; f < CLASS_FIELDS; f++)
                add_to(&s->class_totals[j * CLASS_FIELDS + f],
                       s->quick[(copy * k + j) * QUICK + field[f]]);
    for (int copy = 0; copy < 4; copy++)
        for (int64_t j = 0; j < bins; j++)
            for (int f = 0; f < 4; f++)
                add_to(&s->bin_totals[j * 4 + f], s->bins[(copy * bins + j) * 4 + cell[f]]);
    memset(s->quick, 0, (size_t)(s->copies * k * QUICK) * sizeof(double));
    memset(s->bins, 0, (size_t)(16 * bins) * sizeof(double));
    s->since = 0;
}

static void rows_count(const struct rows_job *job, const struct rows_block *b, int64_t n,
                       int64_t m, int64_t offset, struct rows_state *s)
{
    (void)job;
    for (int64_t i = 0; i < n; i++) {
        int64_t cell = offset + b->y[i] * m + (int64_t)b->at[i];
        if (s->tables) {
            add_to(&s->tables[2 * cell], b->w[i]);
            add_to(&s->tables[2 * cell + 1], b->w[i] * b->w[i]);
        } else {
            s->counts[cell] += 1.0;
        }
    }
}

/* Whether rows can be read where they lie. Costs beyond zero-one want doubles to work with. */
static int in_place(const struct rows_job *job)
{
    const struct table *t = &job->values;
    int wide = t->type == 0 && t->column_stride == 8, narrow = t->type == 1 && t->column_stride == 4;
    for (int64_t c = 0; c < job->n_costs; c++)
        narrow &= job->costs[c].same && !job->costs[c].n_columns;
    return job->kind == POSTERIORS && job->k > MOST_TURNED && (wide || narrow);
}

/* How many samples make a block: what fits near the processor, where rows are copied. */
static int64_t rows_in_block(const struct rows_job *job)
{
    return job->k <= MOST_TURNED || in_place(job) ? LANES : (4096 + job->k - 1) / job->k;
}

/* Read a block, and leave posteriors in x and everything about each sample beside it. */
static void rows_fill(const struct rows_job *job, struct rows_block *b, int64_t start, int64_t n,
                      double *limits)
{
    int64_t k = job->k, kind = job->kind;
    const struct table *t = &job->values;
    if (k <= MOST_TURNED) {
        for (int64_t j = 0; j < k; j++) {
            struct column c = {t->data + j * t->column_stride, t->row_stride, t->type};
            load_numbers(b->x + j * LANES, &c, start, n);
            find_limits(b->x + j * LANES, n, limits);
        }
        if (kind == LOGITS) lanes_softmax(b, k, n);
        else if (kind == LOG_POSTERIORS) lanes_posteriors(b, k, n, 1);
        else lanes_posteriors(b, k, n, 0);
        if (kind != LOGITS) rows_gaps(b, n, start, limits);
        lanes_largest(b, k, n, NULL);
        SIMD for (int64_t i = 0; i < n; i++) b->top[i] = b->at[i];
        for (int64_t i = 0; i < n; i++)
            b->confidence[i] = b->x[(int64_t)b->top[i] * LANES + i];
    } else if (in_place(job)) {
        if (t->type == 1) rows_in_place(job, b, start, n, 1, limits);
        else rows_in_place(job, b, start, n, 0, limits);
    } else {
        for (int64_t i = 0; i < n; i++) {
            struct column c = {t->data + (start + i) * t->row_stride, t->column_stride, t->type};
            load_numbers(b->x + i * k, &c, 0, k);
        }
        find_limits(b->x, n * k, limits);
        for (int64_t i = 0; i < n; i++) {
            double *x = b->x + i * k;
            if (kind == LOGITS) row_softmax(b, x, k, i);
            else if (kind == LOG_POSTERIORS) row_posteriors(b, x, k, i, 1);
            else row_posteriors(b, x, k, i, 0);
            int64_t top = first_equal(x, k, largest(x, k));
            b->top[i] = (double)top;
            b->confidence[i] = x[top];
        }
        if (kind == LOGITS)
            SIMD for (int64_t i = 0; i < n; i++) b->loss[i] = vlog1p(b->sum[i]) - b->loss[i];
        if (kind == POSTERIORS) log_losses(b, n);
        if (kind != LOGITS) rows_gaps(b, n, start, limits);
    }
    SIMD for (int64_t i = 0; i < n; i++) {
        double p = b->confidence[i] / b->total[i];
        b->confidence[i] = p > 1.0 ? 1.0 : p;
    }
}

static int rows_chunk(const struct rows_job *job, int64_t start, int64_t stop,
                      struct rows_block *b, struct rows_state *s, double *limits)
{
    int64_t k = job->k, size = rows_in_block(job);
    int placed = in_place(job);
    int64_t often = 16 * k < 2048 ? 2048 : 16 * k;
    int weighted = job->weights.data != NULL;
    for (int64_t at = start; at < stop; at += size) {
        int64_t n = stop - at < size ? stop - at : size, offset = 0, written = 0;
        if (weighted) load_numbers(b->w, &job->weights, at, n);
        if (!load_codes(b->y, &job->y, at, n, k)) return BAD_LABEL;
        SIMD for (int64_t i = 0; i < n; i++) b->yd[i] = b->y[i];
        rows_fill(job, b, at, n, limits);
        find_bins(b->bin, b->confidence, n, job->bins, job->edges);
        if (weighted) rows_add(b, k, n, 1, s, job->bins);
        else rows_add(b, k, n, 0, s, job->bins);
        if ((s->since += n) >= often) rows_flush(s, k, job->bins, weighted);
        for (int64_t t = 0; t < job->n_costs; t++) {
            const struct cost_table *c = &job->costs[t];
            if (k <= MOST_TURNED) lanes_decide(b, c, k, n);
            else
                for (int64_t i = 0; i < n; i++) {
                    const char *row = job->values.data + (at + i) * job->values.row_stride;
                    const double *x = placed ? (const double *)(const void *)row : b->x + i * k;
                    b->at[i] = (double)row_decide(b, x, c, k, i);
                }
            if (c->counted) {
                rows_count(job, b, n, c->n_decisions, offset, s);
                offset += k * c->n_decisions;
            } else {
                int32_t *out = job->decisions + written++ * job->n + at;
                for (int64_t i = 0; i < n; i++) out[i] = (int32_t)b->at[i];
            }
        }
    }
    rows_flush(s, k, job->bins, weighted);
    return 0;
}

static void rows_write(const struct rows_job *job, struct rows_state *s, double *out)
{
    int64_t classes = job->k * CLASS_FIELDS, bins = job->bins * 4;
    for (int64_t j = 0; j < classes; j++) *out++ = value_of(&s->class_totals[j]);
    for (int64_t j = 0; j < bins; j++) *out++ = value_of(&s->bin_totals[j]);
    if (s->tables)
        for (int64_t j = 0; j < 2 * s->n_cells; j++) *out++ = value_of(&s->tables[j]);
    else if (s->n_cells) memcpy(out, s->counts, (size_t)s->n_cells * sizeof(double));
    memset(s->class_totals, 0, (size_t)classes * sizeof(struct total));
    memset(s->bin_totals, 0, (size_t)bins * sizeof(struct total));
    if (s->tables) memset(s->tables, 0, (size_t)(2 * s->n_cells) * sizeof(struct total));
    else memset(s->counts, 0, (size_t)s->n_cells * sizeof(double));
}

EXPORT int NAME(rows)(const struct rows_job *job, int64_t first, int64_t last)
{
    int64_t k = job->k, bins = job->bins;
    struct rows_state s = {0};
    struct rows_block *b = calloc(1, sizeof *b);
    int64_t size = rows_in_block(job), kept = in_place(job) ? 0 : size * k;
    s.copies = k <= 64 ? 4 : 1;
    for (int64_t t = 0; t < job->n_costs; t++)
        if (job->costs[t].counted) s.n_cells += k * job->costs[t].n_decisions;
    double *x = malloc((size_t)(kept + 1) * sizeof(double));
    double *part = malloc((size_t)k * sizeof(double));
    s.quick = calloc((size_t)(s.copies * k * QUICK), sizeof(double));
    s.bins = calloc((size_t)(16 * bins), sizeof(double));
    s.class_totals = calloc((size_t)(k * CLASS_FIELDS), sizeof(struct total));
    s.bin_totals = calloc((size_t)(bins * 4), sizeof(struct total));
    s.counts = calloc((size_t)s.n_cells + 1, sizeof(double));
    if (job->weights.data) s.tables = calloc((size_t)(2 * s.n_cells) + 1, sizeof(struct total));
    int fine = b && x && part && s.quick && s.bins && s.class_totals && s.bin_totals && s.counts &&
               (s.tables || !job->weights.data);
    int status = fine ? 0 : NO_MEMORY;
    if (fine) b->x = x, b->part = part;
    for (int64_t c = first; c < last && !status; c++) {
        int64_t start = c * job->chunk, stop = start + job->chunk;
        double *limits = job->limits + 5 * c;
        limits[0] = INFINITY, limits[1] = -INFINITY, limits[2] = limits[3] = 0.0, limits[4] = -1.0;
        status = rows_chunk(job, start, stop < job->n ? stop : job->n, b, &s, limits);
        rows_write(job, &s, job->sums + c * job->width);
    }
    free(x), free(part), free(s.quick), free(s.bins), free(s.class_totals), free(s.bin_totals);
    free(s.counts), free(s.tables), free(b);
    return status;
}
