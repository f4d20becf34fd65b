/*
 * test_h5whole.c - an HDF5 file gets its name when it is whole, and none otherwise.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5util.h"
#include "tests/support/captured_log.h"

#include <unistd.h>

static char path[PATH_BYTES];

static int make(void **state)
{
    int failed = dir_make(state);

    dir_file("x.h5", path);
    return failed;
}

/* The folder's end (dir_remove) fails if any file is left. */
static void forget(void)
{
    assert_int_equal(unlink(path), 0);
}

static void open_new(h5whole_t *f)
{
    assert_int_equal(h5whole_open(path, false, f), ST_OK);
    assert_true(h5util_put_int(f->file, "answer", 42));
}

static void a_file_gets_its_name_when_it_is_closed(void **state)
{
    int64_t answer = 0;
    h5whole_t f;
    hid_t file;

    (void)state;
    open_new(&f);
    assert_int_not_equal(access(path, F_OK), 0);
    assert_int_equal(h5whole_close(&f, h5whole_check(&f, true)), ST_OK);
    file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
    assert_true(h5util_get_int(file, "answer", &answer));
    assert_int_equal(answer, 42);
    H5Fclose(file);
    forget();
}

static void a_file_that_cannot_be_written_gets_no_name(void **state)
{
    h5whole_t f;
    status_t st;

    (void)state;
    open_new(&f);
    capture_start();
    st = h5whole_close(&f, h5whole_check(&f, false));
    capture_stop();
    assert_int_equal(st, ST_EIO);
    assert_logged_one_line();
    assert_logged(path);
    assert_int_not_equal(access(path, F_OK), 0);
}

static void another_failure_is_not_reported_again(void **state)
{
    h5whole_t f;
    status_t st;

    (void)state;
    open_new(&f);
    capture_start();
    st = h5whole_close(&f, ST_ENOMEM);
    capture_stop();
    assert_int_equal(st, ST_ENOMEM);
    assert_string_equal(logged, "");
    assert_int_not_equal(access(path, F_OK), 0);
}

static void an_existing_file_is_replaced_only_by_force(void **state)
{
    h5whole_t f;
    status_t st;

    (void)state;
    open_new(&f);
    assert_int_equal(h5whole_close(&f, ST_OK), ST_OK);
    capture_start();
    st = h5whole_open(path, false, &f);
    capture_stop();
    assert_int_equal(st, ST_EINPUT);
    assert_logged_one_line();
    assert_int_equal(h5whole_open(path, true, &f), ST_OK);
    assert_int_equal(h5whole_close(&f, ST_OK), ST_OK);
    forget();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_gets_its_name_when_it_is_closed),
        cmocka_unit_test(a_file_that_cannot_be_written_gets_no_name),
        cmocka_unit_test(another_failure_is_not_reported_again),
        cmocka_unit_test(an_existing_file_is_replaced_only_by_force),
    };

    return cmocka_run_group_tests(tests, make, dir_remove);
}
