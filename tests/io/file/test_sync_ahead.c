/*
 * test_sync_ahead.c - a file is synced while it is written, and an error of such a sync
 * is one of the file.
 *
 * fdatasync is this file's: it fails on demand.
 */
#include "tests/support/unit_test.h"

#include "io/file/whole_file.h"
#include "tests/support/captured_log.h"

#include <errno.h>
#include <stdatomic.h>
#include <time.h>

enum { WAIT_S = 20 };

static char path[PATH_BYTES];
static atomic_int n_syncs, sync_error; /* errno of all syncs; 0: they succeed */

int fdatasync(int fd)
{
    int error = atomic_load(&sync_error);

    atomic_fetch_add(&n_syncs, 1);
    errno = error;
    return error == 0 && fsync(fd) == 0 ? 0 : -1;
}

/* Write a file and wait meanwhile until it has been synced n times. */
static status_t write_slowly(int n)
{
    time_t start = time(NULL);
    whole_file_t *f;

    assert_int_equal(whole_file_open(path, WHOLE_FILE_TEXT, false, &f), ST_OK);
    fputs("abc", whole_file_stream(f));
    while (atomic_load(&n_syncs) < n && time(NULL) - start < WAIT_S)
        usleep(500);
    assert_in_range(atomic_load(&n_syncs), n, INT32_MAX);
    return whole_file_close(f, ST_OK);
}

/* @param error  of all syncs but the last one, which is an fsync */
static void begin(int error)
{
    dir_file("x", path);
    atomic_store(&n_syncs, 0);
    atomic_store(&sync_error, error);
}

static void assert_abc(void)
{
    size_t len;
    unsigned char *data = dir_get(path, &len);

    assert_int_equal(len, 3);
    assert_memory_equal(data, "abc", 3);
    free(data);
    unlink(path);
}

static void a_file_is_synced_again_and_again_while_it_is_written(void **state)
{
    (void)state;
    begin(0);
    assert_int_equal(write_slowly(3), ST_OK);
    assert_abc();
}

/* The system reports an error once: the last sync succeeds. */
static void a_sync_that_fails_fails_the_file(void **state)
{
    (void)state;
    begin(EIO);
    capture_start();
    assert_int_equal(write_slowly(1), ST_EIO);
    capture_stop();
    assert_logged_one_line();
    assert_logged("x: cannot write: Input/output error");
    assert_int_not_equal(access(path, F_OK), 0);
}

static void a_file_system_that_cannot_sync_is_no_error(void **state)
{
    (void)state;
    begin(EINVAL);
    assert_int_equal(write_slowly(1), ST_OK);
    assert_abc();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_synced_again_and_again_while_it_is_written),
        cmocka_unit_test(a_sync_that_fails_fails_the_file),
        cmocka_unit_test(a_file_system_that_cannot_sync_is_no_error),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
