/* A score and its class in one number that can be sorted, and what follows from the order.
 *
 * A key is a double whose order is that of the scores: the sign, the bits of the size less `shift`,
 * moved up by one place, and the class in the lowest bit. So values alone are sorted, and nothing is
 * merged. Sizes must lie within some range of exponents; 0 and infinity have keys of their own. All
 * keys are normal numbers, which no mode of the processor takes for 0.
 */
#define KEY_BLOCK 512
#define PLACE_STEPS 6
#define PLACE_CELLS (1 << (7 + PLACE_STEPS)) /* for 64 octaves from 1/4 up, and either sign */
#define PLACE_LEAST ((uint64_t)(1023 - 2) << PLACE_STEPS)
#define KEY_LANES 8
#define KEY_SIGN (1ull << 63)
#define KEY_ZERO (1ull << 51)                /* the size that stands for 0 */
#define KEY_TOP ((0x3ff8ull << 48) - 1)      /* the size that stands for infinity */
#define SAME_SCORE(a, b) (((a) ^ (b)) <= 1u) /* but perhaps of two classes */

/* What was seen on the way; each lane sees every eighth sample. */
struct key_seen {
    double least[KEY_LANES], largest[KEY_LANES], size[KEY_LANES];
    uint64_t outside[KEY_LANES], unknown[KEY_LANES];
    uint64_t second, other; /* samples of the second class, and blocks with labels of no class */
};

/* Least, largest, largest finite size, and how many are NaN or have no key. */
static void key_limits(struct key_seen *seen, const double *x, int64_t n, double low, double high)
{
    for (int64_t i = 0; i < n; i += KEY_LANES) {
        SIMD for (int64_t j = 0; j < KEY_LANES; j++) {
            double v = x[i + j], a = fabs(v);
            int fine = ((a >= low) & (a <= high)) | (a == 0.0) | (a == INFINITY);
            seen->least[j] = v < seen->least[j] ? v : seen->least[j];
            seen->largest[j] = v > seen->largest[j] ? v : seen->largest[j];
            seen->size[j] = (a > seen->size[j]) & (a < INFINITY) ? a : seen->size[j];
            seen->outside[j] += fine ? 0u : 1u;
            seen->unknown[j] += v != v ? 1u : 0u;
        }
    }
}

static void key_block(uint64_t *key, const double *x, const int32_t *code, int64_t n,
                      uint64_t shift, struct key_seen *seen)
{
    uint64_t second = 0;
    SIMD for (int64_t i = 0; i < n; i++) {
        uint64_t u = bits_of(x[i]), size = u & ~KEY_SIGN, c = (uint64_t)code[i];
        uint64_t moved = size - shift, sign = u & KEY_SIGN;
        moved = x[i] == 0.0 ? KEY_ZERO : moved;
        sign = x[i] == 0.0 ? 0u : sign;
        moved = fabs(x[i]) == INFINITY ? KEY_TOP : moved;
        key[i] = sign | ((moved << 1) + (c & 1u));
        second += c & 1u;
    }
    seen->second += second;
}

/* Write the keys of all samples. `limits`: least and largest score and the largest finite size;
 * `counts`: samples of the second class, scores that are NaN, scores without a key, other labels.
 */
EXPORT int NAME(keys)(const struct column *scores, const struct column *codes, int64_t n,
                      uint64_t shift, uint64_t *key, double *limits, uint64_t *counts)
{
    double x[KEY_BLOCK], low = of_bits(shift + KEY_ZERO + 1), high = of_bits(shift + KEY_TOP - 1);
    int32_t code[KEY_BLOCK];
    struct key_seen seen = {0};
    for (int64_t j = 0; j < KEY_LANES; j++) seen.least[j] = INFINITY, seen.largest[j] = -INFINITY;
    for (int64_t start = 0; start < n; start += KEY_BLOCK) {
        int64_t m = n - start < KEY_BLOCK ? n - start : KEY_BLOCK;
        load_numbers(x, scores, start, m);
        seen.other += !load_codes(code, codes, start, m, 2);
        key_block(key + start, x, code, m, shift, &seen);
        for (; m % KEY_LANES; m++) x[m] = x[0];
        key_limits(&seen, x, m, low, high);
    }
    limits[0] = INFINITY, limits[1] = -INFINITY, limits[2] = 0.0;
    counts[0] = seen.second, counts[1] = counts[2] = 0, counts[3] = seen.other;
    for (int64_t j = 0; j < KEY_LANES; j++) {
        if (seen.least[j] < limits[0]) limits[0] = seen.least[j];
        if (seen.largest[j] > limits[1]) limits[1] = seen.largest[j];
        if (seen.size[j] > limits[2]) limits[2] = seen.size[j];
        counts[1] += seen.unknown[j], counts[2] += seen.outside[j];
    }
    return 0;
}

static inline double key_score(uint64_t key, uint64_t shift)
{
    uint64_t size = (key & ~KEY_SIGN) >> 1, u = size + shift;
    u = size == KEY_ZERO ? 0u : u;
    u = size == KEY_TOP ? 0x7ff0ull << 48 : u;
    return of_bits(u | (key & KEY_SIGN));
}

/* Pairs of tied samples of two classes among neighbours first..last: those that the order has taken
 * for greater count but half of that, those that it has taken for less count one half more.
 */
static uint64_t key_ties(const uint64_t *key, int64_t n, int64_t first, int64_t last)
{
    uint64_t more = 0;
    for (int64_t i = first; i < last; i++) {
        if ((key[i] ^ key[i + 1]) != 1u) continue;
        int64_t low = i, high = i + 1;
        while (low > 0 && key[low - 1] == key[i]) low--;
        while (high + 1 < n && key[high + 1] == key[i + 1]) high++;
        uint64_t pairs = (uint64_t)(i + 1 - low) * (uint64_t)(high - i);
        more += key[i] & KEY_SIGN ? pairs : (uint64_t)0 - pairs;
    }
    return more;
}

/* Twice the pairs in which the second class scores more, plus those of equal score: from the sum of
 * the places of the second class.
 */
EXPORT int NAME(key_pairs)(const uint64_t *key, int64_t n, uint64_t *total)
{
    uint64_t sum = 0, second = 0, more = 0;
    for (int64_t start = 0; start < n; start += KEY_BLOCK) {
        int64_t m = n - start < KEY_BLOCK ? n - start : KEY_BLOCK;
        int64_t pairs = n - 1 - start < m ? n - 1 - start : m;
        const uint64_t *k = key + start;
        uint64_t part = 0, count = 0, tied = 0;
        SIMD for (int64_t i = 0; i < m; i++) {
            uint64_t c = k[i] & 1u;
            part += ((uint64_t)0 - c) & (uint64_t)i;
            count += c;
        }
        SIMD for (int64_t i = 0; i < pairs; i++) tied |= (k[i] ^ k[i + 1]) == 1u ? 1u : 0u;
        sum += part + count * (uint64_t)start;
        second += count;
        if (tied) more += key_ties(key, n, start, start + pairs);
    }
    *total = 2 * sum - second * (second - 1) + more;
    return 0;
}

/* Add samples of one score to a cell, that of the sign, the exponent and PLACE_STEPS bits of how far
 * their place is from the mean, no nearer than 1/4.
 */
static inline void add_place(double *number, double *total, double samples, double gap)
{
    uint64_t cell = (bits_of(fabs(gap) + 0.25) >> (52 - PLACE_STEPS)) - PLACE_LEAST;
    cell += gap < 0.0 ? PLACE_CELLS / 2 : 0;
    number[cell] += samples;
    total[cell] += samples * gap;
}

/* Add a and b samples of both classes and of one score, below which there are `first` and `second`. */
static inline void add_places(int64_t first, int64_t second, int64_t a, int64_t b,
                              const double *mean, double *number, double *total)
{
    double x = (double)second + 0.5 * (double)b, y = (double)first + 0.5 * (double)a;
    if (a) add_place(number, total, (double)a, x - mean[0]);
    if (b) add_place(number + PLACE_CELLS, total + PLACE_CELLS, (double)b, y - mean[1]);
}

/* How many of the other class are below a sample, ties counted one half: in cells by the distance
 * from the mean of each class, how many samples and the sum of their distances. Of the least score
 * the samples of the second class, of the greatest those of the first, and how many scores.
 */
EXPORT int NAME(key_places)(const uint64_t *key, int64_t n, const double *mean, double *number,
                            double *total, int64_t *ends)
{
    int64_t second = 0, scores = 0;
    for (int64_t i = 0, j; i < n; i = j, scores++) {
        int64_t high = 0;
        for (j = i; j < n && SAME_SCORE(key[i], key[j]); j++) high += key[j] & 1u;
        add_places(i - second, second, j - i - high, high, mean, number, total);
        second += high;
        if (i == 0) ends[0] = high;
        ends[1] = j - i - high;
    }
    ends[2] = scores;
    return 0;
}

/* The same from how many samples of either class have each score. */
EXPORT int NAME(level_places)(const int64_t *first, const int64_t *second, int64_t n,
                              const double *mean, double *number, double *total)
{
    for (int64_t i = 0, low = 0, high = 0; i < n; i++) {
        add_places(low, high, first[i], second[i], mean, number, total);
        low += first[i];
        high += second[i];
    }
    return 0;
}

/* Add a precision as often as samples have it, in whole numbers of 2^-26, 2^-52, 2^-78 and 2^-104:
 * of fewer than 2^51 samples no precision has further bits, and of fewer than 2^37 no sum is too large.
 */
static inline void add_precision(int64_t *limbs, double precision, int64_t samples)
{
    double rest = precision;
    for (int64_t j = 0; j < 4; j++) {
        rest *= 67108864.0; /* 2^26 */
        int64_t whole = (int64_t)rest;
        rest -= (double)whole;
        limbs[j] += samples * whole;
    }
}

/* The precision at the score of each sample of the second class, from the highest score down. */
EXPORT int NAME(key_precision)(const uint64_t *key, int64_t n, int64_t *limbs)
{
    int64_t hits = 0;
    for (int64_t i = n - 1, next; i >= 0; i = next) {
        int64_t second = 0;
        for (next = i; next >= 0 && SAME_SCORE(key[i], key[next]); next--) second += key[next] & 1u;
        hits += second;
        if (second) add_precision(limbs, (double)hits / (double)(n - 1 - next), second);
    }
    return 0;
}

/* Distinct scores in rising order, in the memory of the keys, and how often either class has each. */
EXPORT int NAME(key_levels)(uint64_t *key, int64_t n, uint64_t shift, int64_t *first,
                            int64_t *second, int64_t *size)
{
    uint64_t k[KEY_BLOCK], before = n > 0 ? key[0] ^ 2u : 0u; /* another score than the first */
    double score[KEY_BLOCK];
    int64_t at = -1;
    for (int64_t start = 0; start < n; start += KEY_BLOCK) {
        int64_t m = n - start < KEY_BLOCK ? n - start : KEY_BLOCK;
        memcpy(k, key + start, (size_t)m * 8);
        uint64_t tied = SAME_SCORE(before, k[0]) ? 1u : 0u;
        SIMD for (int64_t i = 1; i < m; i++) tied |= SAME_SCORE(k[i - 1], k[i]) ? 1u : 0u;
        SIMD for (int64_t i = 0; i < m; i++) score[i] = key_score(k[i], shift);
        if (!tied) {
            int64_t *one = first + at + 1, *two = second + at + 1;
            memcpy(key + at + 1, score, (size_t)m * 8);
            SIMD for (int64_t i = 0; i < m; i++) two[i] = (int64_t)(k[i] & 1u);
            SIMD for (int64_t i = 0; i < m; i++) one[i] = 1 - (int64_t)(k[i] & 1u);
            at += m;
        } else {
            for (int64_t i = 0; i < m; i++) {
                if (!SAME_SCORE(before, k[i])) {
                    at++;
                    first[at] = second[at] = 0;
                    memcpy(key + at, score + i, 8);
                }
                first[at] += 1 - (int64_t)(k[i] & 1u), second[at] += (int64_t)(k[i] & 1u);
                before = k[i];
            }
        }
        before = k[m - 1];
    }
    *size = at + 1;
    return 0;
}

/* Bit j of a word: the class of a sample, and whether it is the last one of its score. */
static void key_words(const uint64_t *key, int64_t n, int64_t start, uint64_t *class, uint64_t *end)
{
    int64_t m = n - start < 64 ? n - start : 64;
    uint64_t c = 0, e = 0;
    for (int64_t j = 0; j < m; j++) {
        uint64_t k = key[start + j], next = start + j + 1 < n ? key[start + j + 1] : k ^ 2u;
        c |= (k & 1u) << j;
        e |= (uint64_t)(SAME_SCORE(k, next) ? 0u : 1u) << j;
    }
    *class = c, *end = e;
}

/* Places where a block may end: where a score ends, but not between two single samples unless the
 * first is of the first class and the other of the second, since they would be pooled.
 */
static uint64_t key_turns(const uint64_t *class, const uint64_t *end, int64_t w)
{
    uint64_t e = end[w], c = class[w], next = c >> 1 | class[w + 1] << 63;
    uint64_t single = (e << 1 | end[w - 1] >> 63) & e & (e >> 1 | end[w + 1] << 63);
    return e & (~single | (~c & next));
}

/* Blocks of pool-adjacent-violators: `stop` is where each ends and `below` how many of the second
 * class lie before that, with one entry more at the beginning; the share rises strictly.
 */
static int64_t key_pool(const uint64_t *class, const uint64_t *end, int64_t words, int64_t n,
                        int64_t *stop, int64_t *below)
{
    int64_t top = 0, seen = 0;
    stop[0] = below[0] = 0;
    for (int64_t w = 0; w < words; w++) {
        uint64_t turns = key_turns(class, end, w);
        if (w == words - 1) turns |= 1ull << ((n - 1) & 63);
        for (; turns; turns &= turns - 1) {
            int64_t j = __builtin_ctzll(turns), i = 64 * w + j + 1;
            int64_t b = seen + __builtin_popcountll(class[w] & (~0ull >> (63 - j)));
            while (top > 0 && (__int128)(below[top] - below[top - 1]) * (i - stop[top]) >=
                                  (__int128)(b - below[top]) * (stop[top] - stop[top - 1]))
                top--;
            top++;
            stop[top] = i, below[top] = b;
        }
        seen += __builtin_popcountll(class[w]);
    }
    return top;
}

/* As key_pool, from the keys; also the least and largest score of each block. */
EXPORT int NAME(key_blocks)(const uint64_t *key, int64_t n, uint64_t shift, int64_t *stop,
                            int64_t *below, double *low, double *high, int64_t *size)
{
    int64_t words = (n + 63) / 64;
    uint64_t *words_of = calloc((size_t)(2 * (words + 2)), 8);
    if (!words_of) return NO_MEMORY;
    uint64_t *class = words_of + 1, *end = words_of + words + 3; /* a word before and after each */
    end[-1] = KEY_SIGN;
    for (int64_t w = 0; w < words; w++) key_words(key, n, 64 * w, class + w, end + w);
    *size = key_pool(class, end, words, n, stop, below);
    for (int64_t t = 0; t < *size; t++) {
        low[t] = key_score(key[stop[t]], shift);
        high[t] = key_score(key[stop[t + 1] - 1], shift);
    }
    free(words_of);
    return 0;
}
