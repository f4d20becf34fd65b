/*
 * captured_log.h - captures what a test's calls write to stderr, and keeps the test's
 * files in a temporary directory.
 *
 * dir_make and dir_remove are a group's setup and teardown.
 */
#pragma once

#include "tests/support/unit_test.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CAPTURE_BYTES = 8192, PATH_BYTES = 4096 };

static char logged[CAPTURE_BYTES]; /* stderr of the last capture, NUL-terminated */
static int capture_file = -1, capture_stderr = -1;
static char dir[PATH_BYTES - 64];

static inline int dir_make(void **state)
{
    const char *parent = getenv("TMPDIR");

    (void)state;
    snprintf(dir, sizeof(dir), "%s/ribogrid.XXXXXX", parent != NULL ? parent : "/tmp");
    return mkdtemp(dir) != NULL ? 0 : -1;
}

/* Remove the directory; tests remove their own files. */
static inline int dir_remove(void **state)
{
    (void)state;
    return rmdir(dir);
}

/* Build the path of a file in the directory. */
static inline void dir_file(const char *name, char path[PATH_BYTES])
{
    snprintf(path, PATH_BYTES, "%s/%s", dir, name);
}

/* Write a file, replacing an earlier one. */
static inline void dir_put(const char *path, const void *data, size_t len)
{
    FILE *file = fopen(path, "w");

    assert_non_null(file);
    assert_int_equal(fwrite(data, 1, len, file), len);
    assert_int_equal(fclose(file), 0);
}

/* @return the contents of a file; the caller frees them */
static inline unsigned char *dir_get(const char *path, size_t *len)
{
    FILE *file = fopen(path, "r");
    unsigned char *data;
    long size;

    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    size = ftell(file);
    assert_true(size >= 0);
    rewind(file);
    data = malloc((size_t)size + 1);
    assert_non_null(data);
    *len = fread(data, 1, (size_t)size, file);
    assert_int_equal(*len, size);
    fclose(file);
    return data;
}

/* Redirect stderr to a file, until capture_stop. */
static inline void capture_start(void)
{
    char path[PATH_BYTES];

    dir_file("log.XXXXXX", path);
    capture_file = mkstemp(path);
    assert_true(capture_file >= 0);
    unlink(path);
    capture_stderr = dup(STDERR_FILENO);
    dup2(capture_file, STDERR_FILENO);
}

/* Restore stderr and fill `logged`. */
static inline void capture_stop(void)
{
    ssize_t len = pread(capture_file, logged, CAPTURE_BYTES - 1, 0);

    dup2(capture_stderr, STDERR_FILENO);
    close(capture_stderr);
    close(capture_file);
    assert_true(len >= 0);
    logged[len] = '\0';
}

static inline void assert_logged_nothing(void)
{
    assert_string_equal(logged, "");
}

static inline void assert_logged(const char *text)
{
    if (strstr(logged, text) == NULL)
        fail_msg("'%s' is not in: %s", text, logged);
}

static inline void assert_logged_one_line(void)
{
    assert_non_null(strchr(logged, '\n'));
    assert_string_equal(strchr(logged, '\n'), "\n");
}
