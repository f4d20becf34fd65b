/*
 * test_tantan.c - tandem repeats of proteins: copies of a unit are masked, but for the
 * first.
 */
#include "tests/support/unit_test.h"

#include "io/seq/tantan.h"

#include <string.h>

/* A protein, and what is left of it; '.': either, at the ends of a repeat. */
static const struct {
    const char *text, *want;
} proteins[] = {{"MKVLATGDERWCHIYNPQSFMKELRTWAQDVGHNC",
                 "MKVLATGDERWCHIYNPQSFMKELRTWAQDVGHNC"},
                {"MKTWQQQQQQQQQQQQQQQQQQQQQQRELHDVGNC",
                 "MKTWQ.XXXXXXXXXXXXXXXXXXXX...HDVGNC"},
                {"GWTHPEKNLVRDGWTHPEKNLVRDGWTHPEKNLVRDMSC",
                 "GWTHPEKNLVRD..XXXXXXXXXXXXXXXXXXXX..MSC"},
                {"W", "W"},
                {"", ""}};

enum { N_PROTEINS = sizeof(proteins) / sizeof(proteins[0]), COPIES = 40 };

static seqset_t *make_set(void)
{
    seqset_builder_t b = {.alphabet = ALPHABET_PROTEIN};
    seqset_t *set;

    for (int i = 0; i < N_PROTEINS * COPIES; i++) {
        const char *text = proteins[i % N_PROTEINS].text;
        uint8_t codes[64];

        for (size_t k = 0; k < strlen(text); k++)
            codes[k] = alphabet_code(ALPHABET_PROTEIN, (unsigned char)text[k]);
        assert_int_equal(seqset_builder_add(&b, "p", 1, codes, strlen(text)), ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&b, &set), ST_OK);
    return set;
}

static void assert_masked(const seqset_t *set, int64_t i)
{
    const char *want = proteins[i % N_PROTEINS].want;

    for (int64_t k = 0; k < seqset_len(set, i); k++) {
        const char got = alphabet_letter(ALPHABET_PROTEIN, seqset_letters(set, i)[k]);

        if (want[k] != '.' && got != want[k])
            fail_msg("protein %d, residue %d: %c, not %c", (int)(i % N_PROTEINS), (int)k,
                     got, want[k]);
    }
}

static void copies_of_a_unit_are_masked(void **state)
{
    (void)state;
    for (int n_threads = 1; n_threads <= 3; n_threads++) {
        seqset_t *set = make_set();
        int64_t n_masked, n_sequences, n_x = 0;
        pool_t *pool = NULL;

        assert_int_equal(pool_create(n_threads, &pool), ST_OK);
        assert_int_equal(tantan_mask(pool, set, &n_masked, &n_sequences), ST_OK);
        for (int64_t i = 0; i < set->n; i++) {
            assert_masked(set, i);
            for (int64_t k = 0; k < seqset_len(set, i); k++)
                n_x += seqset_letters(set, i)[k] == CODE_X;
        }
        assert_int_equal(n_masked, n_x);
        assert_int_equal(n_sequences, 2 * COPIES);
        pool_destroy(pool);
        seqset_destroy(set);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(copies_of_a_unit_are_masked)};

    return cmocka_run_group_tests(tests, NULL, NULL);
}
