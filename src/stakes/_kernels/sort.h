/* Sorting of doubles without NaN, in place.
 *
 * numpy sorts faster, but not on AMD's processors with vectors of 512 bits: they run the compress
 * instructions that it sorts with so slowly that it takes six times as long there as without them
 * (see stakes_sorts in kernels.c).
 *
 * Doubles become whole numbers in their order. A long part is dealt in place to 256 parts by the
 * highest bits in which its numbers differ, a part that fits the cache is sorted digit by digit from
 * the lowest, by way of a buffer, and a very short one by insertion.
 */
#define SORT_DIGIT 11 /* bits, at most */
#define SORT_DIGIT_VALUES (1 << SORT_DIGIT)
#define SORT_MOST_DIGITS 6
#define SORT_DEAL 8 /* bits */
#define SORT_VALUES (1 << SORT_DEAL)
#define SORT_BUFFER ((int64_t)1 << 16)
#define SORT_SHORT 48

static inline uint64_t rising(uint64_t u)
{
    return u ^ ((uint64_t)((int64_t)u >> 63) | (uint64_t)1 << 63);
}

static inline uint64_t from_rising(uint64_t u)
{
    return u ^ ((u >> 63) ? (uint64_t)1 << 63 : ~(uint64_t)0);
}

static void sort_short(uint64_t *key, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        uint64_t x = key[i];
        int64_t j = i;
        for (; j > 0 && key[j - 1] > x; j--) key[j] = key[j - 1];
        key[j] = x;
    }
}

/* Sort by digits from the lowest; bits that all numbers share are passed over. */
static void sort_by_digits(uint64_t *key, int64_t n, uint64_t differ, uint64_t *buffer)
{
    uint32_t count[SORT_MOST_DIGITS][SORT_DIGIT_VALUES];
    int low = __builtin_ctzll(differ), bits = 64 - __builtin_clzll(differ) - low;
    int digits = (bits + SORT_DIGIT - 1) / SORT_DIGIT, width = (bits + digits - 1) / digits;
    uint64_t mask = ((uint64_t)1 << width) - 1;
    for (int d = 0; d < digits; d++) memset(count[d], 0, (mask + 1) * sizeof **count);
    for (int64_t i = 0; i < n; i++) {
        uint64_t x = key[i] >> low;
        for (int d = 0; d < digits; d++, x >>= width) count[d][x & mask]++;
    }
    uint64_t *from = key, *to = buffer;
    for (int d = 0; d < digits; d++) {
        int shift = low + width * d;
        uint32_t at = 0;
        for (uint64_t v = 0; v <= mask; v++) {
            uint32_t here = count[d][v];
            count[d][v] = at;
            at += here;
        }
        for (int64_t i = 0; i < n; i++) to[count[d][(from[i] >> shift) & mask]++] = from[i];
        uint64_t *other = from;
        from = to, to = other;
    }
    if (from != key) memcpy(key, from, (size_t)n * sizeof *key);
}

static void sort_part(uint64_t *key, int64_t n, uint64_t *buffer)
{
    if (n <= SORT_SHORT) {
        sort_short(key, n);
        return;
    }
    uint64_t differ = 0;
    for (int64_t i = 1; i < n; i++) differ |= key[i] ^ key[0];
    if (!differ) return;
    if (n <= SORT_BUFFER) {
        sort_by_digits(key, n, differ, buffer);
        return;
    }
    int high = 63 - __builtin_clzll(differ), shift = high >= SORT_DEAL ? high - SORT_DEAL + 1 : 0;
    int64_t end[SORT_VALUES] = {0}, next[SORT_VALUES], at = 0;
    for (int64_t i = 0; i < n; i++) end[(key[i] >> shift) & (SORT_VALUES - 1)]++;
    for (int v = 0; v < SORT_VALUES; v++) {
        next[v] = at;
        at += end[v];
        end[v] = at;
    }
    for (int v = 0; v < SORT_VALUES; v++) /* each number goes to its part, what was there goes on */
        while (next[v] < end[v]) {
            uint64_t x = key[next[v]];
            int w = (int)((x >> shift) & (SORT_VALUES - 1));
            while (w != v) {
                uint64_t y = key[next[w]];
                key[next[w]++] = x;
                x = y;
                w = (int)((x >> shift) & (SORT_VALUES - 1));
            }
            key[next[v]++] = x;
        }
    for (int v = 0; v < SORT_VALUES; v++) {
        int64_t start = v ? end[v - 1] : 0;
        sort_part(key + start, end[v] - start, buffer);
    }
}

/* Sort doubles, none of which is NaN; -0 comes before 0. */
EXPORT int NAME(sort_doubles)(double *values, int64_t n)
{
    uint64_t *key = (uint64_t *)values;
    int64_t size = n < SORT_BUFFER ? n : SORT_BUFFER;
    uint64_t *buffer = malloc((size_t)(size > 0 ? size : 1) * sizeof *buffer);
    if (!buffer) return NO_MEMORY;
    for (int64_t i = 0; i < n; i++) key[i] = rising(key[i]);
    sort_part(key, n, buffer);
    for (int64_t i = 0; i < n; i++) key[i] = from_rising(key[i]);
    free(buffer);
    return 0;
}
