/*
 * test_reslog_shards.c - the logs of several ranks are created, taken over and removed;
 * what is missing is named.
 */
#include "tests/support/unit_test.h"

#include "io/store/reslog_shards.h"
#include "tests/io/store/reslog_fixture.h"

enum { N_SHARDS = 3 };

static reslog_t *first;

static bool exists(int shard)
{
    char *name = reslog_shards_path(path, shard);
    bool is = access(name, F_OK) == 0;

    free(name);
    return is;
}

static reslog_t *shard_of(int shard, reslog_use_t use)
{
    char *name = reslog_shards_path(path, shard);
    reslog_t *log = NULL;

    assert_int_equal(reslog_open_shard(name, JOB, N_TASKS, use, &log), ST_OK);
    free(name);
    return log;
}

/* Shard k, and the first log as 0, has the k-th record. */
static void make_shards(void)
{
    first = open_log();
    assert_int_equal(reslog_shards_create(first, JOB, N_TASKS, N_SHARDS), ST_OK);
    for (int k = 0; k < N_SHARDS; k++) {
        reslog_t *log = k > 0 ? shard_of(k, RESLOG_SHARD_KEEP) : first;

        assert_int_equal(reslog_append(log, task_of[k], 0, payload[k],
                                       strlen(payload[k])),
                         ST_OK);
        if (k > 0)
            reslog_close(log);
    }
    reslog_close(first);
    first = open_log();
}

static void lose(int shard)
{
    char *name = reslog_shards_path(path, shard);

    assert_int_equal(unlink(name), 0);
    free(name);
}

static status_t take(reslog_use_t use)
{
    status_t st;

    log_set_level(LOG_NORMAL);
    capture_start();
    st = reslog_shards_take(first, JOB, N_TASKS, use);
    capture_stop();
    log_set_level(LOG_QUIET);
    return st;
}

static int end(void **state)
{
    reslog_close(first);
    first = NULL;
    reslog_shards_remove(path);
    return forget(state);
}

static void their_number_is_in_the_first_log(void **state)
{
    (void)state;
    first = open_log();
    assert_int_equal(reslog_n_shards(first), 0);
    assert_false(reslog_shards_exist(path));
    assert_int_equal(reslog_shards_create(first, JOB, N_TASKS, N_SHARDS), ST_OK);
    assert_true(exists(1) && exists(2) && !exists(3));
    assert_true(reslog_shards_exist(path));
    assert_false(reslog_shards_have_records(path));
    reslog_close(first);
    first = open_log();
    assert_int_equal(reslog_n_shards(first), N_SHARDS);
}

static void all_records_are_taken_over_and_the_files_removed(void **state)
{
    (void)state;
    make_shards();
    assert_true(reslog_shards_have_records(path));
    assert_int_equal(take(RESLOG_SHARD_KEEP), ST_OK);
    assert_logged_nothing();
    assert_int_equal(reslog_n_done(first), 3);
    for (int i = 0; i < 3; i++)
        assert_holds(first, i);
    assert_false(reslog_shards_exist(path));
    reslog_close(first);
    first = open_log();
    assert_int_equal(reslog_n_done(first), 3);
    assert_int_equal(reslog_n_shards(first), 1);
}

static void what_the_first_log_has_stays(void **state)
{
    reslog_t *log;

    (void)state;
    make_shards();
    log = shard_of(1, RESLOG_SHARD_KEEP);
    assert_int_equal(reslog_append(log, task_of[0], 0, "other", 5), ST_OK);
    reslog_close(log);
    assert_int_equal(take(RESLOG_SHARD_KEEP), ST_OK);
    assert_holds(first, 0);
}

static void a_missing_shard_is_named(void **state)
{
    (void)state;
    make_shards();
    lose(1);
    assert_int_equal(take(RESLOG_SHARD_KEEP), ST_OK);
    assert_logged_one_line();
    assert_logged("log.part.1 is missing: what it held is computed again");
    assert_int_equal(reslog_n_done(first), 2);
    assert_int_equal(reslog_n_shards(first), 1);
}

static void a_missing_first_log_is_named(void **state)
{
    (void)state;
    make_shards();
    reslog_close(first);
    unlink(path);
    first = open_log();
    lose(2);
    assert_int_equal(take(RESLOG_SHARD_KEEP), ST_OK);
    assert_logged("log.part is missing: what it held");
    assert_logged("log.part.2 is missing: what it held"); /* the other shard knows it */
    assert_int_equal(reslog_n_done(first), 1);
}

static void nothing_is_missing_where_all_tasks_are_finished(void **state)
{
    (void)state;
    make_shards();
    for (int64_t task = 0; task < N_TASKS; task++)
        assert_int_equal(reslog_append(first, task, 0, "x", 1), ST_OK);
    lose(1);
    assert_int_equal(take(RESLOG_SHARD_KEEP), ST_OK);
    assert_logged_nothing();
}

static void shards_of_a_discarded_run_are_removed(void **state)
{
    (void)state;
    make_shards();
    lose(2);
    assert_int_equal(take(RESLOG_SHARD_DISCARD), ST_OK);
    assert_logged_nothing();
    assert_int_equal(reslog_n_done(first), 1);
    assert_false(reslog_shards_exist(path));
}

static void of_this_run_all_must_be_there_and_may_be_locked(void **state)
{
    reslog_t *held;

    (void)state;
    make_shards();
    held = shard_of(2, RESLOG_SHARD_KEEP);
    assert_int_equal(take(RESLOG_SHARD_READ), ST_OK);
    reslog_close(held);
    assert_int_equal(reslog_n_done(first), 3);
    assert_int_equal(reslog_shards_create(first, JOB, N_TASKS, N_SHARDS), ST_OK);
    lose(1);
    assert_int_equal(take(RESLOG_SHARD_READ), ST_EIO);
    assert_logged_one_line();
    assert_logged("log.part.1: cannot open: ");
    assert_true(exists(2));
}

static void a_shard_of_another_job_stays(void **state)
{
    (void)state;
    make_shards();
    capture_start();
    assert_int_equal(reslog_shards_take(first, "input=b.fa\n", N_TASKS,
                                        RESLOG_SHARD_KEEP),
                     ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("log.part.1 is of another job");
    assert_true(exists(1) && exists(2));
}

static void other_names_are_no_shards(void **state)
{
    static const char *const names[] = {".new", ".01", ".0", ".1x", ".", "1", ".-1"};

    (void)state;
    first = open_log();
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char name[PATH_BYTES + 8];

        snprintf(name, sizeof(name), "%s%s", path, names[i]);
        dir_put(name, "x", 1);
        assert_false(reslog_shards_exist(path));
        unlink(name);
    }
}

#define TEST(name) cmocka_unit_test_teardown(name, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(their_number_is_in_the_first_log),
        TEST(all_records_are_taken_over_and_the_files_removed),
        TEST(what_the_first_log_has_stays),
        TEST(a_missing_shard_is_named),
        TEST(a_missing_first_log_is_named),
        TEST(nothing_is_missing_where_all_tasks_are_finished),
        TEST(shards_of_a_discarded_run_are_removed),
        TEST(of_this_run_all_must_be_there_and_may_be_locked),
        TEST(a_shard_of_another_job_stays),
        TEST(other_names_are_no_shards),
    };

    return cmocka_run_group_tests(tests, log_directory, dir_remove);
}
