/*
 * test_align_spec.c - scores of bases under each ambiguity mode, ranges, overlaps.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/common/align_run.h"
#include "kernels/align/common/align_spec.h"

#include <string.h>

static align_scoring_t scoring_of(align_ambiguity_t ambiguity)
{
    align_scoring_t s;

    align_scoring_set(&s, ambiguity, 4, -5, -7);
    return s;
}

static bool match(const align_scoring_t *s, char a, char b)
{
    uint8_t x = alphabet_code(ALPHABET_DNA, (unsigned char)a),
            y = alphabet_code(ALPHABET_DNA, (unsigned char)b);

    assert_int_equal(s->score[x][y], s->is_match[x][y] ? 4 : -5);
    assert_int_equal(s->is_match[x][y], s->is_match[y][x]);
    assert_int_equal(s->is_match[x][y],
                     (s->set_of[x] & s->set_of[y]) != 0 && (x == y || !s->same_code));
    return s->is_match[x][y] != 0;
}

static void bases_match_themselves_in_every_mode(void **state)
{
    (void)state;
    for (int mode = AMBIGUITY_N_MISMATCH; mode <= AMBIGUITY_NEUTRAL; mode++) {
        align_scoring_t s = scoring_of((align_ambiguity_t)mode);

        for (int a = 0; a < 4; a++)
            for (int b = 0; b < 4; b++)
                assert_int_equal(match(&s, "ACGT"[a], "ACGU"[b]), a == b);
    }
}

/* R is A or G, Y is C or T, B is all but A, N is any. */
static void by_default_ambiguity_codes_match_if_they_may_be_equal_but_n_never_does(
    void **state)
{
    align_scoring_t s = scoring_of(AMBIGUITY_N_MISMATCH);

    (void)state;
    assert_true(match(&s, 'R', 'A'));
    assert_true(match(&s, 'R', 'R'));
    assert_true(match(&s, 'R', 'B'));
    assert_false(match(&s, 'R', 'C'));
    assert_false(match(&s, 'R', 'Y'));
    assert_false(match(&s, 'B', 'A'));
    assert_false(match(&s, 'N', 'A'));
    assert_false(match(&s, 'N', 'N'));
}

static void n_matches_everything_if_ambiguity_codes_match(void **state)
{
    align_scoring_t s = scoring_of(AMBIGUITY_MATCH);

    (void)state;
    for (const char *letter = "ACMGRSVTWYHKDBN"; *letter != '\0'; letter++)
        assert_true(match(&s, 'N', *letter));
    assert_false(match(&s, 'R', 'Y'));
}

static void no_ambiguity_code_matches_if_they_mismatch(void **state)
{
    align_scoring_t s = scoring_of(AMBIGUITY_MISMATCH);

    (void)state;
    for (const char *code = "MRSVWYHKDBN"; *code != '\0'; code++)
        for (const char *letter = "ACMGRSVTWYHKDBN"; *letter != '\0'; letter++)
            assert_false(match(&s, *code, *letter));
}

static void codes_match_only_themselves_if_they_have_to_be_the_same(void **state)
{
    align_scoring_t s = scoring_of(AMBIGUITY_SAME);

    (void)state;
    assert_false(s.two_valued);
    for (const char *a = "ACMGRSVTWYHKDBN"; *a != '\0'; a++)
        for (const char *b = "ACMGRSVTWYHKDBN"; *b != '\0'; b++)
            assert_int_equal(match(&s, *a, *b), *a == *b);
}

/* As in vsearch: a column of N and any base is a match that scores 0. */
static void neutral_codes_match_as_sets_and_score_nothing(void **state)
{
    align_scoring_t s = scoring_of(AMBIGUITY_NEUTRAL);

    (void)state;
    assert_false(s.two_valued);
    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++) {
            bool plain = alphabet_is_base(ALPHABET_DNA, (uint8_t)a) &&
                         alphabet_is_base(ALPHABET_DNA, (uint8_t)b);

            assert_int_equal(s.is_match[a][b], (a & b) != 0);
            assert_int_equal(s.score[a][b], !plain ? 0 : a == b ? 4 : -5);
        }
}

static void both_values_are_kept_beside_the_table(void **state)
{
    align_scoring_t s = scoring_of(AMBIGUITY_MATCH);

    (void)state;
    assert_true(s.two_valued);
    assert_int_equal(s.match, 4);
    assert_int_equal(s.mismatch, -5);
    assert_int_equal(s.gap, -7);
}

static score_matrix_t small_matrix(void)
{
    score_matrix_t matrix;

    memset(&matrix, 0, sizeof(matrix));
    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++)
            matrix.score[a][b] = a == b ? 5 : a == CODE_N || b == CODE_N ? -2 : -4;
    return matrix;
}

static void a_matrix_gives_the_scores_and_equal_codes_match(void **state)
{
    score_matrix_t matrix = small_matrix();
    align_scoring_t s;

    (void)state;
    align_scoring_set_matrix(&s, &matrix, -8);
    assert_false(s.two_valued);
    assert_int_equal(s.gap, -8);
    assert_int_equal(s.score[1][1], 5);
    assert_int_equal(s.score[1][2], -4);
    assert_int_equal(s.score[1][CODE_N], -2);
    for (int a = 1; a < DNA_SIZE; a++)
        for (int b = 1; b < DNA_SIZE; b++)
            assert_int_equal(s.is_match[a][b], a == b);
}

static void only_equal_bases_match_where_bases_are_plain(void **state)
{
    align_scoring_t s = {0};
    score_matrix_t matrix = {0};
    int32_t match, mismatch;

    (void)state;
    for (int ambiguity = 0; ambiguity <= AMBIGUITY_NEUTRAL; ambiguity++) {
        align_scoring_set(&s, (align_ambiguity_t)ambiguity, 2, -4, -2);
        assert_true(align_scoring_is_plain(&s, &match, &mismatch));
        assert_int_equal(match, 2);
        assert_int_equal(mismatch, -4);
    }
    s.score[1][4] = -1; /* a transition */
    assert_false(align_scoring_is_plain(&s, &match, &mismatch));
    matrix.score[1][1] = 1; /* the other bases score 0, like unequal ones */
    align_scoring_set_matrix(&s, &matrix, -2);
    assert_false(align_scoring_is_plain(&s, &match, &mismatch));
}

/* Minimum: 30 gap bases, one more and the worst step; maximum: 10 matches and one. */
static void the_range_spans_all_gaps_and_all_matches(void **state)
{
    align_spec_t spec = {.emit = EMIT_SCORE, .ends = ENDS_COUNT};
    align_range_t range;

    (void)state;
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 4, -5, -7);
    range = align_range(&spec, 10, 20);
    assert_int_equal(range.min, -30 * 7 - 7 - 7);
    assert_int_equal(range.max, 11 * 4);
    align_scoring_set(&spec.scoring, AMBIGUITY_N_MISMATCH, 2, -30, -3);
    range = align_range(&spec, 20, 10);
    assert_int_equal(range.min, -30 * 3 - 30 - 3);
    assert_int_equal(range.max, 11 * 2);
}

static void an_overlap_of_exactly_the_minimum_suffices(void **state)
{
    align_spec_t spec = {.ends = ENDS_FREE, .min_overlap = {1, 2}};

    (void)state;
    assert_true(align_overlap_suffices(&spec, 8, 100, 4));
    assert_true(align_overlap_suffices(&spec, 100, 8, 4));
    assert_false(align_overlap_suffices(&spec, 8, 100, 3));
    assert_true(align_overlap_suffices(&spec, 7, 7, 4));
    assert_false(align_overlap_suffices(&spec, 7, 7, 3));
    spec.min_overlap = (fraction_t){501, 1000};
    assert_false(align_overlap_suffices(&spec, 8, 100, 4));
}

static void a_minimum_overlap_of_zero_is_always_reached(void **state)
{
    align_spec_t spec = {.ends = ENDS_FREE, .min_overlap = {0, 1}};

    (void)state;
    assert_true(align_overlap_suffices(&spec, 1500, 1500, 0));
}

static void counted_ends_have_no_minimum_overlap(void **state)
{
    align_spec_t spec = {.ends = ENDS_COUNT, .min_overlap = {1, 1}};

    (void)state;
    assert_true(align_overlap_suffices(&spec, 1500, 1500, 1));
}

static void neither_have_counted_ends_of_the_query(void **state)
{
    align_spec_t spec = {.ends = ENDS_QUERY, .min_overlap = {1, 1}};

    (void)state;
    assert_true(align_overlap_suffices(&spec, 1500, 1500, 1));
}

static void a_run_is_cancelled_only_by_its_flag(void **state)
{
    const int *cancel = NULL;
    int flag = 0;

    (void)state;
    assert_false(align_cancelled(cancel));
    cancel = &flag;
    assert_false(align_cancelled(cancel));
    flag = 1;
    assert_true(align_cancelled(cancel));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bases_match_themselves_in_every_mode),
        cmocka_unit_test(
            by_default_ambiguity_codes_match_if_they_may_be_equal_but_n_never_does),
        cmocka_unit_test(n_matches_everything_if_ambiguity_codes_match),
        cmocka_unit_test(no_ambiguity_code_matches_if_they_mismatch),
        cmocka_unit_test(codes_match_only_themselves_if_they_have_to_be_the_same),
        cmocka_unit_test(neutral_codes_match_as_sets_and_score_nothing),
        cmocka_unit_test(both_values_are_kept_beside_the_table),
        cmocka_unit_test(a_matrix_gives_the_scores_and_equal_codes_match),
        cmocka_unit_test(only_equal_bases_match_where_bases_are_plain),
        cmocka_unit_test(the_range_spans_all_gaps_and_all_matches),
        cmocka_unit_test(an_overlap_of_exactly_the_minimum_suffices),
        cmocka_unit_test(a_minimum_overlap_of_zero_is_always_reached),
        cmocka_unit_test(counted_ends_have_no_minimum_overlap),
        cmocka_unit_test(neither_have_counted_ends_of_the_query),
        cmocka_unit_test(a_run_is_cancelled_only_by_its_flag),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
