/* Log loss of scaled and shifted scores, with its gradient and Hessian, in one read. */

struct affine_job {
    struct table values; /* log posteriors; for two classes one column, the log odds */
    struct column y, weights;
    const int64_t *rows; /* where each sample's values stand; NULL: one after the other */
    const double *each; /* a factor for the weights of each class, or NULL */
    int64_t n, k, chunk, hessian;
    double scale;
    const double *shift; /* K; for two classes one */
    int64_t width;
    double *sums; /* per chunk: worst loss, loss, gradient, Hessian */
};

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

/* 1 for the first class and -1 for the second; return whether there are no others. */
static int load_signs(struct binary_block *b, const struct column *y, int64_t at, int64_t n)
{
    uint64_t bad = 0;
    if (y->type == 2 && y->stride == 8) {
        const uint64_t *code = (const uint64_t *)(const void *)(y->data + 8 * at);
        _Pragma("omp simd reduction(| : bad)") for (int64_t i = 0; i < n; i++) {
            bad |= code[i] & ~1ull;
            b->y[i] = of_bits(ONE | (code[i] << 63));
        }
        return bad == 0;
    }
    if (!load_codes(b->code, y, at, n, 2)) return 0;
    SIMD for (int64_t i = 0; i < n; i++) b->y[i] = 1.0 - 2.0 * b->code[i];
    return 1;
}

static void load_weights(const struct affine_job *job, struct binary_block *b, int64_t at,
                         int64_t n)
{
    if (job->weights.data) load_numbers(b->w, &job->weights, at, n);
    else SIMD for (int64_t i = 0; i < n; i++) b->w[i] = 1.0;
    if (!job->each) return;
    double first = job->each[0], second = job->each[1];
    SIMD for (int64_t i = 0; i < n; i++) b->w[i] *= b->y[i] > 0.0 ? first : second;
}

/* Loss, two slopes, then the Hessian's zz, z1 and 11, of weights of 1; return whether it did.
 *
 * The logs of 1 + small are one log of a product: each factor is at most 2, so that 512 of them
 * stay finite. Where all are near 1 digits would be lost, and far values need more care.
 */
static int plain_slopes(struct binary_block *b, const double *x, int64_t n, double scale,
                        double shift, double *out, double *most)
{
    double g1 = 0, g0 = 0, h2 = 0, h1 = 0, h0 = 0, product = 1, sum = 0;
    double worst = -INFINITY, far = 0;
    _Pragma("omp simd reduction(max : worst, far) reduction(+ : sum)") /* two loops: more at once */
    for (int64_t i = 0; i < n; i++) {
        double m = FMA(scale, x[i], shift), size = fabs(m), against = b->y[i] * m;
        b->above[i] = exp_near(-size);
        b->loss[i] = against;
        sum += against > 0.0 ? against : 0.0;
        worst = against > worst ? against : worst;
        far = size > far ? size : far;
    }
    _Pragma("omp simd reduction(+ : g1, g0, h2, h1, h0) reduction(* : product)")
    for (int64_t i = 0; i < n; i++) {
        double z = x[i], small = b->above[i], whole = 1.0 + small, inverse = 1.0 / whole;
        double less = small * inverse, h = less * inverse, hz = h * z;
        double g = b->y[i] * (b->loss[i] > 0.0 ? inverse : less);
        product *= whole;
        g0 += g;
        g1 = FMA(g, z, g1);
        h0 += h;
        h1 += hz;
        h2 = FMA(hz, z, h2);
    }
    if (!(product > 9.0) || !(far <= NEAR) || !(h2 < INFINITY) || !(fabs(g1) < INFINITY)) return 0;
    worst = (worst < 0.0 ? 0.0 : worst) + log1p(exp(-fabs(worst)));
    *most = worst > *most ? worst : *most;
    out[0] = sum + log(product);
    out[1] = g1, out[2] = g0, out[3] = h2, out[4] = h1, out[5] = h0;
    return 1;
}

/* Slopes of any: a sample that is certain and right adds nothing, even at infinity. */
static void weighted_slopes(struct binary_block *b, int64_t n, double scale, double shift,
                            double *out)
{
    double g1 = 0, g0 = 0, h2 = 0, h1 = 0, h0 = 0;
    SIMD for (int64_t i = 0; i < n; i++) {
        double m = scale * b->x[i] + shift, against = b->y[i] * m;
        double small = exp_down(-fabs(m)), inverse = 1.0 / (1.0 + small);
        double less = small * inverse, wrong = against > 0.0 ? inverse : less;
        b->above[i] = small;
        b->loss[i] = against;
        b->p[i] = b->w[i] * (b->y[i] * wrong);
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
    out[1] = g1, out[2] = g0, out[3] = h2, out[4] = h1, out[5] = h0;
}

static int affine_binary_chunk(const struct affine_job *job, int64_t start, int64_t stop,
                               struct binary_block *b, struct total *t, double *worst)
{
    struct column values = {job->values.data, job->values.row_stride, job->values.type};
    double scale = job->scale, shift = job->shift[0];
    int plain = !job->weights.data && !job->each, near = values.type == 0 && values.stride == 8;
    for (int64_t at = start; at < stop; at += BLOCK) {
        int64_t n = stop - at < BLOCK ? stop - at : BLOCK;
        const double *x = near ? (const double *)(const void *)values.data + at : b->x;
        double found[6] = {0};
        if (!load_signs(b, &job->y, at, n)) return BAD_LABEL;
        if (!near) load_numbers(b->x, &values, at, n);
        if (!plain || !plain_slopes(b, x, n, scale, shift, found, worst)) {
            if (near) load_numbers(b->x, &values, at, n);
            load_weights(job, b, at, n);
            weighted_slopes(b, n, scale, shift, found);
            sum_by_row(b, n, found, worst);
        }
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
