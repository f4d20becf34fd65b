/*
 * test_reslog_copy.c - records of shards, copied behind the first log's: found there at
 * once and when it is opened again, also if a copy is not complete.
 */
#include "tests/support/unit_test.h"

#include "io/store/reslog_copy.h"
#include "tests/io/store/reslog_fixture.h"

enum { N_SHARDS = 2 };

static reslog_t *first, *shard[N_SHARDS];
static int64_t end_at;

/* The first log has record 0, shards 1 and 2; shard 0 has record 0, too, with another
 * content. */
static int begin(void **state)
{
    (void)state;
    first = open_log();
    assert_int_equal(reslog_append(first, task_of[0], 0, payload[0], strlen(payload[0])),
                     ST_OK);
    for (int k = 0; k < N_SHARDS; k++) {
        char name[PATH_BYTES + 8];

        snprintf(name, sizeof(name), "%s.%d", path, k + 1);
        assert_int_equal(reslog_open(name, JOB, N_TASKS, true, &shard[k]), ST_OK);
        if (k == 0)
            assert_int_equal(reslog_append(shard[k], task_of[0], 0, "other", 5), ST_OK);
        assert_int_equal(reslog_append(shard[k], task_of[k + 1], 0, payload[k + 1],
                                       strlen(payload[k + 1])),
                         ST_OK);
    }
    assert_int_equal(reslog_copies_begin(first), ST_OK);
    end_at = reslog_end(first);
    return 0;
}

static int end(void **state)
{
    reslog_close(first);
    for (int k = 0; k < N_SHARDS; k++) {
        reslog_remove(shard[k]);
        reslog_close(shard[k]);
    }
    return forget(state);
}

/* @param copies  or only leave the space for it */
static void copy(int k, bool copies)
{
    buf_t places = {0};
    reslog_copy_t *c;
    bool done = false;

    assert_int_equal(reslog_copy_begin(shard[k], path, end_at, &c), ST_OK);
    while (copies && !done)
        assert_int_equal(reslog_copy_step(c, &done), ST_OK);
    assert_int_equal(reslog_copy_places(c, N_TASKS, &places), ST_OK);
    assert_int_equal(places.len / sizeof(reslog_copied_t), k == 0 ? 2 : 1);
    for (size_t i = 0; i < places.len / sizeof(reslog_copied_t); i++) {
        const reslog_copied_t *p = (const reslog_copied_t *)(void *)places.data + i;

        reslog_copies_note(first, p->task, p->payload_at);
    }
    end_at += reslog_end(shard[k]) - reslog_start(shard[k]);
    buf_free(&places);
    reslog_copy_end(c);
}

static void open_again(void)
{
    reslog_close(first);
    first = open_log();
}

static void the_first_log_has_all_records_at_once(void **state)
{
    (void)state;
    copy(0, true);
    copy(1, true);
    assert_int_equal(reslog_copies_end(first, end_at), ST_OK);
    assert_int_equal(reslog_n_done(first), 3);
    for (int i = 0; i < 3; i++)
        assert_holds(first, i);
    assert_int_equal(reslog_end(first), end_at);
}

static void they_are_found_again_and_the_first_of_two_counts(void **state)
{
    (void)state;
    copy(0, true);
    copy(1, true);
    open_again();
    for (int i = 0; i < 3; i++)
        assert_holds(first, i);
    assert_int_equal(reslog_end(first), end_at);
}

static void what_follows_a_copy_that_is_not_there_is_cut_off(void **state)
{
    const int64_t before = end_at;

    (void)state;
    copy(0, false);
    copy(1, true);
    open_again();
    assert_int_equal(reslog_n_done(first), 1);
    assert_holds(first, 0);
    assert_int_equal(reslog_end(first), before);
}

static void a_file_without_all_copies_is_refused(void **state)
{
    (void)state;
    copy(0, true);
    copy(1, false);
    capture_start();
    assert_int_equal(reslog_copies_end(first, end_at), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged("what other ranks have copied into it is not there");
}

static void a_first_log_that_is_gone_is_reported(void **state)
{
    reslog_copy_t *c = NULL;

    (void)state;
    unlink(path);
    capture_start();
    assert_int_equal(reslog_copy_begin(shard[0], path, end_at, &c), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    reslog_copy_end(NULL);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_first_log_has_all_records_at_once),
        TEST(they_are_found_again_and_the_first_of_two_counts),
        TEST(what_follows_a_copy_that_is_not_there_is_cut_off),
        TEST(a_file_without_all_copies_is_refused),
        TEST(a_first_log_that_is_gone_is_reported),
    };

    return cmocka_run_group_tests(tests, log_directory, dir_remove);
}
