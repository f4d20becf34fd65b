/*
 * whole_file_fixture.h - two names in a folder of the test, and what is there.
 *
 * dir_make and dir_remove are a group's setup and teardown.
 */
#pragma once

#include "io/file/whole_file.h"
#include "tests/support/captured_log.h"
#include "tests/support/unit_test.h"

/* A test that finds nothing at `path` and `other`, and may leave files or a directory. */
#define FILE_TEST(name) cmocka_unit_test_setup_teardown(name, name_files, remove_files)

static char path[PATH_BYTES], other[PATH_BYTES];

static inline int name_files(void **state)
{
    (void)state;
    dir_file("x", path);
    dir_file("y", other);
    return 0;
}

static inline int remove_files(void **state)
{
    (void)state;
    rmdir(path);
    unlink(path);
    unlink(other);
    return 0;
}

static inline bool exists(const char *file)
{
    return access(file, F_OK) == 0;
}

static inline void assert_content(const char *file, const char *text)
{
    size_t len;
    unsigned char *data = dir_get(file, &len);

    assert_int_equal(len, strlen(text));
    assert_memory_equal(data, text, len);
    free(data);
}
