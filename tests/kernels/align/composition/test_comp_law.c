/*
 * test_comp_law.c - tests the frequencies and the scale that a matrix implies.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/composition/comp_law.h"

#include <math.h>

static align_scoring_t blosum62(void)
{
    align_scoring_t scoring = {.gap = -1};
    score_matrix_t matrix;

    assert_true(named_matrix_find("BLOSUM62", &matrix));
    align_scoring_set_matrix(&scoring, &matrix, -1);
    return scoring;
}

/* Scores of all pairs of letters. */
static align_scoring_t two_valued(int32_t match, int32_t mismatch)
{
    align_scoring_t scoring = {.gap = -1};

    for (int i = 0; i < ALPHABET_SIZE; i++)
        for (int j = 0; j < ALPHABET_SIZE; j++)
            scoring.score[i][j] = i == j ? match : mismatch;
    return scoring;
}

static void assert_near(double got, double want, double tolerance)
{
    assert_true(fabs(got - want) <= tolerance);
}

static void the_codes_are_those_of_all_amino_acids(void **state)
{
    static const char letters[] = "ARNDCQEGHILKMFPSTWYV";

    (void)state;
    for (int i = 0; i < COMP_AA; i++)
        assert_int_equal(comp_law_code[i],
                         alphabet_code(ALPHABET_PROTEIN, (unsigned char)letters[i]));
}

/* All letters are equally frequent; x = exp(2 lambda) solves x / 20 + 19 / (20 x) = 1. */
static void equal_letters_have_a_scale_worked_by_hand(void **state)
{
    const align_scoring_t scoring = two_valued(2, -2);
    comp_law_t law;

    (void)state;
    assert_true(comp_law_find(&scoring, &law));
    assert_near(law.lambda, log(19) / 2, 1e-9);
    for (int i = 0; i < COMP_AA; i++) {
        assert_near(law.background[i], 0.05, 1e-9);
        assert_near(exp(law.log_target[i][i]), 0.05 * 0.95, 1e-9);
    }
    assert_near(law.entropy, 0.95 * log(19) - 0.05 * log(19), 1e-9);
}

static void target_frequencies_have_the_sums_of_the_background(void **state)
{
    const align_scoring_t scoring = blosum62();
    double sum = 0;
    comp_law_t law;

    (void)state;
    assert_true(comp_law_find(&scoring, &law));
    assert_near(law.lambda, 0.32, 0.01); /* half bits are 0.347, rounded up */
    for (int i = 0; i < COMP_AA; i++) {
        double row = 0;

        for (int j = 0; j < COMP_AA; j++)
            row += exp(law.log_target[i][j]);
        assert_near(row, law.background[i], 1e-10);
        sum += law.background[i];
    }
    assert_near(sum, 1, 1e-10);
}

static void the_scale_of_the_background_is_that_of_the_matrix(void **state)
{
    const align_scoring_t scoring = blosum62();
    comp_law_t law;

    (void)state;
    assert_true(comp_law_find(&scoring, &law));
    assert_near(comp_law_lambda(&law, law.background, law.background), law.lambda, 1e-9);
}

static void scores_that_gain_in_the_mean_have_no_scale(void **state)
{
    const align_scoring_t scoring = blosum62();
    const double tryptophan[COMP_AA] = {[17] = 1}, alanine[COMP_AA] = {1};
    comp_law_t law;

    (void)state;
    assert_true(comp_law_find(&scoring, &law));
    assert_true(comp_law_lambda(&law, tryptophan, tryptophan) == 0);
    assert_true(comp_law_lambda(&law, tryptophan, alanine) == 0); /* -3 alone */
}

static void a_matrix_that_only_gains_implies_nothing(void **state)
{
    const align_scoring_t gains = two_valued(2, 1), loses = two_valued(-1, -2);
    comp_law_t law;

    (void)state;
    assert_false(comp_law_find(&gains, &law));
    assert_false(comp_law_find(&loses, &law));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_codes_are_those_of_all_amino_acids),
        cmocka_unit_test(equal_letters_have_a_scale_worked_by_hand),
        cmocka_unit_test(target_frequencies_have_the_sums_of_the_background),
        cmocka_unit_test(the_scale_of_the_background_is_that_of_the_matrix),
        cmocka_unit_test(scores_that_gain_in_the_mean_have_no_scale),
        cmocka_unit_test(a_matrix_that_only_gains_implies_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
