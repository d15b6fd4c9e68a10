/* Pool-adjacent-violators, from how many samples of two classes have each score. */

/* Places 0..63 after which a block may end: where the share of the second class rises from one
 * level to the next, since others would be pooled. A level without samples has no share.
 */
#define RISES(wide)                                                                                \
    for (int64_t j = 0; j < n; j++) {                                                              \
        int rise = (wide)b[j] * a[j + 1] < (wide)b[j + 1] * a[j];                                  \
        found |= (uint64_t)(rise | !(a[j] | b[j]) | !(a[j + 1] | b[j + 1])) << j;                  \
    }

static uint64_t rises(const int64_t *a, const int64_t *b, int64_t n, int small)
{
    uint64_t found = 0;
    if (small) RISES(int64_t) else RISES(__int128)
    return found;
}

/* Pool levels until the share of the second class rises strictly from block to block. `starts`
 * holds where each block begins; `x` and `y` are scratch of as many entries. Whole numbers are
 * compared exactly: the products of two sums below 2^62 fit 128 bits.
 */
EXPORT int NAME(pav_whole)(const int64_t *first, const int64_t *second, int64_t n, int64_t *starts,
                           int64_t *x, int64_t *y, int64_t *size)
{
    int64_t top = 0, start = 0, below[2] = {0, 0}, one[65], two[65];
    uint64_t bits = 0;
    for (int64_t i = 0; i < n; i++) bits |= (uint64_t)(first[i] | second[i]);
    one[0] = two[0] = 0;
    for (int64_t word = 0; word < n; word += 64) {
        int64_t m = n - word < 64 ? n - word : 64, inner = word + m < n ? m : m - 1;
        uint64_t turns = rises(first + word, second + word, inner, !(bits >> 31));
        if (inner < m) turns |= 1ull << inner; /* the last level ends a block */
        for (int64_t j = 0; j < m; j++) {
            one[j + 1] = one[j] + first[word + j];
            two[j + 1] = two[j] + second[word + j];
        }
        for (; turns; turns &= turns - 1) {
            int64_t stop = __builtin_ctzll(turns) + 1, from = start;
            int64_t a = one[stop] - below[0], b = two[stop] - below[1];
            below[0] = one[stop], below[1] = two[stop], start = word + stop;
            while (top > 0 && (__int128)y[top - 1] * a >= (__int128)b * x[top - 1]) {
                top--;
                a += x[top], b += y[top], from = starts[top];
            }
            x[top] = a, y[top] = b, starts[top] = from;
            top++;
        }
        one[0] = one[m], two[0] = two[m];
    }
    *size = top;
    return 0;
}

EXPORT int NAME(pav_real)(const double *first, const double *second, int64_t n, int64_t *starts,
                          double *x, double *y, int64_t *size)
{
    int64_t top = 0;
    for (int64_t i = 0; i < n; i++) {
        double a = first[i], b = second[i];
        int64_t start = i;
        while (top > 0 && y[top - 1] * a >= b * x[top - 1]) {
            top--;
            a += x[top], b += y[top], start = starts[top];
        }
        x[top] = a, y[top] = b, starts[top] = start;
        top++;
    }
    *size = top;
    return 0;
}
