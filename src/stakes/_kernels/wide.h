/* Several classes in a vector, for many of them. */

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
    double s = SUM4(s0), q = SUM4(q0);
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

/* What one sweep over a row of posteriors finds; the truth is not in the sums. */
struct sweep {
    double least, most, sum, square;
    int64_t top; /* the first largest */
};

#define ADD_FOUR(v, place, sum, square)                                                               \
    do {                                                                                           \
        four_bits more = (four_bits)((v) > best);                                                  \
        four other = (four)((four_bits)(v) & (four_bits)((place) != truth));                       \
        least = MIN4((v), least), best = SELECT4(more, (v), best);                                    \
        at = (four_bits)SELECT4(more, (four)(place), (four)at);                                       \
        sum += other, square = FMA4(other, other, square);                                         \
    } while (0)

/* One read of a row, eight classes at a time. */
INLINE struct sweep row_sweep(const char *x, int64_t k, int64_t y, int single)
{
    four least = SPLAT(INFINITY), best = SPLAT(-INFINITY), s0 = {0}, s1 = {0}, q0 = {0}, q1 = {0}, v;
    four_bits at = {0}, here = {0, 1, 2, 3}, truth = SPLAT((uint64_t)y);
    int64_t j = 0;
    for (; j + 8 <= k; j += 8) {
        load_four(&v, x, j, single);
        ADD_FOUR(v, here, s0, q0);
        load_four(&v, x, j + 4, single);
        ADD_FOUR(v, here + 4, s1, q1);
        here += 8;
    }
    if (j + 4 <= k) {
        load_four(&v, x, j, single);
        ADD_FOUR(v, here, s0, q0);
        j += 4;
    }
    s0 += s1, q0 += q1;
    struct sweep r = {least[0], best[0], SUM4(s0), SUM4(q0), (int64_t)at[0]};
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
        if (!(fabs(r.sum + truth) < INFINITY))
            for (int64_t j = 0; j < k; j++) limits[2] += isnan(number_at(x, j, single)) ? 1.0 : 0.0;
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
