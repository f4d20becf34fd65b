/*
 * test_derep.c - unit tests of dereplication.
 */
#include "tests/support/unit_test.h"

#include "io/prepare/prepare.h"

#include "io/base/rng.h"
#include "tests/support/spelled_set.h"

static void distinct_sequences_are_numbered_in_order_of_their_first_records(void **state)
{
    static const int32_t want[] = {0, 1, 0, 2, 1, 3, 0}, want_first[] = {0, 1, 3, 5};
    seqset_t *set = spelled_set("a ACGT b ACG c acgu d ACGN e ACG f ACGTA g ACGT");
    int32_t sequence_of[7], first[7];
    int64_t n;

    (void)state;
    assert_int_equal(derep_find(set, sequence_of, first, &n), ST_OK);
    assert_int_equal(n, 4);
    assert_memory_equal(sequence_of, want, sizeof(want));
    assert_memory_equal(first, want_first, sizeof(want_first));
    seqset_destroy(set);
}

static void an_empty_set_has_no_sequence(void **state)
{
    seqset_t *set = spelled_set("");
    int32_t unused;
    int64_t n = -1;

    (void)state;
    assert_int_equal(derep_find(set, &unused, &unused, &n), ST_OK);
    assert_int_equal(n, 0);
    seqset_destroy(set);
}

/* Sequences of 1 to 6 bases, each A or T: at most 2 + 4 + ... + 64 = 126 are distinct. */
static void records_get_the_same_number_exactly_if_they_are_equal(void **state)
{
    enum { N = 1000 };
    seqset_builder_t builder = {0};
    rng_t rng = rng_seed(1);
    int32_t sequence_of[N], first[N];
    seqset_t *set;
    int64_t n;

    (void)state;
    for (int i = 0; i < N; i++) {
        uint8_t letters[6];
        size_t len = 1 + rng_below(&rng, 6);

        for (size_t k = 0; k < len; k++)
            letters[k] = rng_chance(&rng, 1, 2) ? 1 : 8;
        assert_int_equal(seqset_builder_add(&builder, "x", 1, letters, len), ST_OK);
    }
    assert_int_equal(seqset_builder_finish(&builder, &set), ST_OK);
    assert_int_equal(derep_find(set, sequence_of, first, &n), ST_OK);
    assert_in_range(n, 60, 126);
    for (int i = 0; i < N; i++) {
        assert_in_range(sequence_of[i], 0, n - 1);
        assert_true(first[sequence_of[i]] <= i);
        for (int j = 0; j < i; j++)
            assert_int_equal(sequence_of[i] == sequence_of[j],
                             seqset_len(set, i) == seqset_len(set, j) &&
                                 memcmp(seqset_letters(set, i), seqset_letters(set, j),
                                        (size_t)seqset_len(set, i)) == 0);
    }
    seqset_destroy(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(distinct_sequences_are_numbered_in_order_of_their_first_records),
        cmocka_unit_test(an_empty_set_has_no_sequence),
        cmocka_unit_test(records_get_the_same_number_exactly_if_they_are_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
