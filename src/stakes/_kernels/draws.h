/* Resamples: N draws with replacement, as a count for each sample, without an N x B table.
 *
 * Exact, in whole numbers only. The samples are the leaves of a binary tree. How many of n draws go
 * to the left half of a node is the number of 1s among n random bits where both halves are of one
 * size, and else the number of n uniform numbers, compared bit by bit, below the left half's share.
 * Within a leaf of at most 2048 samples each draw is a slice of random bits, taken again if it is
 * too large. Given random bits, every sequence of N draws is as likely as any other.
 *
 * The bits are splitmix64 of a counter, under a key made from seed, resample, tree and node, so
 * that neither order, threads nor block size change what is drawn.
 */

#define LEAF_BITS 11
#define LEAF (1 << LEAF_BITS)
#define GROUP 16 /* resamples that read the same leaf while it is in the cache */
#define FEW_COLUMNS 2 /* that cost less to gather than to count draws and multiply */
#define STEP 0x9e3779b97f4a7c15u

struct draws_job {
    int64_t n, n_trees, n_segments, n_columns;
    const int64_t *trees;    /* where each set of samples begins that keeps its size, and n */
    const int64_t *segments; /* where each set begins that is summed by itself, and n */
    const double *columns;   /* n_columns x n */
    uint64_t seed, first;    /* `first`: number of the first resample */
    int64_t finite;          /* whether all columns are, so that 0 draws of one add 0 */
    double *sums;            /* resamples x segments x columns */
    int64_t *weights;        /* resamples x segments */
};

static inline uint64_t word(uint64_t key, uint64_t i)
{
    uint64_t x = key + STEP * (i + 1);
    x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
    x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
    return x ^ (x >> 31);
}

static uint64_t tree_key(const struct draws_job *job, int64_t resample, int64_t tree)
{
    return word(word(word(0, job->seed), job->first + (uint64_t)resample), (uint64_t)tree);
}

/* How many of n uniform bits are 1. */
static int64_t half_of(uint64_t key, int64_t n)
{
    int64_t count = 0, words = n / 64;
    for (int64_t i = 0; i < words; i++) count += __builtin_popcountll(word(key, (uint64_t)i));
    if (n % 64) {
        uint64_t kept = (1ull << (n % 64)) - 1;
        count += __builtin_popcountll(word(key, (uint64_t)words) & kept);
    }
    return count;
}

/* How many of n uniform numbers lie below share / whole, told by their bits, the highest first: each
 * bit decides for about half of those that are open.
 */
static int64_t share_of(uint64_t key, int64_t n, uint64_t share, uint64_t whole)
{
    int64_t below = 0;
    for (uint64_t step = 0, rest = share; n > 0 && rest; step++) {
        int64_t ones = half_of(word(key, step), n);
        rest *= 2;
        if (rest >= whole) {
            rest -= whole;
            below += n - ones;
            n = ones;
        } else {
            n -= ones;
        }
    }
    return below;
}

/* Part n draws among the leaves of a node of 2^level leaves, of which the first `valid` samples
 * exist; `leaves` gets the number of draws of each.
 */
static void part_draws(uint64_t key, int level, int64_t place, int64_t valid, int64_t n,
                       int64_t *leaves)
{
    if (level == 0) {
        leaves[place] = n;
        return;
    }
    int64_t half = (int64_t)LEAF << (level - 1), left = valid < half ? valid : half, down = n;
    if (left < valid) {
        uint64_t node = word(key, ((uint64_t)level << 48) | (uint64_t)place);
        down = valid == 2 * half ? half_of(node, n)
                                 : share_of(node, n, (uint64_t)left, (uint64_t)valid);
    }
    part_draws(key, level - 1, 2 * place, left, down, leaves);
    if (left < valid) part_draws(key, level - 1, 2 * place + 1, valid - left, n - down, leaves);
}

/* Draw n of `size` samples of a leaf; counts must be 0 before. */
static void draw_leaf(uint64_t key, int64_t n, int64_t size, int32_t *counts)
{
    int bits = 0;
    while ((1 << bits) < size) bits++;
    if (bits == 0) {
        counts[0] = (int32_t)n;
        return;
    }
    uint64_t mask = (1ull << bits) - 1, i = 0;
    if (size == LEAF) {
        int64_t words = n / 5;
        for (; (int64_t)i < words; i++) {
            uint64_t w = word(key, i);
            counts[w & (LEAF - 1)]++;
            counts[(w >> LEAF_BITS) & (LEAF - 1)]++;
            counts[(w >> 2 * LEAF_BITS) & (LEAF - 1)]++;
            counts[(w >> 3 * LEAF_BITS) & (LEAF - 1)]++;
            counts[(w >> 4 * LEAF_BITS) & (LEAF - 1)]++;
        }
        n -= 5 * words;
    }
    while (n > 0) {
        uint64_t w = word(key, i++);
        for (int s = 0; s < 64 / bits && n > 0; s++, w >>= bits) {
            uint64_t at = w & mask;
            if ((int64_t)at < size) counts[at]++, n--;
        }
    }
}

static double counted_dot(const int32_t *counts, const double *x, int64_t n, int64_t finite)
{
    double sum = 0.0;
    if (finite) {
        _Pragma("omp simd reduction(+ : sum)") for (int64_t i = 0; i < n; i++)
            sum += (double)counts[i] * x[i];
        return sum;
    }
    for (int64_t i = 0; i < n; i++) sum += counts[i] == 0 ? 0.0 : (double)counts[i] * x[i];
    return sum;
}

/* Add what one leaf gives to the sums of the segments it lies in. */
static void add_leaf(const struct draws_job *job, int64_t start, int64_t size,
                     const int32_t *counts, struct total *sums, int64_t *weights)
{
    for (int64_t s = 0; s < job->n_segments; s++) {
        int64_t low = job->segments[s] > start ? job->segments[s] : start;
        int64_t high = job->segments[s + 1] < start + size ? job->segments[s + 1] : start + size;
        if (low >= high) continue;
        const int32_t *c = counts + (low - start);
        int32_t many = 0;
        for (int64_t i = 0; i < high - low; i++) many += c[i];
        weights[s] += many;
        for (int64_t j = 0; j < job->n_columns; j++)
            add_to(&sums[s * job->n_columns + j],
                   counted_dot(c, job->columns + j * job->n + low, high - low, job->finite));
    }
}

/* The sum of n draws of a whole leaf, the same as `draw_leaf` makes, without their counts. */
static double drawn_sum(uint64_t key, int64_t n, const double *x)
{
    double sum[5] = {0.0};
    int64_t words = n / 5;
    for (int64_t i = 0; i < words; i++) {
        uint64_t w = word(key, (uint64_t)i);
        for (int j = 0; j < 5; j++) sum[j] += x[w >> j * LEAF_BITS & (LEAF - 1)];
    }
    uint64_t w = word(key, (uint64_t)words);
    for (int j = 0; j < n - 5 * words; j++) sum[j] += x[w >> j * LEAF_BITS & (LEAF - 1)];
    return (sum[0] + sum[1]) + (sum[2] + sum[3]) + sum[4];
}

/* The segment that holds the whole of a leaf, or -1. */
static int64_t segment_of(const struct draws_job *job, int64_t start)
{
    for (int64_t s = 0; s < job->n_segments; s++)
        if (job->segments[s] <= start && start + LEAF <= job->segments[s + 1]) return s;
    return -1;
}

/* Draw the leaves of all trees for a resample. */
static void part_all(const struct draws_job *job, int64_t resample, int64_t *leaves)
{
    int64_t at = 0;
    for (int64_t t = 0; t < job->n_trees; t++) {
        int64_t size = job->trees[t + 1] - job->trees[t];
        int level = 0;
        if (size == 0) continue;
        while (((int64_t)LEAF << level) < size) level++;
        part_draws(tree_key(job, resample, t), level, 0, size, size, leaves + at);
        at += (size + LEAF - 1) / LEAF;
    }
}

static int64_t leaf_total(const struct draws_job *job)
{
    int64_t many = 0;
    for (int64_t t = 0; t < job->n_trees; t++)
        many += (job->trees[t + 1] - job->trees[t] + LEAF - 1) / LEAF;
    return many;
}

/* Add one leaf of one resample: few columns are summed as they are drawn. */
static void dot_leaf(const struct draws_job *job, uint64_t key, int64_t start, int64_t size,
                     int64_t n, int64_t segment, struct total *sums, int64_t *weights)
{
    if (segment >= 0 && job->n_columns <= FEW_COLUMNS) {
        weights[segment] += n;
        for (int64_t j = 0; j < job->n_columns; j++)
            add_to(&sums[segment * job->n_columns + j],
                   drawn_sum(key, n, job->columns + j * job->n + start));
        return;
    }
    int32_t counts[LEAF];
    memset(counts, 0, (size_t)size * sizeof *counts);
    draw_leaf(key, n, size, counts);
    add_leaf(job, start, size, counts, sums, weights);
}

/* Sums of resamples first..last-1 of the job. */
EXPORT int NAME(draws_dot)(const struct draws_job *job, int64_t first, int64_t last)
{
    int64_t many = leaf_total(job), cells = job->n_segments * job->n_columns;
    int64_t *leaves = malloc((size_t)(GROUP * many + 1) * sizeof *leaves);
    struct total *sums = malloc((size_t)(GROUP * cells + 1) * sizeof *sums);
    int status = leaves && sums ? 0 : NO_MEMORY;
    for (int64_t b = first; b < last && !status; b += GROUP) {
        int64_t group = last - b < GROUP ? last - b : GROUP, at = 0;
        for (int64_t g = 0; g < group; g++) part_all(job, b + g, leaves + g * many);
        memset(sums, 0, (size_t)(GROUP * cells) * sizeof *sums);
        for (int64_t t = 0; t < job->n_trees; t++)
            for (int64_t start = job->trees[t]; start < job->trees[t + 1]; start += LEAF, at++) {
                uint64_t place = (uint64_t)(start - job->trees[t]) / LEAF;
                int64_t size = job->trees[t + 1] - start;
                int64_t segment = size < LEAF ? -1 : segment_of(job, start);
                for (int64_t g = 0; g < group; g++)
                    dot_leaf(job, word(tree_key(job, b + g, t), place), start,
                             size < LEAF ? size : LEAF, leaves[g * many + at], segment,
                             sums + g * cells, job->weights + (b + g) * job->n_segments);
            }
        for (int64_t j = 0; j < group * cells; j++) job->sums[b * cells + j] = value_of(&sums[j]);
    }
    free(leaves), free(sums);
    return status;
}

static int draw_counts(const struct draws_job *job, int64_t resample, int64_t *leaves,
                       int32_t *counts)
{
    int64_t at = 0;
    memset(counts, 0, (size_t)job->n * sizeof *counts);
    part_all(job, resample, leaves);
    for (int64_t t = 0; t < job->n_trees; t++)
        for (int64_t start = job->trees[t]; start < job->trees[t + 1]; start += LEAF, at++) {
            uint64_t place = (uint64_t)(start - job->trees[t]) / LEAF;
            int64_t size = job->trees[t + 1] - start;
            draw_leaf(word(tree_key(job, resample, t), place), leaves[at],
                      size > LEAF ? LEAF : size, counts + start);
        }
    return 0;
}

/* How often each sample occurs in one resample. */
EXPORT int NAME(draws_counts)(const struct draws_job *job, int32_t *counts)
{
    int64_t *leaves = malloc((size_t)(leaf_total(job) + 1) * sizeof *leaves);
    int status = leaves ? draw_counts(job, 0, leaves, counts) : NO_MEMORY;
    free(leaves);
    return status;
}
