/* Exact sums of doubles by class, so that order, batches and merging change no bit.
 *
 * A sum is a whole number of units of 2^-1074, the least double above 0, in limbs of 32 bits. Limbs
 * are int64 and carry nothing here: an addition changes each by less than 2^33, and the caller
 * carries after at most 2^29 additions. The limbs above those of the largest double hold the carries.
 */
#define LIMBS 68
#define LOW_HALF 0xffffffffu
#define EXACT_BLOCK 512
#define COPY_BITS 10 /* copies are multiplied in digits, so that a product has 63 bits */

/* Add m 2^s units, or subtract them where sign is -1 and not 0. */
static inline void add_units(int64_t *limbs, uint64_t m, uint64_t s, int64_t sign)
{
    int64_t *at = limbs + (s >> 5);
    uint64_t low = (m & LOW_HALF) << (s & 31), high = (m >> 32) << (s & 31);
    at[0] += ((int64_t)(low & LOW_HALF) ^ sign) - sign;
    at[1] += ((int64_t)((low >> 32) + (high & LOW_HALF)) ^ sign) - sign;
    at[2] += ((int64_t)(high >> 32) ^ sign) - sign;
}

/* Add x as often as `copies` says. */
INLINE void add_exact(int64_t *limbs, double x, int64_t copies)
{
    uint64_t u = bits_of(x), exponent = (u >> 52) & 2047u, normal = exponent != 0;
    uint64_t m = (u & 0x000fffffffffffffu) | normal << 52, s = exponent - normal;
    for (uint64_t c = (uint64_t)copies; c; c >>= COPY_BITS, s += COPY_BITS)
        add_units(limbs, m * (c & ((1u << COPY_BITS) - 1)), s, (int64_t)u >> 63);
}

/* Add values, each as often as `copies` says where there are any; nothing if any cannot be. */
EXPORT int NAME(exact_add)(const struct column *code, const struct column *values,
                           const int64_t *copies, int64_t n, int64_t classes, int64_t *limbs)
{
    int32_t y[EXACT_BLOCK];
    double x[EXACT_BLOCK], limits[3] = {0};
    for (int checked = 0; checked < 2; checked++)
        for (int64_t at = 0; at < n; at += EXACT_BLOCK) {
            int64_t m = n - at < EXACT_BLOCK ? n - at : EXACT_BLOCK;
            if (!load_codes(y, code, at, m, classes)) return BAD_LABEL;
            load_numbers(x, values, at, m);
            if (!checked && !find_limits(x, m, limits)) return NOT_FINITE;
            for (int64_t i = 0; checked && copies && i < m; i++)
                add_exact(limbs + LIMBS * y[i], x[i], copies[at + i]);
            for (int64_t i = 0; checked && !copies && i < m; i++)
                add_exact(limbs + LIMBS * y[i], x[i], 1);
        }
    return 0;
}
