/*
 * test_log_check.c - the first record that a job refuses is named, whoever checks it.
 */
#include "tests/support/unit_test.h"

#include "tests/io/store/reslog_fixture.h"
#include "worker/log_check.h"

enum { N_MANY = 100 };

/* Tasks before `good` may have records. @param ctx  const int64_t * */
static const char *check(void *ctx, int64_t task, int64_t version, const buf_t *record)
{
    assert_int_equal(version, 0);
    assert_int_equal(record->len, sizeof(task));
    assert_memory_equal(record->data, &task, sizeof(task));
    return task < *(const int64_t *)ctx ? NULL : "is too large";
}

/* A log of every other task. */
static reslog_t *make_many(void)
{
    reslog_t *log = NULL;

    assert_int_equal(reslog_open(path, JOB, N_MANY, false, &log), ST_OK);
    for (int64_t task = 1; task < N_MANY; task += 2)
        assert_int_equal(reslog_append(log, task, 0, &task, sizeof(task)), ST_OK);
    return log;
}

static void assert_checked(int n_threads)
{
    int64_t all = N_MANY, few = 50;
    reslog_t *log = make_many();
    pool_t *pool = NULL;

    assert_int_equal(pool_create(n_threads, &pool), ST_OK);
    assert_int_equal(log_check(log, N_MANY, pool, check, &all), ST_OK);
    capture_start();
    assert_int_equal(log_check(log, N_MANY, pool, check, &few), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("the record of task 51 is impossible: it is too large; give --force");
    pool_destroy(pool);
    reslog_close(log);
}

static void the_first_impossible_record_is_named(void **state)
{
    (void)state;
    assert_checked(1);
    forget(state);
    assert_checked(3);
}

static void a_disk_that_fails_is_no_impossible_record(void **state)
{
    int64_t none = 0;
    reslog_t *log = make_many();

    (void)state;
    reads_left = 0;
    capture_start();
    assert_int_equal(log_check(log, N_MANY, NULL, check, &none), ST_EIO);
    reads_left = -1;
    capture_stop();
    assert_logged_one_line();
    reslog_close(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_first_impossible_record_is_named, forget),
        cmocka_unit_test_teardown(a_disk_that_fails_is_no_impossible_record, forget),
    };

    return cmocka_run_group_tests(tests, log_directory, dir_remove);
}
