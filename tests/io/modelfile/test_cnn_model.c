/*
 * test_cnn_model.c - a trained network is written and read, others are refused.
 */
#include "tests/support/unit_test.h"

#include "io/modelfile/cnn_model.h"
#include "tests/support/captured_log.h"

#include <hdf5.h>
#include <math.h>
#include <string.h>

static const float weights[6] = {1, 2, 3, 4, 5, 6}, mean[1] = {-1};
static const cnn_model_array_t arrays[] = {
    {"conv1.weight", true, 2, 3, weights},
    {"bn1.mean", false, 1, 1, mean},
};

/* @param get  of the values, or NULL */
static status_t write_with(const char *path, cnn_model_get_fn get, void *ctx)
{
    char *classes[] = {"zero", "one"};
    double loss[] = {2.5, 1.25}, accuracy[] = {0.5, 1}, rate[] = {0.1, 0.1};
    double test_loss[] = {2}, test_accuracy[] = {0.75};
    int64_t iteration[] = {2};
    const cnn_model_info_t info = {
        .net = "[net]\nname = x\n",
        .job = "job=cnn\n",
        .choices = "",
        .run = {.program = "ribogrid", .command = "ribogrid cnn train", .seconds = 1.5},
        .classes = classes,
        .n_classes = 2,
        .curve = {.n = 2, .loss = loss, .accuracy = accuracy, .rate = rate},
        .tests = {1, iteration, test_loss, test_accuracy, NULL},
    };

    return cnn_model_write(path, true, &info, arrays, 2, get, ctx);
}

static void write_model(const char *path)
{
    assert_int_equal(write_with(path, NULL, NULL), ST_OK);
}

static void what_is_written_is_read(void **state)
{
    char path[PATH_BYTES];
    cnn_model_t *model;
    const cnn_model_info_t *info;
    float got[6];

    (void)state;
    dir_file("model.h5", path);
    write_model(path);
    assert_int_equal(cnn_model_open(path, &model), ST_OK);
    info = cnn_model_info(model);
    assert_string_equal(info->net, "[net]\nname = x\n");
    assert_string_equal(info->classes[1], "one");
    assert_int_equal(info->n_classes, 2);
    assert_int_equal(info->curve.n, 2);
    assert_true(info->curve.loss[1] == 1.25 && info->tests.accuracy[0] == 0.75);
    assert_int_equal(info->tests.iteration[0], 2);
    assert_int_equal(cnn_model_read(model, &arrays[0], got), ST_OK);
    assert_memory_equal(got, weights, sizeof(weights));
    assert_int_equal(cnn_model_read(model, &arrays[1], got), ST_OK);
    assert_true(got[0] == -1);
    cnn_model_close(model);
    unlink(path);
}

static void arrays_of_other_shapes_are_refused(void **state)
{
    const cnn_model_array_t other = {"conv1.weight", true, 3, 2, NULL};
    const cnn_model_array_t missing = {"conv2.weight", true, 3, 2, NULL};
    char path[PATH_BYTES];
    cnn_model_t *model;
    float got[6];

    (void)state;
    dir_file("model.h5", path);
    write_model(path);
    assert_int_equal(cnn_model_open(path, &model), ST_OK);
    capture_start();
    assert_int_equal(cnn_model_read(model, &other, got), ST_EINPUT);
    capture_stop();
    assert_logged("is 2 x 3, but the network has 3 x 2");
    capture_start();
    assert_int_equal(cnn_model_read(model, &missing, got), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    cnn_model_close(model);
    unlink(path);
}

/* Set a value of a dataset. */
static void set(const char *path, const char *name, hid_t type, size_t at,
                const void *value)
{
    hid_t file = H5Fopen(path, H5F_ACC_RDWR, H5P_DEFAULT);
    hid_t data = H5Dopen2(file, name, H5P_DEFAULT);
    char values[64];

    assert_true(H5Dread(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    memcpy(values + at * H5Tget_size(type), value, H5Tget_size(type));
    assert_true(H5Dwrite(data, type, H5S_ALL, H5S_ALL, H5P_DEFAULT, values) >= 0);
    H5Dclose(data);
    assert_true(H5Fclose(file) >= 0);
}

static void numbers_that_are_not_finite_are_refused(void **state)
{
    static const char *const curves[] = {"/curve/loss", "/curve/accuracy", "/curve/rate"};
    const float nan_value = NAN;
    const double wrong[] = {NAN, INFINITY};
    char path[PATH_BYTES], want[64];
    cnn_model_t *model;
    float got[6];

    (void)state;
    dir_file("model.h5", path);
    for (int i = 0; i < 6; i++) {
        write_model(path);
        set(path, curves[i / 2], H5T_NATIVE_DOUBLE, 1, &wrong[i % 2]);
        snprintf(want, sizeof(want), "%s is not finite at value 2", curves[i / 2]);
        capture_start();
        assert_int_equal(cnn_model_open(path, &model), ST_EINPUT);
        capture_stop();
        assert_logged(want);
        assert_logged_one_line();
    }
    write_model(path);
    set(path, "/parameters/conv1.weight", H5T_NATIVE_FLOAT, 4, &nan_value);
    assert_int_equal(cnn_model_open(path, &model), ST_OK);
    capture_start();
    assert_int_equal(cnn_model_read(model, &arrays[0], got), ST_EINPUT);
    capture_stop();
    assert_logged("/parameters/conv1.weight is not finite at row 2, column 2");
    assert_logged_one_line();
    cnn_model_close(model);
    unlink(path);
}

static void other_files_are_refused(void **state)
{
    char path[PATH_BYTES];
    cnn_model_t *model;

    (void)state;
    dir_file("model.h5", path);
    dir_put(path, "not HDF5", 8);
    capture_start();
    assert_int_equal(cnn_model_open(path, &model), ST_EINPUT);
    capture_stop();
    assert_logged_one_line();
    unlink(path);
}

/* @param ctx  [6] where the values of both arrays are, one after the other */
static status_t get_values(void *ctx, int k, const float **values)
{
    memset(ctx, 0, sizeof(weights));
    memcpy(ctx, arrays[k].values, k == 0 ? sizeof(weights) : sizeof(mean));
    *values = ctx;
    return ST_OK;
}

static void values_are_got_when_they_are_written(void **state)
{
    char path[PATH_BYTES];
    cnn_model_t *model;
    float place[6], got[6];

    (void)state;
    dir_file("model.h5", path);
    assert_int_equal(write_with(path, get_values, place), ST_OK);
    assert_int_equal(cnn_model_open(path, &model), ST_OK);
    assert_int_equal(cnn_model_read(model, &arrays[0], got), ST_OK);
    assert_memory_equal(got, weights, sizeof(weights));
    assert_int_equal(cnn_model_read(model, &arrays[1], got), ST_OK);
    assert_memory_equal(got, mean, sizeof(mean));
    cnn_model_close(model);
    unlink(path);
}

static status_t get_no_state(void *ctx, int k, const float **values)
{
    return k == 0 ? get_values(ctx, k, values) : ST_EIO;
}

static void values_that_cannot_be_got_leave_no_file(void **state)
{
    char path[PATH_BYTES];
    float place[6];

    (void)state;
    dir_file("none.h5", path);
    assert_int_equal(write_with(path, get_no_state, place), ST_EIO);
    assert_int_equal(access(path, F_OK), -1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_are_got_when_they_are_written),
        cmocka_unit_test(values_that_cannot_be_got_leave_no_file),
        cmocka_unit_test(what_is_written_is_read),
        cmocka_unit_test(arrays_of_other_shapes_are_refused),
        cmocka_unit_test(numbers_that_are_not_finite_are_refused),
        cmocka_unit_test(other_files_are_refused),
    };

    return cmocka_run_group_tests(tests, dir_make, dir_remove);
}
