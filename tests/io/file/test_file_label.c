/*
 * test_file_label.c - labels of files, where the file system keeps them.
 */
#include "tests/support/unit_test.h"
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "io/file/file_label.h"

/* Create a file in the working directory. @return it, open */
static int create(char *path)
{
    const int fd = mkstemp(path);

    assert_true(fd >= 0);
    return fd;
}

static void a_label_is_read_as_it_was_written(void **state)
{
    char path[] = "label-XXXXXX";
    const int fd = create(path);
    bool is_written = file_label_write(fd, "old") && file_label_write(fd, "a=1\nb=2\n");
    buf_t label = {0};
    status_t st = file_label_read(path, &label);

    (void)state;
    close(fd);
    unlink(path);
    assert_int_equal(st, ST_OK);
    if (!is_written) {
        assert_int_equal(label.len, 0);
        skip();
    }
    assert_string_equal((const char *)label.data, "a=1\nb=2\n");
    buf_free(&label);
}

static void a_file_without_a_label_has_none(void **state)
{
    char path[] = "label-XXXXXX";
    buf_t label = {0};

    (void)state;
    close(create(path));
    assert_int_equal(file_label_read(path, &label), ST_OK);
    assert_int_equal(label.len, 0);
    unlink(path);
    assert_int_equal(file_label_read(path, &label), ST_OK);
    assert_int_equal(label.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_label_is_read_as_it_was_written),
        cmocka_unit_test(a_file_without_a_label_has_none),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
