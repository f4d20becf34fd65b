/*
 * test_parasail.c - scores of real 16S genes equal parasail's (Daily 2016), an aligner
 * that shares no code with this one.
 *
 * All pairs of the records without ambiguity codes, of a file in the directory that the
 * environment variable RIBOGRID_DATA names.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/seq/fasta.h"
#include "kernels/align/engine/aligner.h"
#include "tests/support/random_set.h"

#include <parasail.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { MATCH = 4, MISMATCH = -5, SKIPPED = 77, PATH_BYTES = 4096 };

/* Of a record's pairs with those before it, one in STEP is compared.  Genes are long:
 * sanitizers take a minute for a fifth of the pairs. */
enum { STEP = RANDOM_SET_DIVISOR * RANDOM_SET_DIVISOR };

/* Set up once, for all tests. */
static pool_t *pool;
static seqset_t *set;
static char *text; /* the set's letters, at the same offsets */
static int32_t *plain;
static int64_t n_plain; /* records without ambiguity codes */
static pair_t *pairs;
static int64_t n_pairs;

typedef struct {
    align_ends_t ends;
    align_gap_t gap;
    const parasail_matrix_t *matrix;
    const pair_results_t *got;
    atomic_long first_wrong; /* -1: none */
    atomic_int wrong_score;
} check_t;

static bool has_only_bases(int64_t record)
{
    for (int64_t i = set->offset[record]; i < set->offset[record + 1]; i++)
        if (!alphabet_is_base(ALPHABET_DNA, set->letters[i]))
            return false;
    return true;
}

static bool load(const char *path)
{
    const fasta_opts_t opts = {0};

    if (fasta_read(path, &opts, NULL, &set) != ST_OK ||
        pool_create(device_cpu().n_cores, &pool) != ST_OK)
        return false;
    text = malloc((size_t)set->offset[set->n] + 1);
    plain = malloc((size_t)set->n * sizeof(*plain));
    pairs = malloc((size_t)(set->n * set->n) * sizeof(*pairs));
    if (text == NULL || plain == NULL || pairs == NULL)
        return false;
    for (int64_t i = 0; i < set->offset[set->n]; i++)
        text[i] = alphabet_letter(ALPHABET_DNA, set->letters[i]);
    for (int32_t i = 0; i < set->n; i++)
        if (has_only_bases(i))
            plain[n_plain++] = i;
    for (int64_t i = 0; i < n_plain; i++)
        for (int64_t j = i % STEP; j < i; j += STEP)
            pairs[n_pairs++] = (pair_t){plain[i], plain[j]};
    return true;
}

static void unload(void)
{
    pool_destroy(pool);
    seqset_destroy(set);
    free(text);
    free(plain);
    free(pairs);
}

static void check_one(void *ctx, int64_t i, int thread)
{
    check_t *check = ctx;
    pair_t p = pairs[i];
    const char *a = text + set->offset[p.query], *b = text + set->offset[p.target];
    int m = (int)seqset_len(set, p.query), n = (int)seqset_len(set, p.target);
    parasail_result_t *r;
    long none = -1;

    (void)thread;
    r = (check->ends == ENDS_FREE    ? parasail_sg_scan_16
         : check->ends == ENDS_LOCAL ? parasail_sw_scan_16
                                     : parasail_nw_scan_16)(a, m, b, n, -check->gap.open,
                                                            -check->gap.extend,
                                                            check->matrix);
    if ((parasail_result_is_saturated(r) ||
         parasail_result_get_score(r) != check->got->score[i]) &&
        atomic_compare_exchange_strong(&check->first_wrong, &none, (long)i))
        check->wrong_score = parasail_result_get_score(r);
    parasail_result_free(r);
}

static void assert_scores_equal(align_ends_t ends, align_gap_t gap, align_emit_t emit)
{
    align_spec_t spec = {.emit = emit, .ends = ends};
    pair_batch_t batch = {pairs, n_pairs};
    parasail_matrix_t *matrix = parasail_matrix_create("ACGT", MATCH, MISMATCH);
    device_t cpu = device_cpu();
    pair_results_t got;
    check_t check = {
        .ends = ends, .gap = gap, .matrix = matrix, .got = &got, .first_wrong = -1};
    aligner_t *a = NULL;

    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, MATCH, MISMATCH, -1);
    align_scoring_set_gap(&spec.scoring, gap);
    assert_int_equal(aligner_create(&(align_context_t){&cpu, pool, set, &spec, {0}},
                                    &(aligner_options_t){.kernel = "auto"}, &a),
                     ST_OK);
    assert_int_equal(aligner_submit(a, &batch), ST_OK);
    assert_int_equal(aligner_wait(a, &got), ST_OK);
    pool_run(pool, n_pairs, check_one, &check);
    if (check.first_wrong >= 0) {
        pair_t p = pairs[check.first_wrong];

        fail_msg("%s and %s: %d, parasail has %d", seqset_name(set, p.query),
                 seqset_name(set, p.target), got.score[check.first_wrong],
                 check.wrong_score);
    }
    print_message("%ld pairs by %s\n", (long)n_pairs, aligner_name(a));
    aligner_destroy(a);
    parasail_matrix_free(matrix);
}

static void the_file_has_pairs_to_compare(void **state)
{
    (void)state;
    assert_true(n_plain > 100);
}

static const align_gap_t linear = {-7, -7}, affine = {-20, -2};

static void scores_with_counted_ends_equal_parasails(void **state)
{
    (void)state;
    assert_scores_equal(ENDS_COUNT, linear, EMIT_SCORE);
    assert_scores_equal(ENDS_COUNT, affine, EMIT_SCORE);
}

static void scores_with_free_ends_equal_parasails(void **state)
{
    (void)state;
    assert_scores_equal(ENDS_FREE, linear, EMIT_SCORE);
    assert_scores_equal(ENDS_FREE, affine, EMIT_SCORE);
}

/* Scores alone, and those that are computed with identities, in other lanes. */
static void local_scores_equal_parasails(void **state)
{
    (void)state;
    assert_scores_equal(ENDS_LOCAL, linear, EMIT_IDENTITY);
    assert_scores_equal(ENDS_LOCAL, affine, EMIT_SCORE);
    assert_scores_equal(ENDS_LOCAL, affine, EMIT_IDENTITY);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_file_has_pairs_to_compare),
        cmocka_unit_test(scores_with_counted_ends_equal_parasails),
        cmocka_unit_test(scores_with_free_ends_equal_parasails),
        cmocka_unit_test(local_scores_equal_parasails),
    };
    const char *dir = getenv("RIBOGRID_DATA");
    char path[PATH_BYTES];
    int failed;

    snprintf(path, sizeof(path), "%s/16s/rdp_testDMtrain.fasta.gz",
             dir != NULL ? dir : "");
    if (dir == NULL || access(path, R_OK) != 0) {
        printf("skipped: RIBOGRID_DATA/16s/rdp_testDMtrain.fasta.gz not found\n");
        return SKIPPED;
    }
    failed = load(path) ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
    unload();
    return failed;
}
