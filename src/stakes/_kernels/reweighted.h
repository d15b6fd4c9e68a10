/* AUC, equal error rate and least costs of any threshold under weights: scores are sorted once.
 *
 * A threshold that is worth a look lies just below a score of the second class, or above all: any
 * other has the misses of one of these and more false alarms. So there are n2 + 1 of them.
 */

#define HALVINGS 40 /* of the odds, in the search for the equal error rate */
#define SIZES 4     /* values before the least costs: weight of both classes, area, equal error */

struct ranks_job {
    int64_t n, n1, n_odds;
    const int32_t *order; /* samples of the first class by rising score, then of the second */
    const int32_t *below, *upto; /* for each of the second: how many of the first lie lower, or
                                    not higher */
    const double *rises;    /* n_odds x 2: what a false alarm and what a miss adds */
    const int32_t *as_rate; /* of each odds: whether that is for the rate in a class, or in all */
    const int32_t *unit;    /* of each sample, where units are drawn; else NULL */
    const double *weights;  /* of each sample, or NULL */
    double *values;         /* rows x (SIZES + n_odds) */
};

struct ranks_room {
    double *before; /* weight of the first class below each of its places, n1 + 1 */
    double *alarm, *miss; /* rates at each threshold, n2 + 1 */
    double *weight;       /* of each sample */
};

static int ranks_room(struct ranks_room *room, int64_t n, int64_t n1)
{
    double *all = malloc((size_t)(n1 + 1 + 2 * (n - n1 + 1) + n) * sizeof *all);
    room->before = all;
    if (!all) return NO_MEMORY;
    room->alarm = all + n1 + 1;
    room->miss = room->alarm + (n - n1 + 1);
    room->weight = room->miss + (n - n1 + 1);
    return 0;
}

/* The least of a * alarm + b * miss over thresholds first..last. */
static double least_at(const struct ranks_room *room, double a, double b, int64_t first,
                       int64_t last)
{
    const double *alarm = room->alarm, *miss = room->miss;
    double least = a * alarm[first] + b * miss[first];
    _Pragma("omp simd reduction(min : least)") for (int64_t i = first; i <= last; i++)
    {
        double cost = a * alarm[i] + b * miss[i];
        least = cost < least ? cost : least;
    }
    return least;
}

/* Where the hull has both errors alike: the largest least cost of any odds. As alarms get dearer
 * the best threshold only rises, so that each halving also cuts the thresholds to look at.
 */
static double equal_error(const struct ranks_room *room, int64_t last)
{
    double low = 0.0, high = 1.0, best = 0.0;
    int64_t first = 0;
    for (int h = 0; h < HALVINGS; h++) {
        double share = (low + high) / 2, least = least_at(room, share, 1 - share, first, last);
        int64_t at = first;
        while (at < last && share * room->alarm[at] + (1 - share) * room->miss[at] > least) at++;
        if (least > best) best = least;
        if (room->alarm[at] > room->miss[at]) {
            low = share, first = at;
        } else {
            high = share, last = at;
        }
    }
    return best;
}

/* Fill the room with rates; return the area, or NaN where a class has no weight. */
static double rates_of(const struct ranks_job *job, const double *w, struct ranks_room *room,
                       double *sizes)
{
    int64_t n1 = job->n1, n2 = job->n - n1;
    const int32_t *second = job->order + n1;
    double sum = 0.0, passed = 0.0, pairs = 0.0;
    for (int64_t i = 0; i < n1; i++) room->before[i] = sum, sum += w[job->order[i]];
    room->before[n1] = sum;
    for (int64_t i = 0; i < n2; i++) {
        double mine = w[second[i]], lower = room->before[job->below[i]];
        pairs += mine * (lower + room->before[job->upto[i]]);
        room->alarm[i] = sum - lower;
        room->miss[i] = passed;
        passed += mine;
    }
    room->alarm[n2] = 0.0, room->miss[n2] = passed;
    sizes[0] = sum, sizes[1] = passed;
    if (sum == 0.0 || passed == 0.0) return NAN;
    double per_alarm = 1 / sum, per_miss = 1 / passed;
    SIMD for (int64_t i = 0; i <= n2; i++) room->alarm[i] *= per_alarm, room->miss[i] *= per_miss;
    return pairs / (2 * sum * passed);
}

static void ranks_row(const struct ranks_job *job, const double *w, struct ranks_room *room,
                      double *values)
{
    int64_t n2 = job->n - job->n1;
    double area = rates_of(job, w, room, values), all = values[0] + values[1];
    values[2] = area;
    values[3] = isnan(area) ? NAN : equal_error(room, n2);
    for (int64_t a = 0; a < job->n_odds; a++) {
        double alarm = job->rises[2 * a], miss = job->rises[2 * a + 1];
        if (!job->as_rate[a]) alarm *= values[0] / all, miss *= values[1] / all;
        values[SIZES + a] = isnan(area) ? NAN : least_at(room, alarm, miss, 0, n2);
    }
}

/* Values under each of some rows of weights. */
EXPORT int NAME(ranks_weighted)(const struct ranks_job *job, const double *weights, int64_t first,
                                int64_t last)
{
    struct ranks_room room;
    int status = ranks_room(&room, job->n, job->n1);
    for (int64_t b = first; b < last && !status; b++)
        ranks_row(job, weights + b * job->n, &room, job->values + b * (SIZES + job->n_odds));
    free(room.before);
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
    struct ranks_room room;
    int64_t *leaves = malloc((size_t)(leaf_total(draws) + 1) * sizeof *leaves);
    int32_t *counts = malloc((size_t)(draws->n + 1) * sizeof *counts);
    int status = ranks_room(&room, job->n, job->n1) || !leaves || !counts ? NO_MEMORY : 0;
    for (int64_t b = first; b < last && !status; b++) {
        draw_counts(draws, b, leaves, counts);
        weigh_draws(job, counts, room.weight);
        ranks_row(job, room.weight, &room, job->values + b * (SIZES + job->n_odds));
    }
    free(room.before), free(leaves), free(counts);
    return status;
}
