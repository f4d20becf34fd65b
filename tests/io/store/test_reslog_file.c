/*
 * test_reslog_file.c - what has the name of a log is not touched unless it is a log.
 */
#include "tests/support/unit_test.h"

#include "tests/io/store/reslog_fixture.h"

#include <sys/stat.h>

/* Opening is refused in each way, also afresh. */
static void assert_refused(status_t due, const char *why)
{
    for (int afresh = 0; afresh < 2; afresh++) {
        reslog_t *log = NULL;

        capture_start();
        assert_int_equal(reslog_open(path, JOB, N_TASKS, afresh, &log), due);
        capture_stop();
        assert_null(log);
        assert_logged_one_line();
        assert_logged(path);
        assert_logged(why);
    }
}

static void a_new_log_is_refused_at_once_where_one_is(void **state)
{
    reslog_t *log = NULL, *second = NULL;

    (void)state;
    assert_int_equal(reslog_create(path, JOB, N_TASKS, &log), ST_OK);
    capture_start();
    assert_int_equal(reslog_create(path, JOB, N_TASKS, &second), ST_EBUSY);
    capture_stop();
    assert_null(second);
    assert_logged_one_line();
    assert_logged("another run with this output has just begun");
    reslog_remove(log);
    reslog_close(log);
}

static void assert_content(const char *file, const char *text, size_t len)
{
    size_t now;
    unsigned char *after = dir_get(file, &now);

    assert_int_equal(now, len);
    assert_memory_equal(after, text, len);
    free(after);
}

static void another_file_is_refused_and_kept(void **state)
{
    static const struct {
        const char *text;
        size_t len;
    } there[] = {
        {"These are notes of somebody's, longer than any header of a log.", 63},
        {"a note", 6},
        {"\0\0precious", 10},
        {"\0", 1},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(there) / sizeof(there[0]); i++) {
        dir_put(path, there[i].text, there[i].len);
        assert_refused(ST_EINPUT, "is not a log of ribogrid");
        assert_content(path, there[i].text, there[i].len);
    }
}

static void a_link_is_not_followed(void **state)
{
    char target[PATH_BYTES];

    (void)state;
    dir_file("target", target);
    assert_int_equal(symlink("target", path), 0);
    assert_refused(ST_EINPUT, "is a symbolic link");
    assert_int_equal(access(target, F_OK), -1);
    dir_put(target, "", 0);
    assert_refused(ST_EINPUT, "is a symbolic link");
    assert_content(target, "", 0);
    unlink(target);
}

static void a_pipe_or_a_directory_is_refused(void **state)
{
    (void)state;
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_refused(ST_EINPUT, "is a pipe");
    unlink(path);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_refused(ST_EINPUT, "is a directory");
    rmdir(path);
}

static void a_folder_that_is_missing_is_an_error(void **state)
{
    char before[PATH_BYTES];

    (void)state;
    snprintf(before, sizeof(before), "%s", path);
    dir_file("none/log.part", path);
    assert_refused(ST_EIO, "cannot open: No such file");
    snprintf(path, sizeof(path), "%s", before);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(another_file_is_refused_and_kept, forget),
        cmocka_unit_test_teardown(a_new_log_is_refused_at_once_where_one_is, forget),
        cmocka_unit_test_teardown(a_link_is_not_followed, forget),
        cmocka_unit_test_teardown(a_pipe_or_a_directory_is_refused, forget),
        cmocka_unit_test_teardown(a_folder_that_is_missing_is_an_error, forget),
    };

    return cmocka_run_group_tests(tests, log_directory, dir_remove);
}
