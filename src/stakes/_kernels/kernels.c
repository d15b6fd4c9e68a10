/* All kernels for one instruction level; the base level also says what the library is. */
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
#include "draws.h"
#include "reweighted.h"
#include "sums.h"
#include "exact.h"
#include "score_cells.h"
#include "by_key.h"

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
#if defined(__x86_64__) && STAKES_LEVELS >= 3
    __builtin_cpu_init();
    int v3 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
             __builtin_cpu_supports("bmi") && __builtin_cpu_supports("bmi2");
#if STAKES_LEVELS >= 4
    if (v3 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 4;
#endif
    if (v3) return 3;
#endif
    return 1;
}
#endif
