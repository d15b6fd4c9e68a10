/* The same of K classes; see affine_binary.h for what a job is.
 *
 * Few classes: blocks are turned, so that neighbours in memory are samples. Many: rows stay rows.
 */

struct affine_block {
    double *lp, *q, *wq; /* log posteriors, posteriors, and those times the weight */
    double w[LANES], peak[LANES], rest[LANES], ties[LANES], mean[LANES], loss[LANES], spread[LANES];
    int32_t y[LANES];
    const char *row[LANES];
};

/* Where the sums of a chunk go: gradient, row of the scale, diagonal, and products of shifts. */
struct affine_sums {
    double *g, *row, *diagonal, *outer;
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

/* Turn a block: class j of sample i goes to lp[j * LANES + i]. Return whether all are finite. */
static int affine_turned(const struct affine_job *job, struct affine_block *b, int64_t n)
{
    int64_t k = job->k, step = job->values.column_stride;
    int wide = job->values.type == 0;
    double reach = 0.0;
    for (int64_t i = 0; i < n; i++) {
        const char *row = b->row[i];
        double *out = b->lp + i;
        if (wide && step == 8)
            for (int64_t j = 0; j < k; j++) out[j * LANES] = ((const double *)(const void *)row)[j];
        else if (wide)
            for (int64_t j = 0; j < k; j++)
                out[j * LANES] = *(const double *)(const void *)(row + j * step);
        else
            for (int64_t j = 0; j < k; j++)
                out[j * LANES] = *(const float *)(const void *)(row + j * step);
    }
    for (int64_t j = 0; j < k; j++) {
        const double *lp = b->lp + j * LANES;
        _Pragma("omp simd reduction(+ : reach)") for (int64_t i = 0; i < n; i++)
            reach += fabs(lp[i]);
    }
    return reach < INFINITY;
}

/* Posteriors of a turned block in q; a class of log posterior minus infinity stays impossible. */
INLINE void affine_posteriors(const struct affine_job *job, struct affine_block *b, int64_t n,
                              int finite)
{
    int64_t k = job->k;
    double scale = job->scale;
    SIMD for (int64_t i = 0; i < n; i++) b->peak[i] = -INFINITY;
    for (int64_t j = 0; j < k; j++) {
        double *lp = b->lp + j * LANES, *q = b->q + j * LANES, shift = job->shift[j];
        SIMD for (int64_t i = 0; i < n; i++) {
            double m = scale * lp[i] + shift;
            if (!finite) m = lp[i] == -INFINITY ? lp[i] : m;
            q[i] = m;
            b->peak[i] = m > b->peak[i] ? m : b->peak[i];
            if (!finite) lp[i] = lp[i] == -INFINITY ? 0.0 : lp[i]; /* no say in what follows */
        }
    }
    for (int64_t i = 0; i < n; i++) b->loss[i] = b->q[b->y[i] * LANES + i] - b->peak[i];
    SIMD for (int64_t i = 0; i < n; i++) b->rest[i] = b->mean[i] = 0.0, b->ties[i] = -1.0;
    for (int64_t j = 0; j < k; j++) {
        double *q = b->q + j * LANES;
        SIMD for (int64_t i = 0; i < n; i++) {
            double shifted = q[i] - b->peak[i], e = exp_down(shifted);
            b->ties[i] += shifted == 0.0 ? 1.0 : 0.0;
            b->rest[i] += shifted == 0.0 ? 0.0 : e; /* summed without the 1 of the largest */
            q[i] = e;
        }
    }
    SIMD for (int64_t i = 0; i < n; i++) {
        double rest = b->rest[i] + b->ties[i];
        b->loss[i] = vlog1p(rest) - b->loss[i];
        b->rest[i] = 1.0 / (1.0 + rest);
    }
    for (int64_t j = 0; j < k; j++) {
        double *q = b->q + j * LANES;
        const double *lp = b->lp + j * LANES;
        SIMD for (int64_t i = 0; i < n; i++) {
            q[i] *= b->rest[i];
            b->mean[i] += q[i] * lp[i];
        }
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

/* Gradient, and of the Hessian the row of the scale and the shifts' diagonal. */
static void affine_slopes(const struct affine_job *job, struct affine_block *b, int64_t n,
                          struct affine_sums *s)
{
    double spread = 0.0;
    SIMD for (int64_t i = 0; i < n; i++) b->spread[i] = 0.0;
    for (int64_t j = 0; j < job->k; j++) {
        const double *q = b->q + j * LANES, *lp = b->lp + j * LANES;
        double *wq = b->wq + j * LANES, cross = 0.0, sum = 0.0;
        _Pragma("omp simd reduction(+ : cross, sum)") for (int64_t i = 0; i < n; i++) {
            double away = lp[i] - b->mean[i], p = q[i] * b->w[i], pa = p * away;
            wq[i] = p;
            sum += p;
            cross += pa;
            b->spread[i] += pa * away;
        }
        s->row[1 + j] += cross;
        s->diagonal[j] += sum;
    }
    _Pragma("omp simd reduction(+ : spread)") for (int64_t i = 0; i < n; i++)
        spread += b->spread[i];
    s->row[0] += spread;
}

/* Sum of wq_r q_c over the samples, for at least all c <= r: two rows and four columns at a time
 * share what is loaded.
 */
static void affine_outer(const struct affine_block *b, int64_t k, int64_t n, double *outer)
{
    int64_t r = 0;
    for (; r + 2 <= k; r += 2) {
        const double *u = b->wq + r * LANES, *v = u + LANES;
        int64_t c = 0;
        for (; c < r + 2 && c + 4 <= k; c += 4) {
            const double *q = b->q + c * LANES;
            double u0 = 0, u1 = 0, u2 = 0, u3 = 0, v0 = 0, v1 = 0, v2 = 0, v3 = 0;
            _Pragma("omp simd reduction(+ : u0, u1, u2, u3, v0, v1, v2, v3)")
            for (int64_t i = 0; i < n; i++) {
                double a = u[i], d = v[i];
                u0 = FMA(a, q[i], u0), v0 = FMA(d, q[i], v0);
                u1 = FMA(a, q[i + LANES], u1), v1 = FMA(d, q[i + LANES], v1);
                u2 = FMA(a, q[i + 2 * LANES], u2), v2 = FMA(d, q[i + 2 * LANES], v2);
                u3 = FMA(a, q[i + 3 * LANES], u3), v3 = FMA(d, q[i + 3 * LANES], v3);
            }
            double *x = outer + r * k + c, *y = x + k;
            x[0] += u0, x[1] += u1, x[2] += u2, x[3] += u3;
            y[0] += v0, y[1] += v1, y[2] += v2, y[3] += v3;
        }
        for (; c < r + 2; c++) {
            const double *q = b->q + c * LANES;
            double u0 = 0, v0 = 0;
            _Pragma("omp simd reduction(+ : u0, v0)") for (int64_t i = 0; i < n; i++)
                u0 = FMA(u[i], q[i], u0), v0 = FMA(v[i], q[i], v0);
            outer[r * k + c] += u0, outer[(r + 1) * k + c] += v0;
        }
    }
    for (int64_t c = 0; r < k && c < k; c++) {
        const double *u = b->wq + r * LANES, *q = b->q + c * LANES;
        double u0 = 0;
        _Pragma("omp simd reduction(+ : u0)") for (int64_t i = 0; i < n; i++)
            u0 = FMA(u[i], q[i], u0);
        outer[r * k + c] += u0;
    }
}

static int affine_turned_chunk(const struct affine_job *job, int64_t start, int64_t stop,
                               struct affine_block *b, struct affine_sums *s)
{
    double true_lp[LANES];
    for (int64_t at = start; at < stop; at += LANES) {
        int64_t n = stop - at < LANES ? stop - at : LANES;
        if (!affine_rows(job, b, at, n)) return BAD_LABEL;
        if (affine_turned(job, b, n)) affine_posteriors(job, b, n, 1);
        else affine_posteriors(job, b, n, 0);
        for (int64_t i = 0; i < n; i++) true_lp[i] = b->lp[b->y[i] * LANES + i];
        affine_losses(b, n, true_lp, s);
        affine_slopes(job, b, n, s);
        if (job->hessian) affine_outer(b, job->k, n, s->outer);
    }
    return 0;
}

static int affine_chunk(const struct affine_job *job, int64_t start, int64_t stop,
                        struct affine_block *b, double *work, double *out)
{
    int64_t k = job->k;
    struct affine_sums s = {work, work + k + 1, work + 2 * k + 2, work + 3 * k + 2, {0, 0}, 0.0};
    memset(work, 0, (size_t)(3 * k + 2 + k * k) * sizeof(double));
    int status = affine_turned_chunk(job, start, stop, b, &s);
    for (int64_t j = 0; j < k; j++) s.g[1 + j] += s.diagonal[j];
    out[0] = s.worst, out[1] = value_of(&s.loss);
    memcpy(out + 2, work, (size_t)(3 * k + 2 + (job->hessian ? k * k : 0)) * sizeof(double));
    return status;
}

EXPORT int NAME(affine)(const struct affine_job *job, int64_t first, int64_t last)
{
    int64_t k = job->k;
    struct affine_block *b = calloc(1, sizeof *b);
    double *lanes = malloc((size_t)(3 * k * LANES) * sizeof(double));
    double *work = malloc((size_t)(3 * k + 2 + k * k) * sizeof(double));
    int status = b && lanes && work ? 0 : NO_MEMORY;
    if (!status) b->lp = lanes, b->q = lanes + k * LANES, b->wq = b->q + k * LANES;
    for (int64_t c = first; c < last && !status; c++) {
        int64_t start = c * job->chunk, stop = start + job->chunk;
        double *out = job->sums + c * job->width;
        status = affine_chunk(job, start, stop < job->n ? stop : job->n, b, work, out);
    }
    free(b), free(lanes), free(work);
    return status;
}
