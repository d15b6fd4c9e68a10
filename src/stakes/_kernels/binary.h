/* Two classes: everything that P(H_2), or its log odds, can tell, in one read. */

/* Losses of a block of probabilities, all finite or not; return whether all losses are finite. */
static int losses_of_probabilities(struct binary_block *b, int64_t n, int finite)
{
    double least = 1.0;
    _Pragma("omp simd reduction(min : least)") for (int64_t i = 0; i < n; i++) {
        double p = b->x[i], rest = 1.0 - p;
        double right = b->y[i] > 0.0 ? p : rest, wrong = b->y[i] > 0.0 ? rest : p;
        b->p[i] = p;
        b->loss[i] = -log_normal(right, -wrong);
        b->brier[i] = wrong * wrong;
        least = right < least ? right : least;
    }
    if (finite & (least >= 0x1p-1022)) return 1;
    for (int64_t i = 0; i < n; i++) {
        double p = b->x[i];
        b->loss[i] = b->y[i] > 0.0 ? -any_log(p, p - 1.0) : -any_log(1.0 - p, -p);
    }
    return 0;
}

static void losses_of_log_odds(struct binary_block *b, int64_t n)
{
    SIMD for (int64_t i = 0; i < n; i++) {
        double z = b->x[i], against = b->y[i] > 0.0 ? -z : z;
        double small = exp_down(-fabs(z)), both = unit_both(small);
        double inverse = unit_inverse(small, both), tail = unit_log1p(small, both);
        double less = small * inverse, wrong = against > 0.0 ? inverse : less;
        b->p[i] = z > 0.0 ? inverse : less;
        b->loss[i] = (against < 0.0 ? 0.0 : against) + tail;
        b->brier[i] = wrong * wrong;
    }
}

/* Sums of finite losses: 0 times a finite number is 0, so that masks are products. */
INLINE void sum_finite(const struct binary_block *b, int64_t n, int weighted, double *out)
{
    double c = 0, w0 = 0, w1 = 0, s0 = 0, s1 = 0, l0 = 0, l1 = 0, m0 = 0, m1 = 0, q0 = 0, q1 = 0;
    double b0 = 0, b1 = 0, d0 = 0, d1 = 0, e0 = 0, e1 = 0, k0 = 0, k1 = 0;
    _Pragma("omp simd reduction(+ : c, l0, l1, q0, q1, k0, k1)") for (int64_t i = 0; i < n; i++) {
        double up = b->y[i], l = weighted ? b->w[i] * b->loss[i] : b->loss[i];
        double high = up * l, low = l - high;
        c += up;
        l0 += low;
        l1 += high;
        q0 = FMA(low, low, q0);
        q1 = FMA(high, high, q1);
        k0 = FMA(low * low, b->loss[i], k0);
        k1 = FMA(high * high, b->loss[i], k1);
    }
    _Pragma("omp simd reduction(+ : b0, b1, e0, e1)") for (int64_t i = 0; i < n; i++) {
        double l = weighted ? b->w[i] * b->brier[i] : b->brier[i];
        double high = b->y[i] * l, low = l - high;
        b0 += low;
        b1 += high;
        e0 = FMA(low, low, e0);
        e1 = FMA(high, high, e1);
    }
    w0 = s0 = (double)n - c, w1 = s1 = c, m0 = l0, m1 = l1, d0 = b0, d1 = b1;
    if (weighted) {
        w0 = w1 = s0 = s1 = m0 = m1 = d0 = d1 = 0.0;
        _Pragma("omp simd reduction(+ : w0, w1, s0, s1, m0, m1, d0, d1)")
        for (int64_t i = 0; i < n; i++) {
            double w = b->w[i], high = b->y[i] * w, low = w - high;
            w0 += low;
            w1 += high;
            s0 = FMA(low, low, s0);
            s1 = FMA(high, high, s1);
            m0 = FMA(low * low, b->loss[i], m0);
            m1 = FMA(high * high, b->loss[i], m1);
            d0 = FMA(low * low, b->brier[i], d0);
            d1 = FMA(high * high, b->brier[i], d1);
        }
    }
    const double found[2 * CLASS_FIELDS] = {
        (double)n - c, w0, s0, l0, m0, q0, 0.0, b0, d0, e0, k0,
        c,             w1, s1, l1, m1, q1, 0.0, b1, d1, e1, k1};
    memcpy(out, found, sizeof found);
}

/* The same where some loss is infinite, and counted apart, or NaN. */
static void sum_odd(const struct binary_block *b, int64_t n, int weighted, double *out)
{
    memset(out, 0, 2 * CLASS_FIELDS * sizeof *out);
    for (int64_t i = 0; i < n; i++) {
        double *s = out + CLASS_FIELDS * b->code[i], w = weighted ? b->w[i] : 1.0;
        double l = b->loss[i], r = b->brier[i];
        if (fabs(l) == INFINITY) l = 0.0, s[INFINITE] += 1.0;
        s[COUNT] += 1.0;
        s[WEIGHT] += w;
        s[SQUARE] += w * w;
        s[LOG] += w * l;
        s[LOG_W2] += w * w * l;
        s[LOG2_W2] += (w * l) * (w * l);
        s[BRIER] += w * r;
        s[BRIER_W2] += w * w * r;
        s[BRIER2_W2] += (w * r) * (w * r);
        s[LOG3_W2] += (w * l) * (w * l) * l;
    }
}

INLINE void count_above(struct binary_block *b, int64_t n, int weighted, double t,
                               struct total *out)
{
    double all = 0, a0 = 0, a1 = 0, s0 = 0, s1 = 0;
    SIMD for (int64_t i = 0; i < n; i++) b->above[i] = b->p[i] > t ? 1.0 : 0.0;
    if (weighted) {
        _Pragma("omp simd reduction(+ : a0, a1, s0, s1)") for (int64_t i = 0; i < n; i++) {
            double w = b->above[i] * b->w[i], high = b->y[i] * w, low = w - high;
            a0 += low;
            a1 += high;
            s0 = FMA(low, low, s0);
            s1 = FMA(high, high, s1);
        }
    } else {
        _Pragma("omp simd reduction(+ : all, a1)") for (int64_t i = 0; i < n; i++) {
            all += b->above[i];
            a1 = FMA(b->above[i], b->y[i], a1);
        }
        a0 = s0 = all - a1, s1 = a1;
    }
    const double found[4] = {a0, s0, a1, s1};
    for (int j = 0; j < 4; j++) add_to(&out[j], found[j]);
}

INLINE void fill_bin(const struct binary_block *b, int64_t i, int weighted, double *cell)
{
    double p = b->p[i] > 1.0 ? 1.0 : b->p[i], w = weighted ? b->w[i] : 1.0;
    cell += 4 * b->bin[i];
    cell[0] += w;
    cell[1] += weighted ? w * p : p;
    if (weighted) cell[2] += w * w;
}

INLINE void fill_bins(struct binary_block *b, int64_t n, int weighted,
                             struct binary_state *s)
{
    double *h = s->hist;
    int64_t size = s->hist_size, i = 0;
    SIMD for (int64_t j = 0; j < n; j++) b->bin[j] = 2 * b->bin[j] + b->code[j];
    for (; i + 4 <= n; i += 4) {
        fill_bin(b, i, weighted, h);
        fill_bin(b, i + 1, weighted, h + size);
        fill_bin(b, i + 2, weighted, h + 2 * size);
        fill_bin(b, i + 3, weighted, h + 3 * size);
    }
    for (; i < n; i++) fill_bin(b, i, weighted, h);
}

static void flush_bins(struct binary_state *s, struct total *out, int weighted)
{
    int64_t cells = s->hist_size / 4, size = s->hist_size;
    for (int64_t j = 0; j < cells; j++) {
        double *h = s->hist + 4 * j, sum[3];
        for (int f = 0; f < 3; f++)
            sum[f] = (h[f] + h[size + f]) + (h[2 * size + f] + h[3 * size + f]);
        add_to(&out[3 * j], sum[0]);
        add_to(&out[3 * j + 1], weighted ? sum[2] : sum[0]);
        add_to(&out[3 * j + 2], sum[1]);
    }
    memset(s->hist, 0, (size_t)(4 * size) * sizeof *s->hist);
}

/* Sum any block. */
INLINE int careful_block(const struct binary_job *job, int64_t at, int64_t n, int weighted,
                         struct binary_block *b, struct binary_state *s, double *limits)
{
    struct total *above = s->totals + 2 * CLASS_FIELDS;
    double found[2 * CLASS_FIELDS];
    load_numbers(b->x, &job->values, at, n);
    if (weighted) load_numbers(b->w, &job->weights, at, n);
    if (!load_codes(b->code, &job->y, at, n, 2)) return BAD_LABEL;
    SIMD for (int64_t i = 0; i < n; i++) b->y[i] = b->code[i];
    int finite = find_limits(b->x, n, limits);
    if (job->kind == PROBABILITIES) finite = losses_of_probabilities(b, n, finite);
    else losses_of_log_odds(b, n);
    if (finite) sum_finite(b, n, weighted, found);
    else sum_odd(b, n, weighted, found);
    for (int j = 0; j < 2 * CLASS_FIELDS; j++) add_to(&s->totals[j], found[j]);
    for (int64_t t = 0; t < job->n_thresholds; t++)
        count_above(b, n, weighted, job->thresholds[t], above + 4 * t);
    find_bins(b->bin, b->p, n, job->bins, job->edges);
    fill_bins(b, n, weighted, s);
    return 0;
}

INLINE int binary_chunk(const struct binary_job *job, int64_t start, int64_t stop, int weighted,
                        struct binary_block *b, struct binary_state *s, double *limits)
{
    struct total *bins = s->totals + 2 * CLASS_FIELDS + 4 * job->n_thresholds;
    int quick = !weighted & (job->kind == PROBABILITIES) & (job->bins < MOST_QUICK);
    int blocks = 0;
    for (int64_t at = start, n; at < stop; at += n) {
        n = stop - at < BLOCK ? stop - at : BLOCK;
        if (quick && n >= 4) n -= n % 4;
        if (!quick || n < 4 || !quick_block(job, at, n, b, s, limits)) {
            int status = careful_block(job, at, n, weighted, b, s, limits);
            if (status) return status;
        }
        if (++blocks % FLUSH == 0) flush_bins(s, bins, weighted);
    }
    flush_bins(s, bins, weighted);
    return 0;
}

/* Sum chunks first..last-1, each into its own row of `sums` and `limits`. */
EXPORT int NAME(binary)(const struct binary_job *job, int64_t first, int64_t last)
{
    struct binary_state s = {0};
    s.width = 2 * CLASS_FIELDS + 4 * job->n_thresholds + 6 * job->bins;
    s.hist_size = 8 * job->bins;
    s.totals = malloc((size_t)s.width * sizeof *s.totals);
    s.hist = calloc((size_t)(4 * s.hist_size), sizeof *s.hist);
    struct binary_block *b = malloc(sizeof *b);
    int status = s.totals && s.hist && b ? 0 : NO_MEMORY;
    for (int64_t c = first; c < last && !status; c++) {
        int64_t start = c * job->chunk, stop = start + job->chunk;
        double *limits = job->limits + 3 * c;
        limits[0] = INFINITY, limits[1] = -INFINITY, limits[2] = 0.0;
        memset(s.totals, 0, (size_t)s.width * sizeof *s.totals);
        if (stop > job->n) stop = job->n;
        status = job->weights.data ? binary_chunk(job, start, stop, 1, b, &s, limits)
                                   : binary_chunk(job, start, stop, 0, b, &s, limits);
        for (int64_t j = 0; j < s.width; j++) job->sums[c * s.width + j] = value_of(&s.totals[j]);
    }
    free(s.totals);
    free(s.hist);
    free(b);
    return status;
}
