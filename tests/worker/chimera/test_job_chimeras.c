/*
 * test_job_chimeras.c - options and records of the job "chimeras".
 */
#include "tests/support/unit_test.h"

#include "worker/chimera/job_chimeras_state.h"

#include <string.h>

enum { N_READS = JOB_CHIMERAS_BLOCK + 2, N_WORDS = 2 * CHIMERA_PARTS + 3 };

/* Reads 0 and 1 may be parents of those from 2 on.  Of the two reads of task 1 the first
 * part of the first one has 2 hits, the last part of the second one has 1. */
typedef struct {
    job_chimeras_t job;
    seqset_t reads, references;
    int64_t n_targets[N_READS];
    int32_t words[N_WORDS + 1];
    buf_t record;
} made_t;

static void make(made_t *m)
{
    *m = (made_t){.reads = {.n = N_READS}, .references = {.n = 9}};
    m->job.in.reads = &m->reads;
    for (int i = 2; i < N_READS; i++)
        m->n_targets[i] = 2;
    m->job.n_targets = m->n_targets;
    m->words[0] = 2;
    m->words[1] = 1;
    m->words[N_WORDS - 2] = 1;
    m->record =
        (buf_t){(unsigned char *)m->words, N_WORDS * sizeof(int32_t), sizeof(m->words)};
}

static const char *check(made_t *m)
{
    return job_chimeras_check_record(&m->job.base, 1, 0, &m->record);
}

static void a_record_has_hits_that_its_reads_can_have(void **state)
{
    static const char refused[] = "has hits that its reads cannot have";
    made_t m;

    (void)state;
    make(&m);
    assert_null(check(&m));
    m.words[2] = 1; /* twice */
    assert_string_equal(check(&m), refused);
    m.words[2] = 2; /* not abundant enough */
    assert_string_equal(check(&m), refused);
    m.words[2] = -1;
    assert_string_equal(check(&m), refused);
    m.words[2] = 0;
    m.n_targets[N_READS - 1] = 0;
    assert_string_equal(check(&m), refused);
}

static void a_record_has_the_length_of_its_hits(void **state)
{
    made_t m;

    (void)state;
    make(&m);
    for (size_t len = 0; len < N_WORDS * sizeof(int32_t); len++) {
        m.record.len = len;
        assert_string_equal(check(&m), "has another length than that of its hits");
    }
    m.record.len = sizeof(m.words);
    assert_string_equal(check(&m), "has another length than that of its hits");
    make(&m);
    m.words[0] = CHIMERA_HITS_MAX + 1;
    assert_string_equal(check(&m), "has another length than that of its hits");
    memset(m.words, 0, sizeof(m.words)); /* no hits at all */
    assert_string_equal(check(&m), "has another length than that of its hits");
}

static chimera_opts_t opts(void)
{
    static const char *const files[] = {"reads.fa", NULL};
    chimera_opts_t o = chimera_opts_defaults();

    seq_inputs_take(&o.reads.inputs, files);
    o.common.output = "out.h5";
    return o;
}

static void the_skew_depends_on_the_method(void **state)
{
    char why[JOB_OPTS_WHY_BYTES];
    chimera_opts_t o = opts();

    (void)state;
    assert_int_equal(chimera_opts_settle(&o.common, why), ST_OK);
    assert_true(o.min_skew == 2 && o.reads.prepare.labels.sizes);
    o = opts();
    GIVE(&o, rule.method, CHIMERA_UCHIME3);
    assert_int_equal(chimera_opts_settle(&o.common, why), ST_OK);
    assert_true(o.min_skew == 16);
    GIVE(&o, min_skew, 3);
    assert_int_equal(chimera_opts_settle(&o.common, why), ST_OK);
    assert_true(o.min_skew == 3);
    o.reads.prepare.samples = "samples.tsv";
    assert_int_equal(chimera_opts_settle(&o.common, why), ST_OK);
    assert_false(o.reads.prepare.labels.sizes);
}

static void expect_misuse(chimera_opts_t *o, const char *text)
{
    char why[JOB_OPTS_WHY_BYTES] = "";

    assert_int_equal(chimera_opts_settle(&o->common, why), ST_EUSAGE);
    if (strstr(why, text) == NULL)
        fail_msg("'%s' is not in: %s", text, why);
}

static void options_without_effect_are_refused(void **state)
{
    chimera_opts_t o = opts();

    (void)state;
    o.references.degap = true;
    expect_misuse(&o, "are for --against");
    o = opts();
    o.against = "refs.fa";
    GIVE(&o, min_skew, 2);
    expect_misuse(&o, "--abskew compares abundances");
    o = opts();
    o.against = "refs.fa";
    GIVE(&o, rule.method, CHIMERA_UCHIME2);
    expect_misuse(&o, "--method uchime2 compares abundances");
    o = opts();
    GIVE(&o, rule.method, CHIMERA_UCHIME2);
    GIVE(&o, rule.min_diffs, 2);
    expect_misuse(&o, "are for --method uchime");
    o = opts();
    GIVE(&o, rule.dn, 0);
    expect_misuse(&o, "give numbers above 0");
    o = opts();
    o.common.output = NULL;
    expect_misuse(&o, "CHIMERAS.h5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_hits_that_its_reads_can_have),
        cmocka_unit_test(a_record_has_the_length_of_its_hits),
        cmocka_unit_test(the_skew_depends_on_the_method),
        cmocka_unit_test(options_without_effect_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
