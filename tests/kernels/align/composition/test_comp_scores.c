/*
 * test_comp_scores.c - tests that adjusted target frequencies meet their conditions, and
 * when scores are scaled instead.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/composition/comp_scores.h"

#include <math.h>
#include <string.h>

static comp_law_t law;

static int set_up(void **state)
{
    align_scoring_t scoring = {.gap = -1};
    score_matrix_t matrix;

    (void)state;
    if (!named_matrix_find("BLOSUM62", &matrix))
        return -1;
    align_scoring_set_matrix(&scoring, &matrix, -1);
    return comp_law_find(&scoring, &law) ? 0 : -1;
}

static void assert_near(double got, double want)
{
    assert_true(fabs(got - want) <= 1e-8);
}

/* The background, but one amino acid that is more frequent. */
static void lean(int amino_acid, double more, double out[COMP_AA])
{
    for (int i = 0; i < COMP_AA; i++)
        out[i] = (law.background[i] + (i == amino_acid ? more : 0)) / (1 + more);
}

static comp_counts_t counts_of(const double p[COMP_AA], double n)
{
    comp_counts_t c = {.n = n};

    for (int i = 0; i < COMP_AA; i++)
        c.count[i] = n * p[i];
    return c;
}

static void only_amino_acids_are_counted(void **state)
{
    static const uint8_t codes[] = {1, 1, 18, CODE_X, 27, 2};
    const comp_counts_t c = comp_scores_count(codes, sizeof(codes));

    (void)state;
    assert_near(c.n, 3);
    assert_near(c.count[0], 2);
    assert_near(c.count[1], 1);
}

static void targets_have_the_sums_and_the_entropy_that_are_asked_for(void **state)
{
    double p[COMP_AA], r[COMP_AA], targets[COMP_AA][COMP_AA], entropy = 0;

    (void)state;
    lean(3, 0.3, p);
    lean(10, 0.2, r);
    assert_true(comp_scores_targets(&law, p, r, 0.4, targets));
    for (int i = 0; i < COMP_AA; i++) {
        double row = 0, column = 0;

        for (int j = 0; j < COMP_AA; j++) {
            row += exp(targets[i][j]);
            column += exp(targets[j][i]);
            entropy += exp(targets[i][j]) * (targets[i][j] - log(p[i]) - log(r[j]));
        }
        assert_near(row, p[i]);
        assert_near(column, r[i]);
    }
    assert_near(entropy, 0.4);
}

/* ln x_ij = t ln q_ij + a_i + b_j: a and b cancel in differences of differences. */
static void targets_are_the_closest_to_those_of_the_matrix(void **state)
{
    double p[COMP_AA], r[COMP_AA], x[COMP_AA][COMP_AA], t = 0;

    (void)state;
    lean(3, 0.3, p);
    lean(10, 0.2, r);
    assert_true(comp_scores_targets(&law, p, r, 0.4, x));
    for (int i = 1; i < COMP_AA; i++)
        for (int j = 1; j < COMP_AA; j++) {
            const double of_x = x[i][j] - x[i][0] - x[0][j] + x[0][0];
            const double of_q = law.log_target[i][j] - law.log_target[i][0] -
                                law.log_target[0][j] + law.log_target[0][0];

            if (t == 0)
                t = of_x / of_q;
            assert_near(of_x, t * of_q);
        }
    assert_true(t > 0);
}

static void an_entropy_beyond_that_of_the_letters_is_refused(void **state)
{
    double p[COMP_AA], targets[COMP_AA][COMP_AA];

    (void)state;
    lean(0, 100, p);
    assert_false(comp_scores_targets(&law, p, p, law.entropy, targets));
}

static void the_background_keeps_the_matrix(void **state)
{
    const comp_counts_t c = counts_of(law.background, 300);
    int32_t scores[COMP_AA][COMP_AA];

    (void)state;
    for (comp_mode_t how = COMP_SCALE; how <= COMP_ADJUST; how++) {
        assert_int_equal(comp_scores(&law, how, &c, &c, scores), how);
        for (int i = 0; i < COMP_AA; i++)
            for (int j = 0; j < COMP_AA; j++)
                assert_int_equal(scores[i][j], COMP_UNIT * law.score[i][j]);
    }
}

static void a_frequent_residue_scores_less_with_itself(void **state)
{
    const double more[] = {0.1, 0.3};
    int32_t scores[COMP_AA][COMP_AA], before = COMP_UNIT * law.score[10][10];

    (void)state;
    for (int k = 0; k < 2; k++) {
        double p[COMP_AA];
        comp_counts_t c;

        lean(10, more[k], p);
        c = counts_of(p, 300);
        assert_int_equal(comp_scores(&law, COMP_ADJUST, &c, &c, scores), COMP_ADJUST);
        assert_true(scores[10][10] < before);
        before = scores[10][10];
    }
}

static void queries_and_targets_change_places(void **state)
{
    int32_t scores[COMP_AA][COMP_AA], mirrored[COMP_AA][COMP_AA];
    double p[COMP_AA], r[COMP_AA];
    comp_counts_t a, b;

    (void)state;
    lean(3, 0.2, p);
    lean(10, 0.3, r);
    a = counts_of(p, 200);
    b = counts_of(r, 500);
    comp_scores(&law, COMP_ADJUST, &a, &b, scores);
    comp_scores(&law, COMP_ADJUST, &b, &a, mirrored);
    for (int i = 0; i < COMP_AA; i++)
        for (int j = 0; j < COMP_AA; j++)
            assert_int_equal(scores[i][j], mirrored[j][i]);
}

static void scaling_halves_scores_at_most(void **state)
{
    double p[COMP_AA];
    int32_t scores[COMP_AA][COMP_AA];
    comp_counts_t c;

    (void)state;
    lean(5, 50, p);
    c = counts_of(p, 300);
    assert_int_equal(comp_scores(&law, COMP_SCALE, &c, &c, scores), COMP_SCALE);
    assert_int_equal(scores[5][5], COMP_UNIT * law.score[5][5] / 2);
}

/* Distance, lengths and angle are all too large; then each is not. */
static void proteins_that_differ_in_all_ways_are_scaled(void **state)
{
    double p[COMP_AA], r[COMP_AA], near[COMP_AA];
    comp_counts_t longer, shorter, as_long, similar;
    int32_t scores[COMP_AA][COMP_AA];

    (void)state;
    lean(3, 0.3, p);
    lean(10, 0.3, r);
    lean(3, 0.2, near);
    longer = counts_of(p, 1000);
    shorter = counts_of(r, 200);
    as_long = counts_of(r, 400);
    similar = counts_of(near, 200);
    assert_int_equal(comp_scores(&law, COMP_ADJUST, &longer, &shorter, scores),
                     COMP_SCALE);
    assert_int_equal(comp_scores(&law, COMP_ADJUST, &longer, &as_long, scores),
                     COMP_ADJUST);
    assert_int_equal(comp_scores(&law, COMP_ADJUST, &longer, &similar, scores),
                     COMP_ADJUST);
}

static void proteins_without_amino_acids_are_the_background(void **state)
{
    const comp_counts_t none = {.n = 0};
    int32_t scores[COMP_AA][COMP_AA];

    (void)state;
    assert_int_equal(comp_scores(&law, COMP_ADJUST, &none, &none, scores), COMP_ADJUST);
    assert_int_equal(scores[17][17], COMP_UNIT * law.score[17][17]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_amino_acids_are_counted),
        cmocka_unit_test(targets_have_the_sums_and_the_entropy_that_are_asked_for),
        cmocka_unit_test(targets_are_the_closest_to_those_of_the_matrix),
        cmocka_unit_test(an_entropy_beyond_that_of_the_letters_is_refused),
        cmocka_unit_test(the_background_keeps_the_matrix),
        cmocka_unit_test(a_frequent_residue_scores_less_with_itself),
        cmocka_unit_test(queries_and_targets_change_places),
        cmocka_unit_test(scaling_halves_scores_at_most),
        cmocka_unit_test(proteins_that_differ_in_all_ways_are_scaled),
        cmocka_unit_test(proteins_without_amino_acids_are_the_background),
    };

    return cmocka_run_group_tests(tests, set_up, NULL);
}
