/*
 * test_job_primers.c - options and records of the job "primers".
 */
#include "tests/support/unit_test.h"

#include "worker/primers/job_primers_state.h"

#include "tests/support/spelled_set.h"

#include <string.h>

/* Two reads, each with ACGTCA at 0, and AACCCC as GGGGTT at 8. */
typedef struct {
    job_primers_t job;
    primers_opts_t opts;
    primer_region_t regions[2];
    int64_t n;
} made_t;

static made_t m;

static int make(void **state)
{
    const primer_search_opts_t o = {.max_mismatches = 1};
    seqset_t *set = spelled_set("a ACGTCATTGGGGTT b ACGTCAAAGGGGTT");

    (void)state;
    m = (made_t){.opts = primers_opts_defaults(), .n = 2};
    m.opts.reads[0] = "reads.fa";
    m.job.opts = &m.opts;
    m.job.cpu = device_cpu();
    m.job.n_pairs = 1;
    if ((m.job.pairs = malloc(sizeof(*m.job.pairs))) == NULL ||
        !primer_pair_parse("ACGTCA/AACCCC", m.job.pairs) ||
        base_planes_of_set(set, &m.job.text) != ST_OK ||
        primer_search_create(&m.job.cpu, NULL, NULL, &m.job.text, m.job.pairs, 1, &o,
                             &m.job.checker) != ST_OK)
        return -1;
    for (int i = 0; i < 2; i++)
        m.regions[i] = (primer_region_t){.read = i, .at = {0, 8}, .len = {6, 6}};
    seqset_destroy(set);
    return 0;
}

static int destroy(void **state)
{
    (void)state;
    job_primers_ops.free(&m.job.base);
    return 0;
}

static const char *check(void)
{
    unsigned char bytes[sizeof(m.n) + sizeof(m.regions)];
    const buf_t record = {.data = bytes,
                          .len = sizeof(m.n) + (size_t)m.n * sizeof(*m.regions)};

    memcpy(bytes, &m.n, sizeof(m.n));
    memcpy(bytes + sizeof(m.n), m.regions, sizeof(m.regions));
    return job_primers_check_record(&m.job.base, 0, 0, &record);
}

static void a_record_has_regions_of_its_reads(void **state)
{
    static const char refused[] = "has regions that its reads cannot have";

    (void)state;
    assert_null(check());
    m.n = 1;
    assert_null(check());
    m.n = 2;
    m.regions[1].read = 0; /* twice */
    assert_string_equal(check(), refused);
    m.regions[1].read = 2;
    assert_string_equal(check(), refused);
    m.regions[1].read = 1;
    m.regions[0].at[1] = 7;
    assert_string_equal(check(), refused);
}

static void a_record_is_as_long_as_its_regions(void **state)
{
    unsigned char bytes[sizeof(m.n) + sizeof(m.regions)] = {0};
    buf_t record = {.data = bytes, .len = 0};

    (void)state;
    assert_non_null(job_primers_check_record(&m.job.base, 0, 0, &record));
    record.len = sizeof(m.n);
    assert_null(job_primers_check_record(&m.job.base, 0, 0, &record));
    record.len = sizeof(m.n) + 1;
    assert_non_null(job_primers_check_record(&m.job.base, 0, 0, &record));
    record.len = sizeof(m.n) + sizeof(primer_region_t);
    assert_non_null(job_primers_check_record(&m.job.base, 0, 0, &record));
}

/* @return whether the options are accepted */
static bool settles(primers_opts_t o)
{
    char why[JOB_OPTS_WHY_BYTES];

    return primers_opts_settle(&o.common, why) == ST_OK;
}

static void options_that_make_no_sense_are_refused(void **state)
{
    primers_opts_t o = primers_opts_defaults();

    (void)state;
    o.reads[0] = "reads.fa";
    o.common.output = "out.fa";
    assert_false(settles(o)); /* no primers */
    o.primers.text = "515F/806R";
    assert_true(settles(o));
    o.filter.max_length = 10;
    assert_true(settles(o));
    o.filter.min_length = 11;
    assert_false(settles(o));
    o.filter.min_length = 1;
    o.reads[1] = "mates.fa";
    assert_false(settles(o)); /* no second output */
    o.output2 = "out2.fa";
    assert_true(settles(o));
    o.taxonomy = "taxa.tsv";
    o.table = "table.tsv";
    assert_false(settles(o)); /* pairs of reads are no genes */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_record_has_regions_of_its_reads, make, destroy),
        cmocka_unit_test_setup_teardown(a_record_is_as_long_as_its_regions, make,
                                        destroy),
        cmocka_unit_test(options_that_make_no_sense_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
