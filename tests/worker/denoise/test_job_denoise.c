/*
 * test_job_denoise.c - options and records of the job "denoise".
 */
#include "tests/support/unit_test.h"

#include "worker/denoise/job_denoise_state.h"

#include <string.h>

enum { N_READS = 12, SIDE = 4, N_EDGES = 2 };

/* Tile 1 has the pairs of reads 0 to 3 with reads 4 to 7. */
typedef struct {
    job_denoise_t job;
    denoise_opts_t opts;
    int64_t size[N_READS];
    denoise_edge_t edges[N_EDGES + 1];
    int64_t n;
    buf_t record;
} made_t;

static void make(made_t *m)
{
    *m = (made_t){.opts = denoise_opts_defaults(),
                  .edges = {{5, 1, 99, 1, 100}, {6, 1, 95, 0, 100}}};
    m->job.opts = &m->opts;
    m->job.grid = tile_grid_of(N_READS, SIDE);
    m->job.in.size = m->size;
    for (int i = 0; i < N_READS; i++)
        m->size[i] = i < SIDE ? 80 : 10;
    m->n = N_EDGES;
    m->record = (buf_t){.len = sizeof(m->n) + N_EDGES * sizeof(*m->edges)};
}

static const char *check(made_t *m)
{
    unsigned char bytes[sizeof(m->n) + sizeof(m->edges)];

    memcpy(bytes, &m->n, sizeof(m->n));
    memcpy(bytes + sizeof(m->n), m->edges, sizeof(m->edges));
    m->record.data = bytes;
    return job_denoise_check_record(&m->job.base, 1, 0, &m->record);
}

static void a_record_has_edges_of_its_tile(void **state)
{
    static const char refused[] = "has pairs that its reads cannot have";
    made_t m;

    (void)state;
    make(&m);
    assert_null(check(&m));
    m.edges[0].read = 8;
    assert_string_equal(check(&m), refused);
    make(&m);
    m.edges[0].centroid = -1;
    assert_string_equal(check(&m), refused);
    make(&m);
    m.edges[1] = m.edges[0]; /* twice */
    assert_string_equal(check(&m), refused);
}

static void a_record_has_edges_that_the_rule_accepts(void **state)
{
    static const char refused[] = "has pairs that its reads cannot have";
    made_t m;

    (void)state;
    make(&m);
    m.edges[0].mismatches = 2; /* 1 / 8 of the abundance */
    m.edges[0].matches = 98;
    assert_string_equal(check(&m), refused);
    make(&m);
    m.edges[1].columns = 106; /* 95 / 106 < 90 % */
    assert_string_equal(check(&m), refused);
    make(&m);
    m.edges[0].matches = 100; /* and 1 mismatch in 100 columns */
    assert_string_equal(check(&m), refused);
    make(&m);
    m.edges[0].mismatches = -1;
    assert_string_equal(check(&m), refused);
}

static void a_record_has_whole_edges(void **state)
{
    made_t m;

    (void)state;
    make(&m);
    m.record.len--;
    assert_string_equal(check(&m), "has another length than that of its pairs");
    m.record.len = 0;
    assert_string_equal(check(&m), "has another length than that of its pairs");
    m.record.len = sizeof(m.n);
    assert_string_equal(check(&m), "has another length than that of its pairs");
    m.n = 0;
    assert_null(check(&m));
}

static void abundances_are_read_from_names_or_a_table(void **state)
{
    static const char *const files[] = {"a.fa", "b.fa", NULL};
    char why[JOB_OPTS_WHY_BYTES] = "";
    denoise_opts_t o = denoise_opts_defaults();

    (void)state;
    assert_int_equal(denoise_opts_settle(&o.common, why), ST_EUSAGE);
    assert_non_null(strstr(why, "ASVS.h5"));
    o.common.output = "out.h5";
    assert_int_equal(denoise_opts_settle(&o.common, why), ST_EUSAGE); /* no reads */
    seq_inputs_take(&o.reads.inputs, files);
    assert_int_equal(denoise_opts_settle(&o.common, why), ST_OK);
    assert_true(o.reads.prepare.labels.sizes);
    o.reads.prepare.count_table = "counts.tsv";
    assert_int_equal(denoise_opts_settle(&o.common, why), ST_OK);
    assert_false(o.reads.prepare.labels.sizes);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_record_has_edges_of_its_tile),
        cmocka_unit_test(a_record_has_edges_that_the_rule_accepts),
        cmocka_unit_test(a_record_has_whole_edges),
        cmocka_unit_test(abundances_are_read_from_names_or_a_table),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
