/* Several samples in a vector, for few classes. */

#ifdef __AVX2__
#define TRANSPOSE4(a, b, c, d)                                                                     \
    do {                                                                                           \
        four ab0 = (four)_mm256_unpacklo_pd(a, b), ab1 = (four)_mm256_unpackhi_pd(a, b);           \
        four cd0 = (four)_mm256_unpacklo_pd(c, d), cd1 = (four)_mm256_unpackhi_pd(c, d);           \
        a = (four)_mm256_permute2f128_pd(ab0, cd0, 0x20);                                          \
        b = (four)_mm256_permute2f128_pd(ab1, cd1, 0x20);                                          \
        c = (four)_mm256_permute2f128_pd(ab0, cd0, 0x31);                                          \
        d = (four)_mm256_permute2f128_pd(ab1, cd1, 0x31);                                          \
    } while (0)
#else
#define TRANSPOSE4(a, b, c, d)                                                                     \
    do {                                                                                           \
        four t0 = {a[0], b[0], c[0], d[0]}, t1 = {a[1], b[1], c[1], d[1]};                         \
        four t2 = {a[2], b[2], c[2], d[2]}, t3 = {a[3], b[3], c[3], d[3]};                         \
        a = t0, b = t1, c = t2, d = t3;                                                            \
    } while (0)
#endif

/* Read and turn a block of at least four classes; return whether all is finite. The last columns
 * may be read twice.
 */
INLINE int lanes_turn(const struct rows_job *job, struct rows_block *b, int64_t start, int64_t n,
                      int single, double *limits)
{
    int64_t k = job->k, step = job->values.row_stride;
    four least = SPLAT(INFINITY), most = SPLAT(-INFINITY), a, c, d, e;
    four_bits odd = {0};
    for (int64_t i = 0; i < n; i += 4) {
        const char *x = job->values.data + (start + i) * step;
        for (int64_t j = 0; j < k; j += 4) {
            j = j + 4 <= k ? j : k - 4;
            double *out = b->x + j * LANES + i;
            load_four(&a, x, j, single), load_four(&c, x + step, j, single);
            load_four(&d, x + 2 * step, j, single), load_four(&e, x + 3 * step, j, single);
            odd |= (four_bits)(a != a) | (four_bits)(c != c) | (four_bits)(d != d) |
                   (four_bits)(e != e);
            least = MIN4(MIN4(a, c), MIN4(MIN4(d, e), least));
            most = MAX4(MAX4(a, c), MAX4(MAX4(d, e), most));
            TRANSPOSE4(a, c, d, e);
            STORE(out, a), STORE(out + LANES, c), STORE(out + 2 * LANES, d);
            STORE(out + 3 * LANES, e);
        }
    }
    double low = INFINITY, high = -INFINITY;
    for (int c_ = 0; c_ < 4; c_++) {
        low = least[c_] < low ? least[c_] : low;
        high = most[c_] > high ? most[c_] : high;
    }
    if ((odd[0] | odd[1] | odd[2] | odd[3]) || !(low > -INFINITY) || !(high < INFINITY)) return 0;
    limits[0] = low < limits[0] ? low : limits[0];
    limits[1] = high > limits[1] ? high : limits[1];
    b->near = high - low <= NEAR;
    return 1;
}

/* Read a block by whole vectors; return whether it could be, and held nothing odd. */
static int turned(const struct rows_job *job, struct rows_block *b, int64_t start, int64_t n,
                  double *limits)
{
    const struct table *t = &job->values;
    b->near = 0;
    if (job->k < 4 || n % 4 != 0) return 0;
    if (t->type == 0 && t->column_stride == 8) return lanes_turn(job, b, start, n, 0, limits);
    if (t->type == 1 && t->column_stride == 4) return lanes_turn(job, b, start, n, 1, limits);
    return 0;
}

static void lanes_begin(struct rows_block *b, int64_t n)
{
    SIMD for (int64_t i = 0; i < n; i++) {
        b->sum[i] = b->square[i] = b->top[i] = 0.0;
        b->best[i] = -INFINITY;
    }
}

/* The largest score of each sample, times the factor of its class where there are any, and in `at`
 * its class.
 */
INLINE void lanes_largest(struct rows_block *b, int64_t k, int64_t n, const double *factor,
                          double *best)
{
    SIMD for (int64_t i = 0; i < n; i++) best[i] = -INFINITY, b->at[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        const double *x = b->x + j * LANES;
        double code = (double)j, f = factor ? factor[j] : 1.0;
        SIMD for (int64_t i = 0; i < n; i++) {
            double v = factor ? x[i] * f : x[i];
            int more = v > best[i];
            best[i] = more ? v : best[i];
            b->at[i] = more ? code : b->at[i];
        }
    }
}

INLINE void lanes_softmax(struct rows_block *b, int64_t k, int64_t n, int near)
{
    lanes_largest(b, k, n, NULL, b->peak);
    for (int64_t i = 0; i < n; i++) b->loss[i] = b->x[b->y[i] * LANES + i] - b->peak[i];
    lanes_begin(b, n);
    for (int64_t j = 0; j < k; j++) {
        double *x = b->x + j * LANES, code = (double)j;
        SIMD for (int64_t i = 0; i < n; i++) {
            double down = x[i] - b->peak[i], e = near ? exp_near(down) : exp_down(down);
            double other = (b->yd[i] == code) | (b->at[i] == code) ? 0.0 : e;
            int more = e > b->best[i];
            x[i] = e;
            b->best[i] = more ? e : b->best[i];
            b->top[i] = more ? code : b->top[i];
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
    for (int64_t i = 0; logs && i < n; i++) b->loss[i] = -b->x[b->y[i] * LANES + i];
    for (int64_t j = 0; logs && j < k; j++)
        SIMD for (int64_t i = 0; i < n; i++) b->x[j * LANES + i] = vexp(b->x[j * LANES + i]);
    for (int64_t i = 0; i < n; i += 4) { /* so that sums stay in registers */
        four best = SPLAT(-INFINITY), top = {0}, sum = {0}, square = {0}, y, p;
        LOAD(y, b->yd + i);
        for (int64_t j = 0; j < k; j++) {
            four code = SPLAT((double)j);
            LOAD(p, b->x + j * LANES + i);
            four other = MASK4((four_bits)(y != code), p);
            four_bits more = (four_bits)(p > best);
            best = SELECT4(more, p, best), top = SELECT4(more, code, top);
            sum += other, square += other * other;
        }
        STORE(b->top + i, top), STORE(b->sum + i, sum), STORE(b->square + i, square);
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
        else lanes_largest(b, k, n, c->error, b->best);
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
