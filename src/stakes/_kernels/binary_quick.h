/* Two classes: probabilities of samples that all weigh the same, which is what is asked most.
 *
 * The formulas of binary.h once more, four samples at a time in registers, in half the time. Three
 * loops, since one would need more registers than there are: quick_cells finds bins and counts,
 * quick_sums takes logarithms apart and sums Brier scores, quick_logs sums losses and fills bins. A block
 * that is not of probabilities, or has an infinite loss, is left to binary.h, before anything is added.
 */

typedef double two __attribute__((vector_size(16), may_alias));

struct quick_counts {
    uint64_t labels; /* all of them joined bit by bit */
    double second, above, second_above;
};

/* Where each probability goes, in bytes, and counts. Places are whole numbers of 2^-32 of a bin: a
 * block with one next to an inner edge looks again. What is no probability, or no label, gets a
 * place that means nothing.
 */
NOINLINE static struct quick_counts quick_cells(const double *x, const int64_t *y, int64_t n,
                                             const struct binary_job *job, double threshold,
                                             struct binary_block *b)
{
    double m = (double)job->bins;
    four scale = SPLAT(m * 0x1p32), low = SPLAT(0.5 / m), high = SPLAT(1.0 - 0.5 / m), magic = SPLAT(TO_WHOLE);
    four p, at, cut = SPLAT(threshold);
    four_bits truth, above, cell, near = {0}, labels = {0}, second = {0}, over = {0}, both = {0};
    for (int64_t i = 0; i < n; i += 4) {
        LOAD(p, x + i), LOAD(truth, y + i);
        above = (four_bits)(p > cut);
        at = MIN4(high, MAX4(low, p));
        cell = (four_bits)FMA4(at, scale, magic);
        near |= (four_bits)(((cell + 4) & 0xfffffff8u) == 0);
        cell = ((cell >> 26) & 0x3fffc0u) + (truth << 5);
        STORE(b->cell + i, cell);
        labels |= truth, second += truth, over -= above, both += above & truth;
    }
    near[0] |= near[1] | near[2] | near[3];
    labels[0] |= labels[1] | labels[2] | labels[3];
    if (near[0]) {
        find_bins(b->bin, x, n, job->bins, job->edges);
        for (int64_t i = 0; i < n; i++) b->cell[i] = 64 * (int64_t)b->bin[i] + 32 * y[i];
    }
    return (struct quick_counts){labels[0], (double)SUM4(second), (double)SUM4(over),
                                 (double)SUM4(both)};
}

/* One addition counts a sample and adds its probability. */
#define ADD_TO_BIN(copy, i) *(two *)(void *)(h + (copy) * size + cell[i]) += (two){1.0, x[i]}

/* Sums of a block's losses, and its bins: two tasks for different parts of the processor. With
 * right = 2^-k (1 - g), its loss is k ln 2 + 2 atanh(g / (2 - g)), right to two units in the last
 * place; the series is cut to what its range needs.
 */
NOINLINE static void quick_logs(const struct binary_block *b, const double *x, const int64_t *y,
                             int64_t n, struct binary_state *state, double *out)
{
    four c0 = SPLAT(0x1.5555555555558p-1), c1 = SPLAT(0x1.99999999952d7p-2);
    four c2 = SPLAT(0x1.2492492df281ap-2), c3 = SPLAT(0x1.c71c62e3f11e6p-3);
    four c4 = SPLAT(0x1.7462b51cb66b1p-3), c5 = SPLAT(0x1.39fe51a7c18f9p-3);
    four c6 = SPLAT(0x1.2b5900de53b32p-3), both = SPLAT(2.0), ln2 = SPLAT(M_LN2);
    four l0 = {0}, l1 = {0}, q0 = {0}, q1 = {0}, k0 = {0}, k1 = {0}, g, k;
    four_bits truth;
    const int64_t *cell = b->cell, size = 8 * state->hist_size;
    char *h = (char *)state->hist;
    for (int64_t i = 0; i < n; i += 4) {
        LOAD(g, b->loss + i), LOAD(k, b->brier + i), LOAD(truth, y + i);
        PREFETCH(x + i + BLOCK), PREFETCH(y + i + BLOCK);
        four s = g / (both - g), z = s * s, z2 = z * z;
        ADD_TO_BIN(0, i), ADD_TO_BIN(1, i + 1), ADD_TO_BIN(2, i + 2), ADD_TO_BIN(3, i + 3);
        four series = FMA4(z2, c6, FMA4(z, c5, c4));
        series = FMA4(z2, FMA4(z2, series, FMA4(z, c3, c2)), FMA4(z, c1, c0));
        four loss = FMA4(k, ln2, s * FMA4(z, series, both));
        four high = MASK4(-truth, loss), low = loss - high;
        l0 += low, l1 += high, q0 = FMA4(low, low, q0), q1 = FMA4(high, high, q1);
        k0 = FMA4(low * low, low, k0), k1 = FMA4(high * high, high, k1);
    }
    out[4] = SUM4(k0), out[5] = SUM4(k1);
    out[0] = SUM4(l0), out[1] = SUM4(q0), out[2] = SUM4(l1), out[3] = SUM4(q1);
}

/* Sums of a block; return whether it held nothing but probabilities and finite losses. If not, it
 * must be done again with care.
 */
NOINLINE static int quick_sums(const double *x, const int64_t *y, int64_t n, struct binary_block *b,
                            struct binary_state *state, double *out, double *limits)
{
    four least = SPLAT(1.0), most = SPLAT(0.0), faintest = SPLAT(1.0), one = SPLAT(1.0), p;
    four b0 = {0}, b1 = {0}, e0 = {0}, e1 = {0}, high_bias = SPLAT(0x1p52 + 1024.0);
    four_bits truth, mask, bits, root = SPLAT(ROOT_HALF);
    for (int64_t i = 0; i < n; i += 4) {
        LOAD(p, x + i), LOAD(truth, y + i);
        mask = -truth;
        four rest = one - p, right = SELECT4(mask, p, rest), wrong = SELECT4(mask, rest, p);
        bits = (four_bits)right - (root - (1024ull << 52)); /* exponent and a bias, above 0 */
        four k = high_bias - (four)((bits >> 52) | 0x4330000000000000u);
        four g = one - (four)((bits & 0x000fffffffffffffu) + root);
        g = SELECT4((four_bits)(k == 0.0), wrong, g); /* near 1 the digits are those of 1 - right */
        STORE(b->loss + i, g), STORE(b->brier + i, k);
        least = MIN4(p, least), most = MAX4(p, most), faintest = MIN4(right, faintest);
        four brier = wrong * wrong, high = MASK4(mask, brier), low = brier - high;
        b0 += low, b1 += high, e0 = FMA4(low, low, e0), e1 = FMA4(high, high, e1);
    }
    double l[6], bottom = 1.0, top = 0.0, faint = 1.0;
    for (int j = 0; j < 4; j++) {
        bottom = least[j] < bottom ? least[j] : bottom;
        top = most[j] > top ? most[j] : top;
        faint = faintest[j] < faint ? faintest[j] : faint;
    }
    four all = b0 + b1;
    if (!((bottom >= 0.0) & (top <= 1.0) & (faint >= 0x1p-1022) & (SUM4(all) < INFINITY)))
        return 0;
    quick_logs(b, x, y, n, state, l);
    const double found[2 * CLASS_FIELDS] = {
        0, 0, 0, l[0], l[0], l[1], 0, SUM4(b0), SUM4(b0), SUM4(e0), l[4],
        0, 0, 0, l[2], l[2], l[3], 0, SUM4(b1), SUM4(b1), SUM4(e1), l[5]};
    memcpy(out, found, sizeof found);
    limits[0] = bottom < limits[0] ? bottom : limits[0];
    limits[1] = top > limits[1] ? top : limits[1];
    return 1;
}

/* Put what was counted in its places; thresholds beyond the first are counted here. */
static void quick_count(const struct quick_counts *c, const double *x, const int64_t *y, int64_t n,
                        const struct binary_job *job, struct total *totals)
{
    struct total *above = totals + 2 * CLASS_FIELDS;
    double all = c->above, high = c->second_above;
    for (int f = COUNT; f <= SQUARE; f++) {
        totals[f].high += (double)n - c->second;
        totals[CLASS_FIELDS + f].high += c->second;
    }
    for (int64_t t = 0; t < job->n_thresholds; t++) {
        if (t > 0) {
            all = high = 0.0;
            _Pragma("omp simd reduction(+ : all, high)") for (int64_t i = 0; i < n; i++) {
                double one = x[i] > job->thresholds[t] ? 1.0 : 0.0;
                all += one;
                high += y[i] > 0 ? one : 0.0;
            }
        }
        above[4 * t].high += all - high, above[4 * t + 1].high += all - high;
        above[4 * t + 2].high += high, above[4 * t + 3].high += high;
    }
}

/* Sum a block if it holds nothing odd; return whether it did. */
static int quick_block(const struct binary_job *job, int64_t at, int64_t n, struct binary_block *b,
                       struct binary_state *s, double *limits)
{
    const struct column *v = &job->values, *c = &job->y;
    const double *x = (const double *)(const void *)(v->data + at * 8);
    const int64_t *y = (const int64_t *)(const void *)(c->data + at * 8);
    double found[2 * CLASS_FIELDS], first = job->n_thresholds ? job->thresholds[0] : 0.0;
    if (v->type != 0 || v->stride != 8) load_numbers(b->x, v, at, n), x = b->x;
    if (c->type != 2 || c->stride != 8) {
        if (!load_codes(b->code, c, at, n, 2)) return 0;
        SIMD for (int64_t i = 0; i < n; i++) b->truth[i] = b->code[i];
        y = b->truth;
    }
    struct quick_counts counts = quick_cells(x, y, n, job, first, b);
    if ((counts.labels | 1) != 1 || !quick_sums(x, y, n, b, s, found, limits)) return 0;
    for (int j = 0; j < 2 * CLASS_FIELDS; j++) add_to(&s->totals[j], found[j]);
    quick_count(&counts, x, y, n, job, s->totals);
    return 1;
}

