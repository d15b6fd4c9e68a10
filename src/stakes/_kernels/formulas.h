/* Formulas of counts: their steps, one by one, over blocks that stay in the cache.
 *
 * The counts are how many samples of two classes have a score below each threshold: whole numbers
 * below 2^52, so that sums of them are exact. A register is a block of numbers. Registers 0 and 1 hold
 * the counts, those from -1 down a constant each, the others what each step makes of two registers;
 * the last one is the result. A step does what numpy does, hence results have the bits of numpy.
 */
#define COLUMN_BLOCK 128
#define MOST_COLUMNS 96

enum { COLUMN_ADD, COLUMN_SUBTRACT, COLUMN_MULTIPLY, COLUMN_DIVIDE, COLUMN_ROOT };

/* Samples below each threshold, from those at each score; `sums` are kept from block to block. The
 * two classes go together, as each sum waits for the one before. */
static void counts_below(double *restrict out, const int64_t *first, const int64_t *second,
                         int64_t n, int64_t sums[2])
{
    int64_t one = sums[0], two = sums[1];
    for (int64_t i = 0; i < n; i++) {
        out[i] = (double)one;
        out[COLUMN_BLOCK + i] = (double)two;
        one += first[i];
        two += second[i];
    }
    for (int64_t i = n; i < COLUMN_BLOCK; i++) { /* the last threshold has no score above */
        out[i] = (double)one;
        out[COLUMN_BLOCK + i] = (double)two;
    }
    sums[0] = one;
    sums[1] = two;
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
    _Alignas(64) double memory[MOST_COLUMNS * COLUMN_BLOCK];
    double *r = memory + n_constants * COLUMN_BLOCK;
    int64_t sums[2] = {0, 0};
    if (n_constants + 2 + n_steps > MOST_COLUMNS) return 2;
    for (int64_t k = 1; k <= n_constants; k++)
        for (int64_t i = 0; i < COLUMN_BLOCK; i++) r[i - k * COLUMN_BLOCK] = constants[k - 1];
    for (int64_t start = 0; start <= n; start += COLUMN_BLOCK) {
        int64_t points = n + 1 - start < COLUMN_BLOCK ? n + 1 - start : COLUMN_BLOCK;
        int64_t m = n - start < COLUMN_BLOCK ? n - start : COLUMN_BLOCK;
        counts_below(r, first + start, second + start, m, sums);
        const int64_t *step = steps;
        double *made = r + 2 * COLUMN_BLOCK, *result = made + (n_steps - 1) * COLUMN_BLOCK;
        for (int64_t k = 0; k < n_steps; k++, step += 3, made += COLUMN_BLOCK)
            column_step(step[0], r + step[1] * COLUMN_BLOCK, r + step[2] * COLUMN_BLOCK,
                        made == result && points == COLUMN_BLOCK ? out + start : made);
        if (points < COLUMN_BLOCK) memcpy(out + start, result, (size_t)points * sizeof *out);
    }
    return 0;
}
