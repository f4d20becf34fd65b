/*
 * test_matrix_file.c - score matrices in NCBI format: what is accepted, and what is
 * refused with file and line.
 */
#include "tests/support/unit_test.h"

#include "io/seq/matrix_file.h"
#include "tests/support/captured_log.h"

/* The smallest valid matrix; the refused ones differ from it by one edit. */
#define ROW_A "A  5 -4 -4 -4\n"
#define ROW_C "C -4  5 -4 -4\n"
#define ROW_G "G -4 -4  5 -4\n"
#define ROW_T "T -4 -4 -4  5\n"
#define ACGT  "   A  C  G  T\n"

static status_t read_text(const char *text, score_matrix_t *matrix)
{
    char path[PATH_BYTES];
    status_t st;

    dir_file("matrix", path);
    dir_put(path, text, strlen(text));
    capture_start();
    st = matrix_file_read(path, ALPHABET_DNA, matrix);
    capture_stop();
    unlink(path);
    return st;
}

/* @param message  "matrix:LINE: cause" */
static void assert_refused(const char *text, const char *message)
{
    score_matrix_t matrix = {.score = {{77}}};
    status_t st = read_text(text, &matrix);

    assert_logged(message);
    assert_logged_one_line();
    assert_int_equal(st, ST_EINPUT);
    assert_int_equal(matrix.score[0][0], 77); /* unchanged */
}

static void a_matrix_in_ncbi_format_is_read(void **state)
{
    score_matrix_t m;

    (void)state;
    assert_int_equal(read_text("# A comment\n#\n\n"
                               "   A   T   G   C   N\n"
                               "A  5  -4  -3  -4  -2\n"
                               "T -4   6  -4  -3  -1\n"
                               "\n"
                               "# another\n"
                               "G -3  -4   7  -4   0\n"
                               "C -4  -3  -4   8  +1\n"
                               "N -2  -1   0   1  -9\n",
                               &m),
                     ST_OK);
    assert_logged_nothing();
    assert_int_equal(m.score[1][1], 5); /* A 1, C 2, G 4, T 8, N 15 */
    assert_int_equal(m.score[8][8], 6);
    assert_int_equal(m.score[4][4], 7);
    assert_int_equal(m.score[2][2], 8);
    assert_int_equal(m.score[1][8], -4);
    assert_int_equal(m.score[4][1], -3);
    assert_int_equal(m.score[2][8], -3);
    assert_int_equal(m.score[2][15], 1);
    assert_int_equal(m.score[15][15], -9);
    for (int code = 0; code < ALPHABET_SIZE; code++)
        assert_int_equal(m.has[code],
                         code == 1 || code == 2 || code == 4 || code == 8 || code == 15);
}

static void u_is_t_and_either_case_is_accepted(void **state)
{
    score_matrix_t m;

    (void)state;
    assert_int_equal(read_text("a c g u\n"
                               "A 5 -4 -4 -3\nc -4 5 -4 -4\nG -4 -4 5 -4\nU -3 -4 -4 6\n",
                               &m),
                     ST_OK);
    assert_int_equal(m.score[8][8], 6);
    assert_int_equal(m.score[1][8], -3);
    assert_int_equal(read_text("A C G T\n" ROW_A ROW_C ROW_G "U -4 -4 -4 5\n", &m),
                     ST_OK);
}

static void a_star_is_ignored(void **state)
{
    score_matrix_t m;

    (void)state;
    assert_int_equal(read_text("  A C * G T\n"
                               "A 5 -4 1 -4 -4\nC -4 5 2 -4 -4\n* 9 8 7 6 5\n"
                               "G -4 -4 3 5 -4\nT -4 -4 4 -4 5\n",
                               &m),
                     ST_OK);
    for (int code = 0; code < ALPHABET_SIZE; code++) {
        assert_int_equal(m.score[CODE_NONE][code], 0);
        assert_int_equal(m.score[code][CODE_NONE], 0);
    }
    assert_false(m.has[CODE_NONE]);
}

static void cr_lf_tabs_and_a_missing_last_newline_are_accepted(void **state)
{
    score_matrix_t m;

    (void)state;
    assert_int_equal(read_text("\tA\tC\tG\tT\r\nA\t5\t0\t0\t0\r\nC\t0\t5\t0\t0\r\n"
                               "G\t0\t0\t5\t0\r\nT\t0\t0\t0\t5",
                               &m),
                     ST_OK);
    assert_int_equal(m.score[8][8], 5);
}

static void a_letter_that_is_not_a_nucleotide_is_refused(void **state)
{
    (void)state;
    assert_refused("# c\nA C G T Q\n", "matrix:2: 'Q' is not a nucleotide letter");
    assert_refused(ACGT ROW_A "E -4 5 -4 -4\n",
                   "matrix:3: 'E' is not a nucleotide letter");
    assert_refused("A C G TT\n", "matrix:1: 'TT' is not a nucleotide letter");
}

static void a_duplicate_letter_is_refused(void **state)
{
    (void)state;
    assert_refused("A C G T A\n", "matrix:1: a letter occurs twice");
    assert_refused("A C G T U\n", "matrix:1: a letter occurs twice");
    assert_refused("* * * * * * * * * * * * * * * * * * * *\n", "matrix:1: ");
    assert_refused(ACGT ROW_A ROW_C ROW_A, "matrix:4: the letter of a row has no column");
}

static void an_incomplete_matrix_is_refused(void **state)
{
    (void)state;
    assert_refused("", "matrix:0: A, C, G or T is missing");
    assert_refused("# nothing else\n", "matrix:1: A, C, G or T is missing");
    assert_refused("A C G\nA 5 -4 -4\nC -4 5 -4\nG -4 -4 5\n",
                   "matrix:4: A, C, G or T is missing");
    assert_refused(ACGT ROW_A ROW_C ROW_T, "matrix:4: a letter has a column but no row");
    assert_refused(ACGT ROW_A "N -4 -4 -4 -4\n",
                   "matrix:3: the letter of a row has no column");
}

static void a_row_of_another_length_is_refused(void **state)
{
    (void)state;
    assert_refused(ACGT ROW_A "C -4  5 -4\n" ROW_G ROW_T,
                   "matrix:3: a row has too few scores");
    assert_refused(ACGT ROW_A "C -4  5 -4 -4 -4\n" ROW_G ROW_T,
                   "matrix:3: a row has too many scores");
}

static void an_asymmetric_matrix_is_refused(void **state)
{
    (void)state;
    assert_refused(ACGT ROW_A ROW_C "G -4 -3  5 -4\n" ROW_T,
                   "matrix:5: the matrix is not symmetric");
}

static void scores_that_are_not_whole_or_out_of_range_are_refused(void **state)
{
    static const char *const bad[] = {"5x",      "1.5",
                                      "-",       "0x10",
                                      "1000001", "-1000001",
                                      "nan",     "99999999999999999999",
                                      "4e3",     "-99999999999999999999"};

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        char text[256];

        snprintf(text, sizeof(text), "%sA 5 -4 -4 -4\nC -4 5 %s -4\n", ACGT, bad[i]);
        assert_refused(text, "matrix:3: a score is not a whole number");
    }
}

static void scores_up_to_a_million_are_accepted(void **state)
{
    score_matrix_t m;

    (void)state;
    assert_int_equal(read_text(ACGT "A 1000000 -1000000 -4 -4\nC -1000000 5 -4 -4\n" //
                               ROW_G ROW_T,
                               &m),
                     ST_OK);
    assert_int_equal(m.score[1][1], MATRIX_SCORE_MAX);
    assert_int_equal(m.score[1][2], -MATRIX_SCORE_MAX);
}

static void a_base_that_does_not_score_highest_with_itself_is_refused(void **state)
{
    (void)state;
    assert_refused(ACGT "A 5 5 -4 -4\nC 5 6 -4 -4\n" ROW_G ROW_T,
                   "matrix:5: a base scores no higher with itself than with another");
    assert_refused(ACGT ROW_A ROW_C ROW_G "T -4 -4 -4 -5\n",
                   "matrix:5: a base scores no higher with itself than with another");
}

static void an_overlong_line_is_refused(void **state)
{
    char text[2048];

    (void)state;
    memset(text, 'x', sizeof(text));
    text[0] = '#';
    text[sizeof(text) - 1] = '\0';
    assert_refused(text, "matrix:1: a line is too long");
}

static void unreadable_files_are_reported(void **state)
{
    status_t st;
    score_matrix_t m;
    char path[PATH_BYTES];

    (void)state;
    dir_file("none", path);
    capture_start();
    st = matrix_file_read(path, ALPHABET_DNA, &m);
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged_one_line();
    assert_logged("none: No such file or directory");
    capture_start();
    st = matrix_file_read(dir, ALPHABET_DNA, &m);
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged_one_line();
    assert_logged(": Is a directory");
}

/* Build the path of one of NCBI's matrices; skip the test if it does not exist. */
static void ncbi_matrix(const char *name, char path[PATH_BYTES])
{
    const char *data = getenv("RIBOGRID_DATA");

    if (data == NULL) {
        print_message("RIBOGRID_DATA is not set: no real matrices\n");
        skip();
        return;
    }
    snprintf(path, PATH_BYTES, "%s/matrices/%s", data, name);
    if (access(path, R_OK) != 0) {
        print_message("%s does not exist\n", path);
        skip();
    }
}

static void ncbi_nuc_4_4_is_read(void **state)
{
    char path[PATH_BYTES];
    score_matrix_t m;

    (void)state;
    ncbi_matrix("NUC.4.4", path);
    assert_int_equal(matrix_file_read(path, ALPHABET_DNA, &m), ST_OK);
    for (int code = 1; code < DNA_SIZE; code++)
        assert_true(m.has[code]);
    for (int a = 1; a < DNA_SIZE; a *= 2)
        for (int b = 1; b < DNA_SIZE; b *= 2)
            assert_int_equal(m.score[a][b], a == b ? 5 : -4);
    assert_int_equal(m.score[1][1 | 8], 1); /* A with W */
    assert_int_equal(m.score[1][CODE_N], -2);
    assert_int_equal(m.score[CODE_N][CODE_N], -1);
}

static void the_built_in_matrix_is_ncbi_blosum62(void **state)
{
    char path[PATH_BYTES];
    score_matrix_t read, built_in;

    (void)state;
    ncbi_matrix("BLOSUM62", path);
    assert_int_equal(matrix_file_read(path, ALPHABET_PROTEIN, &read), ST_OK);
    assert_true(named_matrix_find("BLOSUM62", &built_in));
    assert_memory_equal(&read, &built_in, sizeof(read));
}

/* @return a matrix of proteins: 6 on the diagonal, else -1, and for X -3 */
static void protein_text(const char *letters, char *text)
{
    text += sprintf(text, " ");
    for (const char *a = letters; *a != '\0'; a++)
        text += sprintf(text, " %c", *a);
    for (const char *a = letters; *a != '\0'; a++) {
        text += sprintf(text, "\n%c", *a);
        for (const char *b = letters; *b != '\0'; b++)
            text += sprintf(text, " %d", *a == 'X' || *b == 'X' ? -3 : *a == *b ? 6 : -1);
    }
    strcpy(text, "\n");
}

static status_t read_protein(const char *letters, score_matrix_t *out)
{
    char path[PATH_BYTES], text[4000];
    status_t st;

    protein_text(letters, text);
    dir_file("matrix", path);
    dir_put(path, text, strlen(text));
    capture_start();
    st = matrix_file_read(path, ALPHABET_PROTEIN, out);
    capture_stop();
    unlink(path);
    return st;
}

static int32_t protein_score(const score_matrix_t *m, char a, char b)
{
    return m->score[alphabet_code(ALPHABET_PROTEIN, (unsigned char)a)]
                   [alphabet_code(ALPHABET_PROTEIN, (unsigned char)b)];
}

static void absent_letters_of_proteins_score_as_x(void **state)
{
    score_matrix_t m;

    (void)state;
    assert_int_equal(read_protein("ACDEFGHIKLMNPQRSTVWYX*", &m), ST_OK);
    assert_int_equal(protein_score(&m, 'A', 'A'), 6);
    assert_int_equal(protein_score(&m, '*', '*'), 6);
    assert_int_equal(protein_score(&m, 'W', '*'), -1);
    assert_int_equal(protein_score(&m, 'J', 'A'), -3);
    assert_int_equal(protein_score(&m, 'U', 'O'), -3);
    assert_int_equal(protein_score(&m, 'B', 'B'), -3);
    assert_true(m.has[alphabet_code(ALPHABET_PROTEIN, 'J')]);
    assert_false(m.has[CODE_NONE]);
    assert_int_equal(read_protein("ACDEFGHIKLMNPQRSTVWY", &m), ST_OK);
    assert_false(m.has[alphabet_code(ALPHABET_PROTEIN, 'J')]);
    assert_int_equal(read_protein("ACDEFGHIKLMNPQRSTVW", &m), ST_EINPUT);
    assert_logged("one of the 20 amino acids is missing; give a symmetric protein matrix "
                  "in NCBI format, such as BLOSUM62");
}

static void ncbi_blosum62_is_refused_for_dna(void **state)
{
    status_t st;
    char path[PATH_BYTES];
    score_matrix_t m;

    (void)state;
    ncbi_matrix("BLOSUM62", path);
    capture_start();
    st = matrix_file_read(path, ALPHABET_DNA, &m);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged("'Q' is not a nucleotide letter"); /* after A R N D C, which are */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_matrix_in_ncbi_format_is_read),
        cmocka_unit_test(u_is_t_and_either_case_is_accepted),
        cmocka_unit_test(a_star_is_ignored),
        cmocka_unit_test(cr_lf_tabs_and_a_missing_last_newline_are_accepted),
        cmocka_unit_test(a_letter_that_is_not_a_nucleotide_is_refused),
        cmocka_unit_test(a_duplicate_letter_is_refused),
        cmocka_unit_test(an_incomplete_matrix_is_refused),
        cmocka_unit_test(a_row_of_another_length_is_refused),
        cmocka_unit_test(an_asymmetric_matrix_is_refused),
        cmocka_unit_test(scores_that_are_not_whole_or_out_of_range_are_refused),
        cmocka_unit_test(scores_up_to_a_million_are_accepted),
        cmocka_unit_test(a_base_that_does_not_score_highest_with_itself_is_refused),
        cmocka_unit_test(an_overlong_line_is_refused),
        cmocka_unit_test(unreadable_files_are_reported),
        cmocka_unit_test(absent_letters_of_proteins_score_as_x),
        cmocka_unit_test(the_built_in_matrix_is_ncbi_blosum62),
        cmocka_unit_test(ncbi_nuc_4_4_is_read),
        cmocka_unit_test(ncbi_blosum62_is_refused_for_dna),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
