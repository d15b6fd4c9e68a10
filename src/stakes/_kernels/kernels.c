/* All kernels for one instruction level; the base level also says what the library is.
 *
 * build.py compiles this file once for each level (LEVEL: base, v3, v4); exported names end in it, and
 * library.py takes the widest that the processor has. A kernel returns a status: 0, or a fault of
 * common.h, which Python raises.
 *
 * A pass is a function of (job, first, last). Samples are cut into chunks of a fixed size; chunks
 * first..last-1 are summed, each into its own row of job->sums, and Python adds the rows in their order.
 * Threads take chunks, so that no number of them changes a bit.
 *
 * Within a chunk, blocks that fit the nearest cache are read as doubles from any type and stride, go
 * through loops without branches, which become vectors, and are added to short sums, flushed now and
 * then to long ones (struct total) that keep what rounding takes. A block with something odd in it
 * (NaN, infinities, subnormal numbers) goes through a loop with branches instead.
 *
 * What a kernel means is its numpy definition. tests/test_kernels.py holds the two together, for every
 * type, stride and odd value: whole numbers exactly, sums to about 1e-14.
 */
#include "common.h"

#include "binary_parts.h"
#include "binary_quick.h"
#include "binary.h"
#include "rows_parts.h"
#include "lanes.h"
#include "wide.h"
#include "rows.h"
#include "sort.h"
#include "pav.h"
#include "keys.h"
#include "formulas.h"
#include "affine_binary.h"
#include "affine.h"
#include "affine_answers.h"
#include "sums.h"
#include "exact.h"
#include "score_cells.h"
#include "by_key.h"
#include "tilt.h"

#define TEXT_(x) #x
#define TEXT(x) TEXT_(x)

#ifdef STAKES_BASE
#include "layouts.h"

EXPORT uint32_t stakes_source(void)
{
    return STAKES_SOURCE;
}

EXPORT const char *stakes_compiler(void)
{
#if defined(__clang__)
    return "clang " TEXT(__clang_major__) "." TEXT(__clang_minor__);
#elif defined(__GNUC__)
    return "gcc " TEXT(__GNUC__) "." TEXT(__GNUC_MINOR__);
#else
    return "cc";
#endif
}

/* Whether doubles are sorted here sooner than by numpy: see sort.h. */
EXPORT int stakes_sorts(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    return __builtin_cpu_is("amd") && __builtin_cpu_supports("avx512f");
#else
    return 0;
#endif
}

/* The widest level that was built (STAKES_LEVELS) and that this machine and its system allow. */
EXPORT int stakes_level(void)
{
#if defined(__x86_64__)
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
    int v4 = v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
             __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
             __builtin_cpu_supports("avx512vl");
    return STAKES_LEVELS >= 4 && v4 ? 4 : STAKES_LEVELS >= 3 && v3 ? 3 : 1;
#else
    return 1;
#endif
}
#endif
