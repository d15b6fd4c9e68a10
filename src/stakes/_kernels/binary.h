/* Two classes: everything that P(H_2), or its log odds, can tell, in one read. */

#define BLOCK 512
#define FLUSH 8 /* blocks after which the quick histograms are added to the long sums */
#define CLASS_FIELDS 10
#define MOST_QUICK 65536 /* bins whose places are exact as whole numbers */

enum { COUNT, WEIGHT, SQUARE, LOG, LOG_W2, LOG2_W2, INFINITE, BRIER, BRIER_W2, BRIER2_W2 };
enum { PROBABILITIES, LOG_ODDS };

struct binary_job {
    struct column values, y, weights;
    int64_t n, kind, chunk;
    const double *thresholds;
    int64_t n_thresholds;
    const double *edges;
    int64_t bins;
    double *sums;   /* per chunk: 2 x CLASS_FIELDS, thresholds x 2 x 2, bins x 2 x 3 */
    double *limits; /* per chunk: least, largest, how many NaN */
};

struct binary_block {
    double x[BLOCK], p[BLOCK], y[BLOCK], w[BLOCK], loss[BLOCK], brier[BLOCK];
    double above[BLOCK];
    int64_t truth[BLOCK], cell[BLOCK];
    int32_t code[BLOCK], bin[BLOCK];
};

struct binary_state {
    int64_t width, hist_size;
    struct total *totals;
    double *hist; /* 4 copies, so that neighbours in the same bin need not wait for each other */
};

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
    double b0 = 0, b1 = 0, d0 = 0, d1 = 0, e0 = 0, e1 = 0;
    _Pragma("omp simd reduction(+ : c, l0, l1, q0, q1)") for (int64_t i = 0; i < n; i++) {
        double up = b->y[i], l = weighted ? b->w[i] * b->loss[i] : b->loss[i];
        double high = up * l, low = l - high;
        c += up;
        l0 += low;
        l1 += high;
        q0 = FMA(low, low, q0);
        q1 = FMA(high, high, q1);
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
        (double)n - c, w0, s0, l0, m0, q0, 0.0, b0, d0, e0, c, w1, s1, l1, m1, q1, 0.0, b1, d1, e1};
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

/* ---- probabilities of samples that all weigh the same, which is what is asked most ---- */

typedef double two __attribute__((vector_size(16), may_alias));

struct quick_counts {
    uint64_t labels; /* all of them joined bit by bit */
    double second, above, second_above;
};

/* Where each probability goes, in bytes, and counts. Places are whole numbers of 2^-32 of a bin: a
 * block with one next to an inner edge looks again. What is no probability, or no label, gets a
 * place that means nothing.
 */
APART static struct quick_counts quick_cells(const double *x, const int64_t *y, int64_t n,
                                             const struct binary_job *job, double threshold,
                                             struct binary_block *b)
{
    double m = (double)job->bins;
    four scale = ALL(m * 0x1p32), low = ALL(0.5 / m), high = ALL(1.0 - 0.5 / m), magic = ALL(MAGIC);
    four p, at, cut = ALL(threshold);
    four_bits truth, above, cell, near = {0}, labels = {0}, second = {0}, over = {0}, both = {0};
    for (int64_t i = 0; i < n; i += 4) {
        LOAD(p, x + i), LOAD(truth, y + i);
        above = (four_bits)(p > cut);
        at = LESS(high, MORE(low, p));
        cell = (four_bits)FMA4(at, scale, magic);
        near |= (four_bits)(((cell + 4) & 0xfffffff8u) == 0);
        cell = ((cell >> 26) & 0x3fffc0u) + (truth << 5);
        STORE(b->cell + i, cell);
        labels |= truth, second += truth, over -= above, both += above & truth;
    }
    near[0] |= near[1] | near[2] | near[3];
    labels[0] |= labels[1] | labels[2] | labels[3];
    if (near[0]) {
        find_bins(b->bin, x, n, job->bins, job->edges);
        for (int64_t i = 0; i < n; i++) b->cell[i] = 64 * (int64_t)b->bin[i] + 32 * y[i];
    }
    return (struct quick_counts){labels[0], (double)ADDED(second), (double)ADDED(over),
                                 (double)ADDED(both)};
}

/* One addition counts a sample and adds its probability. */
#define FILL(copy, i) *(two *)(void *)(h + (copy) * size + cell[i]) += (two){1.0, x[i]}

/* Sums of a block's losses, and its bins: two tasks for different parts of the processor. With
 * right = 2^-k (1 - g), its loss is k ln 2 + 2 atanh(g / (2 - g)), right to two units in the last
 * place; the series is cut to what its range needs.
 */
APART static void quick_logs(const struct binary_block *b, const double *x, const int64_t *y,
                             int64_t n, struct binary_state *state, double *out)
{
    four c0 = ALL(0x1.5555555555558p-1), c1 = ALL(0x1.99999999952d7p-2);
    four c2 = ALL(0x1.2492492df281ap-2), c3 = ALL(0x1.c71c62e3f11e6p-3);
    four c4 = ALL(0x1.7462b51cb66b1p-3), c5 = ALL(0x1.39fe51a7c18f9p-3);
    four c6 = ALL(0x1.2b5900de53b32p-3), both = ALL(2.0), ln2 = ALL(M_LN2);
    four l0 = {0}, l1 = {0}, q0 = {0}, q1 = {0}, g, k;
    four_bits truth;
    const int64_t *cell = b->cell, size = 8 * state->hist_size;
    char *h = (char *)state->hist;
    for (int64_t i = 0; i < n; i += 4) {
        LOAD(g, b->loss + i), LOAD(k, b->brier + i), LOAD(truth, y + i);
        SOON(x + i + BLOCK), SOON(y + i + BLOCK);
        four s = g / (both - g), z = s * s, z2 = z * z;
        FILL(0, i), FILL(1, i + 1), FILL(2, i + 2), FILL(3, i + 3);
        four series = FMA4(z2, c6, FMA4(z, c5, c4));
        series = FMA4(z2, FMA4(z2, series, FMA4(z, c3, c2)), FMA4(z, c1, c0));
        four loss = FMA4(k, ln2, s * FMA4(z, series, both));
        four high = MASKED(-truth, loss), low = loss - high;
        l0 += low, l1 += high, q0 = FMA4(low, low, q0), q1 = FMA4(high, high, q1);
    }
    out[0] = ADDED(l0), out[1] = ADDED(q0), out[2] = ADDED(l1), out[3] = ADDED(q1);
}

/* Sums of a block; return whether it held nothing but probabilities and finite losses. If not, it
 * must be done again with care.
 */
APART static int quick_sums(const double *x, const int64_t *y, int64_t n, struct binary_block *b,
                            struct binary_state *state, double *out, double *limits)
{
    four least = ALL(1.0), most = ALL(0.0), faintest = ALL(1.0), one = ALL(1.0), p;
    four b0 = {0}, b1 = {0}, e0 = {0}, e1 = {0}, high_bias = ALL(0x1p52 + 1024.0);
    four_bits truth, mask, bits, root = ALL(ROOT_HALF);
    for (int64_t i = 0; i < n; i += 4) {
        LOAD(p, x + i), LOAD(truth, y + i);
        mask = -truth;
        four rest = one - p, right = PICK(mask, p, rest), wrong = PICK(mask, rest, p);
        bits = (four_bits)right - (root - (1024ull << 52)); /* exponent and a bias, above 0 */
        four k = high_bias - (four)((bits >> 52) | 0x4330000000000000u);
        four g = one - (four)((bits & 0x000fffffffffffffu) + root);
        g = PICK((four_bits)(k == 0.0), wrong, g); /* near 1 the digits are those of 1 - right */
        STORE(b->loss + i, g), STORE(b->brier + i, k);
        least = LESS(p, least), most = MORE(p, most), faintest = LESS(right, faintest);
        four brier = wrong * wrong, high = MASKED(mask, brier), low = brier - high;
        b0 += low, b1 += high, e0 = FMA4(low, low, e0), e1 = FMA4(high, high, e1);
    }
    double l[4], bottom = 1.0, top = 0.0, faint = 1.0;
    for (int j = 0; j < 4; j++) {
        bottom = least[j] < bottom ? least[j] : bottom;
        top = most[j] > top ? most[j] : top;
        faint = faintest[j] < faint ? faintest[j] : faint;
    }
    four all = b0 + b1;
    if (!((bottom >= 0.0) & (top <= 1.0) & (faint >= 0x1p-1022) & (ADDED(all) < INFINITY)))
        return 0;
    quick_logs(b, x, y, n, state, l);
    const double found[2 * CLASS_FIELDS] = {
        0, 0, 0, l[0], l[0], l[1], 0, ADDED(b0), ADDED(b0), ADDED(e0),
        0, 0, 0, l[2], l[2], l[3], 0, ADDED(b1), ADDED(b1), ADDED(e1)};
    memcpy(out, found, sizeof found);
    limits[0] = bottom < limits[0] ? bottom : limits[0];
    limits[1] = top > limits[1] ? top : limits[1];
    return 1;
}

/* Put what was counted in its places; thresholds beyond the first are counted here. */
static void quick_count(const struct quick_counts *c, const double *x, const int64_t *y, int64_t n,
                        const struct binary_job *job, struct total *totals)
{
    struct total *above = totals + 2 * CLASS_FIELDS;
    double all = c->above, high = c->second_above;
    for (int f = COUNT; f <= SQUARE; f++) {
        totals[f].high += (double)n - c->second;
        totals[CLASS_FIELDS + f].high += c->second;
    }
    for (int64_t t = 0; t < job->n_thresholds; t++) {
        if (t > 0) {
            all = high = 0.0;
            _Pragma("omp simd reduction(+ : all, high)") for (int64_t i = 0; i < n; i++) {
                double one = x[i] > job->thresholds[t] ? 1.0 : 0.0;
                all += one;
                high += y[i] > 0 ? one : 0.0;
            }
        }
        above[4 * t].high += all - high, above[4 * t + 1].high += all - high;
        above[4 * t + 2].high += high, above[4 * t + 3].high += high;
    }
}

/* Sum a block if it holds nothing odd; return whether it did. */
static int quick_block(const struct binary_job *job, int64_t at, int64_t n, struct binary_block *b,
                       struct binary_state *s, double *limits)
{
    const struct column *v = &job->values, *c = &job->y;
    const double *x = (const double *)(const void *)(v->data + at * 8);
    const int64_t *y = (const int64_t *)(const void *)(c->data + at * 8);
    double found[2 * CLASS_FIELDS], first = job->n_thresholds ? job->thresholds[0] : 0.0;
    if (v->type != 0 || v->stride != 8) load_numbers(b->x, v, at, n), x = b->x;
    if (c->type != 2 || c->stride != 8) {
        if (!load_codes(b->code, c, at, n, 2)) return 0;
        SIMD for (int64_t i = 0; i < n; i++) b->truth[i] = b->code[i];
        y = b->truth;
    }
    struct quick_counts counts = quick_cells(x, y, n, job, first, b);
    if ((counts.labels | 1) != 1 || !quick_sums(x, y, n, b, s, found, limits)) return 0;
    for (int j = 0; j < 2 * CLASS_FIELDS; j++) add_to(&s->totals[j], found[j]);
    quick_count(&counts, x, y, n, job, s->totals);
    return 1;
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
