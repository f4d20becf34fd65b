/*
 * test_job_program_record.c - records of the job "graph run".
 */
#include "tests/support/unit_test.h"

#include "tests/support/made_graph.h"
#include "worker/program/job_program_state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Of three nodes, in the order of the declarations. */
typedef struct {
    job_program_head_t head;
    double x[3];
    int32_t parent[3];
    uint8_t is_in[3];
    uint8_t more[9]; /* for records that are too long */
} record_t;

enum { RECORD_BYTES = offsetof(record_t, more) };

static job_program_t job;
static record_t r;

static int make(void **state)
{
    static const char text[] =
        "attribute int hidden; output attribute real x;"
        "output attribute node parent; output attribute bool is_in;";

    (void)state;
    job = (job_program_t){.graph = made_graph_of("3-5 5-9", false)};
    r = (record_t){.head = {.n_iterations = 1, .n_visited = 4, .seconds = 0.5},
                   .x = {-1e300, 0, 1},
                   .parent = {-1, 0, 2},
                   .is_in = {0, 1, 1}};
    return rg_parse("p.rg", text, strlen(text), &job.program) == ST_OK ? 0 : -1;
}

static int unmake(void **state)
{
    (void)state;
    rg_free(&job.program);
    csr_free(&job.graph);
    return 0;
}

static const char *reason(size_t len)
{
    const buf_t record = {.data = (unsigned char *)&r, .len = len};

    return job_program_check_record(&job.base, 0, 0, &record);
}

static void values_are_of_their_types(void **state)
{
    (void)state;
    assert_null(reason(RECORD_BYTES));
    r.parent[1] = 3;
    assert_non_null(reason(RECORD_BYTES));
    r.parent[1] = -2;
    assert_non_null(reason(RECORD_BYTES));
    r.parent[1] = 1;
    r.is_in[2] = 2;
    assert_non_null(reason(RECORD_BYTES));
    r.is_in[2] = 0;
    r.x[0] = INFINITY;
    assert_non_null(reason(RECORD_BYTES));
    r.x[0] = 3;
    assert_null(reason(RECORD_BYTES));
}

static void counts_and_times_are_possible(void **state)
{
    (void)state;
    r.head.n_visited = -1;
    assert_non_null(reason(RECORD_BYTES));
    r.head.n_visited = 0;
    r.head.seconds = NAN;
    assert_non_null(reason(RECORD_BYTES));
    r.head.seconds = 0;
    r.head.compile_s = -1;
    assert_non_null(reason(RECORD_BYTES));
}

static void a_record_has_all_columns_and_nothing_else(void **state)
{
    (void)state;
    assert_non_null(reason(RECORD_BYTES - 1));
    assert_non_null(reason(RECORD_BYTES + 1));
    assert_non_null(reason(sizeof(r.head)));
    assert_non_null(reason(0));
}

static void a_program_that_failed_is_no_result(void **state)
{
    (void)state;
    assert_int_equal(job_program_note_result(&job.base, 0, 0, &r, RECORD_BYTES), ST_OK);
    r.head.has_failed = 1;
    assert_non_null(reason(RECORD_BYTES));
    assert_int_equal(job_program_note_result(&job.base, 0, 0, &r, sizeof(r.head)),
                     ST_EINPUT);
    assert_int_equal(job_program_note_result(&job.base, 0, 0, &r, 3), ST_EINPUT);
}

/* Pack what a program leaves of 3-5-9: the nodes 3, 9 and 10, and the arc 3-10. */
static void pack(const char *text, buf_t *out)
{
    rg_input_t input = {.graph = &job.graph, .max_iterations = 9, .max_items = 9};
    job_program_found_t found = {.has_failed = false};

    rg_free(&job.program);
    assert_int_equal(rg_parse("p.rg", text, strlen(text), &job.program), ST_OK);
    input.param = (rg_value_t[8]){{.i = 0}};
    input.is_given = (bool[8]){false};
    job.base.collected[0].results = &found;
    assert_int_equal(rg_run(&job.program, &input, &found.result), ST_OK);
    assert_int_equal(job_program_pack(&job.base, 0, 0, 0, out), ST_OK);
    job_program_free_result(&found);
}

#define CHANGE                                                      \
    "output attribute int k; output attribute node to; new node u;" \
    "for (v in nodes) { if (v.id == 5) { delete node v; }"          \
    " if (v.id == 3) { new edge (v, u, %s); v.to = u; } v.k = v.id; } u.k = 10;"

static void a_changed_graph_comes_back(void **state)
{
    static const int64_t k[] = {3, 9, 10}, ids[] = {3, 9, 10}, first[] = {0, 1, 1, 1};
    char text[512];
    job_program_record_t found;
    buf_t record = {0};

    (void)state;
    snprintf(text, sizeof(text), CHANGE, "0.5");
    pack(text, &record);
    assert_null(job_program_open_record(&job, &record, &found));
    assert_int_equal(found.graph.n_nodes, 3);
    assert_memory_equal(found.graph.id, ids, sizeof(ids));
    assert_memory_equal(found.graph.first, first, sizeof(first));
    assert_int_equal(found.graph.to[0], 2);
    assert_true(found.graph.value[0] == 0.5);
    assert_memory_equal(found.values, k, sizeof(k));
    buf_free(&record);
    snprintf(text, sizeof(text), CHANGE, "4");
    pack(text, &record);
    assert_null(job_program_open_record(&job, &record, &found));
    assert_int_equal(found.graph.weight[0], 4);
    buf_free(&record);
}

/* Change a value of a record, and back. */
static const char *reason_with(const buf_t *record, const void *at, const void *value,
                               size_t bytes)
{
    job_program_record_t found;
    uint8_t *place = record->data + ((const uint8_t *)at - record->data), before[8];
    const char *why;

    memcpy(before, place, bytes);
    memcpy(place, value, bytes);
    why = job_program_open_record(&job, record, &found);
    memcpy(place, before, bytes);
    return why;
}

static void a_changed_graph_is_one(void **state)
{
    static const int64_t bad[] = {-1, 4, INT64_MAX};
    static const int32_t bad_int[] = {-1, 3};
    const double infinite = INFINITY;
    job_program_record_t found;
    buf_t record = {0};
    char text[512];

    (void)state;
    snprintf(text, sizeof(text), CHANGE, "0.5");
    pack(text, &record);
    assert_null(job_program_open_record(&job, &record, &found));
    for (int i = 0; i < 3; i++) {
        uint8_t *head = record.data;

        assert_non_null(reason_with(&record, &found.graph.first[1], &bad[i], 8));
        assert_non_null(reason_with(&record, head + offsetof(job_program_head_t, n_nodes),
                                    &bad[i], 8));
        assert_non_null(reason_with(&record, head + offsetof(job_program_head_t, n_arcs),
                                    &bad[i], 8));
        assert_non_null(reason_with(&record, head + offsetof(job_program_head_t, weights),
                                    &bad[i], 8));
    }
    assert_non_null(reason_with(&record, &found.graph.id[2], &found.graph.id[1], 8));
    for (int i = 0; i < 2; i++)
        assert_non_null(reason_with(&record, found.graph.to, &bad_int[i], 4));
    assert_non_null(reason_with(&record, found.graph.value, &infinite, 8));
    record.len -= 4;
    assert_non_null(job_program_open_record(&job, &record, &found));
    buf_free(&record);
}

static void a_program_without_changes_has_no_other_graph(void **state)
{
    (void)state;
    r.head.is_changed = 1;
    r.head.n_nodes = 3;
    assert_non_null(reason(RECORD_BYTES));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(values_are_of_their_types, make, unmake),
        cmocka_unit_test_setup_teardown(counts_and_times_are_possible, make, unmake),
        cmocka_unit_test_setup_teardown(a_record_has_all_columns_and_nothing_else, make,
                                        unmake),
        cmocka_unit_test_setup_teardown(a_program_that_failed_is_no_result, make, unmake),
        cmocka_unit_test_setup_teardown(a_changed_graph_comes_back, make, unmake),
        cmocka_unit_test_setup_teardown(a_changed_graph_is_one, make, unmake),
        cmocka_unit_test_setup_teardown(a_program_without_changes_has_no_other_graph,
                                        make, unmake),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
