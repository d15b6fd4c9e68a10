/* The same of K classes; see affine_binary.h for what a job is.
 *
 * Blocks are turned, so that neighbours in memory are samples.
 */

#define FILLED(k) (((k) + 3) & ~(int64_t)3) /* rows of products end with whole fours */
#define WIDE 200 /* classes above which fewer samples are held at once, for the cache */

struct affine_block {
    int64_t lanes; /* samples that are held at once */
    double *lp, *q, *wq; /* log posteriors, posteriors, and those times the weight */
    double w[LANES], peak[LANES], low[LANES], rest[LANES], ties[LANES], mean[LANES], loss[LANES];
    double spread[LANES];
    int32_t y[LANES];
    const char *row[LANES];
};

/* Where the sums of a chunk go: gradient, row of the scale, and of posteriors the sums, the sums of
 * their squares and of their products.
 */
struct affine_sums {
    double *g, *row, *diagonal, *square, *outer;
    struct total loss;
    double worst;
};

/* Labels, weights and where the rows of a block are; return whether all labels are classes. */
static int affine_rows(const struct affine_job *job, struct affine_block *b, int64_t at, int64_t n)
{
    const struct table *t = &job->values;
    if (!load_codes(b->y, &job->y, at, n, job->k)) return 0;
    if (job->weights.data) load_numbers(b->w, &job->weights, at, n);
    else SIMD for (int64_t i = 0; i < n; i++) b->w[i] = 1.0;
    if (job->each)
        for (int64_t i = 0; i < n; i++) b->w[i] *= job->each[b->y[i]];
    for (int64_t i = 0; i < n; i++)
        b->row[i] = t->data + (job->rows ? job->rows[at + i] : at + i) * t->row_stride;
    return 1;
}

/* Turn a block: class j of sample i goes to lp[j * b->lanes + i]. */
static void affine_turned(const struct affine_job *job, struct affine_block *b, int64_t n)
{
    int64_t k = job->k, step = job->values.column_stride, i = 0;
    int wide = job->values.type == 0;
    for (; wide && step == 8 && i + 4 <= n; i += 4) { /* four rows at once: whole vectors out */
        const double *r0 = (const double *)(const void *)b->row[i];
        const double *r1 = (const double *)(const void *)b->row[i + 1];
        const double *r2 = (const double *)(const void *)b->row[i + 2];
        const double *r3 = (const double *)(const void *)b->row[i + 3];
        for (int64_t j = 0; j < k; j++) {
            double *out = b->lp + j * b->lanes + i;
            out[0] = r0[j], out[1] = r1[j], out[2] = r2[j], out[3] = r3[j];
        }
    }
    for (; i < n; i++)
        for (int64_t j = 0; j < k; j++) {
            const char *at = b->row[i] + j * step;
            b->lp[j * b->lanes + i] = wide ? *(const double *)(const void *)at
                                        : *(const float *)(const void *)at;
        }
}

/* Logits in q, their largest and least; return whether no class is impossible or very nearly so. */
static int affine_logits(const struct affine_job *job, struct affine_block *b, int64_t n)
{
    double scale = job->scale, far = 0.0, size = 0.0;
    SIMD for (int64_t i = 0; i < n; i++) b->peak[i] = -INFINITY, b->low[i] = INFINITY;
    for (int64_t j = 0; j < job->k; j++) {
        const double *lp = b->lp + j * b->lanes;
        double *q = b->q + j * b->lanes, shift = job->shift[j];
        SIMD for (int64_t i = 0; i < n; i++) {
            double m = scale * lp[i] + shift;
            m = lp[i] == -INFINITY ? lp[i] : m;
            q[i] = m;
            b->peak[i] = m > b->peak[i] ? m : b->peak[i];
            b->low[i] = m < b->low[i] ? m : b->low[i];
        }
    }
    _Pragma("omp simd reduction(+ : size) reduction(max : far)") for (int64_t i = 0; i < n; i++) {
        double range = b->peak[i] - b->low[i];
        size += range; /* NaN stays */
        far = range > far ? range : far;
    }
    for (int64_t i = 0; i < n; i++) b->loss[i] = b->q[b->y[i] * b->lanes + i] - b->peak[i];
    return size < INFINITY && far <= NEAR;
}

/* Exponentials in q; an impossible class has no say in what follows. */
INLINE void affine_exponentials(int64_t k, struct affine_block *b, int64_t n, int near)
{
    SIMD for (int64_t i = 0; i < n; i++) b->rest[i] = b->mean[i] = 0.0, b->ties[i] = -1.0;
    for (int64_t j = 0; j < k; j++) {
        double *q = b->q + j * b->lanes, *lp = b->lp + j * b->lanes;
        if (!near) SIMD for (int64_t i = 0; i < n; i++) lp[i] = lp[i] == -INFINITY ? 0.0 : lp[i];
        SIMD for (int64_t i = 0; i < n; i++) {
            double shifted = q[i] - b->peak[i], e = near ? exp_near(shifted) : exp_down(shifted);
            b->ties[i] += shifted == 0.0 ? 1.0 : 0.0;
            b->rest[i] += shifted == 0.0 ? 0.0 : e; /* summed without the 1 of the largest */
            b->mean[i] = FMA(e, lp[i], b->mean[i]);
            q[i] = e;
        }
    }
    SIMD for (int64_t i = 0; i < n; i++) {
        double rest = b->rest[i] + b->ties[i], inverse = 1.0 / (1.0 + rest);
        b->loss[i] = vlog1p(rest) - b->loss[i];
        b->rest[i] = inverse;
        b->mean[i] *= inverse;
    }
}

/* Losses, and what the true classes take from the gradient. */
static void affine_losses(struct affine_block *b, int64_t n, const double *true_lp,
                          struct affine_sums *s)
{
    double sum = 0.0, worst = s->worst, steep = 0.0;
    _Pragma("omp simd reduction(+ : sum, steep) reduction(max : worst)")
    for (int64_t i = 0; i < n; i++) {
        sum += b->w[i] == 0.0 ? 0.0 : b->w[i] * b->loss[i];
        steep += b->w[i] * (b->mean[i] - true_lp[i]);
        worst = b->loss[i] > worst ? b->loss[i] : worst;
    }
    for (int64_t i = 0; i < n; i++) s->g[1 + b->y[i]] -= b->w[i];
    s->g[0] += steep;
    s->worst = worst;
    add_to(&s->loss, sum);
}

/* Posteriors in q, and of the Hessian the row of the scale and the shifts' diagonal. */
static void affine_slopes(int64_t k, struct affine_block *b, int64_t n, struct affine_sums *s)
{
    double spread = 0.0;
    SIMD for (int64_t i = 0; i < n; i++) b->spread[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        const double *lp = b->lp + j * b->lanes;
        double *q = b->q + j * b->lanes, *wq = b->wq + j * b->lanes;
        double cross = 0.0, sum = 0.0, square = 0.0;
        _Pragma("omp simd reduction(+ : cross, sum, square)") for (int64_t i = 0; i < n; i++) {
            double p = q[i] * b->rest[i], wp = p * b->w[i], away = lp[i] - b->mean[i];
            double pa = wp * away;
            q[i] = p;
            wq[i] = wp;
            sum += wp;
            square = FMA(wp, p, square);
            cross += pa;
            b->spread[i] = FMA(pa, away, b->spread[i]);
        }
        s->row[1 + j] += cross;
        s->diagonal[j] += sum;
        s->square[j] += square;
    }
    _Pragma("omp simd reduction(+ : spread)") for (int64_t i = 0; i < n; i++)
        spread += b->spread[i];
    s->row[0] += spread;
}

/* Sum of wq_r q_c over the samples, for at least all c <= r: two rows and four columns at a time
 * share what is loaded. Rows beyond the last class are there, and 0.
 */
static void affine_outer(const struct affine_block *b, int64_t k, int64_t n, double *outer)
{
    int64_t wide = FILLED(k), step = b->lanes;
    for (int64_t r = 0; r < k; r += 2) {
        const double *u = b->wq + r * step, *v = u + step;
        for (int64_t c = 0; c < r + 2; c += 4) {
            const double *q = b->q + c * step;
            double u0 = 0, u1 = 0, u2 = 0, u3 = 0, v0 = 0, v1 = 0, v2 = 0, v3 = 0;
            _Pragma("omp simd reduction(+ : u0, u1, u2, u3, v0, v1, v2, v3)")
            for (int64_t i = 0; i < n; i++) {
                double a = u[i], d = v[i];
                u0 = FMA(a, q[i], u0), v0 = FMA(d, q[i], v0);
                u1 = FMA(a, q[i + step], u1), v1 = FMA(d, q[i + step], v1);
                u2 = FMA(a, q[i + 2 * step], u2), v2 = FMA(d, q[i + 2 * step], v2);
                u3 = FMA(a, q[i + 3 * step], u3), v3 = FMA(d, q[i + 3 * step], v3);
            }
            double *x = outer + r * wide + c, *y = x + wide;
            x[0] += u0, x[1] += u1, x[2] += u2, x[3] += u3;
            y[0] += v0, y[1] += v1, y[2] += v2, y[3] += v3;
        }
    }
}

static int affine_chunk(const struct affine_job *job, int64_t start, int64_t stop,
                        struct affine_block *b, struct affine_sums *s)
{
    double true_lp[LANES];
    int64_t k = job->k, most = b->lanes;
    for (int64_t at = start; at < stop; at += most) {
        int64_t n = stop - at < most ? stop - at : most;
        if (!affine_rows(job, b, at, n)) return BAD_LABEL;
        affine_turned(job, b, n);
        if (affine_logits(job, b, n)) affine_exponentials(k, b, n, 1);
        else affine_exponentials(k, b, n, 0);
        for (int64_t i = 0; i < n; i++) true_lp[i] = b->lp[b->y[i] * b->lanes + i];
        affine_losses(b, n, true_lp, s);
        affine_slopes(k, b, n, s);
        if (job->hessian) affine_outer(b, k, n, s->outer);
    }
    return 0;
}

/* Sums as gradient and Hessian: the shifts' own block is the diagonal less the products. */
static void affine_written(const struct affine_job *job, struct affine_sums *s, double *out)
{
    int64_t k = job->k;
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
                (r == c ? s->diagonal[r] : 0.0) - s->outer[r * FILLED(k) + c];
    }
}

/* The first number that begins a line of the cache, eight numbers long. */
static double *on_a_line(double *space)
{
    return space + (uintptr_t)space % 64 / 8 * 7 % 8;
}

EXPORT int NAME(affine)(const struct affine_job *job, int64_t first, int64_t last)
{
    int64_t k = job->k, lanes = k > WIDE ? LANES / 4 : LANES;
    size_t size = (size_t)(4 * k + 2 + (job->hessian ? FILLED(k) * FILLED(k) : 0));
    struct affine_block *b = calloc(1, sizeof *b);
    double *space = calloc((size_t)(3 * FILLED(k) * lanes) + 8, sizeof(double));
    double *sums = malloc(size * sizeof(double)), *g = sums, *block = on_a_line(space);
    int status = b && space && sums ? 0 : NO_MEMORY;
    if (!status) b->lanes = lanes, b->lp = block;
    if (!status) b->q = block + FILLED(k) * lanes, b->wq = block + 2 * FILLED(k) * lanes;
    for (int64_t c = first; c < last && !status; c++) {
        int64_t start = c * job->chunk, stop = start + job->chunk;
        if (stop > job->n) stop = job->n;
        struct affine_sums s = {
            g, g + k + 1, g + 2 * k + 2, g + 3 * k + 2, g + 4 * k + 2, {0, 0}, 0};
        memset(sums, 0, size * sizeof(double));
        status = affine_chunk(job, start, stop, b, &s);
        affine_written(job, &s, job->sums + c * job->width);
    }
    free(b), free(space), free(sums);
    return status;
}
