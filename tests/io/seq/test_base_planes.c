/*
 * test_base_planes.c - codes and letters as bit planes, word by word.
 */
#include "tests/support/unit_test.h"

#include "io/seq/base_planes.h"

#include "io/base/rng.h"
#include "tests/support/spelled_set.h"

enum { LEN_MAX = 200 };

static void every_code_has_its_bits(void **state)
{
    seqset_t *set = spelled_set("a ACMGRSVTWYHKDBN b T");
    base_planes_t p;

    (void)state;
    assert_int_equal(base_planes_of_set(set, &p), ST_OK);
    assert_int_equal(p.n, 2);
    assert_int_equal(p.first_word[1], 1);
    assert_int_equal(p.first_word[2], 2);
    for (int i = 0; i < 15; i++)
        assert_int_equal(base_planes_code(&p, 0, i), i + 1);
    assert_int_equal(base_planes_code(&p, 1, 0), 8);
    for (int b = 0; b < BASE_PLANES; b++)
        assert_true(base_planes_plane(&p, b)[0] >> 15 == UINT64_MAX >> 15);
    base_planes_free(&p);
    seqset_destroy(set);
}

/* Lengths up to several words, of bases alone and with other codes, in either case. */
static void letters_and_codes_give_the_same_planes(void **state)
{
    static const char letters[] = "ACGTUacgtuNnRyKm";
    rng_t rng = rng_seed(1);

    (void)state;
    for (int32_t len = 0; len <= LEN_MAX; len++) {
        const unsigned n_letters = len % 2 == 0 ? 10 : 16;
        base_planes_t of_letters, of_codes;
        char text[LEN_MAX + 1];
        uint8_t codes[LEN_MAX + 1];

        for (int32_t i = 0; i < len; i++) {
            text[i] = letters[rng_below(&rng, n_letters)];
            codes[i] = alphabet_code(ALPHABET_DNA, (unsigned char)text[i]);
        }
        assert_int_equal(base_planes_create(1, &len, &of_letters), ST_OK);
        assert_int_equal(base_planes_create(1, &len, &of_codes), ST_OK);
        assert_int_equal(base_planes_set_letters(&of_letters, 0, text), -1);
        base_planes_set(&of_codes, 0, codes);
        assert_memory_equal(of_letters.words, of_codes.words,
                            (size_t)of_codes.n_words * BASE_PLANES * sizeof(int64_t));
        for (int32_t i = 0; i < len; i++)
            assert_int_equal(base_planes_code(&of_codes, 0, i), codes[i]);
        base_planes_free(&of_letters);
        base_planes_free(&of_codes);
    }
}

static void other_letters_are_found(void **state)
{
    const int32_t len = 100;
    char text[101];

    (void)state;
    for (int32_t at = 0; at < len; at++) {
        base_planes_t p;

        memset(text, 'A', (size_t)len);
        text[at] = "!E-.\x81"[at % 5];
        assert_int_equal(base_planes_create(1, &len, &p), ST_OK);
        assert_int_equal(base_planes_set_letters(&p, 0, text), at);
        base_planes_free(&p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_code_has_its_bits),
        cmocka_unit_test(letters_and_codes_give_the_same_planes),
        cmocka_unit_test(other_letters_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
