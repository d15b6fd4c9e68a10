/* Weights w = m / (s (gap + depth)) of rows that count m, at the tilt s that reaches a goal; see
 * definitions/reweighting.py. Rows are laid out by stratum, so that each one's sums are one loop.
 */
#define TILT_ROUNDS 120
#define GAP_STEPS 60
#define FARTHEST 1e60 /* tilts beyond it change nothing but harmless traces */
#define LAST_STEP 1e-7 /* relative: what is missing after it is about its square */
#define NEARLY 1e-6    /* of the goal: where Newton's method can be trusted with the rest */
#define SMALLEST 1e-300
#define SMALLEST_GAP 1e-120

struct stratum {
    int64_t first, last;
    double size, mean, top;    /* of the counts: sum, mean depth, and how many are at the top */
    double gap;
    double at, total, square; /* the last gap with sums of m / (gap + depth)^1 and ^2, and these */
};

struct tilt {
    int64_t rows, strata;
    int64_t *place; /* where each row is in the caller's order */
    struct stratum *each;
    double *depth, *m, *ratio; /* how far below the top, counts, and m / w */
    double scale, spread, radius, ahead, bend;
};

static int tilt_made(struct tilt *t, const int64_t *stratum)
{
    t->place = malloc((size_t)t->rows * sizeof *t->place);
    t->each = calloc((size_t)t->strata, sizeof *t->each);
    t->depth = malloc((size_t)(3 * t->rows) * sizeof(double));
    if (!t->place || !t->each || !t->depth) return NO_MEMORY;
    t->m = t->depth + t->rows, t->ratio = t->m + t->rows;
    for (int64_t i = 0; i < t->rows; i++) {
        if (stratum[i] < 0 || stratum[i] >= t->strata) return BAD_LABEL;
        t->each[stratum[i]].last++;
    }
    for (int64_t k = 0, at = 0; k < t->strata; k++) {
        int64_t rows = t->each[k].last;
        t->each[k].first = t->each[k].last = at;
        at += rows;
    }
    for (int64_t i = 0; i < t->rows; i++) t->place[t->each[stratum[i]].last++] = i;
    return 0;
}

/* Read a problem; return whether anything can vary. */
static int tilt_read(struct tilt *t, const double *slopes, const double *counts)
{
    double scale = 0.0, odd = 0.0;
    for (int64_t k = 0; k < t->strata; k++) {
        struct stratum *one = t->each + k;
        double top = -INFINITY;
        for (int64_t i = one->first; i < one->last; i++) {
            double slope = slopes[t->place[i]];
            t->depth[i] = slope, t->m[i] = counts[t->place[i]];
            top = slope > top ? slope : top;
        }
        for (int64_t i = one->first; i < one->last; i++) {
            double depth = top - t->depth[i];
            t->depth[i] = depth;
            odd += depth * 0.0; /* NaN stays */
            scale = depth > scale ? depth : scale;
        }
    }
    t->scale = scale;
    return odd == 0.0 && scale > 0.0;
}

static void tilt_moments(struct tilt *t)
{
    t->spread = 0.0;
    for (int64_t k = 0; k < t->strata; k++) {
        struct stratum *one = t->each + k;
        double size = 0.0, sum = 0.0, top = 0.0, spread = 0.0;
        _Pragma("omp simd reduction(+ : size, sum, top)")
        for (int64_t i = one->first; i < one->last; i++) {
            double depth = t->depth[i] / t->scale;
            t->depth[i] = depth;
            size += t->m[i];
            sum += t->m[i] * depth;
            top += depth <= 0.0 ? t->m[i] : 0.0;
        }
        double mean = sum / size;
        _Pragma("omp simd reduction(+ : spread)")
        for (int64_t i = one->first; i < one->last; i++)
            spread += t->m[i] * (t->depth[i] - mean) * (t->depth[i] - mean);
        one->size = size, one->mean = mean, one->top = top, one->total = 0.0;
        t->spread += spread;
    }
}

/* Newton's step to the gap at which the reciprocal of the sum of m / (gap + depth) is `goal`. */
static double gap_step(const struct stratum *one, double goal)
{
    return (goal - 1.0 / one->total) * one->total * one->total / one->square;
}

/* The gap that keeps a stratum's sum: the reciprocal is concave, so steps end below the root from
 * anywhere and rise to it from there.
 */
static void tilt_gap(const struct tilt *t, struct stratum *one, double s)
{
    double goal = 1.0 / (s * one->size);
    double gap = fmax(fmax(one->top * goal, 1.0 / s - one->mean), SMALLEST_GAP);
    if (one->total > 0.0) gap = fmax(gap, one->at + gap_step(one, goal));
    for (int i = 0; i < GAP_STEPS; i++) {
        double total = 0.0, square = 0.0;
        _Pragma("omp simd reduction(+ : total, square)")
        for (int64_t j = one->first; j < one->last; j++) {
            double r = 1.0 / (gap + t->depth[j]), mr = t->m[j] * r;
            total += mr;
            square += mr * r;
        }
        one->at = gap, one->total = total, one->square = square;
        double step = fmax(gap_step(one, goal), 0.0);
        gap += step;
        if (step <= LAST_STEP * gap) break;
    }
    one->gap = gap;
}

/* Everything at a tilt: ratios, radius, how far ahead the sum is, and their derivative. */
static void tilt_at(struct tilt *t, double s)
{
    double radius = 0.0, ahead = 0.0;
    t->bend = 0.0;
    for (int64_t k = 0; k < t->strata; k++) {
        struct stratum *one = t->each + k;
        if (one->first == one->last) continue;
        tilt_gap(t, one, s);
        double gap = one->gap, bend = 0.0;
        _Pragma("omp simd reduction(+ : radius, ahead, bend)")
        for (int64_t i = one->first; i < one->last; i++) {
            double ratio = s * (gap + t->depth[i]), less = ratio - 1.0, moved = less / ratio;
            t->ratio[i] = ratio;
            radius += t->m[i] * (log_normal(ratio, less) - moved);
            ahead += t->m[i] * moved * t->depth[i];
            bend += t->m[i] * moved * moved;
        }
        t->bend += bend / (1.0 + bend / one->size);
    }
    t->radius = sqrt(fmax(2.0 * radius, 0.0)), t->ahead = ahead;
}

/* Where Newton's method on log s goes next, in a bracket; a bisection follows a step that does not
 * halve the bracket.
 */
static double tilt_next(double s, double newton, double low, double high, double *width)
{
    double now = low > 0.0 ? log(high) - log(low) : INFINITY;
    double tried = s * exp(fmin(fmax(newton, -7.0), 7.0));
    int bounded = now < INFINITY, trusted = tried > low && tried < high;
    double middle = bounded ? sqrt(low) * sqrt(high) : low > 0.0 ? 4.0 * s : s / 4.0;
    trusted = trusted && (!bounded || now <= 0.5 * *width);
    *width = now;
    return fmin(trusted ? tried : middle, FARTHEST);
}

static void tilt_search(struct tilt *t, double goal, int of_radius)
{
    double start = goal / (of_radius ? sqrt(t->spread) : t->spread);
    double s = fmin(fmax(start, SMALLEST), FARTHEST), low = 0.0, high = INFINITY, width = INFINITY;
    for (int round = 0, last = 0; round < TILT_ROUNDS; round++) {
        tilt_at(t, s);
        if (last || s >= FARTHEST) return;
        double reached = of_radius ? t->radius : t->ahead;
        double newton = of_radius ? log(goal / fmax(reached, SMALLEST)) * reached * reached
                                  : (goal - reached) * s;
        newton /= fmax(t->bend, SMALLEST);
        if (reached < goal) low = s;
        else high = s;
        last = fabs(newton) <= LAST_STEP && fabs(reached - goal) <= NEARLY * goal;
        s = last ? s + s * newton : tilt_next(s, newton, low, high, &width);
    }
}

EXPORT int NAME(tilt)(const double *slopes, const double *counts, const int64_t *stratum,
                      const double *goal, int64_t problems, int64_t rows, int64_t strata,
                      int64_t of_radius, double *weights)
{
    struct tilt t = {.rows = rows, .strata = strata};
    int status = tilt_made(&t, stratum);
    for (int64_t p = 0; p < problems && !status; p++) {
        const double *m = counts + p * rows;
        double *out = weights + p * rows;
        if (!tilt_read(&t, slopes + p * rows, m) || !(goal[p] > 0.0)) {
            memcpy(out, m, (size_t)rows * sizeof(double));
            continue;
        }
        tilt_moments(&t);
        tilt_search(&t, of_radius ? goal[p] : goal[p] / t.scale, of_radius != 0);
        for (int64_t i = 0; i < rows; i++) out[t.place[i]] = t.m[i] / t.ratio[i];
    }
    free(t.place), free(t.each), free(t.depth);
    return status;
}
