/*
 * test_primer_trim.c - regions cut out of records, on either strand; records without.
 */
#include "tests/support/unit_test.h"

#include "io/prepare/prepare.h"

#include "tests/support/captured_log.h"
#include "tests/support/spelled_set.h"

static seq_files_t files;
static seqset_t *set;
static int32_t kept[8];

static int free_set(void **state)
{
    (void)state;
    seqset_destroy(set);
    set = NULL;
    return 0;
}

/* A gene has the first primer, and GGGGTT for the second one. */
static primer_trim_t options(int64_t max_mismatches)
{
    primer_trim_t o = primer_trim_defaults();

    o.text = "ACGTCA/AACCCC";
    o.max_mismatches = max_mismatches;
    return o;
}

/* Cut the records of a text and capture the log. @param cuts  of each record */
static status_t trim(primer_trim_t o, const char *text, const primer_cut_t *cuts)
{
    status_t st;

    set = spelled_set(text);
    assert_null(primer_trim_misuse(&o));
    capture_start();
    st = primer_trim_set(&files, &o, cuts, set, kept);
    capture_stop();
    assert_logged_one_line();
    return st;
}

static void regions_are_cut_and_other_records_dropped(void **state)
{
    const primer_cut_t cuts[] = {{.begin = 8, .end = 12}, {0}, {.begin = 6, .end = 8}};

    (void)state;
    assert_int_equal(trim(options(0),
                          "a TTACGTCATTTTGGGGTTAC b ACGTCATT c ACGTCACAGGGGTT", cuts),
                     ST_OK);
    assert_spells(set, "a TTTT c CA");
    assert_int_equal(kept[0], 0);
    assert_int_equal(kept[1], 2);
    assert_logged(
        "in.fa: 2 of 3 records have both primers of ACGTCA/AACCCC and were cut, "
        "0 of them reverse-complemented; 1 were dropped");
}

/* c is the reverse complement of ACGTCACAGGGGTT. */
static void reverse_complements_are_turned(void **state)
{
    const primer_cut_t cuts[] = {{0}, {.begin = 6, .end = 8, .is_reversed = true}};

    (void)state;
    assert_int_equal(trim(options(0), "b GGGG c AACCCCTGTGACGT", cuts), ST_OK);
    assert_spells(set, "c CA");
    assert_int_equal(kept[0], 1);
    assert_logged("1 of 2 records have both primers of ACGTCA/AACCCC and were cut, 1 of "
                  "them reverse-complemented; 1 were dropped");
}

static void records_without_primers_may_be_an_error(void **state)
{
    const primer_cut_t cuts[] = {{.begin = 6, .end = 8}, {0}, {0}};
    primer_trim_t o = options(0);

    (void)state;
    o.missing = PRIMER_MISSING_STOP;
    assert_int_equal(trim(o, "a ACGTCACAGGGGTT b ACGT c ACGTCATT", cuts), ST_EINPUT);
    assert_logged("in.fa: 2 of 3 records lack a primer of --primers ACGTCA/AACCCC, the "
                  "first is 'b'; drop them with --missing-primers drop");
    free_set(NULL);
    assert_int_equal(trim(o, "a ACGTCACAGGGGTT", cuts), ST_OK);
    assert_spells(set, "a CA");
}

static void primers_that_no_record_has_are_an_error(void **state)
{
    const primer_cut_t cuts[2] = {{0}};

    (void)state;
    assert_int_equal(trim(options(0), "a ACGT b ACGTCATT", cuts), ST_EINPUT);
    assert_logged("in.fa: no record has both primers of --primers ACGTCA/AACCCC with at "
                  "most 0 mismatches in each");
}

static void options_that_make_no_sense_are_refused(void **state)
{
    primer_trim_t o = primer_trim_defaults();

    (void)state;
    assert_null(primer_trim_misuse(&o));
    o.max_mismatches = 0;
    assert_non_null(primer_trim_misuse(&o));
    o = primer_trim_defaults();
    o.missing = PRIMER_MISSING_STOP;
    assert_non_null(primer_trim_misuse(&o));
    o = options(2);
    assert_null(primer_trim_misuse(&o));
    o.max_mismatches = 3; /* of 6 bases */
    assert_non_null(primer_trim_misuse(&o));
    o.max_mismatches = -1; /* 2 */
    assert_null(primer_trim_misuse(&o));
    o.text = "ACGTCA";
    assert_non_null(primer_trim_misuse(&o));
    o.text = "515F/806R";
    assert_null(primer_trim_misuse(&o));
}

int main(void)
{
#define TRIM_TEST(name) cmocka_unit_test_teardown(name, free_set)
    const struct CMUnitTest tests[] = {
        TRIM_TEST(regions_are_cut_and_other_records_dropped),
        TRIM_TEST(reverse_complements_are_turned),
        TRIM_TEST(records_without_primers_may_be_an_error),
        TRIM_TEST(primers_that_no_record_has_are_an_error),
        TRIM_TEST(options_that_make_no_sense_are_refused),
    };

    files = seq_files_named("in.fa");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
