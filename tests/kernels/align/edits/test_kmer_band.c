/*
 * test_kmer_band.c - the k-mers that have to be shared, worked by hand.
 */
#include "tests/support/unit_test.h"

#include "kernels/align/edits/edit_filter_bound.h"

enum { MAX_LEN = 100 };

static bool needed_at(fraction_t identity, int32_t *needed)
{
    align_spec_t spec = {.ends = ENDS_FREE, .min_overlap = {1, 2}};
    edit_filter_bound_t bound;
    bool any;

    assert_int_equal(edit_filter_bound_create(&spec, identity, MAX_LEN, &bound), ST_OK);
    any = kmer_band_needed(&bound, needed);
    edit_filter_bound_free(&bound);
    return any;
}

/* 100 bases have 95 6-mers; 11 edits destroy up to 66 of them. */
static void each_edit_destroys_six_kmers(void **state)
{
    int32_t needed[MAX_LEN + 1];

    (void)state;
    assert_true(needed_at((fraction_t){9, 10}, needed));
    assert_int_equal(needed[100], 29);
    assert_int_equal(needed[99], 28);
}

/* 98 bases may have one edit less than 99, and so need five more k-mers. */
static void longer_ends_may_need_fewer_kmers(void **state)
{
    int32_t needed[MAX_LEN + 1];

    (void)state;
    assert_true(needed_at((fraction_t){9, 10}, needed));
    assert_int_equal(98 - 5 - 6 * 10, 33);
    assert_int_equal(needed[98], 28);
}

static void short_ends_need_none(void **state)
{
    int32_t needed[MAX_LEN + 1];

    (void)state;
    assert_true(needed_at((fraction_t){9, 10}, needed));
    assert_int_equal(needed[0], 0);
    assert_int_equal(needed[9], 0);
}

/* At 6 / 7 an edit in six bases may destroy all k-mers. */
static void none_are_needed_at_low_identities(void **state)
{
    int32_t needed[MAX_LEN + 1];

    (void)state;
    assert_false(needed_at((fraction_t){6, 7}, needed));
    for (int k = 0; k <= MAX_LEN; k++)
        assert_int_equal(needed[k], 0);
}

static void equal_sequences_share_all_kmers(void **state)
{
    int32_t needed[MAX_LEN + 1];

    (void)state;
    assert_true(needed_at((fraction_t){1, 1}, needed));
    assert_int_equal(needed[5], 0);
    assert_int_equal(needed[6], 1);
    assert_int_equal(needed[100], 95);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_edit_destroys_six_kmers),
        cmocka_unit_test(longer_ends_may_need_fewer_kmers),
        cmocka_unit_test(short_ends_need_none),
        cmocka_unit_test(none_are_needed_at_low_identities),
        cmocka_unit_test(equal_sequences_share_all_kmers),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
