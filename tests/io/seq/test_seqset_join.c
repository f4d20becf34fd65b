/*
 * test_seqset_join.c - queries, their reverse complements and references in one set.
 */
#include "tests/support/unit_test.h"

#include "io/seq/alphabet.h"
#include "io/seq/seqset.h"

#include <string.h>

static seqset_t *set_of(const char *const *letters, const char *prefix, int n)
{
    seqset_builder_t builder = {0};
    seqset_t *set = NULL;

    for (int i = 0; i < n; i++) {
        char name[2] = {prefix[0], (char)('0' + i)};
        uint8_t codes[64];
        size_t len = strlen(letters[i]);

        for (size_t k = 0; k < len; k++)
            codes[k] = alphabet_code(ALPHABET_DNA, (unsigned char)letters[i][k]);
        assert_int_equal(seqset_builder_add(&builder, name, 2, codes, len), ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    return set;
}

static void assert_sequence(const seqset_t *set, int64_t i, const char *name,
                            const char *letters)
{
    assert_string_equal(seqset_name(set, i), name);
    assert_int_equal(seqset_len(set, i), strlen(letters));
    for (size_t k = 0; letters[k] != '\0'; k++)
        assert_int_equal(alphabet_letter(ALPHABET_DNA, seqset_letters(set, i)[k]),
                         letters[k]);
}

static const char *const queries[] = {"AACG", "", "ACGTRYSWKMBDHVN"};
static const char *const references[] = {"TTT", "G"};

static void reverse_complements_stand_between_queries_and_references(void **state)
{
    seqset_t *q = set_of(queries, "q", 3), *r = set_of(references, "r", 2), *all = NULL;

    (void)state;
    assert_int_equal(seqset_join(q, true, r, &all), ST_OK);
    assert_int_equal(all->n, 8);
    assert_sequence(all, 0, "q0", "AACG");
    assert_sequence(all, 2, "q2", "ACGTRYSWKMBDHVN");
    assert_sequence(all, 3, "", "CGTT");
    assert_sequence(all, 4, "", "");
    assert_sequence(all, 5, "", "NBDHVKMWSRYACGT");
    assert_sequence(all, 6, "r0", "TTT");
    assert_sequence(all, 7, "r1", "G");
    seqset_destroy(all);
    seqset_destroy(q);
    seqset_destroy(r);
}

static void one_strand_adds_no_reverse_complements(void **state)
{
    seqset_t *q = set_of(queries, "q", 1), *none = set_of(references, "r", 0);
    seqset_t *all = NULL;

    (void)state;
    assert_int_equal(seqset_join(q, false, q, &all), ST_OK);
    assert_int_equal(all->n, 2);
    assert_sequence(all, 1, "q0", "AACG");
    seqset_destroy(all);
    assert_int_equal(seqset_join(none, true, none, &all), ST_OK);
    assert_int_equal(all->n, 0);
    seqset_destroy(all);
    seqset_destroy(q);
    seqset_destroy(none);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reverse_complements_stand_between_queries_and_references),
        cmocka_unit_test(one_strand_adds_no_reverse_complements),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
