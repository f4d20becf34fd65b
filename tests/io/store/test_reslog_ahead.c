/*
 * test_reslog_ahead.c - records come in the order of their tasks, whole groups at a time,
 * whoever reads them.
 */
#include "tests/support/unit_test.h"

#include "io/store/reslog_ahead.h"
#include "tests/support/captured_log.h"

#include <fcntl.h>
#include <string.h>

enum { N_MANY = 2500 };

static char path[PATH_BYTES];

static int make_directory(void **state)
{
    if (dir_make(state) != 0)
        return -1;
    dir_file("log.part", path);
    return 0;
}

static int text_of(int64_t task, char *out)
{
    return sprintf(out, "the record of task %d", (int)(task * task));
}

/* A log of n tasks, written from the last to the first. */
static reslog_t *log_of(int64_t n)
{
    reslog_t *log = NULL;
    char text[64];

    assert_int_equal(reslog_open(path, "a=b\n", n, true, &log), ST_OK);
    for (int64_t k = n - 1; k >= 0; k--) {
        int len = text_of(k, text);

        assert_int_equal(reslog_append(log, k, 0, text, (size_t)len), ST_OK);
    }
    return log;
}

static void assert_all_read(const reslog_t *log, int64_t n, pool_t *pool)
{
    reslog_ahead_t *ahead;
    reslog_group_t group;
    int64_t at = 0;
    char text[64];

    assert_int_equal(reslog_ahead_begin(log, n, pool, true, &ahead), ST_OK);
    while (reslog_ahead_next(ahead, &group) == ST_OK && group.n > 0)
        for (int k = 0; k < group.n; k++, at++) {
            size_t len = (size_t)text_of(at, text);

            assert_int_equal(group.first + k, at);
            assert_int_equal(group.records[k].len, len);
            assert_memory_equal(group.records[k].data, text, len);
        }
    assert_int_equal(at, n);
    assert_int_equal(reslog_ahead_next(ahead, &group), ST_OK);
    assert_int_equal(group.n, 0); /* and stays there */
    reslog_ahead_end(ahead);
}

/* Long ones are dropped from the system's memory as they are read: the first time the
 * disk has none of them, the second time all. */
static void long_records_can_be_read_again(void **state)
{
    enum { N = 3, BYTES = 300000 };
    static unsigned char data[BYTES];
    reslog_ahead_t *ahead;
    reslog_group_t group;
    reslog_t *log = NULL;

    (void)state;
    assert_int_equal(reslog_open(path, "a=b\n", N, true, &log), ST_OK);
    for (int64_t k = 0; k < N; k++) {
        memset(data, (int)k, BYTES);
        assert_int_equal(reslog_append(log, k, 0, data, BYTES), ST_OK);
    }
    for (int time = 0; time < 3; time++) {
        assert_int_equal(reslog_ahead_begin(log, N, NULL, true, &ahead), ST_OK);
        for (int64_t k = 0; k < N;) {
            assert_int_equal(reslog_ahead_next(ahead, &group), ST_OK);
            assert_true(group.n > 0);
            for (int i = 0; i < group.n; i++, k++) {
                memset(data, (int)k, BYTES);
                assert_int_equal(group.records[i].len, BYTES);
                assert_memory_equal(group.records[i].data, data, BYTES);
            }
        }
        reslog_ahead_end(ahead);
        assert_int_equal(reslog_sync(log), ST_OK);
    }
    reslog_close(log);
}

static void records_come_in_order_with_any_number_of_threads(void **state)
{
    const int64_t sizes[] = {0, 1, 7, N_MANY};

    (void)state;
    for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
        reslog_t *log = log_of(sizes[i]);

        assert_all_read(log, sizes[i], NULL);
        for (int n_threads = 1; n_threads <= 4; n_threads++) {
            pool_t *pool;

            assert_int_equal(pool_create(n_threads, &pool), ST_OK);
            assert_all_read(log, sizes[i], pool);
            assert_all_read(log, sizes[i], pool);
            pool_destroy(pool);
        }
        reslog_close(log);
    }
}

static void reading_may_end_early(void **state)
{
    reslog_t *log = log_of(N_MANY);
    reslog_ahead_t *ahead;
    reslog_group_t group;
    pool_t *pool;

    (void)state;
    assert_int_equal(pool_create(3, &pool), ST_OK);
    assert_int_equal(reslog_ahead_begin(log, N_MANY, pool, true, &ahead), ST_OK);
    reslog_ahead_end(ahead);
    assert_int_equal(reslog_ahead_begin(log, N_MANY, pool, true, &ahead), ST_OK);
    assert_int_equal(reslog_ahead_next(ahead, &group), ST_OK);
    reslog_ahead_end(ahead);
    reslog_ahead_end(NULL);
    assert_all_read(log, N_MANY, pool);
    pool_destroy(pool);
    reslog_close(log);
}

/* The record of task 0 is the last of the file. */
static void flip_last_bit(void)
{
    int fd = open(path, O_RDWR);
    char last;

    assert_true(fd >= 0);
    assert_int_equal(pread(fd, &last, 1, lseek(fd, 0, SEEK_END) - 1), 1);
    last ^= 1;
    assert_int_equal(pwrite(fd, &last, 1, lseek(fd, 0, SEEK_END) - 1), 1);
    close(fd);
}

static void a_changed_record_is_an_error_that_lasts(void **state)
{
    (void)state;
    for (int n_threads = 0; n_threads <= 3; n_threads++) {
        reslog_t *log = log_of(N_MANY);
        reslog_ahead_t *ahead;
        reslog_group_t group = {.n = -1};
        pool_t *pool = NULL;

        flip_last_bit();
        if (n_threads > 0)
            assert_int_equal(pool_create(n_threads, &pool), ST_OK);
        capture_start();
        assert_int_equal(reslog_ahead_begin(log, N_MANY, pool, true, &ahead), ST_OK);
        assert_int_equal(reslog_ahead_next(ahead, &group), ST_EIO);
        assert_int_equal(reslog_ahead_next(ahead, &group), ST_EIO);
        capture_stop();
        assert_logged_one_line();
        assert_logged("task 0 has changed on disk");
        assert_int_equal(group.n, -1);
        reslog_ahead_end(ahead);
        pool_destroy(pool);
        reslog_close(log);
    }
}

static int forget(void **state)
{
    (void)state;
    unlink(path);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(records_come_in_order_with_any_number_of_threads,
                                  forget),
        cmocka_unit_test_teardown(long_records_can_be_read_again, forget),
        cmocka_unit_test_teardown(reading_may_end_early, forget),
        cmocka_unit_test_teardown(a_changed_record_is_an_error_that_lasts, forget),
    };

    return cmocka_run_group_tests(tests, make_directory, dir_remove);
}
