/* Formulas of counts: their steps, one by one, over blocks that stay in the cache.
 *
 * The counts are how many samples of two classes have a score below each threshold: whole numbers
 * below 2^52, so that sums of them are exact. A register is a block of numbers. The first two hold
 * the counts, the next ones a constant each, the others what each step makes of two registers; the
 * last one is the result. A step does what numpy does, hence results have the bits of numpy.
 */
#define COLUMN_BLOCK 128
#define MOST_COLUMNS 96

enum { COLUMN_ADD, COLUMN_SUBTRACT, COLUMN_MULTIPLY, COLUMN_DIVIDE, COLUMN_ROOT };

static inline double from_count(int64_t count)
{
    return of_bits((uint64_t)count | 0x4330000000000000u) - 0x1p52;
}

/* Samples below each threshold, from those at each score; `sum` is kept from block to block. */
static void counts_below(double *out, const int64_t *at, int64_t n, int64_t points, int64_t *sum)
{
    int64_t below[COLUMN_BLOCK], total = *sum;
    for (int64_t i = 0; i < n; i++) {
        below[i] = total;
        total += at[i];
    }
    if (points > n) below[n] = total; /* the last threshold has no score above */
    SIMD for (int64_t i = 0; i < points; i++) out[i] = from_count(below[i]);
    *sum = total;
}

#define EACH(expression) \
    SIMD for (int64_t i = 0; i < COLUMN_BLOCK; i++) out[i] = expression; \
    return

static void column_step(int64_t what, const double *a, const double *b, double *restrict out)
{
    switch (what) {
    case COLUMN_ADD: EACH(a[i] + b[i]);
    case COLUMN_SUBTRACT: EACH(a[i] - b[i]);
    case COLUMN_MULTIPLY: EACH(a[i] * b[i]);
    case COLUMN_DIVIDE: EACH(a[i] / b[i]);
    default: EACH(sqrt(a[i]));
    }
}

/* One value for each threshold: below all of the n scores, then each of them. A step is its kind
 * and its two registers. */
EXPORT int NAME(formula)(const int64_t *first, const int64_t *second, int64_t n,
                         const double *constants, int64_t n_constants, const int64_t *steps,
                         int64_t n_steps, double *out)
{
    double r[MOST_COLUMNS * COLUMN_BLOCK] = {0.0};
    int64_t known = 2 + n_constants, one = 0, two = 0;
    if (known + n_steps > MOST_COLUMNS) return 2;
    for (int64_t k = 2; k < known; k++)
        for (int64_t i = 0; i < COLUMN_BLOCK; i++) r[k * COLUMN_BLOCK + i] = constants[k - 2];
    for (int64_t start = 0; start <= n; start += COLUMN_BLOCK) {
        int64_t points = n + 1 - start < COLUMN_BLOCK ? n + 1 - start : COLUMN_BLOCK;
        int64_t m = n - start < COLUMN_BLOCK ? n - start : COLUMN_BLOCK;
        counts_below(r, first + start, m, points, &one);
        counts_below(r + COLUMN_BLOCK, second + start, m, points, &two);
        const int64_t *step = steps;
        double *made = r + known * COLUMN_BLOCK;
        for (int64_t k = 0; k < n_steps; k++, step += 3, made += COLUMN_BLOCK)
            column_step(step[0], r + step[1] * COLUMN_BLOCK, r + step[2] * COLUMN_BLOCK, made);
        memcpy(out + start, made - COLUMN_BLOCK, (size_t)points * sizeof *out);
    }
    return 0;
}
