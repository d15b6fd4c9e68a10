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

/* Weights of a block; return whether all are 1, and all values finite. */
static int load_rows(const struct affine_job *job, struct binary_block *b, int64_t at, int64_t n)
{
    struct column values = {job->values.data, job->values.row_stride, job->values.type};
    double reach = 0.0;
    load_numbers(b->x, &values, at, n);
    if (job->weights.data) load_numbers(b->w, &job->weights, at, n);
    else SIMD for (int64_t i = 0; i < n; i++) b->w[i] = 1.0;
    if (job->each) {
        double first = job->each[0], second = job->each[1];
        SIMD for (int64_t i = 0; i < n; i++) b->w[i] *= b->y[i] > 0.0 ? first : second;
    }
    _Pragma("omp simd reduction(+ : reach)") for (int64_t i = 0; i < n; i++)
        reach += fabs(b->x[i]);
    return !job->weights.data && !job->each && reach < INFINITY;
}

/* Loss, two slopes, then the Hessian's zz, z1 and 11 of weights of 1 and finite values. */
static void plain_slopes(struct binary_block *b, int64_t n, double scale, double shift, double *out)
{
    double g1 = 0, g0 = 0, h2 = 0, h1 = 0, h0 = 0;
    _Pragma("omp simd reduction(+ : g1, g0, h2, h1, h0)") for (int64_t i = 0; i < n; i++) {
        double z = b->x[i], m = scale * z + shift, against = b->y[i] * m;
        double small = exp_down(-fabs(m)), inverse = 1.0 / (1.0 + small), less = small * inverse;
        double g = b->y[i] * (against > 0.0 ? inverse : less), h = less * inverse, hz = h * z;
        b->above[i] = small;
        b->loss[i] = against;
        g0 += g;
        g1 += g * z;
        h0 += h;
        h1 += hz;
        h2 += hz * z;
    }
    out[1] = g1, out[2] = g0, out[3] = h2, out[4] = h1, out[5] = h0;
}

/* The same of any: a sample that is certain and right adds nothing, even at infinity. */
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
    for (int64_t at = start; at < stop; at += BLOCK) {
        int64_t n = stop - at < BLOCK ? stop - at : BLOCK;
        double found[6] = {0};
        if (!load_signs(b, &job->y, at, n)) return BAD_LABEL;
        int plain = load_rows(job, b, at, n);
        if (plain) plain_slopes(b, n, job->scale, job->shift[0], found);
        else weighted_slopes(b, n, job->scale, job->shift[0], found);
        int weighted = job->weights.data || job->each;
        if (weighted || !sum_by_product(b, n, found, worst)) sum_by_row(b, n, found, worst);
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
