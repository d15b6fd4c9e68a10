/* Slopes of many classes: rows stay rows, of a length that vectors fill. */

#define FEW 32 /* classes up to which blocks are turned */
#define EIGHT 8 /* samples whose products are added at once */

#define LINE 8 /* numbers in a line of the cache, at whose edges rows of products begin */

struct affine_row {
    double peak, rest, mean, spread;
};

/* Exponentials of a row of logits in q, and the mean of its log posteriors. */
INLINE void row_exponentials(double *q, const double *lp, int64_t k, int near, struct affine_row *r)
{
    double peak = r->peak, rest = 0.0, ties = -1.0, mean = 0.0;
    _Pragma("omp simd reduction(+ : rest, ties, mean)") for (int64_t j = 0; j < k; j++) {
        double shifted = q[j] - peak, e = near ? exp_near(shifted) : exp_down(shifted);
        ties += shifted == 0.0 ? 1.0 : 0.0;
        rest += shifted == 0.0 ? 0.0 : e; /* summed without the 1 of the largest */
        mean = FMA(e, lp[j], mean);
        q[j] = e;
    }
    r->rest = rest + ties;
    r->mean = mean / (1.0 + r->rest);
}

/* Logits of a row in q; impossible classes are 0 in lp from then on. Return whether all is near. */
static int row_logits(const struct affine_job *job, double *lp, double *q, struct affine_row *r)
{
    double scale = job->scale, peak = -INFINITY, low = INFINITY;
    const double *shift = job->shift;
    _Pragma("omp simd reduction(max : peak) reduction(min : low)")
    for (int64_t j = 0; j < job->k; j++) {
        double m = scale * lp[j] + shift[j];
        m = lp[j] == -INFINITY ? lp[j] : m;
        q[j] = m;
        peak = m > peak ? m : peak;
        low = m < low ? m : low;
    }
    r->peak = peak;
    if (peak - low <= NEAR) {
        double odd = 0.0; /* NaN is neither the largest nor the least */
        _Pragma("omp simd reduction(+ : odd)") for (int64_t j = 0; j < job->k; j++)
            odd += q[j] == q[j] ? 0.0 : 1.0;
        if (odd == 0.0) return 1;
    }
    SIMD for (int64_t j = 0; j < job->k; j++) lp[j] = lp[j] == -INFINITY ? 0.0 : lp[j];
    return 0;
}

/* Posteriors in q and wq, and what they add to the row of the scale and the shifts' diagonal. */
static void row_slopes(double *restrict q, double *restrict wq, const double *restrict lp, double w,
                       int64_t k, struct affine_row *r, struct affine_sums *s)
{
    double inverse = 1.0 / (1.0 + r->rest), mean = r->mean, spread = 0.0;
    double *restrict cross = s->row + 1, *restrict diagonal = s->diagonal;
    double *restrict square = s->square;
    _Pragma("omp simd reduction(+ : spread)") for (int64_t j = 0; j < k; j++) {
        double p = q[j] * inverse, wp = p * w, away = lp[j] - mean, pa = wp * away;
        q[j] = p;
        wq[j] = wp;
        diagonal[j] += wp;
        square[j] = FMA(wp, p, square[j]);
        cross[j] += pa;
        spread = FMA(pa, away, spread);
    }
    s->row[0] += spread;
}

/* Add wq_r q_c of four samples for at least all c <= r, two r at a time. */
static void four_products(const double *restrict wq, const double *restrict q, int64_t k,
                          int64_t wide, double *restrict outer)
{
    const double *q0 = q, *q1 = q + wide, *q2 = q1 + wide, *q3 = q2 + wide;
    for (int64_t r = 0; r < k; r += 2) { /* rows are filled up, so that an odd one has a partner */
        const double *a = wq + r;
        double a0 = a[0], a1 = a[wide], a2 = a[2 * wide], a3 = a[3 * wide];
        double b0 = a[1], b1 = a[wide + 1], b2 = a[2 * wide + 1], b3 = a[3 * wide + 1];
        double *restrict one = outer + r * wide, *restrict two = one + wide;
        int64_t stop = (r | 3) + 1;
        SIMD for (int64_t c = 0; c < stop; c++) {
            one[c] = FMA(a3, q3[c], FMA(a2, q2[c], FMA(a1, q1[c], FMA(a0, q0[c], one[c]))));
            two[c] = FMA(b3, q3[c], FMA(b2, q2[c], FMA(b1, q1[c], FMA(b0, q0[c], two[c]))));
        }
    }
}

static int affine_rows_chunk(const struct affine_job *job, int64_t start, int64_t stop,
                             struct affine_block *b, struct affine_sums *s)
{
    int64_t k = job->k, wide = (k + 3) & ~(int64_t)3;
    double true_lp[EIGHT], rest[EIGHT];
    for (int64_t at = start; at < stop; at += EIGHT) {
        int64_t n = stop - at < EIGHT ? stop - at : EIGHT;
        if (!affine_rows(job, b, at, n)) return BAD_LABEL;
        for (int64_t i = 0; i < n; i++) {
            struct column values = {b->row[i], job->values.column_stride, job->values.type};
            double *q = b->q + i * wide, *lp = b->lp;
            struct affine_row r;
            load_numbers(lp, &values, 0, k);
            int near = row_logits(job, lp, q, &r);
            b->loss[i] = q[b->y[i]] - r.peak;
            if (near) row_exponentials(q, lp, k, 1, &r);
            else row_exponentials(q, lp, k, 0, &r);
            true_lp[i] = lp[b->y[i]], rest[i] = r.rest, b->mean[i] = r.mean;
            row_slopes(q, b->wq + i * wide, lp, b->w[i], k, &r, s);
        }
        SIMD for (int64_t i = 0; i < n; i++) b->loss[i] = vlog1p(rest[i]) - b->loss[i];
        affine_losses(b, n, true_lp, s);
        if (n < EIGHT) memset(b->wq + n * wide, 0, (size_t)((EIGHT - n) * wide) * sizeof(double));
        if (n < EIGHT) memset(b->q + n * wide, 0, (size_t)((EIGHT - n) * wide) * sizeof(double));
        for (int64_t i = 0; job->hessian && i < EIGHT; i += 4)
            four_products(b->wq + i * wide, b->q + i * wide, k, wide, s->outer);
    }
    return 0;
}

/* Sums as gradient and Hessian: the shifts' own block is the diagonal less the products. */
static void affine_written(const struct affine_job *job, struct affine_sums *s, double *out)
{
    int64_t k = job->k, wide = k <= FEW ? k : (k + 3) & ~(int64_t)3;
    out[0] = s->worst, out[1] = value_of(&s->loss), out[2] = s->g[0];
    for (int64_t j = 0; j < k; j++) out[3 + j] = s->g[1 + j] + s->diagonal[j];
    double *h = out + 3 + k;
    if (!job->hessian) { /* the diagonal alone */
        h[0] = s->row[0];
        for (int64_t j = 0; j < k; j++) h[1 + j] = s->diagonal[j] - s->square[j];
        return;
    }
    memcpy(h, s->row, (size_t)(k + 1) * sizeof(double));
    for (int64_t r = 0; r < k; r++) {
        double *line = h + (r + 1) * (k + 1);
        line[0] = s->row[1 + r];
        for (int64_t c = 0; c <= r; c++)
            line[1 + c] = h[(c + 1) * (k + 1) + 1 + r] =
                (r == c ? s->diagonal[r] : 0.0) - s->outer[r * wide + c];
    }
}

static double *on_a_line(double *space)
{
    return space + ((uintptr_t)space % (8 * LINE) ? LINE - (uintptr_t)space % (8 * LINE) / 8 : 0);
}

EXPORT int NAME(affine)(const struct affine_job *job, int64_t first, int64_t last)
{
    int64_t k = job->k, wide = (k + 3) & ~(int64_t)3, few = k <= FEW;
    size_t lanes = (size_t)(few ? 3 * k * LANES : (2 * EIGHT + 1) * wide) + LINE;
    size_t size = (size_t)(4 * k + 2 + (job->hessian ? (k + 1) * wide : 0));
    struct affine_block *b = calloc(1, sizeof *b);
    double *space = calloc(lanes, sizeof(double)), *work = malloc((size + LINE) * sizeof(double));
    int status = b && space && work ? 0 : NO_MEMORY;
    double *block = on_a_line(space), *sums = on_a_line(work);
    if (!status) b->q = block, b->wq = block + (few ? k * LANES : EIGHT * wide);
    if (!status) b->lp = block + (few ? 2 * k * LANES : 2 * EIGHT * wide);
    for (int64_t c = first; c < last && !status; c++) {
        int64_t start = c * job->chunk, stop = start + job->chunk;
        if (stop > job->n) stop = job->n;
        double *g = sums + (job->hessian ? (k + 1) * wide : 0);
        struct affine_sums s = {g, g + k + 1, g + 2 * k + 2, g + 3 * k + 2, sums, {0, 0}, 0};
        memset(sums, 0, size * sizeof(double));
        status = few ? affine_turned_chunk(job, start, stop, b, &s)
                     : affine_rows_chunk(job, start, stop, b, &s);
        affine_written(job, &s, job->sums + c * job->width);
    }
    free(b), free(space), free(work);
    return status;
}
