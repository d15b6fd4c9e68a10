/* AUC, equal error rate and least costs of any threshold under weights: scores are sorted once.
 *
 * A threshold that is worth a look lies just below a score of the second class, or above all: any
 * other has the misses of one of these and more false alarms. So there are n2 + 1 of them.
 */

#define HALVINGS 40 /* of the odds, in the search for the equal error rate */
#define SIZES 4     /* values before the least costs: weight of both classes, area, equal error */

struct ranks_job {
    int64_t n, n1, n_odds;
    int64_t equal; /* whether the equal error rate is asked for; NaN if not */
    const int32_t *order; /* samples of the first class by rising score, then of the second */
    const int32_t *below, *upto; /* for each of the second: how many of the first lie lower, or
                                    not higher */
    const double *rises;    /* n_odds x 2: what a false alarm and what a miss adds */
    const int32_t *as_rate; /* of each odds: whether that is for the rate in a class, or in all */
    const int32_t *unit;    /* of each sample, where units are drawn; else NULL */
    const double *weights;  /* of each sample, or NULL */
    double *values;         /* rows x (SIZES + n_odds) */
};

struct ranks_space {
    double *before; /* weight of the first class below each of its places, n1 + 1 */
    double *alarm, *miss; /* rates at each threshold, n2 + 1 */
    double *weight;       /* of each sample */
};

static int ranks_space(struct ranks_space *space, int64_t n, int64_t n1)
{
    double *all = malloc((size_t)(n1 + 1 + 2 * (n - n1 + 1) + n) * sizeof *all);
    space->before = all;
    if (!all) return NO_MEMORY;
    space->alarm = all + n1 + 1;
    space->miss = space->alarm + (n - n1 + 1);
    space->weight = space->miss + (n - n1 + 1);
    return 0;
}

/* The least of a * alarm + b * miss over thresholds first..last. */
static double least_at(const struct ranks_space *space, double a, double b, int64_t first,
                       int64_t last)
{
    const double *alarm = space->alarm, *miss = space->miss;
    double least = a * alarm[first] + b * miss[first];
    _Pragma("omp simd reduction(min : least)") for (int64_t i = first; i <= last; i++)
    {
        double cost = a * alarm[i] + b * miss[i];
        least = cost < least ? cost : least;
    }
    return least;
}

/* Where the hull has both errors alike: the largest least cost of any odds. As alarms cost more
 * the best threshold only rises, so that each halving also cuts the thresholds to look at.
 */
static double equal_error(const struct ranks_space *space, int64_t last)
{
    double low = 0.0, high = 1.0, best = 0.0;
    int64_t first = 0;
    for (int h = 0; h < HALVINGS; h++) {
        double share = (low + high) / 2, least = least_at(space, share, 1 - share, first, last);
        int64_t at = first;
        while (at < last && share * space->alarm[at] + (1 - share) * space->miss[at] > least) at++;
        if (least > best) best = least;
        if (space->alarm[at] > space->miss[at]) {
            low = share, first = at;
        } else {
            high = share, last = at;
        }
    }
    return best;
}

/* Weights of samples, or how often each was drawn, which takes half as much of the cache. */
struct weighed {
    const double *weights;
    const int32_t *counts;
};

INLINE double weight_at(struct weighed w, int64_t i)
{
    return w.counts ? (double)w.counts[i] : w.weights[i];
}

/* Sums of all weights before each place, and of all; four at a time, so that no sum waits for the
 * one before it.
 */
INLINE double sums_before(struct weighed w, const int32_t *order, int64_t n, double *before)
{
    double sum = 0.0;
    int64_t i = 0;
    for (; i + 4 <= n; i += 4) {
        double a = weight_at(w, order[i]), b = weight_at(w, order[i + 1]);
        double c = weight_at(w, order[i + 2]), d = weight_at(w, order[i + 3]), two = a + b;
        before[i] = sum, before[i + 1] = sum + a;
        before[i + 2] = sum + two, before[i + 3] = sum + (two + c);
        sum += two + (c + d);
    }
    for (; i < n; i++) before[i] = sum, sum += weight_at(w, order[i]);
    return before[n] = sum;
}

/* Fill the space with rates; return the area, or NaN where a class has no weight. */
INLINE double rates_of(const struct ranks_job *job, struct weighed w, struct ranks_space *space,
                       double *sizes)
{
    int64_t n1 = job->n1, n2 = job->n - n1;
    const int32_t *second = job->order + n1;
    double sum = sums_before(w, job->order, n1, space->before);
    double passed = sums_before(w, second, n2, space->miss), pairs[4] = {0.0};
    for (int64_t i = 0; i < n2; i++) {
        double lower = space->before[job->below[i]], mine = weight_at(w, second[i]);
        pairs[i & 3] += mine * (lower + space->before[job->upto[i]]);
        space->alarm[i] = sum - lower;
    }
    space->alarm[n2] = 0.0;
    sizes[0] = sum, sizes[1] = passed;
    if (sum == 0.0 || passed == 0.0) return NAN;
    double per_alarm = 1 / sum, per_miss = 1 / passed;
    SIMD for (int64_t i = 0; i <= n2; i++) space->alarm[i] *= per_alarm, space->miss[i] *= per_miss;
    return ((pairs[0] + pairs[1]) + (pairs[2] + pairs[3])) / (2 * sum * passed);
}

static void ranks_row(const struct ranks_job *job, struct weighed w, struct ranks_space *space,
                      double *values)
{
    int64_t n2 = job->n - job->n1;
    double area = w.counts ? rates_of(job, (struct weighed){NULL, w.counts}, space, values)
                           : rates_of(job, (struct weighed){w.weights, NULL}, space, values);
    double all = values[0] + values[1];
    values[2] = area;
    values[3] = isnan(area) || !job->equal ? NAN : equal_error(space, n2);
    for (int64_t a = 0; a < job->n_odds; a++) {
        double alarm = job->rises[2 * a], miss = job->rises[2 * a + 1];
        if (!job->as_rate[a]) alarm *= values[0] / all, miss *= values[1] / all;
        values[SIZES + a] = isnan(area) ? NAN : least_at(space, alarm, miss, 0, n2);
    }
}

/* Values under each of some rows of weights. */
EXPORT int NAME(ranks_weighted)(const struct ranks_job *job, const double *weights, int64_t first,
                                int64_t last)
{
    struct ranks_space space;
    int status = ranks_space(&space, job->n, job->n1);
    for (int64_t b = first; b < last && !status; b++)
        ranks_row(job, (struct weighed){weights + b * job->n, NULL}, &space,
                  job->values + b * (SIZES + job->n_odds));
    free(space.before);
    return status;
}

static void weigh_draws(const struct ranks_job *job, const int32_t *counts, double *weight)
{
    if (job->unit) {
        for (int64_t i = 0; i < job->n; i++) weight[i] = counts[job->unit[i]];
    } else {
        SIMD for (int64_t i = 0; i < job->n; i++) weight[i] = counts[i];
    }
    if (job->weights) {
        SIMD for (int64_t i = 0; i < job->n; i++) weight[i] *= job->weights[i];
    }
}

/* Values of resamples first..last-1 that are drawn as `draws` says. */
EXPORT int NAME(ranks_drawn)(const struct ranks_job *job, const struct draws_job *draws,
                             int64_t first, int64_t last)
{
    struct ranks_space space;
    int64_t *leaves = malloc((size_t)(leaf_total(draws) + 1) * sizeof *leaves);
    int32_t *counts = malloc((size_t)(draws->n + 1) * sizeof *counts);
    int status = ranks_space(&space, job->n, job->n1) || !leaves || !counts ? NO_MEMORY : 0;
    int plain = !job->unit && !job->weights;
    for (int64_t b = first; b < last && !status; b++) {
        draw_counts(draws, b, leaves, counts);
        struct weighed w = {space.weight, plain ? counts : NULL};
        if (!plain) weigh_draws(job, counts, space.weight);
        ranks_row(job, w, &space, job->values + b * (SIZES + job->n_odds));
    }
    free(space.before), free(leaves), free(counts);
    return status;
}
