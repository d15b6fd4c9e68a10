/* Pool-adjacent-violators, from how many samples of two classes have each score: blocks of levels are
 * joined until the share of the second class rises strictly from block to block. `starts` gets where
 * each block begins; `x` and `y`, its samples of either class, are scratch of as many entries.
 *
 * Whole numbers are compared exactly: the products of two sums below 2^62 fit 128 bits.
 */
#define POOL(T, wide)                                                                              \
    int64_t top = 0;                                                                               \
    for (int64_t i = 0; i < n; i++) {                                                              \
        T a = first[i], b = second[i];                                                             \
        int64_t start = i;                                                                         \
        while (top > 0 && (wide)y[top - 1] * a >= (wide)b * x[top - 1]) {                          \
            top--;                                                                                 \
            a += x[top], b += y[top], start = starts[top];                                         \
        }                                                                                          \
        x[top] = a, y[top] = b, starts[top] = start;                                               \
        top++;                                                                                     \
    }                                                                                              \
    *size = top;                                                                                   \
    return 0

EXPORT int NAME(pav_whole)(const int64_t *first, const int64_t *second, int64_t n, int64_t *starts,
                           int64_t *x, int64_t *y, int64_t *size)
{
    POOL(int64_t, __int128);
}

EXPORT int NAME(pav_real)(const double *first, const double *second, int64_t n, int64_t *starts,
                          double *x, double *y, int64_t *size)
{
    POOL(double, double);
}
