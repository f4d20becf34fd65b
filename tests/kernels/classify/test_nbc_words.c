/*
 * test_nbc_words.c - the distinct words of sequences and of their reverse complements.
 */
#include "tests/support/unit_test.h"

#include "io/base/rng.h"
#include "io/prepare/prepare.h"
#include "kernels/classify/nbc_model.h"
#include "tests/support/spelled_set.h"

static nbc_words_set_t scratch;
static uint16_t words[NBC_N_WORDS];

static int32_t words_of(const seqset_t *set, int64_t i)
{
    return nbc_words_find(seqset_letters(set, i), seqset_len(set, i), &scratch, words);
}

static void a_word_is_a_number_of_base_four(void **state)
{
    seqset_t *set = spelled_set("a AAAAAAAC b CAAAAAAA c GTGTGTGT");

    (void)state;
    assert_int_equal(words_of(set, 0), 1);
    assert_int_equal(words[0], 1);
    assert_int_equal(words_of(set, 1), 1);
    assert_int_equal(words[0], 1 << 14);
    assert_int_equal(words_of(set, 2), 1);
    assert_int_equal(words[0], 0xbbbb);
    seqset_destroy(set);
}

static void words_are_distinct_and_ascending(void **state)
{
    seqset_t *set = spelled_set("a CAAAAAAAAAAAAAAAAC");

    (void)state;
    assert_int_equal(words_of(set, 0), 3);
    assert_int_equal(words[0], 0);
    assert_int_equal(words[1], 1);
    assert_int_equal(words[2], 1 << 14);
    seqset_destroy(set);
}

static void no_word_has_an_ambiguity_code(void **state)
{
    seqset_t *set = spelled_set("a AAAAAAAN b AAAAAAANAAAAAAAARCCCCCCC c ACGTACG");

    (void)state;
    assert_int_equal(words_of(set, 0), 0);
    assert_int_equal(words_of(set, 1), 1);
    assert_int_equal(words[0], 0);
    assert_int_equal(words_of(set, 2), 0);
    assert_int_equal(nbc_words_max(7), 0);
    assert_int_equal(nbc_words_max(8), 1);
    assert_int_equal(nbc_words_max(100000), NBC_N_WORDS);
    seqset_destroy(set);
}

static void words_of_the_reverse_complement_are_found_from_the_words(void **state)
{
    uint8_t codes[2000];
    rng_t rng = rng_seed(1);

    (void)state;
    for (int round = 0; round < 20; round++) {
        seqset_builder_t builder = {0};
        seqset_t *set;
        uint16_t reversed[2000];
        int32_t n;

        for (int i = 0; i < 2000; i++)
            codes[i] =
                rng_chance(&rng, 1, 100) ? CODE_N : (uint8_t)(1 << rng_below(&rng, 4));
        assert_int_equal(seqset_builder_add(&builder, "x", 1, codes, 2000), ST_OK);
        assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
        n = words_of(set, 0);
        nbc_words_reverse(words, n, &scratch, reversed);
        orient_reverse_complement(set, 0);
        assert_int_equal(words_of(set, 0), n);
        assert_memory_equal(words, reversed, (size_t)n * sizeof(*words));
        seqset_destroy(set);
    }
}

static void the_key_depends_on_seed_and_words(void **state)
{
    const uint16_t few[] = {1, 2, 3, 4, 5}, other[] = {1, 2, 3, 4, 6};

    (void)state;
    assert_true(nbc_words_key(1, few, 5) == nbc_words_key(1, few, 5));
    assert_true(nbc_words_key(1, few, 5) != nbc_words_key(2, few, 5));
    assert_true(nbc_words_key(1, few, 5) != nbc_words_key(1, few, 4));
    assert_true(nbc_words_key(1, few, 5) != nbc_words_key(1, other, 5));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_word_is_a_number_of_base_four),
        cmocka_unit_test(words_are_distinct_and_ascending),
        cmocka_unit_test(no_word_has_an_ambiguity_code),
        cmocka_unit_test(words_of_the_reverse_complement_are_found_from_the_words),
        cmocka_unit_test(the_key_depends_on_seed_and_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
