/* Two classes: everything that P(H_2), or its log odds, can tell, in one read. */

#define BLOCK 512
#define FLUSH 8 /* blocks after which the quick histograms are added to the long sums */
#define CLASS_FIELDS 10

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
    int32_t code[BLOCK], bin[BLOCK];
};

struct binary_state {
    int64_t width, hist_size;
    struct total *totals;
    double *hist; /* 4 copies, so that neighbours in the same bin need not wait for each other */
};

static void losses_of_probabilities(struct binary_block *b, int64_t n)
{
    SIMD for (int64_t i = 0; i < n; i++) {
        double p = b->x[i];
        int second = b->y[i] > 0.0;
        double right = second ? p : 1.0 - p, less = second ? p - 1.0 : -p;
        double wrong = second ? 1.0 - p : p;
        b->p[i] = p;
        b->loss[i] = -vlog(right, less);
        b->brier[i] = wrong * wrong;
    }
}

static void losses_of_log_odds(struct binary_block *b, int64_t n)
{
    SIMD for (int64_t i = 0; i < n; i++) {
        double z = b->x[i], against = b->y[i] > 0.0 ? -z : z;
        double small = vexp(-fabs(z)), inverse = 1.0 / (1.0 + small);
        double less = small / (1.0 + small);
        double wrong = against > 0.0 ? inverse : less;
        b->p[i] = z > 0.0 ? inverse : less;
        b->loss[i] = (against < 0.0 ? 0.0 : against) + vlog1p_unit(small);
        b->brier[i] = wrong * wrong;
    }
}

static inline void sum_losses(const struct binary_block *b, int64_t n, int weighted,
                              struct total *out)
{
    double c1 = 0, w0 = 0, w1 = 0, s0 = 0, s1 = 0, i0 = 0, i1 = 0;
    double l0 = 0, l1 = 0, m0 = 0, m1 = 0, q0 = 0, q1 = 0;
    double b0 = 0, b1 = 0, d0 = 0, d1 = 0, e0 = 0, e1 = 0;
    _Pragma("omp simd reduction(+ : c1, i0, i1, l0, l1, q0, q1)")
    for (int64_t i = 0; i < n; i++) {
        int up = b->y[i] > 0.0, lost = fabs(b->loss[i]) == INFINITY;
        double w = weighted ? b->w[i] : 1.0, l = lost ? 0.0 : b->loss[i], wl = w * l;
        double square = wl * wl, none = lost ? 1.0 : 0.0;
        c1 += up ? 1.0 : 0.0;
        i0 += up ? 0.0 : none;
        i1 += up ? none : 0.0;
        l0 += up ? 0.0 : wl;
        l1 += up ? wl : 0.0;
        q0 += up ? 0.0 : square;
        q1 += up ? square : 0.0;
    }
    _Pragma("omp simd reduction(+ : b0, b1, e0, e1)")
    for (int64_t i = 0; i < n; i++) {
        int up = b->y[i] > 0.0;
        double wb = weighted ? b->w[i] * b->brier[i] : b->brier[i], square = wb * wb;
        b0 += up ? 0.0 : wb;
        b1 += up ? wb : 0.0;
        e0 += up ? 0.0 : square;
        e1 += up ? square : 0.0;
    }
    if (weighted) {
        _Pragma("omp simd reduction(+ : w0, w1, s0, s1, m0, m1, d0, d1)")
        for (int64_t i = 0; i < n; i++) {
            int up = b->y[i] > 0.0;
            double w = b->w[i], w2 = w * w;
            double l = fabs(b->loss[i]) == INFINITY ? 0.0 : b->loss[i];
            w0 += up ? 0.0 : w;
            w1 += up ? w : 0.0;
            s0 += up ? 0.0 : w2;
            s1 += up ? w2 : 0.0;
            m0 += up ? 0.0 : w2 * l;
            m1 += up ? w2 * l : 0.0;
            d0 += up ? 0.0 : w2 * b->brier[i];
            d1 += up ? w2 * b->brier[i] : 0.0;
        }
    } else {
        w0 = s0 = (double)n - c1;
        w1 = s1 = c1;
        m0 = l0, m1 = l1, d0 = b0, d1 = b1;
    }
    const double found[2 * CLASS_FIELDS] = {
        (double)n - c1, w0, s0, l0, m0, q0, i0, b0, d0, e0, c1, w1, s1, l1, m1, q1, i1, b1, d1, e1};
    for (int j = 0; j < 2 * CLASS_FIELDS; j++) add_to(&out[j], found[j]);
}

static inline void count_above(const struct binary_block *b, int64_t n, int weighted, double t,
                               struct total *out)
{
    double a0 = 0, a1 = 0, s0 = 0, s1 = 0;
    _Pragma("omp simd reduction(+ : a0, a1, s0, s1)") for (int64_t i = 0; i < n; i++) {
        int up = b->y[i] > 0.0;
        double w = b->p[i] > t ? (weighted ? b->w[i] : 1.0) : 0.0;
        a0 += up ? 0.0 : w;
        a1 += up ? w : 0.0;
        if (weighted) {
            s0 += up ? 0.0 : w * w;
            s1 += up ? w * w : 0.0;
        }
    }
    const double found[4] = {a0, weighted ? s0 : a0, a1, weighted ? s1 : a1};
    for (int j = 0; j < 4; j++) add_to(&out[j], found[j]);
}

static inline void fill_bins(const struct binary_block *b, int64_t n, int weighted,
                             struct binary_state *s)
{
    for (int64_t i = 0; i < n; i++) {
        double *cell = s->hist + (i & 3) * s->hist_size + 4 * (2 * b->bin[i] + b->code[i]);
        double p = b->p[i], w = weighted ? b->w[i] : 1.0;
        p = p > 1.0 ? 1.0 : p;
        cell[0] += w;
        if (weighted) {
            cell[1] += w * p;
            cell[2] += w * w;
        } else {
            cell[1] += p;
        }
    }
}

static void flush_bins(struct binary_state *s, struct total *out, int weighted)
{
    int64_t cells = s->hist_size / 4;
    for (int64_t j = 0; j < cells; j++)
        for (int copy = 0; copy < 4; copy++) {
            double *cell = s->hist + copy * s->hist_size + 4 * j;
            add_to(&out[3 * j], cell[0]);
            add_to(&out[3 * j + 1], weighted ? cell[2] : cell[0]);
            add_to(&out[3 * j + 2], cell[1]);
            cell[0] = cell[1] = cell[2] = 0.0;
        }
}

static void find_limits(const double *x, int64_t n, double *limits)
{
    double least = limits[0], largest = limits[1], unknown = 0.0;
    _Pragma("omp simd reduction(min : least) reduction(max : largest) reduction(+ : unknown)")
    for (int64_t i = 0; i < n; i++) {
        double v = x[i];
        least = v < least ? v : least;
        largest = v > largest ? v : largest;
        unknown += v != v ? 1.0 : 0.0;
    }
    limits[0] = least, limits[1] = largest, limits[2] += unknown;
}

static inline int binary_chunk(const struct binary_job *job, int64_t start, int64_t stop,
                               int weighted, struct binary_block *b, struct binary_state *s,
                               double *limits)
{
    struct total *above = s->totals + 2 * CLASS_FIELDS, *bins = above + 4 * job->n_thresholds;
    int blocks = 0;
    for (int64_t at = start; at < stop; at += BLOCK) {
        int64_t n = stop - at < BLOCK ? stop - at : BLOCK;
        load_numbers(b->x, &job->values, at, n);
        if (weighted) load_numbers(b->w, &job->weights, at, n);
        if (!load_codes(b->code, &job->y, at, n, 2)) return BAD_LABEL;
        SIMD for (int64_t i = 0; i < n; i++) b->y[i] = b->code[i];
        find_limits(b->x, n, limits);
        (job->kind == PROBABILITIES ? losses_of_probabilities : losses_of_log_odds)(b, n);
        sum_losses(b, n, weighted, s->totals);
        for (int64_t t = 0; t < job->n_thresholds; t++)
            count_above(b, n, weighted, job->thresholds[t], above + 4 * t);
        find_bins(b->bin, b->p, n, job->bins, job->edges);
        fill_bins(b, n, weighted, s);
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
