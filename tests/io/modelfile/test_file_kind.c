/*
 * test_file_kind.c - files are told apart by the format that they name.
 */
#include "tests/support/unit_test.h"

#include "io/hdf5/h5text.h"
#include "io/modelfile/file_kind.h"
#include "tests/support/captured_log.h"

#include <hdf5.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static char path[PATH_BYTES];

/* @param format  NULL: the file names none */
static file_kind_t kind_of(const char *format)
{
    hid_t file = H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT);
    file_kind_t kind;

    assert_true(file >= 0);
    if (format != NULL)
        assert_true(h5text_put_format(file, format, 1, 0));
    H5Fclose(file);
    assert_int_equal(file_kind_read(path, &kind), ST_OK);
    unlink(path);
    return kind;
}

static void a_file_is_what_it_says(void **state)
{
    (void)state;
    assert_int_equal(kind_of("ribogrid-groups"), FILE_OTU_GROUPS);
    assert_int_equal(kind_of("ribogrid-graph-result"), FILE_GRAPH_RESULT);
    assert_int_equal(kind_of("ribogrid-classifier"), FILE_CLASS_MODEL);
    assert_int_equal(kind_of("ribogrid-classification"), FILE_CLASS_RESULT);
    assert_int_equal(kind_of("ribogrid-cnn"), FILE_CNN_MODEL);
}

static void other_formats_are_of_another_kind(void **state)
{
    (void)state;
    assert_int_equal(kind_of("ribogrid-pairs"), FILE_OF_ANOTHER_KIND);
    assert_int_equal(kind_of("ribogrid-cnn2"), FILE_OF_ANOTHER_KIND);
    assert_int_equal(kind_of(NULL), FILE_OF_ANOTHER_KIND);
}

static void text_is_refused(void **state)
{
    FILE *file = fopen(path, "w");
    file_kind_t kind;

    (void)state;
    assert_non_null(file);
    fputs(">a\nACGT\n", file);
    fclose(file);
    capture_start();
    assert_int_equal(file_kind_read(path, &kind), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    assert_non_null(strstr(logged, path));
    unlink(path);
}

static int make_dir(void **state)
{
    const int failed = dir_make(state);

    dir_file("file.h5", path);
    return failed;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_file_is_what_it_says),
        cmocka_unit_test(other_formats_are_of_another_kind),
        cmocka_unit_test(text_is_refused),
    };

    return cmocka_run_group_tests(tests, make_dir, dir_remove);
}
