/* Several samples in a vector, for few classes: finite scores, four samples at a time in registers. */

#ifdef __AVX2__
#define TRANSPOSE4(a, b, c, d)                                                                           \
    do {                                                                                           \
        four ab0 = (four)_mm256_unpacklo_pd(a, b), ab1 = (four)_mm256_unpackhi_pd(a, b);           \
        four cd0 = (four)_mm256_unpacklo_pd(c, d), cd1 = (four)_mm256_unpackhi_pd(c, d);           \
        a = (four)_mm256_permute2f128_pd(ab0, cd0, 0x20);                                          \
        b = (four)_mm256_permute2f128_pd(ab1, cd1, 0x20);                                          \
        c = (four)_mm256_permute2f128_pd(ab0, cd0, 0x31);                                          \
        d = (four)_mm256_permute2f128_pd(ab1, cd1, 0x31);                                          \
    } while (0)
#else
#define TRANSPOSE4(a, b, c, d)                                                                           \
    do {                                                                                           \
        four t0 = {a[0], b[0], c[0], d[0]}, t1 = {a[1], b[1], c[1], d[1]};                         \
        four t2 = {a[2], b[2], c[2], d[2]}, t3 = {a[3], b[3], c[3], d[3]};                         \
        a = t0, b = t1, c = t2, d = t3;                                                            \
    } while (0)
#endif

/* Read and turn a block of at least four classes; return whether all is finite. The last columns
 * may be read twice.
 */
INLINE int lanes_turn(const struct rows_job *job, struct rows_block *b, int64_t start, int64_t n,
                      int single, double *limits)
{
    int64_t k = job->k, step = job->values.row_stride;
    four least = SPLAT(INFINITY), most = SPLAT(-INFINITY), a, c, d, e;
    four_bits odd = {0};
    for (int64_t i = 0; i < n; i += 4) {
        const char *x = job->values.data + (start + i) * step;
        for (int64_t j = 0; j < k; j += 4) {
            j = j + 4 <= k ? j : k - 4;
            double *out = b->x + j * LANES + i;
            load_four(&a, x, j, single), load_four(&c, x + step, j, single);
            load_four(&d, x + 2 * step, j, single), load_four(&e, x + 3 * step, j, single);
            odd |= (four_bits)(a != a) | (four_bits)(c != c) | (four_bits)(d != d) |
                   (four_bits)(e != e);
            least = MIN4(MIN4(a, c), MIN4(MIN4(d, e), least));
            most = MAX4(MAX4(a, c), MAX4(MAX4(d, e), most));
            TRANSPOSE4(a, c, d, e);
            STORE(out, a), STORE(out + LANES, c), STORE(out + 2 * LANES, d);
            STORE(out + 3 * LANES, e);
        }
    }
    double low = INFINITY, high = -INFINITY;
    for (int c_ = 0; c_ < 4; c_++) {
        low = least[c_] < low ? least[c_] : low;
        high = most[c_] > high ? most[c_] : high;
    }
    if ((odd[0] | odd[1] | odd[2] | odd[3]) || !(low > -INFINITY) || !(high < INFINITY)) return 0;
    limits[0] = low < limits[0] ? low : limits[0];
    limits[1] = high > limits[1] ? high : limits[1];
    b->spread = high - low;
    return 1;
}

/* exp(x) for x from -700 to 0: exp_down where nothing is subnormal, its series cut to its range. */
#define EXP4(y, x)                                                                                 \
    do {                                                                                           \
        four t_ = FMA4((x), log2e, magic), n_ = t_ - magic;                                        \
        four r_ = FMA4(n_, ln2_low, FMA4(n_, ln2_high, (x))), r2_ = r_ * r_, r4_ = r2_ * r2_;      \
        four low_ = FMA4(r2_, FMA4(r_, e3, e2), FMA4(r_, e1, e0));                                 \
        four high_ = FMA4(r2_, FMA4(r_, e7, e6), FMA4(r_, e5, e4));                                \
        high_ = FMA4(r4_, FMA4(r_, e9, e8), high_);                                                \
        four p_ = FMA4(r2_, FMA4(r4_, high_, low_), r_);                                           \
        four scale_ = (four)(((four_bits)t_ << 52) + ONE);                                         \
        (y) = FMA4(p_, scale_, scale_);                                                            \
    } while (0)

/* Softmax of a block whose logits lie within 700 of each other; leaves `top` as well. */
static void quick_softmax(struct rows_block *b, int64_t k, int64_t n)
{
    const four log2e = SPLAT(LOG2E), magic = SPLAT(TO_WHOLE), one = SPLAT(1.0);
    const four ln2_high = SPLAT(-LN2_HIGH), ln2_low = SPLAT(-LN2_LOW), unit = SPLAT(1.0 / (double)k);
    const four e0 = SPLAT(0x1.0000000000001p-1), e1 = SPLAT(0x1.5555555555556p-3);
    const four e2 = SPLAT(0x1.5555555553d61p-5), e3 = SPLAT(0x1.11111111109b3p-7);
    const four e4 = SPLAT(0x1.6c16c1788c7f3p-10), e5 = SPLAT(0x1.a01a01a7c4839p-13);
    const four e6 = SPLAT(0x1.a019b90aa5587p-16), e7 = SPLAT(0x1.71de0dacd6939p-19);
    const four e8 = SPLAT(0x1.28918860dd4aap-22), e9 = SPLAT(0x1.af38ad617009fp-26);
    for (int64_t i = 0; i < n; i += 4) {
        four peak, at = {0}, top = {0}, sum = {0}, square = {0}, truth, y, v, e;
        double *x = b->x + i;
        LOAD(y, b->yd + i), LOAD(peak, x);
        for (int64_t j = 1; j < k; j++) {
            four code = SPLAT((double)j);
            LOAD(v, x + j * LANES);
            four_bits more = (four_bits)(v > peak);
            peak = MAX4(v, peak), at = SELECT4(more, code, at);
        }
        for (int c = 0; c < 4; c++) truth[c] = x[b->y[i + c] * LANES + c];
        four shifted = truth - peak;
        for (int64_t j = k - 1; j >= 0; j--) { /* backwards, so that of equal ones the first stays */
            four code = SPLAT((double)j);
            LOAD(v, x + j * LANES);
            v -= peak;
            EXP4(e, v);
            STORE(x + j * LANES, e);
            top = SELECT4((four_bits)(e == one), code, top);
            four other = MASK4(~((four_bits)(y == code) | (four_bits)(at == code)), e);
            sum += other, square = FMA4(other, other, square);
        }
        for (int c = 0; c < 4; c++) truth[c] = x[b->y[i + c] * LANES + c];
        four_bits wrong_top = (four_bits)(at != y);
        four miss = MASK4(wrong_top, one), rest = sum + MASK4(wrong_top, truth);
        four wrong = sum + miss, total = one + rest;
        four brier = (square + miss + wrong * wrong) / (total * total) * unit;
        STORE(b->total + i, total), STORE(b->sum + i, rest), STORE(b->loss + i, shifted);
        STORE(b->brier + i, brier), STORE(b->top + i, top), STORE(b->confidence + i, one);
    }
    SIMD for (int64_t i = 0; i < n; i++) b->loss[i] = vlog1p(b->sum[i]) - b->loss[i];
}

/* The same from posteriors. */
static void quick_posteriors(struct rows_block *b, int64_t k, int64_t n)
{
    const four one = SPLAT(1.0), unit = SPLAT(1.0 / (double)k);
    for (int64_t i = 0; i < n; i += 4) {
        four best, top = {0}, sum, square, truth, y, v;
        const double *x = b->x + i;
        LOAD(y, b->yd + i), LOAD(best, x);
        sum = MASK4((four_bits)(y != 0.0), best), square = sum * sum;
        for (int64_t j = 1; j < k; j++) {
            four code = SPLAT((double)j);
            LOAD(v, x + j * LANES);
            four_bits more = (four_bits)(v > best);
            four other = MASK4((four_bits)(y != code), v);
            best = MAX4(v, best), top = SELECT4(more, code, top);
            sum += other, square = FMA4(other, other, square);
        }
        for (int c = 0; c < 4; c++) truth[c] = x[b->y[i + c] * LANES + c];
        four wrong = one - truth, brier = (square + wrong * wrong) * unit;
        sum += truth;
        STORE(b->truth + i, truth), STORE(b->brier + i, brier), STORE(b->sum + i, sum);
        STORE(b->total + i, one), STORE(b->top + i, top), STORE(b->confidence + i, best);
    }
    log_losses(b, n);
}

/* Read a block if it holds nothing odd; return whether it did. */
static int quick_lanes(const struct rows_job *job, struct rows_block *b, int64_t start, int64_t n,
                       double *limits)
{
    const struct table *t = &job->values;
    if (job->k < 4 || n % 4 != 0 || job->kind == LOG_POSTERIORS) return 0;
    if (t->type == 0 && t->column_stride == 8) {
        if (!lanes_turn(job, b, start, n, 0, limits)) return 0;
    } else if (t->type == 1 && t->column_stride == 4) {
        if (!lanes_turn(job, b, start, n, 1, limits)) return 0;
    } else {
        return 0;
    }
    if (job->kind == LOGITS) {
        if (!(b->spread < 700.0)) return 0;
        quick_softmax(b, job->k, n);
        return 1;
    }
    quick_posteriors(b, job->k, n);
    rows_gaps(b, n, start, limits);
    return 1;
}
