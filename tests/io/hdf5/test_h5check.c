/*
 * test_h5check.c - what could harm is refused before it is read.
 */
#include "tests/support/unit_test.h"

#include "tests/io/hdf5/h5_case.h"

#include <math.h>

#include <sys/stat.h>

static hid_t opened(const char *name, int rank, hid_t type)
{
    const h5check_want_t want = {.rank = rank, .memory_type = type};
    h5check_storage_t storage;
    hid_t dataset;

    capture_start();
    dataset = h5check_open_dataset(h5_file, name, &want, &storage);
    capture_stop();
    return dataset;
}

static void assert_opens(const char *name, int rank, hid_t type)
{
    hid_t dataset = opened(name, rank, type);

    if (dataset < 0)
        fail_msg("%s", logged);
    H5Dclose(dataset);
}

static void assert_refused(const char *name, int rank, hid_t type, const char *want)
{
    assert_true(opened(name, rank, type) < 0);
    assert_logged_one_line();
    assert_logged(want);
}

/* Write n zeros to a new dataset. */
static void put(const char *name, hid_t type, hsize_t n, hsize_t chunk, hid_t creation)
{
    hid_t dataset = h5_dataset(name, type, 1, n, chunk, creation);
    char *zeros = calloc(n, H5Tget_size(type));

    assert_true(H5Dwrite(dataset, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, zeros) >= 0);
    free(zeros);
    H5Dclose(dataset);
}

static void links_other_than_hard_ones_are_refused(void **state)
{
    const char *const names[] = {"/soft", "/away", "/inside/x", "/soft_group/x"};
    hid_t group;

    (void)state;
    put("x", H5T_STD_I32LE, 3, 0, h5_creation());
    group = h5util_create_group(h5_file, "group");
    H5Gclose(group);
    assert_true(
        H5Lcreate_hard(h5_file, "x", h5_file, "group/x", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_soft("/x", h5_file, "soft", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(
        H5Lcreate_soft("/group", h5_file, "soft_group", H5P_DEFAULT, H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external(h5_path, "/x", h5_file, "away", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
    assert_true(H5Lcreate_external(h5_path, "/group", h5_file, "inside", H5P_DEFAULT,
                                   H5P_DEFAULT) >= 0);
    assert_opens("/x", 1, H5T_NATIVE_INT32);
    assert_opens("/group/x", 1, H5T_NATIVE_INT32);
    for (int i = 0; i < 4; i++) {
        assert_true(h5check_exists(h5_file, names[i]));
        assert_refused(names[i], 1, H5T_NATIVE_INT32, "is a link to another place");
        assert_logged(names[i]);
    }
    capture_start();
    assert_true(h5check_open_group(h5_file, "/soft_group") < 0);
    capture_stop();
    assert_logged("/soft_group is a link to another place");
}

static void objects_of_another_kind_are_refused(void **state)
{
    hid_t group = h5util_create_group(h5_file, "group");

    (void)state;
    H5Gclose(group);
    put("x", H5T_STD_I32LE, 3, 0, h5_creation());
    assert_false(h5check_exists(h5_file, "/none"));
    assert_false(h5check_exists(h5_file, "/x/none"));
    assert_refused("/none", 1, H5T_NATIVE_INT32, "/none is missing");
    assert_refused("/group", 1, H5T_NATIVE_INT32, "/group is not a dataset");
    capture_start();
    assert_true(h5check_open_group(h5_file, "/x") < 0);
    capture_stop();
    assert_logged_one_line();
    assert_logged("/x is not a group");
}

static void values_in_other_files_are_refused(void **state)
{
    hid_t creation = h5_creation(), space;
    hsize_t n = 8;

    (void)state;
    assert_true(H5Pset_external(creation, "/etc/passwd", 0, 8) >= 0);
    H5Dclose(h5_dataset("external", H5T_STD_U8LE, 1, 8, 0, creation));
    assert_refused("/external", 1, H5T_NATIVE_UINT8, "stores its values in other files");
    creation = h5_creation();
    space = H5Screate_simple(1, &n, NULL);
    assert_true(H5Pset_virtual(creation, space, h5_path, "/x", space) >= 0);
    H5Sclose(space);
    H5Dclose(h5_dataset("virtual", H5T_STD_U8LE, 1, 8, 0, creation));
    assert_refused("/virtual", 1, H5T_NATIVE_UINT8, "is a virtual dataset");
}

static void only_shuffle_and_deflate_are_accepted(void **state)
{
    hid_t good = h5_creation(), checksum = h5_creation(), twice = h5_creation(),
          late = h5_creation();

    (void)state;
    H5Pset_shuffle(good);
    H5Pset_deflate(good, 9);
    put("good", H5T_STD_I32LE, 8, 4, good);
    assert_opens("/good", 1, H5T_NATIVE_INT32);
    H5Pset_fletcher32(checksum);
    put("checksum", H5T_STD_I32LE, 8, 4, checksum);
    assert_refused("/checksum", 1, H5T_NATIVE_INT32, "filters other than");
    H5Pset_deflate(twice, 1);
    H5Pset_filter(twice, H5Z_FILTER_DEFLATE, H5Z_FLAG_OPTIONAL, 1, (unsigned[]){1});
    put("twice", H5T_STD_I32LE, 8, 4, twice);
    assert_refused("/twice", 1, H5T_NATIVE_INT32, "filters other than");
    H5Pset_deflate(late, 1);
    H5Pset_shuffle(late);
    put("late", H5T_STD_I32LE, 8, 4, late);
    assert_refused("/late", 1, H5T_NATIVE_INT32, "filters other than");
}

static void types_that_may_not_fit_are_refused(void **state)
{
    const hid_t fit[] = {H5T_STD_I32BE, H5T_STD_I8LE, H5T_STD_U16LE};
    const hid_t unfit[] = {H5T_STD_I64LE, H5T_STD_U32LE, H5T_IEEE_F32LE, H5T_C_S1,
                           H5T_STD_REF_OBJ};
    hid_t narrow = H5Tcopy(H5T_STD_I32LE);
    char name[32];

    (void)state;
    for (int i = 0; i < 3; i++) {
        snprintf(name, sizeof(name), "/fit%d", i);
        put(name, fit[i], 3, 0, h5_creation());
        assert_opens(name, 1, H5T_NATIVE_INT32);
    }
    for (int i = 0; i < 5; i++) {
        snprintf(name, sizeof(name), "/unfit%d", i);
        put(name, unfit[i], 3, 0, h5_creation());
        assert_refused(name, 1, H5T_NATIVE_INT32, "numbers of the expected type");
    }
    H5Tset_precision(narrow, 20);
    put("/narrow", narrow, 3, 0, h5_creation());
    assert_refused("/narrow", 1, H5T_NATIVE_INT32, "numbers of the expected type");
    H5Tclose(narrow);
    assert_opens("/unfit3", 1, 0);
    assert_refused("/fit0", 1, 0, "does not hold texts");
}

static void other_shapes_are_refused(void **state)
{
    h5check_want_t want = {2, true, H5T_NATIVE_INT32};
    hid_t scalar = H5Screate(H5S_SCALAR), creation = h5_creation(), space;
    hsize_t size[2] = {3, 4};
    h5check_storage_t storage;

    (void)state;
    put("row", H5T_STD_I32LE, 3, 0, h5_creation());
    assert_refused("/row", 2, H5T_NATIVE_INT32, "wrong number of dimensions");
    H5Dclose(h5_dataset("square", H5T_STD_I32LE, 2, 3, 0, h5_creation()));
    assert_refused("/square", 1, H5T_NATIVE_INT32, "wrong number of dimensions");
    H5Dclose(H5Dcreate2(h5_file, "one", H5T_STD_I32LE, scalar, H5P_DEFAULT, H5P_DEFAULT,
                        H5P_DEFAULT));
    H5Sclose(scalar);
    assert_refused("/one", 1, H5T_NATIVE_INT32, "wrong number of dimensions");
    space = H5Screate_simple(2, size, NULL);
    H5Dclose(H5Dcreate2(h5_file, "oblong", H5T_STD_I32LE, space, H5P_DEFAULT, creation,
                        H5P_DEFAULT));
    H5Sclose(space);
    H5Pclose(creation);
    capture_start();
    assert_true(h5check_open_dataset(h5_file, "/oblong", &want, &storage) < 0);
    capture_stop();
    assert_logged("/oblong is not n x n");
}

/* Datasets of which nothing, or one chunk of zeros, is stored. */
static void more_values_than_the_file_can_hold_are_refused(void **state)
{
    const hsize_t chunk = 1 << 16, origin[2] = {0, 0};
    hid_t creation = h5_creation(), dataset;
    char *zeros = calloc(chunk, 1);

    (void)state;
    H5Dclose(h5_dataset("nothing", H5T_STD_I32LE, 1, 1000000, 0, h5_creation()));
    assert_refused("/nothing", 1, H5T_NATIVE_INT32, "more values than its file can hold");
    H5Pset_deflate(creation, 9);
    dataset = h5_dataset("much", H5T_STD_U8LE, 1, INT64_C(10000000000), chunk, creation);
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, 1, origin, chunk, zeros) >= 0);
    H5Dclose(dataset);
    assert_refused("/much", 1, H5T_NATIVE_UINT8, "more values than its file can hold");
    dataset = h5_dataset("square", H5T_STD_U8LE, 2, UINT32_MAX, 256, h5_creation());
    assert_true(H5Dwrite_chunk(dataset, H5P_DEFAULT, 0, origin, chunk, zeros) >= 0);
    H5Dclose(dataset);
    assert_refused("/square", 2, H5T_NATIVE_UINT8, "more values than its file can hold");
    put("large", H5T_STD_U8LE, (1 << 24) + 1, (1 << 24) + 1, h5_creation());
    assert_refused("/large", 1, H5T_NATIVE_UINT8, "chunks of more than 16 MiB");
    free(zeros);
}

static void attributes_are_single_numbers_or_texts(void **state)
{
    const int64_t two[2] = {1, 2};
    const double real = 2.5;
    hsize_t n = 2;
    hid_t space = H5Screate_simple(1, &n, NULL), attribute;
    int64_t value = 7;
    double got;

    (void)state;
    attribute =
        H5Acreate2(h5_file, "two", H5T_STD_I64LE, space, H5P_DEFAULT, H5P_DEFAULT);
    assert_true(H5Awrite(attribute, H5T_NATIVE_INT64, two) >= 0);
    H5Aclose(attribute);
    H5Sclose(space);
    assert_true(h5util_put_real(h5_file, "real", real));
    assert_true(h5util_put(h5_file, "unsigned", H5T_STD_U64LE, H5T_NATIVE_INT64, two));
    assert_true(h5util_put(h5_file, "small", H5T_STD_I16BE, H5T_NATIVE_INT64, two));
    assert_false(h5util_get_int(h5_file, "two", &value));
    assert_false(h5util_get_real(h5_file, "two", &got));
    assert_false(h5util_get_int(h5_file, "real", &value));
    assert_false(h5util_get_int(h5_file, "unsigned", &value));
    assert_false(h5util_get_int(h5_file, "none", &value));
    assert_int_equal(value, 7);
    assert_true(h5util_get_int(h5_file, "small", &value));
    assert_int_equal(value, 1);
    assert_true(h5util_get_real(h5_file, "real", &got));
    assert_true(got == 2.5);
    assert_true(h5util_put_real(h5_file, "nan", NAN));
    assert_true(h5util_put_real(h5_file, "infinite", INFINITY));
    assert_false(h5util_get_real(h5_file, "nan", &got));
    assert_false(h5util_get_real(h5_file, "infinite", &got));
}

static void assert_not_opened(const char *path, const char *want)
{
    capture_start();
    assert_true(h5check_open_file(path) < 0);
    capture_stop();
    assert_logged_one_line();
    assert_logged(want);
}

static void only_regular_files_are_opened(void **state)
{
    char path[PATH_BYTES];

    (void)state;
    dir_file("fifo", path);
    assert_not_opened(path, "cannot open it: No such file or directory");
    assert_not_opened(dir, "cannot open it: Is a directory");
    assert_int_equal(mkfifo(path, 0600), 0);
    assert_not_opened(path, "not a regular file");
    unlink(path);
    assert_not_opened("/dev/null", "not a regular file");
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, h5_create, h5_forget)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(links_other_than_hard_ones_are_refused),
        TEST(objects_of_another_kind_are_refused),
        TEST(values_in_other_files_are_refused),
        TEST(only_shuffle_and_deflate_are_accepted),
        TEST(types_that_may_not_fit_are_refused),
        TEST(other_shapes_are_refused),
        TEST(more_values_than_the_file_can_hold_are_refused),
        TEST(attributes_are_single_numbers_or_texts),
        TEST(only_regular_files_are_opened),
    };

    return cmocka_run_group_tests(tests, h5_make, dir_remove);
}
