/* Sums within groups by whole-number limbs: exact, so that no order of the samples changes a bit.
 *
 * Neighbours go to banks of their own, so that one sum need not wait for that of the row before.
 */

/* The largest size of a value within each group; peak holds a row of groups for each bank. */
static int peaks(const int64_t *group, const double *value, int64_t n, int64_t groups,
                 int64_t banks, double *peak)
{
    for (int64_t i = 0; i < n; i++) {
        if ((uint64_t)group[i] >= (uint64_t)groups) return BAD_LABEL;
        double *at = peak + (i & (banks - 1)) * groups + group[i], x = fabs(value[i]);
        *at = x > *at ? x : *at;
    }
    return 0;
}

/* Scales that bring the largest value of each group below 1; OTHER_PATH where one is no normal
 * number. The first row of peaks gets those of all banks.
 */
static int peak_scales(double *peak, int64_t groups, int64_t banks, double *scale)
{
    for (int64_t g = 0; g < groups; g++) {
        double top = peak[g];
        for (int64_t b = 1; b < banks; b++) top = fmax(top, peak[b * groups + g]);
        int exponent = 0;
        frexp(top, &exponent);
        if (exponent > 1000 || exponent < -1000 || !isfinite(top)) return OTHER_PATH;
        peak[g] = top, scale[g] = ldexp(1.0, -exponent);
    }
    return 0;
}

static void add_limbs(const int64_t *group, const double *value, int64_t n, int64_t groups,
                      int64_t banks, const double *scale, double *limbs)
{
    const double limb = 67108864.0; /* 2^26 */
    for (int64_t i = 0; i < n; i++) {
        double *at = limbs + 3 * ((i & (banks - 1)) * groups + group[i]);
        double rest = value[i] * scale[group[i]] * limb, high = trunc(rest);
        rest = (rest - high) * limb;
        double middle = trunc(rest);
        at[0] += high, at[1] += middle, at[2] += trunc((rest - middle) * limb);
    }
}

enum { FIND_PEAKS = 1, ADD_LIMBS = 2 };

/* Add the three limbs of each value, scaled by that of its group; banks are a power of two. Values that
 * come in blocks come twice: all of them for the peaks, then to be added.
 * peak: banks x groups, limbs: banks x groups x 3, both 0 at first; scale: groups.
 */
EXPORT int NAME(sum_by)(const int64_t *group, const double *value, int64_t n, int64_t groups,
                        int64_t banks, int64_t steps, double *peak, double *scale, double *limbs)
{
    int status = steps & FIND_PEAKS ? peaks(group, value, n, groups, banks, peak) : 0;
    if (status || !(steps & ADD_LIMBS)) return status;
    status = peak_scales(peak, groups, banks, scale);
    if (!status) add_limbs(group, value, n, groups, banks, scale, limbs);
    return status;
}
