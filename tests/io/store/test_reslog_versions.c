/*
 * test_reslog_versions.c - checkpoints: the last complete version is found again,
 * whatever was written after it.
 */
#include "tests/support/unit_test.h"

#include "io/store/reslog_head.h"
#include "tests/io/store/reslog_fixture.h"

#include <sys/stat.h>

/* Payloads that name their task and version, of lengths of their own. */
static void append_at(reslog_t *log, int64_t task, int64_t version)
{
    char text[64];
    int len = snprintf(text, sizeof(text), "%0*d", (int)(task + version), (int)version);

    assert_int_equal(reslog_append(log, task, version, text, (size_t)len), ST_OK);
}

static void append_all(reslog_t *log, int64_t version)
{
    for (int64_t task = 0; task < N_TASKS; task++)
        append_at(log, task, version);
}

static void assert_holds_version(const reslog_t *log, int64_t task, int64_t version)
{
    buf_t read = {0};
    char want[64];
    int len = snprintf(want, sizeof(want), "%0*d", (int)(task + version), (int)version);

    assert_int_equal(reslog_read(log, task, &read), ST_OK);
    assert_int_equal(read.len, len);
    assert_memory_equal(read.data, want, (size_t)len);
    buf_free(&read);
}

static void assert_all_hold(const reslog_t *log, int64_t version)
{
    for (int64_t task = 0; task < N_TASKS; task++)
        assert_holds_version(log, task, version);
}

static reslog_t *open_again(reslog_t *log)
{
    reslog_close(log);
    return open_log();
}

static void a_version_is_complete_when_every_task_has_it(void **state)
{
    reslog_t *log = open_log();

    (void)state;
    assert_int_equal(reslog_complete(log), -1);
    for (int64_t task = 0; task < N_TASKS; task++) {
        assert_int_equal(reslog_complete(log), -1);
        append_at(log, task, 7);
    }
    assert_int_equal(reslog_complete(log), 7);
    log = open_again(log);
    assert_int_equal(reslog_complete(log), 7);
    assert_all_hold(log, 7);
    reslog_close(log);
}

static void the_last_record_of_a_task_wins(void **state)
{
    reslog_t *log = open_log();

    (void)state;
    append_all(log, 1);
    append_at(log, 2, 5);
    assert_int_equal(reslog_n_done(log), N_TASKS);
    assert_holds_version(log, 2, 5);
    assert_holds_version(log, 1, 1);
    log = open_again(log);
    assert_holds_version(log, 2, 5);
    assert_holds_version(log, 1, 1);
    reslog_close(log);
}

/* Killed in the middle of version 20, with k of its records written. */
static void a_rewound_log_holds_the_last_complete_version(void **state)
{
    (void)state;
    for (int k = 0; k < N_TASKS; k++) {
        reslog_t *log = open_log();
        size_t complete, now;

        append_all(log, 3);
        append_all(log, 10);
        free(dir_get(path, &complete));
        for (int task = N_TASKS - 1; task >= N_TASKS - k; task--)
            append_at(log, task, 20);
        for (int again = 0; again < 2; again++) {
            assert_int_equal(reslog_complete(log), 10);
            log = open_again(log);
        }
        assert_int_equal(reslog_rewind(log), ST_OK);
        assert_int_equal(reslog_complete(log), 10);
        assert_int_equal(reslog_n_done(log), N_TASKS);
        assert_all_hold(log, 10);
        free(dir_get(path, &now));
        assert_int_equal(now, complete);
        append_all(log, 12); /* the next run's checkpoints fall on other steps */
        log = open_again(log);
        assert_int_equal(reslog_complete(log), 12);
        assert_all_hold(log, 12);
        reslog_close(log);
        unlink(path);
    }
}

static void a_log_without_a_complete_version_is_rewound_to_its_start(void **state)
{
    reslog_t *log = open_log();
    size_t empty, now;

    (void)state;
    free(dir_get(path, &empty));
    for (int64_t task = 1; task < N_TASKS; task++)
        append_at(log, task, 4);
    assert_int_equal(reslog_rewind(log), ST_OK);
    assert_int_equal(reslog_complete(log), -1);
    assert_int_equal(reslog_n_done(log), 0);
    free(dir_get(path, &now));
    assert_int_equal(now, empty);
    append_all(log, 4);
    assert_int_equal(reslog_complete(log), 4);
    reslog_close(log);
}

/* Tasks of two versions arrive mixed: the earlier one never becomes complete. */
static void versions_may_overlap(void **state)
{
    reslog_t *log = open_log();

    (void)state;
    append_all(log, 1);
    append_at(log, 0, 2);
    append_at(log, 0, 3);
    for (int64_t task = 1; task < N_TASKS; task++)
        append_at(log, task, 2);
    assert_int_equal(reslog_complete(log), 1);
    for (int64_t task = 1; task < N_TASKS; task++)
        append_at(log, task, 3);
    assert_int_equal(reslog_complete(log), 3);
    log = open_again(log);
    assert_int_equal(reslog_complete(log), 3);
    assert_all_hold(log, 3);
    reslog_close(log);
}

/* A flipped bit in a payload: its version is not complete, the one before is. */
static void a_damaged_record_costs_its_version(void **state)
{
    reslog_t *log = open_log();
    unsigned char *bytes;
    size_t len;

    (void)state;
    append_all(log, 1);
    append_all(log, 9);
    reslog_close(log);
    bytes = dir_get(path, &len);
    bytes[len - 1] ^= 4;
    dir_put(path, bytes, len);
    free(bytes);
    log = open_log();
    assert_int_equal(reslog_complete(log), 1);
    assert_int_equal(reslog_rewind(log), ST_OK);
    assert_all_hold(log, 1);
    reslog_close(log);
}

static void a_log_of_the_older_format_is_refused_in_one_line(void **state)
{
    unsigned char *bytes, *after;
    reslog_t *log = NULL;
    size_t len, now;
    status_t st;

    (void)state;
    make_log(2);
    bytes = dir_get(path, &len);
    bytes[MAGIC_DIGIT] = '1';
    dir_put(path, bytes, len);
    capture_start();
    st = reslog_open(path, JOB, N_TASKS, false, &log);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged("older version of ribogrid; resume it with that version, or give "
                  "--force");
    after = dir_get(path, &now);
    assert_int_equal(now, len);
    assert_memory_equal(after, bytes, len);
    free(after);
    free(bytes);
    assert_int_equal(reslog_open(path, JOB, N_TASKS, true, &log), ST_OK);
    assert_int_equal(reslog_n_done(log), 0);
    reslog_close(log);
}

/* The log is refused in one line, and stays as it is. */
static void refuse_log(int64_t n_tasks, const char *why)
{
    size_t before, after;
    unsigned char *bytes = dir_get(path, &before), *now;
    reslog_t *log = NULL;

    capture_start();
    assert_int_equal(reslog_open(path, JOB, n_tasks, false, &log), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged(why);
    now = dir_get(path, &after);
    assert_int_equal(after, before);
    assert_memory_equal(now, bytes, after);
    free(now);
    free(bytes);
}

/* A whole record of a larger log, behind a smaller one's: not this log's. */
static void a_record_of_a_task_that_does_not_exist_is_refused(void **state)
{
    size_t two = make_log(2), three = make_log(3), now;
    unsigned char *bytes = dir_get(path, &now), *whole;
    reslog_t *log = NULL;

    (void)state;
    assert_int_equal(now, three);
    assert_int_equal(task_of[2], N_TASKS - 1);
    unlink(path);
    assert_int_equal(reslog_open(path, JOB, N_TASKS - 1, false, &log), ST_OK);
    reslog_close(log);
    whole = dir_get(path, &now);
    whole = realloc(whole, now + three - two);
    assert_non_null(whole);
    memcpy(whole + now, bytes + two, three - two);
    dir_put(path, whole, now + three - two);
    log = NULL;
    refuse_log(N_TASKS - 1, "is of a task or version that the job does not have");
    free(whole);
    free(bytes);
}

/* Copy the record that `two` has behind `one` to the end of the log at `path`. */
static void add_record(const unsigned char *two, size_t from, size_t to)
{
    size_t now;
    unsigned char *bytes = dir_get(path, &now);

    bytes = realloc(bytes, now + to - from);
    assert_non_null(bytes);
    memcpy(bytes + now, two + from, to - from);
    dir_put(path, bytes, now + to - from);
    free(bytes);
}

/* A record of the second version, copied to the front of one of the third. */
static void a_version_never_goes_back(void **state)
{
    size_t first, second;
    unsigned char *bytes;
    reslog_t *log;

    (void)state;
    unlink(path);
    log = open_log();
    append_at(log, 0, 1);
    first = (size_t)reslog_end(log);
    append_at(log, 0, 2);
    second = (size_t)reslog_end(log);
    append_at(log, 0, 3);
    reslog_close(log);
    bytes = dir_get(path, &(size_t){0});
    add_record(bytes, first, second);
    refuse_log(N_TASKS, "follows one of a later version");
    free(bytes);
}

/* A record that is there twice does no harm; one that differs does. */
static void a_second_record_has_to_be_the_same(void **state)
{
    size_t one = make_log(1), now;
    unsigned char *bytes = dir_get(path, &now);
    reslog_t *log = NULL;

    (void)state;
    assert_int_equal(now, one);
    add_record(bytes, HEAD_BYTES + TEXT_BYTES, one);
    log = open_log();
    assert_int_equal(reslog_n_done(log), 1);
    assert_holds(log, 0);
    reslog_close(log);
    unlink(path);
    log = open_log();
    assert_int_equal(reslog_append(log, task_of[0], 0, "other", 5), ST_OK);
    reslog_close(log);
    add_record(bytes, HEAD_BYTES + TEXT_BYTES, one);
    refuse_log(N_TASKS, "follows one with another content");
    free(bytes);
}

/* A disk may take any part of a record at once. */
static void a_record_written_in_two_parts_is_whole(void **state)
{
    size_t len = RECORD_BYTES + strlen(payload[2]);

    (void)state;
    for (size_t n = 0; n < len; n++) {
        reslog_t *log;

        make_log(2);
        log = open_log();
        first_write_bytes = (ssize_t)n;
        assert_int_equal(reslog_append(log, task_of[2], 0, payload[2],
                                       strlen(payload[2])),
                         ST_OK);
        assert_int_equal(first_write_bytes, -1); /* it was cut short */
        log = open_again(log);
        for (int i = 0; i < 3; i++)
            assert_holds(log, i);
        reslog_close(log);
    }
}

static void assert_compared(const char *there, const char *ours, const char *want)
{
    status_t st;

    capture_start();
    st = reslog_head_compare("log.part", there, ours);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_logged(want);
}

static void the_first_difference_between_jobs_is_named(void **state)
{
    (void)state;
    assert_int_equal(reslog_head_compare("log.part", JOB, JOB), ST_OK);
    assert_compared("a=1\nb=2\nc=3\n", "a=1\nb=9\nc=4\n", "there 'b=2', now 'b=9'");
    assert_compared("a=1\n", "a=1\nb=2\n", "there '', now 'b=2'");
    assert_compared("a=1\nb=2\n", "a=1\n", "there 'b=2', now ''");
    assert_compared("a=1\n", "a=12\n", "there 'a=1', now 'a=12'");
    assert_compared("a=x=y\n", "a=\n", "there 'a=x=y', now 'a='");
    assert_compared("", "a", "there '', now 'a'");
}

/* ---- superseded versions ---- */

enum { LARGE_BYTES = 100000 };

static void second_file(char out[PATH_BYTES])
{
    dir_file("log.part.new", out);
}

/* Versions first .. last, each N_TASKS records of LARGE_BYTES of its number. */
static void append_large(reslog_t *log, int64_t first, int64_t last)
{
    static char data[LARGE_BYTES];

    for (int64_t version = first; version <= last; version++) {
        memset(data, (int)version, sizeof(data));
        for (int64_t task = 0; task < N_TASKS; task++)
            if (reslog_append(log, task, version, data, sizeof(data)) != ST_OK)
                _exit(1); /* also in a child */
    }
}

static void assert_all_large(const reslog_t *log, int64_t version)
{
    buf_t read = {0};

    for (int64_t task = 0; task < N_TASKS; task++) {
        assert_int_equal(reslog_read(log, task, &read), ST_OK);
        assert_int_equal(read.len, LARGE_BYTES);
        assert_int_equal(read.data[0], version & 0xff);
        assert_memory_equal(read.data, read.data + 1, LARGE_BYTES - 1);
    }
    buf_free(&read);
}

static int64_t bytes_of(const char *name)
{
    struct stat info;

    return stat(name, &info) == 0 ? (int64_t)info.st_size : -1;
}

static void superseded_versions_are_dropped(void **state)
{
    const int64_t one = N_TASKS * (int64_t)(LARGE_BYTES + RECORD_BYTES);
    reslog_t *log = open_log();
    reslog_peek_t peek;
    char second[PATH_BYTES];
    int64_t most = 0;

    (void)state;
    second_file(second);
    for (int64_t version = 1; version <= 40; version++) {
        append_large(log, version, version);
        most = bytes_of(path) > most ? bytes_of(path) : most;
        assert_int_equal(reslog_complete(log), version);
        assert_all_large(log, version);
    }
    assert_in_range(most, 2 * one, RESLOG_KEPT_VERSIONS * one + HEAD_BYTES + TEXT_BYTES);
    assert_int_equal(bytes_of(second), -1);
    assert_int_equal(reslog_peek(path, &peek), ST_OK);
    assert_true(peek.is_held); /* the new file, too */
    free(peek.text);
    append_at(log, 1, 41); /* and it can be rewound */
    assert_int_equal(reslog_rewind(log), ST_OK);
    assert_int_equal(reslog_complete(log), 40);
    assert_all_large(log, 40);
    log = open_again(log);
    assert_int_equal(reslog_complete(log), 40);
    assert_all_large(log, 40);
    append_large(log, 41, 60);
    assert_true(bytes_of(path) < (RESLOG_KEPT_VERSIONS + 1) * one);
    reslog_close(log);
}

/* A process is killed while it appends, or replaces the file. */
static void a_killed_run_leaves_its_last_complete_version(void **state)
{
    char second[PATH_BYTES];
    int64_t before = 0;

    (void)state;
    second_file(second);
    for (int i = 0; i < 40; i++) {
        reslog_t *log;
        int status;
        pid_t child = fork();

        assert_true(child >= 0);
        if (child == 0) {
            if (reslog_open(path, JOB, N_TASKS, false, &log) != ST_OK ||
                reslog_rewind(log) != ST_OK)
                _exit(1);
            append_large(log, before + 1, before + 1000000);
            _exit(1);
        }
        usleep((useconds_t)(5000 + 997 * i));
        kill(child, SIGKILL);
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status));
        log = open_log();
        /* -1: on a busy machine the first runs complete none */
        assert_true(before == 0 || reslog_complete(log) >= before);
        assert_int_equal(reslog_rewind(log), ST_OK);
        if ((before = reslog_complete(log)) > 0)
            assert_all_large(log, before);
        before = before < 0 ? 0 : before;
        assert_true(bytes_of(second) <= 0); /* what is left of it is empty */
        reslog_close(log);
        unlink(second);
    }
    assert_true(before > RESLOG_KEPT_VERSIONS);
}

static void without_a_second_file_the_log_grows(void **state)
{
    const int64_t one = N_TASKS * (int64_t)(LARGE_BYTES + RECORD_BYTES);
    reslog_t *log = open_log();
    char second[PATH_BYTES];
    size_t len;
    char *there;

    (void)state;
    second_file(second);
    dir_put(second, "mine", 4); /* somebody else's */
    capture_start();
    append_large(log, 1, 10);
    capture_stop();
    assert_logged_one_line();
    assert_logged("is not a log");
    assert_int_equal(bytes_of(path), 10 * one + HEAD_BYTES + TEXT_BYTES);
    assert_int_equal(reslog_complete(log), 10);
    assert_all_large(log, 10);
    there = (char *)dir_get(second, &len);
    assert_int_equal(len, 4);
    assert_memory_equal(there, "mine", 4);
    free(there);
    unlink(second);
    append_large(log, 11, 11);
    assert_int_equal(bytes_of(path), one + HEAD_BYTES + TEXT_BYTES);
    reslog_close(log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(a_version_is_complete_when_every_task_has_it, forget),
        cmocka_unit_test_teardown(the_last_record_of_a_task_wins, forget),
        cmocka_unit_test_teardown(a_rewound_log_holds_the_last_complete_version, forget),
        cmocka_unit_test_teardown(
            a_log_without_a_complete_version_is_rewound_to_its_start, forget),
        cmocka_unit_test_teardown(versions_may_overlap, forget),
        cmocka_unit_test_teardown(a_damaged_record_costs_its_version, forget),
        cmocka_unit_test_teardown(the_first_difference_between_jobs_is_named, forget),
        cmocka_unit_test_teardown(a_log_of_the_older_format_is_refused_in_one_line,
                                  forget),
        cmocka_unit_test_teardown(a_record_of_a_task_that_does_not_exist_is_refused,
                                  forget),
        cmocka_unit_test_teardown(a_version_never_goes_back, forget),
        cmocka_unit_test_teardown(a_second_record_has_to_be_the_same, forget),
        cmocka_unit_test_teardown(a_record_written_in_two_parts_is_whole, forget),
        cmocka_unit_test_teardown(superseded_versions_are_dropped, forget),
        cmocka_unit_test_teardown(a_killed_run_leaves_its_last_complete_version, forget),
        cmocka_unit_test_teardown(without_a_second_file_the_log_grows, forget),
    };

    return cmocka_run_group_tests(tests, log_directory, dir_remove);
}
