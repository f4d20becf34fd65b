/*
 * test_alphabet.c - letters and codes: one bit per base, either case, U as T.
 */
#include "tests/support/unit_test.h"

#include "io/seq/alphabet.h"

#include <ctype.h>
#include <string.h>

static void a_code_is_the_set_of_its_bases(void **state)
{
    (void)state;
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'A'), 1);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'C'), 2);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'G'), 4);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'T'), 8);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'R'), 1 | 4);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'Y'), 2 | 8);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'S'), 2 | 4);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'W'), 1 | 8);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'K'), 4 | 8);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'M'), 1 | 2);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'B'), 2 | 4 | 8);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'D'), 1 | 4 | 8);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'H'), 1 | 2 | 8);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'V'), 1 | 2 | 4);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'N'), CODE_N);
}

static void a_code_is_complemented_base_by_base(void **state)
{
    static const char pairs[][3] = {"AT", "CG", "RY", "SS", "WW", "KM", "BV", "DH", "NN"};

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        for (int side = 0; side < 2; side++)
            assert_int_equal(
                alphabet_complement(
                    alphabet_code(ALPHABET_DNA, (unsigned char)pairs[i][side])),
                alphabet_code(ALPHABET_DNA, (unsigned char)pairs[i][1 - side]));
}

static void u_is_t_in_either_case(void **state)
{
    (void)state;
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'U'), 8);
    assert_int_equal(alphabet_code(ALPHABET_DNA, 'u'), 8);
    assert_int_equal(alphabet_letter(ALPHABET_DNA, 8), 'T');
}

static void every_other_byte_has_no_code(void **state)
{
    int n_letters = 0;

    (void)state;
    for (int c = 0; c < 256; c++) {
        bool is_nucleotide =
            c != 0 && strchr("ACGTURYSWKMBDHVNacgturyswkmbdhvn", c) != NULL;

        assert_int_equal(alphabet_code(ALPHABET_DNA, (unsigned char)c) != CODE_NONE,
                         is_nucleotide);
        n_letters += is_nucleotide;
    }
    assert_int_equal(n_letters, 2 * 16);
}

static void a_code_converts_back_to_its_upper_case_letter(void **state)
{
    (void)state;
    for (uint8_t code = 1; code < DNA_SIZE; code++) {
        char letter = alphabet_letter(ALPHABET_DNA, code);

        assert_true(isupper((unsigned char)letter));
        assert_int_equal(alphabet_code(ALPHABET_DNA, (unsigned char)letter), code);
        assert_int_equal(alphabet_code(ALPHABET_DNA, (unsigned char)tolower(letter)),
                         code);
    }
    assert_int_equal(alphabet_letter(ALPHABET_DNA, CODE_NONE), '-');
}

static void exactly_four_codes_are_bases(void **state)
{
    (void)state;
    for (uint8_t code = 0; code < DNA_SIZE; code++)
        assert_int_equal(alphabet_is_base(ALPHABET_DNA, code),
                         code == 1 || code == 2 || code == 4 || code == 8);
}

static void proteins_have_all_letters_and_the_stop(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        uint8_t code = alphabet_code(ALPHABET_PROTEIN, (unsigned char)c);

        assert_int_equal(code != CODE_NONE, c < 128 && (isalpha(c) || c == '*'));
        if (code == CODE_NONE)
            continue;
        assert_true(code < alphabet_size(ALPHABET_PROTEIN));
        assert_int_equal(alphabet_letter(ALPHABET_PROTEIN, code), toupper(c));
    }
    assert_int_equal(alphabet_letter(ALPHABET_PROTEIN, CODE_NONE), '-');
    assert_int_equal(alphabet_letter(ALPHABET_PROTEIN, 31), '-');
    assert_int_equal(alphabet_code(ALPHABET_PROTEIN, 'x'), CODE_X);
}

static void amino_acids_with_u_and_o_are_residues(void **state)
{
    (void)state;
    for (const char *at = "ACDEFGHIKLMNPQRSTVWYUO"; *at != '\0'; at++)
        assert_true(
            alphabet_is_base(ALPHABET_PROTEIN,
                             alphabet_code(ALPHABET_PROTEIN, (unsigned char)*at)));
    for (const char *at = "BJXZ*"; *at != '\0'; at++)
        assert_false(
            alphabet_is_base(ALPHABET_PROTEIN,
                             alphabet_code(ALPHABET_PROTEIN, (unsigned char)*at)));
    assert_false(alphabet_is_base(ALPHABET_PROTEIN, CODE_NONE));
}

static void assert_guess(const char *text, alphabet_t alphabet)
{
    assert_int_equal(alphabet_guess((const unsigned char *)text, strlen(text)), alphabet);
}

static void a_tenth_of_letters_of_proteins_makes_protein(void **state)
{
    (void)state;
    assert_guess("", ALPHABET_DNA);
    assert_guess("LEFT\n>LLLLLL\nACGTACGT\r\n\nNNNN", ALPHABET_DNA);
    assert_guess(">a\nXXXXXXXXXXNNRYKMSWBDHV", ALPHABET_DNA);
    assert_guess(">a\nACGTACGTAL\n", ALPHABET_PROTEIN);
    assert_guess(">a\nACGTACGTA---....CL\n", ALPHABET_DNA); /* gaps are no letters */
    assert_guess(">a\nmkvlaagivg*\n", ALPHABET_PROTEIN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_code_is_the_set_of_its_bases),
        cmocka_unit_test(a_code_is_complemented_base_by_base),
        cmocka_unit_test(u_is_t_in_either_case),
        cmocka_unit_test(every_other_byte_has_no_code),
        cmocka_unit_test(a_code_converts_back_to_its_upper_case_letter),
        cmocka_unit_test(exactly_four_codes_are_bases),
        cmocka_unit_test(proteins_have_all_letters_and_the_stop),
        cmocka_unit_test(amino_acids_with_u_and_o_are_residues),
        cmocka_unit_test(a_tenth_of_letters_of_proteins_makes_protein),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
