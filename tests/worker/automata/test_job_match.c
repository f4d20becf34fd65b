/*
 * test_job_match.c - lines and records of the job "automata match".
 */
#include "tests/support/unit_test.h"

#include "worker/automata/job_match_state.h"

#include "tests/support/made_patterns.h"

#include <stdlib.h>

enum { N_BYTES = 2 * JOB_MATCH_PIECE + 100 };

/* Three pieces of bytes 'x', two patterns of three positions. */
typedef struct {
    job_match_t job;
    match_opts_t opts;
    struct {
        job_match_head_t head;
        scan_hit_t hits[2];
        int32_t live[2];
    } record;
    size_t record_bytes;
} made_t;

static made_t m;

static int make(void **state)
{
    const char *const texts[] = {"ab", "c", NULL};

    (void)state;
    m = (made_t){.opts = match_opts_defaults(),
                 .record = {{2, 2},
                            {{JOB_MATCH_PIECE + 1, 0}, {JOB_MATCH_PIECE + 1, 1}},
                            {0, 2}},
                 .record_bytes = sizeof(m.record)};
    m.job.opts = &m.opts;
    m.job.automata.nfa = made_patterns(texts);
    m.job.n_bytes = N_BYTES;
    if ((m.job.bytes = malloc(N_BYTES)) == NULL)
        return -1;
    memset(m.job.bytes, 'x', N_BYTES);
    return 0;
}

static int unmake(void **state)
{
    (void)state;
    nfa_free(&m.job.automata.nfa);
    free(m.job.bytes);
    return 0;
}

/* @return whether the record is one of a task */
static bool is_record(int64_t task)
{
    const buf_t record = {.data = (unsigned char *)&m.record, .len = m.record_bytes};

    return job_match_check_record(&m.job.base, task, 0, &record) == NULL;
}

static void hits_ascend_and_are_of_their_piece(void **state)
{
    (void)state;
    assert_true(is_record(1));
    assert_false(is_record(0));
    assert_false(is_record(2));
    m.record.hits[1].pattern = 0; /* twice */
    assert_false(is_record(1));
    m.record.hits[1].pattern = 2;
    assert_false(is_record(1));
    m.record.hits[1] = (scan_hit_t){2 * JOB_MATCH_PIECE, 0};
    assert_true(is_record(1));
    m.record.hits[1].end++;
    assert_false(is_record(1));
    m.record.hits[1].end = m.record.hits[0].end - 1;
    assert_false(is_record(1));
}

static void live_positions_ascend_and_have_a_next_piece(void **state)
{
    (void)state;
    m.record.live[1] = 0;
    assert_false(is_record(1));
    m.record.live[1] = 3;
    assert_false(is_record(1));
    m.record.live[1] = 2;
    assert_true(is_record(1));
    m.opts.lines = true;
    assert_false(is_record(1));
    m.opts.lines = false;
    m.record.head = (job_match_head_t){0, 1}; /* position 0, where the hits were */
    m.record.hits[0].end = 0;
    m.record_bytes = sizeof(m.record.head) + sizeof(int32_t);
    assert_true(is_record(1));
    assert_false(is_record(2)); /* the last piece */
}

static void a_record_is_as_long_as_it_says(void **state)
{
    (void)state;
    m.record_bytes--;
    assert_false(is_record(1));
    m.record_bytes = 7;
    assert_false(is_record(1));
    m.record_bytes = sizeof(m.record);
    assert_true(is_record(1));
    m.record.head.n_live = 1;
    assert_false(is_record(1));
    m.record.head = (job_match_head_t){-1, 14};
    assert_false(is_record(1));
    m.record.head = (job_match_head_t){INT64_MAX, 2};
    assert_false(is_record(1));
}

/* Lines belong to the piece in which they begin, as long as they are. */
static void each_line_is_of_one_piece(void **state)
{
    static const int64_t feeds[] = {0, 10, JOB_MATCH_PIECE - 1, 2 * JOB_MATCH_PIECE + 50};
    static const int64_t begins[] = {0, JOB_MATCH_PIECE, 2 * JOB_MATCH_PIECE + 51,
                                     N_BYTES};

    (void)state;
    m.opts.lines = true;
    for (size_t k = 0; k < sizeof(feeds) / sizeof(feeds[0]); k++)
        m.job.bytes[feeds[k]] = '\n';
    for (int64_t task = 0; task < 3; task++) {
        const scan_piece_t lines = job_match_piece(&m.job, task);

        assert_true(lines.has_lines);
        assert_int_equal(lines.begin, begins[task]);
        assert_int_equal(lines.end, begins[task + 1]);
    }
}

static void a_piece_within_a_line_has_no_lines(void **state)
{
    (void)state;
    m.opts.lines = true;
    assert_int_equal(job_match_piece(&m.job, 0).end, N_BYTES);
    assert_int_equal(job_match_piece(&m.job, 1).begin, N_BYTES);
    assert_int_equal(job_match_piece(&m.job, 1).end, N_BYTES);
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, make, unmake)
    const struct CMUnitTest tests[] = {
        TEST(hits_ascend_and_are_of_their_piece),
        TEST(live_positions_ascend_and_have_a_next_piece),
        TEST(a_record_is_as_long_as_it_says),
        TEST(each_line_is_of_one_piece),
        TEST(a_piece_within_a_line_has_no_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
