/*
 * test_alphabet.c - letters and codes: one bit per base, either case, U as T.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/seq/alphabet.h"

#include <ctype.h>
#include <string.h>

static void a_code_is_the_set_of_its_bases(void **state)
{
    (void)state;
    assert_int_equal(alphabet_code('A'), 1);
    assert_int_equal(alphabet_code('C'), 2);
    assert_int_equal(alphabet_code('G'), 4);
    assert_int_equal(alphabet_code('T'), 8);
    assert_int_equal(alphabet_code('R'), 1 | 4);
    assert_int_equal(alphabet_code('Y'), 2 | 8);
    assert_int_equal(alphabet_code('S'), 2 | 4);
    assert_int_equal(alphabet_code('W'), 1 | 8);
    assert_int_equal(alphabet_code('K'), 4 | 8);
    assert_int_equal(alphabet_code('M'), 1 | 2);
    assert_int_equal(alphabet_code('B'), 2 | 4 | 8);
    assert_int_equal(alphabet_code('D'), 1 | 4 | 8);
    assert_int_equal(alphabet_code('H'), 1 | 2 | 8);
    assert_int_equal(alphabet_code('V'), 1 | 2 | 4);
    assert_int_equal(alphabet_code('N'), CODE_N);
}

static void a_code_is_complemented_base_by_base(void **state)
{
    static const char pairs[][3] = {"AT", "CG", "RY", "SS", "WW", "KM", "BV", "DH", "NN"};

    (void)state;
    for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
        for (int side = 0; side < 2; side++)
            assert_int_equal(alphabet_complement(
                                 alphabet_code((unsigned char)pairs[i][side])),
                             alphabet_code((unsigned char)pairs[i][1 - side]));
}

static void u_is_t_in_either_case(void **state)
{
    (void)state;
    assert_int_equal(alphabet_code('U'), 8);
    assert_int_equal(alphabet_code('u'), 8);
    assert_int_equal(alphabet_letter(8), 'T');
}

static void every_other_byte_has_no_code(void **state)
{
    int n_letters = 0;

    (void)state;
    for (int c = 0; c < 256; c++) {
        bool is_nucleotide =
            c != 0 && strchr("ACGTURYSWKMBDHVNacgturyswkmbdhvn", c) != NULL;

        assert_int_equal(alphabet_code((unsigned char)c) != CODE_NONE, is_nucleotide);
        n_letters += is_nucleotide;
    }
    assert_int_equal(n_letters, 2 * 16);
}

static void a_code_converts_back_to_its_upper_case_letter(void **state)
{
    (void)state;
    for (uint8_t code = 1; code < ALPHABET_SIZE; code++) {
        char letter = alphabet_letter(code);

        assert_true(isupper((unsigned char)letter));
        assert_int_equal(alphabet_code((unsigned char)letter), code);
        assert_int_equal(alphabet_code((unsigned char)tolower(letter)), code);
    }
    assert_int_equal(alphabet_letter(CODE_NONE), '-');
}

static void exactly_four_codes_are_bases(void **state)
{
    (void)state;
    for (uint8_t code = 0; code < ALPHABET_SIZE; code++)
        assert_int_equal(alphabet_is_base(code),
                         code == 1 || code == 2 || code == 4 || code == 8);
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
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
