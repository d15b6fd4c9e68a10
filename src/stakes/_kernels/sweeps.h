/* Metrics at every threshold, from how many samples of either class have each score.
 *
 * Counts are whole numbers below 2^52, so that sums of them are exact; each formula has the steps of
 * its numpy definition in their order.
 */
#define SWEEP_BLOCK 512

enum { SWEEP_COSTS, SWEEP_F, SWEEP_MATTHEWS, SWEEP_BENEFIT, SWEEP_PRECISION };

/* What rounding took away from a product. */
#if defined(__FMA__) || defined(__aarch64__)
#define LOST(a, b, product) __builtin_fma((a), (b), -(product))
#else
#define LOST(a, b, product) dekker((a), (b), (product))
#endif

static inline double dekker(double a, double b, double product)
{
    double x = 134217729.0 * a, y = 134217729.0 * b;
    double a1 = x - (x - a), a2 = a - a1, b1 = y - (y - b), b2 = b - b1;
    return ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2;
}

/* a*b - c*d to within two units in the last place. */
static inline double products_less(double a, double b, double c, double d)
{
    double one = a * b, two = c * d;
    return (one - two) + (LOST(a, b, one) - LOST(c, d, two));
}

static inline double from_count(int64_t count)
{
    return of_bits((uint64_t)count | 0x4330000000000000u) - 0x1p52;
}

/* Samples below each threshold, from those at each score; `sum` is kept from block to block. */
static void counts_below(double *out, const int64_t *at, int64_t n, int64_t points, int64_t *sum)
{
    int64_t below[SWEEP_BLOCK], total = *sum;
    for (int64_t i = 0; i < n; i++) {
        below[i] = total;
        total += at[i];
    }
    if (points > n) below[n] = total; /* the last threshold has no score above */
    SIMD for (int64_t i = 0; i < points; i++) out[i] = from_count(below[i]);
    *sum = total;
}

/* p: n1, n2, c12, c11, c21, c22, P1, P2, and what to divide by. */
static void sweep_costs(double *out, const double *f, const double *s, int64_t n, const double *p)
{
    double n1 = p[0], n2 = p[1], c12 = p[2], c11 = p[3], c21 = p[4], c22 = p[5];
    double p1 = p[6], p2 = p[7], by = p[8];
    if (c11 == 0.0 && c22 == 0.0) {
        SIMD for (int64_t i = 0; i < n; i++)
            out[i] = ((n1 - f[i]) / n1 * c12 * p1 + s[i] / n2 * c21 * p2) / by;
        return;
    }
    SIMD for (int64_t i = 0; i < n; i++) {
        double one = (n1 - f[i]) / n1 * c12 + c11 * (f[i] / n1);
        double two = s[i] / n2 * c21 + c22 * ((n2 - s[i]) / n2);
        out[i] = (one * p1 + two * p2) / by;
    }
}

/* p: n1, n2, square of beta or of its inverse, and whether it is the inverse. */
static void sweep_f(double *out, const double *f, const double *s, int64_t n, const double *p)
{
    double n1 = p[0], n2 = p[1], square = p[2];
    int turned = p[3] != 0.0;
    SIMD for (int64_t i = 0; i < n; i++) {
        double alarms = n1 - f[i], hits = n2 - s[i];
        double often = turned ? alarms : s[i], seldom = turned ? s[i] : alarms;
        out[i] = hits / (hits + (square * often + seldom) / (1.0 + square));
    }
}

static void sweep_matthews(double *out, const double *f, const double *s, int64_t n,
                           const double *p)
{
    double n1 = p[0], n2 = p[1], classes = sqrt(n1) * sqrt(n2);
    SIMD for (int64_t i = 0; i < n; i++) {
        double alarms = n1 - f[i], hits = n2 - s[i];
        double spread = classes * sqrt(f[i] + s[i]) * sqrt(alarms + hits);
        out[i] = products_less(f[i], hits, alarms, s[i]) / spread;
    }
}

/* p: n1, n2, the threshold probability. */
static void sweep_benefit(double *out, const double *f, const double *s, int64_t n, const double *p)
{
    double n1 = p[0], n2 = p[1], price = p[2], rest = 1.0 - price, lost = (1.0 - rest) - price;
    double below = (n1 + n2) * rest;
    SIMD for (int64_t i = 0; i < n; i++) {
        double alarms = n1 - f[i], hits = n2 - s[i];
        out[i] = (products_less(hits, rest, price, alarms) + hits * lost) / below;
    }
}

static void sweep_precision(double *out, const double *f, const double *s, int64_t n,
                            const double *p)
{
    double n1 = p[0], n2 = p[1];
    SIMD for (int64_t i = 0; i < n; i++) {
        double hits = n2 - s[i];
        out[i] = hits / ((n1 - f[i]) + hits);
    }
}

/* One value for each threshold: below all of the n scores, then each of them. */
EXPORT int NAME(sweep)(int64_t kind, const int64_t *first, const int64_t *second, int64_t n,
                       const double *p, double *out)
{
    double f[SWEEP_BLOCK], s[SWEEP_BLOCK];
    int64_t one = 0, two = 0;
    for (int64_t start = 0; start <= n; start += SWEEP_BLOCK) {
        int64_t points = n + 1 - start < SWEEP_BLOCK ? n + 1 - start : SWEEP_BLOCK;
        int64_t m = n - start < SWEEP_BLOCK ? n - start : SWEEP_BLOCK;
        counts_below(f, first + start, m, points, &one);
        counts_below(s, second + start, m, points, &two);
        double *at = out + start;
        if (kind == SWEEP_COSTS) sweep_costs(at, f, s, points, p);
        else if (kind == SWEEP_F) sweep_f(at, f, s, points, p);
        else if (kind == SWEEP_MATTHEWS) sweep_matthews(at, f, s, points, p);
        else if (kind == SWEEP_BENEFIT) sweep_benefit(at, f, s, points, p);
        else sweep_precision(at, f, s, points, p);
    }
    return 0;
}
