/*
 * test_whole_file.c - an output file appears complete or not at all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "io/file/whole_file.h"
#include "tests/support/captured_log.h"

static char path[PATH_BYTES], tmp[PATH_BYTES];

static void begin(bool force, whole_file_t **out)
{
    dir_file("x", path);
    dir_file("x.tmp", tmp);
    assert_int_equal(whole_file_open(path, force, out), ST_OK);
    fputs("abc", whole_file_stream(*out));
}

static bool exists(const char *file)
{
    return access(file, F_OK) == 0;
}

static void a_file_gets_its_name_when_it_is_closed(void **state)
{
    whole_file_t *f;
    unsigned char *data;
    size_t len;

    (void)state;
    begin(false, &f);
    assert_string_equal(whole_file_tmp(f), tmp);
    assert_int_equal(whole_file_finish(f), ST_OK);
    assert_false(exists(path));
    assert_int_equal(whole_file_close(f, ST_OK), ST_OK);
    assert_false(exists(tmp));
    data = dir_get(path, &len);
    assert_int_equal(len, 3);
    assert_memory_equal(data, "abc", 3);
    free(data);
    unlink(path);
}

static void after_an_error_the_old_file_stays(void **state)
{
    whole_file_t *f;
    unsigned char *data;
    size_t len;

    (void)state;
    dir_file("x", path);
    dir_put(path, "old", 3);
    begin(true, &f);
    assert_int_equal(whole_file_close(f, ST_EINPUT), ST_EINPUT);
    assert_false(exists(tmp));
    data = dir_get(path, &len);
    assert_memory_equal(data, "old", 3);
    free(data);
    unlink(path);
    assert_int_equal(whole_file_close(NULL, ST_EINPUT), ST_EINPUT);
}

static void an_existing_file_is_replaced_only_by_force(void **state)
{
    whole_file_t *f = NULL;

    (void)state;
    dir_file("x", path);
    dir_put(path, "old", 3);
    capture_start();
    assert_int_equal(whole_file_open(path, false, &f), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_logged("x exists; give --force");
    assert_null(f);
    begin(true, &f);
    assert_int_equal(whole_file_close(f, ST_OK), ST_OK);
    unlink(path);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gets_its_name_when_it_is_closed),
        cmocka_unit_test(after_an_error_the_old_file_stays),
        cmocka_unit_test(an_existing_file_is_replaced_only_by_force),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
