/* Calibrated answers by the affine map of each group. */

struct answers_job {
    struct table values; /* log posteriors, or one column: the log odds of two classes */
    struct column group;
    int64_t n, k, groups, chunk;
    const double *scale; /* one for each group */
    const double *shift; /* K for each group; one for log odds */
    double *out; /* n x K */
};

static void binary_answers(const struct answers_job *job, const int32_t *group, int64_t at,
                           int64_t n, double *m)
{
    struct column values = {job->values.data, job->values.row_stride, job->values.type};
    double *out = job->out + 2 * at;
    load_numbers(m, &values, at, n);
    for (int64_t i = 0; i < n; i++) m[i] = job->scale[group[i]] * m[i] + job->shift[group[i]];
    SIMD for (int64_t i = 0; i < n; i++) {
        double small = exp_down(-fabs(m[i])), tail = unit_log1p(small, unit_both(small));
        out[2 * i] = -((m[i] > 0.0 ? m[i] : 0.0) + tail);
        out[2 * i + 1] = -((m[i] > 0.0 ? 0.0 : -m[i]) + tail);
    }
}

static void row_answers(const struct answers_job *job, const char *row, int64_t group, double *out)
{
    int64_t k = job->k, step = job->values.column_stride;
    const double *shift = job->shift + group * k;
    double scale = job->scale[group], peak = -INFINITY, rest = 0.0, ties = -1.0;
    struct column values = {row, step, job->values.type};
    load_numbers(out, &values, 0, k);
    _Pragma("omp simd reduction(max : peak)") for (int64_t j = 0; j < k; j++) {
        double m = scale * out[j] + shift[j];
        m = out[j] == -INFINITY ? out[j] : m; /* stays impossible */
        out[j] = m;
        peak = m > peak ? m : peak;
    }
    _Pragma("omp simd reduction(+ : rest, ties)") for (int64_t j = 0; j < k; j++) {
        double shifted = out[j] - peak;
        out[j] = shifted;
        rest += shifted == 0.0 ? 0.0 : exp_down(shifted); /* summed without the 1 of the largest */
        ties += shifted == 0.0 ? 1.0 : 0.0;
    }
    rest = vlog1p(rest + ties);
    SIMD for (int64_t j = 0; j < k; j++) out[j] -= rest;
}

EXPORT int NAME(affine_answers)(const struct answers_job *job, int64_t first, int64_t last)
{
    int32_t group[BLOCK];
    double m[BLOCK];
    for (int64_t c = first; c < last; c++) {
        int64_t stop = (c + 1) * job->chunk;
        if (stop > job->n) stop = job->n;
        for (int64_t at = c * job->chunk; at < stop; at += BLOCK) {
            int64_t n = stop - at < BLOCK ? stop - at : BLOCK;
            if (!load_codes(group, &job->group, at, n, job->groups)) return BAD_LABEL;
            if (job->k == 1) {
                binary_answers(job, group, at, n, m);
                continue;
            }
            for (int64_t i = 0; i < n; i++)
                row_answers(job, job->values.data + (at + i) * job->values.row_stride, group[i],
                            job->out + (at + i) * job->k);
        }
    }
    return 0;
}
