/* Two classes: what is asked, and what is kept of a block. */

#define BLOCK 512
#define FLUSH 8 /* blocks after which the quick histograms are added to the long sums */
#define CLASS_FIELDS 11
#define MOST_QUICK 65536 /* bins whose places are exact as whole numbers */

enum { COUNT, WEIGHT, SQUARE, LOG, LOG_W2, LOG2_W2, INFINITE, BRIER, BRIER_W2, BRIER2_W2, LOG3_W2 };
enum { PROBABILITIES, LOG_ODDS };

struct binary_job {
    struct column values, y, weights;
    int64_t n, kind, chunk;
    const double *thresholds;
    int64_t n_thresholds;
    const double *edges;
    int64_t bins;
    double *sums;   /* per chunk: 2 x CLASS_FIELDS, thresholds x 2 x 2, bins x 2 x 3 */
    double *limits; /* per chunk: least, largest, how many NaN */
};

struct binary_block {
    double x[BLOCK], p[BLOCK], y[BLOCK], w[BLOCK], loss[BLOCK], brier[BLOCK];
    double above[BLOCK];
    int64_t truth[BLOCK], cell[BLOCK];
    int32_t code[BLOCK], bin[BLOCK];
};

struct binary_state {
    int64_t width, hist_size;
    struct total *totals;
    double *hist; /* 4 copies, so that neighbours in the same bin need not wait for each other */
};
