/*
 * test_named_matrix.c - tests the built-in score matrices at values known from their
 * sources.
 */
#include "tests/support/unit_test.h"

#include "io/seq/matrix_file.h"

static score_matrix_t matrix;

static int score(char a, char b)
{
    uint8_t x = alphabet_code(ALPHABET_DNA, (unsigned char)a),
            y = alphabet_code(ALPHABET_DNA, (unsigned char)b);

    assert_int_equal(matrix.score[x][y], matrix.score[y][x]);
    return matrix.score[x][y];
}

static void nuc_4_4_scores_codes_by_the_probability_of_a_match(void **state)
{
    (void)state;
    assert_true(named_matrix_find("NUC.4.4", &matrix));
    for (int a = 1; a < DNA_SIZE; a++)
        assert_true(matrix.has[a]);
    assert_int_equal(score('A', 'A'), 5);
    assert_int_equal(score('A', 'T'), -4);
    assert_int_equal(score('C', 'G'), -4);
    assert_int_equal(score('A', 'N'), -2);
    assert_int_equal(score('N', 'N'), -1);
    assert_int_equal(score('R', 'A'), 1);
    assert_int_equal(score('R', 'Y'), -4);
    assert_int_equal(score('K', 'D'), -1);
    assert_int_equal(score('M', 'D'), -3);
    assert_int_equal(score('V', 'H'), -2);
}

/* R is A or G: (2 - 3) / 2 is rounded to -1; N: (2 - 9) / 4 to -2. */
static void blastns_matrix_has_the_mean_over_the_bases_of_a_code(void **state)
{
    (void)state;
    assert_true(named_matrix_find("BLASTN.2.3", &matrix));
    assert_int_equal(score('A', 'A'), 2);
    assert_int_equal(score('A', 'C'), -3);
    assert_int_equal(score('R', 'A'), -1);
    assert_int_equal(score('R', 'C'), -3);
    assert_int_equal(score('B', 'C'), -1);
    assert_int_equal(score('N', 'A'), -2);
    assert_int_equal(score('N', 'N'), -2);
}

static void blosum62_is_a_matrix_of_proteins(void **state)
{
    (void)state;
    assert_true(named_matrix_find("BLOSUM62", &matrix));
    assert_int_equal(matrix.alphabet, ALPHABET_PROTEIN);
    assert_int_equal(matrix.score['W' - 'A' + 1]['W' - 'A' + 1], 11);
}

static void other_names_are_those_of_files(void **state)
{
    (void)state;
    assert_false(named_matrix_find("nuc.4.4", &matrix));
    assert_false(named_matrix_find("./NUC.4.4", &matrix));
    assert_false(named_matrix_find("", &matrix));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nuc_4_4_scores_codes_by_the_probability_of_a_match),
        cmocka_unit_test(blastns_matrix_has_the_mean_over_the_bases_of_a_code),
        cmocka_unit_test(blosum62_is_a_matrix_of_proteins),
        cmocka_unit_test(other_names_are_those_of_files),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
