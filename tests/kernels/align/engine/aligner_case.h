/*
 * aligner_case.h - cases for the tests of aligners, with the results of the scalar
 * backend.
 *
 * Each test program includes it once.
 */
#pragma once

#include "kernels/align/common/aligner_backend.h"
#include "tests/support/cigar_equal.h"
#include "tests/support/random_set.h"
#include "tests/support/unit_test.h"

#include <stdlib.h>
#include <string.h>

/* A set, pairs of it, and their results by the scalar backend. */
typedef struct {
    seqset_t *set;
    pair_t *pairs;
    int64_t n;
    int32_t *score, *matches, *columns; /* [n] */
    int64_t *cigar_start;               /* [n + 1] */
    uint32_t *cigar;
} case_t;

static pool_t *pools[4]; /* [n_threads] 1 and 3 */

static inline int make_pools(void **state)
{
    (void)state;
    return pool_create(1, &pools[1]) == ST_OK && pool_create(3, &pools[3]) == ST_OK ? 0
                                                                                    : -1;
}

static inline int destroy_pools(void **state)
{
    (void)state;
    pool_destroy(pools[1]);
    pool_destroy(pools[3]);
    return 0;
}

/* A case of the set that random_set_spell makes.  Its pairs are all (i, j) with i < j,
 * each followed by (j, i). */
static inline case_t spelled_case(const char *text)
{
    case_t c = {.n = 0};

    assert_int_equal(random_set_spell(text, &c.set), ST_OK);
    c.pairs = calloc((size_t)(c.set->n * c.set->n), sizeof(pair_t));
    assert_non_null(c.pairs);
    for (int32_t j = 1; j < c.set->n; j++)
        for (int32_t i = 0; i < j; i++) {
            c.pairs[c.n++] = (pair_t){i, j};
            c.pairs[c.n++] = (pair_t){j, i};
        }
    return c;
}

static inline void free_case(case_t *c)
{
    seqset_destroy(c->set);
    free(c->pairs);
    free(c->score);
    free(c->matches);
    free(c->columns);
    free(c->cigar_start);
    free(c->cigar);
}

static inline aligner_t *aligner_in(const align_context_t *context, const char *kernel)
{
    aligner_t *a = NULL;

    assert_int_equal(aligner_create(context, &(aligner_options_t){.kernel = kernel}, &a),
                     ST_OK);
    return a;
}

static inline aligner_t *aligner_of(const device_t *device, pool_t *pool,
                                    const char *kernel, const case_t *c,
                                    const align_spec_t *spec)
{
    return aligner_in(&(align_context_t){device, pool, c->set, spec, {0}}, kernel);
}

static inline void run(aligner_t *a, const pair_batch_t *batch, pair_results_t *out)
{
    assert_int_equal(aligner_submit(a, batch), ST_OK);
    assert_int_equal(aligner_wait(a, out), ST_OK);
}

static inline void *copy_of(const void *from, int64_t n, size_t size)
{
    void *to = malloc((size_t)n * size + 1);

    assert_non_null(to);
    memcpy(to, from, (size_t)n * size);
    return to;
}

static inline void know_results(case_t *c, const align_spec_t *spec)
{
    align_spec_t all = *spec;
    device_t cpu = device_cpu();
    pair_batch_t batch = {c->pairs, c->n};
    pair_results_t results;
    aligner_t *a;

    all.emit = EMIT_CIGAR;
    a = aligner_of(&cpu, pools[3], "scalar", c, &all);
    assert_string_equal(aligner_name(a), "scalar");
    run(a, &batch, &results);
    c->score = copy_of(results.score, c->n, sizeof(int32_t));
    c->matches = copy_of(results.matches, c->n, sizeof(int32_t));
    c->columns = copy_of(results.columns, c->n, sizeof(int32_t));
    c->cigar_start = copy_of(results.cigar_start, c->n + 1, sizeof(int64_t));
    c->cigar = copy_of(results.cigar, results.cigar_start[c->n], sizeof(uint32_t));
    aligner_destroy(a);
}

/* Whether pair i of a slice has the runs of pair first + i of the case. */
static inline bool has_cigar(const case_t *c, int64_t first, int64_t i,
                             const pair_results_t *got)
{
    return cigar_equal(got, i, false, c->cigar, c->cigar_start, first + i);
}

static inline void assert_slice(const case_t *c, const align_spec_t *spec, int64_t first,
                                int64_t n, const pair_results_t *got)
{
    for (int64_t i = 0; i < n; i++) {
        const pair_t *p = &c->pairs[first + i];
        int32_t matches = got->matches != NULL ? got->matches[i] : c->matches[first + i];
        int32_t columns = got->columns != NULL ? got->columns[i] : c->columns[first + i];
        char text[RANDOM_SET_TEXT_BYTES];

        if (got->score[i] == c->score[first + i] && matches == c->matches[first + i] &&
            columns == c->columns[first + i] && has_cigar(c, first, i, got))
            continue;
        random_set_describe(spec, text);
        fail_msg("%s: pair %d,%d of %d and %d bases: %d %d %d, not %d %d %d%s", text,
                 p->query, p->target, (int)seqset_len(c->set, p->query),
                 (int)seqset_len(c->set, p->target), got->score[i], matches, columns,
                 c->score[first + i], c->matches[first + i], c->columns[first + i],
                 has_cigar(c, first, i, got) ? "" : ", and another CIGAR");
    }
}

static inline void skip_without_simd(void)
{
    for (int level = SIMD_AVX512; level > (int)device_cpu().simd; level--)
        print_message("this machine has no %s: skipped\n",
                      device_simd_name((simd_level_t)level));
    if (device_cpu().simd == SIMD_NONE)
        skip();
}

static inline align_spec_t spec_of(align_ends_t ends, int32_t match, int32_t mismatch,
                                   int32_t gap)
{
    align_spec_t spec = {.ends = ends, .min_overlap = {0, 1}};

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, match, mismatch, gap);
    return spec;
}
