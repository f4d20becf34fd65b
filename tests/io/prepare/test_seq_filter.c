/*
 * test_seq_filter.c - sequences that are too short, too long or too ambiguous.
 */
#include "tests/support/unit_test.h"

#include "io/prepare/prepare.h"

#include "tests/support/spelled_set.h"

/* Filter a set and check which sequences pass. @param want  their indices, as "023" */
static seq_filter_report_t filter_set(seq_filter_t filter, const char *want)
{
    seqset_t *set = spelled_set("a ACGT b ACGTN c NNA d ACGTACGT e ACGRYACGT");
    seq_filter_report_t report;
    int32_t kept[5];
    int64_t n = seq_filter_find(&filter, set, kept, &report);

    assert_int_equal(n, strlen(want));
    for (int64_t i = 0; i < n; i++)
        assert_int_equal(kept[i], want[i] - '0');
    assert_int_equal(n + report.n_short + report.n_long + report.n_ambig, set->n);
    seqset_destroy(set);
    return report;
}

static void without_limits_all_sequences_pass(void **state)
{
    (void)state;
    filter_set((seq_filter_t){.max_ambig = -1}, "01234");
}

static void lengths_at_the_limits_pass(void **state)
{
    seq_filter_report_t report = filter_set((seq_filter_t){4, 8, -1}, "013");

    (void)state;
    assert_int_equal(report.n_short, 1);
    assert_int_equal(report.n_long, 1);
    filter_set((seq_filter_t){5, 0, -1}, "134");
    filter_set((seq_filter_t){0, 5, -1}, "012");
}

static void ambiguity_codes_are_counted(void **state)
{
    (void)state;
    assert_int_equal(filter_set((seq_filter_t){0, 0, 0}, "03").n_ambig, 3);
    assert_int_equal(filter_set((seq_filter_t){0, 0, 1}, "013").n_ambig, 2);
    assert_int_equal(filter_set((seq_filter_t){0, 0, 2}, "01234").n_ambig, 0);
}

/* c is too short and has too many ambiguity codes. */
static void a_sequence_that_fails_twice_counts_once(void **state)
{
    seq_filter_report_t report = filter_set((seq_filter_t){4, 0, 1}, "013");

    (void)state;
    assert_int_equal(report.n_short, 1);
    assert_int_equal(report.n_ambig, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(without_limits_all_sequences_pass),
        cmocka_unit_test(lengths_at_the_limits_pass),
        cmocka_unit_test(ambiguity_codes_are_counted),
        cmocka_unit_test(a_sequence_that_fails_twice_counts_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
