/* Log loss of scaled and shifted scores, with its gradient and Hessian, in one read. */

struct affine_job {
    struct table values; /* log posteriors; for two classes one column, the log odds */
    struct column y, weights;
    int64_t n, k, chunk, hessian;
    double scale;
    const double *shift; /* K; for two classes one */
    int64_t width;
    double *sums; /* per chunk: worst loss, loss, gradient, Hessian */
};

/* Losses of a block without weights, as one log of a product: log(1 + small) summed. Each factor
 * is at most 2, so that 512 of them stay finite; where all are near 1 digits would be lost.
 */
static int sum_by_product(const struct binary_block *b, int64_t n, double *loss, double *most)
{
    double product = 1.0, sum = 0.0, small = 0.0, worst = -INFINITY;
    _Pragma("omp simd reduction(* : product) reduction(+ : sum, small) reduction(max : worst)")
    for (int64_t i = 0; i < n; i++) {
        double against = b->loss[i];
        product *= 1.0 + b->above[i];
        small += b->above[i];
        sum += against < 0.0 ? 0.0 : against;
        worst = against > worst ? against : worst;
    }
    if (!(small > 8.0) || !(sum < INFINITY)) return 0;
    worst = (worst < 0.0 ? 0.0 : worst) + log1p(exp(-fabs(worst)));
    *loss = sum + log(product);
    *most = worst > *most ? worst : *most;
    return 1;
}

static void sum_by_row(const struct binary_block *b, int64_t n, double *loss, double *most)
{
    double sum = 0.0, worst = *most;
    _Pragma("omp simd reduction(+ : sum) reduction(max : worst)")
    for (int64_t i = 0; i < n; i++) {
        double against = b->loss[i], small = b->above[i], w = b->w[i];
        double l = (against < 0.0 ? 0.0 : against) + unit_log1p(small, unit_both(small));
        sum += w == 0.0 ? 0.0 : w * l;
        worst = l > worst ? l : worst;
    }
    *loss = sum, *most = worst;
}

/* A sample that is certain and right adds nothing, even at infinity. Loss, two slopes, then the
 * Hessian's zz, z1 and 11; `worst` is the largest loss.
 */
static int affine_binary_chunk(const struct affine_job *job, int64_t start, int64_t stop,
                               struct binary_block *b, struct total *t, double *worst)
{
    struct column values = {job->values.data, job->values.row_stride, job->values.type};
    double scale = job->scale, shift = job->shift[0];
    for (int64_t at = start; at < stop; at += BLOCK) {
        int64_t n = stop - at < BLOCK ? stop - at : BLOCK;
        double loss = 0, g1 = 0, g0 = 0, h2 = 0, h1 = 0, h0 = 0;
        load_numbers(b->x, &values, at, n);
        if (job->weights.data) load_numbers(b->w, &job->weights, at, n);
        else SIMD for (int64_t i = 0; i < n; i++) b->w[i] = 1.0;
        if (!load_codes(b->code, &job->y, at, n, 2)) return BAD_LABEL;
        SIMD for (int64_t i = 0; i < n; i++) b->y[i] = b->code[i];
        SIMD for (int64_t i = 0; i < n; i++) {
            double m = scale * b->x[i] + shift, against = b->y[i] > 0.0 ? -m : m;
            double small = exp_down(-fabs(m)), inverse = 1.0 / (1.0 + small);
            double less = small * inverse, wrong = against > 0.0 ? inverse : less;
            b->above[i] = small;
            b->loss[i] = against;
            b->p[i] = b->w[i] * (b->y[i] > 0.0 ? -wrong : wrong);
            b->brier[i] = b->w[i] * (less * inverse); /* p (1 - p) */
        }
        _Pragma("omp simd reduction(+ : g1, g0, h2, h1, h0)")
        for (int64_t i = 0; i < n; i++) {
            double z = b->x[i], g = b->p[i], h = b->brier[i];
            double gz = g == 0.0 ? 0.0 : g * z, hz = h == 0.0 ? 0.0 : h * z;
            double hzz = hz == 0.0 ? 0.0 : hz * z;
            g1 += gz;
            g0 += g;
            h2 += hzz;
            h1 += hz;
            h0 += h;
        }
        if (job->weights.data || !sum_by_product(b, n, &loss, worst)) sum_by_row(b, n, &loss, worst);
        const double found[6] = {loss, g1, g0, h2, h1, h0};
        for (int j = 0; j < 6; j++) add_to(&t[j], found[j]);
    }
    return 0;
}

EXPORT int NAME(affine_binary)(const struct affine_job *job, int64_t first, int64_t last)
{
    struct binary_block *b = malloc(sizeof *b);
    int status = b ? 0 : NO_MEMORY;
    for (int64_t c = first; c < last && !status; c++) {
        int64_t start = c * job->chunk, stop = start + job->chunk;
        struct total t[6] = {{0.0, 0.0}};
        double *out = job->sums + c * job->width, worst = 0.0;
        status = affine_binary_chunk(job, start, stop < job->n ? stop : job->n, b, t, &worst);
        out[0] = worst;
        for (int j = 0; j < 6; j++) out[1 + j] = value_of(&t[j]);
    }
    free(b);
    return status;
}

struct affine_block {
    double *lp, *q, *wq; /* K x LANES: log posteriors, posteriors, and those times the weight */
    double w[LANES], yd[LANES], peak[LANES], rest[LANES], mean[LANES], loss[LANES], spread[LANES];
    double at[LANES];
    int32_t y[LANES];
};

/* Posteriors of a turned block in q; a class of log posterior minus infinity stays impossible. */
static void affine_posteriors(const struct affine_job *job, struct affine_block *b, int64_t n)
{
    int64_t k = job->k;
    SIMD for (int64_t i = 0; i < n; i++) b->peak[i] = -INFINITY, b->at[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        const double *lp = b->lp + j * LANES;
        double *q = b->q + j * LANES, scale = job->scale, shift = job->shift[j], code = (double)j;
        SIMD for (int64_t i = 0; i < n; i++) {
            double m = lp[i] == -INFINITY ? lp[i] : scale * lp[i] + shift;
            int more = m > b->peak[i];
            q[i] = m;
            b->peak[i] = more ? m : b->peak[i];
            b->at[i] = more ? code : b->at[i];
        }
    }
    SIMD for (int64_t i = 0; i < n; i++) b->rest[i] = b->mean[i] = b->loss[i] = b->spread[i] = 0.0;
    for (int64_t j = 0; j < k; j++) {
        double *q = b->q + j * LANES, code = (double)j;
        SIMD for (int64_t i = 0; i < n; i++) {
            double shifted = q[i] - b->peak[i], e = exp_down(shifted);
            b->loss[i] = b->yd[i] == code ? shifted : b->loss[i];
            b->rest[i] += b->at[i] == code ? 0.0 : e;
            q[i] = e;
        }
    }
    SIMD for (int64_t i = 0; i < n; i++) {
        b->loss[i] = vlog1p(b->rest[i]) - b->loss[i];
        b->rest[i] = 1.0 / (1.0 + b->rest[i]);
    }
    for (int64_t j = 0; j < k; j++) {
        double *q = b->q + j * LANES, *wq = b->wq + j * LANES, *lp = b->lp + j * LANES;
        SIMD for (int64_t i = 0; i < n; i++) {
            double p = q[i] * b->rest[i];
            lp[i] = lp[i] == -INFINITY ? 0.0 : lp[i]; /* no say in what follows */
            q[i] = p;
            wq[i] = p * b->w[i];
            b->mean[i] += p * lp[i];
        }
    }
}

/* Gradient in `t[1..]`, and of the Hessian the row of the scale and the shifts' diagonal. */
static void affine_slopes(const struct affine_job *job, struct affine_block *b, int64_t n,
                          double *g, double *row, double *diagonal)
{
    int64_t k = job->k;
    for (int64_t j = 0; j < k; j++) {
        const double *q = b->q + j * LANES, *wq = b->wq + j * LANES, *lp = b->lp + j * LANES;
        double slope = 0.0, cross = 0.0, sum = 0.0, steep = 0.0, code = (double)j;
        _Pragma("omp simd reduction(+ : slope, cross, sum, steep)")
        for (int64_t i = 0; i < n; i++) {
            int here = b->yd[i] == code;
            double away = lp[i] - b->mean[i], excess = wq[i] - (here ? b->w[i] : 0.0);
            slope += excess;
            steep += excess * lp[i];
            cross += wq[i] * away;
            sum += wq[i];
            b->spread[i] += q[i] * away * away;
        }
        g[0] += steep;
        g[1 + j] += slope;
        row[1 + j] += cross;
        diagonal[j] += sum;
    }
    double spread = 0.0;
    _Pragma("omp simd reduction(+ : spread)") for (int64_t i = 0; i < n; i++)
        spread += b->w[i] * b->spread[i];
    row[0] += spread;
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

static int affine_chunk(const struct affine_job *job, int64_t start, int64_t stop,
                        struct affine_block *b, double *work, double *out)
{
    int64_t k = job->k;
    double *g = work, *row = g + k + 1, *diagonal = row + k + 1, *outer = diagonal + k;
    struct total loss = {0.0, 0.0};
    double worst = 0.0;
    memset(work, 0, (size_t)(3 * k + 2 + k * k) * sizeof(double));
    for (int64_t at = start; at < stop; at += LANES) {
        int64_t n = stop - at < LANES ? stop - at : LANES;
        if (!load_codes(b->y, &job->y, at, n, k)) return BAD_LABEL;
        SIMD for (int64_t i = 0; i < n; i++) b->yd[i] = b->y[i];
        if (job->weights.data) load_numbers(b->w, &job->weights, at, n);
        else SIMD for (int64_t i = 0; i < n; i++) b->w[i] = 1.0;
        for (int64_t j = 0; j < k; j++) {
            const struct table *t = &job->values;
            struct column c = {t->data + j * t->column_stride, t->row_stride, t->type};
            load_numbers(b->lp + j * LANES, &c, at, n);
        }
        affine_posteriors(job, b, n);
        double sum = 0.0;
        _Pragma("omp simd reduction(+ : sum) reduction(max : worst)")
        for (int64_t i = 0; i < n; i++) {
            sum += b->w[i] == 0.0 ? 0.0 : b->w[i] * b->loss[i];
            worst = b->loss[i] > worst ? b->loss[i] : worst;
        }
        add_to(&loss, sum);
        affine_slopes(job, b, n, g, row, diagonal);
        if (job->hessian) affine_outer(b, k, n, outer);
    }
    out[0] = worst, out[1] = value_of(&loss);
    memcpy(out + 2, work, (size_t)(3 * k + 2 + (job->hessian ? k * k : 0)) * sizeof(double));
    return 0;
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
