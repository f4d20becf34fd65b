/*
 * test_derep.c - equal sequences and their numbers.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/prepare/derep.h"

#include "io/base/rng.h"
#include "tests/support/spelled_set.h"

static void different_sequences_are_numbered_by_their_first_records(void **state)
{
    static const int32_t due[] = {0, 1, 0, 2, 1, 3, 0}, due_first[] = {0, 1, 3, 5};
    seqset_t *set = spelled_set("a ACGT b ACG c acgu d ACGN e ACG f ACGTA g ACGT");
    int32_t sequence_of[7], first[7];
    int64_t n;

    (void)state;
    assert_int_equal(derep_find(set, sequence_of, first, &n), ST_OK);
    assert_int_equal(n, 4);
    assert_memory_equal(sequence_of, due, sizeof(due));
    assert_memory_equal(first, due_first, sizeof(due_first));
    seqset_destroy(set);
}

static void an_empty_set_has_no_sequence(void **state)
{
    seqset_t *set = spelled_set("");
    int32_t room;
    int64_t n = -1;

    (void)state;
    assert_int_equal(derep_find(set, &room, &room, &n), ST_OK);
    assert_int_equal(n, 0);
    seqset_destroy(set);
}

/* Short sequences of two letters: at most 2 + 4 + ... + 64 = 126 are different. */
static void joined_records_are_those_that_are_equal(void **state)
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
        cmocka_unit_test(different_sequences_are_numbered_by_their_first_records),
        cmocka_unit_test(an_empty_set_has_no_sequence),
        cmocka_unit_test(joined_records_are_those_that_are_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
