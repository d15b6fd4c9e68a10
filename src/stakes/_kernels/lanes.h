/* Several samples in a vector, for few classes: any scores, with care. */

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
