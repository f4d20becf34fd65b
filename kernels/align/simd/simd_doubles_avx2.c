/*
 * simd_doubles_avx2.c - the sweeps with 64 bits for AVX2.
 *
 * Cells and keys are whole numbers in doubles: AVX2 has a maximum of doubles, but none of
 * 64-bit integers.
 */
#include "kernels/align/simd/simd_local_sweep.h"
#include "kernels/align/simd/simd_sweep.h"

#include <immintrin.h>

#define AS_DOUBLES(v) _mm256_castsi256_pd(v)
#define AS_BITS(v)    _mm256_castpd_si256(v)
#define BOTH(q, t)    AS_BITS(_mm256_and_pd(q, t))
/* Per lane, match where the bases are equal. */
#define MATCH_IF(q, t, match, mismatch) \
    _mm256_blendv_pd(mismatch, match,   \
                     AS_DOUBLES(_mm256_cmpeq_epi64(AS_BITS(q), AS_BITS(t))))
/* Per lane, mismatch where the sets' intersection is empty. */
#define MEET(q, t, match, mismatch)   \
    _mm256_blendv_pd(match, mismatch, \
                     AS_DOUBLES(_mm256_cmpeq_epi64(BOTH(q, t), _mm256_setzero_si256())))
#define REACHING(a, b) _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_GE_OQ))
#define EQUAL(a, b)    _mm256_movemask_pd(_mm256_cmp_pd(a, b, _CMP_EQ_OQ))
#define CODES(p)       _mm256_cvtepu8_epi64(_mm_loadu_si32(p))

/* Per lane, a or 0: b is -1 or 0. */
#define KEEP(a, b) _mm256_and_pd(a, _mm256_cmp_pd(b, _mm256_setzero_pd(), _CMP_NEQ_OQ))

#define NAME                             local
#define LANE                             double
#define LANES                            4
#define VEC                              __m256d
#define V_LOAD(p)                        _mm256_load_pd(p)
#define V_STORE(p, v)                    _mm256_store_pd(p, v)
#define V_SET1(x)                        _mm256_set1_pd(x)
#define V_ADD(a, b)                      _mm256_add_pd(a, b)
#define V_AND(a, b)                      KEEP(a, b)
#define V_MAX(a, b)                      _mm256_max_pd(a, b)
#define V_SETS(p)                        AS_DOUBLES(CODES(p))
#define V_STEP(g, q, t, match, mismatch) MEET(q, t, match, mismatch)
#define V_SAME(g, q, t, match, mismatch) MATCH_IF(q, t, match, mismatch)
#define V_TOP(a, b)                      _mm256_max_pd(a, b)
#define OPENING(x)                       (x)
#define V_OPENED(run, cell)              V_TOP(V_ADD(cell, (run)->open), (run)->floor)
#define V_REACHES(a, b)                  (REACHING(a, b) != 0)
#define V_EQUAL(a, b)                    EQUAL(a, b)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep
#define LANES_AGAIN
#include "kernels/align/simd/simd_sweep_body.h"

#define NAME      local_table
#define V_ROWS(p) AS_DOUBLES(_mm256_slli_epi64(CODES(p), 5))
#define V_STEP(g, q, t, match, mismatch) \
    _mm256_i64gather_pd((g)->table_doubles, _mm256_or_si256(AS_BITS(q), AS_BITS(t)), 8)
#include "kernels/align/simd/simd_local_body.h"
#define NAME sweep_table
#include "kernels/align/simd/simd_sweep_body.h"

void simd_local_avx2_64(const local_group_t *group, local_best_t *best)
{
    local(group, best);
}

void simd_local_avx2_64_table(const local_group_t *group, local_best_t *best)
{
    local_table(group, best);
}

void simd_sweep_avx2_64(const simd_group_t *group, cell_end_t *best)
{
    sweep(group, best);
}

void simd_sweep_avx2_64_affine(const simd_group_t *group, cell_end_t *best)
{
    sweep_affine(group, best);
}

void simd_sweep_avx2_64_table(const simd_group_t *group, cell_end_t *best)
{
    sweep_table(group, best);
}

void simd_sweep_avx2_64_table_affine(const simd_group_t *group, cell_end_t *best)
{
    sweep_table_affine(group, best);
}
