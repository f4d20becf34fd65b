/*
 * test_parasail_protein.c - scores of random proteins with BLOSUM62 equal parasail's
 * (Daily 2016), an aligner that shares no code with this one.
 *
 * parasail takes J, O and U for '*', so the sets have none of them.  With free ends it
 * always aligns something, while here two sequences may also have no columns and score 0.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "tests/kernels/align/engine/aligner_case.h"

#include <parasail.h>
#include <stdatomic.h>

enum { N_PAIRS = 100000 / RANDOM_SET_DIVISOR };

typedef struct {
    const case_t *c;
    const char *text; /* the set's letters, at the same offsets */
    align_ends_t ends;
    align_gap_t gap;
    const parasail_matrix_t *matrix;
    const pair_results_t *got;
    atomic_long first_wrong; /* -1: none */
    atomic_int wrong_score;
} check_t;

static parasail_result_t *by_parasail(const check_t *check, pair_t p)
{
    const seqset_t *set = check->c->set;
    const char *a = check->text + set->offset[p.query];
    const char *b = check->text + set->offset[p.target];
    int m = (int)seqset_len(set, p.query), n = (int)seqset_len(set, p.target);

    return (check->ends == ENDS_FREE ? parasail_sg_scan_16
            : check->ends == ENDS_COUNT
                ? parasail_nw_scan_16
                : parasail_sw_scan_16)(a, m, b, n, -check->gap.open, -check->gap.extend,
                                       check->matrix);
}

static void check_one(void *ctx, int64_t i, int thread)
{
    check_t *check = ctx;
    parasail_result_t *r = by_parasail(check, check->c->pairs[i]);
    int score = parasail_result_get_score(r);
    long none = -1;

    (void)thread;
    if (check->ends == ENDS_FREE && score < 0)
        score = 0;
    if ((parasail_result_is_saturated(r) || score != check->got->score[i]) &&
        atomic_compare_exchange_strong(&check->first_wrong, &none, (long)i))
        check->wrong_score = score;
    parasail_result_free(r);
}

/* @return the letters of a set without J, O and U, which become L, K and C */
static char *spell(seqset_t *set)
{
    char *text = malloc((size_t)set->offset[set->n] + 1);

    assert_non_null(text);
    for (int64_t i = 0; i < set->offset[set->n]; i++) {
        char letter = alphabet_letter(ALPHABET_PROTEIN, set->letters[i]);

        letter = letter == 'J' ? 'L' : letter == 'O' ? 'K' : letter == 'U' ? 'C' : letter;
        set->letters[i] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)letter);
        text[i] = letter;
    }
    return text;
}

static void assert_scores_equal(align_ends_t ends, align_gap_t gap)
{
    const random_set_opts_t opts = {400, 1, 120, 20};
    align_spec_t spec = {.emit = EMIT_SCORE, .ends = ends};
    rng_t rng = rng_seed(11);
    case_t c = protein_case(&rng, &opts, N_PAIRS);
    char *text = spell(c.set);
    device_t cpu = device_cpu();
    score_matrix_t matrix;
    pair_results_t got;
    check_t check = {.c = &c,
                     .text = text,
                     .ends = ends,
                     .gap = gap,
                     .matrix = parasail_matrix_lookup("blosum62"),
                     .got = &got,
                     .first_wrong = -1};
    aligner_t *a;

    assert_true(named_matrix_find("BLOSUM62", &matrix));
    align_scoring_set_matrix(&spec.scoring, &matrix, -1);
    align_scoring_set_gap(&spec.scoring, gap);
    a = aligner_of(&cpu, pools[3], "auto", &c, &spec);
    run(a, &(pair_batch_t){c.pairs, c.n}, &got);
    pool_run(pools[3], c.n, check_one, &check);
    if (check.first_wrong >= 0)
        fail_msg("pair %ld: %d, parasail has %d", (long)check.first_wrong,
                 got.score[check.first_wrong], check.wrong_score);
    aligner_destroy(a);
    free(text);
    free_case(&c);
}

static const align_gap_t linear = {-4, -4}, affine = {-11, -1};

static void scores_with_counted_ends_equal_parasails(void **state)
{
    (void)state;
    assert_scores_equal(ENDS_COUNT, linear);
    assert_scores_equal(ENDS_COUNT, affine);
}

static void scores_with_free_ends_equal_parasails(void **state)
{
    (void)state;
    assert_scores_equal(ENDS_FREE, linear);
    assert_scores_equal(ENDS_FREE, affine);
}

static void scores_of_local_alignments_equal_parasails(void **state)
{
    (void)state;
    assert_scores_equal(ENDS_LOCAL, affine);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scores_with_counted_ends_equal_parasails),
        cmocka_unit_test(scores_with_free_ends_equal_parasails),
        cmocka_unit_test(scores_of_local_alignments_equal_parasails),
    };

    return cmocka_run_group_tests(tests, make_pools, destroy_pools);
}
