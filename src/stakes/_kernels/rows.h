/* K classes: losses, Bayes decisions and bins of confidence of a table of scores, in one read.
 *
 * Up to 32 classes a block of samples is turned round, so that one vector holds the same class of
 * several samples; above, one vector holds several classes of the same sample.
 */

/* Add a block to the sums of its classes and bins. Sums that every sample changes lie side by side, so
 * that four of them, or a bin, take one addition.
 */
INLINE void rows_add(const struct rows_job *job, const struct rows_block *b, int64_t start, int64_t n,
                     int weighted, struct rows_state *s)
{
    int64_t k = job->k, bins = job->bins, step = job->values.row_stride, wide = 8 * k;
    const char *ahead = job->values.data + (start + n) * step;
    for (int64_t i = 0; i < n; i++) {
        for (int64_t at = 0; k <= MOST_TURNED && at < wide; at += 64) PREFETCH(ahead + i * step + at);
        double *q = s->quick + ((i & (s->copies - 1)) * k + b->y[i]) * QUICK;
        int64_t hit = b->top[i] == b->yd[i];
        double *cell = s->bins + (((i & 3) * bins + b->bin[i]) * 2 + hit) * 4;
        double w = weighted ? b->w[i] : 1.0, l = b->loss[i], unit = job->factors[b->y[i]];
        if (__builtin_expect(fabs(l) == INFINITY, 0)) l = 0.0, q[Q_INF] += 1.0;
        double wl = weighted ? w * l : l, wb = weighted ? w * b->brier[i] : b->brier[i];
        if (weighted) unit *= w;
        four sums, bin, more = {wl, wb, wl * wl, wb * wb};
        four here = {unit, unit * unit, unit * b->confidence[i], 0.0};
        LOAD(sums, q), LOAD(bin, cell);
        sums += more, bin += here;
        STORE(q, sums), STORE(cell, bin);
        q[Q_COUNT] += 1.0;
        q[Q_LOG3] += wl * wl * l;
        if (!weighted) continue;
        q[Q_W] += w;
        q[Q_W2] += w * w;
        q[Q_LOG_W2] += w * wl;
        q[Q_BRIER_W2] += w * wb;
    }
}

NOINLINE static void rows_add_plain(const struct rows_job *job, const struct rows_block *b,
                                    int64_t start, int64_t n, struct rows_state *s)
{
    rows_add(job, b, start, n, 0, s);
}

static void rows_flush(struct rows_state *s, int64_t k, int64_t bins, int weighted)
{
    static const int plain[CLASS_FIELDS] = {Q_COUNT, Q_COUNT, Q_COUNT, Q_LOG,   Q_LOG,
                                            Q_LOG2,  Q_INF,   Q_BRIER, Q_BRIER, Q_BRIER2,
                                            Q_LOG3};
    static const int heavy[CLASS_FIELDS] = {Q_COUNT, Q_W,   Q_W2,    Q_LOG,      Q_LOG_W2,
                                            Q_LOG2,  Q_INF, Q_BRIER, Q_BRIER_W2, Q_BRIER2,
                                            Q_LOG3};
    const int *field = weighted ? heavy : plain;
    for (int copy = 0; copy < s->copies; copy++)
        for (int64_t j = 0; j < k; j++)
            for (int f = 0; f < CLASS_FIELDS; f++)
                add_to(&s->class_totals[j * CLASS_FIELDS + f],
                       s->quick[(copy * k + j) * QUICK + field[f]]);
    for (int copy = 0; copy < 4; copy++)
        for (int64_t j = 0; j < 2 * bins; j++)
            for (int f = 0; f < 3; f++)
                add_to(&s->bin_totals[j * 3 + f], s->bins[(copy * 2 * bins + j) * 4 + f]);
    memset(s->quick, 0, (size_t)(s->copies * k * QUICK) * sizeof(double));
    memset(s->bins, 0, (size_t)(32 * bins) * sizeof(double));
    s->since = 0;
}

static void rows_count(const struct rows_block *b, int64_t n, int64_t m, int64_t offset,
                       struct rows_state *s)
{
    for (int64_t i = 0; i < n; i++) {
        int64_t cell = offset + b->y[i] * m + (int64_t)b->at[i];
        if (s->tables) {
            add_to(&s->tables[2 * cell], b->w[i]);
            add_to(&s->tables[2 * cell + 1], b->w[i] * b->w[i]);
        } else {
            s->counts[cell] += 1.0;
        }
    }
}

/* Whether rows can be read where they lie. Costs beyond zero-one want doubles to work with. */
static int in_place(const struct rows_job *job)
{
    const struct table *t = &job->values;
    int wide = t->type == 0 && t->column_stride == 8, narrow = t->type == 1 && t->column_stride == 4;
    for (int64_t c = 0; c < job->n_costs; c++)
        narrow &= job->costs[c].same && !job->costs[c].n_columns;
    return job->kind == POSTERIORS && job->k > MOST_TURNED && (wide || narrow);
}

/* How many samples make a block: what fits near the processor, where rows are copied. */
static int64_t rows_in_block(const struct rows_job *job)
{
    return job->k <= MOST_TURNED || in_place(job) ? LANES : (4096 + job->k - 1) / job->k;
}

/* Read a block, and leave posteriors in x and everything about each sample beside it. */
static void rows_fill(const struct rows_job *job, struct rows_block *b, int64_t start, int64_t n,
                      double *limits)
{
    int64_t k = job->k, kind = job->kind;
    const struct table *t = &job->values;
    if (k <= MOST_TURNED) {
        if (!turned(job, b, start, n, limits))
            for (int64_t j = 0; j < k; j++) {
                struct column c = {t->data + j * t->column_stride, t->row_stride, t->type};
                load_numbers(b->x + j * LANES, &c, start, n);
                find_limits(b->x + j * LANES, n, limits);
            }
        if (kind == LOGITS && b->near) lanes_softmax(b, k, n, 1);
        else if (kind == LOGITS) lanes_softmax(b, k, n, 0);
        else if (kind == LOG_POSTERIORS) lanes_posteriors(b, k, n, 1);
        else lanes_posteriors(b, k, n, 0);
        if (kind != LOGITS) rows_gaps(b, n, start, limits);
        for (int64_t i = 0; i < n; i++)
            b->confidence[i] = b->x[(int64_t)b->top[i] * LANES + i];
    } else if (in_place(job)) {
        if (t->type == 1) rows_in_place(job, b, start, n, 1, limits);
        else rows_in_place(job, b, start, n, 0, limits);
    } else {
        for (int64_t i = 0; i < n; i++) {
            struct column c = {t->data + (start + i) * t->row_stride, t->column_stride, t->type};
            load_numbers(b->x + i * k, &c, 0, k);
        }
        find_limits(b->x, n * k, limits);
        for (int64_t i = 0; i < n; i++) {
            double *x = b->x + i * k;
            if (kind == LOGITS) row_softmax(b, x, k, i);
            else if (kind == LOG_POSTERIORS) row_posteriors(b, x, k, i, 1);
            else row_posteriors(b, x, k, i, 0);
            int64_t top = first_equal(x, k, largest(x, k));
            b->top[i] = (double)top;
            b->confidence[i] = x[top];
        }
        if (kind == LOGITS)
            SIMD for (int64_t i = 0; i < n; i++) b->loss[i] = vlog1p(b->sum[i]) - b->loss[i];
        if (kind == POSTERIORS) log_losses(b, n);
        if (kind != LOGITS) rows_gaps(b, n, start, limits);
    }
    SIMD for (int64_t i = 0; i < n; i++) {
        double p = b->confidence[i] / b->total[i];
        b->confidence[i] = p > 1.0 ? 1.0 : p;
    }
}

static int rows_chunk(const struct rows_job *job, int64_t start, int64_t stop,
                      struct rows_block *b, struct rows_state *s, double *limits)
{
    int64_t k = job->k, size = rows_in_block(job);
    int placed = in_place(job);
    int64_t often = 16 * k < 2048 ? 2048 : 16 * k;
    int weighted = job->weights.data != NULL;
    for (int64_t at = start; at < stop; at += size) {
        int64_t n = stop - at < size ? stop - at : size, offset = 0, written = 0;
        if (weighted) load_numbers(b->w, &job->weights, at, n);
        if (!load_codes(b->y, &job->y, at, n, k)) return BAD_LABEL;
        SIMD for (int64_t i = 0; i < n; i++) b->yd[i] = b->y[i];
        rows_fill(job, b, at, n, limits);
        find_bins(b->bin, b->confidence, n, job->bins, job->edges);
        if (weighted) rows_add(job, b, at, n, 1, s);
        else rows_add_plain(job, b, at, n, s);
        if ((s->since += n) >= often) rows_flush(s, k, job->bins, weighted);
        for (int64_t t = 0; t < job->n_costs; t++) {
            const struct cost_table *c = &job->costs[t];
            if (k <= MOST_TURNED) lanes_decide(b, c, k, n);
            else
                for (int64_t i = 0; i < n; i++) {
                    const char *row = job->values.data + (at + i) * job->values.row_stride;
                    const double *x = placed ? (const double *)(const void *)row : b->x + i * k;
                    b->at[i] = (double)row_decide(b, x, c, k, i);
                }
            if (c->counted) {
                rows_count(b, n, c->n_decisions, offset, s);
                offset += k * c->n_decisions;
            } else {
                int32_t *out = job->decisions + written++ * job->n + at;
                for (int64_t i = 0; i < n; i++) out[i] = (int32_t)b->at[i];
            }
        }
    }
    rows_flush(s, k, job->bins, weighted);
    return 0;
}

static void rows_write(const struct rows_job *job, struct rows_state *s, double *out)
{
    int64_t classes = job->k * CLASS_FIELDS, bins = job->bins * 6;
    for (int64_t j = 0; j < classes; j++) *out++ = value_of(&s->class_totals[j]);
    for (int64_t j = 0; j < bins; j++) *out++ = value_of(&s->bin_totals[j]);
    if (s->tables)
        for (int64_t j = 0; j < 2 * s->n_cells; j++) *out++ = value_of(&s->tables[j]);
    else if (s->n_cells) memcpy(out, s->counts, (size_t)s->n_cells * sizeof(double));
    memset(s->class_totals, 0, (size_t)classes * sizeof(struct total));
    memset(s->bin_totals, 0, (size_t)bins * sizeof(struct total));
    if (s->tables) memset(s->tables, 0, (size_t)(2 * s->n_cells) * sizeof(struct total));
    else memset(s->counts, 0, (size_t)s->n_cells * sizeof(double));
}

EXPORT int NAME(rows)(const struct rows_job *job, int64_t first, int64_t last)
{
    int64_t k = job->k, bins = job->bins;
    struct rows_state s = {0};
    struct rows_block *b = calloc(1, sizeof *b);
    int64_t size = rows_in_block(job), kept = in_place(job) ? 0 : size * k;
    s.copies = k <= 64 ? 4 : 1;
    for (int64_t t = 0; t < job->n_costs; t++)
        if (job->costs[t].counted) s.n_cells += k * job->costs[t].n_decisions;
    double *x = malloc((size_t)(kept + 1) * sizeof(double));
    double *part = malloc((size_t)k * sizeof(double));
    s.quick = calloc((size_t)(s.copies * k * QUICK), sizeof(double));
    s.bins = calloc((size_t)(32 * bins), sizeof(double));
    s.class_totals = calloc((size_t)(k * CLASS_FIELDS), sizeof(struct total));
    s.bin_totals = calloc((size_t)(bins * 6), sizeof(struct total));
    s.counts = calloc((size_t)s.n_cells + 1, sizeof(double));
    if (job->weights.data) s.tables = calloc((size_t)(2 * s.n_cells) + 1, sizeof(struct total));
    int fine = b && x && part && s.quick && s.bins && s.class_totals && s.bin_totals && s.counts &&
               (s.tables || !job->weights.data);
    int status = fine ? 0 : NO_MEMORY;
    if (fine) b->x = x, b->part = part;
    for (int64_t c = first; c < last && !status; c++) {
        int64_t start = c * job->chunk, stop = start + job->chunk;
        double *limits = job->limits + 5 * c;
        limits[0] = INFINITY, limits[1] = -INFINITY, limits[2] = limits[3] = 0.0, limits[4] = -1.0;
        status = rows_chunk(job, start, stop < job->n ? stop : job->n, b, &s, limits);
        rows_write(job, &s, job->sums + c * job->width);
    }
    free(x), free(part), free(s.quick), free(s.bins), free(s.class_totals), free(s.bin_totals);
    free(s.counts), free(s.tables), free(b);
    return status;
}
