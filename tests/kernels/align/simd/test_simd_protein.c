/*
 * test_simd_protein.c - with proteins the backend simd equals scalar, which is the
 * reference, at every SIMD level.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/kernels/align/engine/aligner_case.h"

static align_spec_t random_spec(rng_t *rng, int k)
{
    (void)k;
    return random_set_protein_spec(rng);
}

static void simd_equals_scalar_on_tiny_pairs(void **state)
{
    (void)state;
    try_random_specs(1, random_spec, &(random_set_opts_t){160, 1, 12, 50},
                     random_set_count(30), 300, "simd");
}

static void simd_equals_scalar_on_medium_pairs(void **state)
{
    (void)state;
    try_random_specs(2, random_spec, &(random_set_opts_t){60, 1, 300, 30},
                     random_set_count(20), 50, "simd");
}

static void simd_equals_scalar_on_large_pairs(void **state)
{
    (void)state;
    try_random_specs(3, random_spec, &(random_set_opts_t){16, 1, 2500, 30},
                     random_set_count(3), 4, "simd");
}

/* Every pair of a set, ordered by query, as in a run: pairs of a query share the rows. */
static void try_all_pairs(rng_t *rng, const random_set_opts_t *opts, bool is_protein)
{
    align_spec_t spec = random_set_protein_spec(rng);
    case_t c = is_protein ? protein_case(rng, opts, opts->n * opts->n)
                          : random_case(rng, opts, opts->n * opts->n);
    score_matrix_t matrix;

    if (!is_protein) {
        align_gap_t gap = align_scoring_gap(&spec.scoring);

        random_set_matrix(rng, &matrix);
        align_scoring_set_matrix(&spec.scoring, &matrix, -1);
        align_scoring_set_gap(&spec.scoring, gap);
    }
    for (int64_t k = 0; k < c.n; k++)
        c.pairs[k] = (pair_t){(int32_t)(k / opts->n), (int32_t)(k % opts->n)};
    assert_levels_equal_scalar(&c, &spec, pools[3], "simd");
}

static void simd_equals_scalar_where_pairs_share_their_rows(void **state)
{
    static const random_set_opts_t opts[] = {{7, 1, 60, 30},
                                             {9, 1, 90, 30},
                                             {33, 1, 60, 30},
                                             {66, 1, 20, 30}};
    rng_t rng = rng_seed(5);

    (void)state;
    for (int k = 0; k < random_set_count(24); k++)
        try_all_pairs(&rng, &opts[k % 4], k % 3 != 0);
}

/* BLOSUM62, gaps 11 and 1.  MKV-WAL
 *                           MRVHWAL: 5 + 2 + 4 - 11 + 11 + 4 + 4 = 19. */
static void a_pair_scored_by_hand(void **state)
{
    const char *text[] = {"MKVWAL", "MRVHWAL"};
    align_spec_t spec = {.emit = EMIT_IDENTITY, .ends = ENDS_COUNT};
    seqset_builder_t builder = {.alphabet = ALPHABET_PROTEIN};
    pair_t pair = {0, 1};
    case_t c = {.pairs = &pair, .n = 1};
    device_t cpu = device_cpu();
    score_matrix_t matrix;
    pair_results_t got;
    aligner_t *a;

    (void)state;
    for (int i = 0; i < 2; i++) {
        uint8_t codes[8];

        for (size_t k = 0; k < strlen(text[i]); k++)
            codes[k] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)text[i][k]);
        assert_int_equal(seqset_builder_add(&builder, "p", 1, codes, strlen(text[i])),
                         ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &c.set), ST_OK);
    assert_true(named_matrix_find("BLOSUM62", &matrix));
    align_scoring_set_matrix(&spec.scoring, &matrix, -1);
    align_scoring_set_gap(&spec.scoring, (align_gap_t){-11, -1});
    a = aligner_of(&cpu, pools[1], "auto", &c, &spec);
    run(a, &(pair_batch_t){&pair, 1}, &got);
    assert_int_equal(got.score[0], 19);
    assert_int_equal(got.matches[0], 5);
    assert_int_equal(got.columns[0], 7);
    aligner_destroy(a);
    seqset_destroy(c.set);
}

/* Backends for DNA refuse proteins by what they declare. */
static void bscan_takes_no_proteins(void **state)
{
    align_spec_t spec = {.emit = EMIT_SCORE, .ends = ENDS_COUNT};
    align_support_t supports = bscan_backend.supports;

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 1, 0, -1);
    assert_true(align_support_has(&supports, &spec));
    spec.scoring.alphabet = ALPHABET_PROTEIN;
    assert_false(align_support_has(&supports, &spec));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(simd_equals_scalar_on_tiny_pairs),
        cmocka_unit_test(simd_equals_scalar_on_medium_pairs),
        cmocka_unit_test(simd_equals_scalar_on_large_pairs),
        cmocka_unit_test(simd_equals_scalar_where_pairs_share_their_rows),
        cmocka_unit_test(a_pair_scored_by_hand),
        cmocka_unit_test(bscan_takes_no_proteins),
    };

    return cmocka_run_group_tests(tests, make_pools, destroy_pools);
}
