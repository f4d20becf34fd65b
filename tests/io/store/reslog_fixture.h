/*
 * reslog_fixture.h - a small log to damage, a disk that fails, a process that holds the
 * lock, and one with a full disk.
 *
 * log_directory and dir_remove are the setup and teardown of
 * a group, forget is the teardown of each test.
 */
#pragma once

#include "io/base/logmsg.h"
#include "io/store/reslog.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

#include <errno.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#define JOB "input=a.fa\nmatch=5\n"

/* A front and a header, then per record a header and the payload. */
enum {
    MAGIC_BYTES = 8,
    MAGIC_DIGIT = 5,
    FRONT_BYTES = 512,
    HEAD_BYTES = FRONT_BYTES + 32,
    TEXT_BYTES = 19,
    RECORD_BYTES = 40,
    N_TASKS = 5
};

static const char *const payload[] = {"first", "", "the third one"};
static const int64_t task_of[] = {3, 0, 4};

static char path[PATH_BYTES];
static int reads_left = -1;            /* until pread fails; negative: never */
static ssize_t first_write_bytes = -1; /* the next pwritev writes at most this; -1: all */

/* Replaces libc's, so that a disk can fail. */
ssize_t pread(int fd, void *data, size_t len, off_t at)
{
    if (reads_left == 0) {
        errno = EIO;
        return -1;
    }
    reads_left -= reads_left > 0;
    return syscall(SYS_pread64, fd, data, len, at);
}

/* Replaces libc's: the next call may write less than requested. */
ssize_t pwritev(int fd, const struct iovec *both, int n, off_t at)
{
    ssize_t done = 0;

    for (int i = 0; i < n; i++) {
        size_t len = both[i].iov_len;

        if (first_write_bytes >= 0 && (size_t)(first_write_bytes - done) < len)
            len = (size_t)(first_write_bytes - done);
        if (len > 0 && pwrite(fd, both[i].iov_base, len, at + done) != (ssize_t)len)
            return -1;
        done += (ssize_t)len;
    }
    first_write_bytes = -1;
    return done;
}

static inline reslog_t *open_log(void)
{
    reslog_t *log = NULL;

    assert_int_equal(reslog_open(path, JOB, N_TASKS, false, &log), ST_OK);
    assert_non_null(log);
    return log;
}

/* Write a log with the first n payloads. @return its size, by the format */
static inline size_t make_log(int n)
{
    size_t len = HEAD_BYTES + TEXT_BYTES;
    reslog_t *log;

    unlink(path);
    log = open_log();
    for (int i = 0; i < n; i++) {
        assert_int_equal(reslog_append(log, task_of[i], 0, payload[i],
                                       strlen(payload[i])),
                         ST_OK);
        len += RECORD_BYTES + strlen(payload[i]);
    }
    assert_int_equal(reslog_sync(log), ST_OK);
    reslog_close(log);
    return len;
}

static inline void assert_holds(const reslog_t *log, int i)
{
    buf_t read = {0};

    assert_true(reslog_has(log, task_of[i]));
    assert_int_equal(reslog_read(log, task_of[i], &read), ST_OK);
    assert_int_equal(read.len, strlen(payload[i]));
    assert_memory_equal(read.data != NULL ? (void *)read.data : "", payload[i], read.len);
    buf_free(&read);
}

static inline int log_directory(void **state)
{
    log_set_level(LOG_QUIET); /* errors are still logged */
    if (dir_make(state) != 0)
        return -1;
    dir_file("log.part", path);
    return 0;
}

static inline int forget(void **state)
{
    (void)state;
    reads_left = -1;
    first_write_bytes = -1;
    unlink(path);
    return 0;
}

/* Start a process that locks the log, for ms; it may remove the file. */
static inline pid_t hold_log(int ms, bool removes)
{
    int ready[2];
    char byte;
    pid_t child;

    assert_int_equal(pipe(ready), 0);
    child = fork();
    assert_true(child >= 0);
    if (child == 0) { /* _exit: cmocka is the parent's */
        reslog_t *log = NULL;

        if (reslog_open(path, JOB, N_TASKS, false, &log) != ST_OK ||
            write(ready[1], "!", 1) != 1)
            _exit(1);
        usleep((useconds_t)ms * 1000);
        _exit(removes && unlink(path) != 0); /* the lock ends with the process */
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

static inline void assert_ended_well(pid_t child)
{
    int status;

    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

/* For a process of its own, because the limit is for all its files. @return exit code */
static inline int append_beyond(rlim_t limit)
{
    struct rlimit size = {limit, limit};
    reslog_t *log = NULL;

    if (reslog_open(path, JOB, N_TASKS, false, &log) != ST_OK)
        return 1;
    signal(SIGXFSZ, SIG_IGN);
    if (setrlimit(RLIMIT_FSIZE, &size) != 0)
        return 2;
    if (reslog_append(log, task_of[2], 0, payload[2], strlen(payload[2])) != ST_EIO)
        return 3;
    if (reslog_has(log, task_of[2]) || reslog_n_done(log) != 2)
        return 4;
    reslog_close(log);
    return 0;
}
