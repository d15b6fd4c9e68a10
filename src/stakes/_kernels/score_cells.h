/* Cells of the scores of two classes: samples of each class, where in the cell they lie, and exact
 * sums of their losses. All is whole numbers that add, so that no order or batching changes a bit.
 *
 * A base cell follows from the bits of a score, or of its odds, and rises with it. Edges cut base
 * cells: the cell of x is its base cell plus the number of edges of at most x. Both rise with x, so
 * that their sum names the pair. definitions/score_grid.py has the same in numpy.
 */
#define LOSS_POWERS 3
#define FAR_BITS 48    /* far cells: the bits of a double without these, 16 in an octave */
#define NEAR_BITS 42   /* near odds: 1024 in an octave */
#define FAR_ODDS 15856 /* cells of odds above 0 and below 2^-32 */
#define ODDS_CELLS 81730
#define FAR_LOGS 16304 /* cells of finite log odds below -32 */
#define EVEN_CELLS 65536

struct base_cell {
    int64_t least; /* ordered bits of the least score */
    int32_t cell;  /* that of the least score */
    int32_t bits;  /* that are dropped from a place; -1 where an edge lies inside */
};

struct cells_job {
    struct column values, y;
    int64_t n, kind;
    double shift; /* added to the log odds for the losses */
    const struct base_cell *base;
    const double *edges;
    int64_t n_edges;
    const int64_t *least, *bits; /* of each cell, as in base_cell */
    int64_t *tally;              /* of each cell: samples of either class, sum of places */
    int64_t *limbs;              /* log loss, square, cube, then Brier, of either class */
    int64_t *infinite;           /* log losses, squares and cubes, of either class */
    double *limits;              /* least, largest, how many NaN */
};

struct cells_block {
    struct binary_block b;
    int64_t base[BLOCK], order[BLOCK];
    uint64_t second[BLOCK]; /* all ones for samples of the second class */
    double rest[BLOCK];
};

/* Whole numbers in the order of the doubles; 0 for both zeros. */
static inline int64_t ordered_bits(double x)
{
    int64_t u = (int64_t)bits_of(x);
    return u < 0 ? INT64_MIN - u : u;
}

static void cells_of_probabilities(struct cells_block *b, int64_t n)
{
    const int64_t near = 1 + FAR_ODDS - (0x3dfll << (52 - NEAR_BITS));
    const int64_t above = 1 + FAR_ODDS + EVEN_CELLS - 0x41f0;
    SIMD for (int64_t i = 0; i < n; i++) {
        double p = b->b.x[i], odds = p / (1.0 - p);
        int64_t u = (int64_t)bits_of(odds), far = u >> FAR_BITS;
        int64_t at = odds < 0x1p-32 ? far + 1 : (u >> NEAR_BITS) + near;
        at = odds < 0x1p32 ? at : far + above;
        at = p == 0.0 ? 0 : at;
        b->base[i] = p == 1.0 ? ODDS_CELLS - 1 : at;
        b->order[i] = ordered_bits(p);
    }
}

/* Even cells of 2^-10: a product with 2^10 is exact, and so is its floor. */
static void cells_of_log_odds(struct cells_block *b, int64_t n)
{
    SIMD for (int64_t i = 0; i < n; i++) {
        double z = b->b.x[i], t = z < -32.0 ? -32.0 : z;
        t = (t > 32.0 ? 32.0 : t) * 1024.0;
        int32_t whole = (int32_t)t;
        whole -= (double)whole > t ? 1 : 0;
        int64_t u = ordered_bits(z), far = u >> FAR_BITS;
        int64_t at = z < -32.0 ? far + 1 + 0x7ff0 : whole + (1 + FAR_LOGS + EVEN_CELLS / 2);
        at = z < 32.0 ? at : far + (1 + FAR_LOGS + EVEN_CELLS - 0x4040);
        b->base[i] = z == -INFINITY ? 0 : at;
        b->order[i] = u;
    }
}

static void count_cells(const struct cells_job *job, const struct cells_block *b, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        struct base_cell c = job->base[b->base[i]];
        int64_t cell = c.cell, least = c.least, bits = c.bits;
        if (bits < 0) {
            int64_t edge = cell - b->base[i]; /* edges before the base cell */
            while (edge < job->n_edges && job->edges[edge] <= b->b.x[i]) edge++;
            cell = b->base[i] + edge;
            least = job->least[cell], bits = job->bits[cell];
        }
        int64_t *t = job->tally + 3 * cell;
        t[b->b.code[i]] += 1;
        t[2] += (b->order[i] - least) >> bits;
    }
}

/* Turn probabilities into their log odds. */
static void log_odds_of(double *x, int64_t n)
{
    double least = 1.0, largest = 0.0;
    _Pragma("omp simd reduction(min : least) reduction(max : largest)")
    for (int64_t i = 0; i < n; i++) {
        least = x[i] < least ? x[i] : least;
        largest = x[i] > largest ? x[i] : largest;
    }
    if ((least >= 0x1p-1022) & (largest < 1.0)) {
        SIMD for (int64_t i = 0; i < n; i++)
            x[i] = log_normal(x[i], x[i] - 1.0) - log_normal(1.0 - x[i], -x[i]);
    } else {
        for (int64_t i = 0; i < n; i++)
            x[i] = any_log(x[i], x[i] - 1.0) - any_log(1.0 - x[i], -x[i]);
    }
}

static void cell_losses(const struct cells_job *job, struct binary_block *b, int64_t n)
{
    if (job->shift == 0.0 && job->kind == PROBABILITIES) {
        losses_of_probabilities(b, n, 1);
        return;
    }
    if (job->kind == PROBABILITIES) log_odds_of(b->x, n);
    SIMD for (int64_t i = 0; i < n; i++) b->x[i] += job->shift;
    losses_of_log_odds(b, n);
}

/* Add what is left over: values that are very small or large. */
static void add_rests(const struct cells_block *b, int64_t n, int64_t *limbs, int64_t *infinite)
{
    for (int64_t i = 0; i < n; i++) {
        if (b->rest[i] == 0.0) continue;
        if (b->rest[i] < INFINITY) add_exact(limbs + LIMBS * b->b.code[i], b->rest[i], 1);
        else infinite[b->b.code[i]]++;
    }
}

/* A sum of `count` doubles, as bits, that were each 1.5 2^52 units plus a whole number of units. */
static void add_magic(int64_t *limbs, uint64_t sum, int64_t count, double magic, int64_t power)
{
    int64_t whole = (int64_t)(sum - (uint64_t)count * bits_of(magic)), sign = whole >> 63;
    add_units(limbs, (uint64_t)((whole ^ sign) - sign), (uint64_t)(power + 1074), sign);
}

/* Add a power of some values of a block to the sums of both classes; return whether any is left.
 *
 * Values below 2^top are cut into two or three whole numbers of at most 51 bits and their sign: v +
 * magic rounds v to whole units, which the low bits count, and what was rounded off is again a double.
 * A block of 512 such numbers is summed in 61 bits. What the cuts leave over goes to b->rest.
 */
INLINE int add_cuts(const double *value, int power, int cuts, int64_t top, struct cells_block *b,
                    int64_t n, int64_t ones, int64_t *limbs)
{
    double limit = ldexp(1.0, (int)top), m0 = 3.0 * limit, m1 = m0 * 0x1p-52, m2 = m1 * 0x1p-52;
    uint64_t all0 = 0, all1 = 0, all2 = 0, high0 = 0, high1 = 0, high2 = 0, left = 0;
    _Pragma("omp simd reduction(+ : all0, all1, all2, high0, high1, high2) reduction(| : left)")
    for (int64_t i = 0; i < n; i++) {
        double l = value[i], v = power == 1 ? l : power == 2 ? l * l : l * l * l;
        double r = v < limit ? v : 0.0, over = v - r;
        double t0 = r + m0;
        r -= t0 - m0;
        double t1 = r + m1;
        r -= t1 - m1;
        all0 += bits_of(t0), all1 += bits_of(t1);
        high0 += bits_of(t0) & b->second[i], high1 += bits_of(t1) & b->second[i];
        if (cuts > 2) {
            double t2 = r + m2;
            r -= t2 - m2;
            all2 += bits_of(t2), high2 += bits_of(t2) & b->second[i];
        }
        r += over; /* one of the two is 0 */
        b->rest[i] = r;
        left |= r != 0.0 ? 1u : 0u;
    }
    const uint64_t all[3] = {all0, all1, all2}, high[3] = {high0, high1, high2};
    const double magic[3] = {m0, m1, m2};
    for (int j = 0; j < cuts; j++) {
        add_magic(limbs, all[j] - high[j], n - ones, magic[j], top - 51 - 52 * j);
        add_magic(limbs + LIMBS, high[j], ones, magic[j], top - 51 - 52 * j);
    }
    return left != 0;
}

/* Add a power of losses. Two cuts hold nearly all losses, three their squares and cubes; those of
 * confident answers are so small that they need more.
 */
INLINE void add_losses(const double *loss, int power, int64_t top, struct cells_block *b, int64_t n,
                       int64_t ones, int64_t *limbs, int64_t *infinite)
{
    int cuts = power == 1 ? 2 : 3;
    if (add_cuts(loss, power, cuts, top, b, n, ones, limbs) &&
        add_cuts(b->rest, 1, 3, top - 52 * cuts, b, n, ones, limbs))
        add_rests(b, n, limbs, infinite);
}

static void add_powers(const struct cells_job *job, struct cells_block *b, int64_t n, int64_t ones)
{
    const double *log = b->b.loss, *brier = b->b.brier;
    int64_t *limbs = job->limbs, *infinite = job->infinite;
    add_losses(log, 1, 10, b, n, ones, limbs, infinite);
    add_losses(log, 2, 20, b, n, ones, limbs + 2 * LIMBS, infinite + 2);
    add_losses(log, 3, 30, b, n, ones, limbs + 4 * LIMBS, infinite + 4);
    limbs += 2 * LOSS_POWERS * LIMBS;
    add_losses(brier, 1, 1, b, n, ones, limbs, NULL); /* at most 1, never infinite */
    add_losses(brier, 2, 1, b, n, ones, limbs + 2 * LIMBS, NULL);
    add_losses(brier, 3, 1, b, n, ones, limbs + 4 * LIMBS, NULL);
}

/* What a batch holds; nothing is added. */
EXPORT int NAME(score_limits)(const struct cells_job *job)
{
    double x[BLOCK];
    int32_t code[BLOCK];
    job->limits[0] = INFINITY, job->limits[1] = -INFINITY, job->limits[2] = 0.0;
    for (int64_t at = 0; at < job->n; at += BLOCK) {
        int64_t n = job->n - at < BLOCK ? job->n - at : BLOCK;
        load_numbers(x, &job->values, at, n);
        if (!load_codes(code, &job->y, at, n, 2)) return BAD_LABEL;
        find_limits(x, n, job->limits);
    }
    return 0;
}

/* Add a batch whose limits are those of scores of its kind. */
EXPORT int NAME(score_cells)(const struct cells_job *job)
{
    struct cells_block *b = malloc(sizeof *b);
    if (!b) return NO_MEMORY;
    for (int64_t at = 0; at < job->n; at += BLOCK) {
        int64_t n = job->n - at < BLOCK ? job->n - at : BLOCK, ones = 0;
        load_numbers(b->b.x, &job->values, at, n);
        load_codes(b->b.code, &job->y, at, n, 2);
        _Pragma("omp simd reduction(+ : ones)") for (int64_t i = 0; i < n; i++) {
            b->b.y[i] = b->b.code[i];
            b->second[i] = (uint64_t)0 - (uint64_t)b->b.code[i];
            ones += b->b.code[i];
        }
        if (job->kind == PROBABILITIES) cells_of_probabilities(b, n);
        else cells_of_log_odds(b, n);
        count_cells(job, b, n);
        cell_losses(job, &b->b, n);
        add_powers(job, b, n, ones);
    }
    free(b);
    return 0;
}
