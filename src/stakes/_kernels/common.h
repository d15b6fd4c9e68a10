/* Arrays as they come from Python, and arithmetic that turns into vector instructions.
 *
 * Every kernel is compiled once for each instruction level (LEVEL); see build.py. Products and sums
 * are contracted only where FMA says so: elsewhere bits are those of the numpy definitions.
 */
#ifndef STAKES_COMMON_H
#define STAKES_COMMON_H

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#ifndef LEVEL
#define LEVEL base
#endif
#define JOIN_(f, level) stakes_##f##_##level
#define JOIN(f, level) JOIN_(f, level)
#define NAME(f) JOIN(f, LEVEL)
#define EXPORT __attribute__((visibility("default")))

#if defined(__FMA__) || defined(__aarch64__)
#define FMA(a, b, c) __builtin_fma((a), (b), (c))
#else
#define FMA(a, b, c) ((a) * (b) + (c))
#endif

#define SIMD _Pragma("omp simd")
#define INLINE static inline __attribute__((always_inline)) /* so that switches are constants */
#define NOINLINE __attribute__((noinline)) /* a loop with all registers to itself */

enum { BAD_LABEL = 1, NO_MEMORY = 2, OTHER_PATH = 3 /* to the definition */, NOT_FINITE = 4 };

/* Four numbers at once, where a loop must keep its sums in registers: compilers left to themselves
 * put them in memory. A mask is a whole number of all ones or of all zeros.
 */
typedef double four __attribute__((vector_size(32)));
typedef uint64_t four_bits __attribute__((vector_size(32)));

/* LOAD and STORE: any address. SPLAT: one value in all places. MASK4: 0 where the mask is not set.
 * SUM4: the sum of the four. SELECT4(m, a, b): a where the mask is set, else b. MIN4, MAX4: b where
 * either is NaN. FMA4: a * b + c, rounded once where the processor can.
 */
#define LOAD(v, x) memcpy(&(v), (x), sizeof(v))
#define STORE(x, v) memcpy((x), &(v), sizeof(v))
#define SPLAT(v) {(v), (v), (v), (v)}
#define MASK4(m, a) ((four)((four_bits)(a) & (m)))
#define SUM4(v) (((v)[0] + (v)[2]) + ((v)[1] + (v)[3]))
#ifdef __AVX2__
#include <immintrin.h>
#define SELECT4(m, a, b) ((four)_mm256_blendv_pd((b), (a), (__m256d)(m)))
#define MIN4(a, b) ((four)_mm256_min_pd((a), (b)))
#define MAX4(a, b) ((four)_mm256_max_pd((a), (b)))
#else
#define SELECT4(m, a, b) ((four)(((four_bits)(a) & (m)) | ((four_bits)(b) & ~(m))))
#define MIN4(a, b) SELECT4((four_bits)((a) < (b)), (a), (b))
#define MAX4(a, b) SELECT4((four_bits)((a) > (b)), (a), (b))
#endif
#if defined(__FMA__)
#define FMA4(a, b, c) ((four)_mm256_fmadd_pd((a), (b), (c)))
#else
#define FMA4(a, b, c) ((a) * (b) + (c))
#endif

#define PREFETCH(x) __builtin_prefetch(x) /* ask for memory that is read soon; it need not exist */

/* One number per sample. Strides are in bytes and may be negative; no data: absent. */
struct column {
    const char *data;
    int64_t stride;
    int64_t type; /* numbers: 0 double, 1 float; labels: 0 uint8, 1 int32, 2 int64 */
};

struct table {
    const char *data;
    int64_t row_stride;
    int64_t column_stride;
    int64_t type;
};

/* A long sum: what rounding takes from `high` is kept in `low`. */
struct total {
    double high;
    double low;
};

static inline void add_to(struct total *t, double x)
{
    double sum = t->high + x;
    double part = sum - t->high;
    double lost = (t->high - (sum - part)) + (x - part);
    t->high = sum;
    t->low += lost;
}

/* Once a sum is infinite or NaN, what was lost to rounding means nothing. */
static inline double value_of(const struct total *t)
{
    return isfinite(t->high) ? t->high + t->low : t->high;
}

/* Read numbers x of a type, at `at` and every `step` bytes, into `out`; those side by side as vectors. */
#define READ(T, value)                                                                             \
    for (int64_t i = 0; step != sizeof(T) && i < n; i++) {                                         \
        T x = *(const T *)(const void *)(at + i * step);                                           \
        out[i] = value;                                                                            \
    }                                                                                              \
    SIMD for (int64_t i = 0; i < (step == sizeof(T) ? n : 0); i++) {                               \
        T x = ((const T *)(const void *)at)[i];                                                    \
        out[i] = value;                                                                            \
    }

static inline void load_numbers(double *out, const struct column *c, int64_t start, int64_t n)
{
    const char *at = c->data + start * c->stride;
    int64_t step = c->stride;
    if (c->type == 0) {
        READ(double, x)
    } else {
        READ(float, x)
    }
}

/* Read class codes; return whether all lie in 0..k-1. */
static inline int load_codes(int32_t *out, const struct column *c, int64_t start, int64_t n,
                             int64_t k)
{
    const char *at = c->data + start * c->stride;
    int64_t step = c->stride;
    uint32_t last = (uint32_t)(k - 1), bad = 0;
    if (c->type == 0) {
        READ(uint8_t, x)
    } else if (c->type == 1) {
        READ(int32_t, x)
    } else {
        READ(int64_t, (uint64_t)x > last ? -1 : (int32_t)x)
    }
    for (int64_t i = 0; i < n; i++) bad |= (uint32_t)((uint32_t)out[i] > last);
    return bad == 0;
}

static inline uint64_t bits_of(double x)
{
    uint64_t u;
    memcpy(&u, &x, 8);
    return u;
}

static inline double of_bits(uint64_t u)
{
    double x;
    memcpy(&x, &u, 8);
    return x;
}

#define TO_WHOLE 0x1.8p52 /* added to a small number, rounds it to a whole one in the low bits */
#define ONE 0x3ff0000000000000u
#define ROOT_HALF 0x3fe6a09e667f3bcdu /* the bits of sqrt(1/2) */
#define LOG2E 0x1.71547652b82fep+0
#ifndef M_LN2
#define M_LN2 0x1.62e42fefa39efp-1
#endif
#define LN2_HIGH 0x1.62e42fefa38p-1 /* times a small whole number: exact */
#define LN2_LOW 0x1.ef35793c76730p-45

/* exp(x) for x of at most 0, about one unit in the last place, also where it is subnormal.
 *
 * x = n ln 2 + r with |r| <= ln(2) / 2; the Taylor series of exp(r) to r^13; times 2^n in two steps.
 */
static inline double exp_down(double x)
{
    double t = FMA(x, LOG2E, TO_WHOLE), n = t - TO_WHOLE;
    double r = FMA(n, -LN2_LOW, FMA(n, -LN2_HIGH, x)), r2 = r * r, r4 = r2 * r2;
    double a = FMA(r, 1.0 / 6, 0.5), b = FMA(r, 1.0 / 120, 1.0 / 24);
    double c = FMA(r, 1.0 / 5040, 1.0 / 720), d = FMA(r, 1.0 / 362880, 1.0 / 40320);
    double e = FMA(r, 1.0 / 39916800, 1.0 / 3628800);
    double f = FMA(r, 1.0 / 6227020800, 1.0 / 479001600);
    double low = FMA(r2, b, a), middle = FMA(r2, d, c), high = FMA(r2, f, e);
    double p = FMA(r2, FMA(r4, FMA(r4, high, middle), low), r);
    double half = FMA(n, 0.5, TO_WHOLE), rest = (n - (half - TO_WHOLE)) + TO_WHOLE;
    double first = of_bits((bits_of(half) << 52) + ONE);
    double second = of_bits((bits_of(rest) << 52) + ONE);
    double y = FMA(p, first, first) * second;
    return x < -746.0 ? 0.0 : y;
}

#define NEAR 708.0

/* exp(x) for x from -NEAR to 0: as exp_down, with a polynomial of the least largest error (about
 * 1e-17) instead of a series, and one step to the power of 2, as nothing is subnormal.
 */
static inline double exp_near(double x)
{
    double t = FMA(x, LOG2E, TO_WHOLE), n = t - TO_WHOLE;
    double r = FMA(n, -LN2_LOW, FMA(n, -LN2_HIGH, x)), r2 = r * r, r4 = r2 * r2;
    double a = FMA(r, 0x1.5555555555556p-3, 0x1.0000000000001p-1);
    double b = FMA(r, 0x1.11111111109a6p-7, 0x1.5555555553d37p-5);
    double c = FMA(r, 0x1.a01a01a7cebcdp-13, 0x1.6c16c1789d1d7p-10);
    double d = FMA(r, 0x1.71de0d85293b8p-19, 0x1.a019b8ca26fcfp-16);
    double e = FMA(r, 0x1.af390ba7e6f47p-26, 0x1.2891d4ffbb0f9p-22);
    double p = FMA(r2, FMA(r4, FMA(r4, e, FMA(r2, d, c)), FMA(r2, b, a)), r);
    double power = of_bits((bits_of(t) << 52) + ONE);
    return FMA(p, power, power);
}

/* exp(x) for any x. */
static inline double vexp(double x)
{
    return x > 710.0 ? INFINITY : exp_down(x);
}

/* log(1 + f) for f in [sqrt(1/2) - 1, sqrt(2) - 1], and k ln 2 more: 2 atanh(s), s = f / (2 + f). */
static inline double log_sum(double f, double s, double k)
{
    double z = s * s, z2 = z * z, z4 = z2 * z2;
    double a = FMA(z, 2.0 / 5, 2.0 / 3), b = FMA(z, 2.0 / 9, 2.0 / 7);
    double c = FMA(z, 2.0 / 13, 2.0 / 11), d = FMA(z, 2.0 / 17, 2.0 / 15);
    double e = FMA(z, 2.0 / 21, 2.0 / 19);
    double series = FMA(z4, FMA(z4, e, FMA(z2, d, c)), FMA(z2, b, a));
    double square = 0.5 * f * f;
    double tail = FMA(s, FMA(z, series, square), k * LN2_LOW);
    return FMA(k, LN2_HIGH, f - (square - tail));
}

/* log(x) of a normal, finite x = 2^k (1 + f) above 0, about one unit in the last place. `less` is
 * x - 1, for x that was itself rounded: where x is near 1 the digits of its log are those of `less`.
 */
static inline double log_normal(double x, double less)
{
    uint64_t e = bits_of(x) - ROOT_HALF + (1024ull << 52); /* exponent and a bias, above 0 */
    double k = of_bits((e >> 52) | 0x4330000000000000u) - (0x1p52 + 1024.0);
    double f = k == 0.0 ? less : of_bits((e & 0x000fffffffffffffu) + ROOT_HALF) - 1.0;
    return log_sum(f, f / (2.0 + f), k);
}

/* log(x) for any x. */
static inline double any_log(double x, double less)
{
    if (x >= 0x1p-1022 && x < INFINITY) return log_normal(x, less);
    if (x > 0.0 && x < INFINITY) return log_normal(x * 0x1p54, x * 0x1p54 - 1.0) - 54.0 * M_LN2;
    return x == 0.0 ? -INFINITY : x > 0.0 ? x : NAN;
}

/* For x in [0, 1]: `both` is 1 / ((1 + x) (2 + f)), from which come 1 / (1 + x) and log(1 + x) with
 * one division for the two. (A result by pointer would keep the loop from becoming vectors.)
 */
static inline double unit_f(double x)
{
    return x > 0.41421356 ? 0.5 * (1.0 + x) - 1.0 : x;
}

static inline double unit_both(double x)
{
    return 1.0 / ((1.0 + x) * (2.0 + unit_f(x)));
}

static inline double unit_inverse(double x, double both)
{
    return both * (2.0 + unit_f(x));
}

static inline double unit_log1p(double x, double both)
{
    double f = unit_f(x);
    return log_sum(f, f * (both * (1.0 + x)), x > 0.41421356 ? 1.0 : 0.0);
}

/* log(1 + x) for any finite x of at least 0, or NaN. */
static inline double vlog1p(double x)
{
    return log_normal(1.0 + x, x) + (x - x);
}

/* Take some values into least, largest and how many are NaN; return whether all are finite. */
static inline int find_limits(const double *x, int64_t n, double *limits)
{
    double least = INFINITY, largest = -INFINITY, unknown = 0.0;
    _Pragma("omp simd reduction(min : least) reduction(max : largest) reduction(+ : unknown)")
    for (int64_t i = 0; i < n; i++) {
        double v = x[i];
        least = v < least ? v : least;
        largest = v > largest ? v : largest;
        unknown += v != v ? 1.0 : 0.0;
    }
    limits[0] = least < limits[0] ? least : limits[0];
    limits[1] = largest > limits[1] ? largest : limits[1];
    limits[2] += unknown;
    return (least > -INFINITY) & (largest < INFINITY) & (unknown == 0.0);
}

/* Bin [m/M, (m+1)/M) of each probability, the last one closed; NaN goes to the last.
 *
 * p * M is right but for rounding at an edge; only blocks with a value that near look again.
 */
static inline void find_bins(int32_t *bin, const double *p, int64_t n, int64_t bins,
                             const double *edges)
{
    double m = (double)bins, last = m - 1.0, middle = 0.5 * m, inner = middle - 1.0, near = 1.0;
    _Pragma("omp simd reduction(min : near)") for (int64_t i = 0; i < n; i++) {
        double t = p[i] * m;
        t = t > 0.0 ? t : 0.0;
        t = p[i] < 1.0 ? t : m; /* NaN too */
        double whole = (t + TO_WHOLE) - TO_WHOLE;
        double gap = fabs(whole - middle) <= inner ? fabs(t - whole) : 1.0;
        near = gap < near ? gap : near;
        bin[i] = (int32_t)(t < last ? t : last);
    }
    if (near > 1e-9) return;
    for (int64_t i = 0; i < n; i++) {
        int32_t b = bin[i];
        if (b + 1 < bins && p[i] >= edges[b]) b++; /* edges[b]: where bin b + 1 begins */
        else if (b > 0 && p[i] < edges[b - 1]) b--;
        bin[i] = b;
    }
}

#endif
